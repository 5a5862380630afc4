import type { Answer, Call } from '../../http/route.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { operationsToReadFields } from '../../model/kind/required-operations.ts';
import type { Engine } from '../engine.ts';
import type { ListedRow } from '../list-queries.ts';
import { type ListPage, parseList, planList, readListPage } from './list.ts';
import {
  COMMA,
  type ListContext,
  type RecordText,
  renderRows,
  renderRowTexts,
  renderSharedRows,
  separateTexts,
} from './list-content.ts';
import { parseReadView } from './read-view.ts';
import { visibilityOf } from './visibility.ts';
import { anchoredPlan, restrictToVisible } from './visible-list.ts';

/** Lists with a higher limit are streamed, so that memory does not grow with the limit. */
const STREAM_ABOVE = 1000;
/** The first piece is small, so that the reader sees the beginning at once. */
const FIRST_PIECE = 100;
const PIECE = 500;
/** A piece holds fewer long records, so that serializing it does not block the event loop. */
const LEAST_PIECE = 10;
const PIECE_CHARACTERS = 512 * 1024;

/** The size of the next piece, from the average record size of the last one. */
const nextPieceSize = ({ text, page }: ListPiece): number => {
  const each = text.length / Math.max(1, page.rows.length);
  return Math.max(LEAST_PIECE, Math.min(PIECE, Math.floor(PIECE_CHARACTERS / Math.max(1, each))));
};

type PagingJson = { readonly before?: string | undefined; readonly after?: string | undefined; readonly total: number };

const buildPaging = (page: Omit<ListPage, 'rows'>, total: number): PagingJson => ({
  ...(page.before === undefined ? {} : { before: page.before }),
  ...(page.after === undefined ? {} : { after: page.after }),
  total,
});

const joinPage = (texts: readonly RecordText[], page: ListPage, total: number): Buffer => {
  const paging = JSON.stringify(buildPaging(page, total));
  return Buffer.concat([Buffer.from('{"data":['), ...separateTexts(texts), Buffer.from(`],"paging":${paging}}`)]);
};

const answerAtOnce = async (reading: ListContext): Promise<Answer> => {
  const { plan, request } = reading;
  const [page, total] = await Promise.all([readListPage(plan, request), plan.total()]);
  if (reading.isShared) {
    const content = joinPage(await renderSharedRows(reading, page.rows), page, total);
    return { status: 200, encoded: { mediaType: 'application/json', content } };
  }
  return { status: 200, json: { data: await renderRows(reading, page.rows), paging: buildPaging(page, total) } };
};

/** The records of a piece as JSON text; a comma separates it from the piece before. */
const renderPieceText = async (
  reading: ListContext,
  rows: readonly ListedRow[],
  isFirst: boolean,
): Promise<Uint8Array> => {
  const texts = separateTexts(await renderRowTexts(reading, rows));
  return Buffer.concat(isFirst || texts.length === 0 ? texts : [COMMA, ...texts]);
};

type ListPiece = { readonly page: ListPage; readonly text: Uint8Array };

const readPiece = async (
  reading: ListContext,
  edge: string | undefined,
  limit: number,
  isFirst: boolean,
): Promise<ListPiece> => {
  const page = await readListPage(reading.plan, { ...reading.request, after: edge, before: undefined, limit });
  return { page, text: await renderPieceText(reading, page.rows, isFirst) };
};

/**
 * Streams a long list forward. Each piece is a short read of its own, so that a slow reader holds no transaction open;
 * the next piece is read while the current one is sent.
 */
async function* streamForward(reading: ListContext): AsyncGenerator<string | Uint8Array> {
  const { request, plan } = reading;
  let left = request.limit;
  const next = (edge: string | undefined, size: number, isFirst: boolean) => {
    left -= size;
    return readPiece(reading, edge, size, isFirst);
  };
  const edgeAfter = (page: ListPage) => page.rows.at(-1)?.sortKey;
  let piece = await next(request.after, Math.min(FIRST_PIECE, left), true);
  const before = piece.page.before;
  yield '{"data":[';
  for (;;) {
    const isLast = piece.page.after === undefined || left <= 0;
    const coming = isLast ? undefined : next(edgeAfter(piece.page), Math.min(nextPieceSize(piece), left), false);
    // An error of a piece that is not awaited yet must not crash the process; it is thrown when the piece is awaited.
    coming?.catch(() => {});
    yield piece.text;
    if (!coming) break;
    piece = await coming;
  }
  const paging = buildPaging({ before, after: piece.page.after }, await plan.total());
  yield `],"paging":${JSON.stringify(paging)}}`;
}

/**
 * Streams a list whose ids must all be known before the first record is written: one that is read backward, or whose
 * reading may be refused. The records are still read piece by piece.
 */
async function* streamFoundRows(reading: ListContext): AsyncGenerator<string | Uint8Array> {
  const { plan, request } = reading;
  const [page, total] = await Promise.all([readListPage(plan, request), plan.total()]);
  yield '{"data":[';
  for (let start = 0; start < page.rows.length; start += PIECE) {
    yield renderPieceText(reading, page.rows.slice(start, start + PIECE), start === 0);
  }
  yield `],"paging":${JSON.stringify(buildPaging(page, total))}}`;
}

/** Reads the first piece before the status is sent, so that an error there still becomes an error answer. */
const startStream = async (
  pieces: AsyncGenerator<string | Uint8Array>,
): Promise<AsyncIterable<string | Uint8Array>> => {
  const first = await pieces.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* pieces;
  })();
};

/** GET of a collection. */
export const answerList = async (engine: Engine, kind: Kind, call: Call): Promise<Answer> => {
  const { fields, include, view, isShared } = parseReadView(engine, kind, call);
  const request = parseList(kind, call.query, include);
  const whole = await anchoredPlan(engine, call.principal, await planList(engine, request, call));
  const visibility = visibilityOf(engine, call.principal, operationsToReadFields(kind, fields), kind.entityType);
  const plan = restrictToVisible(whole, visibility);
  const keepsRendered = request.limit <= STREAM_ABOVE;
  const reading = { engine, request, plan, fields, view, isShared, keepsRendered, principal: call.principal };
  if (keepsRendered) return answerAtOnce({ ...reading, countWork: call.countWork });
  const mustFindFirst = request.before !== undefined || plan.mayBeRefused === true;
  const pieces = mustFindFirst ? streamFoundRows(reading) : streamForward(reading);
  return { status: 200, stream: await startStream(pieces) };
};
