import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { column, type Made, ref, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createSamples } from '../support/samples.ts';
import { suite } from '../support/suite.ts';
import { openWithToken } from './explorer-page.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Shows in a browser that columns of every kind are unfolded and chosen, whatever the kind calls them. */

const test = suite('browser: columns of every kind in the explorer');

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const field = (name: string, more: JsonObject = {}): JsonObject => ({ name, dataType: 'RECORD', ...more });

/** A body with columns for each kind, and their names as the page has them. */
const SOURCES: Readonly<Record<string, { readonly body: JsonObject; readonly names: readonly string[] }>> = {
  container: { body: { dataModel: { columns: [column('day'), column('size')] } }, names: ['day', 'size'] },
  topic: {
    body: { messageSchema: { schemaFields: [field('order', { children: [field('id')] })] } },
    names: ['order', 'order.id'],
  },
  searchIndex: { body: { fields: [{ name: 'title', dataType: 'TEXT' }] }, names: ['title'] },
  apiEndpoint: {
    body: {
      requestSchema: { schemaFields: [field('key')] },
      responseSchema: { schemaFields: [field('key'), field('answer')] },
    },
    names: ['key', 'answer'],
  },
  mlmodel: {
    body: { mlFeatures: [{ name: 'age', featureSources: [{ name: 'born' }] }] },
    names: ['age', 'age.born'],
  },
  dashboardDataModel: { body: { columns: [column('margin')] }, names: ['margin'] },
};

const TYPES = Object.keys(SOURCES);

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let target: Made;
const made = new Map<string, Made>();

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
  const samples = createSamples(world.service);
  target = await world.table('target');
  for (const [type, { body }] of Object.entries(SOURCES)) {
    const source: Made = await samples.create(type, body);
    made.set(type, source);
    const edge = { fromEntity: ref(source, type), toEntity: ref(target) };
    ok(await world.admin.put('/v1/lineage', { edge }));
  }
};

const madeOf = (type: string): Made => {
  const found = made.get(type);
  if (!found) throw new Error(`there is no ${type}`);
  return found;
};

const open = (path: string) => openWithToken({ browser, view: DESKTOP, address: served.address, token }, path);

/** Opens the picker of columns and reads what it offers. */
const offeredBy = async (page: Page, name: RegExp | string): Promise<readonly string[]> => {
  await page.getByRole('combobox', { name }).click();
  const options = page.getByRole('listbox').getByRole('option');
  await options.first().waitFor();
  return options.allTextContents();
};

inBrowser(test, 'columns of every kind in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('the lineage unfolds the columns of every kind without reading the whole record', async () => {
    const { page, close, takeFaults } = await open(
      `/lineage/table/${encodeURIComponent(target.fullyQualifiedName)}?view=list`,
    );
    const read: string[] = [];
    page.on('request', (request) => read.push(new URL(request.url()).pathname));
    for (const type of TYPES) {
      const { name, id } = madeOf(type);
      const row = page.locator('.list-record', { has: page.locator('strong', { hasText: name }) });
      await row.getByRole('button', { name: 'Show columns' }).click();
      await row.locator('.column-name').first().waitFor();
      assert.equal(await row.locator('.column-name').allTextContents(), SOURCES[type]?.names, type);
      assert.ok(read.some((path) => path.endsWith(`${id}/columns`)));
      assert.is(
        read.some((path) => path.endsWith(id)),
        false,
        `the whole ${type} is not read`,
      );
    }
    assert.equal(takeFaults(), []);
    await close();
  });

  test('what breaks and paths offer the columns of every kind', async () => {
    for (const type of TYPES) {
      const { fullyQualifiedName: fqn } = madeOf(type);
      const { page, close } = await open(`/lineage/${type}/${encodeURIComponent(fqn)}?change=drop`);
      assert.equal(await offeredBy(page, /^Column of/), SOURCES[type]?.names, type);
      await page.goto(`${served.address}/paths?${new URLSearchParams({ from: `${type}:${fqn}` })}`);
      assert.equal(await offeredBy(page, 'Column'), SOURCES[type]?.names, type);
      await close();
    }
  });

  test('paths say of an end that is not there that there is none, whether its kind has columns or not', async () => {
    for (const type of ['topic', 'dashboard']) {
      const { page, close } = await open(`/paths?${new URLSearchParams({ from: `${type}:no.such` })}`);
      await page.getByText('There is no asset no.such for you').waitFor();
      await close();
    }
  });
});

test.run();
