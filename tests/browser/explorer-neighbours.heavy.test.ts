import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { compareAgain } from '../insight/compare-again.ts';
import { column, feed, type Made, ref } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, HOSTILE, openWithToken } from './explorer-page.ts';
import { type ExplorerWorld, openExplorerWorld } from './explorer-world.ts';

/** Shows how one picks among many neighbours of an asset, so that not all of them are drawn. */

const test = suite('browser: explorer, neighbours to pick from');

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

/** More than a page of the answer, and few enough to be drawn one by one. */
const MANY = 130;
/** The number of tables that are made from the hub, one of them hidden from some. */
const TABLES = MANY + 2;

let opened: ExplorerWorld;
let reader: string;
const made = {} as { hub: Made; used: Made; secret: Made; hostile: Made; dashboard: Made };

const start = async (executable: string): Promise<void> => {
  opened = await openExplorerWorld(executable);
  const { world } = opened;
  const { admin, make, schemaFqn: databaseSchema } = world;
  const table = (name: string, more = {}) =>
    make('tables', { name: uniqueName(name), databaseSchema, columns: [column('id')], ...more });
  made.hub = await table('hub');
  const tags = [{ tagFQN: 'PII.NonSensitive', source: 'Classification' }];
  made.used = await table('zz_used', {
    ...{ displayName: 'Zulu orders', description: 'Orders **without** returns.', tableType: 'View', tags },
  });
  made.secret = await table('secret', { tags: [SENSITIVE], displayName: 'Aa salaries' });
  made.hostile = await table('hostile', { displayName: HOSTILE });
  const { fullyQualifiedName: service } = await make('services/dashboardServices', {
    ...{ name: uniqueName('bi'), serviceType: 'Metabase' },
  });
  made.dashboard = await make('dashboards', {
    name: uniqueName('overview'),
    displayName: 'Overview of orders',
    service,
  });
  const rows = Array.from({ length: MANY - 1 }, (_, at) => ({
    ...{ name: `plain_${String(at).padStart(3, '0')}`, databaseSchema, columns: [column('id')] },
  }));
  ok(await admin.put('/v1/tables/bulk', rows));
  const { hub, used, secret, hostile, dashboard } = made;
  const names = rows.map(({ name }) => `${databaseSchema}.${name}`);
  const ends = [...names, used.fullyQualifiedName, secret.fullyQualifiedName, hostile.fullyQualifiedName];
  const edges = ends.map((fullyQualifiedName) => ({
    fromEntity: { type: 'table', fullyQualifiedName: hub.fullyQualifiedName },
    toEntity: { type: 'table', fullyQualifiedName },
  }));
  ok(await admin.put('/v1/lineage/bulk', edges));
  const toDashboard = { fromEntity: { id: hub.id, type: 'table' }, toEntity: { id: dashboard.id, type: 'dashboard' } };
  ok(await admin.put('/v1/lineage', { edge: toDashboard }));
  for (let at = 0; at < 3; at += 1) ok(await feed(admin, used, await table(`reader_${at}`)));
  await compareAgain(admin);
  reader = await world.service.token((await createRightsFactory(world.service).person([HIDING])).name);
};

const open = (query: string, view = DESKTOP, token = opened.token) =>
  openWithToken(
    { browser: opened.browser, view, address: opened.served.address, token },
    `/lineage/table/${encodeURIComponent(made.hub.fullyQualifiedName)}${query}`,
  );

const box = (page: Page, { id }: Made) => page.locator(`.react-flow__node[data-id="${id}"]`);
const picker = (page: Page) => page.getByRole('complementary', { name: /^Downstream of/ });
const rows = (page: Page) => picker(page).locator('li');

inBrowser(test, 'neighbours in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await opened?.browser.close();
    await opened?.served.close();
  });

  test('one of many neighbours is found, shown, kept in the address, and hidden again', async () => {
    const { page, close, takeFaults } = await open('?up=0&down=0');
    await box(page, made.hub)
      .getByRole('button', { name: `Show ${TABLES + 1} more downstream` })
      .click();
    await picker(page)
      .getByText(`${TABLES + 1} neighbours`)
      .waitFor();
    await rows(page).first().getByText('Zulu orders').waitFor();
    assert.is(await page.locator('.react-flow__node').count(), 1, 'nothing is drawn before it is picked');
    await page.getByPlaceholder('Find by words in names').fill('ORDERS');
    await picker(page).getByText('2 found').waitFor();
    await picker(page).getByRole('button', { name: 'Show Zulu orders' }).click();
    await box(page, made.used).waitFor();
    await page.locator('.react-flow__edge').waitFor({ state: 'attached' });
    await box(page, made.hub)
      .getByRole('button', { name: `Show ${TABLES} more downstream` })
      .waitFor();
    assert.is(await page.evaluate('document.activeElement.textContent'), 'Hide', 'the focus stays where it was');
    const { searchParams } = new URL(page.url());
    assert.equal([searchParams.get('with'), searchParams.get('pick')], [made.used.id, `downstream:${made.hub.id}`]);
    await page.reload();
    await box(page, made.used).waitFor();
    await page.goto(`${page.url()}&asset=${made.used.id}`.replace(/&pick=[^&]*/, ''));
    const panel = page.getByRole('complementary', { name: 'Zulu orders' });
    await panel.getByRole('link', { name: 'PII.NonSensitive' }).waitFor();
    assert.match((await panel.textContent()) ?? '', /Service typeSnowflakeTable typeViewTags/);
    await panel.locator('strong', { hasText: 'without' }).waitFor();
    await page.goBack();
    await picker(page).getByRole('button', { name: 'Hide Zulu orders' }).click();
    await box(page, made.used).waitFor({ state: 'detached' });
    assert.equal(takeFaults(), []);
    await close();
  });

  test('the filters of the graph narrow the list', async () => {
    const { page, close, takeFaults } = await open(`?up=0&down=0&tags=PII.NonSensitive&pick=downstream:${made.hub.id}`);
    await picker(page).getByText('1 found').waitFor();
    await rows(page).first().getByText('Zulu orders').waitFor();
    await page.getByPlaceholder('Find by words in names').fill('plain');
    await picker(page).getByText('Nothing here has these words and passes the filters.').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a comparison marks the edges among what was picked, and what came with them', async () => {
    const { hub, used, dashboard } = made;
    const { admin } = opened.world;
    const between = new Date().toISOString();
    const edge = { fromEntity: ref(used), toEntity: ref(dashboard, 'dashboard') };
    ok(await admin.put('/v1/lineage', { edge }));
    const shown = `?up=0&down=0&with=${used.id},${dashboard.id}`;
    const { page, close, takeFaults } = await open(`${shown}&since=2020-01-01`);
    await page.getByText('Added: 2 assets, 3 edges').waitFor();
    await box(page, used).getByText('+ new').waitFor();
    await page.goto(page.url().replace('2020-01-01', encodeURIComponent(between)));
    await page.getByText('Added: 0 assets, 1 edge').waitFor();
    await page.getByText('Removed: 0 assets, 0 edges').waitFor();
    assert.is(await box(page, used).getByText('+ new').count(), 0);
    ok(await admin.delete(`/v1/lineage/table/${hub.id}/dashboard/${dashboard.id}`));
    await page.reload();
    await page.getByText('Removed: 0 assets, 1 edge').waitFor();
    const toDashboard = { fromEntity: ref(hub), toEntity: ref(dashboard, 'dashboard') };
    ok(await admin.put('/v1/lineage', { edge: toDashboard }));
    ok(await admin.delete(`/v1/lineage/table/${used.id}/dashboard/${dashboard.id}`));
    assert.equal(takeFaults(), []);
    await close();
  });

  test('kinds and the order narrow and sort the list, which is read as far as one looks', async () => {
    const { page, close } = await open('?up=0&down=0');
    await box(page, made.hub)
      .getByRole('button', { name: /more downstream/ })
      .click();
    await rows(page).first().getByText('Zulu orders').waitFor();
    await picker(page).getByLabel('Order by').selectOption('Name');
    await rows(page).first().getByText(HOSTILE).waitFor();
    await picker(page).getByLabel('Kind').selectOption('dashboard');
    await picker(page).getByText('1 found').waitFor();
    await rows(page).first().getByText('Overview of orders').waitFor();
    await picker(page).getByLabel('Kind').selectOption('');
    await picker(page)
      .getByText(`${TABLES + 1} neighbours`)
      .waitFor();
    const list = picker(page).locator('.virtual-rows');
    await list.focus();
    for (let reached = false; !reached; ) {
      await page.keyboard.press('End');
      reached = await picker(page).getByText('Zulu orders').isVisible();
    }
    await close();
  });

  test('a key opens the list, a click elsewhere takes its place, and all are shown at once where that is wanted', async () => {
    const { page, close } = await open('?up=0&down=0');
    await box(page, made.hub).focus();
    await page.keyboard.press('d');
    await rows(page).first().waitFor();
    await page.keyboard.press('Escape');
    await picker(page).waitFor({ state: 'detached' });
    assert.is(await page.evaluate('document.activeElement.dataset.id'), made.hub.id);
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: made.hub.name, exact: true });
    await panel.getByRole('button', { name: `Show ${TABLES + 1} more downstream` }).click();
    await rows(page).first().waitFor();
    await panel.waitFor({ state: 'detached' });
    await picker(page).getByRole('button', { name: 'Show all' }).click();
    await picker(page).waitFor({ state: 'detached' });
    await page.locator('.react-flow__node').nth(3).waitFor({ state: 'attached' });
    assert.match(page.url(), /more=downstream/);
    await close();
  });

  test('hidden neighbours are at the end, without names and nothing to press', async () => {
    const { page, close } = await open('?up=0&down=0', DESKTOP, reader);
    await box(page, made.hub)
      .getByRole('button', { name: /more downstream/ })
      .click();
    await rows(page).first().getByText('Zulu orders').waitFor();
    await page.getByPlaceholder('Find by words in names').fill('salaries');
    await picker(page).getByText('Nothing here has these words.').waitFor();
    await page.getByPlaceholder('Find by words in names').fill('');
    const list = picker(page).locator('.virtual-rows');
    await list.focus();
    const hidden = rows(page).filter({ hasText: 'that you may not see' });
    while ((await hidden.count()) === 0) await page.keyboard.press('End');
    assert.is(await hidden.getByRole('button').count(), 0);
    assert.not.match((await page.content()).toLowerCase(), /salaries/);
    await close();
  });

  test('what was picked and is gone is told of, and the others stay', async () => {
    const { admin, make, schemaFqn: databaseSchema } = opened.world;
    const gone = await make('tables', { name: uniqueName('gone'), databaseSchema, columns: [column('id')] });
    const { page, close } = await open(`?up=0&down=0&with=${made.used.id},${gone.id}`);
    await box(page, gone).waitFor();
    ok(await admin.delete(`/v1/tables/${gone.id}?hardDelete=true`));
    await page.reload();
    await box(page, made.used).waitFor();
    await page.getByText('Something that was unfolded here is not there any more.').waitFor();
    await close();
  });

  for (const view of BROWSER_VIEWS) {
    test(`everybody can read the list (${view.name})`, async () => {
      const page = await open(`?up=0&down=0&pick=downstream:${made.hub.id}&with=${made.used.id}`, view);
      await picker(page.page).getByRole('button', { name: 'Hide Zulu orders' }).waitFor();
      await expectReadable(page, view, 'neighbours');
      await page.close();
    });
  }
});

test.run();
