import { equalJson, type JsonObject } from '../../model/json.ts';
import { isLongerThan, MAX_NAME_LENGTH } from '../../model/name.ts';
import { MAX_CONTRACT_RULES } from '../../model/schemas/contracts/contract.ts';
import { type ImportedProperty, readProperties } from './columns-in.ts';
import { readDescription } from './description.ts';
import { readElements } from './elements.ts';
import { readCustomProperties } from './extension.ts';
import { createIssueCollector, type Issue, type IssueCollector } from './issue.ts';
import { jsonObject, jsonTexts, nonBlankText, omitEmpty } from './parts.ts';
import type { DocumentLookup } from './people.ts';
import { invalidAt } from './problem.ts';
import { readQualityRules } from './quality-in.ts';
import { readSecurityRoles } from './roles.ts';
import { buildRuleCases, type RuleCase, type RuleTest, toReportLine } from './rule-cases.ts';
import { reportOtherObjects, type SelectedObject, selectSchemaObject } from './select.ts';
import { readSla } from './sla-in.ts';
import { readContractStatus } from './status.ts';
import type { ImportTarget } from './target.ts';
import { listPeopleTexts, readTeam } from './team.ts';
import { jsonObjects } from './walk.ts';

/** Imports a document in the shape of 3.1.0 as the contract of one entity. */

export type ImportOptions = {
  readonly objectName?: string;
  readonly createTestCases: boolean;
  /** The time for deciding which team members have left. */
  readonly now: number;
};

export type ImportedContract = {
  /** The members of a create body that the document provides. */
  readonly contract: JsonObject;
  /** The document's ID, if a record can have it. */
  readonly id?: string;
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
    ...(id !== undefined && { id }),
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
