import type { Candidate } from '../catalog/desire/candidate.ts';
import type { Engine, Steward } from '../catalog/engine.ts';
import { gone, ORDER, step } from '../catalog/plan/step.ts';
import { linkEdges, type RefNode } from '../catalog/queries.ts';
import { NO_FIELDS, writeFields } from '../catalog/read/fields.ts';
import { refOf, type Snapshot } from '../catalog/read/snapshot.ts';
import { type Address, keyOf } from '../catalog/read/store.ts';
import { kindNamed } from '../catalog/registry.ts';
import { badRequest, type CatalogError, recordNotFound } from '../errors.ts';
import type { Step } from '../graph/commit.ts';
import { lookupFqn } from '../model/kind.ts';
import type { DefinedParameter, GivenParameter } from '../model/test-values.ts';
import { planMembers } from './members.ts';
import { type Definition, refuseParameters } from './parameters.ts';
import { linkTargets, markSuites } from './queries.ts';
import { columnNotFound, findColumn, findTarget, refuseTarget, type Target } from './target.ts';

/** What comes into being together with a test: it may belong to a suite that somebody has chosen besides. */
type Beginning = { readonly chosen?: RefNode };

const definitionOf = ({ name, values }: Snapshot): Definition => ({
  name,
  target: String(values['entityType']),
  platforms: (values['testPlatforms'] ?? []) as readonly string[],
  parameters: (values['parameterDefinition'] ?? []) as unknown as readonly DefinedParameter[],
  isEnabled: values['enabled'] !== false,
});

const findDefinition = async (engine: Engine, candidate: Candidate): Promise<Definition> => {
  const kind = kindNamed(engine.registry, 'testDefinition');
  const pointer = candidate.relations['testDefinition']?.[0];
  const address: Address =
    pointer?.id === undefined ? { fqn: lookupFqn(kind, pointer?.fqn ?? '') } : { id: pointer.id };
  const found = await engine.store.record(kind, address, NO_FIELDS);
  // A patch repeats the one that the test has, which may have been hidden since.
  if (!found || (found.deleted && !('id' in address))) throw recordNotFound('testDefinition', keyOf(address));
  return definitionOf(found);
};

const BASIC_LEAF = '.testSuite';

type ChosenSuite = { readonly beginning: Beginning; readonly objection?: CatalogError };

/** The suite that a request names besides the one that its table has. */
const findChosen = async (engine: Engine, candidate: Candidate, { table }: Target): Promise<ChosenSuite> => {
  const asked = candidate.parents['testSuite']?.fqn;
  const basic = `${table.fullyQualifiedName}${BASIC_LEAF}`;
  if (asked === undefined || asked.toLowerCase() === basic.toLowerCase()) return { beginning: {} };
  const kind = kindNamed(engine.registry, 'testSuite');
  const found = await engine.store.record(kind, { fqn: lookupFqn(kind, asked) }, NO_FIELDS);
  if (!found || found.deleted) throw recordNotFound('testSuite', asked);
  if (found.values['basic'] === true) {
    const objection = badRequest(`[testSuite ${asked} holds the tests of another table]`);
    return { beginning: {}, objection };
  }
  if (found.values['isContracts'] === true) {
    const objection = badRequest(`[testSuite ${asked} holds what its data contract expects]`);
    return { beginning: {}, objection };
  }
  return { beginning: { chosen: refOf(found) } };
};

const refuseDimensions = ({ table }: Target, names: readonly string[]): CatalogError | undefined => {
  const stranger = names.find((name) => !findColumn(table, name));
  return stranger === undefined ? undefined : badRequest(`[dimensionColumns names ${stranger}, which is no column]`);
};

/** A test as it is asked for, with all that follows from what it tests. What is not there is told at once, the rest later. */
const complete = async (engine: Engine, candidate: Candidate): Promise<Candidate> => {
  const { entityLink, parameterValues = [], dimensionColumns = [] } = candidate.values;
  const text = String(entityLink);
  const target = await findTarget(engine, text);
  const definition = await findDefinition(engine, candidate);
  const chosen = await findChosen(engine, candidate, target);
  const objection = (isNew: boolean): CatalogError | undefined =>
    (isNew && !definition.isEnabled ? badRequest(`Test definition ${definition.name} is disabled`) : undefined) ??
    refuseTarget(definition.target, target, text) ??
    refuseParameters(definition, parameterValues as unknown as readonly GivenParameter[]) ??
    refuseDimensions(target, dimensionColumns as readonly string[]) ??
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
    beginning: chosen.beginning,
    objection,
  };
};

/** Joins tests to what they test. The table is held first, so that none of its columns goes meanwhile. */
const targetStep = (record: Snapshot): Step => {
  const { entityFQN, columnName } = record.values;
  const table = record.ancestors.find(({ entityType }) => entityType === 'table');
  const row = { id: record.id, tableId: table?.id, columnFqn: columnName === undefined ? null : entityFQN };
  return step(linkTargets, ORDER.link, [row], () => columnNotFound(String(entityFQN)));
};

/** A new test belongs to the suite of its table, and to the one that was chosen. */
const begin: Steward['begin'] = (_engine, _writer, record, { beginning = {} }) => {
  const { chosen } = beginning as Beginning;
  const suites = [...(record.related['testSuite'] ?? []), ...(chosen ? [chosen] : [])];
  const links = suites.map(({ id, fullyQualifiedName }) =>
    step(
      linkEdges.for('HAS_TEST'),
      ORDER.label,
      [{ from: id, to: record.id, properties: {} }],
      gone('testSuite', fullyQualifiedName),
    ),
  );
  const mark = step(markSuites, ORDER.tell, [{ testId: record.id }]);
  return { keys: [], steps: [targetStep(record), ...links, mark], related: { testSuites: suites } };
};

/** A test that is there joins the suite that a request names. */
const joinChosen: Steward['amend'] = async (engine, { principal }, record, { beginning = {} }) => {
  const { chosen } = beginning as Beginning;
  if (!chosen) return undefined;
  const kind = kindNamed(engine.registry, 'testSuite');
  const suite = await engine.store.record(kind, { id: chosen.id }, new Set([...writeFields(kind), 'tests']));
  if (!suite || suite.related['tests']?.some(({ id }) => id === record.id)) return undefined;
  return planMembers(engine, principal, suite, [record.id]);
};

/** What tests are when they are written, beside what every record is. */
export const testCaseSteward: Steward = {
  complete,
  begin,
  amend: joinChosen,
  resume: (record) => [targetStep(record)],
};
