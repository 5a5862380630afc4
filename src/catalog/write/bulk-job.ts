import type { Jobs } from '../../jobs/jobs.ts';
import { PIECE_CHARACTERS } from '../../jobs/pieces.ts';
import type { Outcome, Work } from '../../jobs/work.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine, Writer } from '../engine.ts';
import { bulkCounts, type Failed, isFailed, type Passed, putRows } from './bulk.ts';

/** How many rows are put together before progress is saved: what is done twice, at most, after a crash. */
const ROWS_AT_ONCE = 250;

/** Rows as texts of bounded length, each a list of its own; a row longer than that stands alone. */
function* textsOf(rows: Iterable<Json>): Generator<string> {
  let held: string[] = [];
  let characters = 0;
  for (const row of rows) {
    const text = JSON.stringify(row);
    if (held.length > 0 && (held.length === ROWS_AT_ONCE || characters + text.length > PIECE_CHARACTERS)) {
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
function* sealedRows({ secrets }: Pick<Engine, 'secrets'>, rows: readonly Json[]): Generator<Json> {
  for (const row of rows) yield secrets.seal(row);
}

type Submitting = { readonly jobs: Jobs } & Pick<Engine, 'secrets'>;

/** Queues PUT bulk: the rows are kept in pieces, which are put one after the other. */
export const submitBulk = (engine: Submitting, { kind, principal }: Writer, { rows, overrideMetadata }: BulkJob) =>
  engine.jobs.submit(
    {
      operation: 'BULK',
      entityType: kind.entityType,
      targetFqn: '*',
      actor: principal,
      input: { overrideMetadata },
      total: rows.length,
    },
    textsOf(sealedRows(engine, rows)),
  );

/** How far a bulk job has come. */
type Course = {
  readonly pieces: number;
  readonly passed: number;
  readonly failed: number;
  /** How many of those that failed were refused for want of rights. */
  readonly refused: number;
};

const courseOf = (state: JsonObject): Course => ({
  pieces: Number(state['pieces'] ?? 0),
  passed: Number(state['passed'] ?? 0),
  failed: Number(state['failed'] ?? 0),
  refused: Number(state['refused'] ?? 0),
});

/** The parts of a bulk result as text: its counts, the list of what passed, and the list of what failed. */
const PASSED = 'result2';
const FAILED = 'result4';

/** The outcomes of one piece of rows as a piece of the result: items of a list that others may have begun. */
const listPiece = (
  part: typeof PASSED | typeof FAILED,
  position: number,
  items: readonly (Passed | Failed)[],
  before: number,
) => {
  if (items.length === 0) return [];
  const text = items.map((item) => JSON.stringify(item)).join(',');
  return [{ part, position, text: before === 0 ? text : `,${text}` }];
};

const FORBIDDEN = 403;

const putPiece = async (engine: Engine, writer: Writer, work: Work, text: string, course: Course): Promise<Course> => {
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
      ...listPiece(PASSED, course.pieces, passed, course.passed),
      ...listPiece(FAILED, course.pieces, failed, course.failed),
    ],
  });
  return next;
};

/** What stands around the two lists, which are written already. */
const frame = (work: Work, { passed, failed }: Course): Promise<void> => {
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
export const runBulk = async (engine: Engine, writer: () => Promise<Writer>, work: Work): Promise<Outcome> => {
  let course = courseOf(work.job.state);
  for await (const text of work.input(course.pieces)) {
    work.check();
    await engine.judge.settle();
    course = await putPiece(engine, await writer(), work, text, course);
  }
  await frame(work, course);
  return {
    message: `${course.passed} of ${course.passed + course.failed} rows passed`,
    resultType: 'application/json',
    refusedRows: course.refused,
  };
};
