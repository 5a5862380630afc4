import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import type { Route } from '../../src/http/route.ts';
import { type AnswerCheck, createAnswerCheck } from '../reference/answer-check.ts';
import { ok } from '../support/expect.ts';
import {
  anonymous,
  type Client,
  openService,
  type Reply,
  type Service,
  uniqueName,
  withToken,
} from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createRequests, type Request, type UserRef } from './every-route-requests.ts';
import {
  CALLERS,
  type CallerName,
  COLLECTIONS,
  type Expected,
  expectationsFor,
  LINES,
  representativesOf,
} from './every-route-table.ts';

/**
 * Shows that every route responds to every kind of caller as the table `every-route.txt` says, that each answer agrees with
 * the API document, and that boolean query parameters are read in any letter case.
 */

const test = suite('access: route table');

type Caller = UserRef & { readonly client: Client };

let service: Service;
let callers: Readonly<Record<CallerName, Caller>>;
let expectations: ReturnType<typeof expectationsFor>;
let operations: readonly Expected[];
let isDocumented: (operation: Operation) => boolean;
let check: AnswerCheck;
let requestFor: ReturnType<typeof createRequests>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

type Operation = { readonly method: string; readonly path: string };

/** What is served beside the API: pages, the document, measurements. */
const besideApi = (service: Service): Operation[] =>
  service.app.routes.filter(({ path }) => !path.startsWith('/v1/')).map(({ method, path }) => ({ method, path }));

/** All operations of the document that the service gives of itself. */
const documented = async (service: Service): Promise<Operation[]> => {
  const { paths } = ok(await anonymous(service).get('/openapi.json'));
  return Object.entries(paths as Record<string, Record<string, unknown>>).flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
};

const somebody = async (service: Service, name: string, isBot = false): Promise<Caller> => {
  const { id } = ok(await service.admin.get(`/v1/users/name/${name}`));
  return { id, name, client: await service.as(name, { isBot }) };
};

const created = async (service: Service, roles: readonly string[]): Promise<Caller> => {
  const name = uniqueName('usr');
  const ids = await Promise.all(
    roles.map(async (role) => ok(await service.admin.get(`/v1/roles/name/${role}`)).id as string),
  );
  ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, roles: ids }), 201);
  return somebody(service, name);
};

/** A token that is well formed in every part, and whose signature is another one. */
const badlySigned = (token: string): string => {
  const middle = Math.floor((token.lastIndexOf('.') + token.length) / 2);
  return `${token.slice(0, middle)}${token[middle] === 'A' ? 'B' : 'A'}${token.slice(middle + 1)}`;
};

const openCallers = async (service: Service): Promise<Readonly<Record<CallerName, Caller>>> => {
  const admin = await somebody(service, 'admin');
  const valid = await service.token('admin');
  const expired = await service.token('admin', { ttlSeconds: -600 });
  return {
    none: { ...admin, client: anonymous(service) },
    bad: { ...admin, client: withToken(service, badlySigned(valid)) },
    old: { ...admin, client: withToken(service, expired) },
    plain: await created(service, []),
    steward: await created(service, ['DataSteward']),
    bot: await somebody(service, 'ingestion-bot', true),
    admin,
  };
};

test.before(async () => {
  service = await openService();
  callers = await openCallers(service);
  requestFor = createRequests(service);
  const described = await documented(service);
  const names = new Set(described.map(({ method, path }) => `${method} ${path}`));
  isDocumented = ({ method, path }) => names.has(`${method} ${path}`);
  expectations = expectationsFor([...described, ...besideApi(service)]);
  operations = representativesOf(expectations.expected);
  check = await createAnswerCheck(service);
});

test('the list of collections contains exactly the declared kinds', () => {
  assert.equal([...COLLECTIONS].sort(), service.registry.kinds.map(({ path }) => path).sort());
});

test('every route has a line in the table', () => assert.equal(expectations.missing, []));

test('every line of the table has a route', () => assert.equal(expectations.idle, []));

const WATCHED = ['successRequest', 'failedRequest', 'data'] as const;

/** The status, and that of the row where the answer tells of one. */
const told = (status: number, json: Readonly<Record<string, readonly { status: number }[]>> | undefined): string => {
  const rows = WATCHED.flatMap((name) => json?.[name] ?? []);
  return rows.length === 1 ? `${status}:${rows[0]?.status}` : String(status);
};

const send = ({ client }: Caller, method: string, request: Request, path = request.path): Promise<Reply> => {
  const { file } = request;
  const body = file ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  return client.raw(method, path, body, file === undefined ? {} : { 'content-type': 'text/csv' });
};

/** What is wrong with how a caller is answered. */
const ask = async ({ method, path, line }: Expected, name: CallerName): Promise<string[]> => {
  const caller = callers[name];
  const wanted = line.cells[name];
  const request = await requestFor(method, path, caller, wanted.startsWith('2'));
  const reply = request.endless ? await caller.client.begin(request.path) : await send(caller, method, request);
  const answered = wanted.includes(':') ? told(reply.status, reply.json) : String(reply.status);
  const unlike = isDocumented({ method, path }) && !request.endless ? check(method, path, reply) : undefined;
  return [
    ...(answered === wanted ? [] : [`answers ${answered} instead of ${wanted}: ${reply.text.slice(0, 200)}`]),
    ...(unlike === undefined ? [] : [`answers unlike the document: ${unlike}`]),
  ].map((fault) => `${name}: ${method} ${path} ${fault}`);
};

/** Routes of one line are asked side by side, and each by one caller after the other. */
const AT_ONCE = 8;

const askAll = async (expected: Expected): Promise<string[]> => {
  const failures: string[] = [];
  for (const name of CALLERS) failures.push(...(await ask(expected, name)));
  return failures;
};

for (const line of LINES) {
  test(`${line.method} ${line.path}`, async () => {
    const routes = operations.filter((one) => one.line === line);
    const failures = await mapConcurrently(routes, AT_ONCE, askAll);
    assert.is(failures.flat().join('\n'), '');
  });
}

const SPELLINGS = ['True', 'FALSE', 'tRuE', 'False'];

const flagsOf = ({ query = [] }: Route): string[] =>
  query.filter(({ schema }) => schema.type === 'boolean').map(({ name }) => name);

/** What a request with all flags of a route spelled like this is answered when the spelling is refused. */
const refusal = async (route: Route, spelling: string): Promise<string[]> => {
  const { method, path } = route;
  const request = await requestFor(method, path, callers.admin, false);
  const flags = flagsOf(route).map((name) => `${name}=${spelling}`);
  const target = `${request.path}${request.path.includes('?') ? '&' : '?'}${flags.join('&')}`;
  const { status, text } = await send(callers.admin, method, request, target);
  return /must be true or false/.test(text) || status >= 500 ? [`${method} ${target}: ${status} ${text}`] : [];
};

test('every route reads booleans in any letter case', async () => {
  const met = new Set(operations.map(({ method, path }) => `${method} ${path}`));
  // What removes is left alone: with other spellings it would do what the tests of other files look at.
  const routes = service.app.routes.filter(
    (route) =>
      met.has(`${route.method} ${route.path}`) &&
      route.method !== 'DELETE' &&
      !/notifications|stream/.test(route.path) &&
      flagsOf(route).length > 0,
  );
  assert.ok(routes.some(({ query = [] }) => query.some(({ name }) => name === 'dryRun')));
  const turns = routes.map((route, at) => ({ route, spelling: SPELLINGS[at % SPELLINGS.length] ?? '' }));
  const failures = await mapConcurrently(turns, AT_ONCE, ({ route, spelling }) => refusal(route, spelling));
  assert.is(failures.flat().join('\n'), '');
});

test.run();
