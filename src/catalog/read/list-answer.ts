import type { Principal } from '../../access/principal.ts';
import { createBreather } from '../../http/breathe.ts';
import type { Answer, Call } from '../../http/route.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { operationsOfFields } from '../../model/required-operations.ts';
import type { Engine } from '../engine.ts';
import { viewFor } from './answer.ts';
import { parseFields, parseInclude, parseRelationIncludes } from './fields.ts';
import { type ListPlan, type ListRequest, type Page, parseList, planList, readPage } from './list.ts';
import { render, type View } from './render.ts';
import { sightOf } from './sight.ts';
import { redactAll } from './visibility.ts';
import { anchoredPlan, visiblePlan } from './visible.ts';
import { withholdAll } from './withheld.ts';

/** Longer lists are written while they are read, so that memory does not grow with the limit. */
const STREAM_ABOVE = 1000;
/** The first piece is small, so that a reader sees the beginning at once. */
const FIRST_PIECE = 100;
const PIECE = 500;
/** Of records that are long a piece holds fewer, so that its text does not hold the event loop. */
const LEAST_PIECE = 10;
const PIECE_CHARACTERS = 512 * 1024;

/** How many records the next piece holds, by what those of the last one came to. */
const pieceAfter = ({ text, page }: Piece): number => {
  const each = text.length / Math.max(1, page.rows.length);
  return Math.max(LEAST_PIECE, Math.min(PIECE, Math.floor(PIECE_CHARACTERS / Math.max(1, each))));
};

type Paging = { readonly before?: string | undefined; readonly after?: string | undefined; readonly total: number };

const pagingOf = (page: Omit<Page, 'rows'>, total: number): Paging => ({
  ...(page.before === undefined ? {} : { before: page.before }),
  ...(page.after === undefined ? {} : { after: page.after }),
  total,
});

type Reading = {
  readonly engine: Engine;
  readonly request: ListRequest;
  readonly plan: ListPlan;
  readonly fields: ReadonlySet<string>;
  readonly view: View;
  readonly principal: Principal;
  /** Counts the text of the records; of a stream only before its first piece. */
  readonly spend?: Call['spend'];
};

const readIds = async ({ engine, request, fields, principal, spend }: Reading, ids: readonly string[]) => {
  const records = await engine.store.records(request.kind, ids, fields);
  spend?.(records.reduce((sum, { weight }) => sum + weight, 0));
  return withholdAll(engine, principal, records);
};

const renderIds = async (reading: Reading, ids: readonly string[]) =>
  (await readIds(reading, ids)).map((record) => render(record, reading.view));

const answerWhole = async (reading: Reading): Promise<Answer> => {
  const { plan, request } = reading;
  const [page, total] = await Promise.all([readPage(plan, request), plan.total()]);
  const data = await renderIds(
    reading,
    page.rows.map((row) => row.id),
  );
  return { status: 200, json: { data, paging: pagingOf(page, total) } };
};

const textOf = async (reading: Reading, ids: readonly string[], isFirst: boolean): Promise<string> => {
  const rendered: JsonObject[] = [];
  const breathe = createBreather();
  for (const record of await readIds(reading, ids)) {
    const turn = breathe(record.weight);
    if (turn) await turn;
    rendered.push(render(record, reading.view));
  }
  // A piece of a stream is redacted as a whole; an answer that is not streamed is when it is sent.
  const texts: string[] = [];
  for (const record of await redactAll(reading.engine, reading.principal, rendered)) {
    const text = JSON.stringify(record);
    const turn = breathe(text.length);
    if (turn) await turn;
    texts.push(text);
  }
  const text = texts.join(',');
  return isFirst || text === '' ? text : `,${text}`;
};

type Piece = { readonly page: Page; readonly text: string };

const readPiece = async (
  reading: Reading,
  edge: string | undefined,
  limit: number,
  isFirst: boolean,
): Promise<Piece> => {
  const page = await readPage(reading.plan, { ...reading.request, after: edge, before: undefined, limit });
  return {
    page,
    text: await textOf(
      reading,
      page.rows.map((row) => row.id),
      isFirst,
    ),
  };
};

/**
 * Writes a long list piece by piece. Each piece is a short read of its own, so a slow reader holds no transaction open;
 * the next piece is read while the present one is on its way.
 */
async function* streamForward(reading: Reading): AsyncGenerator<string> {
  const { request, plan } = reading;
  let left = request.limit;
  const next = (edge: string | undefined, size: number, isFirst: boolean) => {
    left -= size;
    return readPiece(reading, edge, size, isFirst);
  };
  const edgeAfter = (page: Page) => page.rows.at(-1)?.sortKey;
  let piece = await next(request.after, Math.min(FIRST_PIECE, left), true);
  const before = piece.page.before;
  yield '{"data":[';
  for (;;) {
    const isLast = piece.page.after === undefined || left <= 0;
    const coming = isLast ? undefined : next(edgeAfter(piece.page), Math.min(pieceAfter(piece), left), false);
    // The failure of a piece not yet waited for must not bring the process down; it is thrown when its turn comes.
    coming?.catch(() => {});
    yield piece.text;
    if (!coming) break;
    piece = await coming;
  }
  const paging = pagingOf({ before, after: piece.page.after }, await plan.total());
  yield `],"paging":${JSON.stringify(paging)}}`;
}

/** Backwards the ids must be known before the first can be written; the records still come piece by piece. */
async function* streamBackward(reading: Reading): AsyncGenerator<string> {
  const { plan, request } = reading;
  const page = await readPage(plan, request);
  yield '{"data":[';
  for (let start = 0; start < page.rows.length; start += PIECE) {
    yield textOf(
      reading,
      page.rows.slice(start, start + PIECE).map((row) => row.id),
      start === 0,
    );
  }
  yield `],"paging":${JSON.stringify(pagingOf(page, await plan.total()))}}`;
}

/** The first piece is read before the status goes out, so that a failure there is still an error answer. */
const started = async (pieces: AsyncGenerator<string>): Promise<AsyncIterable<string>> => {
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
};

/** GET of a collection. */
export const answerList = async (engine: Engine, kind: Kind, call: Call): Promise<Answer> => {
  const fields = parseFields(kind, call.query.get('fields'));
  const include = parseInclude(call.query.get('include'));
  const relations = parseRelationIncludes(kind, call.query.get('includeRelations'), include);
  const request = parseList(kind, call.query, include);
  const whole = await anchoredPlan(engine, call.principal, await planList(engine, request));
  const sight = sightOf(engine, call.principal, operationsOfFields(kind, fields), kind.entityType);
  const plan = visiblePlan(whole, sight);
  const view = viewFor(engine, call, fields, relations);
  const reading = { engine, request, plan, fields, view, principal: call.principal };
  if (request.limit <= STREAM_ABOVE) return answerWhole({ ...reading, spend: call.spend });
  const pieces = request.before === undefined ? streamForward(reading) : streamBackward(reading);
  return { status: 200, stream: await started(pieces) };
};
