import * as assert from 'uvu/assert';
import { badRequest, CatalogError, recordNotFound } from '../../src/errors.ts';
import { textParameter } from '../../src/http/query-parameters.ts';
import { suite } from '../support/suite.ts';
import { AUTHORIZED, ana, appOf, errorOf, ok, route } from './fixture.ts';

/** Shows how the router matches paths and builds calls. */

const test = suite('http: router');

const echo = route(
  'GET',
  '/v1/things/name/{fqn}',
  ({ params, query, hrefBase, principal }) => ok({ params, query: [...query], hrefBase, user: principal.name }),
  { query: [textParameter('fields', 'Members')] },
);

const request = (routes: Parameters<typeof appOf>[0], path: string, init: RequestInit = {}) =>
  appOf(routes).app.request(path, { headers: AUTHORIZED, ...init });

test('a call has its parameters, query, caller and base of hrefs', async () => {
  const response = await request([echo], '/api/v1/things/name/a%252Fb%2F%22?fields=x');
  assert.is(response.status, 200);
  assert.equal(await response.json(), {
    params: { fqn: 'a%2Fb/"' },
    query: [['fields', 'x']],
    hrefBase: 'http://localhost/api',
    user: 'ana',
  });
});

test('a configured public address replaces scheme and host', async () => {
  const { app } = appOf([echo], { publicUrl: 'https://catalog.example/meta' });
  const response = await app.request('/v1/things/name/a', { headers: AUTHORIZED });
  assert.is(((await response.json()) as { hrefBase: string }).hrefBase, 'https://catalog.example/meta');
});

test('literal segments take precedence over parameters in either order of declaration', async () => {
  const byId = route('GET', '/v1/things/{id}', () => ok('id'));
  const byName = route('GET', '/v1/things/name/{fqn}', () => ok('name'));
  const versions = route('GET', '/v1/things/{id}/versions', () => ok('versions'));
  const history = route('GET', '/v1/things/history', () => ok('history'));
  const routes = [byId, byName, versions, history];
  for (const declared of [routes, routes.toReversed()]) {
    const answer = async (path: string) => (await request(declared, path)).json();
    assert.is(await answer('/v1/things/name'), 'id');
    assert.is(await answer('/v1/things/history'), 'history');
    assert.is(await answer('/v1/things/history/versions'), 'versions');
    assert.is(await answer('/v1/things/name/versions'), 'name');
    assert.is(await answer('/v1/things/17/versions/'), 'versions');
  }
});

test('a parameter is never empty', async () => {
  assert.is((await request([route('GET', '/v1/a/{id}/b', () => ok(1))], '/v1/a//b')).status, 404);
});

test('one method and path shape cannot be declared twice', () => {
  const again = route('GET', '/v1/things/name/{other}', () => ok(1));
  assert.throws(() => appOf([echo, again]), /GET \/v1\/things\/name\/\{other\} is declared twice/);
});

test('a missing token is reported before an unknown route, a wrong method and malformed syntax', async () => {
  const { app } = appOf([echo]);
  for (const path of ['/v1', '/v1/nothing', '/api/nothing', '/v1/things/name/a', '/v1/things/name/%zz']) {
    const response = await app.request(path, { method: 'GET' });
    assert.is(response.status, 401, path);
    assert.is(response.headers.get('www-authenticate'), 'Bearer');
    assert.is((await errorOf(response)).errorType, 'UNAUTHORIZED');
  }
});

test('an unknown route is 404 before its syntax matters, and outside the API needs no token', async () => {
  assert.is((await errorOf(await request([echo], '/v1/nothing/%zz'))).errorType, 'NOT_FOUND');
  assert.is((await appOf([echo]).app.request('/favicon.ico')).status, 404);
});

test('a wrong method is 405 with the allowed methods', async () => {
  const routes = [echo, route('PATCH', '/v1/things/name/{fqn}', () => ok(1))];
  const response = await request(routes, '/v1/things/name/a', { method: 'DELETE' });
  assert.is((await errorOf(response)).errorType, 'METHOD_NOT_ALLOWED');
  assert.is(response.headers.get('allow'), 'GET, HEAD, PATCH');
});

test('malformed syntax of a known route is 400', async () => {
  assert.is((await request([echo], '/v1/things/name/%zz')).status, 400);
  assert.is((await request([echo], '/v1/things/name/a?x=%zz')).status, 400);
});

test('a public route ignores any token', async () => {
  const open = route('GET', '/v1/system/version', ({ principal }) => ok(principal.name), { access: 'public' });
  const { app } = appOf([open]);
  for (const headers of [{}, { authorization: 'Bearer bad' }]) {
    assert.is(await (await app.request('/v1/system/version', { headers })).json(), 'anonymous');
  }
  assert.is((await app.request('/v1/system/version', { method: 'POST' })).status, 401);
});

test('a route outside the API may require a token', async () => {
  const guarded = route('GET', '/metrics', () => ok(1));
  assert.is((await appOf([guarded]).app.request('/metrics')).status, 401);
  assert.is((await request([guarded], '/metrics')).status, 200);
});

test('both headers of a caller reach authentication, with the address', async () => {
  const asked: unknown[][] = [];
  const authenticate = (...given: unknown[]) => {
    asked.push(given);
    return Promise.resolve(ana);
  };
  const { app } = appOf([echo], { principals: { authenticate } });
  const headers = { ...AUTHORIZED, 'X-Impersonate-User': 'bo', 'X-Request-Id': 'r-1' };
  await app.request('/v1/things/name/a', { headers });
  const [authorization, target, origin] = asked[0] ?? [];
  assert.equal([authorization, target, asked.length], ['Bearer good', 'bo', 1]);
  assert.is((origin as { requestId: string }).requestId, 'r-1');
});

test('a valid request id is echoed, any other is replaced', async () => {
  const { app, seen } = appOf([echo]);
  const idFor = async (id: string) => {
    const headers = { ...AUTHORIZED, 'x-request-id': id };
    return (await app.request('/v1/things/name/a', { headers })).headers.get('x-request-id');
  };
  for (const id of ['a', 'run 17/3', 'x'.repeat(128)]) assert.is(await idFor(id), id);
  for (const id of ['', 'x'.repeat(129), 'tab\there', 'é']) assert.match((await idFor(id)) ?? '', /^[0-9a-f-]{36}$/);
  assert.is(seen[0]?.requestId, 'a');
});

test('HEAD answers like GET without the body', async () => {
  const head = await request([echo], '/v1/things/name/a', { method: 'HEAD' });
  const get = await request([echo], '/v1/things/name/a');
  assert.is(head.status, 200);
  assert.is(await head.text(), '');
  assert.is(head.headers.get('content-length'), String((await get.text()).length));
});

test('an answer without a body has no media type and a length of its own', async () => {
  const routes = [route('GET', '/v1/a', () => ({ status: 204 })), route('GET', '/v1/b', () => ({ status: 202 }))];
  const [a, b] = [await request(routes, '/v1/a'), await request(routes, '/v1/b')];
  assert.equal([a.status, a.headers.get('content-length'), b.headers.get('content-length')], [204, null, '0']);
  assert.is(b.headers.get('content-type'), null);
});

test('response headers are kept, and a declared media type wins', async () => {
  const headers = { ETag: '"x"', 'Content-Type': 'application/problem+json' };
  const response = await request([route('GET', '/v1/a', () => ({ status: 200, headers, json: {} }))], '/v1/a');
  assert.equal([response.headers.get('etag'), response.headers.get('content-type')], Object.values(headers));
});

test('a CatalogError is returned unchanged, with its own headers', async () => {
  const away = () => Promise.reject(new CatalogError('unavailable', 'The database is away'));
  const response = await request([route('GET', '/v1/a', away)], '/v1/a');
  assert.equal(await errorOf(response), { errorType: 'SERVICE_UNAVAILABLE', message: 'The database is away' });
  assert.is(response.headers.get('retry-after'), '1');
});

test('any other failure is 500 with the request id only', async () => {
  const defects: unknown[] = [new TypeError('secret detail'), 'text', undefined, { status: 404 }];
  for (const defect of defects) {
    const { app, seen } = appOf([route('GET', '/v1/a', () => Promise.reject(defect))]);
    const response = await app.request('/v1/a', { headers: { ...AUTHORIZED, 'x-request-id': 'r-1' } });
    const { errorType, message } = await errorOf(response);
    assert.equal([response.status, errorType], [500, 'INTERNAL_SERVER_ERROR']);
    assert.is(message, 'Internal server error, request r-1');
    assert.is(seen[0]?.failure, defect);
  }
});

test('a body or header that cannot be serialized is 500, not a partial response', async () => {
  const big = route('GET', '/v1/a', () => ok({ n: 1n }));
  const split = route('GET', '/v1/b', () => ({ status: 200, headers: { location: 'a\r\nx: y' }, json: {} }));
  assert.is((await request([big], '/v1/a')).status, 500);
  assert.is((await request([split], '/v1/b')).status, 500);
});

test('a stream is sent completely, and fails with an error before its first chunk', async () => {
  async function* pieces(fails: boolean) {
    if (fails) throw badRequest('no such cursor');
    yield '{"a":';
    yield '"é"}';
  }
  const routes = [
    route('GET', '/v1/a', () => ({ status: 200, stream: pieces(false) })),
    route('GET', '/v1/b', () => ({ status: 200, stream: pieces(true) })),
  ];
  assert.equal(await (await request(routes, '/v1/a')).json(), { a: 'é' });
  const refused = await request(routes, '/v1/b');
  assert.equal([refused.status, (await errorOf(refused)).message], [400, 'no such cursor']);
});

test('a failure after the first chunk does not look like the end', async () => {
  async function* pieces() {
    yield '[1';
    throw new Error('lost');
  }
  const { app, seen } = appOf([route('GET', '/v1/a', () => ({ status: 200, stream: pieces() }))]);
  const response = await app.request('/v1/a', { headers: AUTHORIZED });
  await response.text().then(
    () => assert.unreachable('the stream ended as if whole'),
    (failure) => assert.match(String(failure), /lost/),
  );
  assert.equal([seen.length, seen[0]?.status, String(seen[0]?.failure)], [1, 200, 'Error: lost']);
});

test('HEAD does not start a stream', async () => {
  let isStarted = false;
  async function* pieces() {
    isStarted = true;
    yield '1';
  }
  const { app, seen } = appOf([route('GET', '/v1/a', () => ({ status: 200, stream: pieces() }))]);
  await app.request('/v1/a', { method: 'HEAD', headers: AUTHORIZED });
  assert.equal([isStarted, seen.length], [false, 1]);
});

test('beyond the limit of concurrent requests 503 says when to retry', async () => {
  const waiting: (() => void)[] = [];
  const slow = route('GET', '/v1/a', () => new Promise((resolve) => waiting.push(() => resolve(ok(1)))));
  const { app } = appOf([slow], { limits: { bodyBytes: 1, concurrentRequests: 2 } });
  const ask = () => Promise.resolve(app.request('/v1/a', { headers: AUTHORIZED }));
  const running = [ask(), ask()];
  while (waiting.length < 2) await Promise.resolve();
  const refused = await ask();
  assert.equal([refused.status, refused.headers.get('retry-after')], [503, '1']);
  assert.is((await errorOf(refused)).errorType, 'SERVICE_UNAVAILABLE');
  for (const finish of waiting.splice(0)) finish();
  assert.equal(
    (await Promise.all(running)).map(({ status }) => status),
    [200, 200],
  );
  const later = ask();
  while (waiting.length < 1) await Promise.resolve();
  waiting[0]?.();
  assert.is((await later).status, 200);
});

test('a stream holds its slot until it ends', async () => {
  async function* pieces() {
    yield '1';
  }
  const routes = [route('GET', '/v1/a', () => ({ status: 200, stream: pieces() }))];
  const { app } = appOf(routes, { limits: { bodyBytes: 1, concurrentRequests: 1 } });
  const first = await app.request('/v1/a', { headers: AUTHORIZED });
  assert.is((await app.request('/v1/a', { headers: AUTHORIZED })).status, 503);
  await first.text();
  assert.is((await app.request('/v1/a', { headers: AUTHORIZED })).status, 200);
});

test('every request is reported once under its declared path', async () => {
  const { app, seen } = appOf([echo]);
  await app.request('/api/v1/things/name/secret', { headers: AUTHORIZED });
  await app.request('/v1/things/name/secret', { method: 'PUT', headers: AUTHORIZED });
  await app.request('/v1/secret', { headers: AUTHORIZED });
  await app.request('/v1/things/name/secret');
  assert.equal(
    seen.map(({ method, route: path, status, user }) => [method, path, status, user]),
    [
      ['GET', '/v1/things/name/{fqn}', 200, 'ana'],
      ['PUT', '/v1/things/name/{fqn}', 405, 'ana'],
      ['GET', 'unknown', 404, 'ana'],
      ['GET', '/v1/things/name/{fqn}', 401, undefined],
    ],
  );
  assert.ok(seen.every(({ seconds }) => seconds >= 0 && seconds < 60));
});

const LISTS = { query: [textParameter('limit', 'Size'), textParameter('direction', 'Way')] };
const listed = ({ query }: { query: URLSearchParams }) => ok([...query]);

test('an operation of others sees only the parameters it declares, and its answer names the rest', async () => {
  const list = route('GET', '/v1/things', listed, LISTS);
  const response = await request([list], '/v1/things?limit=3&limt=5&Direction=up&x%20y=1&empty=&limt=6');
  assert.equal(await response.json(), [['limit', '3']]);
  assert.is(response.headers.get('x-ignored-parameters'), 'limt, Direction, x%20y');
  const known = await request([list], '/v1/things?limit=3&empty=');
  assert.is(known.headers.has('x-ignored-parameters'), false);
});

test('what is told of unknown parameters is bounded and fits a header', async () => {
  const list = route('GET', '/v1/things', listed, LISTS);
  const names = Array.from({ length: 50 }, (_, at) => `${encodeURIComponent('😀'.repeat(100))}${at}=1`);
  const told = (await request([list], `/v1/things?${names.join('&')}`)).headers.get('x-ignored-parameters') ?? '';
  assert.is(told.split(', ').length, 20);
  assert.ok(told.split(', ').every((name) => decodeURIComponent(name) === '😀'.repeat(64)));
});

test('an error answer names the ignored parameters too', async () => {
  const failing = route('GET', '/v1/things', () => {
    throw badRequest('[no]');
  });
  assert.is((await request([failing], '/v1/things?a=1')).headers.get('x-ignored-parameters'), 'a');
});

test('an own operation refuses unknown parameters and suggests those that were meant', async () => {
  const own = { ...route('GET', '/v1/things', listed, LISTS), isOwn: true };
  const { message } = await errorOf(await request([own], '/v1/things?directoin=up&zzz=1&limit=2'));
  const [typed, other] = ['"directoin" (did you mean "direction"?)', '"zzz"'];
  assert.is(message, `[unknown query parameter ${typed}, ${other}; expected direction, limit]`);
  assert.is((await request([own], '/v1/things?direction=up&zzz=')).status, 200);
  const bare = { ...route('GET', '/v1/things', listed), isOwn: true };
  assert.is(
    (await errorOf(await request([bare], '/v1/things?limit=1'))).message,
    '[unknown query parameter "limit"; it takes none]',
  );
});

test('an own operation names every wrong and unknown parameter at once, the first as the contract words it', async () => {
  const query = [
    { name: 'limit', description: 'Size', schema: { type: 'integer', minimum: 1, maximum: 10 } },
    { name: 'columns', description: 'Flag', schema: { type: 'boolean' } },
    { name: 'format', description: 'Form', schema: { type: 'string', enum: ['json', 'mermaid'] } },
    { name: 'asOf', description: 'Time', schema: { type: ['integer', 'string'], minimum: 0 } },
  ] as const;
  const own = { ...route('GET', '/v1/things', () => ok(1), { query }), isOwn: true };
  const wrong = await errorOf(
    await request([own], '/v1/things?limit=11&columns=yes&format=mermiad&asOf=yesterday&colums=1'),
  );
  assert.is(
    wrong.message,
    [
      '[limit must be less than or equal to 10]',
      '[columns must be true or false]',
      '[format must be one of json, mermaid] (did you mean mermaid?)',
      '[asOf must be milliseconds since 1970 or a date such as 2026-01-31T12:00:00Z]',
      '[unknown query parameter "colums" (did you mean "columns"?); expected asOf, columns, format, limit]',
    ].join(', '),
  );
  for (const right of ['limit=10&columns=TRUE&format=json&asOf=2026-01-31', 'limit=&columns=&format=&asOf=', ''])
    assert.is((await request([own], `/v1/things?${right}`)).status, 200, right);
  const theirs = route('GET', '/v1/things', () => ok(1), { query });
  assert.is((await request([theirs], '/v1/things?limit=11')).status, 200, 'its handler reads what it needs');
});

test('a record that was not found is asked for its right name, unless a failure says more', async () => {
  const asked: unknown[] = [];
  const findNameHint = async (_principal: unknown, missing: unknown) => {
    asked.push(missing);
    return 'Did you mean a.b?';
  };
  const failing = (failure: Error) => route('GET', '/v1/things', () => Promise.reject(failure));
  const hintOf = async (failure: Error) => {
    const { app } = appOf([failing(failure)], { findNameHint });
    return (await app.request('/v1/things', { headers: AUTHORIZED })).headers.get('x-hint');
  };
  assert.is(await hintOf(recordNotFound('thing', 'A.B')), 'Did you mean a.b?');
  assert.is(await hintOf(recordNotFound('thing', 'A.B', 'other')), 'other');
  assert.is(await hintOf(badRequest('[no]')), null);
  assert.equal(asked, [{ entityType: 'thing', key: 'A.B' }]);
});

test.run();
