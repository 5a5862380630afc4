import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { feed, type Made, type World } from '../lineage/fixture.ts';
import { tablesOf } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Asks the graph in a browser. */

const test = suite('browser: queries in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;

const visit = (view: BrowserView, path: string) =>
  visitExplorer(browser, view, { address: served.address, token, path });

const write = (page: Page, label: string, text: string) => page.getByRole('textbox', { name: label }).fill(text);

const QUERY = 'MATCH (a:Table {id: $id})-[:FEEDS]->(b) RETURN a, b.name AS name, size(b.name) AS letters';

const askAndSave = async (view: BrowserView): Promise<void> => {
  const { from, to } = await tablesOf(world, 'from', 'to');
  ok(await feed(world.admin, from as Made, to as Made));
  const opened = await visit(view, '/ask');
  const { page, close } = opened;
  try {
    const run = page.getByRole('button', { name: 'Run' });
    await run.waitFor();
    assert.ok(await run.isDisabled(), 'there is nothing to run yet');
    await page.getByText('HAS_COLUMN', { exact: true }).first().waitFor();
    await write(page, 'Query', QUERY.replace('FEEDS', 'FEED'));
    await write(page, 'Parameters as JSON', '{"id": ');
    await page.getByText('Parameters are a JSON object').waitFor();
    await write(page, 'Parameters as JSON', JSON.stringify({ id: (from as Made).id }));
    await run.click();
    await page.getByText('there is no edge FEED. Did you mean FEEDS?').waitFor();
    assert.match(opened.takeFaults().join(), /status of 400/, 'the browser tells of the refusal too');
    await write(page, 'Query', QUERY);
    await run.click();
    const cells = page.getByRole('table').locator('tbody td');
    await cells.first().waitFor();
    assert.equal(await page.getByRole('table').locator('th').allTextContents(), ['a', 'name', 'letters']);
    const shown = await cells.allTextContents();
    assert.match(shown[0] ?? '', new RegExp(`Table.*${(from as Made).fullyQualifiedName}`));
    assert.equal(shown.slice(1), [(to as Made).name, String((to as Made).name.length)]);
    await page.getByText(/^1 row, in/).waitFor();
    await expectReadable(opened, view, 'query');
    const name = uniqueName('asked').replaceAll(/\W/g, '_');
    await write(page, 'Name to save it under', name);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText(`Saved as ${name}.`).waitFor();
    await page.getByRole('combobox', { name: 'Begin with' }).selectOption(name);
    assert.is(await page.getByRole('textbox', { name: 'Query' }).inputValue(), QUERY);
    // The address alone brings the question and its answer back.
    await page.reload();
    await cells.first().waitFor();
    await page.getByRole('link', { name: (from as Made).fullyQualifiedName }).click();
    await page.waitForURL(`**/assets/table/**`);
    ok(await world.admin.delete(`/v1/graph/queries/${name}`), 204);
  } finally {
    await close();
  }
};

const examples = async (view: BrowserView): Promise<void> => {
  const opened = await visit(view, '/ask');
  const { page, close } = opened;
  try {
    const choice = page.getByRole('combobox', { name: 'Begin with' });
    await choice.waitFor();
    for (const example of await choice.locator('optgroup[label="Examples"] option').allTextContents()) {
      await choice.selectOption(example);
      await page.getByRole('button', { name: 'Run' }).click();
      await page
        .getByText(/rows?, in|Nothing fits/)
        .first()
        .waitFor();
    }
  } finally {
    await close();
  }
};

inBrowser(test, 'queries in a browser', (executable) => {
  test.before(async () => {
    ({ world, served, browser, token } = await openExplorerWorld(executable));
  });

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a query is asked, answered and saved', async () => {
    for (const view of BROWSER_VIEWS) await askAndSave(view);
  });

  test('every example is a query that runs', async () => {
    const [view] = BROWSER_VIEWS;
    if (view) await examples(view);
  });
});

test.run();
