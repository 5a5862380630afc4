import type { Principal } from '../../access/principal.ts';
import { CSV, csvLines, csvType, fileHeaders, PLAIN, type Row } from '../../http/csv.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { PIECE_CHARACTERS } from '../../jobs/pieces.ts';
import type { Operation, Outcome, Work } from '../../jobs/work.ts';
import { isObject, type JsonObject } from '../../model/json.ts';
import { JobStart } from '../../model/lineage-map-values.ts';
import { Text } from '../../model/values.ts';
import { cutHeaders } from '../entity-lineage.ts';
import { exportedLayer, flagAsked, type Request, spanAsked } from './asked.ts';
import { longRows, shortRows } from './edge-rows.ts';
import { EXPORTED, PAGED, SAFE, viewing } from './parameters.ts';
import { askAround, askPage, type MapRoom, type Question } from './read.ts';
import { findRoot } from './root.ts';

const around = (room: MapRoom, request: Request): Question =>
  askAround(room, request, spanAsked(request), exportedLayer(request));

/** What may be exported by a job, by the name it carries. */
const QUESTIONS = { around, page: askPage } as const;

type Asking = keyof typeof QUESTIONS;

const exportNow =
  (room: MapRoom) =>
  async (call: Call): Promise<Answer> => {
    const question = around(room, call);
    const isSafe = flagAsked(call, 'safeCsv');
    const root = await findRoot(room.engine, call, call);
    const { json, truncated } = await question(call, root);
    return {
      status: 200,
      headers: { ...fileHeaders(root.fullyQualifiedName), ...cutHeaders(truncated) },
      text: { mediaType: csvType(call), content: csvLines(shortRows(json), isSafe) },
    };
  };

const OPERATION = 'EXPORT';

/** Leaves an export to a job, once it is known that there is something to export and that the caller may see it. */
const exportLater =
  (room: MapRoom, asking: Asking) =>
  async (call: Call): Promise<Answer> => {
    QUESTIONS[asking](room, call);
    flagAsked(call, 'safeCsv');
    const root = await findRoot(room.engine, call, call);
    const { jobId } = await room.engine.jobs.submit({
      operation: OPERATION,
      entityType: 'lineage',
      targetFqn: root.fullyQualifiedName,
      actor: call.principal,
      input: { asking, query: Object.fromEntries(call.query) },
    });
    return { status: 202, json: { jobId, message: 'Export initiated successfully.' } };
  };

const requestOf = ({ query }: JsonObject): Request => ({
  query: new URLSearchParams(isObject(query) ? (query as Record<string, string>) : {}),
});

/** Rows as texts of bounded length. */
function* piecesOf(rows: readonly Row[], isSafe: boolean): Generator<string> {
  let piece = '';
  for (const row of rows) {
    const line = csvLines([row], isSafe);
    if (piece !== '' && piece.length + line.length > PIECE_CHARACTERS) {
      yield piece;
      piece = '';
    }
    piece += line;
  }
  yield piece;
}

const runExport = async (room: MapRoom, work: Work, actor: Principal): Promise<Outcome> => {
  const { asking, ...input } = work.job.input;
  const request = requestOf(input);
  const question = QUESTIONS[asking as Asking](room, request);
  const caller = { principal: actor, hrefBase: '' };
  const { json, truncated } = await question(caller, await findRoot(room.engine, caller, request));
  work.check();
  const rows = longRows(json);
  let position = 0;
  for (const text of piecesOf(rows, flagAsked(request, 'safeCsv'))) {
    work.check();
    await work.save({ pieces: [{ part: 'result1', position, text }] });
    position += 1;
  }
  await work.save({ progress: rows.length - 1, total: rows.length - 1 });
  return { message: truncated ? `Exported, cut for too many ${truncated}` : 'Exported', resultType: CSV };
};

/** The job that exports lineage, in the name of whoever asked for it with the rights they have when it is done. */
export const exportOperation = (room: MapRoom, renew: (actor: Principal) => Promise<Principal>): Operation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: async (work) => {
    await room.engine.judge.settle();
    return runExport(room, work, await renew(work.job.actor));
  },
});

export const exportRoutes = (room: MapRoom): Route[] => [
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/export',
    summary: 'Export the lineage around a record as CSV',
    query: [...EXPORTED, SAFE],
    responses: { 200: Text },
    answers: PLAIN,
    handle: exportNow(room),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/exportAsync',
    summary: 'Export the lineage around a record as CSV, later and in more detail',
    query: [...EXPORTED, SAFE],
    responses: { 202: JobStart },
    handle: exportLater(room, 'around'),
  },
  {
    ...viewing,
    method: 'GET',
    path: '/v1/lineage/exportByEntityCountAsync',
    summary: 'Export a page of the lineage of a record as CSV, later and in more detail',
    query: [...PAGED, SAFE],
    responses: { 202: JobStart },
    handle: exportLater(room, 'page'),
  },
];
