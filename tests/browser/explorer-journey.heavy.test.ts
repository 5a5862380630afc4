import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import {
  BROWSER_VIEWS,
  type BrowserPage,
  type BrowserView,
  inBrowser,
  openBrowser,
  openPage,
} from '../support/browser.ts';
import { startCompanyService } from '../support/prepared-home.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/**
 * Walks through the explorer as somebody does who has just installed the service and loaded the sample company: from the
 * start page to a column, its trail, what a change of it breaks, what was there before, and the paths between two assets.
 */

const test = suite('browser: journey through the sample company');

const FACTS = 'warehouse_snowflake.ANALYTICS.CORE.FCT_SALES';
const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

let home = '';
let service: ServiceProcess | undefined;
let browser: Browser;
let token = '';

const start = async (executable: string): Promise<void> => {
  home = await mkdtemp(join(tmpdir(), 'tributary-journey-'));
  service = await startCompanyService(home);
  // The statements of a first search are planned for some seconds; the journey is not about that.
  await (await service.ask('/v1/search/query?q=facts&index=all')).text();
  token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  browser = await openBrowser(executable);
};

const address = (): string => service?.address ?? '';

const signIn = async (view: BrowserView = DESKTOP): Promise<BrowserPage> => {
  const opened = await openPage(browser, view);
  const { page } = opened;
  await page.goto(address());
  await page.getByText('Use a token').click();
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use it' }).click();
  await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
  // Whoever is not signed in has no cookie either, which the browser tells as a refused request.
  opened.takeFaults();
  return opened;
};

const box = (page: Page, name: string) => page.locator('.react-flow__node', { hasText: name }).first();
const column = (page: Page, name: string) => page.getByRole('button', { name, exact: true, pressed: true }).first();

/** Goes on or back by the tab key until something has the focus, or holds what has it. */
const tabTo = async (page: Page, wanted: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> => {
  await wanted.waitFor();
  const isReached = () => wanted.and(page.locator(':focus, :has(:focus)')).isVisible();
  for (let step = 0; step < 150 && !(await isReached()); step += 1) await page.keyboard.press(key);
  assert.ok(await isReached(), `the tab key leads to ${wanted}`);
};

const press = async (page: Page, wanted: Locator): Promise<void> => {
  await tabTo(page, wanted);
  await page.keyboard.press('Enter');
};

/** Opens the palette, types, and takes what comes first. */
const command = async (page: Page, text: string, first: RegExp): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.locator('.palette input:focus').waitFor();
  await page.keyboard.type(text);
  await page.locator('.palette [role=option][aria-selected=true]', { hasText: first }).waitFor();
  await page.keyboard.press('Enter');
};

inBrowser(test, 'the journey in a browser', (executable) => {
  test.before(() => start(executable));
  test.after(async () => {
    await browser?.close();
    if (service) await stopServiceProcess(service, 'SIGTERM');
    await rm(home, { recursive: true, force: true });
  });

  test('from the start page to a column whose whole trail is lit', async () => {
    const { page, takeFaults, close } = await signIn();
    await page.getByLabel('Search the catalog').first().fill('sales facts');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Sales facts' }).first().click();
    await page.getByRole('heading', { name: 'Sales facts' }).waitFor();
    await page.getByRole('link', { name: 'Lineage', exact: true }).click();
    await box(page, 'Daily revenue').waitFor();
    await box(page, 'Sales facts').getByRole('button', { name: 'Show columns' }).click();
    await page.getByRole('button', { name: 'NET_EUR', exact: true }).first().click();
    await column(page, 'margin_by_publisher').waitFor();
    await column(page, 'UNIT_PRICE').waitFor();
    await box(page, 'order_lines').waitFor();
    await column(page, 'unit_price').waitFor();
    await page.getByText('The trail of NET_EUR: 29 columns in 15 assets.').waitFor();
    const shared = page.url();
    assert.match(shared, /column=/);
    assert.equal(takeFaults(), []);
    const other = await signIn();
    await other.page.goto(shared);
    await column(other.page, 'margin_by_publisher').waitFor();
    await other.page.reload();
    await column(other.page, 'unit_price').waitFor();
    // The column of an asset beyond the depth is found again by those who open its address.
    await column(other.page, 'unit_price').click();
    await other.page.getByText('The trail of unit_price:').waitFor();
    await other.page.reload();
    await column(other.page, 'margin_by_publisher').waitFor();
    await other.page.getByRole('button', { name: 'List', exact: true }).click();
    await other.page.getByText('The trail of unit_price:').waitFor();
    await other.page.getByRole('button', { name: 'unit_price', exact: true, pressed: true }).first().waitFor();
    assert.equal(other.takeFaults(), []);
    await other.close();
    await close();
  });

  test('from the name of a column to where its numbers come from, by keys alone', async () => {
    const { page, takeFaults, close } = await signIn();
    await page.keyboard.press('/');
    await page.keyboard.type('net_eur');
    const wanted = page.getByRole('option', { name: /NET_EUR.*lineage of this column.*of Sales facts/ });
    await wanted.locator('mark', { hasText: 'NET_EUR' }).waitFor();
    for (let step = 0; step < 30 && (await wanted.getAttribute('aria-selected')) !== 'true'; step += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('The trail of NET_EUR: 29 columns in 15 assets.').waitFor();
    await column(page, 'unit_price').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('from a column to what breaks without it, and by which path', async () => {
    const { page, takeFaults, close } = await signIn();
    await page.goto(`${address()}/lineage/table/${FACTS}?down=1&column=${FACTS}.NET_EUR`);
    await box(page, 'Daily revenue').waitFor();
    const more = page.getByRole('button', { name: /Show \d+ more downstream/ }).first();
    await more.click();
    await page.waitForURL(/more=downstream/);
    await page.getByRole('button', { name: 'What if' }).click();
    const panel = page.getByRole('complementary', { name: 'If NET_EUR is dropped' });
    await panel.getByText('sales-lines').first().waitFor();
    const row = panel.locator('.affected li', { hasText: 'royalty-statements' }).first();
    await row.getByRole('button', { name: /Show the path/ }).click();
    await page.locator('.react-flow__node.on-path').nth(2).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('from now to an earlier time, and what is different', async () => {
    const { page, takeFaults, close } = await signIn();
    const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
    const before = daysAgo(30);
    await page.goto(`${address()}/lineage/table/${FACTS}?since=${daysAgo(15)}`);
    await page.getByText(/Changed: [1-9]\d* edges?/).waitFor();
    await page.goto(`${address()}/lineage/table/${FACTS}?since=${before}`);
    await page.getByText(/Added: [1-9]\d* assets?, [1-9]\d* edges?/).waitFor();
    await page.goto(`${address()}/lineage/table/${FACTS}?asOf=${before}`);
    await box(page, 'Sales facts').waitFor();
    assert.is(await page.locator('.react-flow__node').count(), 1, 'nothing was known of it then');
    await page.getByRole('button', { name: 'Back to now' }).click();
    await box(page, 'Daily revenue').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('what breaks without a column, and whom to ask, by keys alone', async () => {
    const { page, takeFaults, close } = await signIn();
    await command(page, 'fct_sales', /FCT_SALES|Sales facts/);
    await page.getByRole('heading', { name: 'Sales facts' }).waitFor();
    await command(page, ':net_eur', /NET_EUR/);
    // The column takes the focus, so its own links are the next ones.
    await page.getByRole('region', { name: 'About NET_EUR' }).and(page.locator(':focus')).waitFor();
    await press(page, page.getByRole('link', { name: 'Its trail through the graph' }));
    await page.getByText('The trail of NET_EUR: 29 columns in 15 assets.').waitFor();
    await press(page, page.getByRole('button', { name: 'What if' }));
    const panel = page.getByRole('complementary', { name: 'If NET_EUR is dropped' });
    await panel.getByText('sales-lines').first().waitFor();
    await panel.getByRole('link', { name: 'Hannah Vogel' }).first().waitFor();
    const row = panel.locator('.affected li', { hasText: 'royalty-statements' }).first();
    await press(page, row.getByRole('button', { name: /Show the path/ }));
    await page.locator('.react-flow__node.on-path').nth(2).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('from what fails to where that comes from, and in which run, by keys alone', async () => {
    const { page, takeFaults, close } = await signIn();
    const failed = page.getByRole('region', { name: 'What failed lately' });
    await press(page, failed.getByRole('link', { name: 'Lineage of REVENUE_DAILY' }).first());
    await box(page, 'Daily revenue').waitFor();
    await press(page, page.getByRole('button', { name: 'Failing upstream' }));
    const panel = page.getByRole('complementary', { name: 'Failing upstream of Daily revenue' });
    await panel.getByText('Found returned, which nobody has heard of.').waitFor();
    await page.locator('.react-flow__node.on-path').nth(3).waitFor();
    await press(page, panel.getByRole('link', { name: 'known-status' }));
    await page.getByRole('heading', { name: 'known-status' }).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('what has changed since it was right, by keys alone', async () => {
    const { page, takeFaults, close } = await signIn();
    await command(page, 'fct_sales', /FCT_SALES|Sales facts/);
    await page.getByRole('heading', { name: 'Sales facts' }).waitFor();
    await command(page, '>lineage', /Lineage/);
    await box(page, 'Daily revenue').waitFor();
    await press(page, page.getByRole('button', { name: 'Time', exact: true }));
    await press(page, page.getByRole('button', { name: 'Compare with an earlier time' }));
    await page.getByText(/Changed: \d+ edges?/).waitFor();
    const slider = page.getByRole('slider', { name: 'Compared with' });
    await tabTo(page, slider, 'Shift+Tab');
    await page.keyboard.press('Home');
    await page.getByText(/Added: [1-9]\d* assets?, [1-9]\d* edges?/).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('whether a table can be relied on, and who answers for it, by keys alone and before anything is scrolled', async () => {
    for (const view of BROWSER_VIEWS.filter(({ colorScheme }) => colorScheme === 'light')) {
      const { page, takeFaults, close } = await signIn(view);
      await page.keyboard.press('/');
      await page.keyboard.type('sales facts');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/search/);
      await press(page, page.getByRole('link', { name: 'Sales facts' }).first());
      await page.getByRole('heading', { name: 'Sales facts' }).waitFor();
      await page.getByText('1 of 1 failing').waitFor();
      for (const fact of [
        '1 of 1 failing',
        'never judged',
        'Jonas Keller',
        /450,590 rows/,
        /^(Tier\.)?Tier1$/,
        /^One row per order line/,
      ]) {
        const seen = page.getByText(fact).and(page.locator(':visible')).first();
        const { y = 0, height = 0 } = (await seen.boundingBox()) ?? {};
        assert.ok(height > 0 && y + height <= view.height, `${view.name}: ${fact} ends at ${y + height}`);
      }
      assert.equal(takeFaults(), []);
      await close();
    }
  });

  test('from an order in the shop to the dashboard of the management', async () => {
    const { page, takeFaults, close } = await signIn();
    const ends = new URLSearchParams({
      from: 'table:shop_postgres.shop.sales.orders',
      to: 'dashboard:metabase.management',
    });
    await page.goto(`${address()}/paths?${ends}`);
    await page.getByText('9 paths').waitFor();
    await box(page, 'STG_ORDERS').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Show all' }).click();
    await box(page, 'Management').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });
});

test.run();
