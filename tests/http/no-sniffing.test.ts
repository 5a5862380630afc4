import * as assert from 'uvu/assert';
import { packageRoot } from '../../src/graph/package-root.ts';
import { docsRoutes } from '../../src/http/docs-routes.ts';
import type { Answer, Route } from '../../src/http/route.ts';
import { serveApp } from '../../src/http/server.ts';
import { suite } from '../support/suite.ts';
import { appOf, exchange, ok, route } from './fixture.ts';

/** Shows that every response carries the security headers and every error the shared body. */

const test = suite('http: common headers and bodies');

const pieces = async function* () {
  yield '{"a":';
  yield '1}';
};

const open = (path: string, answer: () => Answer, method: Route['method'] = 'GET') =>
  route(method, path, answer, { access: 'public' });

const CACHED = { 'Cache-Control': 'public, max-age=60' };

const ROUTES: readonly Route[] = [
  open('/v1/json', () => ok({})),
  open('/v1/empty', () => ({ status: 204 })),
  open('/v1/same', () => ({ status: 304, headers: { etag: '"1"' } })),
  open('/v1/text', () => ({ status: 200, text: { mediaType: 'text/plain', content: '<script>' } })),
  open('/v1/stream', () => ({ status: 200, stream: pieces() })),
  open('/v1/csv', () => ({
    status: 200,
    headers: { 'Content-Disposition': 'attachment' },
    encoded: { mediaType: 'text/csv', content: Buffer.from('a') },
  })),
  open('/v1/cached', () => ({ ...ok({}), headers: CACHED })),
  open('/v1/broken', () => {
    throw new Error('a defect');
  }),
  route('POST', '/v1/guarded', () => ok({})),
  ...docsRoutes(packageRoot),
];

const HOST = 'Host: h\r\nConnection: close\r\n';
const request = (line: string, headers = HOST) => `${line} HTTP/1.1\r\n${headers}\r\n`;

const onServer = async (use: (ask: (text: string) => Promise<string>) => Promise<void>): Promise<void> => {
  const served = await serveApp(appOf(ROUTES).app, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  try {
    await use((text) => exchange(served.port, text));
  } finally {
    await served.close();
  }
};

const ANSWERS: readonly (readonly [string, number])[] = [
  ...ROUTES.filter(({ access, path }) => access === 'public' && path.startsWith('/v1/')).map(
    ({ path }) => [request(`GET ${path}`), path === '/v1/broken' ? 500 : 0] as const,
  ),
  ...ROUTES.filter(({ path }) => !path.startsWith('/v1/')).map(({ path }) => [request(`GET ${path}`), 0] as const),
  [request('HEAD /v1/json'), 200],
  [request('GET /v1/none'), 401],
  [request('GET /none'), 404],
  [request('POST /v1/guarded'), 401],
  [request('DELETE /v1/json'), 401],
  [request('DELETE /docs'), 405],
  ['nonsense\r\n\r\n', 400],
  [request('GET /v1/json', ''), 400],
  [request('GET /v1/json', `${HOST}Expect: the-moon\r\n`), 417],
  [request('CONNECT h:1'), 405],
  [request(`GET /v1/json?${'x'.repeat(20_000)}`), 431],
];

test('every response forbids content sniffing', () =>
  onServer(async (ask) => {
    for (const [text, status] of ANSWERS) {
      const what = text.split('\r\n')[0]?.slice(0, 60);
      const [head = ''] = (await ask(text)).split('\r\n\r\n');
      if (status !== 0) assert.match(head, new RegExp(`^HTTP/1.1 ${status} `), what);
      assert.match(head, /^x-content-type-options: nosniff$/im, `${what}: ${head}`);
      assert.is(head.match(/x-content-type-options/gi)?.length, 1, what);
    }
  }));

const QUERIES = [
  'fields=%zz',
  'fields=%',
  'fields=%E0%A4%A',
  'fields=%00',
  'fields=\xff\xfe',
  'fields=^[]{}|"<>',
  '%=%&&=?',
];

/** The answers that say themselves whether a cache may keep them. */
const CACHED_AS: Readonly<Record<string, string>> = {
  'GET /v1/cached': CACHED['Cache-Control'],
  'GET /docs': 'no-cache',
};

test('no cache keeps a response, unless the route allows it', () =>
  onServer(async (ask) => {
    for (const [text] of ANSWERS) {
      const [head = ''] = (await ask(text)).split('\r\n\r\n');
      const [line = ''] = text.split(' HTTP/1.1');
      const own = Object.entries(CACHED_AS).find(([begin]) => line.startsWith(begin))?.[1];
      assert.equal(head.match(/(?<=^cache-control: ).*?(?=\r|$)/gim), [own ?? 'private, no-store'], `${line}: ${head}`);
    }
  }));

test('a malformed query gets the shared error body', () =>
  onServer(async (ask) => {
    for (const query of QUERIES) {
      const cases: readonly (readonly [string, number])[] = [
        [`DELETE /docs?${query}`, 405],
        [`PATCH /openapi?${query}`, 404],
        [`GET /v1/none?${query}`, 401],
        [`DELETE /v1/json?${query}`, 401],
        [`POST /v1/guarded?${query}`, 401],
        [`GET /none?${query}`, 404],
        [`GET /v1/broken?${query}`, 500],
      ];
      for (const [line, status] of cases) {
        const [head = '', body = ''] = (await ask(request(line))).split('\r\n\r\n');
        const { code, errorType, message, ...rest } = JSON.parse(body) as Record<string, unknown>;
        // A query that cannot be read is itself a mistake, where the handler of a route would have read it.
        assert.ok(code === status || code === 400, `${line}: ${head}`);
        assert.match(head, new RegExp(`^HTTP/1.1 ${code} `), line);
        assert.match(head, /^content-type: application\/json$/im, line);
        assert.equal([typeof errorType, typeof message, Object.keys(rest)], ['string', 'string', []], line);
      }
    }
  }));

test.run();
