/**
 * Defines the cascades: how a soft deletion, a restoration, a hard deletion and a rename reach the descendants of a
 * record.
 */
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
import { planRecount } from '../plan/supplies.ts';
import { deleteRecords } from '../queries.ts';
import { type CascadeIntent, type Cascades, readAllRecords } from './cascade.ts';
import { buildDeletionEvent, descendantLifecycleSteps, planRemovalSteps } from './lifecycle.ts';
import { RENAME, renameCascade } from './rename.ts';

/** The family of the cascades that delete and restore; a later one supersedes an earlier one on the same root. */
export const LIFECYCLE = 'life';

export const SOFT_DELETE = 'hide';
export const RESTORE = 'restore';
export const HARD_DELETE = 'destroy';

/**
 * Whether a record has more results and measurements than one transaction removes. Then they are removed in batches,
 * and the record after them.
 */
const needsSeriesDeletion = ({ limits }: Engine, { parts = 0 }: CascadeRow): boolean => parts > limits.batchSeriesRows;

const findOverloadedRoot = async (
  engine: Engine,
  { rootId: id, rootType: entityType }: CascadeIntent,
): Promise<CascadeRow[]> => {
  const [found] = await engine.graph.read(countOwnSeriesRows, { id });
  const root = { id, entityType, parts: found?.parts ?? 0 };
  return needsSeriesDeletion(engine, root) ? [root] : [];
};

/** All cascades, by the name that an intent stores. */
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
      // Leaves come first: a record can only be removed when it has no descendants.
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
      Promise.resolve([
        ...planRecount([intent.rootId]),
        createStep(deleteRecords, STEP_ORDER.lock, [{ id: intent.rootId }], staleStateError),
      ]),
  },
};
