import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { column, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser, openBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, openWithToken } from './explorer-page.ts';

/**
 * Asks the lineage page for room: what is in view at the start, after unfolding and beside a panel, and which tools a
 * phone reaches. The lineage is a chain of nine tables, and the page is about the one in the middle.
 */

const test = suite('browser: explorer, room of the lineage');

type Rect = { readonly left: number; readonly right: number; readonly top: number; readonly bottom: number };

const LENGTH = 9;
const ROOT = 4;
const [DESKTOP, , PHONE] = BROWSER_VIEWS as readonly [BrowserView, BrowserView, BrowserView];

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
const chain: Made[] = [];

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  for (let nth = 0; nth < LENGTH; nth += 1) {
    const body = { name: uniqueName(`link_${nth}_of_a_chain`), databaseSchema: world.schemaFqn };
    chain.push(await world.make('tables', { ...body, columns: [column('total'), column('state')] }));
  }
  for (const [at, table] of chain.slice(1).entries()) ok(await feed(world.admin, chain[at] as Made, table));
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

const link = (nth: number): Made => chain[nth] as Made;

const open = async (view: BrowserView, query: string) => {
  const path = `/lineage/table/${encodeURIComponent(link(ROOT).fullyQualifiedName)}${query}`;
  const opened = await openWithToken({ browser, view, address: served.address, token }, path);
  await box(opened.page, ROOT).waitFor();
  return opened;
};

const box = (page: Page, nth: number) => page.locator(`.react-flow__node[data-id="${link(nth).id}"]`);

const RECT = '({ left, right, top, bottom }) => ({ left, right, top, bottom })';

const rectOf = (page: Page, selector: string): Promise<Rect> =>
  page.evaluate(`(${RECT})(document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect())`);

const rectOfBox = (page: Page, nth: number): Promise<Rect> =>
  rectOf(page, `.react-flow__node[data-id="${link(nth).id}"] .box`);

const isWithin = (inner: Rect, outer: Rect): boolean =>
  inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom;

const expectInView = async (page: Page, ...links: readonly number[]): Promise<void> => {
  const pane = await rectOf(page, '.lineage-canvas .react-flow');
  for (const nth of links) {
    const rect = await rectOfBox(page, nth);
    assert.ok(isWithin(rect, pane), `link ${nth} is in view: ${JSON.stringify({ rect, pane })}`);
  }
};

/** Moves end in the frame after a layout; one that does not come fails the test that waits for it. */
const waitUntilStill = (page: Page) =>
  page.evaluate(`new Promise((resolve) => {
    const read = () => document.querySelector('.react-flow__viewport').style.transform;
    let [former, frames] = [read(), 0];
    const look = () => {
      frames = read() === former ? frames + 1 : 0;
      former = read();
      if (frames > 20) resolve(); else requestAnimationFrame(look);
    };
    look();
  })`);

const lettersOf = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const name = document.querySelector('.box.root .box-name');
    const zoom = new DOMMatrix(document.querySelector('.react-flow__viewport').style.transform).a;
    return parseFloat(getComputedStyle(name).fontSize) * zoom;
  })()`);

inBrowser(test, 'the room of the lineage page in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a wide graph opens with its asset and the neighbours in letters that can be read, and shows all by one button', async () => {
    for (const view of [DESKTOP, PHONE]) {
      const { page, close } = await open(view, '?up=4&down=4');
      await waitUntilStill(page);
      await expectInView(page, ROOT - 1, ROOT, ROOT + 1);
      assert.ok((await lettersOf(page)) >= 10, view.name);
      await page.getByRole('button', { name: 'Show all' }).click();
      await box(page, LENGTH - 1).waitFor();
      await waitUntilStill(page);
      await expectInView(page, ...chain.keys());
      await close();
    }
  });

  test('what unfolds comes into view beside the box, which stays where it was while there is room', async () => {
    for (const view of [DESKTOP, PHONE]) {
      const { page, close } = await open(view, '?up=0&down=0');
      await waitUntilStill(page);
      const before = await rectOfBox(page, ROOT);
      await box(page, ROOT).getByRole('button', { name: 'Show 1 more upstream' }).click();
      await box(page, ROOT - 1).waitFor();
      await waitUntilStill(page);
      await expectInView(page, ROOT - 1, ROOT);
      if (view === DESKTOP) {
        const after = await rectOfBox(page, ROOT);
        assert.ok(Math.abs(after.left - before.left) < 1 && Math.abs(after.top - before.top) < 1, 'it has not moved');
      }
      for (const nth of [ROOT, ROOT + 1, ROOT + 2]) {
        await box(page, nth).getByRole('button', { name: 'Show 1 more downstream' }).click();
        await box(page, nth + 1).waitFor();
        await waitUntilStill(page);
        await expectInView(page, nth, nth + 1);
      }
      await close();
    }
  });

  test('a box stays in view when its panel opens', async () => {
    for (const view of [DESKTOP, PHONE]) {
      const { page, close } = await open(view, '?up=1&down=1');
      await waitUntilStill(page);
      await box(page, ROOT + 1).click({ position: { x: 6, y: 6 } });
      await page.locator('.panel').waitFor();
      await waitUntilStill(page);
      await expectInView(page, ROOT + 1);
      const [panel, pane] = [await rectOf(page, '.panel'), await rectOf(page, '.lineage-canvas .react-flow')];
      assert.ok(panel.left >= pane.right || panel.top >= pane.bottom, 'it covers nothing');
      await close();
    }
  });

  test('a phone reaches every tool, each large enough for a finger', async () => {
    const { page, close } = await open(PHONE, '');
    const tools = page.locator('.lineage-controls').locator('button, a, input');
    assert.not(await page.getByRole('button', { name: 'Export' }).isVisible());
    await page.getByRole('button', { name: 'More' }).click();
    for (const name of ['Upstream', 'Downstream']) await page.getByRole('spinbutton', { name, exact: true }).waitFor();
    for (const name of ['Filter', 'Time', 'What if', 'List', 'Failing upstream', 'Export'])
      await page.getByRole('button', { name, exact: true }).waitFor();
    await page.getByRole('link', { name: 'Paths' }).waitFor();
    for (const tool of await tools.all()) {
      const place = await tool.boundingBox();
      assert.ok(
        place && place.x >= 0 && place.x + place.width <= PHONE.width && place.height >= 40,
        (await tool.textContent()) ?? '',
      );
    }
    await close();
  });

  test('the entries of the export menu stand one below the other', async () => {
    const { page, close } = await open(DESKTOP, '');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'DOT' }).waitFor();
    const entries = await page.getByRole('menuitem').all();
    assert.is(entries.length, 7);
    const places = await Promise.all(entries.map((entry) => entry.boundingBox()));
    for (const [at, place] of places.slice(1).entries()) {
      const former = places[at];
      assert.ok(former && place && place.y >= former.y + former.height && place.x === former.x);
    }
    await close();
  });

  test('legend and map are remembered, and the legend takes no room from boxes', async () => {
    for (const view of [DESKTOP, PHONE]) {
      const { page, close } = await open(view, '');
      const map = page.locator('.react-flow__minimap');
      assert.is(await map.count(), 0);
      await page.getByRole('button', { name: 'Map' }).click();
      const trail = page.getByText('Trail of a column');
      await page.getByText('Legend and keys').click();
      // The page hears of what opened a moment after it did.
      await trail.waitFor();
      await page.reload();
      await map.waitFor();
      await trail.waitFor();
      const [pane, legend] = [await rectOf(page, '.lineage-canvas .react-flow'), await rectOf(page, '.legend')];
      assert.ok(legend.top >= pane.bottom, view.name);
      await page.getByRole('button', { name: 'Map', pressed: true }).click();
      await page.reload();
      await box(page, ROOT).waitFor();
      assert.is(await map.count(), 0);
      await close();
    }
  });

  test('on a phone paths are listed before their graph, and names show their telling end', async () => {
    const query = new URLSearchParams({
      from: `table:${link(0).fullyQualifiedName}`,
      to: `table:${link(LENGTH - 1).fullyQualifiedName}`,
    });
    const opened = await openWithToken({ browser, view: PHONE, address: served.address, token }, `/paths?${query}`);
    const { page, close } = opened;
    await page.locator('.react-flow__node').first().waitFor();
    const [list, graph] = [await rectOf(page, '.path-list'), await rectOf(page, '.lineage-canvas .react-flow')];
    assert.ok(list.bottom <= graph.top);
    const height: number = await page.evaluate('document.querySelector("main").scrollHeight');
    assert.ok(height < 2 * PHONE.height, `${height} px`);
    const field = page.getByRole('combobox', { name: 'From' });
    assert.is(await field.inputValue(), link(0).name);
    assert.is(await page.locator('.picked-name').first().textContent(), link(0).fullyQualifiedName);
    const isCut =
      '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector(".picked-name"))';
    assert.not(await page.evaluate(isCut), 'all of it can be read');
    await expectReadable(opened, PHONE, 'lineage-paths-list');
    await close();
  });
});

test.run();
