import {
  type CascadeRow,
  countOwnSeriesRows,
  deleteSeriesRows,
  listDeletedDescendants,
  listLeafDescendants,
  listLiveDescendants,
} from '../cascade-queries.ts';
import type { Engine } from '../engine.ts';
import { planDeletion } from '../plan/lifecycle.ts';
import { createStep, STEP_ORDER, staleStateError } from '../plan/step.ts';
import { deleteRecords } from '../queries.ts';
import { type CascadeIntent, type Cascades, readAllRecords } from './cascade.ts';
import { buildDeletionEvent, descendantLifecycleSteps, planRemovalSteps } from './lifecycle.ts';
import { RENAME, renameCascade } from './rename.ts';

/** The family of changes that decide whether records live. */
export const LIFECYCLE = 'life';

export const SOFT_DELETE = 'hide';
export const RESTORE = 'restore';
export const HARD_DELETE = 'destroy';

/** Whether more was told of a record than one transaction removes: then it goes bit by bit, and the record after it. */
const needsSeriesDeletion = ({ limits }: Engine, { parts = 0 }: CascadeRow): boolean => parts > limits.batchSeriesRows;

const findOverloadedRoot = async (
  engine: Engine,
  { rootId: id, rootType: entityType }: CascadeIntent,
): Promise<CascadeRow[]> => {
  const [found] = await engine.graph.read(countOwnSeriesRows, { id });
  const root = { id, entityType, parts: found?.parts ?? 0 };
  return needsSeriesDeletion(engine, root) ? [root] : [];
};

/** The far-reaching changes of the catalog. */
export const CASCADES: Cascades = {
  [RENAME]: renameCascade,
  [SOFT_DELETE]: {
    listRemaining: (engine, intent, limit) => engine.graph.read(listLiveDescendants, { id: intent.rootId, limit }),
    planRecord: (engine, { writer, rootId }, record) => descendantLifecycleSteps(engine, writer, rootId, record, true),
  },
  [RESTORE]: {
    listRemaining: (engine, intent, limit) => engine.graph.read(listDeletedDescendants, { id: intent.rootId, limit }),
    planRecord: (engine, { writer, rootId }, record) => descendantLifecycleSteps(engine, writer, rootId, record, false),
  },
  [HARD_DELETE]: {
    listRemaining: async (engine, intent, limit) => {
      // Leaves first: a record can only be removed when nothing hangs below it.
      const leaves = await engine.graph.read(listLeafDescendants, { id: intent.rootId, limit });
      return leaves.length > 0 ? leaves : findOverloadedRoot(engine, intent);
    },
    planRows: async (engine, intent, rows) => {
      const { batchSeriesRows: limit } = engine.limits;
      const laden = rows.filter((row) => needsSeriesDeletion(engine, row)).map(({ id }) => ({ id, limit }));
      const records = await readAllRecords(
        engine,
        rows.filter((row) => !needsSeriesDeletion(engine, row)),
      );
      const { keys, steps } = await planRemovalSteps(engine, intent.writer, records);
      const removals = records.flatMap((record) =>
        planDeletion(record, buildDeletionEvent(engine, intent.writer, record, true)),
      );
      return { keys, steps: [createStep(deleteSeriesRows, STEP_ORDER.unlink, laden), ...removals, ...steps], records };
    },
    planFinish: (_engine, intent) =>
      Promise.resolve([createStep(deleteRecords, STEP_ORDER.lock, [{ id: intent.rootId }], staleStateError)]),
  },
};
