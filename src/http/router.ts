import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Principal, Principals } from '../access/principal.ts';
import { CatalogError, notFound } from '../errors.ts';
import { bodyReader, emptyBody, type ReceivedBody } from './body.ts';
import { type ClientAddress, clientAddresses } from './client-address.ts';
import { ANONYMOUS, holderOf } from './holder.ts';
import { type Lane, spender } from './lane.ts';
import { errorAnswer, publicFailure } from './on-error.ts';
import { isStream, respond } from './respond.ts';
import { type Answer, type Call, HandOver, type Route } from './route.ts';
import { buildRouteTable, type MountedRoute, type RouteTable, readParameters, routeFor } from './route-table.ts';
import { createShares, type Shares } from './shares.ts';
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
  /** The caller's address, where the connection tells one. */
  readonly address: string;
  /** What was thrown, before it was made presentable; also set when a stream broke after its status was sent. */
  readonly failure: unknown;
};

export type RouterDeps = {
  readonly principals: Pick<Principals, 'of'>;
  readonly limits: {
    readonly bodyBytes: number;
    readonly concurrentRequests: number;
    /** What all bodies together may take in memory. */
    readonly bodiesBytes?: number;
    /** How long the body of a request without a token may take to arrive. */
    readonly publicBodyMs?: number;
  };
  /** What hrefs start with; the scheme and host of each request when absent. */
  readonly publicUrl?: string | undefined;
  /** Addresses and ranges of proxies that say truthfully who calls through them. */
  readonly trustedProxies?: readonly string[];
  /** Called once per request when its answer is complete. Must not throw. */
  readonly observe?: (facts: CallFacts) => void;
  /** Answers what would hold the event loop; without it everything is answered here. */
  readonly lane?: Lane | undefined;
};

type House = {
  readonly deps: RouterDeps;
  readonly table: RouteTable;
  readonly clientAddress: ClientAddress;
  readonly places: Shares;
  readonly bodies: Shares;
};

const BODIES_BYTES = 256 * 1024 * 1024;
const PUBLIC_BODY_MS = 10_000;

/** A body from which on it is cheaper to hand it over than to hold the event loop for it. */
const LIGHT_BODY_BYTES = 64 * 1024;

/** The address of the caller; behind a proxy its own only where the proxy is trusted. */
const addressOf = (house: House, visit: Visit): string =>
  house.clientAddress(visit.peer, visit.header('x-forwarded-for'));

const authenticate = (house: House, visit: Visit): Promise<Principal> =>
  house.deps.principals.of(
    visit.header('authorization'),
    visit.header('x-impersonate-user'),
    { address: addressOf(house, visit), requestId: visit.requestId },
    (name) => {
      visit.user = name;
    },
  );

const bodyOf = (house: House, visit: Visit, { route }: MountedRoute, principal: Principal): ReceivedBody => {
  const { bodyBytes, publicBodyMs = PUBLIC_BODY_MS } = house.deps.limits;
  if (route.method === 'GET') return emptyBody;
  visit.budget = { shares: house.bodies, holder: holderOf(principal, addressOf(house, visit)), taken: 0 };
  return bodyReader(visit.request, visit.message, visit.header, {
    maxBytes: route.body?.maxBytes ?? bodyBytes,
    mediaTypes: route.body?.mediaTypes,
    budget: visit.budget,
    withinMs: route.access === 'public' ? publicBodyMs : undefined,
  });
};

const callOf = (
  house: House,
  visit: Visit,
  url: RequestUrl,
  mounted: MountedRoute,
  principal: Principal,
): Call & { readonly body: ReceivedBody } => ({
  requestId: visit.requestId,
  method: mounted.route.method,
  params: readParameters(mounted, url.segments),
  query: readQuery(url.query),
  header: visit.header,
  body: bodyOf(house, visit, mounted, principal),
  principal,
  address: addressOf(house, visit),
  hrefBase: (house.deps.publicUrl ?? originOf(visit.request.url)) + url.prefix,
  // The adapter makes the signal when it is first asked for; most requests never ask.
  get signal() {
    return visit.request.signal;
  },
  spend: spender(house.deps.lane),
});

const enter = (house: House, visit: Visit, holder: string): void => {
  if (!house.places.take(holder, 1)) {
    throw new CatalogError('unavailable', 'Too many requests at once, try again shortly');
  }
  visit.placeOf = holder;
};

const leave = (house: House, visit: Visit): void => {
  if (visit.placeOf !== undefined) house.places.give(visit.placeOf, 1);
  visit.placeOf = undefined;
};

/** Answers a request whose body is here: in this thread, unless that would hold the event loop. */
const dispatch = async (
  { deps: { lane } }: House,
  visit: Visit,
  { route }: MountedRoute,
  call: Call & { readonly body: ReceivedBody },
  bodyBytes: number,
): Promise<Answer> => {
  // Requests without a token are few and small, and what they change is kept in this thread.
  const isHeavy = route.isHeavy === true || bodyBytes > LIGHT_BODY_BYTES;
  if (lane && isHeavy && route.access !== 'public')
    return lane.answer(route, call, Object.fromEntries(visit.request.headers));
  try {
    return await route.handle(call);
  } catch (failure) {
    if (lane && failure instanceof HandOver) {
      return lane.answer(route, call, Object.fromEntries(visit.request.headers));
    }
    throw failure;
  }
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
  const call = callOf(house, visit, url, mounted, principal);
  if (mounted.route.isProbe) return mounted.route.handle(call);
  // A place is for work. Whoever still sends takes none, however slowly the body comes.
  const bodyBytes = await call.body.receive();
  enter(house, visit, holderOf(principal, call.address));
  return dispatch(house, visit, mounted, call, bodyBytes);
};

const finish = (house: House, visit: Visit, status: number, failure: unknown): void => {
  // A stream may both fail and be cancelled; the first word counts.
  if (visit.isOver) return;
  visit.isOver = true;
  leave(house, visit);
  visit.budget?.shares.give(visit.budget.holder, visit.budget.taken);
  const { requestId, method, route, user } = visit;
  const seconds = (performance.now() - visit.startedMs) / 1000;
  const address = addressOf(house, visit);
  // Nobody should wait for an answer while it is noted.
  visit.afterwards(() => house.deps.observe?.({ requestId, method, route, status, seconds, user, address, failure }));
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
  try {
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
  const { concurrentRequests, bodyBytes, bodiesBytes = BODIES_BYTES } = deps.limits;
  const house: House = {
    deps,
    table: buildRouteTable(routes),
    clientAddress: clientAddresses(deps.trustedProxies ?? []),
    places: createShares(concurrentRequests),
    // Room for two of the largest, so that one alone always finds some.
    bodies: createShares(Math.max(bodiesBytes, 2 * bodyBytes)),
  };
  // Every path leads to the one handler, so what Hono sees of it may as well be constant.
  const app = new Hono({ getPath: () => '/' });
  app.all('/', (context) => serve(house, newVisit(context.req.raw, context.env as Partial<HttpBindings> | undefined)));
  return app;
};
