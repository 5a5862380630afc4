import type { Principal } from '../../access/principal.ts';
import { queryFlag } from '../../catalog/read/answer.ts';
import { badRequest } from '../../errors.ts';
import { CSV, csvLines, csvType, fileHeaders, type Row } from '../../http/csv.ts';
import { wholeNumber } from '../../http/query.ts';
import type { Answer, Call, QueryParameter } from '../../http/route.ts';
import { PIECE_CHARACTERS } from '../../jobs/pieces.ts';
import type { Operation, Outcome, Work } from '../../jobs/work.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { type Asked, readAsked } from '../asked/parameters.ts';
import type { Caller, SearchRoom } from '../find/room.ts';
import { type Walk, walkHits } from '../find/walk.ts';

/** What a search finds as a table (search.md 3.6), with the columns that clients know it by. */

const MOST_ROWS = 200_000;

const HEADER: Row = [
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

const textOf = (value: Json | undefined, name: string): string => {
  const text = value !== undefined && isObject(value) ? member(value, name) : undefined;
  return typeof text === 'string' ? text : '';
};

const listAt = (document: JsonObject, name: string): readonly Json[] => {
  const list = document[name];
  return list !== undefined && isArray(list) ? list : [];
};

const joined = (texts: readonly string[]): string => texts.filter((text) => text !== '').join('|');

const shownNames = (document: JsonObject, name: string): string =>
  joined(listAt(document, name).map((one) => textOf(one, 'displayName') || textOf(one, 'name')));

const labels = (document: JsonObject, source: string): string =>
  joined(listAt(document, 'tags').map((label) => (textOf(label, 'source') === source ? textOf(label, 'tagFQN') : '')));

const rowOf = (document: JsonObject): Row => [
  textOf(document, 'entityType'),
  textOf(document['service'], 'name'),
  textOf(document, 'serviceType'),
  textOf(document, 'fullyQualifiedName'),
  textOf(document, 'name'),
  textOf(document, 'displayName'),
  textOf(document, 'description'),
  shownNames(document, 'owners'),
  labels(document, 'Classification'),
  labels(document, 'Glossary'),
  shownNames(document, 'domains'),
  textOf(document['tier'], 'tagFQN'),
];

type Request = Pick<Call, 'query'>;

type Wish = { readonly asked: Asked; readonly most: number | undefined; readonly isSafe: boolean };

/** The parameters of a plain search, but that all hits are meant where no number of them is said. */
const readWish = ({ engine }: SearchRoom, { query }: Request): Wish => {
  const page = new URLSearchParams(query);
  for (const name of ['from', 'size']) page.delete(name);
  const asked = readAsked(engine.registry.kinds, { query: page });
  const from = wholeNumber(query, 'from', 0, 0, MOST_ROWS);
  if (asked.behind && from > 0) throw badRequest('[from must be 0 where search_after says where to begin]');
  return {
    asked: { ...asked, from, aggregates: false },
    most: query.get('size') ? wholeNumber(query, 'size', 0, 0, MOST_ROWS) : undefined,
    isSafe: queryFlag({ query }, 'safeCsv'),
  };
};

/** Finds what is to be exported. Nobody is given a part of it for the whole. */
const walk = async (room: SearchRoom, { asked, most }: Wish, caller: Caller): Promise<Walk> => {
  const found = await walkHits(room, asked, caller, most ?? MOST_ROWS);
  if (most === undefined && found.total > MOST_ROWS) {
    throw badRequest(`[the search finds ${found.total} records; at most ${MOST_ROWS} are exported at once]`);
  }
  return { ...found, total: Math.min(found.total, most ?? MOST_ROWS) };
};

async function* linesOf({ documents }: Walk, isSafe: boolean): AsyncGenerator<string> {
  yield csvLines([HEADER]);
  for await (const some of documents()) yield csvLines(some.map(rowOf), isSafe);
}

/** GET /v1/search/export. */
export const exportNow = async (room: SearchRoom, call: Call): Promise<Answer> => {
  const wish = readWish(room, call);
  const found = await walk(room, wish, call);
  return {
    status: 200,
    headers: { 'Content-Type': csvType(call), ...fileHeaders('search') },
    stream: linesOf(found, wish.isSafe),
  };
};

const EXPORT = 'EXPORT';
/** What a job of an export is about that is not about one record. */
export const ANYTHING = '*';

/** GET /v1/search/export/async: the same by a job, once it is known that there is nothing wrong with it. */
export const exportLater = async (room: SearchRoom, call: Call): Promise<Answer> => {
  const wish = readWish(room, call);
  await walk(room, wish, call);
  const { jobId } = await room.engine.jobs.submit({
    operation: EXPORT,
    entityType: ANYTHING,
    targetFqn: ANYTHING,
    actor: call.principal,
    input: { query: call.query.toString() },
  });
  return { status: 202, json: { jobId, message: 'Export initiated successfully.' } };
};

/** Lines put together to pieces of the length in which results are kept. */
async function* piecesOf(
  found: Walk,
  isSafe: boolean,
): AsyncGenerator<{ readonly text: string; readonly rows: number }> {
  let piece = csvLines([HEADER]);
  let rows = 0;
  for await (const some of found.documents()) {
    for (const document of some) {
      const line = csvLines([rowOf(document)], isSafe);
      if (piece.length + line.length > PIECE_CHARACTERS) {
        yield { text: piece, rows };
        [piece, rows] = ['', 0];
      }
      piece += line;
      rows += 1;
    }
  }
  yield { text: piece, rows };
}

const run = async (room: SearchRoom, work: Work, principal: Principal): Promise<Outcome> => {
  const { query } = work.job.input;
  const wish = readWish(room, { query: new URLSearchParams(String(query ?? '')) });
  const found = await walk(room, wish, { principal, hrefBase: '' });
  work.check();
  let [position, progress] = [0, 0];
  for await (const { text, rows } of piecesOf(found, wish.isSafe)) {
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
  return { message: 'Exported', resultType: CSV };
};

/** The job that exports what a search finds, by the rights that whoever asked for it has when it is done. */
export const searchExport = (room: SearchRoom, renew: (actor: Principal) => Promise<Principal>): Operation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: async (work) => {
    await room.engine.judge.settle();
    return run(room, work, await renew(work.job.actor));
  },
});

export const SAFE: QueryParameter = {
  name: 'safeCsv',
  description: 'Whether cells that a spreadsheet would take for formulas are made harmless',
  schema: { type: 'boolean', default: false },
};
