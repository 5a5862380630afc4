/** Runs a bulk PUT as a job: the rows are stored in pieces, and so is the result. */
import type { JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../../jobs/job-pieces.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine, Writer } from '../engine.ts';
import { createHintCollector, joinHints } from '../read/hint-collector.ts';
import { type BulkFailure, type BulkSuccess, bulkCounts, isFailed, putRows } from './bulk.ts';

/** The number of rows that are written before progress is saved, which is also the maximum that a crash repeats. */
const ROWS_PER_PIECE = 250;

/** Serializes rows into texts of bounded length, each a JSON list; a longer row gets a text of its own. */
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

/** Yields the rows with secrets sealed, because the store keeps the pieces of a job as long as the job. */
function* sealRows({ secrets }: Pick<Engine, 'secrets'>, rows: readonly Json[]): Generator<Json> {
  for (const row of rows) yield secrets.seal(row);
}

type BulkSubmitter = { readonly jobs: JobQueue } & Pick<Engine, 'secrets'>;

/** Queues a bulk PUT: the rows are stored in pieces, which the job writes one after the other. */
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

/** The progress of a bulk job. */
type BulkProgress = {
  readonly pieces: number;
  readonly passed: number;
  readonly failed: number;
  /** How many of the failed rows were refused because the caller lacked the right. */
  readonly refused: number;
  /** What may help the caller with the failed rows. */
  readonly hints: readonly string[];
};

const decodeProgress = (state: JsonObject): BulkProgress => ({
  pieces: Number(state['pieces'] ?? 0),
  passed: Number(state['passed'] ?? 0),
  failed: Number(state['failed'] ?? 0),
  refused: Number(state['refused'] ?? 0),
  hints: (state['hints'] ?? []) as readonly string[],
});

/** The parts of a bulk result: its counts, the list of successes, and the list of failures. */
const PASSED_PART = 'result2';
const FAILED_PART = 'result4';

/** Serializes the outcomes of one piece as part of a list that earlier pieces may have started. */
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
  const hints = createHintCollector(engine, writer.principal, course.hints);
  const outcomes = await putRows(engine, writer, engine.secrets.open(JSON.parse(text) as Json[]), {
    overrideMetadata: work.job.input['overrideMetadata'] === true,
    beforeRow: work.check,
    onFailure: hints.add,
  });
  const failed = outcomes.filter(isFailed);
  const passed = outcomes.filter((outcome) => !isFailed(outcome));
  const next = {
    pieces: course.pieces + 1,
    passed: course.passed + passed.length,
    failed: course.failed + failed.length,
    refused: course.refused + failed.filter(({ status }) => status === FORBIDDEN).length,
    hints: hints.all(),
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

/** Writes the rest of the result around the two lists, which are already stored. */
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

/** Writes the rows that an earlier run did not write. Writing a row again changes nothing. */
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
    ...(course.hints.length > 0 ? { hint: joinHints(course.hints) } : {}),
  };
};
