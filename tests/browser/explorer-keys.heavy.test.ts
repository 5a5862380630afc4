import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { column, feed, type Made, mapping } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { type ExplorerWorld, openExplorerWorld } from './explorer-world.ts';

/** Goes through the explorer by the keyboard alone: the palette, the list of keys, and a number to where it comes from. */

const test = suite('browser: explorer by the keyboard');

let opened: ExplorerWorld;
const made = {} as { raw: Made; mart: Made };
/** A column that no other table has. */
const NET = uniqueName('net');
const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const start = async (executable: string): Promise<void> => {
  opened = await openExplorerWorld(executable);
  const { world } = opened;
  const table = (name: string, columns: readonly string[]) =>
    world.make('tables', { name, databaseSchema: world.schemaFqn, columns: columns.map((one) => column(one)) });
  made.raw = await table(uniqueName('rawlines'), ['unit_price', 'placed_on']);
  made.mart = await table(uniqueName('martlines'), [NET, 'day']);
  const { raw, mart } = made;
  ok(
    await feed(world.admin, raw, mart, {
      sqlQuery: 'select unit_price as net_eur from raw',
      columnsLineage: [mapping(raw, ['unit_price'], mart, NET)],
    }),
  );
  // What is suggested is what the search finds.
  await waitUntil(
    async () => ok(await world.admin.get(`/v1/search/query?q=${mart.name}&index=table`)).hits.total.value > 0,
    'the search finds the table',
  );
};

const visit = (path: string, view = DESKTOP, token = opened.token) =>
  visitExplorer(opened.browser, view, { address: opened.served.address, token, path });

const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Assets, people and commands' });

const optionsOf = (page: Page) => page.locator('.palette [role=option]');

const openPalette = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await page.locator('.palette input:focus').waitFor();
};

/** Opens the palette, types, and waits for what comes first. */
const type = async (page: Page, text: string, first: string): Promise<void> => {
  await openPalette(page);
  await page.keyboard.type(text);
  await page.locator('.palette [role=option][aria-selected=true]', { hasText: first }).waitFor();
};

const pathOf = (page: Page): string => decodeURIComponent(new URL(page.url()).pathname);

const expectPath = (page: Page, path: string) =>
  waitFor(
    () => pathOf(page),
    (found) => found === path,
    path,
  );

inBrowser(test, 'the explorer by the keyboard', (executable) => {
  test.before(() => start(executable));
  test.after(async () => {
    await opened?.browser.close();
    await opened?.served.close();
  });

  test('the palette leads to assets, people, tags, columns and pages', async () => {
    const { mart, raw } = made;
    const { page, takeFaults, close } = await visit('/');
    await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
    await type(page, mart.name, mart.name);
    await page.keyboard.press('Enter');
    await expectPath(page, `/assets/table/${mart.fullyQualifiedName}`);
    await page.getByRole('heading', { name: mart.name }).waitFor();
    assert.is(await fieldOf(page).count(), 0, 'it closes');

    await type(page, ':net', NET);
    await page.keyboard.press('Enter');
    await page.waitForURL(/column=/);
    assert.ok(decodeURIComponent(page.url()).endsWith(`column=${mart.fullyQualifiedName}.${NET}`));

    await type(page, '>what breaks', 'What breaks');
    await page.keyboard.press('Enter');
    await page.waitForURL(/change=drop/);
    await expectPath(page, `/lineage/table/${mart.fullyQualifiedName}`);

    await type(page, raw.name, raw.name);
    await page.keyboard.press('Shift+Enter');
    await expectPath(page, `/lineage/table/${raw.fullyQualifiedName}`);
    await type(page, raw.name, raw.name);
    await page.keyboard.press('Alt+Enter');
    await page.waitForURL(/change=drop/);

    await type(page, '@admin', 'admin');
    await page.keyboard.press('Enter');
    await waitUntil(() => pathOf(page).startsWith('/assets/user/'), 'the page of a person');
    await type(page, '#PII.Sensitive', 'Sensitive');
    await page.keyboard.press('Enter');
    await expectPath(page, '/assets/tag/PII.Sensitive');

    await openPalette(page);
    const offered = await optionsOf(page).allInnerTexts();
    assert.match(offered[0] ?? '', /admin/, 'what was seen last comes first, but for the page itself');
    assert.ok(offered.some((text) => text.includes(mart.name)));
    assert.ok(offered.some((text) => text.startsWith('Where it flows')));
    await page.keyboard.press('Escape');
    await fieldOf(page).waitFor({ state: 'detached' });

    await type(page, '>dark', 'Theme: dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('who may only read is offered no editor and no import', async () => {
    const { service } = opened.world;
    const reader = await createRightsFactory(service).person();
    const { page, takeFaults, close } = await visit(
      `/assets/table/${encodeURIComponent(made.mart.fullyQualifiedName)}`,
      DESKTOP,
      await service.token(reader.name),
    );
    await page.getByRole('heading', { name: made.mart.name }).waitFor();
    await type(page, '>csv', 'Export as CSV');
    await page.keyboard.press('Escape');
    await type(page, '>contract', 'Contract');
    assert.is(await optionsOf(page).count(), 1);
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a text that nothing is called leads to the search, and a sign alone nowhere', async () => {
    const { page, close } = await visit('/people');
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    await openPalette(page);
    await page.keyboard.type('zzznothing');
    await page.getByText('Nothing is found.').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/search\?q=zzznothing/);
    await openPalette(page);
    await page.keyboard.type(':x');
    await page.getByText('This page is about no asset with columns.').waitFor();
    await page.keyboard.press('Enter');
    await fieldOf(page).waitFor();
    await close();
  });

  test('the keys are listed, and single signs are keys only for who wants that', async () => {
    const { page, takeFaults, close } = await visit('/people');
    const list = page.getByRole('dialog', { name: 'Keys' });
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    await page.keyboard.press('?');
    await list.waitFor();
    await list.getByText('to its edges', { exact: false }).waitFor();
    await list.getByRole('checkbox').press('Space');
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    assert.is(await page.locator('[data-search-box]:focus').count(), 0);
    await type(page, '>keys', 'Keys');
    await page.keyboard.press('Enter');
    await list.waitFor();
    await list.getByRole('checkbox').press('Space');
    await list.getByRole('button', { name: 'Close' }).press('Enter');
    await page.keyboard.press('/');
    await page.locator('[data-search-box]:focus').waitFor();
    await page.keyboard.type('?');
    assert.is(await list.count(), 0, 'who types types');
    assert.equal(takeFaults(), []);
    await close();
  });

  test('where a number comes from is found by the keyboard alone', async () => {
    const { mart, raw } = made;
    const { page, close } = await visit('/');
    await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(NET);
    const suggestion = page.getByRole('option', { name: /lineage of this column/ });
    await suggestion.waitFor();
    for (let steps = 0; steps < 3 && (await suggestion.getAttribute('aria-selected')) !== 'true'; steps += 1)
      await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'unit_price', exact: true, pressed: true }).waitFor();
    await page.locator(`.react-flow__node[data-id="${mart.id}"]`).focus();
    await page.keyboard.press('ArrowLeft');
    await waitUntil(
      async () => (await page.locator('.react-flow__node:focus').getAttribute('data-id')) === raw.id,
      'the arrow leads to what feeds the table',
    );
    await page.keyboard.press('Enter');
    await page.locator('.panel', { hasText: raw.name }).waitFor();
    await close();
  });

  test('the palette and the list of keys can be read in every view', async () => {
    for (const view of BROWSER_VIEWS) {
      const visited = await visit(`/assets/table/${encodeURIComponent(made.mart.fullyQualifiedName)}`, view);
      const { page } = visited;
      await page.getByRole('heading', { name: made.mart.name }).waitFor();
      await openPalette(page);
      await optionsOf(page).first().waitFor();
      await expectReadable(visited, view, 'palette');
      await page.keyboard.type(made.raw.name);
      await page
        .getByRole('option', { name: new RegExp(made.raw.name) })
        .first()
        .waitFor();
      await expectReadable(visited, view, 'palette-found');
      await page.keyboard.press('Escape');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await expectReadable(visited, view, 'keys');
      await visited.close();
    }
  });
});

test.run();
