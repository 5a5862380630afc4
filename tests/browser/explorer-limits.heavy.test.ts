import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { type Made, openWorld, type World } from '../lineage/fixture.ts';
import { chain } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser, openBrowser, openPage } from '../support/browser.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { suite } from '../support/suite.ts';
import { openWithToken } from './explorer-page.ts';

/** Shows in a browser that the explorer keeps to the configuration of the service: ways to sign in, and limits of lineage. */

const test = suite('browser: configuration of the explorer');

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const NODES = 3;
const DEPTH = 4;
const LENGTH = 6;

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
const tables: Made[] = [];

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  for (let nth = 0; nth < LENGTH; nth += 1) tables.push(await world.table(`step_${nth}`));
  await chain(world.admin, ...tables);
  const env = { MAX_LINEAGE_NODES: String(NODES), MAX_LINEAGE_DEPTH: String(DEPTH) };
  const { app } = await openSecondProcessWith(world.service, {}, { env });
  served = await serveApp(app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

const fqnOf = (nth: number): string => tables[nth]?.fullyQualifiedName ?? '';
const open = (path: string) => openWithToken({ browser, view: DESKTOP, address: served.address, token }, path);

inBrowser(test, 'the configuration of the explorer in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('the sign-in offers the ways that are on, and says which build it is', async () => {
    const { page, close, takeFaults } = await openPage(browser, DESKTOP);
    const isConfig = (url: string) => url.includes('/v1/system/config/');
    const asked: string[] = [];
    page.on('request', (request) => isConfig(request.url()) && asked.push(new URL(request.url()).pathname));
    await page.goto(served.address);
    await page.getByText(/^tributary-\d/).waitFor();
    await page.getByLabel('Password').waitFor();
    await page.getByText('Use a token').waitFor();
    assert.is(await page.getByRole('link', { name: 'Single sign-on' }).count(), 0);
    assert.equal([...new Set(asked)], ['/v1/system/config/explorer']);
    takeFaults();
    await close();
  });

  test('lineage is asked for within limits that were lowered', async () => {
    const { page, close, takeFaults } = await open(
      `/lineage/table/${encodeURIComponent(fqnOf(0))}?up=0&down=40&view=list`,
    );
    await page.getByText(`These are the nearest ${NODES} assets`).waitFor();
    await page.waitForURL(({ searchParams }) => searchParams.get('down') === String(DEPTH));
    assert.is(await page.getByLabel('Downstream', { exact: true }).getAttribute('max'), String(DEPTH));
    await page.locator('.list-record').first().getByRole('button', { name: 'Show columns' }).click();
    await page.getByRole('list', { name: /^Columns of/ }).waitFor();
    const question = new URLSearchParams({ from: `table:${fqnOf(0)}`, to: `table:${fqnOf(2)}` });
    await page.goto(`${served.address}/paths?${question}`);
    await page.getByText('1 path', { exact: true }).waitFor();
    await page.goto(`${served.address}/assets/table/${encodeURIComponent(fqnOf(2))}`);
    await page.getByRole('region', { name: 'Neighbours' }).getByText('step_1', { exact: false }).first().waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });
});

test.run();
