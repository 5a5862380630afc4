import type { Browser } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { column, type Made, type World } from '../lineage/fixture.ts';
import { chain } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Looks in a browser at what may be the cause of a failing test. */

const test = suite('browser: likely causes in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;
let raw: Made;
let mart: Made;
let calm: Made;
let testFqn = '';

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
  raw = await world.table('raw', [column('amount', { dataType: 'BIGINT' })]);
  const staged = await world.table('staged');
  mart = await world.table('mart');
  calm = await world.table('calm');
  await chain(world.admin, raw, staged, mart);
  ok(await world.admin.patch(`/v1/tables/${raw.id}`, [{ op: 'replace', path: '/columns/0/dataType', value: 'INT' }]));
  const made = ok(
    await world.admin.post('/v1/dataQuality/testCases', {
      name: 'enough_rows',
      entityLink: `<#E::table::${mart.fullyQualifiedName}>`,
      testDefinition: 'tableRowCountToEqual',
      parameterValues: [{ name: 'value', value: '1' }],
    }),
    201,
  );
  testFqn = made.fullyQualifiedName;
  const results = `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(testFqn)}`;
  ok(await world.admin.post(results, { timestamp: Date.now(), testCaseStatus: 'Failed', result: 'Too few.' }), 201);
};

const look = async (view: BrowserView): Promise<void> => {
  const visit = (path: string) => visitExplorer(browser, view, { address: served.address, token, path });
  const opened = await visit(`/assets/testCase/${encodeURIComponent(testFqn)}`);
  const { page, close } = opened;
  try {
    const causes = page.getByRole('region', { name: 'Likely causes' });
    await causes.locator('.suspect').first().waitFor();
    const said = (await causes.locator('.suspect').first().textContent()) ?? '';
    assert.match(said, raw.fullyQualifiedName);
    assert.match(said, /2 steps upstream/);
    assert.match(said, /may explain the failure/);
    assert.match(said, /Type of column amount changed from BIGINT to INT/);
    await expectReadable(opened, view, 'causes');
    await causes.getByRole('link', { name: 'Show the way' }).first().click();
    await page.locator('.react-flow__node', { hasText: mart.name }).waitFor();
  } finally {
    await close();
  }
};

inBrowser(test, 'causes in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a failing test tells what happened upstream, with the way from there', async () => {
    for (const view of BROWSER_VIEWS) await look(view);
  });

  test('where nothing fails, nothing is suspected', async () => {
    const [view] = BROWSER_VIEWS;
    if (view === undefined) throw new Error('there is no view');
    const path = `/assets/table/${encodeURIComponent(calm.fullyQualifiedName)}?view=quality`;
    const { page, close } = await visitExplorer(browser, view, { address: served.address, token, path });
    await page.getByText('Nothing fails here, or in what it is made from.').waitFor();
    await close();
  });
});

test.run();
