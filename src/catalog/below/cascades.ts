import type { Engine } from '../engine.ts';
import { planDelete } from '../plan/life.ts';
import { ORDER, stale, step } from '../plan/step.ts';
import {
  type CascadeRow,
  countOwnParts,
  deleteParts,
  deleteRecords,
  listFallen,
  listLeaves,
  listLiving,
} from '../queries.ts';
import { type Cascades, type Intent, readAll } from './cascade.ts';
import { farewell, partings, turnBelow } from './life.ts';
import { RENAME, renameCascade } from './rename.ts';

/** The family of changes that decide whether records live. */
export const LIFE = 'life';

export const HIDE = 'hide';
export const RESTORE = 'restore';
export const DESTROY = 'destroy';

/** Whether more was told of a record than one transaction removes: then it goes bit by bit, and the record after it. */
const isLaden = ({ limits }: Engine, { parts = 0 }: CascadeRow): boolean => parts > limits.batchParts;

const ladenRoot = async (engine: Engine, { rootId: id, rootType: entityType }: Intent): Promise<CascadeRow[]> => {
  const [found] = await engine.graph.read(countOwnParts, { id });
  const root = { id, entityType, parts: found?.parts ?? 0 };
  return isLaden(engine, root) ? [root] : [];
};

/** The far-reaching changes of the catalog. */
export const CASCADES: Cascades = {
  [RENAME]: renameCascade,
  [HIDE]: {
    remaining: (engine, intent, limit) => engine.graph.read(listLiving, { id: intent.rootId, limit }),
    treat: (engine, { writer, rootId }, record) => turnBelow(engine, writer, rootId, record, true),
  },
  [RESTORE]: {
    remaining: (engine, intent, limit) => engine.graph.read(listFallen, { id: intent.rootId, limit }),
    treat: (engine, { writer, rootId }, record) => turnBelow(engine, writer, rootId, record, false),
  },
  [DESTROY]: {
    remaining: async (engine, intent, limit) => {
      // Leaves first: a record can only be removed when nothing hangs below it.
      const leaves = await engine.graph.read(listLeaves, { id: intent.rootId, limit });
      return leaves.length > 0 ? leaves : ladenRoot(engine, intent);
    },
    treatRows: async (engine, intent, rows) => {
      const { batchParts: limit } = engine.limits;
      const laden = rows.filter((row) => isLaden(engine, row)).map(({ id }) => ({ id, limit }));
      const records = await readAll(
        engine,
        rows.filter((row) => !isLaden(engine, row)),
      );
      const { keys, steps } = await partings(engine, intent.writer, records);
      const removals = records.flatMap((record) => planDelete(record, farewell(engine, intent.writer, record, true)));
      return { keys, steps: [step(deleteParts, ORDER.unlink, laden), ...removals, ...steps], records };
    },
    last: (_engine, intent) => Promise.resolve([step(deleteRecords, ORDER.lock, [{ id: intent.rootId }], stale)]),
  },
};
