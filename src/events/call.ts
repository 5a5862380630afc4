import { createHmac } from 'node:crypto';
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Destination } from '../model/destination-values.ts';
import { hostOf, isLocalName, isPublicAddress } from './address.ts';

/** How one call went. */
export type CallResult =
  | { readonly isOk: true; readonly statusCode: number }
  | { readonly isOk: false; readonly statusCode?: number; readonly reason: string };

/** Calls webhooks. */
export type Caller = {
  /** Sends one event; never throws. It fails at once when the signal is aborted. */
  call(destination: Destination, json: string, signal: AbortSignal): Promise<CallResult>;
  /** Closes the connections that are kept for the next call. */
  close(): void;
};

export type CallerOptions = {
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** How names are looked up; the addresses that come out are judged whatever looked them up. */
  readonly lookup?: typeof lookUp;
};

/** A connection nobody uses is kept this long, a little shorter than most receivers keep theirs. */
const IDLE_MS = 4000;
const MAX_FREE_SOCKETS = 64;

/** More of an answer than this is not read; the connection is then of no further use. */
const MAX_ANSWER_BYTES = 256 * 1024;

/** Thrown where a call may not go on; its message is for the record of the subscription. */
class CallFailure extends Error {}

const PRIVATE = 'The endpoint leads to a private address';

/**
 * Looks names up and lets only public addresses through. The connection is made to what comes out of this very look, so
 * a name that stands for another address a moment later makes no difference.
 */
const guardedLookup =
  (look: typeof lookUp): LookupFunction =>
  (host, options, callback) => {
    look(host, { ...options, all: true }, (failure, found: LookupAddress[]) => {
      if (failure) return callback(failure, []);
      const allowed = found.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (!first) return callback(new CallFailure(PRIVATE), []);
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };

const sign = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;

const headersFor = ({ config = {} }: Destination, body: Buffer, userAgent: string): Record<string, string | number> => {
  const { headers = {}, authType, secretKey } = config;
  const bearer = authType?.type === 'bearer' ? authType.secretKey : undefined;
  const secret = bearer ?? secretKey;
  return {
    'User-Agent': userAgent,
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(secret === undefined ? {} : { 'X-OM-Signature': sign(secret, body) }),
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
  };
};

const addressFor = ({ config = {} }: Destination): URL => {
  const address = new URL(config.endpoint ?? '');
  for (const [name, value] of Object.entries(config.queryParams ?? {})) address.searchParams.append(name, value);
  address.hash = '';
  return address;
};

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed by the receiver',
  EPIPE: 'Connection closed by the receiver',
  ENOTFOUND: 'Unknown host',
  EAI_AGAIN: 'The name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'Host cannot be reached',
  ENETUNREACH: 'Network cannot be reached',
};

/** A reason that tells the keeper of the subscription something and nothing about this machine. */
const reasonOf = (failure: unknown): string => {
  if (failure instanceof CallFailure) return failure.message;
  const code: unknown = failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
  if (typeof code !== 'string') return 'The call failed';
  return REASONS[code] ?? `The call failed: ${code}`;
};

/** Bounds a phase of a call by time; each phase ends the one before. */
const createClock = (expire: (failure: CallFailure) => void) => {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const bound = (seconds: number, reason: string) => {
    stop();
    timer = setTimeout(() => expire(new CallFailure(reason)), seconds * 1000);
  };
  return { bound, stop };
};

/** Waits for the connection; a kept one is there already. */
const whenConnected = (socket: Socket, isTls: boolean, then: () => void) => {
  if (!socket.connecting && !(isTls && Reflect.get(socket, 'secureConnecting'))) then();
  else socket.once(isTls ? 'secureConnect' : 'connect', then);
};

const drain = (answer: IncomingMessage): Promise<void> =>
  new Promise((resolve, reject) => {
    let bytes = 0;
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) {
        answer.destroy();
        resolve();
      }
    });
    answer.once('end', resolve);
    answer.once('error', reject);
    answer.once('close', resolve);
  });

const resultOf = (statusCode: number): CallResult =>
  statusCode >= 200 && statusCode < 300
    ? { isOk: true, statusCode }
    : { isOk: false, statusCode, reason: `The receiver answered ${statusCode}` };

type Sending = {
  readonly destination: Destination;
  readonly address: URL;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly isRepeated?: boolean;
};

/** A kept connection may have been closed by the receiver just when it was used again: that call never arrived. */
const isStale = (request: ClientRequest, failure: unknown): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(Object(failure), 'code')));

export const createCaller = ({ allowPrivate, userAgent, lookup = lookUp }: CallerOptions): Caller => {
  const options = {
    keepAlive: true,
    maxFreeSockets: MAX_FREE_SOCKETS,
    timeout: IDLE_MS,
    ...(allowPrivate ? {} : { lookup: guardedLookup(lookup) }),
  };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };

  const mayConnect = (address: string): boolean => allowPrivate || isPublicAddress(address);

  const open = ({ destination, address, body, signal }: Sending): ClientRequest => {
    const isTls = address.protocol === 'https:';
    const send = isTls ? httpsRequest : httpRequest;
    return send(address, {
      method: destination.config?.httpMethod ?? 'POST',
      headers: headersFor(destination, body, userAgent),
      agent: isTls ? agents.https : agents.http,
      signal,
    });
  };

  const send = (sending: Sending): Promise<CallResult> =>
    new Promise((resolve, reject) => {
      const { destination, address, body } = sending;
      const isTls = address.protocol === 'https:';
      const request = open(sending);
      const clock = createClock((failure) => request.destroy(failure));
      const finish = (settle: () => void) => {
        clock.stop();
        settle();
      };
      clock.bound(destination.timeout, `No connection within ${destination.timeout} s`);
      request.once('socket', (socket) =>
        whenConnected(socket, isTls, () => {
          // What the look-up let through is what it was connected to; this holds for addresses without a name too.
          if (!mayConnect(socket.remoteAddress ?? '')) request.destroy(new CallFailure(PRIVATE));
          else clock.bound(destination.readTimeout, `No answer within ${destination.readTimeout} s`);
        }),
      );
      request.once('response', (answer) => {
        drain(answer).then(
          () => finish(() => resolve(resultOf(answer.statusCode ?? 0))),
          (failure) => finish(() => reject(failure)),
        );
      });
      request.once('error', (failure) => {
        if (isStale(request, failure) && !sending.isRepeated) {
          finish(() => resolve(send({ ...sending, isRepeated: true })));
        } else finish(() => reject(failure));
      });
      request.end(body);
    });

  return {
    call: async (destination, json, signal) => {
      try {
        const address = addressFor(destination);
        const host = hostOf(address);
        if (!allowPrivate && isLocalName(host)) throw new CallFailure(PRIVATE);
        if (isIP(host) !== 0 && !mayConnect(host)) throw new CallFailure(PRIVATE);
        return await send({ destination, address, body: Buffer.from(json), signal });
      } catch (failure) {
        return { isOk: false, reason: signal.aborted ? 'The call was given up' : reasonOf(failure) };
      }
    },
    close: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
};
