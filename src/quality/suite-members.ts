import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { planUnversionedWrite } from '../catalog/plan/record.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { buildUnversionedEvent } from '../catalog/plan/unversioned-event.ts';
import { markDocumentsStale, unlinkEdges, upsertEdges } from '../catalog/queries.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { WriteRequest, WriteStep } from '../graph/group-commit.ts';
import type { Json } from '../model/json.ts';

/** Adds tests to logical suites and removes them. */

/** Marks the search documents of tests stale, because these list the suites of a test. */
const markTestsStale = (ids: readonly string[]): WriteStep =>
  createStep(
    markDocumentsStale,
    STEP_ORDER.publish,
    [...ids].sort().map((entityId) => ({ entityId })),
  );

/** Plans adding tests to a suite. Tests that already belong to it are left unchanged. */
export const planAddTests = (
  engine: Engine,
  principal: Principal,
  suite: Snapshot,
  ids: readonly string[],
): WriteRequest => {
  const rows = ids.map((id) => ({ from: suite.id, to: id, properties: {} }));
  const change = { fieldsAdded: [{ name: 'tests', newValue: JSON.stringify(ids) }] as Json };
  const event = buildUnversionedEvent(engine, principal, suite, change);
  const links = createStep(
    upsertEdges.for('HAS_TEST'),
    STEP_ORDER.link,
    rows,
    notFoundFactory('testCase', ids.join(', ')),
  );
  return planUnversionedWrite(suite, [links, markTestsStale(ids)], event);
};

/** Plans the removal of a test from a suite. */
export const planRemoveTest = (engine: Engine, principal: Principal, suite: Snapshot, id: string): WriteRequest => {
  const change = { fieldsDeleted: [{ name: 'tests', oldValue: JSON.stringify([id]) }] as Json };
  const event = buildUnversionedEvent(engine, principal, suite, change);
  const unlink = createStep(unlinkEdges.for('HAS_TEST'), STEP_ORDER.unlink, [{ from: suite.id, to: id }]);
  return planUnversionedWrite(suite, [unlink, markTestsStale([id])], event);
};
