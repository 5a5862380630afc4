import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { StartupError } from '../errors.ts';
import { boundConnections, type ConnectionBound, trackConnections } from './connections.ts';
import { errorAnswer, publicFailure } from './on-error.ts';
import {
  malformedRequest,
  onClientError,
  onConnect,
  onUnknownExpectation,
  refuseConnection,
  refuseHostless,
} from './parser-error.ts';
import { respond } from './respond.ts';

/** What can be served: a Hono application, or anything that answers requests the same way. */
export type Servable = {
  readonly fetch: (request: Request, bindings: object) => unknown;
};

export type ServeOptions = {
  readonly host: string;
  readonly port: number;
  /** Called once with the address callers can use. */
  readonly onListening?: (address: string) => void;
  /** How long `close` waits for running requests before it cuts them off. */
  readonly closeWithinMs?: number;
  /** Without it an address may have as many connections as it likes. */
  readonly perAddress?: ConnectionBound | undefined;
  /** Bounds for slow peers; shorter in tests. */
  readonly timeouts?: Partial<Timeouts>;
};

type Timeouts = {
  /** An idle connection is kept this long: longer than load balancers keep theirs, so that they never meet a closed one. */
  readonly keepAliveMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** Silence in both directions, which ends answers nobody reads. */
  readonly silenceMs: number;
  /** How often the parser's bounds are checked. */
  readonly checkMs: number;
};

const TIMEOUTS: Timeouts = Object.freeze({
  keepAliveMs: 65_000,
  headersMs: 30_000,
  requestMs: 300_000,
  silenceMs: 600_000,
  checkMs: 5_000,
});

const CLOSE_WITHIN_MS = 10_000;

/** A server that listens. */
export type Served = {
  readonly address: string;
  readonly port: number;
  /** Stops accepting, lets running requests finish within the limit, closes idle connections at once. */
  readonly close: () => Promise<void>;
};

/** A failure outside every route: a request line or host the adapter cannot use, or a defect in the adapter itself. */
const answerStray = (failure: unknown): Response | Promise<Response> => {
  const requestId = randomUUID();
  const known = publicFailure(failure instanceof RequestError ? malformedRequest() : failure, requestId);
  return respond(errorAnswer(known), requestId, false, { breakConnection: undefined, ended: () => {} });
};

const listenerFor = (app: Servable) => {
  // HTTP/1.0 health checks send no host and are welcome; the name only fills the place of a missing one.
  const listener = getRequestListener(app.fetch, {
    hostname: 'localhost',
    errorHandler: answerStray,
  });
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') refuseHostless(outgoing);
    else void listener(incoming, outgoing);
  };
};

const openServer = (app: Servable, timeouts: Timeouts): Server => {
  const options = {
    keepAliveTimeout: timeouts.keepAliveMs,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    // Node's own refusal of a missing host has no body; ours follows in the listener.
    requireHostHeader: false,
    noDelay: true,
  };
  const server = createServer(options, listenerFor(app));
  server.setTimeout(timeouts.silenceMs);
  server.on('clientError', onClientError);
  server.on('checkExpectation', onUnknownExpectation);
  server.on('connect', onConnect);
  return server;
};

const startupFailure = (failure: unknown, host: string, port: number): unknown => {
  const code: unknown = failure instanceof Error ? Reflect.get(failure, 'code') : undefined;
  if (code === 'EADDRINUSE') {
    return new StartupError(
      `Port ${port} on ${host} is in use; choose another one with PORT, for example PORT=${port + 1}`,
    );
  }
  if (code === 'EACCES')
    return new StartupError(`Port ${port} may not be opened by this user; choose one above 1023 with PORT`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartupError(`HOST is "${host}", which is not an address of this machine`);
  }
  return failure;
};

const listen = (server: Server, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const fail = (failure: unknown) => reject(startupFailure(failure, host, port));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });

/** The address a person can open: an unspecified host is reached by the local name. */
const addressOf = ({ family, address, port }: AddressInfo): string => {
  const isAny = address === '0.0.0.0' || address === '::';
  const name = family === 'IPv6' ? `[${address}]` : address;
  return `http://${isAny ? 'localhost' : name}:${port}`;
};

/**
 * Serves an application. Every error answer carries the shared body, also those the HTTP parser gives before there is
 * a request. Throws a StartupError when the port or host cannot be used.
 */
export const serveApp = async (app: Servable, options: ServeOptions): Promise<Served> => {
  const server = openServer(app, { ...TIMEOUTS, ...options.timeouts });
  if (options.perAddress) boundConnections(server, options.perAddress, refuseConnection);
  const connections = trackConnections(server);
  const bound = await listen(server, options.host, options.port);
  const address = addressOf(bound);
  options.onListening?.(address);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= connections.close(options.closeWithinMs ?? CLOSE_WITHIN_MS);
    return closing;
  };
  return Object.freeze({ address, port: bound.port, close });
};
