import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import * as assert from 'uvu/assert';
import { notFound } from '../../src/errors.ts';
import { createStrayAnswer, explorerRoutes } from '../../src/http/explorer-routes.ts';
import { createPageFinder } from '../../src/http/other-addresses.ts';
import { suite } from '../support/suite.ts';
import { AUTHORIZED, appOf, errorOf, route } from './fixture.ts';

/** Shows how the pages and files of the explorer are served, and that what a first visit loads stays small. */

const test = suite('http: explorer');

const FOLDER = join(process.cwd(), 'dist/explorer');
const { app } = appOf([...explorerRoutes(process.cwd())]);

const PAGES = ['/', '/search?q=orders', '/assets/table/a.b.c', '/lineage/table/a%2Fb', '/assets/table/%3Cimg%3E'];

test('every page is the same document, which is asked for again and answered in short', async () => {
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  for (const path of PAGES) {
    const response = await app.request(path);
    assert.is(response.status, 200, path);
    assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.is(await response.text(), html, path);
    const etag = response.headers.get('etag') ?? '';
    assert.match(etag, /"/);
    const again = await app.request(path, { headers: { 'if-none-match': etag } });
    assert.equal([again.status, await again.text()], [304, '']);
  }
});

test('pages load scripts, styles and data from the service alone and cannot be framed', async () => {
  const { headers } = await app.request('/');
  const policy = headers.get('content-security-policy') ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'"])
    assert.ok(policy.includes(part), part);
  assert.not.match(policy, /unsafe|https?:|\*/);
  assert.is(headers.get('x-frame-options'), 'DENY');
  assert.is(headers.get('referrer-policy'), 'no-referrer');
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  assert.not.match(html, /<style|style=|<script(?![^>]* src=)| on[a-z]+=/, 'nothing is inline');
  const named = [...html.matchAll(/<(?:script|link)[^>]* (?:src|href)="([^"]*)"/g)].map(([, address = '']) => address);
  assert.ok(named.length > 2);
  for (const address of named) assert.match(address, /^\/explorer\/assets\//);
});

test('no two elements of the page have one ID', async () => {
  const html = await (await app.request('/')).text();
  const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);
  assert.ok(ids.includes('root'));
  assert.equal([...new Set(ids)], ids);
});

test('files are kept for good, because their names change with their content', async () => {
  const names = await readdir(join(FOLDER, 'assets'));
  assert.ok(names.length > 5);
  for (const name of names) {
    const response = await app.request(`/explorer/assets/${name}`);
    assert.is(response.status, 200, name);
    assert.match(response.headers.get('cache-control') ?? '', /immutable/);
    assert.equal(Buffer.from(await response.arrayBuffer()), await readFile(join(FOLDER, 'assets', name)), name);
  }
  for (const name of ['none.js', '..%2Findex.html', '%2e%2e%2f%2e%2e%2fpackage.json', 'constructor'])
    assert.is((await app.request(`/explorer/assets/${name}`)).status, 404, name);
});

test('a first visit loads at most 200 KB', async () => {
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  const named = [...html.matchAll(/\/explorer\/(assets\/[^"]+)/g)].map(([, name = '']) => name);
  const files = await Promise.all(named.map((name) => readFile(join(FOLDER, name))));
  const size = [Buffer.from(html), ...files].reduce((sum, file) => sum + gzipSync(file).length, 0);
  assert.ok(size <= 200_000, `${size} bytes are loaded`);
});

const KINDS = [
  { entityType: 'table', path: 'tables' },
  { entityType: 'dashboard', path: 'dashboards' },
  { entityType: 'dashboardDataModel', path: 'dashboard/datamodels' },
  { entityType: 'databaseService', path: 'services/databaseServices' },
];

test('addresses in messages, and those of OpenMetadata, lead to the page of the record', async () => {
  const { app: guarded } = appOf([...explorerRoutes(process.cwd())], {
    answerStray: createStrayAnswer(process.cwd(), createPageFinder(KINDS)),
  });
  const browser = { accept: 'text/html' };
  for (const [path, location] of [
    ['/tables/a.b%20c', '/assets/table/a.b%20c'],
    ['/tables/a%2Fb%22', '/assets/table/a%2Fb%22'],
    ['/table/a.b', '/assets/table/a.b'],
    ['/table/a.b/', '/assets/table/a.b'],
    ['/table/a.b/lineage', '/lineage/table/a.b'],
    ['/table/a.b/profiler/column-profile', '/assets/table/a.b'],
    ['/dashboard/a.b/lineage?x=1', '/lineage/dashboard/a.b'],
    ['/dashboard/datamodels/a.b', '/assets/dashboardDataModel/a.b'],
    ['/services/databaseServices/a', '/assets/databaseService/a'],
    ['/service/databaseServices/a/databases', '/assets/databaseService/a'],
  ] as const) {
    const moved = await guarded.request(path, { headers: browser, redirect: 'manual' });
    assert.equal([moved.status, moved.headers.get('location')], [302, location], path);
    await errorOf(await guarded.request(path));
  }
  for (const path of ['/tables', '/tables/', '/stranger/a.b', '/services/tables/a', '/%2F/evil.example/x'])
    assert.is((await guarded.request(path, { headers: browser, redirect: 'manual' })).status, 404, path);
});

test('a browser at an address that nothing has gets the page, and programs the error body', async () => {
  const html = await readFile(join(FOLDER, 'index.html'), 'utf8');
  const { app: guarded } = appOf(
    [
      ...explorerRoutes(process.cwd()),
      route('GET', '/things/{id}', () => {
        throw notFound('No such thing');
      }),
    ],
    { answerStray: createStrayAnswer(process.cwd(), createPageFinder(KINDS)) },
  );
  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8', ...AUTHORIZED };
  for (const [path, status] of [
    ['/nothing', 404],
    ['/assets/table/%', 400],
    ['/search?q=%zz', 400],
  ] as const) {
    const page = await guarded.request(path, { headers: { ...browser, 'if-none-match': '*' } });
    assert.equal([page.status, await page.text()], [status, html], path);
    assert.match(page.headers.get('content-security-policy') ?? '', "default-src 'none'");
    assert.is(page.headers.get('cache-control'), 'no-store');
    assert.is((await guarded.request(path, { headers: browser, method: 'HEAD' })).status, status);
    const plain = await guarded.request(path, { headers: { accept: '*/*' } });
    assert.is(plain.status, status);
    await errorOf(plain);
    const without = await app.request(path, { headers: browser });
    await errorOf(without);
  }
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['GET', '/api/v1/tables/%'],
    ['GET', '/things/1'],
    ['POST', '/nothing'],
    ['POST', '/'],
  ] as const)
    await errorOf(await guarded.request(path, { method, headers: browser }));
});

test('a build with a file that cannot be served stops the start', async () => {
  const root = await mkdtemp(join(tmpdir(), 'tributary-explorer-'));
  try {
    assert.throws(() => explorerRoutes(root), /ENOENT/);
    await cp(FOLDER, join(root, 'dist/explorer'), { recursive: true });
    await writeFile(join(root, 'dist/explorer/assets/strange.exe'), '');
    assert.throws(() => explorerRoutes(root), /strange\.exe/);
  } finally {
    await rm(root, { recursive: true });
  }
});

test.run();
