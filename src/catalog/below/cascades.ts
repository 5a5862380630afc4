import { planDelete } from '../plan/life.ts';
import { ORDER, stale, step } from '../plan/step.ts';
import { deleteRecords, listFallen, listLeaves, listLiving } from '../queries.ts';
import { type Cascades, readAll } from './cascade.ts';
import { farewell, partings, turnBelow } from './life.ts';
import { RENAME, renameCascade } from './rename.ts';

/** The family of changes that decide whether records live. */
export const LIFE = 'life';

export const HIDE = 'hide';
export const RESTORE = 'restore';
export const DESTROY = 'destroy';

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
    // Leaves first: a record can only be removed when nothing hangs below it.
    remaining: (engine, intent, limit) => engine.graph.read(listLeaves, { id: intent.rootId, limit }),
    treatRows: async (engine, intent, rows) => {
      const records = await readAll(engine, rows);
      const { keys, steps } = await partings(engine, records);
      const removals = records.flatMap((record) => planDelete(record, farewell(engine, intent.writer, record, true)));
      return { keys, steps: [...removals, ...steps], records };
    },
    last: (_engine, intent) => Promise.resolve([step(deleteRecords, ORDER.lock, [{ id: intent.rootId }], stale)]),
  },
};
