import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { badRequest, CatalogError } from '../errors.ts';
import type { FairShares } from './fair-shares.ts';

/** Receives the bytes of a request body within its limits of size, memory and time. */

/** The memory that one body uses, and the holder it counts for. */
export type BodyBudget = {
  readonly shares: FairShares;
  readonly holder: string;
  /** The bytes taken so far. The end of the request releases them. */
  taken: number;
};

/** How to receive a body: its maximum size, whose share it uses, and how long it may take to arrive. */
export type BodyReceiveOptions = {
  readonly maxBytes: number;
  readonly budget?: BodyBudget | undefined;
  readonly timeoutMs?: number | undefined;
};

export const bodyTooLarge = (maxBytes: number) =>
  new CatalogError('payload_too_large', `Request body is larger than ${maxBytes} bytes`);

const bodyBudgetExhausted = () =>
  new CatalogError('unavailable', 'Too many bytes of request bodies are in memory, try again shortly');

const bodyTimeout = (ms: number) =>
  new CatalogError('request_timeout', `Request body did not arrive within ${ms / 1000} s`);

const bodyIncomplete = (cause?: unknown) => badRequest('Request body ended before it was complete', cause);

/** Collects the pieces of a body and refuses the first one beyond a limit. */
const createBodyCollector = ({ maxBytes, budget }: BodyReceiveOptions) => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const add = (piece: Uint8Array): CatalogError | undefined => {
    size += piece.byteLength;
    if (size > maxBytes) return bodyTooLarge(maxBytes);
    if (budget) {
      if (!budget.shares.take(budget.holder, piece.byteLength)) return bodyBudgetExhausted();
      budget.taken += piece.byteLength;
    }
    pieces.push(piece);
    return undefined;
  };
  return { pieces, add };
};

/** Reads the body of a message from its connection. The rest of a refused body stays unread. */
const readMessage = (message: IncomingMessage, intake: BodyReceiveOptions): Promise<Uint8Array[]> =>
  new Promise((resolve, reject) => {
    const { pieces, add } = createBodyCollector(intake);
    const { timeoutMs } = intake;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => fail(bodyTimeout(timeoutMs)), timeoutMs);
    const stop = () => {
      clearTimeout(timer);
      message.off('data', take).off('end', end).off('error', fail).off('close', close);
    };
    const fail = (failure: Error) => {
      stop();
      message.pause();
      reject(failure instanceof CatalogError ? failure : bodyIncomplete(failure));
    };
    const take = (piece: Uint8Array) => {
      const refusal = add(piece);
      if (refusal) fail(refusal);
    };
    const end = () => {
      stop();
      resolve(pieces);
    };
    const close = () => fail(bodyIncomplete());
    if (message.destroyed && !message.readableEnded) return fail(bodyIncomplete(message.errored));
    message.on('data', take).on('end', end).on('error', fail).on('close', close);
  });

const readStream = async (stream: ReadableStream<Uint8Array>, intake: BodyReceiveOptions): Promise<Uint8Array[]> => {
  const { pieces, add } = createBodyCollector(intake);
  try {
    for await (const piece of stream) {
      const refusal = add(piece);
      // Throwing here cancels the stream, so nothing beyond the limit is kept in memory.
      if (refusal) throw refusal;
    }
    return pieces;
  } catch (failure) {
    throw failure instanceof CatalogError ? failure : bodyIncomplete(failure);
  }
};

const receivePieces = (
  request: Request,
  message: IncomingMessage | undefined,
  intake: BodyReceiveOptions,
): Promise<Uint8Array[]> => {
  if (message) return readMessage(message, intake);
  return request.body === null ? Promise.resolve([]) : readStream(request.body, intake);
};

/** Unpacks a body piece by piece, so that a small body that unpacks to a huge one is refused before it is in memory. */
const unpackPieces = async (packed: readonly Uint8Array[], intake: BodyReceiveOptions): Promise<Uint8Array[]> => {
  const { pieces, add } = createBodyCollector(intake);
  try {
    for await (const piece of Readable.from(packed).pipe(createGunzip())) {
      const refusal = add(piece as Uint8Array);
      if (refusal) throw refusal;
    }
    return pieces;
  } catch (failure) {
    throw failure instanceof CatalogError ? failure : badRequest('Request body is not valid gzip', failure);
  }
};

/** Receives the bytes of a body, in pieces. The limits hold for what arrives and for what it unpacks to. */
export const receiveBody = async (
  request: Request,
  message: IncomingMessage | undefined,
  intake: BodyReceiveOptions,
  isPacked: boolean,
): Promise<Uint8Array[]> => {
  const received = await receivePieces(request, message, intake);
  return isPacked && received.length > 0 ? unpackPieces(received, intake) : received;
};
