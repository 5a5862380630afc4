import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { column, type Made, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Looks in a browser at what changed below a schema, and narrows it to what breaks. */

const test = suite('browser: changes in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let table: Made;

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
  table = await world.make('tables', {
    name: uniqueName('orders'),
    databaseSchema: world.schemaFqn,
    columns: [column('total', { dataType: 'BIGINT' }), column('day', { dataType: 'DATE' })],
  });
  const path = `/v1/tables/${table.id}`;
  ok(await world.admin.patch(path, [{ op: 'replace', path: '/columns/0/dataType', value: 'INT' }]));
  ok(await world.admin.patch(path, { description: '<img src=x onerror=alert(1)>' }));
  await waitForSequencing(world.service);
};

const visit = (path: string, view: BrowserView) =>
  visitExplorer(browser, view, { address: served.address, token, path });

const lines = (page: Page) => page.locator('.change-line');

const look = async (view: BrowserView): Promise<void> => {
  const opened = await visit(`/changes?scope=${encodeURIComponent(table.fullyQualifiedName)}`, view);
  const { page, close } = opened;
  try {
    await lines(page).first().waitFor();
    assert.is(await lines(page).count(), 3);
    const retyped = lines(page).filter({ hasText: 'column got another type' });
    assert.match((await retyped.textContent()) ?? '', /breaking[\s\S]*BIGINT → INT/);
    assert.is(await page.locator('.change-line img').count(), 0);
    await expectReadable(opened, view, 'changes');
    await page.getByRole('combobox', { name: /^What/ }).selectOption('description');
    await lines(page).nth(1).waitFor({ state: 'detached' });
    assert.match((await lines(page).textContent()) ?? '', /described/);
    await page.getByRole('combobox', { name: /^What/ }).selectOption('');
    await lines(page).nth(2).waitFor();
    await page.getByRole('checkbox').check();
    await lines(page).nth(1).waitFor({ state: 'detached' });
    assert.match(page.url(), /breaking=true/);
    await lines(page).getByRole('link', { name: table.fullyQualifiedName }).click();
    await page.getByRole('link', { name: 'Changes', exact: true }).last().waitFor();
    assert.match(page.url(), /column=/);
  } finally {
    await close();
  }
};

inBrowser(test, 'changes in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('what changed is grouped by day, what breaks is marked, and filters narrow the list', async () => {
    for (const view of BROWSER_VIEWS) await look(view);
  });
});

test.run();
