import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { RequestSpan } from '../tracing/tracing.ts';
import type { AnswerEncoding } from './answer-encoding.ts';
import type { BodyBudget } from './receive-body.ts';
import type { RequestSlot } from './request-slot.ts';
import type { Call } from './route.ts';

/** The request for which the service asks itself, in the name of the same caller. */
export type AskingCall = Pick<Call, 'address' | 'requestId' | 'slot'>;

/** What comes with a request besides itself: its connection, or the request for which the service asks itself. */
export type RequestBindings = Partial<HttpBindings> & { readonly askedBy?: AskingCall | undefined };

/** One request on its way through the router, with the facts collected about it. */
export type RequestContext = {
  readonly request: Request;
  /** The message of the connection, where there is one. */
  readonly message: IncomingMessage | undefined;
  readonly requestId: string;
  readonly method: string;
  /** The target in the request line. Absent without a socket, or when it was not a path. */
  readonly target: string | undefined;
  /** The address of the peer of the connection. */
  readonly peer: string | undefined;
  /** The request that this one is a part of, when the service asks itself. */
  readonly askedBy: AskingCall | undefined;
  readonly header: (name: string) => string | undefined;
  /** Closes the connection, where there is one. */
  readonly breakConnection: (() => void) | undefined;
  /** Runs work after the answer was sent or, without a connection, when nothing more urgent waits. */
  readonly runAfterAnswer: (work: () => void) => void;
  readonly startedMs: number;
  route: string;
  user: string | undefined;
  isFinished: boolean;
  /** The slot that the request occupies, while it does. */
  slot: RequestSlot | undefined;
  /** The query parameters that the route does not declare, which it never sees. */
  ignoredParameters: readonly string[];
  /** The bytes of its body that count against the memory budget. */
  budget: BodyBudget | undefined;
  /** How the answer may be encoded. Absent while its route is unknown, and where it is sent as it is. */
  encoding: AnswerEncoding | undefined;
  /** The span of the request, where requests are traced. */
  span: RequestSpan | undefined;
};

/** The route of a request whose path no route has. */
export const UNKNOWN_ROUTE = 'unknown';

const VALID_REQUEST_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

const chooseRequestId = (given: string | undefined): string =>
  given !== undefined && VALID_REQUEST_ID.test(given) ? given : randomUUID();

/** Reads headers from Node's plain object, because asking the Request for them would build a second one. */
const headersOfMessage = (incoming: IncomingMessage) => (name: string) => {
  const value = incoming.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
};

const headersOfRequest = (request: Request) => (name: string) => request.headers.get(name) ?? undefined;

/** Creates the context of a request. Without a socket (in tests) everything comes from the Request itself. */
export const createRequestContext = (request: Request, bindings: RequestBindings | undefined): RequestContext => {
  const incoming = bindings?.incoming;
  const outgoing = bindings?.outgoing;
  const askedBy = bindings?.askedBy;
  const header = incoming ? headersOfMessage(incoming) : headersOfRequest(request);
  return {
    request,
    message: incoming,
    requestId: askedBy?.requestId ?? chooseRequestId(header('x-request-id')),
    method: request.method,
    target: incoming?.url?.startsWith('/') ? incoming.url : undefined,
    peer: incoming?.socket?.remoteAddress,
    askedBy,
    header,
    breakConnection: outgoing ? () => outgoing.destroy() : undefined,
    runAfterAnswer: outgoing ? setImmediate : (work) => work(),
    startedMs: performance.now(),
    route: UNKNOWN_ROUTE,
    user: undefined,
    isFinished: false,
    slot: undefined,
    ignoredParameters: [],
    budget: undefined,
    encoding: undefined,
    span: undefined,
  };
};
