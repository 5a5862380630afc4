import { randomUUID } from 'node:crypto';
import { farewell } from '../catalog/below/life.ts';
import type { Beginning, Engine, Steward, Writer } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { planDelete } from '../catalog/plan/life.ts';
import { planWithin } from '../catalog/plan/record.ts';
import { gone, ORDER, stale, step } from '../catalog/plan/step.ts';
import { linkEdges, markStale, mergeEdges, unlinkEdges } from '../catalog/queries.ts';
import { writeFields } from '../catalog/read/fields.ts';
import { refOf, type Snapshot } from '../catalog/read/snapshot.ts';
import { kindNamed } from '../catalog/registry.ts';
import { foundAt } from '../catalog/write/create.ts';
import type { Step, Write } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import type { Json } from '../model/json.ts';
import type { Kind } from '../model/kind.ts';
import { fqnPart } from '../model/name.ts';
import { listBereft, setLatest } from './queries.ts';

/**
 * The suite of a contract: the tests that it expects to pass, under the name of its id. It comes into being with the first
 * of them, holds exactly these, and goes with the last.
 */

const MEMBER = 'testSuite';
const EXPECTED = 'qualityExpectations';

const expectedBy = (contract: Snapshot | undefined): readonly string[] =>
  (contract?.related[EXPECTED] ?? []).map(({ id }) => id);

/** The documents of tests tell of their suites. */
const markTests = (ids: readonly string[]): Step =>
  step(
    markStale,
    ORDER.tell,
    [...ids].sort().map((entityId) => ({ entityId })),
  );

/**
 * Names of suites are shared by all, so that somebody else's may go by the id of a contract already. Then its own has
 * another one, so that nobody keeps a contract from expecting tests.
 */
const freeName = async (engine: Engine, kind: Kind, { id }: Snapshot): Promise<string> =>
  (await engine.store.reference(kind, fqnPart(id))) ? `${id} ${randomUUID()}` : id;

const found = async (
  engine: Engine,
  writer: Writer,
  contract: Snapshot,
  ids: readonly string[],
): Promise<Beginning> => {
  const kind = kindNamed(engine.registry, MEMBER);
  const name = await freeName(engine, kind, contract);
  const { record: suite, plan } = await foundAt(
    engine,
    { principal: writer.principal, kind },
    {
      name,
      values: { displayName: `Data Contract - ${contract.name}`, basic: false, executable: false, isContracts: true },
      parents: {},
    },
    {
      placements: [{ edge: 'PARENT_OF', parent: refOf(contract) }],
      fqn: fqnPart(name),
      ancestors: [],
      owners: [],
      domains: [],
    },
  );
  const links = ids.map((id) =>
    step(linkEdges.for('HAS_TEST'), ORDER.label, [{ from: suite.id, to: id, properties: {} }], gone('testCase', id)),
  );
  return {
    keys: plan.keys,
    steps: [...plan.steps, ...links, markTests(ids)],
    related: { [MEMBER]: [refOf(suite)] },
  };
};

const remove = (engine: Engine, writer: Writer, suite: Snapshot, ids: readonly string[]): Beginning => ({
  keys: [suite.id],
  steps: [...planDelete(suite, farewell(engine, writer, suite, false), 1), markTests(ids)],
  related: { [MEMBER]: [] },
});

type Membership = { readonly added: readonly string[]; readonly removed: readonly string[] };

const keepEqual = (engine: Engine, { principal }: Writer, suite: Snapshot, { added, removed }: Membership): Write => {
  const told = (ids: readonly string[], member: 'newValue' | 'oldValue') =>
    ids.length > 0 ? ([{ name: 'tests', [member]: JSON.stringify(ids) }] as Json) : [];
  const event = eventBeside(engine, principal, suite, {
    fieldsAdded: told(added, 'newValue'),
    fieldsDeleted: told(removed, 'oldValue'),
  });
  const edges = (ids: readonly string[]) => ids.map((to) => ({ from: suite.id, to }));
  const links = edges(added).map((edge) =>
    step(mergeEdges.for('HAS_TEST'), ORDER.link, [{ ...edge, properties: {} }], gone('testCase', edge.to)),
  );
  const unlinks = edges(removed).map((edge) => step(unlinkEdges.for('HAS_TEST'), ORDER.unlink, [edge]));
  return planWithin(suite, [...unlinks, ...links, markTests([...added, ...removed])], event);
};

const suiteOf = async (engine: Engine, contract: Snapshot): Promise<Snapshot | undefined> => {
  const [ref] = contract.related[MEMBER] ?? [];
  const kind = kindNamed(engine.registry, MEMBER);
  return ref && engine.store.record(kind, { id: ref.id }, writeFields(kind));
};

/** What becomes of the suite of a contract when the contract comes into being or becomes another one. */
export const planSuite = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot | undefined,
  after: Snapshot,
): Promise<Beginning | undefined> => {
  const [former, expected] = [expectedBy(before), expectedBy(after)];
  const added = expected.filter((id) => !former.includes(id));
  const removed = former.filter((id) => !expected.includes(id));
  // The last test may have been removed for good, which no contract hears of.
  const isLeftBehind = expected.length === 0 && (before?.related[MEMBER] ?? []).length > 0;
  if (added.length === 0 && removed.length === 0 && !isLeftBehind) return undefined;
  const suite = before && (await suiteOf(engine, before));
  if (!suite) return expected.length > 0 ? found(engine, writer, after, expected) : undefined;
  if (expected.length === 0) return remove(engine, writer, suite, removed);
  return { ...keepEqual(engine, writer, suite, { added, removed }), related: {} };
};

/** The suites of contracts that expected only tests which are removed for good go with these. */
export const suitesGone: NonNullable<Steward['part']> = async (engine, writer, tests, going) => {
  const rows = await engine.graph.read(listBereft, { ids: tests.map(({ id }) => id) });
  const kind = kindNamed(engine.registry, MEMBER);
  const bereft = rows.filter(({ suiteId }) => !going.has(suiteId));
  const suites = await engine.store.records(
    kind,
    bereft.map(({ suiteId }) => suiteId),
    writeFields(kind),
  );
  // A contract that comes to expect another test meanwhile keeps its suite.
  const holds = bereft.map(({ id, revision }) => ({ id, seenRevision: encodeProperty(revision), changes: {} }));
  return {
    keys: [...bereft.map(({ id }) => id), ...suites.map(({ id }) => id)],
    steps: [
      step(setLatest, ORDER.lock, holds, stale),
      ...suites.flatMap((suite) => planDelete(suite, farewell(engine, writer, suite, true), 1)),
    ],
  };
};
