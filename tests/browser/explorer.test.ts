import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { column, feed, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import {
  BROWSER_VIEWS,
  type BrowserPage,
  type BrowserView,
  inBrowser,
  openBrowser,
  openPage,
  SWEPT_VIEWS,
} from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { clickLine, expectReadable, HOSTILE } from './explorer-page.ts';

/** Explores a small lineage in a browser: signs in, searches, opens assets, unfolds and lights columns, and shares views. */

const test = suite('browser: explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
const made = {} as { orders: Made; revenue: Made; report: Made };

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A description that would like the browsers of its readers to ask for things. */
const HARMFUL = `![one](/v1/users/logout?hostile) ![two](hostile.png) ![three](//hostile.example/x)
![elsewhere](https://example.org/hostile.png) ![four](data:image/svg+xml;base64,PHN2Zy8+hostile)
![five](javascript:hostile) ![pixel](${PIXEL}) <img src="/hostile.png"> <iframe src="/hostile"></iframe>
[script](javascript:hostile) [sign out](/v1/users/logout?hostile) [six](//localhost/hostile) [seven](vbscript:hostile)
[a page](https://example.org/) [eight][ref] <javascript:hostile>

[ref]: data:text/html,hostile

<style>@import url('/hostile.css')</style>

the end`;

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  const table = (name: string, columns: readonly string[], more = {}) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns: columns.map((one) => column(one)),
      ...more,
    });
  made.orders = await table('orders', ['total', 'placed_on'], { description: 'Orders of **the shop**.' });
  made.revenue = await table('revenue', ['net', 'day'], { displayName: HOSTILE, description: HOSTILE });
  made.report = await table('report', ['sum'], { description: HARMFUL });
  const { orders, revenue, report } = made;
  ok(
    await feed(world.admin, orders, revenue, {
      sqlQuery: 'select total as net from orders',
      columnsLineage: [mapping(orders, ['total'], revenue, 'net')],
    }),
  );
  ok(
    await feed(world.admin, revenue, report, {
      columnsLineage: [mapping(revenue, ['net'], report, 'sum')],
    }),
  );
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

/** Opens a page of the explorer as somebody who has pasted a token in this tab. */
const openSignedIn = async (view: BrowserView, path: string): Promise<BrowserPage> => {
  const opened = await openPage(browser, view);
  const { page } = opened;
  page.on('dialog', () => assert.unreachable('a name ran as a script'));
  await page.goto(`${served.address}/`);
  await page.getByText('Use a token').click();
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
  // Whoever is not signed in has no cookie either, which the browser tells as a refused request.
  opened.takeFaults();
  if (path !== '/') await page.goto(`${served.address}${path}`);
  return opened;
};

const pathOf = (page: string, { fullyQualifiedName }: Made): string =>
  `/${page}/table/${encodeURIComponent(fullyQualifiedName)}`;

const box = (page: Page, text: string) => page.locator('.box', { hasText: text });

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];
inBrowser(test, 'the explorer in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('from the search to the lineage of a column, whose address shows the same to others', async () => {
    const opened = await openSignedIn(DESKTOP, '/');
    const { page } = opened;
    await page.getByLabel('Search the catalog').fill(made.orders.name);
    await page.keyboard.press('Enter');
    await page.locator('.hit-name', { hasText: made.orders.name }).click();
    await page.getByRole('heading', { name: made.orders.name }).waitFor();
    await page.getByRole('cell', { name: 'STRING' }).first().waitFor();
    await page.getByRole('link', { name: 'Lineage' }).click();
    await box(page, made.report.name).waitFor();
    await box(page, made.orders.name)
      .getByRole('button', { name: /column/ })
      .click();
    await page.getByRole('button', { name: 'total', exact: true }).click();
    await page.getByRole('button', { name: 'sum', exact: true, pressed: true }).waitFor();
    assert.is(await page.locator('.react-flow__edge.lit').count(), 2);
    await page.reload();
    await page.getByRole('button', { name: 'sum', exact: true, pressed: true }).waitFor();
    assert.match(page.url(), /column=/);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('an edge shows its SQL, and a change what it breaks', async () => {
    const { page, close } = await openSignedIn(DESKTOP, pathOf('lineage', made.orders));
    await box(page, made.orders.name).waitFor();
    await clickLine(page);
    await page.locator('.sql pre', { hasText: 'select total as net' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'What if' }).click();
    const panel = page.getByRole('complementary', { name: /^If .* is dropped$/ });
    await panel.getByRole('link', { name: made.report.name }).waitFor();
    await close();
  });

  test('names that look like tags are shown as they are', async () => {
    const { page, close } = await openSignedIn(DESKTOP, pathOf('assets', made.revenue));
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.goto(`${served.address}${pathOf('lineage', made.revenue)}`);
    await box(page, HOSTILE).waitFor();
    assert.is(await page.locator('img[src="x"]').count(), 0);
    await close();
  });

  test('a description makes the browser ask for nothing, and links to nothing that is harmful', async () => {
    const opened = await openSignedIn(DESKTOP, '/');
    const { page } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${served.address}${pathOf('assets', made.report)}`);
    const text = page.locator('.rich-text');
    await text.getByText('the end').waitFor();
    await page.waitForLoadState('networkidle');
    assert.equal(
      asked.filter((address) => address.includes('hostile')),
      [],
    );
    const links = await page.evaluate(
      '[...document.querySelectorAll(".rich-text a")].map((one) => [one.href, one.textContent])',
    );
    assert.equal(links, [
      ['https://example.org/hostile.png', 'elsewhere'],
      ['https://example.org/', 'a page'],
    ]);
    assert.is(await text.locator('img').count(), 1, 'what is in the text is shown');
    assert.is(await text.locator('script, iframe, link, object, svg, style').count(), 0);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('every page can be read on a desktop and on a phone, light and dark', async () => {
    for (const view of SWEPT_VIEWS) {
      const opened = await openSignedIn(view, '/');
      const { page } = opened;
      await page.getByText('Where to begin').waitFor();
      await expectReadable(opened, view, 'home');
      const visit = async (what: string, path: string, sign: string): Promise<void> => {
        await page.goto(`${served.address}${path}`);
        await page.locator(sign).first().waitFor();
        await expectReadable(opened, view, what);
      };
      await visit('search', `/search?q=${made.orders.name}`, '.hit');
      await visit('asset', pathOf('assets', made.orders), '.columns tbody tr');
      await visit('versions', `${pathOf('assets', made.orders)}?view=versions`, '.version');
      await visit('lineage', pathOf('lineage', made.orders), '.box');
      await visit('impact', `${pathOf('lineage', made.orders)}?change=drop`, '.affected li');
      await opened.close();
    }
  });
});

test.run();
