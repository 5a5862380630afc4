import type { Answer } from './route.ts';

/** What becomes of a stream after its first piece: told once, with the failure when there was one. */
export type StreamEnd = (failure?: unknown) => void;

/** A piece of a stream: text, or the same encoded already. */
type Piece = string | Uint8Array;

type ResponseHeaders = Record<string, string>;

/** On every answer, so that no browser takes text that somebody stored for a page or a script. */
export const NO_SNIFFING = Object.freeze({ 'x-content-type-options': 'nosniff' });

/** Control characters and anything beyond Latin-1 would make Node throw while writing, too late for an error body. */
const UNWRITABLE = /[^\t\x20-\x7e\x80-\xff]/;

const headersOf = (answer: Answer, requestId: string, mediaType: string | undefined): ResponseHeaders => {
  const headers: ResponseHeaders = { 'x-request-id': requestId, ...NO_SNIFFING };
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    if (UNWRITABLE.test(value)) throw new Error(`The value of the header ${name} cannot be written`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
};

const bodyless = (answer: Answer, requestId: string): Response => {
  const headers = headersOf(answer, requestId, undefined);
  if (answer.status !== 204 && answer.status !== 304) headers['content-length'] = '0';
  return new Response(null, { status: answer.status, headers });
};

const whole = (
  answer: Answer,
  requestId: string,
  mediaType: string,
  content: string | Uint8Array,
  isHead: boolean,
): Response => {
  const headers = headersOf(answer, requestId, mediaType);
  headers['content-length'] = String(Buffer.byteLength(content));
  return new Response(isHead ? null : content, { status: answer.status, headers });
};

type Outlet = { readonly breakConnection: (() => void) | undefined; readonly ended: StreamEnd };

/**
 * The pieces of a stream as a body that is pulled only as fast as the connection takes it. After a failure the
 * connection is broken: a document that ends well-formed would pass for the whole one.
 */
const bodyOf = (first: IteratorResult<Piece>, pieces: AsyncIterator<Piece>, outlet: Outlet): ReadableStream => {
  let next: IteratorResult<Piece> | undefined = first;
  return new ReadableStream(
    {
      pull: async (controller) => {
        try {
          const { done, value } = next ?? (await pieces.next());
          next = undefined;
          if (!done) return controller.enqueue(typeof value === 'string' ? Buffer.from(value) : value);
          controller.close();
          outlet.ended();
        } catch (failure) {
          outlet.ended(failure);
          // Where there is a connection it is cut here; the adapter would write the failure's text into it.
          if (outlet.breakConnection) outlet.breakConnection();
          else controller.error(failure);
        }
      },
      cancel: async () => {
        outlet.ended();
        await pieces.return?.();
      },
    },
    { highWaterMark: 0 },
  );
};

/** A failure before the first piece is still an ordinary failure, so the first piece is fetched before the status is fixed. */
const streamed = async (
  answer: Answer & { stream: AsyncIterable<Piece> },
  requestId: string,
  isHead: boolean,
  outlet: Outlet,
): Promise<Response> => {
  const headers = headersOf(answer, requestId, 'application/json');
  if (isHead) {
    // A stream that nobody reads may hold something all the same.
    await answer.stream[Symbol.asyncIterator]().return?.();
    outlet.ended();
    return new Response(null, { status: answer.status, headers });
  }
  const pieces = answer.stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  return new Response(bodyOf(first, pieces, outlet), { status: answer.status, headers });
};

const hasStream = (answer: Answer): answer is Answer & { stream: AsyncIterable<Piece> } => answer.stream !== undefined;

/** Whether the answer is finished only when its stream is. */
export const isStream = (answer: Answer): boolean => answer.stream !== undefined;

/** The response for an answer. Throws what serialising it, or fetching its first piece, throws. */
export const respond = (
  answer: Answer,
  requestId: string,
  isHead: boolean,
  outlet: Outlet,
): Response | Promise<Response> => {
  if (answer.json !== undefined) {
    return whole(answer, requestId, 'application/json', JSON.stringify(answer.json), isHead);
  }
  const { encoded } = answer;
  if (encoded !== undefined) return whole(answer, requestId, encoded.mediaType, encoded.content, isHead);
  if (answer.text !== undefined) return whole(answer, requestId, answer.text.mediaType, answer.text.content, isHead);
  return hasStream(answer) ? streamed(answer, requestId, isHead, outlet) : bodyless(answer, requestId);
};
