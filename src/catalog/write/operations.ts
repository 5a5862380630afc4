import { CatalogError } from '../../errors.ts';
import type { Operation, Operations, Outcome, Work } from '../../jobs/work.ts';
import type { Kind } from '../../model/kind.ts';
import { continueCascade } from '../below/cascade.ts';
import { CASCADES } from '../below/cascades.ts';
import { removeRecord, restoreRecord } from '../below/remove.ts';
import type { Engine, Writer } from '../engine.ts';
import { kindNamed } from '../registry.ts';
import { runBulk } from './bulk-job.ts';

/** The kind of record a job is about. */
const kindOf = (engine: Engine, { job }: Work): Kind => kindNamed(engine.registry, job.entityType);

const writerOf = (engine: Engine, work: Work): Writer => ({ kind: kindOf(engine, work), principal: work.job.actor });

const isMissing = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'not_found';

/**
 * Does what a job was accepted for, unless a former run or a request has begun it: then only the rest is carried on. The
 * record being what it was to become already is no failure: a former run, or somebody else, was faster.
 */
const runOnce = async (engine: Engine, work: Work, begin: () => Promise<unknown>): Promise<void> => {
  if (work.job.committed || work.isResumed) {
    if ((await continueCascade(engine, work, CASCADES)) || work.job.committed) return;
  }
  work.check();
  try {
    await begin();
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
  await continueCascade(engine, work, CASCADES);
};

const runDelete = async (engine: Engine, work: Work): Promise<Outcome> => {
  const { id, hardDelete, recursive } = work.job.input;
  const removal = { hardDelete: hardDelete === true, recursive: recursive === true };
  await runOnce(engine, work, () => removeRecord(engine, writerOf(engine, work), { id: String(id) }, removal, work));
  return { message: 'Deleted' };
};

const runRestore = async (engine: Engine, work: Work): Promise<Outcome> => {
  const { id } = work.job.input;
  await runOnce(engine, work, () => restoreRecord(engine, writerOf(engine, work), String(id), work));
  return { message: 'Restored' };
};

/** A renaming is begun by a request only; a job carries it on. */
const runRename = async (engine: Engine, work: Work): Promise<Outcome> => {
  await continueCascade(engine, work, CASCADES);
  return { message: 'Renamed' };
};

const operations = (engine: Engine): Operations => ({
  BULK: { restart: 'resume', run: (work) => runBulk(engine, writerOf(engine, work), work) },
  DELETE: { restart: 'resume', run: (work) => runDelete(engine, work) },
  RENAME: { restart: 'resume', run: (work) => runRename(engine, work) },
  RESTORE: { restart: 'resume', run: (work) => runRestore(engine, work) },
});

/** No job decides from rights that were read before it began: nobody may have asked for anything in between. */
const settled = ({ judge }: Engine, operation: Operation): Operation => ({
  ...operation,
  run: async (work) => {
    await judge.settle();
    return operation.run(work);
  },
});

/** What the catalog does after it has answered. Each can be run again on what a former run left behind. */
export const catalogOperations = (engine: Engine): Operations =>
  Object.fromEntries(Object.entries(operations(engine)).map(([name, one]) => [name, settled(engine, one)]));
