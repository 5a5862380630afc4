import type { Principal } from '../../access/principal.ts';
import { CatalogError } from '../../errors.ts';
import type { JobOperation, JobOperations, JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { resumeCascade } from '../cascade/cascade.ts';
import { CASCADES } from '../cascade/cascade-table.ts';
import { deleteRecord, restoreRecord } from '../cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../engine.ts';
import { requireKind } from '../registry.ts';
import { runBulk } from './bulk-job.ts';

/** The kind of record a job is about. */
const jobKind = (engine: Engine, { job }: JobWork): Kind => requireKind(engine.registry, job.entityType);

/** Whoever asked for a job, with the rights of now. Throws forbidden when there is no such user any more. */
export type ReloadPrincipal = (actor: Principal) => Promise<Principal>;

/** What the operations work with. */
type OperationContext = { readonly engine: Engine; readonly renew: ReloadPrincipal };

const createJobWriter = async ({ engine, renew }: OperationContext, work: JobWork): Promise<Writer> => ({
  kind: jobKind(engine, work),
  principal: await renew(work.job.actor),
});

const isMissing = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'not_found';

/**
 * Does what a job was accepted for, unless a former run or a request has begun it: then only the rest is carried on. The
 * record being what it was to become already is no failure: a former run, or somebody else, was faster.
 */
const runOrResume = async (engine: Engine, work: JobWork, begin: () => Promise<unknown>): Promise<void> => {
  if (work.job.committed || work.isResumed) {
    if ((await resumeCascade(engine, work, CASCADES)) || work.job.committed) return;
  }
  work.check();
  try {
    await begin();
  } catch (failure) {
    if (!isMissing(failure)) throw failure;
  }
  await resumeCascade(engine, work, CASCADES);
};

const runDelete = async (context: OperationContext, work: JobWork): Promise<OperationOutcome> => {
  const { engine } = context;
  const { id, hardDelete, recursive } = work.job.input;
  const removal = { hardDelete: hardDelete === true, recursive: recursive === true };
  await runOrResume(engine, work, async () =>
    deleteRecord(engine, await createJobWriter(context, work), { id: String(id) }, removal, work),
  );
  return { message: 'Deleted' };
};

const runRestore = async (context: OperationContext, work: JobWork): Promise<OperationOutcome> => {
  const { engine } = context;
  const { id } = work.job.input;
  await runOrResume(engine, work, async () =>
    restoreRecord(engine, await createJobWriter(context, work), String(id), { work }),
  );
  return { message: 'Restored' };
};

/** A renaming is begun by a request only; a job carries it on. */
const runRename = async (engine: Engine, work: JobWork): Promise<OperationOutcome> => {
  await resumeCascade(engine, work, CASCADES);
  return { message: 'Renamed' };
};

const buildOperations = (context: OperationContext): JobOperations => ({
  BULK: { restart: 'resume', run: (work) => runBulk(context.engine, () => createJobWriter(context, work), work) },
  DELETE: { restart: 'resume', run: (work) => runDelete(context, work) },
  RENAME: { restart: 'resume', run: (work) => runRename(context.engine, work) },
  RESTORE: { restart: 'resume', run: (work) => runRestore(context, work) },
});

/** No job decides from rights that were read before it began: nobody may have asked for anything in between. */
const withCurrentRights = ({ authorizer }: Engine, operation: JobOperation): JobOperation => ({
  ...operation,
  run: async (work) => {
    await authorizer.ensureFresh();
    return operation.run(work);
  },
});

/** What the catalog does after it has answered. Each can be run again on what a former run left behind. */
export const catalogOperations = (engine: Engine, renew: ReloadPrincipal): JobOperations =>
  Object.fromEntries(
    Object.entries(buildOperations({ engine, renew })).map(([name, one]) => [name, withCurrentRights(engine, one)]),
  );
