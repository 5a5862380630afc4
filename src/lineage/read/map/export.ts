import type { Principal } from '../../../access/principal.ts';
import {
  CSV_TYPE,
  type CsvRow,
  csvContentType,
  csvFileHeaders,
  PLAIN_TEXT_TYPE,
  writeCsvLines,
} from '../../../http/csv-writer.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import type { JobOperation, JobWork, OperationOutcome } from '../../../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../../../jobs/job-pieces.ts';
import { isObject, type JsonObject } from '../../../model/json.ts';
import { LineageJobStart } from '../../../model/schemas/lineage/lineage-map.ts';
import { Text } from '../../../model/values.ts';
import { truncationHeaders } from '../entity-lineage.ts';
import { longExportRows, shortExportRows } from './export-rows.ts';
import { findMapRoot } from './find-root.ts';
import { createAroundQuery, createPageQuery, type MapQuery, type MapRoom } from './map-query.ts';
import { type MapRequest, readExportPage, readMapDepth, readMapFlag } from './map-request.ts';
import { MAP_EXPORT_PARAMETERS, MAP_PAGE_PARAMETERS, MAP_SAFE_CSV_PARAMETER, mapRouteAccess } from './parameters.ts';

const createExportQuery = (room: MapRoom, request: MapRequest): MapQuery =>
  createAroundQuery(room, request, readMapDepth(request), readExportPage(request));

/** The queries that an export job can run, by the name stored with the job. */
const EXPORT_QUERIES = { around: createExportQuery, page: createPageQuery } as const;

type ExportName = keyof typeof EXPORT_QUERIES;

/** Whether formulas are escaped. People open these files in spreadsheets, and nobody imports them again. */
const isSafeCsv = (request: MapRequest): boolean => readMapFlag(request, 'safeCsv', true);

const handleExport =
  (room: MapRoom) =>
  async (call: Call): Promise<Answer> => {
    const question = createExportQuery(room, call);
    const isSafe = isSafeCsv(call);
    const root = await findMapRoot(room.engine, call, call);
    const { json, truncated } = await question(call, root);
    return {
      status: 200,
      headers: { ...csvFileHeaders(root.fullyQualifiedName), ...truncationHeaders(truncated) },
      text: { mediaType: csvContentType(call), content: writeCsvLines(shortExportRows(json), isSafe) },
    };
  };

const OPERATION = 'EXPORT';

/** Starts an export job after checking the parameters, and that the root exists and the caller may see it. */
const handleExportAsync =
  (room: MapRoom, asking: ExportName) =>
  async (call: Call): Promise<Answer> => {
    EXPORT_QUERIES[asking](room, call);
    isSafeCsv(call);
    const root = await findMapRoot(room.engine, call, call);
    const { jobId } = await room.engine.jobs.submit({
      operation: OPERATION,
      entityType: 'lineage',
      targetFqn: root.fullyQualifiedName,
      actor: call.principal,
      input: { asking, query: Object.fromEntries(call.query) },
    });
    return { status: 202, json: { jobId, message: 'Export initiated successfully.' } };
  };

const readStoredRequest = ({ query }: JsonObject): MapRequest => ({
  query: new URLSearchParams(isObject(query) ? (query as Record<string, string>) : {}),
});

/** Joins rows into texts of bounded length. */
function* splitRows(rows: readonly CsvRow[], isSafe: boolean): Generator<string> {
  let piece = '';
  for (const row of rows) {
    const line = writeCsvLines([row], isSafe);
    if (piece !== '' && piece.length + line.length > MAX_PIECE_CHARACTERS) {
      yield piece;
      piece = '';
    }
    piece += line;
  }
  yield piece;
}

const runExport = async (room: MapRoom, work: JobWork, actor: Principal): Promise<OperationOutcome> => {
  const { asking, ...input } = work.job.input;
  const request = readStoredRequest(input);
  const question = EXPORT_QUERIES[asking as ExportName](room, request);
  const caller = { principal: actor, hrefBase: '' };
  const { json, truncated } = await question(caller, await findMapRoot(room.engine, caller, request));
  work.check();
  const rows = longExportRows(json);
  let position = 0;
  for (const text of splitRows(rows, isSafeCsv(request))) {
    work.check();
    await work.save({ pieces: [{ part: 'result1', position, text }] });
    position += 1;
  }
  await work.save({ progress: rows.length - 1, total: rows.length - 1 });
  return { message: truncated ? `Exported, cut for too many ${truncated}` : 'Exported', resultType: CSV_TYPE };
};

/**
 * Creates the job operation that exports lineage. It acts for the principal who requested it, with the permissions this
 * principal has when the job runs.
 */
export const mapExportOperation = (room: MapRoom, renew: (actor: Principal) => Promise<Principal>): JobOperation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: async (work) => {
    await room.engine.authorizer.ensureFresh();
    return runExport(room, work, await renew(work.job.actor));
  },
});

export const mapExportRoutes = (room: MapRoom): Route[] => [
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/export',
    summary: 'Export the lineage of an asset as CSV',
    query: [...MAP_EXPORT_PARAMETERS, MAP_SAFE_CSV_PARAMETER],
    responses: { 200: Text },
    answers: PLAIN_TEXT_TYPE,
    sends: ['Content-Disposition', 'X-Lineage-Truncated'],
    handle: handleExport(room),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/exportAsync',
    summary: 'Export the detailed lineage of an asset as CSV asynchronously',
    query: [...MAP_EXPORT_PARAMETERS, MAP_SAFE_CSV_PARAMETER],
    responses: { 202: LineageJobStart },
    handle: handleExportAsync(room, 'around'),
  },
  {
    ...mapRouteAccess,
    method: 'GET',
    path: '/v1/lineage/exportByEntityCountAsync',
    summary: 'Export a page of the detailed lineage of an asset as CSV asynchronously',
    query: [...MAP_PAGE_PARAMETERS, MAP_SAFE_CSV_PARAMETER],
    responses: { 202: LineageJobStart },
    handle: handleExportAsync(room, 'page'),
  },
];
