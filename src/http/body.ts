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

const readCounted = async (stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.byteLength;
    // Leaving the loop cancels the stream, so what is beyond the limit is never held.
    if (size > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
};

/** A declared length is enforced by the HTTP parser, so such a body is read in one go; any other is counted. */
const readBytes = async (request: Request, length: string | undefined, maxBytes: number): Promise<Uint8Array> => {
  if (length !== undefined && Number(length) > maxBytes) throw tooLarge(maxBytes);
  try {
    if (length === undefined)
      return request.body === null ? Buffer.alloc(0) : await readCounted(request.body, maxBytes);
    const bytes = new Uint8Array(await request.arrayBuffer());
    if (bytes.byteLength > maxBytes) throw tooLarge(maxBytes);
    return bytes;
  } catch (failure) {
    if (failure instanceof CatalogError) throw failure;
    throw badRequest('Request body ended before it was complete', failure);
  }
};

const decode = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes);
  } catch (failure) {
    throw badRequest('Request body is not valid UTF-8', failure);
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
});

/** Reads the body of one request at most once, however often it is asked for. */
export const bodyReader = (request: Request, header: HeaderLookup, limits: BodyLimits): BodyReader => {
  const length = header('content-length');
  if (length === '0') return emptyBody;
  let reading: Promise<string> | undefined;
  const read = async (mediaTypes: readonly string[]): Promise<string> => {
    // A request without a body has no media type worth judging, whatever its header says.
    if (length === undefined && header('transfer-encoding') === undefined && request.body === null) return '';
    assertMediaType(header, mediaTypes);
    assertEncoding(header);
    return decode(await readBytes(request, length, limits.maxBytes));
  };
  const textOf = (mediaTypes: readonly string[]): Promise<string> => {
    reading ??= read(mediaTypes);
    return reading;
  };
  return {
    text: () => textOf(limits.mediaTypes ?? ['*/*']),
    json: async () => {
      const text = await textOf(limits.mediaTypes ?? JSON_TYPES);
      return text.trim() === '' ? undefined : parseJson(text);
    },
  };
};
