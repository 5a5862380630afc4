import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { badRequest, CatalogError } from '../errors.ts';
import { assertJsonDepth } from '../model/json.ts';
import { findJsonSyntaxError } from './json-syntax-error.ts';
import { type BodyReceiveOptions, bodyTooLarge, receiveBody } from './receive-body.ts';
import type { BodyReader } from './route.ts';

/** Reads, decodes and parses request bodies. */

/** The limits of a body: how it is received, and its allowed media types (all by default). */
export type BodyLimits = BodyReceiveOptions & { readonly mediaTypes?: readonly string[] | undefined };

/** A body that can be received before the handler reads it, and passed on unparsed. */
export type ReceivedBody = BodyReader & {
  /** Receives the body if its media type is allowed. Answers its size, or 0 for a body that was left unread. */
  receive(): Promise<number>;
  /** Copies the bytes of a body, in order, for another thread. Refuses a body that `receive` leaves unread. */
  take(): Promise<Uint8Array<ArrayBuffer>[]>;
};

/** How much of a body is copied in one turn of the event loop: less than a millisecond of work. */
const MAX_COPY_BYTES = 1024 * 1024;

type GetHeader = (name: string) => string | undefined;

const JSON_TYPES = ['application/json', 'application/merge-patch+json', 'application/json-patch+json'];
const MAX_JSON_DEPTH = 100;
/** A table of 20,000 columns has some 100,000 values; each value takes up to 100 bytes when it is parsed. */
const MAX_JSON_VALUES = 2_000_000;

const utf8 = new TextDecoder('utf-8', { fatal: true });

const unsupportedMediaType = (message: string) => new CatalogError('unsupported_media_type', message);

type BodyEncoding = 'identity' | 'gzip' | 'other';

const bodyEncoding = (header: GetHeader): BodyEncoding => {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return 'identity';
  return encoding === 'gzip' || encoding === 'x-gzip' ? 'gzip' : 'other';
};

const assertEncoding = (header: GetHeader): void => {
  if (bodyEncoding(header) === 'other') throw unsupportedMediaType('Unsupported content encoding, expected gzip');
};

/** Answers the media type in lower case, and an empty text when there is none. */
const declaredMediaType = (header: GetHeader): string =>
  header('content-type')?.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Whether the media type is allowed. Only the bytes show whether a body without one is empty and needs none. */
const hasMediaType = (header: GetHeader, allowed: readonly string[]): boolean => {
  const declared = declaredMediaType(header);
  return declared === '' || allowed.includes(declared) || allowed.includes('*/*');
};

const assertMediaType = (header: GetHeader, allowed: readonly string[]): void => {
  if (!hasMediaType(header, allowed))
    throw unsupportedMediaType(`Unsupported media type, expected ${allowed.join(' or ')}`);
};

/** A page of another site can send a body without a media type to any service, and every client can name one. */
const missingMediaType = () => unsupportedMediaType('A request with a body needs a Content-Type header');

const notUtf8 = (failure: unknown): CatalogError => badRequest('Request body is not valid UTF-8', failure);

/** Decodes pieces that may end within a character to strings that do not. */
const decodePieces = (received: readonly Uint8Array[]): string[] => {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    const texts = received.map((bytes) => decoder.decode(bytes, { stream: true }));
    return [...texts, decoder.decode()].filter((text) => text !== '');
  } catch (failure) {
    throw notUtf8(failure);
  }
};

const totalBytes = (pieces: readonly Uint8Array[]): number =>
  pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);

const joinBytes = (received: readonly Uint8Array[]): Uint8Array =>
  received.length === 1 && received[0] ? received[0] : Buffer.concat(received);

/**
 * Copies bytes to memory of their own, because received bytes may share their memory with other requests. Fresh memory
 * costs the processor more than the copying itself, so a long body is copied over many turns.
 */
const copyBytes = async (received: readonly Uint8Array[]): Promise<Uint8Array<ArrayBuffer>[]> => {
  const copies: Uint8Array<ArrayBuffer>[] = [];
  let left = totalBytes(received);
  let at = 0;
  for (const piece of received) {
    for (let from = 0; from < piece.byteLength; ) {
      let copy = copies.at(-1);
      if (!copy || at === copy.byteLength) {
        if (copy) await nextTurn();
        copy = new Uint8Array(Math.min(left, MAX_COPY_BYTES));
        copies.push(copy);
        at = 0;
      }
      const part = piece.subarray(from, from + copy.byteLength - at);
      copy.set(part, at);
      at += part.byteLength;
      from += part.byteLength;
      left -= part.byteLength;
    }
  }
  return copies;
};

const decodeText = (received: readonly Uint8Array[]): string => {
  try {
    return utf8.decode(joinBytes(received));
  } catch (failure) {
    throw notUtf8(failure);
  }
};

/** Parses JSON text within the nesting limit. Throws 400 with the position of the error and without the content. */
export const parseJson = (text: string): unknown => {
  assertJsonDepth(text, MAX_JSON_DEPTH, MAX_JSON_VALUES);
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(`Malformed JSON at position ${findJsonSyntaxError(text) ?? text.length}`);
  }
};

/** The body of a request without one. */
export const emptyBody: ReceivedBody = Object.freeze({
  json: () => Promise.resolve(undefined),
  text: () => Promise.resolve(''),
  pieces: () => Promise.resolve([]),
  receive: () => Promise.resolve(0),
  take: () => Promise.resolve([]),
});

/** Reads a body whose bytes have arrived. */
const createBodyReader = (
  mediaTypes: readonly string[] | undefined,
  receive: (types: readonly string[]) => Promise<Uint8Array[]>,
) => {
  let reading: Promise<string> | undefined;
  let readingPieces: Promise<string[]> | undefined;
  const anyTypes = mediaTypes ?? ['*/*'];
  const textOf = (types: readonly string[]): Promise<string> => {
    reading ??= receive(types).then(decodeText);
    return reading;
  };
  return {
    text: () => textOf(anyTypes),
    pieces: () => {
      readingPieces ??= receive(anyTypes).then(decodePieces);
      return readingPieces;
    },
    json: async () => {
      const text = await textOf(mediaTypes ?? JSON_TYPES);
      return text.trim() === '' ? undefined : parseJson(text);
    },
  };
};

/** Builds a body from the pieces that another thread received and validated. */
export const createBodyOfPieces = (
  pieces: readonly Uint8Array[],
  mediaTypes: readonly string[] | undefined,
): BodyReader => createBodyReader(mediaTypes, () => Promise.resolve([...pieces]));

/**
 * Reads the body of one request at most once, however often the handler asks for the same form. `receive` fetches its
 * bytes beforehand. A body that is not allowed is left unread, and refused when the handler reads it.
 */
export const createReceivedBody = (
  request: Request,
  message: IncomingMessage | undefined,
  header: GetHeader,
  limits: BodyLimits,
): ReceivedBody => {
  const length = header('content-length');
  if (length === '0') return emptyBody;
  // The media type of a request without a body does not matter, whatever its header says.
  const isAbsent = length === undefined && header('transfer-encoding') === undefined && request.body === null;
  if (isAbsent) return emptyBody;
  const isTooLong = length !== undefined && Number(length) > limits.maxBytes;
  let receiving: Promise<Uint8Array[]> | undefined;
  const receiveTyped = async (): Promise<Uint8Array[]> => {
    const isUntyped = declaredMediaType(header) === '';
    if (isUntyped && length !== undefined) throw missingMediaType();
    const received = await receiveBody(request, message, limits, bodyEncoding(header) === 'gzip');
    if (isUntyped && totalBytes(received) > 0) throw missingMediaType();
    return received;
  };
  const receive = (): Promise<Uint8Array[]> => {
    receiving ??= receiveTyped();
    return receiving;
  };
  const admit = async (mediaTypes: readonly string[]): Promise<Uint8Array[]> => {
    assertMediaType(header, mediaTypes);
    assertEncoding(header);
    if (isTooLong) throw bodyTooLarge(limits.maxBytes);
    return receive();
  };
  const anyTypes = limits.mediaTypes ?? ['*/*'];
  const isAdmitted = () =>
    !isTooLong && bodyEncoding(header) !== 'other' && (!limits.mediaTypes || hasMediaType(header, limits.mediaTypes));
  return {
    ...createBodyReader(limits.mediaTypes, admit),
    receive: async () => {
      if (!isAdmitted()) return 0;
      return totalBytes(await receive());
    },
    take: async () => copyBytes(await admit(anyTypes)),
  };
};
