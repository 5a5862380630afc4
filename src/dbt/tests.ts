import type { JsonObject } from '../model/json.ts';
import { cleanTestName } from '../model/test-name.ts';
import { parseDateTime } from '../model/time.ts';
import { type DbtArtifacts, memberEntries, memberObject, memberObjects, memberText, memberTexts } from './artifacts.ts';
import type { DbtRelation } from './relations.ts';

/** The tests of a dbt project and how they went. */

export type DbtTest = {
  readonly name: string;
  readonly relation: DbtRelation;
  readonly column: string | undefined;
  /** A built-in definition that means the same, or the general one for a table or a column. */
  readonly definition: string;
  readonly description: string | undefined;
  readonly result: JsonObject | undefined;
};

const BUILT_IN: Readonly<Record<string, string>> = {
  not_null: 'columnValuesToBeNotNull',
  unique: 'columnValuesToBeUnique',
};

/** The definitions of tests whose rule only dbt knows. */
export const DBT_DEFINITIONS: readonly JsonObject[] = [
  {
    name: 'dbtColumnTest',
    displayName: 'Test of dbt for a column',
    description: 'A test of a column that dbt runs by a rule of its project.',
    entityType: 'COLUMN',
    testPlatforms: ['dbt'],
  },
  {
    name: 'dbtTableTest',
    displayName: 'Test of dbt for a table',
    description: 'A test of a table that dbt runs by a rule of its project.',
    entityType: 'TABLE',
    testPlatforms: ['dbt'],
  },
];

const STATUSES: Readonly<Record<string, string>> = {
  pass: 'Success',
  fail: 'Failed',
  warn: 'Failed',
  error: 'Aborted',
};

const timeOf = (result: JsonObject, runResults: JsonObject): number | undefined => {
  const ended = memberObjects(result, 'timing')
    .map((part) => memberText(part, 'completed_at'))
    .at(-1);
  return parseDateTime(ended ?? memberText(memberObject(runResults, 'metadata'), 'generated_at') ?? '');
};

const readResult = (result: JsonObject, runResults: JsonObject): JsonObject | undefined => {
  const said = memberText(result, 'status') ?? '';
  const testCaseStatus = Object.hasOwn(STATUSES, said) ? STATUSES[said] : undefined;
  const timestamp = timeOf(result, runResults);
  if (testCaseStatus === undefined || timestamp === undefined) return undefined;
  const failures = result['failures'];
  const told = memberText(result, 'message') ?? (said === 'pass' ? 'The test of dbt passed.' : `dbt says: ${said}.`);
  return {
    timestamp,
    testCaseStatus,
    result: said === 'warn' ? `Warning: ${told}` : told,
    ...(typeof failures === 'number' && failures > 0
      ? { failedRows: failures, testResultValue: [{ name: 'failures', value: String(failures) }] }
      : {}),
  };
};

/** The relations that a test is about: the attached one, or those that it reads, in the order in which it names them. */
const testedRelations = (node: JsonObject, stored: ReadonlyMap<string, DbtRelation>): readonly DbtRelation[] => {
  const attached = memberText(node, 'attached_node');
  const ids = attached === undefined ? memberTexts(memberObject(node, 'depends_on'), 'nodes') : [attached];
  return ids.flatMap((id) => stored.get(id) ?? []);
};

/** A test of several tables is kept with the first one and names the others, since a test case is about one table. */
const describeTest = (node: JsonObject, others: readonly DbtRelation[]): string | undefined => {
  const description = memberText(node, 'description');
  if (others.length === 0) return description;
  const also = `The test also reads ${others.map(({ fqn }) => fqn).join(', ')}.`;
  return description === undefined ? also : `${description}\n\n${also}`;
};

export type DbtTests = { readonly tests: readonly DbtTest[]; readonly leftOut: readonly string[] };

/** The tests of relations; those that read no relation are named apart. */
export const readTests = ({ manifest, runResults = {} }: DbtArtifacts, relations: readonly DbtRelation[]): DbtTests => {
  const stored = new Map(relations.map((relation) => [relation.uniqueId, relation]));
  const results = new Map(memberObjects(runResults, 'results').map((one) => [memberText(one, 'unique_id'), one]));
  const tests: DbtTest[] = [];
  const leftOut: string[] = [];
  for (const [uniqueId, node] of memberEntries(manifest, 'nodes')) {
    if (memberText(node, 'resource_type') !== 'test') continue;
    const name = cleanTestName(memberText(node, 'name') ?? uniqueId);
    const [relation, ...others] = testedRelations(node, stored);
    if (relation === undefined) {
      leftOut.push(name);
      continue;
    }
    const said = memberText(node, 'column_name')
      ?.replace(/^["`[]|["`\]]$/g, '')
      .toLowerCase();
    const column = relation.columns.find((one) => one.name.toLowerCase() === said)?.name;
    const kind = memberText(memberObject(node, 'test_metadata'), 'name') ?? '';
    const builtIn = column !== undefined && Object.hasOwn(BUILT_IN, kind) ? BUILT_IN[kind] : undefined;
    const result = results.get(uniqueId);
    tests.push({
      name,
      relation,
      column,
      definition: builtIn ?? (column === undefined ? 'dbtTableTest' : 'dbtColumnTest'),
      description: describeTest(node, others),
      result: result && readResult(result, runResults),
    });
  }
  return { tests, leftOut };
};
