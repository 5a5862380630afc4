import type { Page, Route } from 'playwright-core';
import { column, feed, type Made, mapping } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectStatesReadable, openWithToken, type PageState } from './explorer-page.ts';
import { type ExplorerWorld, openExplorerWorld } from './explorer-world.ts';

/**
 * Shows that everybody can read pages in states that no other test leaves them in: with something open over them, about
 * what is deleted, cut, empty or withheld, and refused what they asked for.
 */

const test = suite('browser: explorer, readable in every state');

let opened: ExplorerWorld;
let reader: string;
const made = {} as { raw: Made; staged: Made; report: Made; alone: Made; gone: Made; secret: Made; promised: Made };

const makeTables = async (): Promise<void> => {
  const { world } = opened;
  const table = (name: string, more = {}) =>
    world.make('tables', {
      ...{ name: uniqueName(name), databaseSchema: world.schemaFqn, columns: [column('total'), column('day')] },
      ...more,
    });
  made.raw = await table('raw');
  made.staged = await table('staged');
  made.report = await table('report');
  made.alone = await table('alone');
  made.gone = await table('gone', { description: 'It **was** here.' });
  made.secret = await table('secret', { tags: [SENSITIVE] });
  made.promised = await table('promised');
};

const start = async (executable: string): Promise<void> => {
  opened = await openExplorerWorld(executable);
  await makeTables();
  const { admin, service, make } = opened.world;
  const { raw, staged, report, gone, promised } = made;
  ok(await feed(admin, raw, staged, { columnsLineage: [mapping(raw, ['total'], staged, 'total')] }));
  ok(await feed(admin, staged, report, { columnsLineage: [mapping(staged, ['total'], report, 'total')] }));
  ok(await feed(admin, report, raw));
  await make('dataContracts', {
    ...{ name: 'promise', entity: { id: promised.id, type: 'table' }, description: 'For all.' },
    schema: [{ name: 'total', dataType: 'STRING' }],
  });
  ok(await admin.delete(`/v1/tables/${gone.id}`));
  reader = await service.token((await createRightsFactory(service).person([HIDING])).name);
};

const pathOf = (page: string, { fullyQualifiedName }: Made, query = ''): string =>
  `/${page}/table/${encodeURIComponent(fullyQualifiedName)}${query}`;

const appear = (text: string | RegExp) => (page: Page) => page.getByText(text).first().waitFor();

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click();

/** Presses a tool of the lineage, which a phone may keep behind «More». */
const pressTool = async (page: Page, name: string): Promise<void> => {
  const tool = page.getByRole('button', { name, exact: true });
  await page.locator('.box.root').waitFor();
  if (!(await tool.isVisible())) await page.getByRole('button', { name: 'More' }).click();
  await tool.click();
};

/** Asks for so few assets that the lineage is cut. */
const cut = (route: Route) => {
  const url = new URL(route.request().url());
  url.searchParams.set('maxNodes', '2');
  return route.continue({ url: url.href });
};

const whileCut =
  (enter: (page: Page) => Promise<unknown>) =>
  async (page: Page): Promise<void> => {
    await page.route('**/v1/lineage/graph?*', cut);
    await page.reload();
    await enter(page);
    await page.unroute('**/v1/lineage/graph?*');
  };

const statesOfLineage = (): readonly PageState[] => {
  const { raw, staged, report, alone, gone } = made;
  const graph = pathOf('lineage', staged);
  const total = encodeURIComponent(`${staged.fullyQualifiedName}.total`);
  return [
    {
      what: 'filters',
      path: graph,
      enter: async (page) => {
        await pressTool(page, 'Filter');
        await page.getByRole('dialog', { name: 'Filter the lineage' }).getByText('Kind').first().waitFor();
      },
    },
    {
      what: 'export',
      path: graph,
      enter: async (page) => {
        await pressTool(page, 'Export');
        await page.getByText('Picture of what is shown').waitFor();
      },
    },
    {
      what: 'time-bar',
      path: graph,
      enter: async (page) => {
        await pressTool(page, 'Time');
        await page.getByText('Known since').waitFor();
      },
    },
    {
      what: 'legend',
      path: graph,
      enter: async (page) => {
        await page.locator('.box.root').waitFor();
        await page.getByText('Legend and keys').click();
      },
    },
    {
      what: 'trail',
      path: `${graph}?column=${total}`,
      enter: appear('The trail of'),
    },
    {
      what: 'what-if-columns',
      path: `${graph}?change=drop`,
      enter: async (page) => {
        await page.locator('.column-picker input').click();
        await page.getByRole('option', { name: 'total' }).waitFor();
      },
    },
    { what: 'no-lineage', path: pathOf('lineage', alone), enter: (page) => page.locator('.box.root').waitFor() },
    { what: 'no-lineage-list', path: pathOf('lineage', alone, '?view=list'), enter: appear(alone.name) },
    { what: 'deleted-lineage', path: pathOf('lineage', gone), enter: appear('There is no such asset') },
    { what: 'missing-lineage', path: '/lineage/table/no.such.table', enter: appear('There is no such asset') },
    { what: 'cut', path: `${graph}?up=3&down=3`, enter: whileCut(appear(/cut/)) },
    { what: 'cut-list', path: `${graph}?up=3&down=3&view=list`, enter: whileCut(appear(/cut/)) },
    {
      what: 'no-path',
      path: `/paths?from=table:${alone.fullyQualifiedName}&to=table:${raw.fullyQualifiedName}`,
      enter: (page) => page.locator('.nothing').first().waitFor(),
    },
    {
      what: 'path-ends',
      path: `/paths?from=table:${report.fullyQualifiedName}`,
      enter: async (page) => {
        await page.getByRole('combobox', { name: 'To' }).fill('zzz-nothing');
        await page.getByText('Nothing is called so.').waitFor();
      },
    },
  ];
};

const statesOfAssets = (): readonly PageState[] => {
  const { gone, alone, staged } = made;
  return [
    ...['overview', 'versions', 'activity'].map((view) => ({
      what: `deleted-${view}`,
      path: pathOf('assets', gone, `?view=${view}`),
      enter: appear('This is deleted.'),
    })),
    ...(
      [
        ['quality', 'Nothing tests this table.'],
        ['contract', 'This asset has no contract.'],
        ['sample', 'There is no sample of its data.'],
        ['versions', 'Nothing has changed since it was created.'],
      ] as const
    ).map(([view, text]) => ({
      what: `empty-${view}`,
      path: pathOf('assets', alone, `?view=${view}`),
      enter: appear(text),
    })),
    { what: 'missing-asset', path: '/assets/table/no.such.table', enter: appear('There is no such asset') },
    { what: 'missing-page', path: '/nothing/at/all', enter: appear('There is no such page') },
    {
      what: 'owners-offered',
      path: pathOf('assets', alone),
      enter: async (page) => {
        await press(page, 'Edit owners');
        await page.getByRole('combobox', { name: 'Owners' }).fill('admin');
        await page.getByRole('option', { name: /admin/ }).first().waitFor();
      },
    },
    {
      what: 'conflict',
      path: pathOf('assets', staged),
      enter: async (page) => {
        await press(page, 'Edit description');
        await page.getByRole('form', { name: 'Edit description' }).getByRole('textbox').fill('Mine');
        const value = `Theirs, ${uniqueName('later')}`;
        ok(await opened.world.admin.patch(`/v1/tables/${staged.id}`, [{ op: 'add', path: '/description', value }]));
        await press(page, 'Save');
        await page.getByText('changed this meanwhile').waitFor();
      },
    },
    {
      what: 'draft-restored',
      path: pathOf('assets', alone),
      enter: async (page) => {
        await press(page, 'Edit description');
        await page.getByRole('form', { name: 'Edit description' }).getByRole('textbox').fill('Typed before');
        await page.reload();
        await page.getByRole('form', { name: 'Edit description' }).waitFor();
      },
    },
  ];
};

const statesOfContracts = (): readonly PageState[] => {
  const { alone, promised } = made;
  return [
    { what: 'no-contract', path: pathOf('contracts', alone), enter: appear('Nothing is promised of this asset.') },
    {
      what: 'new-contract',
      path: pathOf('contracts', alone, '?view=edit'),
      enter: async (page) => {
        await page.getByLabel('Name', { exact: true }).fill('a::b');
        await page.getByText('1 problem').first().waitFor();
      },
    },
    { what: 'no-results', path: pathOf('contracts', promised, '?view=results'), enter: appear('has not been judged') },
    { what: 'contract-versions', path: pathOf('contracts', promised, '?view=versions'), enter: appear('Nothing has') },
    {
      what: 'delete-contract',
      path: pathOf('contracts', promised),
      enter: async (page) => {
        await press(page, 'Delete');
        await page.getByRole('button', { name: 'Delete it' }).waitFor();
      },
    },
    { what: 'no-contracts', path: '/contracts/user/admin', enter: appear('There are no contracts of this kind') },
    {
      what: 'csv-header',
      path: pathOf('csv', alone),
      enter: async (page) => {
        const file = { name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };
        await page.getByLabel('Choose a CSV file').setInputFiles(file);
        await press(page, 'Judge the rows');
        await page.getByText('the header is [a,b]').waitFor();
      },
    },
    { what: 'no-csv', path: '/csv/user/admin', enter: appear('can be exported and imported as CSV') },
  ];
};

const statesOfPages = (): readonly PageState[] => [
  { what: 'no-people', path: '/people?q=zzz-nobody', enter: (page) => page.locator('.nothing').first().waitFor() },
  {
    what: 'no-changes',
    path: `/changes?kind=domains&scope=${encodeURIComponent(made.secret.fullyQualifiedName)}`,
    enter: appear('Nothing changed in this time'),
  },
  { what: 'nothing-found', path: '/search?q=zzzqqqxxx', enter: (page) => page.locator('.nothing-found').waitFor() },
  {
    what: 'empty-catalog',
    path: '/people',
    enter: async (page) => {
      const counts = '**/v1/search/entityTypeCounts*';
      await page.route(counts, (route) => route.fulfill({ json: { aggregations: { entityType: { buckets: [] } } } }));
      await page.goto(`${opened.served.address}/`);
      await page.getByText('npm run seed', { exact: true }).waitFor();
      await page.unroute(counts);
    },
  },
];

/** What somebody sees who may only read, and not all. */
const statesOfReader = (): readonly PageState[] => {
  const { secret, promised, alone } = made;
  const withheld = 'You may not see this asset';
  return [
    ...['assets', 'lineage', 'contracts', 'csv'].map((page) => ({
      what: `forbidden-${page}`,
      path: pathOf(page, secret),
      enter: appear(withheld),
    })),
    { what: 'forbidden-audit', path: '/audit', enter: appear('The audit log is for administrators') },
    { what: 'read-only-asset', path: pathOf('assets', alone), enter: appear('Nobody has described it yet.') },
    { what: 'read-only-contract', path: pathOf('contracts', promised), enter: appear('You may read contracts here') },
    {
      what: 'csv-refused',
      path: pathOf('csv', alone),
      enter: async (page) => {
        await page.getByText('Paste the rows instead').click();
        await page.getByLabel('CSV, the header first').fill('column.name*\ntotal\n');
        await press(page, 'Judge the rows');
        await page.getByRole('alert').first().waitFor();
      },
    },
  ];
};

const expectReadableInViews = async (states: () => readonly PageState[], token: string): Promise<void> => {
  const { browser, served } = opened;
  for (const view of BROWSER_VIEWS) {
    const visit = await openWithToken({ browser, view, address: served.address, token }, '/people');
    await visit.page.getByRole('heading', { name: 'People' }).waitFor();
    await expectStatesReadable(visit, view, served.address, states());
    await visit.close();
  }
};

inBrowser(test, 'states of pages in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await opened?.browser.close();
    await opened?.served.close();
  });

  test('lineage with something open over it, cut, or without anything', () =>
    expectReadableInViews(statesOfLineage, opened.token));

  test('assets that are deleted, empty, missing or being edited', () =>
    expectReadableInViews(statesOfAssets, opened.token));

  test('contracts and CSV before, during and after a fault', () =>
    expectReadableInViews(statesOfContracts, opened.token));

  test('pages with nothing to show', () => expectReadableInViews(statesOfPages, opened.token));

  test('pages for who may only read, and not all', () => expectReadableInViews(statesOfReader, reader));
});

test.run();
