import { randomUUID } from 'node:crypto';
import { buildDeletionEvent } from '../catalog/cascade/lifecycle.ts';
import type { CreationWrite, Engine, KindHooks, Writer } from '../catalog/engine.ts';
import { planDeletion } from '../catalog/plan/lifecycle.ts';
import { planUnversionedWrite } from '../catalog/plan/record.ts';
import { createStep, notFoundFactory, STEP_ORDER, staleStateError } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { linkEdges, markDocumentsStale, markRecordsChanged, unlinkEdges, upsertEdges } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { planCreationAt } from '../catalog/write/create.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import type { WriteRequest, WriteStep } from '../graph/group-commit.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind/kind.ts';
import { fqnPart } from '../model/name.ts';
import { listContractsLosingTests, updateLatestContractResults } from './queries.ts';

/**
 * The test suite of a contract: it holds exactly the tests that the contract expects to pass and is named after the
 * contract's ID. It is created with the first expected test and removed with the last.
 */

const CONTRACT = 'dataContract';
const MEMBER = 'testSuite';
const EXPECTED = 'qualityExpectations';

const expectedTestIds = (contract: Snapshot | undefined): readonly string[] =>
  (contract?.related[EXPECTED] ?? []).map(({ id }) => id);

/** Marks the search documents of tests stale, because these list the suites of a test. */
const markTestsStale = (ids: readonly string[]): WriteStep =>
  createStep(
    markDocumentsStale,
    STEP_ORDER.publish,
    [...ids].sort().map((entityId) => ({ entityId })),
  );

/**
 * Suite names are global, so another suite may already have the contract's ID as its name. A random suffix then keeps
 * the contract able to expect tests.
 */
const findFreeName = async (engine: Engine, kind: Kind, { id }: Snapshot): Promise<string> =>
  (await engine.store.reference(kind, fqnPart(id))) ? `${id} ${randomUUID()}` : id;

const createSuite = async (
  engine: Engine,
  writer: Writer,
  contract: Snapshot,
  ids: readonly string[],
): Promise<CreationWrite> => {
  const kind = requireKind(engine.registry, MEMBER);
  const name = await findFreeName(engine, kind, contract);
  const { record: suite, plan } = await planCreationAt(
    engine,
    { principal: writer.principal, kind },
    {
      name,
      values: { displayName: `Data Contract - ${contract.name}`, basic: false, executable: false, isContracts: true },
      parents: {},
    },
    {
      placements: [{ edge: 'PARENT_OF', parent: toRefNode(contract) }],
      fqn: fqnPart(name),
      ancestors: [],
      owners: [],
      domains: [],
    },
  );
  const links = ids.map((id) =>
    createStep(
      linkEdges,
      STEP_ORDER.label,
      [{ type: 'HAS_TEST', from: suite.id, to: id, properties: {} }],
      notFoundFactory('testCase', id),
    ),
  );
  return {
    keys: plan.keys,
    steps: [...plan.steps, ...links, markTestsStale(ids)],
    related: { [MEMBER]: [toRefNode(suite)] },
  };
};

const removeSuite = (engine: Engine, writer: Writer, suite: Snapshot, ids: readonly string[]): CreationWrite => ({
  keys: [suite.id],
  steps: [...planDeletion(suite, buildDeletionEvent(engine, writer, suite, false), 1), markTestsStale(ids)],
  related: { [MEMBER]: [] },
});

type MembershipChange = { readonly added: readonly string[]; readonly removed: readonly string[] };

const planMembership = (
  engine: Engine,
  { principal }: Writer,
  suite: Snapshot,
  { added, removed }: MembershipChange,
): WriteRequest => {
  const toFieldChanges = (ids: readonly string[], member: 'newValue' | 'oldValue') =>
    ids.length > 0 ? ([{ name: 'tests', [member]: JSON.stringify(ids) }] as Json) : [];
  const event = buildUnversionedEvent(engine, principal, suite, {
    fieldsAdded: toFieldChanges(added, 'newValue'),
    fieldsDeleted: toFieldChanges(removed, 'oldValue'),
  });
  const edges = (ids: readonly string[]) => ids.map((to) => ({ from: suite.id, to }));
  const links = edges(added).map((edge) =>
    createStep(
      upsertEdges.for('HAS_TEST'),
      STEP_ORDER.link,
      [{ ...edge, properties: {} }],
      notFoundFactory('testCase', edge.to),
    ),
  );
  const unlinks = edges(removed).map((edge) => createStep(unlinkEdges.for('HAS_TEST'), STEP_ORDER.unlink, [edge]));
  return planUnversionedWrite(suite, [...unlinks, ...links, markTestsStale([...added, ...removed])], event);
};

const findSuite = async (engine: Engine, contract: Snapshot): Promise<Snapshot | undefined> => {
  const [ref] = contract.related[MEMBER] ?? [];
  const kind = requireKind(engine.registry, MEMBER);
  return ref && engine.store.record(kind, { id: ref.id }, writeFields(kind));
};

/** Plans how the suite changes when its contract is created or updated. */
export const planContractSuite = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot | undefined,
  after: Snapshot,
): Promise<CreationWrite | undefined> => {
  const [former, expected] = [expectedTestIds(before), expectedTestIds(after)];
  const added = expected.filter((id) => !former.includes(id));
  const removed = former.filter((id) => !expected.includes(id));
  // The last test may have been hard-deleted, which does not update the contract.
  const isSuiteOrphaned = expected.length === 0 && (before?.related[MEMBER] ?? []).length > 0;
  if (added.length === 0 && removed.length === 0 && !isSuiteOrphaned) return undefined;
  const suite = before && (await findSuite(engine, before));
  if (!suite) return expected.length > 0 ? createSuite(engine, writer, after, expected) : undefined;
  if (expected.length === 0) return removeSuite(engine, writer, suite, removed);
  return { ...planMembership(engine, writer, suite, { added, removed }), related: {} };
};

/**
 * Plans what hard-deleted tests leave to do for the contracts that expected them: their search documents no longer name
 * the tests, and suites without any test are removed.
 */
export const planOrphanedSuites: NonNullable<KindHooks['onHardDelete']> = async (engine, writer, tests, going) => {
  const rows = await engine.graph.read(listContractsLosingTests, { ids: tests.map(({ id }) => id) });
  const kind = requireKind(engine.registry, MEMBER);
  const orphaned = rows.flatMap(({ suiteId, ...row }) =>
    suiteId === null || going.has(suiteId) ? [] : [{ ...row, suiteId }],
  );
  const suites = await engine.store.records(
    kind,
    orphaned.map(({ suiteId }) => suiteId),
    writeFields(kind),
  );
  // A contract that expects another test in the meantime keeps its suite: the revision check conflicts.
  const holds = orphaned.map(({ id, revision }) => ({ id, seenRevision: encodeProperty(revision), changes: {} }));
  return {
    keys: [...rows.map(({ id }) => id), ...suites.map(({ id }) => id)],
    steps: [
      createStep(updateLatestContractResults, STEP_ORDER.lock, holds, staleStateError),
      createStep(
        markRecordsChanged,
        STEP_ORDER.publish,
        rows.filter(({ id }) => !going.has(id)).map(({ id }) => ({ entityId: id, entityType: CONTRACT })),
      ),
      ...suites.flatMap((suite) => planDeletion(suite, buildDeletionEvent(engine, writer, suite, true), 1)),
    ],
  };
};
