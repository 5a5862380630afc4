import { readFile } from 'node:fs/promises';
import * as assert from 'uvu/assert';
import { docsRoutes } from '../../src/http/docs-routes.ts';
import { suite } from '../support/suite.ts';
import { appOf } from './fixture.ts';

/** Shows that the API documentation page is served with all its files and a strict content policy. */

const test = suite('http: documentation page');

const { app } = appOf(docsRoutes(process.cwd()));

const ASSETS = ['/docs/docs.css', '/docs/docs.js', '/docs/dom.js', '/docs/schema.js', '/docs/try.js'];

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

test.run();
