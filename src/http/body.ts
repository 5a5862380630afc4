import { badRequest, CatalogError } from '../errors.ts';
import { assertDepth } from '../model/json.ts';
import { findJsonFault } from './json-fault.ts';
import type { BodyReader } from './route.ts';

/** What a body may be: its size, and its media types unless any will do. */
export type BodyLimits = { readonly maxBytes: number; readonly mediaTypes?: readonly string[] | undefined };

type HeaderLookup = (name: string) => string | undefined;

const JSON_TYPES = ['application/json', 'application/merge-patch+json', 'application/json-patch+json'];
const MAX_JSON_DEPTH = 100;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const tooLarge = (maxBytes: number) =>
  new CatalogError('payload_too_large', `Request body is larger than ${maxBytes} bytes`);

const unsupported = (message: string) => new CatalogError('unsupported_media_type', message);

const assertEncoding = (header: HeaderLookup): void => {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? 'identity';
  if (encoding !== 'identity' && encoding !== '') throw unsupported('Compressed request bodies are not supported');
};

/** An absent media type says nothing wrong: many small clients leave it out. */
const assertMediaType = (header: HeaderLookup, allowed: readonly string[]): void => {
  const declared = header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (declared === '' || allowed.includes(declared) || allowed.includes('*/*')) return;
  throw unsupported(`Unsupported media type, expected ${allowed.join(' or ')}`);
};

/** The bytes of a body, so many at once or a few more, and the last of them whatever there are. */
async function* counted(stream: ReadableStream<Uint8Array>, maxBytes: number, atOnce: number): AsyncGenerator<Buffer> {
  let pieces: Uint8Array[] = [];
  let [size, held] = [0, 0];
  for await (const piece of stream) {
    size += piece.byteLength;
    // Leaving the loop cancels the stream, so what is beyond the limit is never held.
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
    held += piece.byteLength;
    if (held < atOnce) continue;
    yield Buffer.concat(pieces, held);
    [pieces, held] = [[], 0];
  }
  yield Buffer.concat(pieces, held);
}

const readCounted = async (stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  for await (const all of counted(stream, maxBytes, Number.POSITIVE_INFINITY)) return all;
  return Buffer.alloc(0);
};

/** What went wrong while a body was read, as the caller is told of it. */
const readingFailure = (failure: unknown): unknown =>
  failure instanceof CatalogError ? failure : badRequest('Request body ended before it was complete', failure);

const notUtf8 = (failure: unknown): CatalogError => badRequest('Request body is not valid UTF-8', failure);

const PIECE_BYTES = 64 * 1024;

/** A body as text that is decoded while it comes in. */
const readPieces = async (request: Request, maxBytes: number): Promise<string[]> => {
  const pieces: string[] = [];
  if (request.body === null) return pieces;
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decoded = (bytes?: Uint8Array): string => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (failure) {
      throw notUtf8(failure);
    }
  };
  try {
    for await (const bytes of counted(request.body, maxBytes, PIECE_BYTES)) pieces.push(decoded(bytes));
  } catch (failure) {
    throw readingFailure(failure);
  }
  pieces.push(decoded());
  return pieces.filter((piece) => piece !== '');
};

/** A declared length is enforced by the HTTP parser, so such a body is read in one go; any other is counted. */
const readBytes = async (request: Request, length: string | undefined, maxBytes: number): Promise<Uint8Array> => {
  try {
    if (length === undefined)
      return request.body === null ? Buffer.alloc(0) : await readCounted(request.body, maxBytes);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  } catch (failure) {
    throw readingFailure(failure);
  }
};

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch (failure) {
    throw notUtf8(failure);
  }
};

/** Parses JSON text within the nesting limit. Throws 400 with the position of the fault and without the content. */
export const parseJson = (text: string): unknown => {
  assertDepth(text, MAX_JSON_DEPTH);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`Malformed JSON at position ${findJsonFault(text) ?? text.length}`);
  }
};

/** The body of a request that has none. */
export const emptyBody: BodyReader = Object.freeze({
  json: () => Promise.resolve(undefined),
  text: () => Promise.resolve(''),
  pieces: () => Promise.resolve([]),
});

/** Reads the body of one request at most once, however often it is asked for in one way. */
export const bodyReader = (request: Request, header: HeaderLookup, limits: BodyLimits): BodyReader => {
  const length = header('content-length');
  if (length === '0') return emptyBody;
  let reading: Promise<string> | undefined;
  let readingPieces: Promise<string[]> | undefined;
  /** Whether there is a body; throws for one that is not what was asked for. */
  const admit = (mediaTypes: readonly string[]): boolean => {
    // A request without a body has no media type worth judging, whatever its header says.
    if (length === undefined && header('transfer-encoding') === undefined && request.body === null) return false;
    assertMediaType(header, mediaTypes);
    assertEncoding(header);
    if (length !== undefined && Number(length) > limits.maxBytes) throw tooLarge(limits.maxBytes);
    return true;
  };
  const read = async (mediaTypes: readonly string[]): Promise<string> =>
    admit(mediaTypes) ? decode(await readBytes(request, length, limits.maxBytes)) : '';
  const textOf = (mediaTypes: readonly string[]): Promise<string> => {
    reading ??= read(mediaTypes);
    return reading;
  };
  const anyTypes = limits.mediaTypes ?? ['*/*'];
  return {
    text: () => textOf(anyTypes),
    pieces: () => {
      readingPieces ??= (async () => (admit(anyTypes) ? readPieces(request, limits.maxBytes) : []))();
      return readingPieces;
    },
    json: async () => {
      const text = await textOf(limits.mediaTypes ?? JSON_TYPES);
      return text.trim() === '' ? undefined : parseJson(text);
    },
  };
};
