import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { type Made, ref, type World } from '../lineage/fixture.ts';
import { chain } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Looks in a browser at what a data product promises, and at what that depends on. */

const test = suite('browser: promises in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let product: Made;
let raw: Made;

const promise = (entity: Made, hours: number) =>
  world.make('dataContracts', {
    name: uniqueName('promise'),
    entity: ref(entity),
    sla: { refreshFrequency: { interval: hours, unit: 'hour' } },
  });

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
  raw = await world.table('raw');
  const staged = await world.table('staged');
  const mart = await world.table('mart');
  await chain(world.admin, raw, staged, mart);
  await promise(raw, 30);
  await promise(mart, 24);
  const domain = await world.make('domains', { name: uniqueName('dom'), description: 'x', domainType: 'Aggregate' });
  const about = { description: 'x', domains: [domain.fullyQualifiedName] };
  product = await world.make('dataProducts', { name: uniqueName('figures'), ...about });
  const inDomain = [{ op: 'add', path: '/domains', value: [{ id: domain.id, type: 'domain' }] }];
  ok(await world.admin.patch(`/v1/tables/${mart.id}`, inDomain));
  const assets = [{ id: mart.id, type: 'table' }];
  ok(await world.admin.put(`/v1/dataProducts/${product.name}/assets/add`, { assets }));
};

const look = async (view: BrowserView): Promise<void> => {
  const path = `/assets/dataProduct/${encodeURIComponent(product.fullyQualifiedName)}?view=promises`;
  const opened = await visitExplorer(browser, view, { address: served.address, token, path });
  const { page, close } = opened;
  try {
    await page.locator('.promise-way').waitFor();
    await page.getByText('1 way leads here; on 1 what is promised cannot hold.').waitFor();
    const said = (await page.locator('.promise-way').textContent()) ?? '';
    assert.match(said, 'At most 1 day old; what is agreed upstream comes to 1 day 6 hours');
    assert.match(said, 'cannot hold');
    assert.match(said, 'Without a contract: staged');
    await expectReadable(opened, view, 'promises');
    await page.locator('.promise-way').getByRole('link', { name: raw.name }).first().click();
    await page.getByRole('heading', { name: raw.name }).waitFor();
  } finally {
    await close();
  }
};

inBrowser(test, 'promises in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('each way to a data product tells whether its promise can hold', async () => {
    for (const view of BROWSER_VIEWS) await look(view);
  });
});

test.run();
