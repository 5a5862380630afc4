import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import { fqnOf, labelled, makeClassification, mapColumns } from '../insight/label-fixture.ts';
import { column, type Made, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Looks in a browser at the columns that inherit a tag, and labels them. */

const test = suite('browser: labels along lineage in the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
};

type Labelled = { readonly tag: string; readonly raw: Made; readonly staged: Made };

const makeLabels = async (): Promise<Labelled> => {
  const classification = await makeClassification(world, { mutuallyExclusive: true });
  const [tag, open] = [`${classification}.Secret`, `${classification}.Open`];
  const raw = await world.table('raw', [labelled('mail', tag), labelled('born', tag)]);
  const staged = await world.table('staged', [
    column('mail'),
    column('born'),
    column('digest'),
    labelled('seen', open),
  ]);
  await mapColumns(world.admin, raw, staged, [
    ['mail', 'mail'],
    ['born', 'born'],
    ['mail', 'digest', 'sha256(mail)'],
    ['mail', 'seen'],
  ]);
  return { tag, raw, staged };
};

const lines = (page: Page) => page.locator('.inherited-line');

const labelsOf = async ({ id }: Made): Promise<readonly number[]> => {
  const { columns } = ok(await world.admin.get(`/v1/tables/${id}?fields=columns,tags`));
  return columns.map(({ tags = [] }: { readonly tags?: readonly unknown[] }) => tags.length);
};

const label = async (view: BrowserView): Promise<void> => {
  const { tag, raw, staged } = await makeLabels();
  const path = `/assets/tag/${encodeURIComponent(tag)}?view=inherited`;
  const opened = await visitExplorer(browser, view, { address: served.address, token, path });
  const { page, close } = opened;
  try {
    await lines(page).nth(1).waitFor();
    assert.match((await lines(page).nth(1).textContent()) ?? '', `${fqnOf(raw, 'mail')} directly`);
    await lines(page).nth(1).locator('summary').click();
    assert.is(await lines(page).nth(1).locator('ol li').count(), 2);
    await expectReadable(opened, view, 'inherited-labels');
    await page.getByRole('checkbox', { name: `Choose ${fqnOf(staged, 'mail')}` }).check();
    await page.getByRole('button', { name: 'Label 1 chosen' }).click();
    await page.getByText('One column is labelled now.').waitFor();
    await lines(page).nth(1).waitFor({ state: 'detached' });
    assert.equal(await labelsOf(staged), [1, 0, 0, 1]);
    await page.getByRole('button', { name: 'Label all 1' }).click();
    await page.getByText('There are none.').waitFor();
    assert.equal(await labelsOf(staged), [1, 1, 0, 1]);
    await page.getByRole('button', { name: /Out of reach · 1/ }).click();
    await page.locator('.inherited-line .chip', { hasText: 'sha256(mail)' }).waitFor();
    await page.getByRole('button', { name: /Carry another · 1/ }).click();
    await page.locator('.inherited-line .chip', { hasText: '.Open' }).waitFor();
    assert.match(page.url(), /state=conflicts/);
    await page.getByRole('button', { name: /Have it · 2/ }).click();
    await lines(page).nth(1).waitFor();
    assert.is(await page.getByRole('button', { name: /^Label/ }).count(), 0);
  } finally {
    await close();
  }
};

inBrowser(test, 'labels in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('columns that inherit a tag are listed by what they lack, and labelled', async () => {
    for (const view of BROWSER_VIEWS) await label(view);
  });
});

test.run();
