import type { JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../../jobs/job-pieces.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine, Writer } from '../engine.ts';
import { type BulkFailure, type BulkSuccess, bulkCounts, isFailed, putRows } from './bulk.ts';

/** How many rows are put together before progress is saved: what is done twice, at most, after a crash. */
const ROWS_PER_PIECE = 250;

/** Rows as texts of bounded length, each a list of its own; a row longer than that stands alone. */
function* serializeRows(rows: Iterable<Json>): Generator<string> {
  let held: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (held.length > 0 && (held.length === ROWS_PER_PIECE || characters + text.length > MAX_PIECE_CHARACTERS)) {
      yield `[${held.join(',')}]`;
      held = [];
      characters = 0;
    }
    held.push(text);
    characters += text.length;
  }
  if (held.length > 0) yield `[${held.join(',')}]`;
}

export type BulkJob = { readonly rows: readonly Json[]; readonly overrideMetadata: boolean };

/** The rows one by one with their secrets sealed: the pieces of a job stay in the store for as long as it is kept. */
function* sealRows({ secrets }: Pick<Engine, 'secrets'>, rows: readonly Json[]): Generator<Json> {
  for (const row of rows) yield secrets.seal(row);
}

type BulkSubmitter = { readonly jobs: JobQueue } & Pick<Engine, 'secrets'>;

/** Queues PUT bulk: the rows are kept in pieces, which are put one after the other. */
export const submitBulk = (engine: BulkSubmitter, { kind, principal }: Writer, { rows, overrideMetadata }: BulkJob) =>
  engine.jobs.submit(
    {
      operation: 'BULK',
      entityType: kind.entityType,
      targetFqn: '*',
      actor: principal,
      input: { overrideMetadata },
      total: rows.length,
    },
    serializeRows(sealRows(engine, rows)),
  );

/** How far a bulk job has come. */
type BulkProgress = {
  readonly pieces: number;
  readonly passed: number;
  readonly failed: number;
  /** How many of those that failed were refused for want of rights. */
  readonly refused: number;
};

const decodeProgress = (state: JsonObject): BulkProgress => ({
  pieces: Number(state['pieces'] ?? 0),
  passed: Number(state['passed'] ?? 0),
  failed: Number(state['failed'] ?? 0),
  refused: Number(state['refused'] ?? 0),
});

/** The parts of a bulk result as text: its counts, the list of what passed, and the list of what failed. */
const PASSED_PART = 'result2';
const FAILED_PART = 'result4';

/** The outcomes of one piece of rows as a piece of the result: items of a list that others may have begun. */
const resultPiece = (
  part: typeof PASSED_PART | typeof FAILED_PART,
  position: number,
  items: readonly (BulkSuccess | BulkFailure)[],
  before: number,
) => {
  if (items.length === 0) return [];
  const text = items.map((item) => JSON.stringify(item)).join(',');
  return [{ part, position, text: before === 0 ? text : `,${text}` }];
};

const FORBIDDEN = 403;

const putPiece = async (
  engine: Engine,
  writer: Writer,
  work: JobWork,
  text: string,
  course: BulkProgress,
): Promise<BulkProgress> => {
  const outcomes = await putRows(engine, writer, engine.secrets.open(JSON.parse(text) as Json[]), {
    overrideMetadata: work.job.input['overrideMetadata'] === true,
    beforeRow: work.check,
  });
  const failed = outcomes.filter(isFailed);
  const passed = outcomes.filter((outcome) => !isFailed(outcome));
  const next = {
    pieces: course.pieces + 1,
    passed: course.passed + passed.length,
    failed: course.failed + failed.length,
    refused: course.refused + failed.filter(({ status }) => status === FORBIDDEN).length,
  };
  await work.save({
    progress: next.passed + next.failed,
    state: next,
    pieces: [
      ...resultPiece(PASSED_PART, course.pieces, passed, course.passed),
      ...resultPiece(FAILED_PART, course.pieces, failed, course.failed),
    ],
  });
  return next;
};

/** What stands around the two lists, which are written already. */
const saveResultFrame = (work: JobWork, { passed, failed }: BulkProgress): Promise<void> => {
  const counts = JSON.stringify(bulkCounts(passed, failed, false));
  return work.save({
    pieces: [
      { part: 'result1', position: 0, text: `${counts.slice(0, -1)},"successRequest":[` },
      { part: 'result3', position: 0, text: '],"failedRequest":[' },
      { part: 'result5', position: 0, text: ']}' },
    ],
  });
};

/** Puts the rows that a former run has not put yet. Putting a row again changes nothing. */
export const runBulk = async (
  engine: Engine,
  writer: () => Promise<Writer>,
  work: JobWork,
): Promise<OperationOutcome> => {
  let course = decodeProgress(work.job.state);
  for await (const text of work.input(course.pieces)) {
    work.check();
    await engine.authorizer.ensureFresh();
    course = await putPiece(engine, await writer(), work, text, course);
  }
  await saveResultFrame(work, course);
  return {
    message: `${course.passed} of ${course.passed + course.failed} rows passed`,
    resultType: 'application/json',
    refusedRows: course.refused,
  };
};
