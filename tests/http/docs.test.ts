import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { docsEntrance, docsRoutes } from '../../src/http/docs-routes.ts';
import { suite } from '../support/suite.ts';
import { appOf } from './fixture.ts';

/** Shows that the API documentation page is served with all its files and a strict content policy. */

const test = suite('http: documentation page');

const { app } = appOf([...docsRoutes(process.cwd()), docsEntrance()]);

const SCRIPTS = ['curl', 'docs', 'dom', 'schema', 'search', 'try'];
const ASSETS = ['/docs/docs.css', ...SCRIPTS.map((name) => `/docs/${name}.js`)];

/** The parts of the page that need no browser. */
const scriptOf = async (name: string) => import(new URL(`../../src/http/docs/${name}.js`, import.meta.url).href);

test('the root redirects to the page, and only outside the API', async () => {
  const response = await app.request('/');
  assert.equal([response.status, response.headers.get('location')], [302, '/docs']);
  for (const path of ['/v1/docs', '/api/docs', '/api', '/v1']) assert.is((await app.request(path)).status, 401, path);
});

test('every file of the page is served here, with its media type', async () => {
  for (const path of ['/docs', '/docs/', ...ASSETS]) {
    const response = await app.request(path);
    assert.is(response.status, 200, path);
    const expected = path.endsWith('.css') ? 'text/css' : path.endsWith('.js') ? 'text/javascript' : 'text/html';
    assert.is(response.headers.get('content-type'), `${expected}; charset=utf-8`);
  }
});

test('pages run only their own scripts and cannot be framed', async () => {
  for (const path of ['/', '/docs', ...ASSETS]) {
    const { headers } = await app.request(path);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /script-src 'self';/);
    assert.match(policy, /frame-ancestors 'none'/);
    assert.not.match(policy, /unsafe/);
    assert.equal([headers.get('x-content-type-options'), headers.get('x-frame-options')], ['nosniff', 'DENY']);
  }
});

test('the page follows its own policy, with nothing inline or external', async () => {
  const html = await (await app.request('/docs')).text();
  assert.not.match(html, /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=/i);
  for (const [, address = ''] of html.matchAll(/\b(?:src|href)="([^"]*)"/g)) {
    assert.match(address, /^(?:\/docs|\/openapi\.json|#|data:,)/, address);
  }
});

test('every imported module is served', async () => {
  for (const path of ASSETS.filter((asset) => asset.endsWith('.js'))) {
    const script = await (await app.request(path)).text();
    for (const [, name] of script.matchAll(/from '\.\/([^']+)'/g)) assert.ok(ASSETS.includes(`/docs/${name}`), name);
    assert.not.match(script, /innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(/, path);
  }
});

test('every field of the page has a label', async () => {
  const html = await readFile('src/http/docs/index.html', 'utf8');
  for (const [, id] of html.matchAll(/<input id="([^"]+)"/g)) assert.match(html, new RegExp(`<label for="${id}"`));
});

test('a missing file is detected when the routes are created', () => {
  assert.throws(() => docsRoutes('/nowhere'), /ENOENT/);
});

const parameter = (name: string, place: string, value: string, description = '') => ({
  parameter: { name, in: place, description },
  value,
});

/** What the shell takes the words of a command for. */
const wordsOf = (command: string): string[] => {
  const script = `curl() { printf '%s\\0' "$@"; }; TOKEN=secret; ${command}`;
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
};

test('a curl command sends exactly what the form holds', async () => {
  const { curlCommand } = await scriptOf('curl');
  const command = curlCommand({
    method: 'put',
    path: '/v1/tables/name/{fqn}/{part}',
    needsToken: true,
    values: [
      parameter('fqn', 'path', `it's "a"/b$HOME`),
      parameter('part', 'path', ''),
      parameter('q', 'query', 'a b&c'),
      parameter('If-Match', 'header', '"x-1", W/"2"'),
      parameter('unset', 'query', ''),
    ],
    body: { type: 'application/json', text: `{"name": "it's \`$(id)\` \\ $HOME"}\n` },
    origin: 'http://127.0.0.1:8585',
  });
  assert.equal(wordsOf(command), [
    '-X',
    'PUT',
    '--globoff',
    `http://127.0.0.1:8585/v1/tables/name/it's%20%22a%22%2Fb%24HOME/{part}?q=a+b%26c`,
    '-H',
    'Authorization: Bearer secret',
    '-H',
    'If-Match: "x-1", W/"2"',
    '-H',
    'Content-Type: application/json',
    '--data-binary',
    `{"name": "it's \`$(id)\` \\ $HOME"}\n`,
  ]);
  const reading = { method: 'get', path: '/v1/system/version', needsToken: false, values: [], origin: 'http://h' };
  assert.is(curlCommand(reading), 'curl http://h/v1/system/version');
});

test('search finds parameters and descriptions, names first, and groups follow the order of the tags', async () => {
  const { findOperations, groupByTag, operationsOf } = await scriptOf('search');
  const about = (summary: string, tag: string, description: string, parameters: readonly object[] = []) => ({
    get: { summary, operationId: summary, tags: [tag], description, parameters },
  });
  const api = {
    tags: [{ name: 'Lineage' }, { name: 'Empty' }, { name: 'Tables' }],
    paths: {
      '/v1/tables': about('List tables', 'Tables', 'Returns a page.', [{ $ref: 'cursor' }]),
      '/v1/graph': about('Draw', 'Lineage', 'Walks up and down, over tables.'),
    },
  };
  const resolve = () => ({ name: 'after', description: 'Cursor of the next page' });
  const operations = operationsOf(api, resolve);
  const found = (...words: string[]) =>
    findOperations(operations, words).map(({ summary }: { summary: string }) => summary);
  assert.equal(found('cursor'), ['List tables']);
  assert.equal(found('after', 'list'), ['List tables']);
  assert.equal(found('walks'), ['Draw']);
  assert.equal(found('tables'), ['List tables', 'Draw'], 'what is called so comes first');
  assert.equal(found('nowhere'), []);
  const groups = groupByTag(operations, api.tags).map(([tag]: [string]) => tag);
  assert.equal(groups, ['Lineage', 'Tables']);
});

test('on a phone an operation is brought to the top, below no fixed header', async () => {
  const [script, style] = await Promise.all(
    ['docs.js', 'docs.css'].map((name) => readFile(`src/http/docs/${name}`, 'utf8')),
  );
  const width = '(max-width: 52rem)';
  assert.ok(script?.includes(width) && script.includes("scrollIntoView({ block: 'start' })"));
  assert.match(style?.split(`@media ${width}`)[1] ?? '', /header \{\s*position: static;/);
});

test.run();
