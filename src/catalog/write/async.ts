import type { Answer } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { checkRemoval, checkRestoreBelow, type Removal } from '../below/remove.ts';
import type { Engine, Writer } from '../engine.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type BulkResult, bulkCounts, rowsIn } from './bulk.ts';
import { submitBulk } from './bulk-job.ts';

/**
 * Operations that answer before they are done. What can be refused is refused before the answer; the job then acts as the
 * caller, and what it finds may be another state than the one that was looked at here.
 */

const JOB_HEADER = 'X-Job-Id';

const started = (jobId: string, json: Json): Answer => ({ status: 202, headers: { [JOB_HEADER]: jobId }, json });

/** PUT bulk: the answer has the form of the result, with nothing in it yet. */
export const beginBulk = async (
  engine: Engine,
  writer: Writer,
  body: unknown,
  overrideMetadata: boolean,
): Promise<Answer> => {
  const rows = rowsIn(engine, body);
  const { jobId } = await submitBulk(engine, writer, { rows, overrideMetadata });
  const running: BulkResult = { ...bulkCounts(0, 0, false), status: 'running', successRequest: [], failedRequest: [] };
  return started(jobId, running);
};

/** DELETE of one record. */
export const beginRemoval = async (
  engine: Engine,
  writer: Writer,
  address: { readonly id: string },
  removal: Removal,
): Promise<Answer> => {
  const record = await checkRemoval(engine, writer, address, removal);
  const { hardDelete, recursive } = removal;
  const { jobId } = await engine.jobs.submit({
    operation: 'DELETE',
    entityType: writer.kind.entityType,
    targetFqn: record.fullyQualifiedName,
    actor: writer.principal,
    recursive,
    input: { id: record.id, hardDelete, recursive },
  });
  const message = `Delete operation initiated for ${record.name}`;
  return started(jobId, { jobId, message, entityName: record.name, hardDelete, recursive });
};

/** PUT restore of one record. */
export const beginRestore = async (
  engine: Engine,
  writer: Writer,
  id: string,
  precondition: (record: Snapshot) => void,
): Promise<Answer> => {
  const record = await checkRestoreBelow(engine, writer, id, precondition);
  const { jobId } = await engine.jobs.submit({
    operation: 'RESTORE',
    entityType: writer.kind.entityType,
    targetFqn: record.fullyQualifiedName,
    actor: writer.principal,
    recursive: true,
    input: { id },
  });
  return started(jobId, { jobId, message: `Restore operation initiated for ${record.name}` });
};
