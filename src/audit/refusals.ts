import type { RequestOrigin } from '../access/principal.ts';
import { CatalogError } from '../errors.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { RequestSummary } from '../http/router.ts';
import type { JobOperations, JobWork, OperationOutcome } from '../jobs/job-operation.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../model/json.ts';
import type { AuditLog } from './log.ts';

/** Records what was refused because of missing permissions: whole requests, rows of bulk requests, and jobs. */

const FORBIDDEN = 403;

type Refusal = {
  readonly actor: string;
  readonly target: string | undefined;
  readonly origin?: Partial<RequestOrigin>;
  readonly details: JsonObject;
};

const note = (audit: AuditLog, { actor, target, origin, details }: Refusal): void =>
  audit.note({ actor, action: 'refused', target, outcome: 'refused', ...origin, details });

/** Records a refused request. */
export const noteRefusal = (
  audit: AuditLog,
  { status, user, method, route, address, requestId }: RequestSummary,
): void => {
  if (status !== FORBIDDEN) return;
  const details = { operation: `${method} ${route}` };
  note(audit, { actor: user ?? 'unknown', target: route, origin: { address, requestId }, details });
};

/** The number of refused rows in a bulk response. */
const countRefusedRows = ({ json, audited }: Answer): number => {
  if (audited?.refusedRows !== undefined) return audited.refusedRows;
  const failed = json !== undefined && isObject(json as Json) ? member(json as JsonObject, 'failedRequest') : undefined;
  if (failed === undefined || !isArray(failed)) return 0;
  return failed.filter((row) => isObject(row) && row['status'] === FORBIDDEN).length;
};

/** Wraps a handler so that it records refused rows in one entry that counts them. */
export const notingRefusedRows =
  (audit: AuditLog, { method, path, handle }: Route): Route['handle'] =>
  async (call: Call) => {
    const answer = await handle(call);
    const rows = countRefusedRows(answer);
    if (rows === 0) return answer;
    const { address, requestId, principal } = call;
    const by = principal.impersonatedBy === undefined ? {} : { impersonatedBy: principal.impersonatedBy };
    const details = { ...by, operation: `${method} ${path}`, rows };
    note(audit, { actor: principal.name, target: path, origin: { address, requestId }, details });
    return answer;
  };

const detailsOfJob = ({ job }: JobWork): JsonObject => {
  const by = job.actor.impersonatedBy === undefined ? {} : { impersonatedBy: job.actor.impersonatedBy };
  return { ...by, operation: job.operation, entityType: job.entityType, jobId: job.jobId };
};

/** Wraps job operations so that they record what their creator was refused: the whole job, or a number of rows. */
export const notingRefusedJobs = (audit: AuditLog, operations: JobOperations): JobOperations => {
  const noteJob = (work: JobWork, rows?: number): void => {
    const { actor, targetFqn } = work.job;
    const details = { ...detailsOfJob(work), ...(rows === undefined ? {} : { rows }) };
    note(audit, { actor: actor.name, target: targetFqn || undefined, details });
  };
  const wrap = (run: (work: JobWork) => Promise<OperationOutcome>) => async (work: JobWork) => {
    try {
      const { refusedRows = 0, ...outcome } = await run(work);
      if (refusedRows > 0) noteJob(work, refusedRows);
      return outcome;
    } catch (failure) {
      if (failure instanceof CatalogError && failure.code === 'forbidden') noteJob(work);
      throw failure;
    }
  };
  return Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [name, { ...operation, run: wrap(operation.run) }]),
  );
};
