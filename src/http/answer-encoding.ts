import { isLoopback } from '../config.ts';
import { chooseEncoding } from './choose-encoding.ts';
import { compressPieces, ENCODINGS, type Encoding } from './compression.ts';
import type { RequestContext } from './request-context.ts';
import type { Route } from './route.ts';

/** Decides which answers are compressed, and for whom. */

/** For whom answers are compressed: `remote` are the callers on other machines and those behind a proxy. */
export type CompressionMode = 'off' | 'remote' | 'all';

/** How the answer to one caller may be encoded. */
export type AnswerEncoding = {
  /** Absent when this caller gets plain content where another one would not. */
  readonly encoding: Encoding | undefined;
};

/** Shorter bodies fit into the packet that carries their headers. */
const MIN_BYTES = 1024;

/** Types whose content is text. Pictures and archives are compressed already, and events must not wait for each other. */
const TEXT_TYPE =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.-]+\+)?(?:json|x-ndjson|yaml|x-yaml|xml)(?:$|[\s;])|image\/svg\+xml)/i;

/** Headers by which a proxy says that the request comes from elsewhere. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'via'];

/** Whether a program on this machine asks: bytes cost it nothing, and to decompress them costs more than to read them. */
const isLocalProgram = ({ peer, header }: RequestContext): boolean =>
  peer !== undefined && isLoopback(peer) && PROXY_HEADERS.every((name) => header(name) === undefined);

/** Chooses how the answer of a route may be encoded. Answers undefined where nobody gets it compressed. */
export const chooseAnswerEncoding = (
  mode: CompressionMode,
  { path, showsCredentials }: Pick<Route, 'path' | 'showsCredentials'>,
  context: RequestContext,
): AnswerEncoding | undefined => {
  if (mode === 'off' || showsCredentials || !path.startsWith('/v1/')) return undefined;
  const encoding = chooseEncoding(context.header('accept-encoding'), ENCODINGS);
  return { encoding: encoding !== undefined && mode === 'remote' && isLocalProgram(context) ? undefined : encoding };
};

type Headers = Record<string, string>;

const addVary = (headers: Headers): void => {
  const { vary } = headers;
  if (vary === undefined) headers['vary'] = 'Accept-Encoding';
  else if (!/(?:^|[\s,])(?:\*|accept-encoding)(?:$|[\s,])/i.test(vary)) headers['vary'] = `${vary}, Accept-Encoding`;
};

const isEncodable = (headers: Headers, bytes: number): boolean =>
  bytes >= MIN_BYTES && headers['content-encoding'] === undefined && TEXT_TYPE.test(headers['content-type'] ?? '');

/**
 * Completes the headers of an answer of so many bytes, and answers the encoding that its body gets. The `ETag` stays the
 * same in every encoding: it names the state of a record, whichever fields of it an answer shows, and clients send it
 * back as `If-Match`.
 */
export const encodeHeaders = (
  headers: Headers,
  bytes: number,
  chosen: AnswerEncoding | undefined,
): Encoding | undefined => {
  if (chosen === undefined || !isEncodable(headers, bytes)) return undefined;
  addVary(headers);
  if (chosen.encoding !== undefined) headers['content-encoding'] = chosen.encoding;
  return chosen.encoding;
};

/** Completes the headers of an answer without the body on which its encoding depends. */
export const varyByEncoding = (headers: Headers, chosen: AnswerEncoding | undefined): void => {
  if (chosen !== undefined) addVary(headers);
};

type StreamPiece = string | Uint8Array;

async function* resumeStream(start: Uint8Array, rest: AsyncIterator<StreamPiece>): AsyncGenerator<StreamPiece> {
  try {
    yield start;
    for (;;) {
      const { done, value } = await rest.next();
      if (done) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}

/** Fetches pieces until they are long enough to be compressed. */
const readStart = async (pieces: AsyncIterator<StreamPiece>): Promise<Buffer> => {
  const start: Buffer[] = [];
  for (let bytes = 0; bytes < MIN_BYTES; ) {
    const { done, value } = await pieces.next();
    if (done) break;
    const piece =
      typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    start.push(piece);
    bytes += piece.byteLength;
  }
  return Buffer.concat(start);
};

/**
 * Completes the headers of a streamed answer, and answers the stream in the encoding that it gets. Whether it is long
 * enough shows when its start has been fetched, which fails where the stream does.
 */
export const encodeStream = async (
  headers: Headers,
  stream: AsyncIterable<StreamPiece>,
  chosen: AnswerEncoding | undefined,
): Promise<AsyncIterable<StreamPiece>> => {
  if (chosen === undefined || !isEncodable(headers, MIN_BYTES)) return stream;
  if (chosen.encoding === undefined) {
    addVary(headers);
    return stream;
  }
  const pieces = stream[Symbol.asyncIterator]();
  const start = await readStart(pieces);
  const resumed = resumeStream(start, pieces);
  const encoding = encodeHeaders(headers, start.byteLength, chosen);
  return encoding === undefined ? resumed : compressPieces(resumed, encoding);
};
