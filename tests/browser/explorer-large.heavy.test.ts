import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { type Made, openWorld, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser, openBrowser } from '../support/browser.ts';
import { placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { countElements, type WatchedTasks, watchTasks } from './busy-page.ts';
import { clickLine, expectReadable, openWithToken } from './explorer-page.ts';
import { HUB_NEIGHBOURS, type LargeLineage, MANY, MOST, makeLargeLineage, WIDE_COLUMNS } from './large-lineage.ts';

/**
 * Looks at lineage of the size at which graphs become useless: it has to be there soon, to be readable, and to answer.
 * Times are printed. Their bounds are three times what we aim at, because the machines of the tests do other things too.
 */

const test = suite('browser: explorer of large graphs');

const SLACK = 3;
const GRAPH_MS = 1500 * SLACK;
const LARGE_GRAPH_MS = 3000 * SLACK;
const PAINT_MS = 1000 * SLACK;
const BUSY_MS = 100 * SLACK;
/** More elements than these slow down whatever is done with a page. */
const MOST_ELEMENTS = 1500;
const FRAMES_PER_SECOND = 30 / SLACK;

/** Counts the frames that the page draws. */
const OBSERVE = `
  window.frames = 0;
  const count = () => { window.frames += 1; requestAnimationFrame(count); };
  requestAnimationFrame(count);`;

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];
let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let lineage: LargeLineage;
let removeLineage: (() => Promise<void>) | undefined;

const start = async (path: string): Promise<void> => {
  world = await openWorld();
  const started = performance.now();
  const made = await makeLargeLineage(world, placeOfRun());
  console.log(`  made the lineage in ${Math.round(performance.now() - started)} ms`);
  lineage = made.lineage;
  // The first walks of a database that has just started take several times as long.
  for (const { id } of [lineage.hub, lineage.most]) {
    await world.admin.get(`/v1/lineage/graph?id=${id}&downstreamDepth=20&maxNodes=10000`);
  }
  removeLineage = made.remove;
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(path);
};

const pathOf = ({ fullyQualifiedName }: Made, query = ''): string =>
  `/lineage/table/${encodeURIComponent(fullyQualifiedName)}${query}`;

/** Opens the lineage in a tab where the start page was seen before, as by somebody who works with the explorer. */
const openLineage = async (about: Made, query = '', view = DESKTOP): Promise<BrowserPage> => {
  const opened = await openWithToken({ browser, view, address: served.address, token }, '/');
  await opened.page.getByRole('heading', { name: 'Your catalog' }).waitFor();
  await opened.page.addInitScript(OBSERVE);
  await opened.page.goto(`${served.address}${pathOf(about, query)}`);
  return opened;
};

/** How long the page waited for answers about lineage. */
const ANSWERED = `performance.getEntriesByType('resource')
  .filter(({ name }) => /\\/v1\\/lineage\\/(graph|diff)/.test(name))
  .reduce((sum, { duration }) => sum + duration, 0)`;

/** Measures the page without the database, which does other work during the tests. */
const measure = async (page: Page, what: string, act: () => Promise<unknown>, mostMs: number): Promise<void> => {
  const answeredBefore = await page.evaluate<number>(ANSWERED);
  const started = performance.now();
  await act();
  const took = Math.round(performance.now() - started);
  const answered = Math.round((await page.evaluate<number>(ANSWERED)) - answeredBefore);
  console.log(`  ${what}: ${took} ms, ${answered} ms of them for the answer`);
  assert.ok(took - answered <= mostMs, `${what} took ${took - answered} ms, more than ${mostMs} ms`);
};

const expectAnswering = async (tasks: WatchedTasks, page: Page, what: string): Promise<void> => {
  const [busyMs, elements] = [await tasks.longestMs(), await countElements(page)];
  console.log(`  ${what}: busy for at most ${busyMs} ms at once, ${elements} elements`);
  assert.ok(busyMs <= BUSY_MS, `${what}: the page was busy for ${busyMs} ms`);
  assert.ok(elements <= MOST_ELEMENTS, `${what}: ${elements} elements`);
};

/**
 * What is in the document is painted with a later frame, and told of a moment after that, so the figure is waited for.
 */
const expectPaint = async (page: Page, what: string): Promise<void> => {
  const told = await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint')[0]?.startTime`);
  const paintMs = Math.round(Number(await told.jsonValue()));
  console.log(`  ${what}: first contentful paint after ${paintMs} ms`);
  assert.ok(paintMs <= PAINT_MS, `${what} was painted after ${paintMs} ms`);
};

const readView = (page: Page): Promise<string> =>
  page.evaluate(`document.querySelector('.react-flow__viewport').style.transform`);

/** Drags the graph to and fro, and tells how many frames a second are drawn meanwhile. */
const expectSmooth = async (page: Page, what: string): Promise<void> => {
  const before = await readView(page);
  await page.mouse.move(640, 640);
  await page.mouse.down();
  const [started, drawn] = [performance.now(), await page.evaluate<number>('window.frames')];
  for (let step = 1; step <= 90; step += 1) await page.mouse.move(640 + 4 * (step % 44), 640 - 3 * (step % 28));
  const frames = (await page.evaluate<number>('window.frames')) - drawn;
  const seconds = (performance.now() - started) / 1000;
  await page.mouse.up();
  // The graph takes no click that comes together with the end of a drag, until its timer has run.
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  const rate = Math.round(frames / seconds);
  console.log(`  ${what}: ${rate} frames a second`);
  assert.is.not(await readView(page), before, 'the graph moves');
  assert.ok(rate >= FRAMES_PER_SECOND, `${what}: ${rate} frames a second`);
};

const group = (page: Page) => page.locator('.box.group');
const asset = (page: Page) => page.locator('.box:not(.group)');

const lastOf = async (made: Made): Promise<{ readonly name: string; readonly id: string }> => {
  const answer = await world.admin.get(`/v1/lineage/graph?id=${made.id}&downstreamDepth=1`);
  return answer.json.nodes.at(-1);
};

inBrowser(test, 'large graphs in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
    await removeLineage?.();
  });

  test('the start page is there soon', async () => {
    const { page, close } = await openWithToken({ browser, view: DESKTOP, address: served.address, token }, '/');
    await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
    await expectPaint(page, 'the start page');
    await close();
  });

  test(`a hub with ${HUB_NEIGHBOURS} neighbours unfolds step by step`, async () => {
    const tasks = await watchTasks(browser);
    const { page, takeFaults, close } = await openLineage(lineage.hub);
    await measure(page, 'hub, grouped', () => group(page).getByText('3,500 tables').waitFor(), LARGE_GRAPH_MS);
    await page.locator('.react-flow__edge-text', { hasText: '3,500' }).waitFor();
    await group(page).getByRole('button', { name: 'Show 50' }).click();
    await group(page).getByText('3,450 tables').waitFor();
    assert.match(page.url(), /unfold=50/);
    const last = await lastOf(lineage.hub);
    // From farther away a group shows its name and count alone, and is pressed as a whole.
    await group(page).click();
    const members = page.getByRole('complementary');
    await members.getByText('3,450', { exact: true }).waitFor();
    assert.ok((await members.locator('li').count()) < 60, 'only members in sight are in the page');
    await members.getByPlaceholder('Find an asset').fill(last.name);
    await members.getByText('1 of 3,450').waitFor();
    await members.getByRole('button', { name: `Show ${last.name}` }).click();
    await asset(page).filter({ hasText: last.name }).waitFor();
    await expectAnswering(tasks, page, 'hub');
    await page.reload();
    // From far away, boxes show their names alone.
    await group(page).getByText('3,449 tables').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Fold all' }).click();
    await group(page).getByText('3,500 tables').waitFor({ state: 'attached' });
    assert.equal(takeFaults(), []);
    await tasks.close();
    await close();
  });

  test(`a table with ${WIDE_COLUMNS} columns unfolds to those that are looked for`, async () => {
    const tasks = await watchTasks(browser);
    const opened = await openWithToken({ browser, view: DESKTOP, address: served.address, token }, '/');
    const { page, close } = opened;
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.addInitScript(OBSERVE);
    await page.goto(`${served.address}${pathOf(lineage.wide)}`);
    const root = page.locator('.box.root');
    await measure(page, 'wide table', () => root.waitFor(), GRAPH_MS);
    assert.ok(asked.some((url) => url.includes('/v1/lineage/graph')));
    assert.equal(
      asked.filter((url) => /columns=true|fields=columns/.test(url)),
      [],
      'columns are not read until somebody asks',
    );
    await root.getByRole('button', { name: 'Show columns' }).click();
    await measure(page, 'its columns', () => root.getByPlaceholder('Find in 3,600 columns').waitFor(), GRAPH_MS);
    assert.is(await root.locator('li').count(), 10);
    await root.getByRole('button', { name: 'Further columns' }).click();
    await root.getByText('11–20 of 3,600').waitFor();
    await root.getByPlaceholder('Find in').fill('3000');
    await root.getByRole('button', { name: 'column_3000' }).click();
    await measure(page, 'a lit column', () => page.locator('.react-flow__edge.lit').nth(1).waitFor(), GRAPH_MS);
    await page.getByRole('button', { name: 'sum', pressed: true }).waitFor();
    await expectAnswering(tasks, page, 'wide table');
    await page.reload();
    await page.getByRole('button', { name: 'sum', pressed: true }).waitFor();
    assert.is(await page.locator('.react-flow__edge.lit').count(), 2);
    await tasks.close();
    await close();
  });

  test(`${MANY} tables are laid out and move smoothly, near and far`, async () => {
    const tasks = await watchTasks(browser);
    const { page, close } = await openLineage(lineage.many, '?down=20&group=none');
    await measure(page, '2,000 tables, one by one', () => page.locator('.box.root').waitFor(), LARGE_GRAPH_MS);
    await expectAnswering(tasks, page, '2,000 tables');
    await expectSmooth(page, '2,000 tables, near');
    await page.getByRole('button', { name: 'Show all' }).click();
    const overview = page.getByRole('img', { name: '2,000 boxes' });
    await measure(page, '2,000 tables, from far', () => overview.waitFor(), GRAPH_MS);
    assert.is(await page.locator('.box').count(), 0, 'what cannot be read is a picture');
    await expectSmooth(page, '2,000 tables, far');
    await expectAnswering(tasks, page, 'moving them');
    await tasks.close();
    await close();
  });

  test(`a difference of ${MANY} tables is read beside the page`, async () => {
    const tasks = await watchTasks(browser);
    const { page, close } = await openLineage(lineage.many, '?down=20&since=2020-01-01');
    const legend = page.locator('.diff-legend');
    await measure(page, 'a difference', () => legend.getByText('Added: 1,999 assets').waitFor(), LARGE_GRAPH_MS);
    await group(page).nth(7).waitFor({ state: 'attached' });
    await expectAnswering(tasks, page, 'a difference');
    await tasks.close();
    await close();
  });

  test('a group says how many neighbours are beyond, and one goes on from its members', async () => {
    const { page, close } = await openLineage(lineage.many, '?down=6&group=schema');
    const more = group(page).locator('.box-more.downstream').first();
    await more.waitFor({ state: 'attached' });
    const [, sum = ''] = /^([\d,]+) more downstream of/.exec((await more.getAttribute('aria-label')) ?? '') ?? [];
    await more.dispatchEvent('click');
    const members = page.getByRole('complementary', { name: /^More downstream of/ });
    const buttons = members.getByRole('button', { name: /^Show [\d,]+ more downstream of/ });
    await buttons.first().waitFor();
    assert.ok(Number(sum.replaceAll(',', '')) > 0);
    const [, id = ''] = /of (.+)$/.exec((await buttons.first().getAttribute('aria-label')) ?? '') ?? [];
    await buttons.first().click();
    await asset(page).filter({ hasText: id }).waitFor({ state: 'attached' });
    assert.match(page.url(), /more=downstream.*alone=/);
    await close();
  });

  test(`${MOST} tables weigh little for those who choose what is told of them`, async () => {
    const path = `${served.address}/v1/lineage/graph?id=${lineage.most.id}&downstreamDepth=20&maxNodes=${MOST}`;
    const weigh = async (more: string, encoding: string): Promise<number> => {
      const headers = { authorization: `Bearer ${token}` };
      const text = await (await fetch(`${path}${more}`, { headers })).text();
      return (encoding === 'gzip' ? gzipSync(text) : Buffer.from(text)).length;
    };
    const brief = '&compact=true&edgeFields=source&fields=name,fullyQualifiedName,service';
    for (const [name, more] of [
      ['as it is', ''],
      ['as the explorer asks', '&compact=true&edgeFields=source,sourceName,pipeline,createdAt,updatedAt'],
      ['names only', brief],
    ] as const) {
      const sizes = await Promise.all(['plain', 'gzip'].map((encoding) => weigh(more, encoding)));
      console.log(`  ${MOST} tables, ${name}: ${sizes.map((size) => Math.round(size / 1000)).join(' kB, packed ')} kB`);
    }
    assert.ok((await weigh(brief, 'gzip')) < 3_000_000);
  });

  test(`${MOST} tables are grouped, and a group unfolds where one looks`, async () => {
    const tasks = await watchTasks(browser);
    const { page, close } = await openLineage(lineage.most, '?down=20');
    await measure(page, '10,000 tables, grouped', () => group(page).nth(30).waitFor(), LARGE_GRAPH_MS);
    await page.getByText('10,000 assets').waitFor();
    await expectPaint(page, 'the lineage');
    await expectAnswering(tasks, page, '10,000 tables');
    const groups = await group(page).count();
    assert.is(groups, MOST / 250);
    await expectSmooth(page, '10,000 tables, grouped');
    await group(page).first().locator('button', { hasText: 'Show 50' }).dispatchEvent('click');
    await asset(page).nth(1).waitFor();
    assert.ok((await asset(page).count()) < 60, 'the others stay grouped');
    await page.getByRole('button', { name: 'List', exact: true }).click();
    await page.locator('.lineage-list .list-record').nth(3).waitFor();
    assert.ok((await page.locator('.lineage-list .list-record').count()) < 80, 'only assets in sight are in the page');
    await tasks.close();
    await close();
  });

  test('an edge among thousands still tells its columns, and a bundle lists its edges', async () => {
    const { page, close } = await openLineage(lineage.hub);
    await group(page).waitFor();
    await clickLine(page);
    const edges = page.getByRole('complementary', { name: '3,500 edges' });
    await edges.getByRole('button', { name: 'Details' }).first().click();
    const details = page.getByRole('complementary', { name: / → / });
    await details.getByText('Entered by hand').waitFor();
    await details.locator('.mapping', { hasText: 'a→a' }).waitFor();
    await close();
  });

  test('groups and their lists can be read on a desktop and on a phone, light and dark', async () => {
    for (const view of BROWSER_VIEWS) {
      const opened = await openLineage(lineage.many, '?down=20', view);
      const { page } = opened;
      // A phone begins with those around the root.
      await group(page)
        .nth(view.width < 500 ? 0 : 7)
        .waitFor();
      await expectReadable(opened, view, 'groups');
      // On a phone all groups are so small that they show their names alone.
      await group(page).first().locator('button', { hasText: 'List all' }).dispatchEvent('click');
      await page.getByRole('complementary').locator('li').first().waitFor();
      await expectReadable(opened, view, 'members');
      await opened.close();
      const wide = await openLineage(lineage.wide, '', view);
      await wide.page.locator('.box.root .box-toggle').dispatchEvent('click');
      await wide.page.getByPlaceholder('Find in').waitFor();
      await expectReadable(wide, view, 'columns');
      await wide.close();
    }
  });
});

test.run();
