import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { eventBeside } from '../catalog/plan/beside.ts';
import { planWithin } from '../catalog/plan/record.ts';
import { gone, ORDER, step } from '../catalog/plan/step.ts';
import { markStale, mergeEdges, unlinkEdges } from '../catalog/queries.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Step, Write } from '../graph/commit.ts';
import type { Json } from '../model/json.ts';

/** Which tests belong to a suite that somebody has chosen. */

/** The documents of tests tell of their suites. */
const markSteps = (ids: readonly string[]): Step =>
  step(
    markStale,
    ORDER.tell,
    [...ids].sort().map((entityId) => ({ entityId })),
  );

/** Adds tests to a suite; those that belong to it already stay as they are. */
export const planMembers = (engine: Engine, principal: Principal, suite: Snapshot, ids: readonly string[]): Write => {
  const rows = ids.map((id) => ({ from: suite.id, to: id, properties: {} }));
  const told = { fieldsAdded: [{ name: 'tests', newValue: JSON.stringify(ids) }] as Json };
  const event = eventBeside(engine, principal, suite, told);
  const links = step(mergeEdges.for('HAS_TEST'), ORDER.link, rows, gone('testCase', ids.join(', ')));
  return planWithin(suite, [links, markSteps(ids)], event);
};

/** Takes a test out of a suite. */
export const planLeaving = (engine: Engine, principal: Principal, suite: Snapshot, id: string): Write => {
  const told = { fieldsDeleted: [{ name: 'tests', oldValue: JSON.stringify([id]) }] as Json };
  const event = eventBeside(engine, principal, suite, told);
  const unlink = step(unlinkEdges.for('HAS_TEST'), ORDER.unlink, [{ from: suite.id, to: id }]);
  return planWithin(suite, [unlink, markSteps([id])], event);
};
