import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { column, feed, type Made, mapping, openWorld, pipelineIn, ref, type World } from '../lineage/fixture.ts';
import { tested } from '../lineage/read/record-tests-fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser, openBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { CASES } from '../support/quality-tests.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, HOSTILE, openWithToken } from './explorer-page.ts';

/**
 * Asks the lineage page everything beyond drawing: filters, edges, times, impact, failures, paths, exports and keys. The
 * lineage is `raw -> staged -> report -> board` with a dashboard at its end, and a second way from `raw` to `report`.
 */

const test = suite('browser: explorer, lineage');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let between: number;
const made = {} as { raw: Made; staged: Made; aside: Made; report: Made; board: Made; pipeline: Made };

const SQL = "select sum(total) as net from raw where state <> 'gone'";

const INCIDENT = 'INC-1042';

const failTest = async (table: Made): Promise<void> => {
  const { fullyQualifiedName } = await tested(world, table, undefined, 'total');
  const result = { timestamp: Date.now(), testCaseStatus: 'Failed', result: 'Twelve totals are missing.' };
  const path = `${CASES}/testCaseResults/${encodeURIComponent(fullyQualifiedName)}`;
  ok(await world.admin.post(path, { ...result, incidentId: INCIDENT }), 201);
};

const makeRecords = async (): Promise<void> => {
  const table = (name: string, columns: readonly string[], more = {}) =>
    world.make('tables', {
      ...{ name: uniqueName(name), databaseSchema: world.schemaFqn },
      columns: columns.map((one) => column(one)),
      ...more,
    });
  made.raw = await table('raw', ['total', 'state']);
  made.staged = await table('staged', ['net'], { displayName: HOSTILE });
  made.aside = await table('aside', ['total']);
  made.report = await table('report', ['sum']);
  made.pipeline = await pipelineIn(world, 'nightly');
  const service = await world.make('services/dashboardServices', {
    ...{ name: uniqueName('boards'), serviceType: 'Metabase' },
  });
  made.board = await world.make('dashboards', { name: uniqueName('board'), service: service.fullyQualifiedName });
};

const joinRecords = async (): Promise<void> => {
  const { admin } = world;
  const { raw, staged, aside, report, board, pipeline } = made;
  ok(
    await feed(admin, raw, staged, {
      ...{ sqlQuery: SQL, pipeline: ref(pipeline, 'pipeline'), description: 'Every **night**.' },
      columnsLineage: [mapping(raw, ['total'], staged, 'net', { function: 'sum(total)' })],
    }),
  );
  ok(await feed(admin, staged, report, { columnsLineage: [mapping(staged, ['net'], report, 'sum')] }));
  ok(await feed(admin, staged, report, { source: 'QueryLineage', sqlQuery: 'select 1 from staged' }));
  ok(
    await admin.put('/v1/lineage', {
      edge: { fromEntity: ref(report), toEntity: ref(board, 'dashboard') },
    }),
  );
  between = Date.now();
  // The times of edges are told apart by whole milliseconds.
  await new Promise((resolve) => setTimeout(resolve, 20));
  ok(await feed(admin, raw, aside));
  ok(await feed(admin, aside, report));
};

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  await makeRecords();
  await joinRecords();
  await failTest(made.raw);
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  token = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const open = (path: string, view: BrowserView = DESKTOP) =>
  openWithToken({ browser, view, address: served.address, token }, path);

const lineageOf = ({ fullyQualifiedName }: Made, query = ''): string =>
  `/lineage/table/${encodeURIComponent(fullyQualifiedName)}${query}`;

const pathsBetween = (from: Made, to: Made, more: Readonly<Record<string, string>> = {}): string =>
  `/paths?${new URLSearchParams({ from: `table:${from.fullyQualifiedName}`, to: `table:${to.fullyQualifiedName}`, ...more })}`;

const box = (page: Page, { id }: Made) => page.locator(`.react-flow__node[data-id="${id}"]`);

/** Where a box stands in the graph, wherever the view is. */
const placeOf = async (page: Page, record: Made): Promise<{ readonly x: number; readonly y: number }> => {
  const style = (await box(page, record).getAttribute('style')) ?? '';
  const [, x, y] = /translate\(([-\d.]+)px, ?([-\d.]+)px\)/.exec(style) ?? [];
  return { x: Number(x), y: Number(y) };
};

/** The heights of the line of an edge where it passes a box. */
const heightsBeside = (page: Page, from: Made, to: Made, passed: Made): Promise<readonly number[]> =>
  page.evaluate(`(() => {
    const line = document.querySelector('.react-flow__edge[data-id="${from.id} ${to.id}"] .react-flow__edge-path');
    const passed = document.querySelector('.react-flow__node[data-id="${passed.id}"]').getBoundingClientRect();
    const length = line.getTotalLength();
    const { a, d, e, f } = line.getScreenCTM();
    return Array.from({ length: 400 }, (_, at) => line.getPointAtLength((length * at) / 399))
      .map(({ x, y }) => ({ x: x * a + e, y: y * d + f }))
      .filter(({ x }) => x > passed.left && x < passed.right)
      .map(({ y }) => (y - passed.top) / passed.height);
  })()`);

const focusedLabel = (page: Page): Promise<string | null> =>
  page.evaluate(`document.activeElement.getAttribute('aria-label')`);

const focusedBox = (page: Page): Promise<string | null> =>
  page.evaluate(`document.activeElement.closest('.react-flow__node')?.getAttribute('data-id') ?? null`);

inBrowser(test, 'the lineage page in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('filters bridge what they leave out, stand in the address, and come off by their chips', async () => {
    const { page, close, takeFaults } = await open(lineageOf(made.raw, '?down=5'));
    await box(page, made.report).waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('checkbox', { name: /^Dashboards/ }).check();
    await page.keyboard.press('Escape');
    await page.getByText('Bridge over filtered assets').waitFor();
    await box(page, made.board).waitFor();
    assert.is(await box(page, made.report).count(), 0);
    assert.match(page.url(), /types=dashboard/);
    await page.reload();
    await page.getByRole('button', { name: /Remove the filter Kind Dashboards/ }).click();
    await box(page, made.report).waitFor();
    assert.not.match(page.url(), /types/);
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a bridge names what it leads over, in the direction of the data', async () => {
    const edge = encodeURIComponent(`${made.raw.id} ${made.board.id}`);
    const { page, close, takeFaults } = await open(lineageOf(made.raw, `?down=5&types=dashboard&edge=${edge}`));
    const panel = page.getByRole('complementary');
    await panel.getByText('A bridge over 2 assets that the filters leave out:').waitFor();
    await panel.getByRole('listitem').nth(1).getByRole('link', { name: made.report.name }).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('lines tell who states an edge, in words for those who do not see them, and the legend explains them', async () => {
    const { page, close, takeFaults } = await open(lineageOf(made.raw, `?down=5&asset=${made.report.id}`));
    const line = (look: string) => page.locator(`.react-flow__edge.${look}`);
    await line('agreed').waitFor();
    assert.match((await line('agreed').getAttribute('aria-label')) ?? '', / feeds .*, declared and observed$/);
    assert.is(await line('by-hand').count(), 4);
    assert.match((await line('by-hand').first().getAttribute('aria-label')) ?? '', /, entered by hand$/);
    assert.is(await line('by-hand').first().locator('path[marker-start*="by-hand"]').count(), 1);
    await page.getByRole('complementary').getByText('Query log · declared and observed').waitFor();
    await page.getByText('Legend and keys').click();
    const legend = page.locator('.legend-more');
    for (const words of ['Declared and observed', 'Entered by hand']) await legend.getByText(words).waitFor();
    assert.is(await legend.getByText('Observed, not declared').count(), 0, 'there is none');
    assert.equal(takeFaults(), []);
    await close();
  });

  test('an edge tells its SQL, pipeline, description and columns, and a column lights from there', async () => {
    const edge = encodeURIComponent(`${made.raw.id} ${made.staged.id}`);
    const { page, close } = await open(lineageOf(made.raw, `?edge=${edge}`));
    const panel = page.getByRole('complementary');
    await panel.locator('.sql-keyword', { hasText: 'select' }).waitFor();
    assert.is(await panel.locator('.sql-text').textContent(), "'gone'");
    assert.is(await panel.getByRole('link', { name: made.pipeline.name }).count(), 1);
    await panel.locator('strong', { hasText: 'night' }).waitFor();
    await panel.getByText('sum(total)', { exact: true }).first().waitFor();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await panel.getByRole('button', { name: 'Copy SQL' }).click();
    await panel.getByRole('button', { name: 'Copied SQL' }).waitFor();
    assert.is(await page.evaluate('navigator.clipboard.readText()'), SQL, 'as it was recorded');
    await panel.getByRole('button', { name: 'total', exact: true }).click();
    await page.waitForURL(/column=/);
    await page.getByRole('button', { name: 'sum', exact: true, pressed: true }).waitFor();
    await close();
  });

  test('an edge that several sources state tells what each of them says', async () => {
    const edge = encodeURIComponent(`${made.staged.id} ${made.report.id}`);
    const { page, close } = await open(lineageOf(made.staged, `?edge=${edge}`));
    const panel = page.getByRole('complementary');
    await panel.getByRole('heading', { name: 'Said by 2 sources' }).waitFor();
    const [newest, other] = await panel.locator('.edge-sources > li').allInnerTexts();
    assert.match(newest ?? '', /^Query log\n/);
    assert.match(other ?? '', /^Entered by hand, 1 column\n/);
    await panel.getByText('Its SQL').click();
    await panel.locator('.edge-sources code', { hasText: 'staged' }).waitFor();
    await close();
  });

  test('records that were unfolded on different sides are joined where they feed each other', async () => {
    const names = ['root', 'left', 'right', 'leftmost', 'rightmost', 'beyond'];
    const [root, left, right, leftmost, rightmost, beyond] = (await Promise.all(
      names.map((name) => world.table(name)),
    )) as [Made, Made, Made, Made, Made, Made];
    for (const [from, to] of [
      [root, left],
      [root, right],
      [left, leftmost],
      [right, rightmost],
      [leftmost, rightmost],
      [leftmost, beyond],
    ] as const) {
      ok(await feed(world.admin, from, to));
    }
    const { page, takeFaults, close } = await open(lineageOf(root, '?down=1&up=0'));
    for (const one of [left, right]) {
      await box(page, one).getByRole('button', { name: 'Show 1 more downstream' }).click();
    }
    // Of its two neighbours below one is shown, which only a look at all records together tells.
    await box(page, leftmost).getByRole('button', { name: 'Show 1 more downstream' }).waitFor();
    await box(page, rightmost).waitFor();
    assert.is(
      await box(page, rightmost)
        .getByRole('button', { name: /more upstream/ })
        .count(),
      0,
    );
    await page.goto(`${page.url()}&edge=${leftmost.id}%20${rightmost.id}`);
    await page.getByRole('complementary').getByText(leftmost.name).first().waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('what unfolds leaves boxes where they are, lines pass beside boxes, and all can be placed anew', async () => {
    const [root, mid, end, ...others] = (await Promise.all(
      ['root', 'mid', 'end', 'one', 'other'].map((name) => world.table(name)),
    )) as [Made, Made, Made, ...Made[]];
    const between = await world.table('between');
    for (const [from, to] of [
      ...[mid, end, ...others].map((to) => [root, to] as const),
      [mid, between] as const,
      [between, end] as const,
    ]) {
      ok(await feed(world.admin, from, to));
    }
    const { page, takeFaults, close } = await open(lineageOf(root, '?down=1&up=0'));
    await box(page, mid).waitFor();
    const tidy = page.getByRole('button', { name: 'Tidy up' });
    assert.is(await tidy.count(), 0, 'nothing has come yet');
    const heights = () => Promise.all([root, mid, ...others].map(async (one) => (await placeOf(page, one)).y));
    const before = await heights();
    await box(page, mid).getByRole('button', { name: 'Show 1 more downstream' }).click();
    await box(page, between).waitFor();
    await tidy.waitFor();
    // That it feeds the end is told by a later answer, which moves the end behind it, and out of sight.
    await waitUntil(async () => {
      await page.getByRole('button', { name: 'Show all' }).click();
      await box(page, end).waitFor();
      return (await placeOf(page, end)).x > (await placeOf(page, between)).x;
    }, 'the end stands behind what feeds it');
    for (const [at, height] of (await heights()).entries()) {
      assert.ok(Math.abs(height - (before[at] ?? 0)) <= 1, `${height} instead of ${before[at]}`);
    }
    const isAside = (height: number): boolean => height < 0 || height > 1;
    for (const passed of [mid, between]) {
      const passing = await heightsBeside(page, root, end, passed);
      assert.ok(passing.length > 5 && passing.every(isAside), `${passing}`);
    }
    await tidy.click();
    await tidy.waitFor({ state: 'detached' });
    assert.equal(takeFaults(), []);
    await close();
  });

  test('an address that names what is gone shows the rest, and says so', async () => {
    const step = `downstream:${randomUUID()}`;
    const { page, close } = await open(
      lineageOf(made.raw, `?down=1&more=${step}&column=${made.raw.fullyQualifiedName}.gone`),
    );
    await box(page, made.staged).waitFor();
    await page.getByText('Something that was unfolded here is not there any more.').waitFor();
    await page.getByText(/^There is no column .*\.gone/).waitFor();
    assert.is(await page.locator('.box.faded').count(), 0);
    assert.is(await page.getByRole('alert').count(), 0);
    await close();
  });

  test('a step that cannot be read is tried again beside the graph', async () => {
    const { page, takeFaults, close } = await open(lineageOf(made.raw, '?down=1&up=0'));
    await box(page, made.staged).waitFor();
    let isBroken = true;
    await page.route(
      ({ pathname, searchParams }) => pathname === '/v1/lineage/graph' && searchParams.get('id') === made.staged.id,
      (route) =>
        isBroken ? route.fulfill({ status: 503, json: { code: 503, message: 'Not now' } }) : route.continue(),
    );
    await box(page, made.staged).getByRole('button', { name: 'Show 1 more downstream' }).click();
    const again = page.getByRole('alert').getByRole('button', { name: 'Try again' });
    await again.waitFor();
    const { width = 0 } = (await page.locator('.react-flow').boundingBox()) ?? {};
    assert.ok(width > 1000, 'the graph keeps its room');
    isBroken = false;
    await again.click();
    await box(page, made.report).waitFor();
    for (const fault of takeFaults()) assert.match(fault, 'a status of 503');
    await close();
  });

  test('a comparison marks what unfolds as well', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=1&up=0&since=2020-01-01'));
    await page.getByText(/Added: 2 assets/).waitFor();
    await box(page, made.staged).getByRole('button', { name: 'Show 1 more downstream' }).click();
    await page.getByText(/Added: 3 assets/).waitFor();
    await close();
  });

  test('the lineage of an earlier time is compared with that of now', async () => {
    const time = new Date(between).toISOString();
    const { page, close } = await open(lineageOf(made.raw, `?asOf=${time}`));
    await box(page, made.staged).waitFor();
    assert.is(await box(page, made.aside).count(), 0);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await box(page, made.aside).waitFor();
    await page.goto(`${served.address}${lineageOf(made.raw, `?since=${time}`)}`);
    await page.getByText('Added: 1 asset, 2 edges').waitFor();
    await page.getByText('Removed: 0 assets, 0 edges').waitFor();
    await box(page, made.aside).getByText('+ new').waitFor();
    const slider = page.getByRole('slider', { name: 'Compared with' });
    const former = Number(await slider.inputValue());
    await slider.focus();
    await page.keyboard.press('Home');
    await page.waitForURL((url) => !url.search.includes(encodeURIComponent(time)));
    assert.ok(Number(await slider.inputValue()) < former);
    await close();
  });

  test('a comparison begins where something differs, and no address compares a time with a later one', async () => {
    const { page, close } = await open(lineageOf(made.raw));
    await box(page, made.raw).getByText('test fails').waitFor();
    await page.getByRole('button', { name: 'Time' }).click();
    await page.getByRole('button', { name: 'Compare with an earlier time' }).click();
    await page.getByText('Added: 3 assets, 4 edges').waitFor();
    await page.getByRole('slider', { name: 'As of' }).focus();
    await page.keyboard.press('Home');
    await page.waitForURL((url) => url.searchParams.has('asOf') && !url.searchParams.has('since'));
    await page.getByText('Nothing earlier is known').waitFor();
    await page.getByText('States of tests and contracts are known of today only').waitFor();
    await box(page, made.staged).waitFor({ state: 'detached' });
    assert.is(await box(page, made.raw).getByText('test fails').count(), 0);
    const [early, late] = [between, between + 10].map((time) => new Date(time).toISOString());
    await page.goto(`${served.address}${lineageOf(made.raw, `?asOf=${early}&since=${late}`)}`);
    await page.waitForURL(({ searchParams: times }) => times.get('asOf') === late && times.get('since') === early);
    await page.getByText('Nothing differs between these times.').waitFor();
    await close();
  });

  test('a comparison is filtered as the graph is, over bridges', async () => {
    const since = (time: number): string =>
      lineageOf(made.raw, `?down=5&types=dashboard&since=${new Date(time).toISOString()}`);
    const { page, close } = await open(since(between));
    await page.getByText('Nothing differs between these times.').waitFor();
    await box(page, made.board).waitFor();
    assert.is(await box(page, made.aside).count(), 0, 'what is new and filtered away is not shown');
    await page.goto(`${served.address}${since(0)}`);
    await page.getByText('Added: 1 asset, 1 edge').waitFor();
    await box(page, made.board).getByText('+ new').waitFor();
    await close();
  });

  test('a change of a column shows what may break, and by which path', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=1'));
    await box(page, made.staged).waitFor();
    assert.is(await box(page, made.report).count(), 0);
    await page.getByRole('button', { name: 'What if' }).click();
    const panel = page.getByRole('complementary', { name: /is dropped$/ });
    await panel.getByRole('combobox', { name: /^Column of/ }).fill('tot');
    await page.getByRole('option', { name: 'total' }).click();
    await page.getByRole('heading', { name: 'If total is dropped' }).waitFor();
    await page.getByRole('radio', { name: 'Change the type' }).check();
    const renamed = page.getByRole('complementary', { name: 'If total is given another type' });
    const row = renamed.locator('.affected li', { hasText: made.report.name });
    await row.getByText('possible').waitFor();
    await row.getByRole('button', { name: /Show the path/ }).click();
    // The report is two steps away, and the graph shows one.
    await box(page, made.report).waitFor();
    assert.is(await page.locator('.react-flow__node.on-path').count(), 3);
    assert.match(page.url(), new RegExp(`reached=${made.report.id}`));
    await close();
  });

  test('failing tests upstream are listed with what they say, and their way is highlighted', async () => {
    const { page, close } = await open(lineageOf(made.report));
    await box(page, made.raw).getByText('test fails').waitFor();
    await page.getByRole('button', { name: 'Failing upstream' }).click();
    const panel = page.getByRole('complementary', { name: /^Failing upstream of/ });
    await panel.getByText('Twelve totals are missing.').waitFor();
    await panel.getByText('2 steps upstream').waitFor();
    await page.locator('.react-flow__node.on-path').nth(3).waitFor();
    await page.keyboard.press('Escape');
    await panel.waitFor({ state: 'detached' });
    assert.is(await page.locator('.react-flow__node.on-path').count(), 0);
    await close();
  });

  test('arrows lead from box to box, letters unfold, and panels give the focus back', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=1'));
    await box(page, made.staged).waitFor();
    await box(page, made.raw).focus();
    await page.keyboard.press('ArrowRight');
    assert.is.not(await focusedBox(page), made.raw.id);
    await page.keyboard.press('ArrowLeft');
    assert.is(await focusedBox(page), made.raw.id);
    await box(page, made.staged).focus();
    await page.keyboard.press('d');
    await box(page, made.report).waitFor();
    await page.keyboard.press('c');
    await box(page, made.staged).getByRole('button', { name: 'net', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HOSTILE, level: 2 }).waitFor();
    assert.is(await page.evaluate('document.activeElement.textContent'), HOSTILE);
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    assert.is(await focusedBox(page), made.staged.id);
    await close();
  });

  test('the tab key leads into one box of the graph and on, also where that box is out of sight', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=2'));
    await box(page, made.report).waitFor();
    const stops = (): Promise<readonly string[]> =>
      page.evaluate(`[...new Set([...document.querySelectorAll('.react-flow__nodes *')]
        .filter((element) => element.tabIndex >= 0)
        .map((element) => element.closest('.react-flow__node').dataset.id))]`);
    assert.equal(await stops(), [made.raw.id]);
    await box(page, made.raw).focus();
    await page.keyboard.press('ArrowRight');
    const next = await focusedBox(page);
    assert.is.not(next, made.raw.id);
    assert.equal(await stops(), [next]);
    await page.mouse.move(640, 640);
    await page.mouse.down();
    await page.mouse.move(640, 60, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(640, 640);
    await page.mouse.down();
    await page.mouse.move(640, 60, { steps: 4 });
    await page.mouse.up();
    await box(page, made.raw).waitFor({ state: 'detached' });
    const entry = page.getByRole('button', { name: 'Into the graph' });
    await entry.focus();
    await page.keyboard.press('Enter');
    await waitUntil(async () => (await focusedBox(page)) === next, 'the box is there again and has the focus');
    await close();
  });

  test('keys lead from a box to its edges, along them, and open them', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=1'));
    await box(page, made.aside).waitFor();
    // Labels say how edges are known as soon as that has been answered.
    await page.locator('.react-flow__edge.by-hand').nth(1).waitFor();
    assert.is(await page.locator('.react-flow__edge[tabindex="0"]').count(), 0, 'the tab key passes edges by');
    await box(page, made.raw).focus();
    await page.keyboard.press('e');
    const first = await focusedLabel(page);
    await page.keyboard.press('ArrowDown');
    const second = await focusedLabel(page);
    const [toStaged, toAside] = [HOSTILE, made.aside.name].map(
      (name) => `${made.raw.name} feeds ${name}, entered by hand`,
    );
    assert.equal([first, second].sort(), [toStaged, toAside].sort());
    await page.keyboard.press('Enter');
    const title = second?.replace(' feeds ', ' → ').replace(', entered by hand', '');
    await page.getByRole('heading', { name: title ?? '' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    assert.is(await focusedLabel(page), second);
    await page.keyboard.press('Escape');
    assert.is(await focusedBox(page), made.raw.id);
    await page.keyboard.press('e');
    await page.keyboard.press('ArrowRight');
    assert.is(await focusedBox(page), first === toStaged ? made.staged.id : made.aside.id);
    await close();
  });

  test('the state of an asset leads to the tests that fail, since when, and in which incident', async () => {
    const { page, close, takeFaults } = await open(lineageOf(made.raw));
    await box(page, made.raw).getByTitle('test fails').click();
    const panel = page.getByRole('complementary', { name: made.raw.name });
    await panel.getByText('Twelve totals are missing.').waitFor();
    await panel.getByText(/^fails since/).waitFor();
    await panel.getByText(INCIDENT).waitFor();
    assert.match((await panel.locator('.failing-tests a').first().getAttribute('href')) ?? '', /^\/assets\/testCase\//);
    assert.equal(takeFaults(), []);
    await close();
  });

  test('the list says what the graph says, and goes on from there', async () => {
    const { page, close } = await open(lineageOf(made.raw, '?down=1&view=list'));
    const row = ({ name }: Made) => page.locator('.list-record', { hasText: name });
    await row(made.raw).first().getByText('test fails').waitFor();
    const staged = page.locator('.list-record', { hasText: HOSTILE }).last();
    await staged.getByRole('button', { name: 'Show columns' }).click();
    await staged.getByRole('button', { name: 'net', exact: true }).click();
    await page.getByRole('button', { name: 'net', exact: true, pressed: true }).waitFor();
    await staged.getByRole('button', { name: 'Show 1 more downstream' }).click();
    await row(made.report).last().waitFor();
    assert.is(await page.locator('img[src="x"]').count(), 0);
    await close();
  });

  test('pictures and files are saved, with names as text', async () => {
    const { page, close, takeFaults } = await open(lineageOf(made.raw));
    await box(page, made.staged).waitFor();
    const save = async (name: string): Promise<Buffer> => {
      await page.getByRole('button', { name: 'Export' }).click();
      const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('menuitem', { name }).click()]);
      return readFile(await file.path());
    };
    const svg = (await save('SVG picture')).toString();
    assert.ok(svg.includes('&lt;img src=x'));
    assert.not.match(svg, /<img/);
    assert.is(svg.match(/<rect [^>]*rx="8"/g)?.length, 4, 'a frame for each box');
    const png = await save('PNG picture');
    assert.is(png.subarray(1, 4).toString(), 'PNG');
    assert.ok(png.length > 5000, 'it is not empty');
    assert.match((await save('Mermaid')).toString(), /^flowchart LR/);
    assert.match((await save('CSV')).toString(), new RegExp(made.report.name));
    assert.equal(JSON.parse((await save('JSON')).toString()).root.id, made.raw.id);
    assert.equal(takeFaults(), []);
    await close();
  });

  test('paths are listed shortest first, lead through columns, and avoid what one does not want', async () => {
    const { page, close } = await open(pathsBetween(made.raw, made.report));
    await page.getByText('2 paths').waitFor();
    assert.is(await page.locator('.path-row').count(), 2);
    await page.getByRole('button', { name: 'Path 2' }).click();
    assert.match(page.url(), /path=2/);
    const name = await page.locator('.path-row.chosen .path-steps li').nth(1).getByRole('link').textContent();
    await page.locator('.path-row.chosen .chip', { hasText: name ?? '' }).click();
    await page.getByText('1 path', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('1 asset avoided').waitFor();
    await page.getByRole('button', { name: 'Avoid none' }).click();
    await page.getByText('2 paths').waitFor();
    const columns = {
      fromColumn: `${made.raw.fullyQualifiedName}.total`,
      toColumn: `${made.report.fullyQualifiedName}.sum`,
    };
    await page.goto(`${served.address}${pathsBetween(made.raw, made.report, columns)}`);
    await page.getByText('1 path', { exact: true }).waitFor();
    await box(page, made.staged).getByRole('button', { name: 'net', exact: true, pressed: true }).waitFor();
    await page.goto(`${served.address}${pathsBetween(made.report, made.raw)}`);
    await page.getByText('No data comes from there to here.').waitFor();
    await close();
  });

  test('an end of the paths is found by its name', async () => {
    const { page, close } = await open(
      `/paths?${new URLSearchParams({ from: `table:${made.raw.fullyQualifiedName}` })}`,
    );
    await page.getByText('Choose both ends').waitFor();
    await page.getByRole('combobox', { name: 'To' }).fill(made.report.name);
    await page.getByRole('option', { name: made.report.name }).click();
    await page.getByText('2 paths').waitFor();
    assert.match(decodeURIComponent(page.url()), new RegExp(made.report.name));
    await close();
  });

  test('whoever has chosen few colours for all pages sees lines, signs and what is lit in these', async () => {
    const { page, takeFaults, close } = await open(
      lineageOf(made.raw, `?down=2&column=${made.raw.fullyQualifiedName}.total`),
    );
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark', reducedMotion: 'reduce' });
    await page.locator('.react-flow__edge.lit').first().waitFor();
    const colours = await page.evaluate<Readonly<Record<string, string>>>(`(() => {
      const probe = document.body.appendChild(document.createElement('i'));
      const system = (name) => { probe.style.color = name; return getComputedStyle(probe).color; };
      const strokeOf = (selector) => getComputedStyle(document.querySelector(selector)).stroke;
      return {
        text: system('CanvasText'), chosen: system('Highlight'),
        line: strokeOf('.react-flow__edge:not(.lit) .react-flow__edge-path'),
        lit: strokeOf('.react-flow__edge.lit .react-flow__edge-path'),
        litText: getComputedStyle(document.querySelector('.box-columns .lit button')).forcedColorAdjust,
      };
    })()`);
    assert.is(colours['line'], colours['text']);
    assert.is(colours['lit'], colours['chosen']);
    assert.is.not(colours['text'], colours['chosen']);
    assert.is(colours['litText'], 'none', 'else it stands on a ground of its own colour');
    assert.equal(takeFaults(), []);
    await close();
  });

  test('every view can be read on a desktop and on a phone, light and dark', async () => {
    const edge = encodeURIComponent(`${made.raw.id} ${made.staged.id}`);
    const time = new Date(between).toISOString();
    for (const view of BROWSER_VIEWS) {
      const opened = await open(lineageOf(made.raw, '?types=dashboard&down=5'), view);
      const { page } = opened;
      const visit = async (what: string, path: string, sign: string): Promise<void> => {
        await page.goto(`${served.address}${path}`);
        await page.locator(sign).first().waitFor();
        const isWide = await page.evaluate(
          '(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector("main"))',
        );
        assert.not(isWide, `${what} fits`);
        await expectReadable(opened, view, `lineage-${what}`);
      };
      await visit('filtered', lineageOf(made.raw, '?types=dashboard&down=5'), '.filter-chips');
      await visit('edge', lineageOf(made.raw, `?edge=${edge}`), '.sql pre');
      await visit('time', lineageOf(made.raw, `?since=${time}`), '.diff-legend');
      await visit('impact', lineageOf(made.raw, '?change=drop'), '.affected li');
      await visit('failing', lineageOf(made.report, '?failing=true'), '.failing-tests li');
      await visit('asset', lineageOf(made.raw, `?asset=${made.raw.id}`), '.neighbours');
      await visit('list', lineageOf(made.raw, '?view=list'), '.list-record');
      await visit('paths', pathsBetween(made.raw, made.report), '.path-row');
      await opened.close();
    }
  });
});

test.run();
