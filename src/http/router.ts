import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Principal, PrincipalResolver } from '../access/principal.ts';
import { CatalogError, notFound } from '../errors.ts';
import { type ClientAddressOf, createClientAddressOf } from './client-address.ts';
import { errorAnswer, toPublicError } from './error-answer.ts';
import { createFairShares, type FairShares } from './fair-shares.ts';
import { ANONYMOUS, holderOf } from './holder.ts';
import { createReceivedBody, emptyBody, type ReceivedBody } from './request-body.ts';
import { createRequestContext, type RequestContext } from './request-context.ts';
import { createWorkCounter, type RequestLane } from './request-lane.ts';
import { isStreamedAnswer, respond } from './respond.ts';
import { type Answer, type Call, HandOverToLane, type Route } from './route.ts';
import {
  buildRouteTable,
  type MountedRoute,
  type RouteTable,
  readPathParameters,
  routeForMethod,
} from './route-table.ts';
import { originOf, parseQuery, parseRequestTarget, type RequestUrl, requestTargetOf } from './url.ts';

/** What is known of a request once it is over; nothing of it comes from the caller unbounded or unchecked. */
export type RequestSummary = {
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
  readonly principals: Pick<PrincipalResolver, 'authenticate'>;
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
  readonly observe?: (facts: RequestSummary) => void;
  /** Answers what would hold the event loop; without it everything is answered here. */
  readonly lane?: RequestLane | undefined;
};

type RouterContext = {
  readonly deps: RouterDeps;
  readonly table: RouteTable;
  readonly clientAddress: ClientAddressOf;
  readonly requestSlots: FairShares;
  readonly bodyBudget: FairShares;
};

const MAX_BODIES_BYTES = 256 * 1024 * 1024;
const PUBLIC_BODY_TIMEOUT_MS = 10_000;

/** A body from which on it is cheaper to hand it over than to hold the event loop for it. */
const MAX_LIGHT_BODY_BYTES = 64 * 1024;

/** The address of the caller; behind a proxy its own only where the proxy is trusted. */
const clientAddressOfRequest = (router: RouterContext, context: RequestContext): string =>
  router.clientAddress(context.peer, context.header('x-forwarded-for'));

const authenticate = (router: RouterContext, context: RequestContext): Promise<Principal> =>
  router.deps.principals.authenticate(
    context.header('authorization'),
    context.header('x-impersonate-user'),
    { address: clientAddressOfRequest(router, context), requestId: context.requestId },
    (name) => {
      context.user = name;
    },
  );

const createRequestBody = (
  router: RouterContext,
  context: RequestContext,
  { route }: MountedRoute,
  principal: Principal,
): ReceivedBody => {
  const { bodyBytes, publicBodyMs = PUBLIC_BODY_TIMEOUT_MS } = router.deps.limits;
  if (route.method === 'GET') return emptyBody;
  context.budget = {
    shares: router.bodyBudget,
    holder: holderOf(principal, clientAddressOfRequest(router, context)),
    taken: 0,
  };
  return createReceivedBody(context.request, context.message, context.header, {
    maxBytes: route.body?.maxBytes ?? bodyBytes,
    mediaTypes: route.body?.mediaTypes,
    budget: context.budget,
    timeoutMs: route.access === 'public' ? publicBodyMs : undefined,
  });
};

const createCall = (
  router: RouterContext,
  context: RequestContext,
  url: RequestUrl,
  mounted: MountedRoute,
  principal: Principal,
): Call & { readonly body: ReceivedBody } => ({
  requestId: context.requestId,
  method: mounted.route.method,
  params: readPathParameters(mounted, url.segments),
  query: parseQuery(url.query),
  header: context.header,
  body: createRequestBody(router, context, mounted, principal),
  principal,
  address: clientAddressOfRequest(router, context),
  hrefBase: (router.deps.publicUrl ?? originOf(context.request.url)) + url.prefix,
  // The adapter makes the signal when it is first asked for; most requests never ask.
  get signal() {
    return context.request.signal;
  },
  countWork: createWorkCounter(router.deps.lane),
});

const takeRequestSlot = (router: RouterContext, context: RequestContext, holder: string): void => {
  if (!router.requestSlots.take(holder, 1)) {
    throw new CatalogError('unavailable', 'Too many requests at once, try again shortly');
  }
  context.slotHolder = holder;
};

const releaseRequestSlot = (router: RouterContext, context: RequestContext): void => {
  if (context.slotHolder !== undefined) router.requestSlots.release(context.slotHolder, 1);
  context.slotHolder = undefined;
};

/** Answers a request whose body is here: in this thread, unless that would hold the event loop. */
const runHandler = async (
  { deps: { lane } }: RouterContext,
  context: RequestContext,
  { route }: MountedRoute,
  call: Call & { readonly body: ReceivedBody },
  bodyBytes: number,
): Promise<Answer> => {
  // Requests without a token are few and small, and what they change is kept in this thread.
  const isHeavy = route.isHeavy === true || bodyBytes > MAX_LIGHT_BODY_BYTES;
  if (lane && isHeavy && route.access !== 'public')
    return lane.answer(route, call, Object.fromEntries(context.request.headers));
  try {
    return await route.handle(call);
  } catch (failure) {
    if (lane && failure instanceof HandOverToLane) {
      return lane.answer(route, call, Object.fromEntries(context.request.headers));
    }
    throw failure;
  }
};

/** The order is part of the contract: 401, unknown route, wrong method, syntax, and only then the handler. */
const answerRequest = async (router: RouterContext, context: RequestContext): Promise<Answer> => {
  const url = parseRequestTarget(context.target ?? requestTargetOf(context.request.url));
  const entry = router.table.find(url.segments);
  const mounted = entry === undefined ? undefined : routeForMethod(entry, context.method);
  if (entry !== undefined) context.route = entry.pattern;
  const isPublic = mounted === undefined ? !url.needsToken : mounted.route.access === 'public';
  const principal = isPublic ? ANONYMOUS : await authenticate(router, context);
  if (!isPublic) context.user = principal.name;
  if (entry === undefined) throw notFound('There is no such route');
  if (mounted === undefined) {
    const refusal = errorAnswer(new CatalogError('method_not_allowed', `Only ${entry.allow} can be used here`));
    return { ...refusal, headers: { allow: entry.allow } };
  }
  const call = createCall(router, context, url, mounted, principal);
  if (mounted.route.isProbe) return mounted.route.handle(call);
  // A place is for work. Whoever still sends takes none, however slowly the body comes.
  const bodyBytes = await call.body.receive();
  takeRequestSlot(router, context, holderOf(principal, call.address));
  return runHandler(router, context, mounted, call, bodyBytes);
};

const finishRequest = (router: RouterContext, context: RequestContext, status: number, failure: unknown): void => {
  // A stream may both fail and be cancelled; the first word counts.
  if (context.isFinished) return;
  context.isFinished = true;
  releaseRequestSlot(router, context);
  context.budget?.shares.release(context.budget.holder, context.budget.taken);
  const { requestId, method, route, user } = context;
  const seconds = (performance.now() - context.startedMs) / 1000;
  const address = clientAddressOfRequest(router, context);
  // Nobody should wait for an answer while it is noted.
  context.runAfterAnswer(() =>
    router.deps.observe?.({ requestId, method, route, status, seconds, user, address, failure }),
  );
};

/** Only a stream makes anybody wait: its first piece decides between an answer and a failure. */
const sendAnswer = (router: RouterContext, context: RequestContext, answer: Answer): Response | Promise<Response> => {
  const response = respond(answer, context.requestId, context.method === 'HEAD', {
    breakConnection: context.breakConnection,
    ended: (failure) => finishRequest(router, context, answer.status, failure),
  });
  if (answer.isEndless) releaseRequestSlot(router, context);
  if (!isStreamedAnswer(answer)) finishRequest(router, context, answer.status, undefined);
  return response;
};

const sendError = (router: RouterContext, context: RequestContext, failure: unknown): Response | Promise<Response> => {
  const known = toPublicError(failure, context.requestId);
  finishRequest(router, context, known.status, failure);
  return sendAnswer(router, context, errorAnswer(known));
};

const serveRequest = async (router: RouterContext, context: RequestContext): Promise<Response> => {
  try {
    const response = sendAnswer(router, context, await answerRequest(router, context));
    return response instanceof Promise ? await response : response;
  } catch (failure) {
    return sendError(router, context, failure);
  }
};

/**
 * Puts the declared routes behind one Hono application. Hono brings the request and answer types and HEAD; finding the
 * route is ours, because Hono decodes a path before it splits it and cannot authenticate before it looks a route up.
 * HEAD is answered as GET without the body: load balancers and `curl -I` expect it wherever GET works.
 */
export const mountRoutes = (routes: readonly Route[], deps: RouterDeps): Hono => {
  const { concurrentRequests, bodyBytes, bodiesBytes = MAX_BODIES_BYTES } = deps.limits;
  const router: RouterContext = {
    deps,
    table: buildRouteTable(routes),
    clientAddress: createClientAddressOf(deps.trustedProxies ?? []),
    requestSlots: createFairShares(concurrentRequests),
    // Room for two of the largest, so that one alone always finds some.
    bodyBudget: createFairShares(Math.max(bodiesBytes, 2 * bodyBytes)),
  };
  // Every path leads to the one handler, so what Hono sees of it may as well be constant.
  const app = new Hono({ getPath: () => '/' });
  app.all('/', (context) =>
    serveRequest(router, createRequestContext(context.req.raw, context.env as Partial<HttpBindings> | undefined)),
  );
  return app;
};
