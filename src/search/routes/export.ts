import type { Principal } from '../../access/principal.ts';
import { parseQueryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { CSV_TYPE, type CsvRow, csvContentType, csvFileHeaders, writeCsvLines } from '../../http/csv-writer.ts';
import { integerParameter } from '../../http/query-parameters.ts';
import type { Answer, Call, QueryParameter } from '../../http/route.ts';
import type { JobOperation, JobWork, OperationOutcome } from '../../jobs/job-operation.ts';
import { MAX_PIECE_CHARACTERS } from '../../jobs/job-pieces.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { SearchCaller, SearchContext } from '../find/search-context.ts';
import { type HitWalk, walkHits } from '../find/walk-hits.ts';
import { readSearchRequest, type SearchRequest } from '../request/search-request.ts';

/** Exports the hits of a search as CSV (search.md 3.6), with the columns that clients expect. */

const MAX_ROWS = 200_000;

const CSV_HEADER: CsvRow = [
  'Entity Type',
  'Service Name',
  'Service Type',
  'FQN',
  'Name',
  'Display Name',
  'Description',
  'Owners',
  'Tags',
  'Glossary Terms',
  'Domains',
  'Tier',
];

const textMemberOf = (value: Json | undefined, name: string): string => {
  const text = value !== undefined && isObject(value) ? member(value, name) : undefined;
  return typeof text === 'string' ? text : '';
};

const listMemberOf = (document: JsonObject, name: string): readonly Json[] => {
  const list = document[name];
  return list !== undefined && isArray(list) ? list : [];
};

const joinTexts = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('|');

const displayNamesOf = (document: JsonObject, name: string): string =>
  joinTexts(listMemberOf(document, name).map((one) => textMemberOf(one, 'displayName') || textMemberOf(one, 'name')));

const labelsFrom = (document: JsonObject, source: string): string =>
  joinTexts(
    listMemberOf(document, 'tags').map((label) =>
      textMemberOf(label, 'source') === source ? textMemberOf(label, 'tagFQN') : '',
    ),
  );

const csvRowOf = (document: JsonObject): CsvRow => [
  textMemberOf(document, 'entityType'),
  textMemberOf(document['service'], 'name'),
  textMemberOf(document, 'serviceType'),
  textMemberOf(document, 'fullyQualifiedName'),
  textMemberOf(document, 'name'),
  textMemberOf(document, 'displayName'),
  textMemberOf(document, 'description'),
  displayNamesOf(document, 'owners'),
  labelsFrom(document, 'Classification'),
  labelsFrom(document, 'Glossary'),
  displayNamesOf(document, 'domains'),
  textMemberOf(document['tier'], 'tagFQN'),
];

type ExportCall = Pick<Call, 'query'>;

type HitExportRequest = {
  readonly request: SearchRequest;
  readonly most: number | undefined;
  readonly isSafe: boolean;
};

/** Reads the parameters of a plain search; without a size, all hits are exported. */
const readExportRequest = ({ engine, onHint }: SearchContext, { query }: ExportCall): HitExportRequest => {
  const page = new URLSearchParams(query);
  for (const name of ['from', 'size']) page.delete(name);
  const request = readSearchRequest(engine.registry.kinds, { query: page }, { onHint });
  const from = integerParameter(query, 'from', 0, 0, MAX_ROWS);
  if (request.behind && from > 0) throw badRequest('[from must be 0 when search_after is given]');
  return {
    request: { ...request, from, aggregates: false },
    most: query.get('size') ? integerParameter(query, 'size', 0, 0, MAX_ROWS) : undefined,
    isSafe: parseQueryFlag({ query }, 'safeCsv', true),
  };
};

/** Finds the hits to export. An export is complete or fails. */
const walkExported = async (
  context: SearchContext,
  { request, most }: HitExportRequest,
  caller: SearchCaller,
): Promise<HitWalk> => {
  const found = await walkHits(context, request, caller, most ?? MAX_ROWS);
  if (most === undefined && found.total > MAX_ROWS) {
    throw badRequest(`[the search finds ${found.total} assets, but at most ${MAX_ROWS} can be exported at once]`);
  }
  return { ...found, total: Math.min(found.total, most ?? MAX_ROWS) };
};

async function* csvLinesOf({ documents }: HitWalk, isSafe: boolean): AsyncGenerator<string> {
  yield writeCsvLines([CSV_HEADER]);
  for await (const some of documents()) yield writeCsvLines(some.map(csvRowOf), isSafe);
}

/** GET /v1/search/export. */
export const exportHits = async (context: SearchContext, call: Call): Promise<Answer> => {
  const exported = readExportRequest(context, call);
  const found = await walkExported(context, exported, call);
  return {
    status: 200,
    headers: { 'Content-Type': csvContentType(call), ...csvFileHeaders('search') },
    stream: csvLinesOf(found, exported.isSafe),
  };
};

const EXPORT = 'EXPORT';
/** The target of export jobs that are not about a single record. */
export const ANY_TARGET = '*';

/** GET /v1/search/export/async: runs the export as a job, after checking that it can succeed. */
export const startExportJob = async (context: SearchContext, call: Call): Promise<Answer> => {
  const exported = readExportRequest(context, call);
  await walkExported(context, exported, call);
  const { jobId } = await context.engine.jobs.submit({
    operation: EXPORT,
    entityType: ANY_TARGET,
    targetFqn: ANY_TARGET,
    actor: call.principal,
    input: { query: call.query.toString() },
  });
  return { status: 202, json: { jobId, message: 'Export initiated successfully.' } };
};

/** Joins CSV lines into pieces of the size that results are stored in. */
async function* csvPiecesOf(
  found: HitWalk,
  isSafe: boolean,
): AsyncGenerator<{ readonly text: string; readonly rows: number }> {
  let piece = writeCsvLines([CSV_HEADER]);
  let rows = 0;
  for await (const some of found.documents()) {
    for (const document of some) {
      const line = writeCsvLines([csvRowOf(document)], isSafe);
      if (piece.length + line.length > MAX_PIECE_CHARACTERS) {
        yield { text: piece, rows };
        [piece, rows] = ['', 0];
      }
      piece += line;
      rows += 1;
    }
  }
  yield { text: piece, rows };
}

const runExport = async (context: SearchContext, work: JobWork, principal: Principal): Promise<OperationOutcome> => {
  const { query } = work.job.input;
  const exported = readExportRequest(context, { query: new URLSearchParams(String(query ?? '')) });
  const found = await walkExported(context, exported, { principal, hrefBase: '' });
  work.check();
  let [position, progress] = [0, 0];
  for await (const { text, rows } of csvPiecesOf(found, exported.isSafe)) {
    work.check();
    progress += rows;
    await work.save({
      pieces: [{ part: 'result1', position, text }],
      progress,
      total: Math.max(progress, found.total),
    });
    position += 1;
  }
  await work.save({ progress, total: progress });
  return { message: 'Exported', resultType: CSV_TYPE };
};

/** The export operation. It runs under the rights that its creator has at that time. */
export const createExportOperation = (
  context: SearchContext,
  renew: (actor: Principal) => Promise<Principal>,
): JobOperation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: async (work) => {
    await context.engine.authorizer.ensureFresh();
    return runExport(context, work, await renew(work.job.actor));
  },
});

export const SAFE_CSV_PARAMETER: QueryParameter = {
  name: 'safeCsv',
  description: 'Whether to escape cells that a spreadsheet would run as formulas',
  schema: { type: 'boolean', default: true },
};
