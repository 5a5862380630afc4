import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { feed, type Made, type World } from '../lineage/fixture.ts';
import { tablesOf } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Confirms and withdraws lineage in a browser. */

const test = suite('browser: declared and observed lineage in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;

const rows = (page: Page) => page.locator('.agreement-row');

const option = (page: Page, text: string) => page.getByRole('combobox', { name: /^Which/ }).selectOption(text);

const visit = (view: BrowserView, { fullyQualifiedName }: Made) =>
  visitExplorer(browser, view, {
    address: served.address,
    token,
    path: `/agreement?scope=${encodeURIComponent(fullyQualifiedName)}`,
  });

const look = async (view: BrowserView): Promise<void> => {
  const { a, b, c, hub } = await tablesOf(world, 'a', 'b', 'c', 'hub');
  ok(await feed(world.admin, hub, a, { source: 'QueryLineage' }));
  ok(await feed(world.admin, hub, b, { source: 'OpenLineage' }));
  ok(await feed(world.admin, hub, c, { source: 'DbtLineage' }));
  // Whoever decides on something has the graph in memory compared at once.
  ok(await world.admin.post('/v1/lineage/agreement/confirm', { edges: [] }));
  const opened = await visit(view, hub);
  const { page, close } = opened;
  const rowTo = ({ name }: Made) => rows(page).filter({ hasText: name });
  try {
    await rows(page).nth(2).waitFor();
    assert.match((await rowTo(a).textContent()) ?? '', /Only observed[\s\S]*QueryLineage[\s\S]*80 % sure/);
    assert.is(
      await rowTo(c)
        .getByRole('button', { name: /^Withdraw/ })
        .count(),
      0,
      'nobody observed it',
    );
    await expectReadable(opened, view, 'agreement');
    await rowTo(a)
      .getByRole('button', { name: /^Confirm/ })
      .click();
    await rowTo(a).getByText('Declared and observed').waitFor();
    assert.match((await rowTo(a).textContent()) ?? '', /Manual, QueryLineage[\s\S]*100 % sure/);
    await rowTo(a)
      .getByRole('button', { name: /^Withdraw/ })
      .click();
    await rowTo(a).getByText('Only declared').waitFor();
    await rowTo(b)
      .getByRole('button', { name: /^Withdraw/ })
      .click();
    await rowTo(b)
      .getByRole('button', { name: /^Keep it/ })
      .click();
    await rowTo(b)
      .getByRole('button', { name: /^Withdraw/ })
      .click();
    await rowTo(b)
      .getByRole('button', { name: /^End the edge/ })
      .click();
    await rows(page).nth(2).waitFor({ state: 'detached' });
    await option(page, 'observedOnly');
    await page.getByText('No edge fits.').waitFor();
    assert.match(page.url(), /state=observedOnly/);
    await option(page, 'declaredOnly');
    await rows(page).nth(1).waitFor();
    await page.getByRole('status').getByText('2 edges').waitFor();
  } finally {
    await close();
  }
};

inBrowser(test, 'declared and observed lineage in a browser', (executable) => {
  test.before(async () => {
    ({ world, served, browser, token } = await openExplorerWorld(executable));
  });

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('an edge is confirmed, what was observed is withdrawn, and filters narrow the list', async () => {
    for (const view of BROWSER_VIEWS) await look(view);
  });

  test('the health of the catalog leads there', async () => {
    const [view] = BROWSER_VIEWS;
    if (!view) return;
    const { address } = served;
    const opened = await visitExplorer(browser, view, {
      address,
      token,
      path: `/catalog-health?scope=${world.serviceFqn}`,
    });
    await opened.page.getByRole('link', { name: 'Declared and observed lineage' }).click();
    await opened.page.waitForURL(`**/agreement?scope=${world.serviceFqn}`);
    await opened.page.getByRole('heading', { name: 'Declared and observed', level: 1 }).waitFor();
    await opened.close();
  });
});

test.run();
