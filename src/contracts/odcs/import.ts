import { MOST_RULES } from '../../model/contract-values.ts';
import { equalJson, type JsonObject } from '../../model/json.ts';
import { isLongerThan, MAX_NAME_LENGTH } from '../../model/name.ts';
import { type PropertyRead, readProperties } from './columns-in.ts';
import { readDescription } from './description.ts';
import { readElements } from './elements.ts';
import { readCustom } from './extension.ts';
import { type Issue, type IssueCollector, issues } from './issue.ts';
import { compact, objectOf, spoken, textsIn } from './parts.ts';
import type { Lookup } from './people.ts';
import { invalid } from './problem.ts';
import { readRules } from './quality-in.ts';
import { readRoles } from './roles.ts';
import { type RuleCase, type RuleTest, reported, ruleCases } from './rule-cases.ts';
import { noteOthers, type Selected, selectObject } from './select.ts';
import { readSla } from './sla-in.ts';
import { readStatus } from './status.ts';
import type { Target } from './target.ts';
import { peopleIn, readTeam } from './team.ts';
import { objectsOf } from './walk.ts';

/** A document of the standard, in the shape of 3.1.0, as a contract of one entity. */

export type ImportOptions = {
  readonly objectName?: string;
  readonly createTestCases: boolean;
  /** The time by which members of a team have left or not. */
  readonly now: number;
};

export type Imported = {
  /** The members of a create body that the document says. */
  readonly contract: JsonObject;
  /** The document's id, when it can be that of a record. */
  readonly id?: string;
  /** The schema object that was taken, by which the document is read again. */
  readonly objectName?: string;
  /** The tests that the rules ask for; none unless they are wanted and the entity is a table. */
  readonly tests: readonly RuleTest[];
  readonly report: JsonObject;
  readonly issues: readonly Issue[];
};

/** What a document names and the catalog has to be asked about. */
export type Named = { readonly people: readonly string[]; readonly tags: readonly string[] };

const tagsBelow = (properties: readonly JsonObject[], tags: Set<string>): void => {
  for (const property of properties) {
    for (const tag of textsIn(property['tags'])) tags.add(tag);
    tagsBelow(objectsOf(property['properties']), tags);
    tagsBelow(objectsOf(objectOf(property['items'])['properties']), tags);
  }
};

/** Everything that `Lookup` will be asked of a document. */
export const namedIn = (document: JsonObject): Named => {
  const tags = new Set<string>();
  tagsBelow(objectsOf(document['schema']), tags);
  return { people: peopleIn(document), tags: [...tags] };
};

const SUFFIX = '_contract';

const nameFor = (document: JsonObject, target: Target): string => {
  const name = spoken(document['name']);
  if (name === undefined) {
    return `${[...target.name].slice(0, MAX_NAME_LENGTH - SUFFIX.length).join('')}${SUFFIX}`;
  }
  if (isLongerThan(name, MAX_NAME_LENGTH)) throw invalid('name', `must be at most ${MAX_NAME_LENGTH} characters long`);
  if (name.includes('::')) throw invalid('name', 'must not contain ::');
  return name;
};

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const idOf = (document: JsonObject): string | undefined => {
  const id = spoken(document['id']);
  return id !== undefined && UUID.test(id) ? id.toLowerCase() : undefined;
};

/** The part of a document that is about the entity, property by property. */
export const readSchema = (
  document: JsonObject,
  target: Target,
  { objectName, lookup, collector }: { objectName?: string; lookup: Lookup; collector: IssueCollector },
): { readonly selected: Selected; readonly read: readonly PropertyRead[] } => {
  const wish = { entityName: target.name, issues: collector };
  const selected = selectObject(document, objectName === undefined ? wish : { ...wish, objectName });
  const path = selected.object === undefined ? selected.path : `${selected.path}.properties`;
  const level = { path, key: '', columns: target.columns };
  return { selected, read: readProperties(selected.properties, level, { lookup, issues: collector }) };
};

const noteSchemaless = (
  target: Target,
  read: readonly PropertyRead[],
  selected: Selected,
  found: IssueCollector,
): void => {
  if (target.hasSchema || read.length === 0) return;
  const message = `A ${target.entityType} has no schema that a contract could describe`;
  found.add({ severity: 'blocking', category: 'schema', field: 'schema', path: selected.path, message });
};

type Frequency = { readonly interval: number; readonly unit: string };

type Tested = { readonly sla: JsonObject; readonly tests: readonly RuleTest[]; readonly lines: readonly JsonObject[] };

/** What becomes of rules when tests are wanted. Of several frequencies the one that came first counts. */
const testedRules = (cases: readonly RuleCase[], stated: JsonObject, found: IssueCollector): Tested => {
  let sla = stated;
  const promise = (one: RuleCase, frequency: Frequency): JsonObject => {
    const known = sla['refreshFrequency'];
    if (known !== undefined && !equalJson(known, { ...frequency })) {
      const reason = 'The contract already promises another refresh frequency';
      found.add({ severity: 'warning', category: 'quality', field: 'freshness', message: reason });
      return reported(one, { outcome: 'notExecuted', reason });
    }
    const columnName = spoken(sla['columnName']) ?? one.tableColumn;
    sla = compact({ ...sla, refreshFrequency: { ...frequency }, columnName });
    return reported(one, { outcome: 'sla' });
  };
  const lines = cases.map((one): JsonObject => {
    if ('frequency' in one.meaning) return promise(one, one.meaning.frequency);
    if (one.test === undefined) {
      const reason = 'reason' in one.meaning ? one.meaning.reason : 'No test is known for it';
      return reported(one, { outcome: 'notExecuted', reason });
    }
    const { testDefinition, name } = one.test;
    return reported(one, { outcome: 'testCase', testDefinition, testCaseName: name });
  });
  return { sla, tests: cases.flatMap(({ test }) => test ?? []), lines };
};

const untestedRules = (cases: readonly RuleCase[], stated: JsonObject, reason: string): Tested => ({
  sla: stated,
  tests: [],
  lines: cases.map((one) => reported(one, { outcome: 'notExecuted', reason })),
});

/**
 * What a document says of the contract of an entity. Throws bad_request for an object that is not there and for a name
 * that no contract may have.
 */
export const importDocument = (
  document: JsonObject,
  target: Target,
  lookup: Lookup,
  options: ImportOptions,
): Imported => {
  const collector = issues();
  const name = nameFor(document, target);
  const { selected, read } = readSchema(document, target, { ...options, lookup, collector });
  noteSchemaless(target, read, selected, collector);
  noteOthers(document, selected, collector);
  const rules = readRules(document, selected, read).map(({ rule }) => rule);
  // What no contract can keep need not be understood either.
  if (rules.length > MOST_RULES) throw invalid(selected.path, `more than ${MOST_RULES} quality rules`);
  const cases = ruleCases(rules, target, selected.name);
  const isTable = target.entityType === 'table';
  const stated = objectOf(readSla(document, collector)['sla']);
  const { security } = readRoles(document, collector);
  const custom = readCustom(document, security, collector);
  const team = readTeam(document, { lookup, issues: collector, now: options.now });
  const tested =
    isTable && options.createTestCases
      ? testedRules(cases, stated, collector)
      : untestedRules(cases, stated, isTable ? 'Test cases were not asked for' : 'Only tables are tested');
  const contract = compact({
    name,
    description: readDescription(document['description']),
    entityStatus: readStatus(document, collector),
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
