import { type AnswerEncoding, encodeHeaders, encodeStream, varyByEncoding } from './answer-encoding.ts';
import { compressBody } from './compression.ts';
import type { Answer } from './route.ts';

/** Called once when a stream has ended, with the failure if there was one. */
export type OnStreamEnd = (failure?: unknown) => void;

/** A piece of a stream: text, or encoded text. */
type StreamPiece = string | Uint8Array;

type ResponseHeaders = Record<string, string>;

/**
 * Sent with every answer. No browser treats stored text as a page or a script, and none keeps what the rights of one caller
 * showed for the next; an `ETag` serves clients that send it themselves. Answers that may be cached say so in their headers.
 */
export const COMMON_HEADERS = Object.freeze({
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-store',
});

/** Control characters and characters beyond Latin-1 would make Node throw while writing, too late for an error body. */
const INVALID_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

const buildResponseHeaders = (answer: Answer, requestId: string, mediaType: string | undefined): ResponseHeaders => {
  const headers: ResponseHeaders = { 'x-request-id': requestId, ...COMMON_HEADERS };
  if (mediaType !== undefined) headers['content-type'] = mediaType;
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    if (INVALID_HEADER_VALUE.test(value)) throw new Error(`The value of the header ${name} cannot be written`);
    headers[name.toLowerCase()] = value;
  }
  return headers;
};

/** How a response is written besides its answer. */
export type ResponseOptions = {
  readonly requestId: string;
  /** The response has the headers of the answer, but not its body. */
  readonly isHead: boolean;
  /** How the body may be encoded. Without it, the body stays as it is. */
  readonly encoding?: AnswerEncoding | undefined;
  readonly outlet: StreamOutlet;
};

const respondWithoutBody = (answer: Answer, { requestId, encoding }: ResponseOptions): Response => {
  const headers = buildResponseHeaders(answer, requestId, undefined);
  if (answer.status !== 204 && answer.status !== 304) headers['content-length'] = '0';
  if (answer.status === 304) varyByEncoding(headers, encoding);
  return new Response(null, { status: answer.status, headers });
};

const respondWithBody = (
  answer: Answer,
  mediaType: string,
  content: string | Uint8Array,
  { requestId, isHead, encoding }: ResponseOptions,
): Response | Promise<Response> => {
  const { status } = answer;
  const headers = buildResponseHeaders(answer, requestId, mediaType);
  const bytes = Buffer.byteLength(content);
  const applied = encodeHeaders(headers, bytes, encoding);
  const send = (body: string | Uint8Array, length: number): Response => {
    headers['content-length'] = String(length);
    return new Response(body, { status, headers });
  };
  if (isHead) {
    // How long the body would be when compressed is left out, because only compressing it would show that.
    if (applied === undefined) headers['content-length'] = String(bytes);
    return new Response(null, { status, headers });
  }
  if (applied === undefined) return send(content, bytes);
  const body = compressBody(typeof content === 'string' ? Buffer.from(content) : content, applied);
  return body instanceof Promise ? body.then((done) => send(done, done.byteLength)) : send(body, body.byteLength);
};

type StreamOutlet = { readonly breakConnection: (() => void) | undefined; readonly ended: OnStreamEnd };

/**
 * Builds a response body that is pulled only as fast as the connection takes it. A failure closes the connection,
 * because a document that ends well-formed would pass as complete.
 */
const createBodyStream = (
  first: IteratorResult<StreamPiece>,
  pieces: AsyncIterator<StreamPiece>,
  outlet: StreamOutlet,
): ReadableStream => {
  let next: IteratorResult<StreamPiece> | undefined = first;
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
          // With a connection, it is closed here: the adapter would write the failure's text into it.
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

/** Fetches the first piece before the status is sent, so that a failure until then is answered as an ordinary error. */
const respondWithStream = async (
  answer: Answer & { stream: AsyncIterable<StreamPiece> },
  { requestId, isHead, encoding, outlet }: ResponseOptions,
): Promise<Response> => {
  const headers = buildResponseHeaders(answer, requestId, 'application/json');
  if (isHead) {
    varyByEncoding(headers, encoding);
    // A stream that nobody reads may still hold resources.
    await answer.stream[Symbol.asyncIterator]().return?.();
    outlet.ended();
    return new Response(null, { status: answer.status, headers });
  }
  const stream = answer.isEndless ? answer.stream : await encodeStream(headers, answer.stream, encoding);
  const pieces = stream[Symbol.asyncIterator]();
  const first = await pieces.next();
  return new Response(createBodyStream(first, pieces, outlet), { status: answer.status, headers });
};

const isStreamAnswer = (answer: Answer): answer is Answer & { stream: AsyncIterable<StreamPiece> } =>
  answer.stream !== undefined;

/** Whether the answer is finished only when its stream is. */
export const isStreamedAnswer = (answer: Answer): boolean => answer.stream !== undefined;

const respondWithContent = (answer: Answer, options: ResponseOptions): Response | Promise<Response> => {
  const { json, encoded, text } = answer;
  if (json !== undefined) return respondWithBody(answer, 'application/json', JSON.stringify(json), options);
  if (encoded !== undefined) return respondWithBody(answer, encoded.mediaType, encoded.content, options);
  if (text !== undefined) return respondWithBody(answer, text.mediaType, text.content, options);
  return isStreamAnswer(answer) ? respondWithStream(answer, options) : respondWithoutBody(answer, options);
};

/** Builds the response of an answer. Throws what serialising it, or fetching its first piece, throws. */
export const respond = (answer: Answer, options: ResponseOptions): Response | Promise<Response> => {
  const response = respondWithContent(answer, options);
  const { cookies } = answer;
  if (cookies === undefined) return response;
  const addCookies = (done: Response): Response => {
    for (const cookie of cookies) done.headers.append('set-cookie', cookie);
    return done;
  };
  return response instanceof Promise ? response.then(addCookies) : addCookies(response);
};
