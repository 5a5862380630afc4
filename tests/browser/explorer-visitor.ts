import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { type BrowserPage, type BrowserView, openPage } from '../support/browser.ts';

/** Visits pages of the explorer in a browser as whoever signs in there, and takes the files that they save. */

export const signInWithToken = async (page: Page, token: string): Promise<void> => {
  await page.getByText('Use a token').click();
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.getByRole('button', { name: 'Use it' }).click();
};

/** Opens a page of the explorer as whoever the token is of. A dialog can only be a name that ran as a script. */
export const visitExplorer = async (
  browser: Browser,
  view: BrowserView,
  { address, token, path }: { readonly address: string; readonly token: string; readonly path: string },
): Promise<BrowserPage> => {
  const opened = await openPage(browser, view);
  const { page } = opened;
  page.on('dialog', (dialog) => {
    if (dialog.type() === 'beforeunload') return dialog.accept();
    throw new Error(`a name ran as a script: ${dialog.message()}`);
  });
  await page.goto(`${address}/`);
  await signInWithToken(page, token);
  await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
  // Whoever is not signed in has no cookie either, which the browser tells as a refused request.
  opened.takeFaults();
  await page.goto(`${address}${path}`);
  return opened;
};

/** The name and text of the file that an act saves. */
export const saveByBrowser = async (
  page: Page,
  act: () => Promise<void>,
): Promise<{ readonly name: string; readonly text: string }> => {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') };
};
