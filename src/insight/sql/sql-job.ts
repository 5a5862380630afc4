import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { createView } from '../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../catalog/read/fields.ts';
import { cutText } from '../../csv/text/text-source.ts';
import type { Answer } from '../../http/route.ts';
import type { JobOperation, JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../../jobs/job-pieces.ts';
import { EDIT_LINEAGE } from '../../lineage/endpoints.ts';
import { openSqlReader } from '../../lineage/sql/reader.ts';
import { openEdgeStore } from '../../lineage/write/edge-store.ts';
import { MAX_LOGGED_STATEMENTS } from '../../model/schemas/insight/sql.ts';
import { applyFindings } from './apply-findings.ts';
import type { SqlLogRequest } from './read-request.ts';
import { renderFindings } from './render-findings.ts';
import type { LoggedStatement } from './statement-groups.ts';
import { understandLog } from './understand-log.ts';

/** Reads a log after the request was answered, with the rights that its creator has at that time. */

export const SQL_OPERATION = 'SQL_LINEAGE';

/** What has not been read by then is told as too slow. */
const MAX_READING_MS = 30 * 60_000;

/** Escaped text is longer than the text that is cut. */
const MAX_CUT = MAX_PIECE_CHARACTERS / 2;

/** Writes statements as lines of JSON, cut into pieces. */
function* serializeLog(statements: readonly LoggedStatement[]): Generator<string> {
  let held = '';
  for (const statement of statements) {
    held += `${JSON.stringify(statement)}\n`;
    if (held.length < MAX_CUT) continue;
    yield* cutText(held, MAX_CUT);
    held = '';
  }
  if (held !== '') yield* cutText(held, MAX_CUT);
}

/** Reads what `serializeLog` wrote. */
const parseLog = async (pieces: AsyncIterable<string>): Promise<readonly LoggedStatement[]> => {
  const statements: LoggedStatement[] = [];
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) statements.push(JSON.parse(line) as LoggedStatement);
  }
  return statements;
};

export const submitSqlJob = async (
  engine: Engine,
  actor: Principal,
  { statements, ...place }: SqlLogRequest,
  dryRun: boolean,
): Promise<Answer> => {
  const { jobId } = await engine.jobs.submit(
    {
      operation: SQL_OPERATION,
      entityType: 'databaseService',
      targetFqn: place.service,
      actor,
      dryRun,
      total: statements.length,
      input: { ...place },
    },
    serializeLog(statements),
  );
  return {
    status: 202,
    headers: { 'X-Job-Id': jobId },
    json: { jobId, message: 'The statements are being read.' },
  };
};

const saveResult = async (work: JobWork, text: string): Promise<void> => {
  let position = 0;
  for (const piece of cutText(text, MAX_PIECE_CHARACTERS)) {
    work.check();
    await work.save({ pieces: [{ part: 'result1', position, text: piece }] });
    position += 1;
  }
};

const FORBIDDEN = 403;

const runSqlJob = async (engine: Engine, principal: Principal, work: JobWork): Promise<OperationOutcome> => {
  const { dryRun, input } = work.job;
  if (!dryRun) engine.authorize(principal, EDIT_LINEAGE, { resource: 'lineage' });
  const request = { ...input, statements: await parseLog(work.input()) } as unknown as SqlLogRequest;
  const reader = openSqlReader({ timeoutMs: engine.limits.sqlTextMs });
  try {
    const until = performance.now() + MAX_READING_MS;
    const hasTime = () => performance.now() < until;
    const bounds = { statements: MAX_LOGGED_STATEMENTS, check: work.check, hasTime };
    const found = await understandLog(engine, principal, reader, request, bounds);
    const applied = dryRun ? undefined : await applyFindings(openEdgeStore(engine), principal, found, work.check);
    const view = createView(engine, { hrefBase: '' }, NO_FIELDS);
    await saveResult(work, JSON.stringify(renderFindings(found, applied, view, engine.clock())));
    await work.save({ progress: request.statements.length });
    return {
      message: `${found.understood} of ${found.statements} statements understood`,
      resultType: 'application/json',
      refusedRows: (applied?.refused ?? []).filter(({ status }) => status === FORBIDDEN).length,
    };
  } finally {
    await reader.close();
  }
};

/** The job that reads a log. Reading and writing it again gives the same, so an interrupted job starts again. */
export const createSqlOperation = (engine: Engine, renew: (actor: Principal) => Promise<Principal>): JobOperation => ({
  restart: 'restart',
  run: async (work) => {
    await engine.authorizer.ensureFresh();
    return runSqlJob(engine, await renew(work.job.actor), work);
  },
});
