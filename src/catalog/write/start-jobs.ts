import type { Answer } from '../../http/route.ts';
import type { Json } from '../../model/json.ts';
import { checkDeletion, checkRestoration, type DeletionRequest } from '../cascade/delete-and-restore.ts';
import type { Engine, Writer } from '../engine.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { type BulkResult, bulkCounts, parseBulkRows } from './bulk.ts';
import { submitBulk } from './bulk-job.ts';

/**
 * Operations that answer before they are done. Errors that can be found early are reported before the answer; the job
 * then acts as the caller, and may find another state than the one checked here.
 */

const JOB_HEADER = 'X-Job-Id';

const acceptedAnswer = (jobId: string, json: Json): Answer => ({ status: 202, headers: { [JOB_HEADER]: jobId }, json });

/** PUT bulk as a job: the answer has the form of the result, still empty. */
export const startBulk = async (
  engine: Engine,
  writer: Writer,
  body: unknown,
  overrideMetadata: boolean,
): Promise<Answer> => {
  const rows = parseBulkRows(engine, body);
  const { jobId } = await submitBulk(engine, writer, { rows, overrideMetadata });
  const running: BulkResult = { ...bulkCounts(0, 0, false), status: 'running', successRequest: [], failedRequest: [] };
  return acceptedAnswer(jobId, running);
};

/** DELETE of one record. */
export const startDeletion = async (
  engine: Engine,
  writer: Writer,
  address: { readonly id: string },
  removal: DeletionRequest,
): Promise<Answer> => {
  const record = await checkDeletion(engine, writer, address, removal);
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
  return acceptedAnswer(jobId, { jobId, message, entityName: record.name, hardDelete, recursive });
};

/** PUT restore of one record. */
export const startRestore = async (
  engine: Engine,
  writer: Writer,
  id: string,
  precondition: (record: Snapshot) => void,
): Promise<Answer> => {
  const record = await checkRestoration(engine, writer, id, precondition);
  const { jobId } = await engine.jobs.submit({
    operation: 'RESTORE',
    entityType: writer.kind.entityType,
    targetFqn: record.fullyQualifiedName,
    actor: writer.principal,
    recursive: true,
    input: { id },
  });
  return acceptedAnswer(jobId, { jobId, message: `Restore operation initiated for ${record.name}` });
};
