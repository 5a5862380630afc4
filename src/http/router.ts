import { setMaxListeners } from 'node:events';
import { Hono } from 'hono';
import type { Principal, PrincipalResolver } from '../access/principal.ts';
import { CatalogError, type MissingRecord } from '../errors.ts';
import type { AccessNeed } from '../model/schemas/access/policy.ts';
import type { RequestSpan, TraceIds, Tracing } from '../tracing/tracing.ts';
import { type CompressionMode, chooseAnswerEncoding } from './answer-encoding.ts';
import { type ClientAddressOf, createClientAddressOf } from './client-address.ts';
import { readDeclaredQuery, withIgnoredParameters } from './declared-query.ts';
import { errorAnswer, toPublicError } from './error-answer.ts';
import { createFairShares, type FairShares } from './fair-shares.ts';
import { ANONYMOUS, holderOf } from './holder.ts';
import { createReceivedBody, emptyBody, type ReceivedBody } from './request-body.ts';
import { createRequestContext, type RequestBindings, type RequestContext, UNKNOWN_ROUTE } from './request-context.ts';
import { createHandedOver, createWorkCounter, type HandedOver, type RequestLane } from './request-lane.ts';
import { takeRequestSlot } from './request-slot.ts';
import { isStreamedAnswer, respond } from './respond.ts';
import { rightsAskedFirst } from './rights-asked-first.ts';
import { type Answer, type AnswerStray, type Call, HandOverToLane, type Route } from './route.ts';
import {
  buildRouteTable,
  type MountedRoute,
  type RouteTable,
  readPathParameters,
  routeForMethod,
} from './route-table.ts';
import { originOf, parseQuery, parseRequestTarget, type RequestUrl, requestTargetOf } from './url.ts';

/** Takes requests from Hono through authentication, routing, body and handler to the response. */

/** The facts about a finished request. Everything that comes from the caller is validated and of limited size. */
export type RequestSummary = {
  readonly requestId: string;
  readonly method: string;
  /** The path as declared, or `unknown`, so that it is safe as a label value. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
  /** The caller's name. Absent for public routes and refused tokens. */
  readonly user: string | undefined;
  /** The caller's address, if the connection has one. */
  readonly address: string;
  /** The original failure, before it was made public. Also set when a stream broke after its status was sent. */
  readonly failure: unknown;
  /** The ids of the span of the request, where requests are traced. */
  readonly traceIds?: TraceIds | undefined;
};

export type RouterDeps = {
  readonly principals: Pick<PrincipalResolver, 'authenticate'>;
  readonly limits: {
    readonly bodyBytes: number;
    readonly concurrentRequests: number;
    /** The maximum memory for all bodies together. */
    readonly bodiesBytes?: number;
    /** How long the body of a request without a token may take to arrive. */
    readonly publicBodyMs?: number;
  };
  /** The base address of hrefs. Without it, each request's own scheme and host. */
  readonly publicUrl?: string | undefined;
  /** The names of hosts for which requests are answered. Without them, the name does not matter. */
  readonly ownHosts?: ReadonlySet<string> | undefined;
  /** For whom answers are compressed. Without it, for nobody. */
  readonly compression?: CompressionMode;
  /** Addresses and ranges of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  /** Throws forbidden for a caller who has none of some rights on any record. Without it, only handlers ask. */
  readonly demandAnyRight?: (principal: Principal, needs: readonly AccessNeed[]) => void;
  /** Finds the name that was probably meant by one that nothing has, among what the caller may see. */
  readonly findNameHint?: (principal: Principal, missing: MissingRecord) => Promise<string | undefined>;
  /** Answers people who open an address in a browser that nothing has. Without it, they read the error body. */
  readonly answerStray?: AnswerStray | undefined;
  /** Called once per request when its answer is complete. Must not throw. */
  readonly observe?: (facts: RequestSummary) => void;
  /** Answers the requests that would block the event loop. Without it, this thread answers every request. */
  readonly lane?: RequestLane | undefined;
  /** Records a span for each request. */
  readonly tracing?: Tracing | undefined;
};

type RouterContext = {
  readonly deps: RouterDeps;
  readonly table: RouteTable;
  readonly clientAddress: ClientAddressOf;
  readonly requestSlots: FairShares;
  readonly bodyBudget: FairShares;
  readonly handedOver: HandedOver;
};

const MAX_BODIES_BYTES = 256 * 1024 * 1024;
const PUBLIC_BODY_TIMEOUT_MS = 10_000;

/** From this size on, passing a body to the other thread costs less than processing it on the event loop. */
const MAX_LIGHT_BODY_BYTES = 64 * 1024;

/** Answers the address of the caller. Behind a proxy, it is the caller's own only if the proxy is trusted. */
const clientAddressOfRequest = (router: RouterContext, context: RequestContext): string =>
  context.askedBy?.address ?? router.clientAddress(context.peer, context.header('x-forwarded-for'));

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
  query: URLSearchParams,
  principal: Principal,
): Call & { readonly body: ReceivedBody } => ({
  requestId: context.requestId,
  method: mounted.route.method,
  params: readPathParameters(mounted, url.segments),
  query,
  header: context.header,
  body: createRequestBody(router, context, mounted, principal),
  principal,
  address: clientAddressOfRequest(router, context),
  get slot() {
    return context.slot;
  },
  hrefBase: (router.deps.publicUrl ?? originOf(context.request.url)) + url.prefix,
  // The adapter creates the signal on first use, and most requests never need it.
  get signal() {
    const { signal } = context.request;
    // Each statement of a request listens while it runs, so many listeners are no leak, which Node would warn of.
    setMaxListeners(0, signal);
    return signal;
  },
  countWork: createWorkCounter(router.deps.lane),
});

const occupySlot = (router: RouterContext, context: RequestContext, holder: string): void => {
  context.slot = context.askedBy?.slot?.lend(holder) ?? takeRequestSlot(router.requestSlots, holder);
  if (context.slot === undefined) {
    throw new CatalogError('unavailable', 'Too many requests at once, try again shortly');
  }
};

const releaseSlot = (context: RequestContext): void => {
  context.slot?.release();
  context.slot = undefined;
};

/** Answers a request whose body has arrived: in this thread, unless that would block the event loop. */
const runHandler = async (
  { deps: { lane, demandAnyRight }, handedOver }: RouterContext,
  context: RequestContext,
  { route }: MountedRoute,
  call: Call & { readonly body: ReceivedBody },
  bodyBytes: number,
): Promise<Answer> => {
  const isHeavy = route.isHeavy === true || bodyBytes > MAX_LIGHT_BODY_BYTES;
  demandAnyRight?.(call.principal, rightsAskedFirst(route, isHeavy));
  const handOver = (to: RequestLane) => to.answer(route, call, Object.fromEntries(context.request.headers));
  // Requests without a token are few and small, and this thread keeps the state that they change.
  if (lane && route.access !== 'public' && (isHeavy || handedOver.has(route, call))) return handOver(lane);
  try {
    return await route.handle(call);
  } catch (failure) {
    if (!lane || !(failure instanceof HandOverToLane)) throw failure;
    handedOver.add(route, call);
    return handOver(lane);
  }
};

const noSuchRoute = ({ table }: RouterContext, segments: readonly string[]): CatalogError => {
  const meant = table.suggest(segments);
  return new CatalogError('not_found', 'No such route', meant === undefined ? {} : { hint: `Did you mean ${meant}?` });
};

/** Adds to a failure the name that was probably meant, if the caller may see it. */
const withNameHint = async ({ deps }: RouterContext, principal: Principal, failure: unknown): Promise<unknown> => {
  if (!(failure instanceof CatalogError) || failure.missing === undefined || failure.hint !== undefined) return failure;
  const hint = await deps.findNameHint?.(principal, failure.missing);
  return hint === undefined ? failure : new CatalogError(failure.code, failure.message, { hint, cause: failure });
};

/**
 * Refuses a request that came for another host: a page of another site in a browser on this machine. The address of the
 * Request has the host of an absolute target, or else of the header, and `localhost` for HTTP/1.0 without one, which no
 * browser sends.
 */
const assertOwnHost = ({ deps: { ownHosts } }: RouterContext, { message, request }: RequestContext): void => {
  if (ownHosts === undefined || message === undefined || ownHosts.has(new URL(originOf(request.url)).hostname)) return;
  throw new CatalogError('misdirected_request', 'The service does not answer for this host; ALLOWED_HOSTS adds names');
};

/**
 * Answers a request. The order of the checks is part of the contract: host, 401, unknown route, wrong method, syntax, and
 * only then the handler.
 */
const answerRequest = async (router: RouterContext, context: RequestContext): Promise<Answer> => {
  assertOwnHost(router, context);
  const url = parseRequestTarget(context.target ?? requestTargetOf(context.request.url));
  const entry = router.table.find(url.segments);
  const mounted = entry === undefined ? undefined : routeForMethod(entry, context.method);
  if (entry !== undefined) context.route = entry.pattern;
  const isPublic = mounted === undefined ? !url.needsToken : mounted.route.access === 'public';
  const principal = isPublic ? ANONYMOUS : await authenticate(router, context);
  if (!isPublic) context.user = principal.name;
  if (entry === undefined) throw noSuchRoute(router, url.segments);
  if (mounted === undefined) {
    const refusal = errorAnswer(new CatalogError('method_not_allowed', `Method not allowed, expected ${entry.allow}`));
    return { ...refusal, headers: { allow: entry.allow } };
  }
  context.encoding = chooseAnswerEncoding(router.deps.compression ?? 'off', mounted.route, context);
  const { query, ignored } = readDeclaredQuery(mounted, parseQuery(url.query));
  context.ignoredParameters = ignored;
  const call = createCall(router, context, url, mounted, query, principal);
  if (mounted.route.isProbe) return mounted.route.handle(call);
  // A request occupies a slot only after its body has arrived, so slow senders occupy none.
  const bodyBytes = await call.body.receive();
  occupySlot(router, context, holderOf(principal, call.address));
  try {
    return await runHandler(router, context, mounted, call, bodyBytes);
  } catch (failure) {
    throw isPublic ? failure : await withNameHint(router, principal, failure);
  }
};

const finishRequest = (router: RouterContext, context: RequestContext, status: number, failure: unknown): void => {
  // A stream may both fail and be cancelled. Only the first of these counts.
  if (context.isFinished) return;
  context.isFinished = true;
  releaseSlot(context);
  context.budget?.shares.release(context.budget.holder, context.budget.taken);
  const { requestId, method, route, user, span } = context;
  span?.end({ route: route === UNKNOWN_ROUTE ? undefined : route, status, failure });
  const seconds = (performance.now() - context.startedMs) / 1000;
  const address = clientAddressOfRequest(router, context);
  // Observers run after the answer, so that no caller waits for them.
  context.runAfterAnswer(() =>
    router.deps.observe?.({
      requestId,
      method,
      route,
      status,
      seconds,
      user,
      address,
      failure,
      traceIds: span?.ids,
    }),
  );
};

/** Reads each piece of a stream in the span of its request, which lasts as long as the stream. */
async function* readInSpan<T>(span: RequestSpan, pieces: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { done, value } = await span.run(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

const traceStream = (answer: Answer, span: RequestSpan | undefined): Answer =>
  span && answer.stream ? { ...answer, stream: readInSpan(span, answer.stream) } : answer;

/**
 * Sends an answer. A stream is awaited, because its first piece decides between a response and an error, and so is a long
 * body while another thread compresses it.
 */
const sendAnswer = (router: RouterContext, context: RequestContext, answer: Answer): Response | Promise<Response> => {
  const told = withIgnoredParameters(traceStream(answer, context.span), context.ignoredParameters);
  const ended = (failure?: unknown) => finishRequest(router, context, answer.status, failure);
  const response = respond(told, {
    requestId: context.requestId,
    isHead: context.method === 'HEAD',
    encoding: context.encoding,
    outlet: { breakConnection: context.breakConnection, ended },
  });
  if (answer.isEndless) releaseSlot(context);
  if (isStreamedAnswer(answer)) return response;
  // A body that is compressed in another thread still takes up the slot of its request.
  const finish = (done: Response): Response => {
    ended();
    return done;
  };
  return response instanceof Promise ? response.then(finish) : finish(response);
};

const urlOf = ({ target, request }: Pick<RequestContext, 'target' | 'request'>) =>
  parseRequestTarget(target ?? requestTargetOf(request.url));

/** Whether somebody opened a wrong address in a browser, and not one of the API. */
const isStrayVisit = ({ method, target, request, route, header }: RequestContext, { code }: CatalogError): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  (code === 'not_found' ? route === UNKNOWN_ROUTE : code === 'bad_request') &&
  !urlOf({ target, request }).needsToken &&
  (header('accept') ?? '').includes('text/html');

const sendError = (router: RouterContext, context: RequestContext, failure: unknown): Response | Promise<Response> => {
  const known = toPublicError(failure, context.requestId);
  const { answerStray } = router.deps;
  const page =
    answerStray && isStrayVisit(context, known) ? answerStray(urlOf(context).segments, known.status) : undefined;
  const answer = page ?? errorAnswer(known);
  finishRequest(router, context, answer.status, failure);
  return sendAnswer(router, context, answer);
};

const serveRequest = async (router: RouterContext, context: RequestContext): Promise<Response> => {
  try {
    const response = sendAnswer(router, context, await answerRequest(router, context));
    return response instanceof Promise ? await response : response;
  } catch (failure) {
    return sendError(router, context, failure);
  }
};

const serveTraced = (router: RouterContext, context: RequestContext, tracing: Tracing): Promise<Response> => {
  const span = tracing.startRequest(context);
  context.span = span;
  return span.run(() => serveRequest(router, context));
};

/**
 * Serves the declared routes with one Hono application. Hono provides the request and response types. Routing is done
 * here, because Hono decodes a path before it splits it and cannot authenticate before it looks up a route. HEAD is
 * answered as GET without the body: load balancers and `curl -I` expect it wherever GET works.
 */
export const mountRoutes = (routes: readonly Route[], deps: RouterDeps): Hono => {
  const { concurrentRequests, bodyBytes, bodiesBytes = MAX_BODIES_BYTES } = deps.limits;
  const router: RouterContext = {
    deps,
    table: buildRouteTable(routes),
    clientAddress: createClientAddressOf(deps.trustedProxies ?? []),
    requestSlots: createFairShares(concurrentRequests),
    // Room for two bodies of the maximum size, so that a single one always fits.
    bodyBudget: createFairShares(Math.max(bodiesBytes, 2 * bodyBytes)),
    handedOver: createHandedOver(),
  };
  // All paths use the same handler, so Hono need not look at them.
  const app = new Hono({ getPath: () => '/' });
  const { tracing } = deps;
  app.all('/', ({ req, env }) => {
    const context = createRequestContext(req.raw, env as RequestBindings | undefined);
    return tracing ? serveTraced(router, context, tracing) : serveRequest(router, context);
  });
  return app;
};
