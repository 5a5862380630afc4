import type { Principal } from '../../access/principal.ts';
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

/** Whoever asked for a job, with the rights of now. Throws forbidden when there is no such user any more. */
export type Renew = (actor: Principal) => Promise<Principal>;

/** What the operations work with. */
type Shop = { readonly engine: Engine; readonly renew: Renew };

const writerOf = async ({ engine, renew }: Shop, work: Work): Promise<Writer> => ({
  kind: kindOf(engine, work),
  principal: await renew(work.job.actor),
});

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

const runDelete = async (shop: Shop, work: Work): Promise<Outcome> => {
  const { engine } = shop;
  const { id, hardDelete, recursive } = work.job.input;
  const removal = { hardDelete: hardDelete === true, recursive: recursive === true };
  await runOnce(engine, work, async () =>
    removeRecord(engine, await writerOf(shop, work), { id: String(id) }, removal, work),
  );
  return { message: 'Deleted' };
};

const runRestore = async (shop: Shop, work: Work): Promise<Outcome> => {
  const { engine } = shop;
  const { id } = work.job.input;
  await runOnce(engine, work, async () => restoreRecord(engine, await writerOf(shop, work), String(id), { work }));
  return { message: 'Restored' };
};

/** A renaming is begun by a request only; a job carries it on. */
const runRename = async (engine: Engine, work: Work): Promise<Outcome> => {
  await continueCascade(engine, work, CASCADES);
  return { message: 'Renamed' };
};

const operations = (shop: Shop): Operations => ({
  BULK: { restart: 'resume', run: (work) => runBulk(shop.engine, () => writerOf(shop, work), work) },
  DELETE: { restart: 'resume', run: (work) => runDelete(shop, work) },
  RENAME: { restart: 'resume', run: (work) => runRename(shop.engine, work) },
  RESTORE: { restart: 'resume', run: (work) => runRestore(shop, work) },
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
export const catalogOperations = (engine: Engine, renew: Renew): Operations =>
  Object.fromEntries(Object.entries(operations({ engine, renew })).map(([name, one]) => [name, settled(engine, one)]));
