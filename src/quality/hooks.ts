import type { Engine, KindHooks } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { linkEdges, type RefNode } from '../catalog/queries.ts';
import { NO_FIELDS, writeFields } from '../catalog/read/fields.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { type Address, addressKey } from '../catalog/read/store.ts';
import { requireKind } from '../catalog/registry.ts';
import type { Candidate } from '../catalog/resolve/candidate.ts';
import { badRequest, type CatalogError, recordNotFound } from '../errors.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { resolveFqnText } from '../model/kind/kind.ts';
import type { DeclaredTestParameter, TestParameterValue } from '../model/schemas/quality/test-case.ts';
import { checkTestParameters, type TestDefinitionParameters } from './parameters.ts';
import { linkTargets, markSuitesStale } from './queries.ts';
import { planAddTests } from './suite-members.ts';
import { checkTestTarget, findTestColumn, findTestTarget, type TestTarget, testColumnNotFound } from './test-target.ts';

/** Hook data of a test: the logical suite that the request names in addition to the table's own suite. */
type TestCaseCreation = { readonly chosen?: RefNode };

const toParameterDefinition = ({ name, values }: Snapshot): TestDefinitionParameters => ({
  name,
  target: String(values['entityType']),
  platforms: (values['testPlatforms'] ?? []) as readonly string[],
  parameters: (values['parameterDefinition'] ?? []) as unknown as readonly DeclaredTestParameter[],
  isEnabled: values['enabled'] !== false,
});

const findDefinition = async (engine: Engine, candidate: Candidate): Promise<TestDefinitionParameters> => {
  const kind = requireKind(engine.registry, 'testDefinition');
  const pointer = candidate.relations['testDefinition']?.[0];
  const address: Address =
    pointer?.id === undefined ? { fqn: resolveFqnText(kind, pointer?.fqn ?? '') } : { id: pointer.id };
  const found = await engine.store.record(kind, address, NO_FIELDS);
  // A patch repeats the definition that the test has, so one that was soft-deleted since is accepted by its ID.
  if (!found || (found.deleted && !('id' in address))) throw recordNotFound('testDefinition', addressKey(address));
  return toParameterDefinition(found);
};

const BASIC_LEAF = '.testSuite';

type ChosenSuite = { readonly beginning: TestCaseCreation; readonly objection?: CatalogError };

/** Resolves the suite that a request names, unless it is the table's own suite. */
const findChosenSuite = async (engine: Engine, candidate: Candidate, { table }: TestTarget): Promise<ChosenSuite> => {
  const requested = candidate.parents['testSuite']?.fqn;
  const basic = `${table.fullyQualifiedName}${BASIC_LEAF}`;
  if (requested === undefined || requested.toLowerCase() === basic.toLowerCase()) return { beginning: {} };
  const kind = requireKind(engine.registry, 'testSuite');
  const found = await engine.store.record(kind, { fqn: resolveFqnText(kind, requested) }, NO_FIELDS);
  if (!found || found.deleted) throw recordNotFound('testSuite', requested);
  if (found.values['basic'] === true) {
    const objection = badRequest(`[testSuite ${requested} belongs to another table]`);
    return { beginning: {}, objection };
  }
  if (found.values['isContracts'] === true) {
    const objection = badRequest(`[testSuite ${requested} belongs to a data contract]`);
    return { beginning: {}, objection };
  }
  return { beginning: { chosen: toRefNode(found) } };
};

const checkDimensions = ({ table }: TestTarget, names: readonly string[]): CatalogError | undefined => {
  const unknown = names.find((name) => !findTestColumn(table, name));
  return unknown === undefined ? undefined : badRequest(`[dimensionColumns names the unknown column ${unknown}]`);
};

/**
 * Completes a test with the values that its target implies. Missing records are reported at once, invalid values
 * afterwards.
 */
const complete = async (engine: Engine, candidate: Candidate): Promise<Candidate> => {
  const { entityLink, parameterValues = [], dimensionColumns = [] } = candidate.values;
  const text = String(entityLink);
  const target = await findTestTarget(engine, text);
  const definition = await findDefinition(engine, candidate);
  const chosen = await findChosenSuite(engine, candidate, target);
  const objection = (isNew: boolean): CatalogError | undefined =>
    (isNew && !definition.isEnabled ? badRequest(`Test definition ${definition.name} is disabled`) : undefined) ??
    checkTestTarget(definition.target, target, text) ??
    checkTestParameters(definition, parameterValues as unknown as readonly TestParameterValue[]) ??
    checkDimensions(target, dimensionColumns as readonly string[]) ??
    chosen.objection;
  return {
    ...candidate,
    values: {
      ...candidate.values,
      entityLink: target.link,
      entityFQN: target.fqn,
      target: target.column ? 'column' : 'table',
      ...(target.columnName === undefined ? {} : { columnName: target.columnName }),
    },
    parents: { testSuite: { type: 'testSuite', fqn: `${target.table.fullyQualifiedName}${BASIC_LEAF}` } },
    hookData: chosen.beginning,
    objection,
  };
};

/** Links tests to their targets. The table is locked first, so that none of its columns is removed concurrently. */
const linkTargetStep = (record: Snapshot): WriteStep => {
  const { entityFQN, columnName } = record.values;
  const table = record.ancestors.find(({ entityType }) => entityType === 'table');
  const row = { id: record.id, tableId: table?.id, columnFqn: columnName === undefined ? null : entityFQN };
  return createStep(linkTargets, STEP_ORDER.link, [row], () => testColumnNotFound(String(entityFQN)));
};

/** Adds a new test to the suite of its table and to the suite that the request names. */
const begin: KindHooks['onCreate'] = (_engine, _writer, record, { hookData = {} }) => {
  const { chosen } = hookData as TestCaseCreation;
  const suites = [...(record.related['testSuite'] ?? []), ...(chosen ? [chosen] : [])];
  const links = suites.map(({ id, fullyQualifiedName }) =>
    createStep(
      linkEdges,
      STEP_ORDER.label,
      [{ type: 'HAS_TEST', from: id, to: record.id, properties: {} }],
      notFoundFactory('testSuite', fullyQualifiedName),
    ),
  );
  const mark = createStep(markSuitesStale, STEP_ORDER.publish, [{ testId: record.id }]);
  return { keys: [], steps: [linkTargetStep(record), ...links, mark], related: { testSuites: suites } };
};

/** Adds an existing test to the suite that the request names. */
const joinChosenSuite: KindHooks['onReplace'] = async (engine, { principal }, record, { hookData = {} }) => {
  const { chosen } = hookData as TestCaseCreation;
  if (!chosen) return undefined;
  const kind = requireKind(engine.registry, 'testSuite');
  const suite = await engine.store.record(kind, { id: chosen.id }, new Set([...writeFields(kind), 'tests']));
  if (!suite || suite.related['tests']?.some(({ id }) => id === record.id)) return undefined;
  return planAddTests(engine, principal, suite, [record.id]);
};

/** Write hooks of test cases. */
export const testCaseHooks: KindHooks = {
  beforeWrite: complete,
  onCreate: begin,
  onReplace: joinChosenSuite,
  onRestore: (record) => [linkTargetStep(record)],
};
