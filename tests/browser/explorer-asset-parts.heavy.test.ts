import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { column, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser, openBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openWithToken } from './explorer-page.ts';

/** What pages of single kinds show besides: columns with a tag, how a test goes, the people of teams, and renamed columns. */

const test = suite('browser: asset pages of tags, tests and teams');

let world: World;
let served: RunningServer;
let browser: Browser;
let adminToken: string;

const DAY_MS = 86_400_000;
const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];
const PHONE = BROWSER_VIEWS.find(({ width }) => width < 500) as BrowserView;

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  adminToken = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

const makeTable = (more: JsonObject = {}): Promise<Made> =>
  world.make('tables', {
    name: uniqueName('orders'),
    databaseSchema: world.schemaFqn,
    columns: [column('total'), column('placed_on')],
    ...more,
  });

const pathOf = ({ fullyQualifiedName }: Made, type = 'table', view = ''): string =>
  `/assets/${type}/${encodeURIComponent(fullyQualifiedName)}${view}`;

const open = (path: string, { view = DESKTOP, token = adminToken } = {}): Promise<BrowserPage> =>
  openWithToken({ browser, view, address: served.address, token }, path);

type Measured = { readonly width: number; readonly hidden: number };

/** How wide an element is, and how much of its height one has to scroll for. */
const measure = (page: Page, selector: string): Promise<Measured> =>
  page.evaluate<Measured>(`(() => {
    const { clientWidth, scrollHeight, clientHeight } = document.querySelector(${JSON.stringify(selector)});
    return { width: clientWidth, hidden: scrollHeight - clientHeight };
  })()`);

const makeTag = async (): Promise<Made> => {
  const classification = await world.make('classifications', { name: uniqueName('Care'), description: 'Care.' });
  return world.make('tags', {
    name: 'High',
    description: 'Much care.',
    classification: classification.fullyQualifiedName,
  });
};

inBrowser(test, 'pages of tags, tests and teams in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a tag lists the columns that carry it, to those who may see the table', async () => {
    const tag = await makeTag();
    const tags = [{ tagFQN: tag.fullyQualifiedName, source: 'Classification' }];
    const table = await makeTable({
      displayName: 'Careful orders',
      columns: [column('total'), column('who', { dataType: 'STRUCT', children: [column('mail', { tags })] })],
    });
    const { page, close } = await open(pathOf(tag, 'tag'));
    const list = page.getByRole('region', { name: 'Columns and fields' });
    await list.getByRole('heading', { name: '1 in one asset' }).waitFor();
    await list.getByText('on Careful orders').waitFor();
    await list.getByRole('link', { name: 'who › mail' }).click();
    await page.getByRole('region', { name: 'About mail' }).waitFor();
    await page.getByRole('heading', { name: 'Careful orders' }).waitFor();
    await close();
    const person = await createRightsFactory(world.service).person([
      { effect: 'deny', operations: ['ViewAll', 'ViewBasic'], resources: ['table'] },
    ]);
    const other = await open(pathOf(tag, 'tag'), { token: await world.service.token(person.name) });
    await other.page
      .getByRole('region', { name: 'Columns and fields' })
      .getByRole('heading', { name: 'none' })
      .waitFor();
    await other.close();
    ok(await world.admin.delete(`/v1/tables/${table.id}?hardDelete=true`));
  });

  test('a failing test says so first, since when, and leads to its column', async () => {
    const table = await makeTable();
    const check = ok(
      await world.admin.post('/v1/dataQuality/testCases', {
        name: 'not-empty',
        entityLink: `<#E::table::${table.fullyQualifiedName}::columns::total>`,
        testDefinition: 'columnValuesToBeNotNull',
      }),
      201,
    );
    const now = Date.now();
    for (const [ago, testCaseStatus] of ['Failed', 'Failed', 'Success'].entries())
      ok(
        await world.admin.post(
          `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(check.fullyQualifiedName)}`,
          { timestamp: now - ago * DAY_MS, testCaseStatus, result: `${ago} nulls` },
        ),
        201,
      );
    const { page, close } = await open(pathOf(check as unknown as Made, 'testCase'));
    const latest = page.locator('.asset-body .card').first();
    await latest.getByText('in its last 2 runs').waitFor();
    assert.is(await latest.locator('.chip').first().textContent(), 'fails');
    await latest.locator('.test-says', { hasText: '0 nulls' }).waitFor();
    await latest.getByRole('link', { name: 'total' }).click();
    await page.getByRole('region', { name: 'About total' }).waitFor();
    await close();
  });

  test('an asset without a contract says so, and no request fails', async () => {
    const table = await makeTable();
    const { page, takeFaults, close } = await open(pathOf(table, 'table', '?view=contract'));
    await page.getByText('This asset has no contract.').waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a team shows the people of the teams below it, and which they belong to', async () => {
    const rights = createRightsFactory(world.service);
    const team = await world.make('teams', { name: uniqueName('all'), teamType: 'Department' });
    const part = await world.make('teams', {
      ...{ name: uniqueName('part'), displayName: 'The part', teamType: 'Group' },
      parents: [team.id],
    });
    // What a person's document says of teams is there at once when it is said with the person.
    await rights.person([], { displayName: 'Oda Own', teams: [team.id] });
    await rights.person([], { displayName: 'Bea Below', teams: [part.id] });
    const { page, close } = await open(pathOf(team, 'team'));
    const people = page.getByRole('region', { name: 'People', exact: true });
    await people.getByRole('heading', { name: 'People 2' }).waitFor();
    await people
      .getByRole('listitem')
      .filter({ hasText: 'Bea Below' })
      .getByRole('link', { name: 'The part' })
      .waitFor();
    const ownRow = people.getByRole('listitem').filter({ hasText: 'Oda Own' });
    assert.is(await ownRow.getByRole('link').count(), 1);
    await close();
  });

  test('descriptions of columns are read in whole on a phone, and what no column has takes no room', async () => {
    const text = 'What the reader pays for all the books together, with the tax and the delivery, less every voucher.';
    const table = await makeTable({ columns: [column('total', { description: text }), column('placed_on')] });
    const { page, close } = await open(pathOf(table), { view: PHONE });
    const cell = page.locator('.item-description');
    await cell.getByText(text).waitFor();
    const { width, hidden } = await measure(page, '.item-description');
    assert.ok(width > 250 && hidden <= 1);
    await close();
    const wide = await open(pathOf(table));
    const heads = wide.page.locator('.columns thead th');
    await heads.first().waitFor();
    assert.equal(await heads.allInnerTexts(), ['Name', 'Type', 'Description']);
    await wide.close();
  });

  test('the list of people scrolls with the page', async () => {
    const { page, close } = await open('/people', { view: { ...DESKTOP, height: 320 } });
    const list = page.getByRole('list', { name: 'List of people' });
    await list.getByRole('listitem').first().waitFor();
    assert.ok((await measure(page, '.page-rows')).hidden <= 1);
    await list.getByRole('listitem').last().scrollIntoViewIfNeeded();
    assert.ok((await page.evaluate<number>('scrollY')) > 0);
    await close();
  });

  test('a column that only has another name is shown as renamed', async () => {
    const table = await makeTable();
    ok(
      await world.admin.patch(`/v1/tables/${table.id}`, {
        columns: [column('total'), column('ordered_on')],
        displayName: 'Another version',
      }),
    );
    const { page, close } = await open(pathOf(table, 'table', '?view=versions'));
    const comparison = page.getByRole('region', { name: 'Comparison' });
    const renamed = comparison.getByRole('listitem').filter({ hasText: 'ordered_on' });
    await renamed.getByText('renamed', { exact: true }).waitFor();
    assert.match((await renamed.locator('.side.before').textContent()) ?? '', /placed_on/);
    assert.is(await comparison.getByText('removed', { exact: true }).count(), 0);
    await close();
  });
});

test.run();
