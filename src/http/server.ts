import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Server as NetServer } from 'node:net';
import { getRequestListener, RequestError } from '@hono/node-server';
import { StartupError } from '../errors.ts';
import { type ConnectionLimit, limitConnections, trackConnections } from './connections.ts';
import { errorAnswer, toPublicError } from './error-answer.ts';
import {
  malformedRequestError,
  onClientError,
  onConnect,
  onUnknownExpectation,
  refuseConnection,
  refuseMissingHost,
} from './parser-error.ts';
import { respond } from './respond.ts';

/** Serves an application over HTTP: the socket, its time limits and its orderly end. */

/** An application to serve: a Hono application, or anything that answers requests the same way. */
export type ServableApp = {
  readonly fetch: (request: Request, bindings: object) => unknown;
};

export type HttpServerOptions = {
  /** How long `close` waits for running requests before it cuts them off. */
  readonly closeWithinMs?: number;
  /** The limit of connections per address. Without it there is none. */
  readonly connectionLimit?: ConnectionLimit | undefined;
  /** Time limits for slow peers, shorter in tests. */
  readonly timeouts?: Partial<ServerTimeouts>;
};

export type ServeOptions = HttpServerOptions & {
  readonly host: string;
  readonly port: number;
};

type ServerTimeouts = {
  /**
   * How long an idle connection is kept: longer than load balancers keep theirs, so that they never use a closed one.
   */
  readonly keepAliveMs: number;
  readonly headersMs: number;
  readonly requestMs: number;
  /** The maximum silence in both directions, which ends answers that nobody reads. */
  readonly silenceMs: number;
  /** How often the parser's time limits are checked. */
  readonly checkMs: number;
};

const DEFAULT_TIMEOUTS: ServerTimeouts = Object.freeze({
  keepAliveMs: 65_000,
  headersMs: 30_000,
  requestMs: 300_000,
  silenceMs: 600_000,
  checkMs: 5_000,
});

const CLOSE_TIMEOUT_MS = 10_000;

/** A server that answers the connections it is given. */
export type HttpServer = {
  readonly server: Server;
  /**
   * Stops accepting connections, lets running requests finish within the limit, and closes idle connections at once.
   */
  readonly close: () => Promise<void>;
};

export type RunningServer = Pick<HttpServer, 'close'> & { readonly address: string; readonly port: number };

/**
 * Answers a failure outside every route: a request line or host that the adapter cannot use, or a defect in the
 * adapter.
 */
const answerOutsideRoutes = (failure: unknown): Response | Promise<Response> => {
  const requestId = randomUUID();
  const known = toPublicError(failure instanceof RequestError ? malformedRequestError() : failure, requestId);
  const outlet = { breakConnection: undefined, ended: () => {} };
  return respond(errorAnswer(known), { requestId, isHead: false, outlet });
};

const createListener = (app: ServableApp) => {
  // HTTP/1.0 health checks send no host, which is allowed. This name replaces the missing one.
  const listener = getRequestListener(app.fetch, {
    hostname: 'localhost',
    errorHandler: answerOutsideRoutes,
  });
  return (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (incoming.headers.host === undefined && incoming.httpVersion === '1.1') refuseMissingHost(outgoing);
    else void listener(incoming, outgoing);
  };
};

const createHttpServer = (app: ServableApp, timeouts: ServerTimeouts): Server => {
  const options = {
    keepAliveTimeout: timeouts.keepAliveMs,
    headersTimeout: timeouts.headersMs,
    requestTimeout: timeouts.requestMs,
    connectionsCheckingInterval: timeouts.checkMs,
    // Node's own refusal of a missing host has no body. The listener sends one instead.
    requireHostHeader: false,
    noDelay: true,
  };
  const server = createServer(options, createListener(app));
  server.setTimeout(timeouts.silenceMs);
  server.on('clientError', onClientError);
  server.on('checkExpectation', onUnknownExpectation);
  server.on('connect', onConnect);
  return server;
};

const toStartupError = (failure: unknown, host: string, port: number): unknown => {
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

/** Throws a StartupError when the port or host cannot be used. Port 0 stands for any free one. */
export const listenOn = (server: NetServer, host: string, port: number): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    const fail = (failure: unknown) => reject(toStartupError(failure, host, port));
    server.once('error', fail);
    server.listen(port, host, () => {
      server.off('error', fail);
      resolve(server.address() as AddressInfo);
    });
  });

/** Answers an address that a person can open. An unspecified host becomes the local name. */
export const publicAddressOf = ({ family, address, port }: AddressInfo): string => {
  const isAny = address === '0.0.0.0' || address === '::';
  const name = family === 'IPv6' ? `[${address}]` : address;
  return `http://${isAny ? 'localhost' : name}:${port}`;
};

/** Creates a server that does not listen yet. Every error response has the shared body, also those of the HTTP parser. */
export const openHttpServer = (app: ServableApp, options: HttpServerOptions): HttpServer => {
  const server = createHttpServer(app, { ...DEFAULT_TIMEOUTS, ...options.timeouts });
  if (options.connectionLimit) limitConnections(server, options.connectionLimit, refuseConnection);
  const connections = trackConnections(server);
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= connections.close(options.closeWithinMs ?? CLOSE_TIMEOUT_MS);
    return closing;
  };
  return Object.freeze({ server, close });
};

/** Serves an application on a port. Throws a StartupError when the port or host cannot be used. */
export const serveApp = async (app: ServableApp, options: ServeOptions): Promise<RunningServer> => {
  const { server, close } = openHttpServer(app, options);
  const bound = await listenOn(server, options.host, options.port);
  return Object.freeze({ address: publicAddressOf(bound), port: bound.port, close });
};
