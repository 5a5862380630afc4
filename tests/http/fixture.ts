import { connect } from 'node:net';
import type { Principal } from '../../src/access/principal.ts';
import { CatalogError } from '../../src/errors.ts';
import type { Answer, Call, HttpMethod, Route } from '../../src/http/route.ts';
import { mountRoutes, type RequestSummary, type RouterDeps } from '../../src/http/router.ts';

/** Helpers for HTTP tests: a principal, routes and an application without a database. */

export const ana: Principal = { id: '1', name: 'ana', email: 'ana@x.example', isAdmin: false, isBot: false, roles: [] };

/** The header of a caller who is let in. */
export const AUTHORIZED = { authorization: 'Bearer good' };

const principals: RouterDeps['principals'] = {
  authenticate: (authorization) =>
    authorization === AUTHORIZED.authorization
      ? Promise.resolve(ana)
      : Promise.reject(new CatalogError('unauthorized', 'Not Authorized! Token not present')),
};

export const ok = (json: unknown): Answer => ({ status: 200, json });

type Handle = (call: Call) => Answer | Promise<Answer>;

export const route = (method: HttpMethod, path: string, handle: Handle, more: Partial<Route> = {}): Route => ({
  method,
  path,
  summary: `${method} ${path}`,
  tag: 'Things',
  access: 'authenticated',
  responses: { 200: undefined },
  handle: async (call) => handle(call),
  ...more,
});

/** An application of these routes, with the facts it reported. */
export const appOf = (routes: readonly Route[], deps: Partial<RouterDeps> = {}) => {
  const seen: RequestSummary[] = [];
  const limits = { bodyBytes: 1000, concurrentRequests: 10 };
  const app = mountRoutes(routes, { principals, limits, observe: (facts) => seen.push(facts), ...deps });
  return { app, seen };
};

/** The error body of an answer, after checking what every error body has in common. */
export const errorOf = async (response: Response): Promise<{ errorType: string; message: string }> => {
  const type = response.headers.get('content-type');
  if (type !== 'application/json') throw new Error(`an error came as ${type}`);
  const { code, errorType, message, ...rest } = (await response.json()) as Record<string, unknown>;
  if (code !== response.status || Object.keys(rest).length > 0) throw new Error(`not the shared body: ${code}`);
  return { errorType: String(errorType), message: String(message) };
};

/** Sends bytes as they are and gathers what comes back until the other side closes. */
export const exchange = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text, 'latin1'));
    let received = '';
    socket.setEncoding('latin1').on('data', (piece) => {
      received += piece;
    });
    socket.once('error', reject).once('close', () => resolve(received));
  });
