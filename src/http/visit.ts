import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { HttpBindings } from '@hono/node-server';
import type { BodyBudget } from './intake.ts';

/** One request on its way through the router, with what is noted about it along the way. */
export type Visit = {
  readonly request: Request;
  /** What came over the connection, where there is one. */
  readonly message: IncomingMessage | undefined;
  readonly requestId: string;
  readonly method: string;
  /** The request target as it stood in the request line; absent without a socket, or when it was not a path. */
  readonly target: string | undefined;
  /** The other end of the connection. */
  readonly peer: string | undefined;
  readonly header: (name: string) => string | undefined;
  /** Cuts the connection, where there is one. */
  readonly breakConnection: (() => void) | undefined;
  /** Does something when there is nothing more urgent: where there is a connection, when the answer was sent. */
  readonly afterwards: (work: () => void) => void;
  readonly startedMs: number;
  route: string;
  user: string | undefined;
  isOver: boolean;
  /** Whose share of the places it takes one of, while it does. */
  placeOf: string | undefined;
  /** The bytes of its body that count against the budget. */
  budget: BodyBudget | undefined;
};

const SANE_ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;

const requestIdFrom = (given: string | undefined): string =>
  given !== undefined && SANE_ID.test(given) ? given : randomUUID();

/** Node has the headers in a plain object already; asking the Request for them would build another. */
const headersOfMessage = (incoming: IncomingMessage) => (name: string) => {
  const value = incoming.headers[name.toLowerCase()];
  return Array.isArray(value) ? value.join(', ') : value;
};

const headersOfRequest = (request: Request) => (name: string) => request.headers.get(name) ?? undefined;

/** Begins a visit. Without a socket (in tests) everything is taken from the Request itself. */
export const newVisit = (request: Request, bindings: Partial<HttpBindings> | undefined): Visit => {
  const incoming = bindings?.incoming;
  const outgoing = bindings?.outgoing;
  const header = incoming ? headersOfMessage(incoming) : headersOfRequest(request);
  return {
    request,
    message: incoming,
    requestId: requestIdFrom(header('x-request-id')),
    method: request.method,
    target: incoming?.url?.startsWith('/') ? incoming.url : undefined,
    peer: incoming?.socket?.remoteAddress,
    header,
    breakConnection: outgoing ? () => outgoing.destroy() : undefined,
    afterwards: outgoing ? setImmediate : (work) => work(),
    startedMs: performance.now(),
    route: 'unknown',
    user: undefined,
    isOver: false,
    placeOf: undefined,
    budget: undefined,
  };
};
