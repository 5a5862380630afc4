import type { Page, Route } from 'playwright-core';
import * as assert from 'uvu/assert';
import { column, feed, type Made } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, openWithToken } from './explorer-page.ts';
import { type ExplorerWorld, openExplorerWorld } from './explorer-world.ts';

/** Shows every page while it waits, when the service fails, and when there is nothing to show, to everybody. */

const test = suite('browser: explorer, states of pages');

let opened: ExplorerWorld;
let orders: Made;

/** A bright desktop and a dark phone: between them both widths and both themes. */
const VIEWS = BROWSER_VIEWS.filter(({ width, colorScheme }) => width < 500 === (colorScheme === 'dark'));

const start = async (executable: string): Promise<void> => {
  opened = await openExplorerWorld(executable);
  const { world } = opened;
  const table = (name: string) =>
    world.make('tables', {
      ...{ name: uniqueName(name), databaseSchema: world.schemaFqn, columns: [column('total')] },
    });
  orders = await table('orders');
  ok(await feed(world.admin, await table('raw'), orders));
};

const pagesOf = ({ fullyQualifiedName }: Made): Readonly<Record<string, string>> => {
  const fqn = encodeURIComponent(fullyQualifiedName);
  return {
    start: '/',
    search: '/search?q=total',
    asset: `/assets/table/${fqn}`,
    lineage: `/lineage/table/${fqn}`,
    paths: `/paths?from=${encodeURIComponent(`table:${fullyQualifiedName}`)}&to=${encodeURIComponent(`table:${fullyQualifiedName}`)}`,
    contract: `/contracts/table/${fqn}`,
    csv: `/csv/table/${fqn}`,
    health: '/catalog-health',
    changes: '/changes',
    agreement: '/agreement',
    people: '/people',
    audit: '/audit',
  };
};

/** What every page asks before anything else, to know who looks at it. */
const OF_SESSION = /\/v1\/(users\/loggedInUser|system\/|permissions)/;

/** A page of which every request ends as `answer` says, once it is known who looks at it. */
const openAnswered = async (
  path: string,
  view: BrowserView,
  answer: (route: Route) => Promise<unknown>,
): Promise<BrowserPage> => {
  const { browser, served, token } = opened;
  const visit = await openWithToken({ browser, view, address: served.address, token }, '/people');
  await visit.page.getByRole('heading', { name: 'People' }).waitFor();
  await visit.page.route(
    (url) => url.pathname.startsWith('/v1/') && !OF_SESSION.test(url.pathname),
    (route) => answer(route),
  );
  visit.takeFaults();
  await visit.page.goto(`${served.address}${path}`);
  return visit;
};

const failing = (route: Route) =>
  route.fulfill({ status: 500, contentType: 'application/json', body: '{"code":500,"message":"The store is away"}' });

const expectWaiting = async (page: Page, name: string): Promise<void> => {
  // The page of files and that of people ask for nothing before somebody does.
  if (name !== 'csv') await page.getByRole('status').getByText('Waiting for').first().waitFor();
};

inBrowser(test, 'states of pages in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await opened?.browser.close();
    await opened?.served.close();
  });

  test('every page says what it waits for', async () => {
    for (const view of VIEWS) {
      for (const [name, path] of Object.entries(pagesOf(orders))) {
        let end = (): void => {};
        const ended = new Promise<void>((resolve) => {
          end = resolve;
        });
        const visit = await openAnswered(path, view, async (route) => {
          await ended;
          await route.abort();
        });
        await expectWaiting(visit.page, name);
        await expectReadable(visit, view, `waiting-${name}`);
        await visit.page.close();
        end();
        visit.takeFaults();
        await visit.close();
      }
    }
  });

  test('every page says that the service failed, and is there when it answers again', async () => {
    for (const view of VIEWS) {
      for (const [name, path] of Object.entries(pagesOf(orders))) {
        if (name === 'csv') continue;
        const visit = await openAnswered(path, view, failing);
        const { page } = visit;
        await page.getByRole('alert').getByText('The store is away').first().waitFor();
        for (const fault of visit.takeFaults()) assert.match(fault, /status of 500/, name);
        await expectReadable(visit, view, `failed-${name}`);
        await page.unrouteAll();
        const isThere = async () => {
          // Parts of a page may share what they ask for: what one button brings back takes others away.
          await page.evaluate(`document.querySelectorAll('[role=alert] button').forEach((button) => button.click())`);
          return (await page.getByText('The store is away').count()) === 0;
        };
        await waitUntil(isThere, `the page ${name} is there again`);
        await visit.close();
      }
    }
  });
});

test.run();
