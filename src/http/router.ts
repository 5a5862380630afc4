import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Principal, Principals } from '../access/principal.ts';
import { CatalogError, notFound } from '../errors.ts';
import { bodyReader, emptyBody } from './body.ts';
import { errorAnswer, publicFailure } from './on-error.ts';
import { isStream, respond } from './respond.ts';
import type { Answer, Call, Route } from './route.ts';
import { buildRouteTable, type MountedRoute, type RouteTable, readParameters, routeFor } from './route-table.ts';
import { originOf, type RequestUrl, readQuery, readUrl, targetOf } from './url.ts';
import { newVisit, type Visit } from './visit.ts';

/** What is known of a request once it is over; nothing of it comes from the caller unbounded or unchecked. */
export type CallFacts = {
  readonly requestId: string;
  readonly method: string;
  /** The path as declared, or `unknown`: safe as a label value. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The caller's name; absent for public routes and refused tokens. */
  readonly user: string | undefined;
  /** What was thrown, before it was made presentable; also set when a stream broke after its status was sent. */
  readonly failure: unknown;
};

export type RouterDeps = {
  readonly principals: Pick<Principals, 'of'>;
  readonly limits: { readonly bodyBytes: number; readonly concurrentRequests: number };
  /** What hrefs start with; the scheme and host of each request when absent. */
  readonly publicUrl?: string | undefined;
  /** Called once per request when its answer is complete. Must not throw. */
  readonly observe?: (facts: CallFacts) => void;
};

type House = { readonly deps: RouterDeps; readonly table: RouteTable; running: number };

const ANONYMOUS: Principal = Object.freeze({
  id: '',
  name: 'anonymous',
  email: '',
  isAdmin: false,
  isBot: false,
  roles: Object.freeze([]),
});

const authenticate = (house: House, visit: Visit): Promise<Principal> =>
  house.deps.principals.of(visit.header('authorization'), visit.header('x-impersonate-user'));

const callOf = (house: House, visit: Visit, url: RequestUrl, mounted: MountedRoute, principal: Principal): Call => {
  const { route } = mounted;
  const maxBytes = route.body?.maxBytes ?? house.deps.limits.bodyBytes;
  return {
    requestId: visit.requestId,
    method: route.method,
    params: readParameters(mounted, url.segments),
    query: readQuery(url.query),
    header: visit.header,
    body:
      route.method === 'GET'
        ? emptyBody
        : bodyReader(visit.request, visit.header, { maxBytes, mediaTypes: route.body?.mediaTypes }),
    principal,
    hrefBase: (house.deps.publicUrl ?? originOf(visit.request.url)) + url.prefix,
    // The adapter makes the signal when it is first asked for; most requests never ask.
    get signal() {
      return visit.request.signal;
    },
  };
};

/** The order is part of the contract: 401, unknown route, wrong method, syntax, and only then the handler. */
const answerVisit = async (house: House, visit: Visit): Promise<Answer> => {
  const url = readUrl(visit.target ?? targetOf(visit.request.url));
  const entry = house.table.find(url.segments);
  const mounted = entry === undefined ? undefined : routeFor(entry, visit.method);
  if (entry !== undefined) visit.route = entry.pattern;
  const isPublic = mounted === undefined ? !url.guarded : mounted.route.access === 'public';
  const principal = isPublic ? ANONYMOUS : await authenticate(house, visit);
  if (!isPublic) visit.user = principal.name;
  if (entry === undefined) throw notFound('There is no such route');
  if (mounted === undefined) {
    const refusal = errorAnswer(new CatalogError('method_not_allowed', `Only ${entry.allow} can be used here`));
    return { ...refusal, headers: { allow: entry.allow } };
  }
  return mounted.route.handle(callOf(house, visit, url, mounted, principal));
};

const enter = (house: House, visit: Visit): void => {
  visit.isRunning = true;
  house.running += 1;
};

const leave = (house: House, visit: Visit): void => {
  if (visit.isRunning) house.running -= 1;
  visit.isRunning = false;
};

const finish = (house: House, visit: Visit, status: number, failure: unknown): void => {
  // A stream may both fail and be cancelled; the first word counts.
  if (visit.isOver) return;
  visit.isOver = true;
  leave(house, visit);
  const { requestId, method, route, user } = visit;
  const seconds = (performance.now() - visit.startedMs) / 1000;
  // Nobody should wait for an answer while it is noted.
  visit.afterwards(() => house.deps.observe?.({ requestId, method, route, status, seconds, user, failure }));
};

/** Only a stream makes anybody wait: its first piece decides between an answer and a failure. */
const send = (house: House, visit: Visit, answer: Answer): Response | Promise<Response> => {
  const response = respond(answer, visit.requestId, visit.method === 'HEAD', {
    breakConnection: visit.breakConnection,
    ended: (failure) => finish(house, visit, answer.status, failure),
  });
  if (answer.isEndless) leave(house, visit);
  if (!isStream(answer)) finish(house, visit, answer.status, undefined);
  return response;
};

const sendFailure = (house: House, visit: Visit, failure: unknown): Response | Promise<Response> => {
  const known = publicFailure(failure, visit.requestId);
  finish(house, visit, known.status, failure);
  return send(house, visit, errorAnswer(known));
};

const serve = async (house: House, visit: Visit): Promise<Response> => {
  enter(house, visit);
  try {
    if (house.running > house.deps.limits.concurrentRequests) {
      throw new CatalogError('unavailable', 'Too many requests at once, try again shortly');
    }
    const response = send(house, visit, await answerVisit(house, visit));
    return response instanceof Promise ? await response : response;
  } catch (failure) {
    return sendFailure(house, visit, failure);
  }
};

/**
 * Puts the declared routes behind one Hono application. Hono brings the request and answer types and HEAD; finding the
 * route is ours, because Hono decodes a path before it splits it and cannot authenticate before it looks a route up.
 * HEAD is answered as GET without the body: load balancers and `curl -I` expect it wherever GET works.
 */
export const mountRoutes = (routes: readonly Route[], deps: RouterDeps): Hono => {
  const house: House = { deps, table: buildRouteTable(routes), running: 0 };
  // Every path leads to the one handler, so what Hono sees of it may as well be constant.
  const app = new Hono({ getPath: () => '/' });
  app.all('/', (context) => serve(house, newVisit(context.req.raw, context.env as Partial<HttpBindings> | undefined)));
  return app;
};
