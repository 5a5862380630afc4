import { createHmac } from 'node:crypto';
import { type LookupAddress, lookup as lookUp } from 'node:dns';
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import type { Destination } from '../model/schemas/events/destination.ts';
import type { TraceHeaders } from '../tracing/tracing.ts';
import { type DeliveryResult, type ReceiverAnswer, resultOfAnswer } from './delivery-result.ts';
import { hostOfUrl, isLocalHostname, isPublicAddress } from './public-address.ts';

export type WebhookCaller = {
  /**
   * Sends one event or message; never throws. Fails at once when the signal is aborted. The receiver may continue the
   * trace.
   */
  call(destination: Destination, json: string, signal: AbortSignal, trace?: TraceHeaders): Promise<DeliveryResult>;
  /** Closes the idle connections. */
  close(): void;
};

export type WebhookCallerOptions = {
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  /** The DNS lookup. The addresses are checked whichever lookup is used. */
  readonly lookup?: typeof lookUp;
};

/** How long an idle connection is kept, a little shorter than most receivers keep theirs. */
const IDLE_CONNECTION_MS = 4000;
const MAX_FREE_SOCKETS = 64;

/** The most bytes of an answer that are read; the connection is not reused after a longer one. */
const MAX_RESPONSE_BYTES = 256 * 1024;
/** How much of an answer can count. */
const MAX_KEPT_BYTES = 4096;

/** Thrown when a call must not continue; its message is stored in the status of the subscription. */
class WebhookError extends Error {}

const PRIVATE_ADDRESS_REASON = 'The endpoint leads to a private address';
const UNKNOWN_HOST_REASON = 'Unknown host';

/**
 * Resolves names and allows only public addresses. The connection uses the result of this very lookup, so a DNS name
 * that changes its address right after has no effect. A name with private addresses is as unknown as one with none: what
 * the name servers of this network say is not to be told.
 */
const createPublicLookup =
  (look: typeof lookUp): LookupFunction =>
  (host, options, callback) => {
    look(host, { ...options, all: true }, (failure, found: LookupAddress[]) => {
      if (failure) return callback(failure, []);
      const allowed = found.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (!first) return callback(new WebhookError(UNKNOWN_HOST_REASON), []);
      if (options.all) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };

const signBody = (secret: string, body: Buffer): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('base64')}`;

const webhookHeaders = (
  { config = {} }: Destination,
  body: Buffer,
  userAgent: string,
  trace: TraceHeaders | undefined,
): Record<string, string | number> => {
  const { headers = {}, authType, secretKey } = config;
  const bearer = authType?.type === 'bearer' ? authType.secretKey : undefined;
  const secret = bearer ?? secretKey;
  return {
    'User-Agent': userAgent,
    ...headers,
    ...trace,
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(secret === undefined ? {} : { 'X-OM-Signature': signBody(secret, body) }),
    ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }),
  };
};

const webhookUrl = ({ config = {} }: Destination): URL => {
  const address = new URL(config.endpoint ?? '');
  for (const [name, value] of Object.entries(config.queryParams ?? {})) address.searchParams.append(name, value);
  address.hash = '';
  return address;
};

const ERROR_REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Connection refused',
  ECONNRESET: 'Connection closed by the receiver',
  EPIPE: 'Connection closed by the receiver',
  ENOTFOUND: UNKNOWN_HOST_REASON,
  EAI_AGAIN: 'The name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'Host cannot be reached',
  ENETUNREACH: 'Network cannot be reached',
};

/** Describes a failure for the owner of the subscription without revealing anything about this machine. */
const describeFailure = (failure: unknown): string => {
  if (failure instanceof WebhookError) return failure.message;
  const code: unknown = failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
  if (typeof code !== 'string') return 'The call failed';
  return ERROR_REASONS[code] ?? `The call failed: ${code}`;
};

/** Limits each phase of a call by time; the next phase ends the one before. */
const createPhaseTimeout = (expire: (failure: WebhookError) => void) => {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearTimeout(timer);
  const bound = (seconds: number, reason: string) => {
    stop();
    timer = setTimeout(() => expire(new WebhookError(reason)), seconds * 1000);
  };
  return { bound, stop };
};

/** Waits for the connection; a reused one is already there. */
const onConnected = (socket: Socket, isTls: boolean, then: () => void) => {
  if (!socket.connecting && !(isTls && Reflect.get(socket, 'secureConnecting'))) then();
  else socket.once(isTls ? 'secureConnect' : 'connect', then);
};

/** Reads an answer to its end, and returns the beginning of its text. */
const readAnswer = (answer: IncomingMessage): Promise<ReceiverAnswer> =>
  new Promise((resolve, reject) => {
    let bytes = 0;
    const kept: Buffer[] = [];
    const finish = () =>
      resolve({
        statusCode: answer.statusCode ?? 0,
        retryAfter: answer.headers['retry-after'],
        body: Buffer.concat(kept).toString(),
      });
    answer.on('data', (chunk: Buffer) => {
      if (bytes < MAX_KEPT_BYTES) kept.push(chunk.subarray(0, MAX_KEPT_BYTES - bytes));
      bytes += chunk.length;
      if (bytes > MAX_RESPONSE_BYTES) {
        answer.destroy();
        finish();
      }
    });
    answer.once('end', finish);
    answer.once('error', reject);
    answer.once('close', finish);
  });

type WebhookRequest = {
  readonly destination: Destination;
  readonly address: URL;
  readonly body: Buffer;
  readonly signal: AbortSignal;
  readonly trace: TraceHeaders | undefined;
  readonly isRepeated?: boolean;
};

/**
 * The receiver may have closed an idle connection just as it was reused. Such a call never arrived, so it can be
 * repeated.
 */
const isStaleConnection = (request: ClientRequest, failure: unknown): boolean =>
  request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(String(Reflect.get(Object(failure), 'code')));

/** How webhooks are sent: over which connections, and to which addresses. */
type WebhookTransport = {
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
};

const openTransport = ({ allowPrivate, userAgent, lookup = lookUp }: WebhookCallerOptions): WebhookTransport => {
  const options = {
    keepAlive: true,
    maxFreeSockets: MAX_FREE_SOCKETS,
    timeout: IDLE_CONNECTION_MS,
    ...(allowPrivate ? {} : { lookup: createPublicLookup(lookup) }),
  };
  return { allowPrivate, userAgent, agents: { http: new HttpAgent(options), https: new HttpsAgent(options) } };
};

const mayConnect = ({ allowPrivate }: WebhookTransport, address: string): boolean =>
  allowPrivate || isPublicAddress(address);

const isTlsAddress = ({ protocol }: URL): boolean => protocol === 'https:';

const openRequest = (
  { agents, userAgent }: WebhookTransport,
  { destination, address, body, signal, trace }: WebhookRequest,
): ClientRequest => {
  const isTls = isTlsAddress(address);
  const send = isTls ? httpsRequest : httpRequest;
  return send(address, {
    method: destination.config?.httpMethod ?? 'POST',
    headers: webhookHeaders(destination, body, userAgent, trace),
    agent: isTls ? agents.https : agents.http,
    signal,
  });
};

const sendWebhook = (transport: WebhookTransport, sending: WebhookRequest): Promise<DeliveryResult> =>
  new Promise((resolve, reject) => {
    const { destination, address, body } = sending;
    const request = openRequest(transport, sending);
    const clock = createPhaseTimeout((failure) => request.destroy(failure));
    const finish = (complete: () => void) => {
      clock.stop();
      complete();
    };
    clock.bound(destination.timeout, `No connection within ${destination.timeout} s`);
    request.once('socket', (socket) =>
      onConnected(socket, isTlsAddress(address), () => {
        // This checks the actual remote address, which also covers addresses that need no lookup.
        const isAllowed = mayConnect(transport, socket.remoteAddress ?? '');
        if (!isAllowed) request.destroy(new WebhookError(PRIVATE_ADDRESS_REASON));
        else clock.bound(destination.readTimeout, `No answer within ${destination.readTimeout} s`);
      }),
    );
    request.once('response', (answer) => {
      readAnswer(answer).then(
        (read) => finish(() => resolve(resultOfAnswer(destination.type, read, Date.now()))),
        (failure) => finish(() => reject(failure)),
      );
    });
    request.once('error', (failure) => {
      if (isStaleConnection(request, failure) && !sending.isRepeated) {
        finish(() => resolve(sendWebhook(transport, { ...sending, isRepeated: true })));
      } else finish(() => reject(failure));
    });
    request.end(body);
  });

/** Refuses an address whose host says that it is private. Names that lead there are refused at their lookup. */
const checkHost = (transport: WebhookTransport, address: URL): void => {
  const host = hostOfUrl(address);
  if (!transport.allowPrivate && isLocalHostname(host)) throw new WebhookError(PRIVATE_ADDRESS_REASON);
  if (isIP(host) !== 0 && !mayConnect(transport, host)) throw new WebhookError(PRIVATE_ADDRESS_REASON);
};

export const createWebhookCaller = (options: WebhookCallerOptions): WebhookCaller => {
  const transport = openTransport(options);
  return {
    call: async (destination, json, signal, trace) => {
      try {
        const address = webhookUrl(destination);
        checkHost(transport, address);
        return await sendWebhook(transport, { destination, address, body: Buffer.from(json), signal, trace });
      } catch (failure) {
        return { isOk: false, reason: signal.aborted ? 'The call was given up' : describeFailure(failure) };
      }
    },
    close: () => {
      transport.agents.http.destroy();
      transport.agents.https.destroy();
    },
  };
};
