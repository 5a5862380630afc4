import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import {
  BROWSER_VIEWS,
  type BrowserPage,
  type BrowserView,
  findLowContrast,
  findOverflow,
  inBrowser,
  openBrowser,
  openPage,
  readFocus,
  SWEPT_VIEWS,
  takeScreenshot,
} from '../support/browser.ts';
import { openService } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Looks at the page of the API documentation in a browser, on a desktop and on a phone, light and dark. */

const test = suite('browser: the page of the API');

const LONG_NAME = `a_service_with_a_name_that_nobody_can_break.${'x'.repeat(150)}`;

let served: RunningServer;
let browser: Browser;
let token: string;
/** The ids of operations, by method and path, and the operation with the longest path. */
let operations: ReadonlyMap<string, string>;
let longest: string;

type ApiDocument = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
};

const readOperations = (api: ApiDocument): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { operationId }]) =>
        operationId === undefined ? [] : [[`${method} ${path}`, operationId] as const],
      ),
    ),
  );

const start = async (executable: string): Promise<void> => {
  const service = await openService();
  served = await serveApp(service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await service.token(SYSTEM_PRINCIPAL.name);
  operations = readOperations((await service.admin.get('/openapi.json')).json);
  [longest = ''] = [...operations.keys()].sort((one, other) => other.length - one.length);
  browser = await openBrowser(executable);
};

/** Fails when the page as it is cannot be read, or when anything went wrong on the way. */
const expectReadable = async (
  { page, takeFaults }: BrowserPage,
  { name }: BrowserView,
  what: string,
): Promise<void> => {
  const picture = await takeScreenshot(page, `docs-${name}-${what}`);
  assert.equal(await findOverflow(page), [], `nothing is too wide: ${picture}`);
  assert.equal(await findLowContrast(page), [], `everything stands out: ${picture}`);
  assert.equal(takeFaults(), [], `the console is silent: ${picture}`);
};

const openDocs = async (view: BrowserView): Promise<BrowserPage> => {
  const opened = await openPage(browser, view);
  await opened.page.goto(`${served.address}/docs`);
  await opened.page.waitForSelector('nav details');
  return opened;
};

const openOperation = async ({ page }: BrowserPage, operation: string): Promise<void> => {
  const path = operation.slice(operation.indexOf(' ') + 1);
  await page.goto(`${served.address}/docs#${operations.get(operation)}`);
  await page.locator('.endpoint code', { hasText: path }).first().waitFor();
};

const lookAround = async (view: BrowserView): Promise<void> => {
  const opened = await openDocs(view);
  const { page, takeFaults } = opened;
  await expectReadable(opened, view, 'start');
  await page.fill('#search', 'lineage column');
  await page.locator('nav li a').first().waitFor();
  await expectReadable(opened, view, 'search');
  await page.fill('#search', LONG_NAME);
  await page.getByText('No operation has all of these words').waitFor();
  await expectReadable(opened, view, 'nothing-found');
  await page.fill('#search', '');
  for (const operation of ['put /v1/tables', longest]) {
    await openOperation(opened, operation);
    for (const summary of await page.locator('main > details > summary').all()) await summary.click();
    await expectReadable(opened, view, operation === longest ? 'long-path' : 'put');
  }
  await openOperation(opened, 'get /v1/tables/name/{fqn}');
  assert.is(await page.locator('nav [aria-current]').isVisible(), true);
  await page.fill('#token', token);
  await page.fill('#parameter-0', LONG_NAME);
  await page.click('button.send');
  await page.locator('.status.bad').scrollIntoViewIfNeeded();
  assert.match((await page.locator('.status.bad').textContent()) ?? '', /^404/);
  // A browser notes every answer that is an error.
  assert.match(takeFaults().join('\n'), /^Failed to load resource[^\n]*404[^\n]*$/);
  await expectReadable(opened, view, 'error');
  await opened.close();
};

const useKeyboard = async (view: BrowserView): Promise<void> => {
  const opened = await openDocs(view);
  const { page } = opened;
  const next = async () => {
    await page.keyboard.press('Tab');
    const focus = await readFocus(page);
    assert.ok(focus.hasOutline && focus.isInside, `${JSON.stringify(focus)} is seen`);
    return focus.id || focus.text;
  };
  const visited: string[] = [];
  for (let count = 0; count < 6; count += 1) visited.push(await next());
  assert.is(visited[0], 'Skip to the operation');
  assert.match(visited[1] ?? '', /^Tributary/);
  assert.equal(visited.slice(2), ['openapi.json', 'token', 'token-clear', 'search']);
  await page.locator('#main').focus();
  await page.keyboard.press('/');
  assert.is((await readFocus(page)).id, 'search');
  await page.keyboard.type('create or update a table');
  await page.keyboard.press('Enter');
  await page.locator('.endpoint').waitFor();
  assert.is((await readFocus(page)).id, 'main');
  assert.match(await page.title(), /table/i);
  await expectReadable(opened, view, 'keyboard');
  await opened.close();
};

inBrowser(test, 'views of the page of the API', (executable) => {
  test.before(() => start(executable));
  test.after(() => browser.close());
  test.after(() => served.close());
  for (const view of SWEPT_VIEWS) test(`every view can be read: ${view.name}`, () => lookAround(view));
  for (const view of BROWSER_VIEWS.filter(({ colorScheme }) => colorScheme === 'light'))
    test(`the keyboard reaches everything in the order in which it is seen: ${view.name}`, () => useKeyboard(view));
});

test.run();
