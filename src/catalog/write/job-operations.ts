/** The job operations of the catalog: what each kind of job runs. */
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

/** The kind of the records that a job changes. */
const jobKind = (engine: Engine, { job }: JobWork): Kind => requireKind(engine.registry, job.entityType);

/** Reloads the principal who requested a job, with current rights. Throws forbidden when the user no longer exists. */
export type ReloadPrincipal = (actor: Principal) => Promise<Principal>;

/** The dependencies of the operations. */
type OperationContext = { readonly engine: Engine; readonly renew: ReloadPrincipal };

const createJobWriter = async ({ engine, renew }: OperationContext, work: JobWork): Promise<Writer> => ({
  kind: jobKind(engine, work),
  principal: await renew(work.job.actor),
});

const isMissing = (failure: unknown): boolean => failure instanceof CatalogError && failure.code === 'not_found';

/**
 * Runs a job from the start, or continues the cascade that an earlier run or a request has begun. A record that is
 * already in its target state is no error: an earlier run or another request was faster.
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

/** A rename is always started by a request; the job only continues it. */
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

/** Reloads the access rules before a job runs, because no request may have reloaded them recently. */
const withCurrentRights = ({ authorizer }: Engine, operation: JobOperation): JobOperation => ({
  ...operation,
  run: async (work) => {
    await authorizer.ensureFresh();
    return operation.run(work);
  },
});

/** The operations that run after the answer. Each can run again on what an earlier run left. */
export const catalogOperations = (engine: Engine, renew: ReloadPrincipal): JobOperations =>
  Object.fromEntries(
    Object.entries(buildOperations({ engine, renew })).map(([name, one]) => [name, withCurrentRights(engine, one)]),
  );
