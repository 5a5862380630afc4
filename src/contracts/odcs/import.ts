import { groupBy } from '../../model/group-by.ts';
import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../model/json-parts.ts';
import { fqnPart, isLongerThan, MAX_NAME_LENGTH } from '../../model/name.ts';
import { MAX_CONTRACT_RULES } from '../../model/schemas/contracts/contract.ts';
import { isDraftStatus } from '../../model/schemas/contracts/contract-status.ts';
import { readContractStatus, readCustomProperties, readDescription, readElements } from './fundamentals.ts';
import { createIssueCollector, type Issue, type IssueCollector, invalidAt } from './issues.ts';
import { omitEmpty } from './json-parts.ts';
import { type DocumentLookup, listPeopleTexts, readSecurityRoles, readTeam } from './people.ts';
import { buildRuleCases, type RuleCase, type RuleTest, toReportLine } from './rules/rule-tests.ts';
import { readAnnotations } from './schema/annotations.ts';
import {
  type ImportedProperty,
  type ImportTarget,
  readProperties,
  readQualityRules,
  reportOtherObjects,
  type SelectedObject,
  selectSchemaObject,
} from './schema/read-schema.ts';
import { readSla } from './sla.ts';

/** Imports a document in the shape of 3.2.0 as the contract of one entity, and merges it into an existing contract. */

export type ImportOptions = {
  readonly objectName?: string;
  readonly createTestCases: boolean;
  /** The time for deciding which team members have left. */
  readonly now: number;
};

export type ImportedContract = {
  /** The members of a create body that the document provides. */
  readonly contract: JsonObject;
  /** What the document says of the entity and its columns that no request can set. */
  readonly annotations: JsonObject;
  /** The document's ID, if a record can have it. */
  readonly id?: string;
  /** Whether the document gives the contract a status. */
  readonly hasStatus: boolean;
  /** The name of the selected schema object, for reading the document again. */
  readonly objectName?: string;
  /** The tests that the rules ask for; empty unless they are requested and the entity is a table. */
  readonly tests: readonly RuleTest[];
  readonly report: JsonObject;
  readonly issues: readonly Issue[];
};

/** The people and tags that a document names, for look-up in the catalog. */
export type DocumentReferences = { readonly people: readonly string[]; readonly tags: readonly string[] };

const collectTags = (properties: readonly JsonObject[], tags: Set<string>): void => {
  for (const property of properties) {
    for (const tag of jsonTexts(property['tags'])) tags.add(tag);
    collectTags(jsonObjects(property['properties']), tags);
    collectTags(jsonObjects(jsonObject(property['items'])['properties']), tags);
  }
};

/** Lists every name that `DocumentLookup` will be asked for. */
export const findDocumentReferences = (document: JsonObject): DocumentReferences => {
  const tags = new Set<string>();
  collectTags(jsonObjects(document['schema']), tags);
  return { people: listPeopleTexts(document), tags: [...tags] };
};

const NAME_SUFFIX = '_contract';

const contractNameFor = (document: JsonObject, target: ImportTarget): string => {
  const name = nonBlankText(document['name']);
  if (name === undefined) {
    return `${[...target.name].slice(0, MAX_NAME_LENGTH - NAME_SUFFIX.length).join('')}${NAME_SUFFIX}`;
  }
  if (isLongerThan(name, MAX_NAME_LENGTH))
    throw invalidAt('name', `must be at most ${MAX_NAME_LENGTH} characters long`);
  if (name.includes('::')) throw invalidAt('name', 'must not contain ::');
  return name;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const idOf = (document: JsonObject): string | undefined => {
  const id = nonBlankText(document['id']);
  return id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined;
};

/** Reads the properties of the schema object that is about the entity. */
export const readDocumentSchema = (
  document: JsonObject,
  target: ImportTarget,
  { objectName, lookup, collector }: { objectName?: string; lookup: DocumentLookup; collector: IssueCollector },
): { readonly selected: SelectedObject; readonly read: readonly ImportedProperty[] } => {
  const selection = { entityName: target.name, issues: collector };
  const selected = selectSchemaObject(document, objectName === undefined ? selection : { ...selection, objectName });
  const path = selected.object === undefined ? selected.path : `${selected.path}.properties`;
  const level = { path, key: '', columns: target.columns };
  return { selected, read: readProperties(selected.properties, level, { lookup, issues: collector }) };
};

const reportMissingSchema = (
  target: ImportTarget,
  read: readonly ImportedProperty[],
  selected: SelectedObject,
  found: IssueCollector,
): void => {
  if (target.hasSchema || read.length === 0) return;
  const message = `A ${target.entityType} has no schema that a contract could describe`;
  found.add({ severity: 'blocking', category: 'schema', field: 'schema', path: selected.path, message });
};

type RefreshFrequency = { readonly interval: number; readonly unit: string };

type TestedRules = {
  readonly sla: JsonObject;
  readonly tests: readonly RuleTest[];
  readonly lines: readonly JsonObject[];
};

/** Builds the tests of rules when tests are requested. The first of several frequencies wins. */
const createRuleTests = (cases: readonly RuleCase[], stated: JsonObject, found: IssueCollector): TestedRules => {
  let sla = stated;
  const promise = (one: RuleCase, frequency: RefreshFrequency): JsonObject => {
    const known = sla['refreshFrequency'];
    if (known !== undefined && !equalJson(known, { ...frequency })) {
      const reason = 'The contract already promises another refresh frequency';
      found.add({ severity: 'warning', category: 'quality', field: 'freshness', message: reason });
      return toReportLine(one, { outcome: 'notExecuted', reason });
    }
    const columnName = nonBlankText(sla['columnName']) ?? one.tableColumn;
    sla = omitEmpty({ ...sla, refreshFrequency: { ...frequency }, columnName });
    return toReportLine(one, { outcome: 'sla' });
  };
  const lines = cases.map((one): JsonObject => {
    if ('frequency' in one.meaning) return promise(one, one.meaning.frequency);
    if (one.test === undefined) {
      const reason = 'reason' in one.meaning ? one.meaning.reason : 'No test is known for it';
      return toReportLine(one, { outcome: 'notExecuted', reason });
    }
    const { testDefinition, name } = one.test;
    return toReportLine(one, { outcome: 'testCase', testDefinition, testCaseName: name });
  });
  return { sla, tests: cases.flatMap(({ test }) => test ?? []), lines };
};

const skipRuleTests = (cases: readonly RuleCase[], stated: JsonObject, reason: string): TestedRules => ({
  sla: stated,
  tests: [],
  lines: cases.map((one) => toReportLine(one, { outcome: 'notExecuted', reason })),
});

/**
 * Imports a document as the contract of an entity. Throws bad_request for a missing schema object and for an invalid
 * contract name.
 */
export const importDocument = (
  document: JsonObject,
  target: ImportTarget,
  lookup: DocumentLookup,
  options: ImportOptions,
): ImportedContract => {
  const collector = createIssueCollector();
  const name = contractNameFor(document, target);
  const { selected, read } = readDocumentSchema(document, target, { ...options, lookup, collector });
  reportMissingSchema(target, read, selected, collector);
  reportOtherObjects(document, selected, collector);
  const rules = readQualityRules(document, selected, read).map(({ rule }) => rule);
  // Checked before the rules are interpreted, because no contract could store more.
  if (rules.length > MAX_CONTRACT_RULES)
    throw invalidAt(selected.path, `more than ${MAX_CONTRACT_RULES} quality rules`);
  const cases = buildRuleCases(rules, target, selected.name);
  const isTable = target.entityType === 'table';
  const stated = jsonObject(readSla(document, collector)['sla']);
  const { security } = readSecurityRoles(document, collector);
  const custom = readCustomProperties(document, security, collector);
  const team = readTeam(document, { lookup, issues: collector, now: options.now });
  const tested =
    isTable && options.createTestCases
      ? createRuleTests(cases, stated, collector)
      : skipRuleTests(cases, stated, isTable ? 'Test cases were not asked for' : 'Only tables are tested');
  const contract = omitEmpty({
    name,
    description: readDescription(document['description']),
    entityStatus: readContractStatus(document, collector),
    schema: read.map(({ column }) => column),
    sla: tested.sla,
    security,
    ...team,
    ...custom,
    odcsQualityRules: rules,
    odcsElementExtensions: readElements(document, selected, read),
  });
  const id = idOf(document);
  const found = collector.found();
  const canImport = !found.some(({ severity }) => severity === 'blocking');
  return {
    contract,
    annotations: readAnnotations(document, selected, read),
    ...(id !== undefined && { id }),
    hasStatus: nonBlankText(document['status']) !== undefined,
    ...(selected.name !== undefined && { objectName: selected.name }),
    tests: tested.tests,
    report: {
      canImport,
      canCreateTestCases: canImport && isTable && cases.some(({ test }) => test !== undefined),
      issues: found.map((issue) => ({ ...issue })),
      qualityRules: tested.lines,
    },
    issues: found,
  };
};

// Merging an imported document into an existing contract (odcs.md 7).

export type MergeMode = 'merge' | 'replace';

type MergeRule = (existing: Json | undefined, imported: Json | undefined) => Json | undefined;

/** Uses the document's value, or else the existing one. */
const importedOrExisting: MergeRule = (existing, imported) => imported ?? existing;

const isFilled = (value: Json | undefined): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : jsonItems(value).length > 0;

/** Uses the document's list or object only when it is not empty. */
const importedIfFilled: MergeRule = (existing, imported) => (isFilled(imported) ? imported : existing);

const mergeMembers: MergeRule = (existing, imported) => {
  const merged: MutableJsonObject = { ...jsonObject(existing) };
  for (const [name, value] of Object.entries(jsonObject(imported))) setMember(merged, name, value);
  return isFilled(merged) ? merged : undefined;
};

/**
 * A draft status in the document does not replace an existing status that also counts as a draft. A document may have
 * no status since 3.2.0, and then the existing one stays.
 */
const mergeStatus: MergeRule = (existing, imported) => {
  const [before, after] = [nonBlankText(existing), nonBlankText(imported)];
  return before !== undefined && after === 'Draft' && isDraftStatus(before) ? before : (after ?? before);
};

const mergeElements: MergeRule = (existing, imported) => {
  const [before, after] = [jsonObjects(existing), jsonObjects(imported)];
  const elementOf = (item: JsonObject) => nonBlankText(item['element']) ?? '';
  const fresh = groupBy(after, elementOf);
  for (const list of fresh.values()) list.reverse();
  const importedElements = new Set(fresh.keys());
  // An object and its column may share a name, so one element may occur twice.
  const merged = before.flatMap((item) =>
    importedElements.has(elementOf(item)) ? (fresh.get(elementOf(item))?.pop() ?? []) : item,
  );
  const all = [...merged, ...[...fresh.values()].flatMap((list) => list.toReversed())];
  return all.length === 0 ? undefined : all;
};

const MERGE_RULES: Readonly<Record<string, MergeRule>> = {
  displayName: importedOrExisting,
  description: importedOrExisting,
  entityStatus: mergeStatus,
  schema: importedIfFilled,
  sla: mergeMembers,
  security: importedIfFilled,
  owners: importedIfFilled,
  reviewers: importedIfFilled,
  extension: mergeMembers,
  semantics: importedIfFilled,
  termsOfUse: importedOrExisting,
  effectiveFrom: importedOrExisting,
  effectiveUntil: importedOrExisting,
  sourceUrl: importedOrExisting,
  odcsQualityRules: importedIfFilled,
  odcsElementExtensions: mergeElements,
  qualityExpectations: importedOrExisting,
};

/** The members that a document determines; all others belong to the contract alone. */
export const IMPORTED_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MERGE_RULES));

/** The full names of the test cases that a contract's rules create. */
const testCaseNames = (
  rules: Json | undefined,
  target: ImportTarget,
  objectName: string | undefined,
): ReadonlySet<string> => {
  const cases = buildRuleCases(jsonObjects(rules), target, objectName).flatMap(({ test }) => test ?? []);
  return new Set(
    cases.map(({ name, column }) => {
      const parent = column === undefined ? target.fullyQualifiedName : `${target.fullyQualifiedName}.${column}`;
      return `${parent}.${fqnPart(name)}`.toLowerCase();
    }),
  );
};

/**
 * Selects the links to tests that a contract keeps in addition to those of the imported rules. Tests of rules that
 * the document no longer contains are dropped.
 */
export const selectKeptExpectations = (
  existing: JsonObject,
  contract: JsonObject,
  target: ImportTarget,
  mode: MergeMode,
  objectName?: string,
): readonly JsonObject[] => {
  if (mode === 'replace') return [];
  const before = testCaseNames(existing['odcsQualityRules'], target, objectName);
  const after = testCaseNames(contract['odcsQualityRules'], target, objectName);
  return jsonObjects(existing['qualityExpectations']).filter(({ fullyQualifiedName }) => {
    const fqn = nonBlankText(fullyQualifiedName)?.toLowerCase() ?? '';
    return !before.has(fqn) || after.has(fqn);
  });
};

/** Removes inherited references, which cannot be set on a contract. */
const withoutInherited = (existing: JsonObject): JsonObject => {
  const own = (refs: Json | undefined) => jsonObjects(refs).filter((ref) => ref['inherited'] !== true);
  return omitEmpty({ ...existing, owners: own(existing['owners']), reviewers: own(existing['reviewers']) });
};

/**
 * Builds all members that a contract has after an import; absent ones are cleared, and the name is kept.
 * `selectKeptExpectations` handles the links to tests, because it knows the table.
 */
export const mergeImportedContract = (
  record: JsonObject,
  { contract, hasStatus }: ImportedContract,
  mode: MergeMode,
): JsonObject => {
  const existing = withoutInherited(record);
  const keepsStatus = !hasStatus && nonBlankText(existing['entityStatus']) !== undefined;
  const merged = Object.keys(MERGE_RULES).map((name): readonly [string, Json | undefined] => {
    const imported = keepsStatus && name === 'entityStatus' ? undefined : member(contract, name);
    return [name, mode === 'replace' ? member(contract, name) : MERGE_RULES[name]?.(member(existing, name), imported)];
  });
  return omitEmpty({ name: existing['name'] ?? contract['name'], ...Object.fromEntries(merged) });
};

/** Lists of objects at the root, in 3.x and 2.x, with the member that identifies an object. */
const OBJECT_LISTS: ReadonlyMap<string, string> = new Map([
  ['schema', 'name'],
  ['dataset', 'table'],
]);

const mergeObjects = (kept: Json, imported: Json, by: string): Json => {
  const nameOf = (item: Json): string | undefined => nonBlankText(jsonObject(item)[by]);
  const named = jsonItems(imported).filter((item) => nameOf(item) !== undefined);
  const fresh = groupBy(named, (item) => nameOf(item) ?? '');
  for (const list of fresh.values()) list.reverse();
  const before = jsonItems(kept).map((item) => fresh.get(nameOf(item) ?? '')?.pop() ?? item);
  const taken = new Set(before);
  return [...before, ...jsonItems(imported).filter((item) => !taken.has(item))];
};

/** Joins two documents of one contract: root members of the newer one win, and schema objects are matched by name. */
export const mergeSourceDocuments = (kept: JsonObject, imported: JsonObject): JsonObject => {
  const merged: MutableJsonObject = { ...kept };
  for (const [name, value] of Object.entries(imported)) {
    const by = OBJECT_LISTS.get(name);
    const before = member(kept, name);
    const isJoined = by !== undefined && isArray(value) && isArray(before);
    setMember(merged, name, isJoined ? mergeObjects(before, value, by) : value);
  }
  return merged;
};
