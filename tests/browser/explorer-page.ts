import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import {
  type BrowserPage,
  type BrowserView,
  findLowContrast,
  findOverflow,
  isRefusal,
  openPage,
  takeScreenshot,
} from '../support/browser.ts';
import { waitUntil } from '../support/patience.ts';

/** Opens pages of the explorer and says whether everybody can read them. */

/** A name that would run as a script if any page took it for one. */
export const HOSTILE = '<img src=x onerror=alert(1)>';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The serious faults of accessibility that the page has. */
const findBarriers = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE);
  return page.evaluate(`axe.run().then(({ violations }) => violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ').slice(0, 300)))`);
};

const REPEATED_IDS = `(() => {
  const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index);
})()`;

export const expectReadable = async (
  { page, takeFaults }: BrowserPage,
  { name }: BrowserView,
  what: string,
): Promise<void> => {
  const picture = await takeScreenshot(page, `explorer-${name}-${what}`);
  assert.equal(await findOverflow(page), [], `nothing is too wide: ${picture}`);
  assert.equal(await findLowContrast(page), [], `everything stands out: ${picture}`);
  assert.equal(await findBarriers(page), [], `everybody can use it: ${picture}`);
  assert.equal(await page.evaluate(REPEATED_IDS), [], `every ID is of one element: ${picture}`);
  assert.equal(takeFaults(), [], `the console is silent: ${picture}`);
};

/** A state of a page, and what leads to it from its address. */
export type PageState = {
  readonly what: string;
  readonly path: string;
  readonly enter: (page: Page, view: BrowserView) => Promise<unknown>;
};

/** Says that everybody can read pages in states of theirs; in some, the service has refused what they asked for. */
export const expectStatesReadable = async (
  opened: BrowserPage,
  view: BrowserView,
  address: string,
  states: readonly PageState[],
): Promise<void> => {
  const { page } = opened;
  const takeFaults = () => opened.takeFaults().filter((fault) => !isRefusal(fault));
  for (const { what, path, enter } of states) {
    await page.goto(`${address}${path}`);
    await enter(page, view);
    await expectReadable({ ...opened, takeFaults }, view, what);
  }
};

const MIDDLE_OF_LINE = `(() => {
  const { x, y, width, height } = document.querySelector('.react-flow__edge-interaction').getBoundingClientRect();
  return [x + width / 2, y + height / 2];
})()`;

/** Clicks on the first line of a graph that stands still. A level line has no height, so it is no place to click at by itself. */
export const clickLine = async (page: Page): Promise<void> => {
  await page.locator('.react-flow__edge-interaction').first().waitFor({ state: 'attached' });
  const middle = () => page.evaluate<[number, number]>(MIDDLE_OF_LINE);
  let at = await middle();
  await waitUntil(async () => {
    const before = at;
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
    at = await middle();
    return at.join() === before.join();
  }, 'the line stands still');
  await page.mouse.click(...at);
};

export type Visit = {
  readonly browser: Browser;
  readonly view: BrowserView;
  readonly address: string;
  readonly token: string;
};

/** A tab in which a token was pasted. A name that runs as a script fails the test. */
export const openWithToken = async ({ browser, view, address, token }: Visit, path: string): Promise<BrowserPage> => {
  const opened = await openPage(browser, view);
  opened.page.on('dialog', (dialog) => {
    if (dialog.type() === 'alert') assert.unreachable('a name ran as a script');
    return dialog.accept();
  });
  await opened.page.addInitScript(`sessionStorage.setItem('tributary.token', ${JSON.stringify(token)})`);
  await opened.page.goto(`${address}${path}`);
  return opened;
};
