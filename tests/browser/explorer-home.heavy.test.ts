import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { type RunningServer, serveApp } from '../../src/http/server.ts';
import { column, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser, openBrowser } from '../support/browser.ts';
import { createPerson, ok } from '../support/expect.ts';
import { CASES, createQualityTests } from '../support/quality-tests.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, HOSTILE, openWithToken } from './explorer-page.ts';

/** Walks the start page, the search, and the pages for health, people and the audit log in a browser. */

const test = suite('browser: explorer, finding and governing');

let world: World;
let served: RunningServer;
let browser: Browser;
const tokens = {} as { admin: string; person: string };
const made = {} as { orders: Made; hostile: Made; lonely: Made; team: Made; lead: Made };
let person: { readonly id: string; readonly name: string };
const LETTERS = 'ghijklmnopqrstuv';
let word: string;

const makeTables = async (): Promise<void> => {
  // Letters alone: where letters meet digits a search sees several words, and finds what has one of them.
  word = uniqueName('quagga').replace(/[^a-z]|[a-f]/g, (sign) => LETTERS[Number.parseInt(sign, 16)] ?? '');
  const table = (name: string, more = {}) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns: [column('total'), column('day')],
      ...more,
    });
  const owners = [{ id: person.id, type: 'user' }];
  made.orders = await table('orders', { description: `All about the ${word}.`, owners });
  made.hostile = await table('hostile', { displayName: HOSTILE, description: `${HOSTILE} and the ${word}` });
  made.lonely = await table('lonely', { description: `A lonely ${word}`, tags: [{ tagFQN: 'Tier.Tier1' }] });
  ok(await feed(world.admin, made.orders, made.hostile));
  ok(await feed(world.admin, made.hostile, made.orders));
};

/**
 * One test fails, and one contract later than it, both just now: the start shows the newest failures of the store, and
 * others make their own in it meanwhile.
 */
const makeFailures = async (): Promise<void> => {
  const check = ok(
    await world.admin.post(
      CASES,
      createQualityTests(world.service).body(made.orders as never, 'total', { displayName: HOSTILE }),
    ),
    201,
  );
  ok(
    await world.admin.post(`${CASES}/testCaseResults/${encodeURIComponent(check.fullyQualifiedName)}`, {
      timestamp: Date.now() - 2000,
      testCaseStatus: 'Failed',
      result: 'Nulls were found.',
    }),
    201,
  );
  const contract = await world.make('dataContracts', {
    name: uniqueName('promise'),
    entity: { id: made.hostile.id, type: 'table' },
  });
  ok(
    await world.admin.put(`/v1/dataContracts/${contract.id}/results`, {
      timestamp: Date.now() - 1000,
      contractExecutionStatus: 'Failed',
      result: 'Broken by us.',
    }),
  );
};

const makePeople = async (): Promise<void> => {
  made.lead = await world.make('teams', {
    name: uniqueName('division'),
    teamType: 'Division',
    displayName: 'Division zebra',
  });
  made.team = await world.make('teams', {
    name: uniqueName('group'),
    displayName: HOSTILE,
    teamType: 'Group',
    parents: [made.lead.id],
  });
  // Their document says at once what is said with them.
  person = await createPerson(world.service, uniqueName('zoe'), { teams: [made.team.id] });
  tokens.person = await world.service.token(person.name);
};

const start = async (executable: string): Promise<void> => {
  world = await openWorld();
  await makePeople();
  await makeTables();
  served = await serveApp(world.service.app.hono, { host: '127.0.0.1', port: 0, closeWithinMs: 2000 });
  tokens.admin = await world.service.token(SYSTEM_PRINCIPAL.name);
  browser = await openBrowser(executable);
};

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];
const PHONE = BROWSER_VIEWS.find(({ width }) => width < 500) ?? DESKTOP;

const visit = (path: string, { view = DESKTOP, token = tokens.admin } = {}): Promise<BrowserPage> =>
  openWithToken({ browser, view, address: served.address, token }, path);

const box = (page: Page) => page.getByLabel('Search the catalog');
const hit = (page: Page, name: string) => page.locator('.hit', { hasText: name });
const focusedText = (page: Page): Promise<string> => page.evaluate('document.activeElement.textContent');
const CSV_HEADER =
  'column.name*,column.displayName,column.description,column.dataTypeDisplay,column.dataType*,column.arrayDataType,column.dataLength,column.tags,column.glossaryTerms';
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

inBrowser(test, 'the start, the search and the pages of governance in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('the keyboard leads from anywhere to the search, to a hit and back', async () => {
    const opened = await visit('/people');
    const { page } = opened;
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type(word);
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await hit(page, made.orders.name).waitFor();
    assert.is(await page.title(), `Search for «${word}» · Tributary`);
    await page.keyboard.press('ArrowDown');
    const first = await focusedText(page);
    await page.keyboard.press('ArrowDown');
    const second = await focusedText(page);
    assert.ok(first !== '' && second !== '' && first !== second, `${first} is followed by ${second}`);
    await page.keyboard.press('ArrowUp');
    assert.is(await focusedText(page), first);
    await page.keyboard.press('Escape');
    assert.is(await box(page).inputValue(), word);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/assets\/table\//);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('a suggestion is opened by the keyboard, and names that look like tags are text', async () => {
    const opened = await visit('/');
    const { page } = opened;
    await box(page).fill(made.hostile.name);
    await page.getByRole('option', { name: HOSTILE }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    assert.is(await page.title(), `${HOSTILE} · Tributary`);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('a suggestion says why it is one, and shows the end of a long full name on a phone', async () => {
    const { page, close } = await visit('/people', { view: PHONE });
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill(word);
    const lonely = page.getByRole('option', { name: made.lonely.name });
    await lonely.locator('mark', { hasText: word }).waitFor();
    assert.match((await lonely.textContent()) ?? '', `A lonely ${word}`);
    const end = lonely.locator('.full-name-end');
    assert.ok((await end.textContent())?.endsWith(`.${made.lonely.name}`));
    const cut = await page.evaluate(
      `[...document.querySelectorAll('.full-name-end')].filter((end) => end.scrollWidth > end.clientWidth).length`,
    );
    assert.is(cut, 0);
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill(`"${word}`);
    await page.getByRole('status').getByText('unclosed quote').waitFor();
    await page.getByRole('combobox', { name: 'Search the catalog' }).fill(`${word}zzzzzz`);
    await page.getByRole('status').getByText('Nothing is found.').waitFor();
    await close();
  });

  test('hits come while typing, with what was found marked and everything else as text', async () => {
    const { page, close } = await visit('/search');
    await box(page).pressSequentially(word);
    // Other assets of the store may have the same name.
    const hostile = hit(page, HOSTILE).filter({ hasText: word });
    await hostile.waitFor();
    await page.locator('.hit mark', { hasText: word }).first().waitFor();
    assert.match((await hostile.textContent()) ?? '', `${HOSTILE} and the ${word}`);
    assert.is(await page.locator('img[src="x"]').count(), 0);
    assert.match(page.url(), `q=${word}`);
    await close();
  });

  test('several values of a facet narrow the hits, and the address shows the same to others', async () => {
    const { page, close } = await visit(`/search?q=${word}`);
    await hit(page, made.lonely.name).waitFor();
    await page.getByRole('status').getByText('3 hits').waitFor();
    await page.getByRole('group', { name: 'Tier' }).getByLabel('Tier1').check();
    await page.getByRole('status').getByText('1 hit', { exact: true }).waitFor();
    await page.reload();
    await page.getByRole('status').getByText('1 hit', { exact: true }).waitFor();
    assert.is(await page.getByRole('group', { name: 'Tier' }).getByLabel('Tier1').isChecked(), true);
    await page.getByRole('button', { name: 'Drop Tier: Tier1' }).click();
    await page.getByRole('status').getByText('3 hits').waitFor();
    await page.getByRole('group', { name: 'Owner' }).getByLabel(person.name).check();
    await page.getByRole('status').getByText('1 hit', { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole('status').getByText('3 hits').waitFor();
    await close();
  });

  test('a search is saved in the browser, opened from the start and deleted', async () => {
    const { page, close } = await visit(`/search?q=${word}&tier=Tier.Tier1`);
    await page.getByLabel('Name of this search').fill(HOSTILE);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved in this browser.').waitFor();
    await page.goto(`${served.address}/`);
    const saved = page.getByRole('navigation', { name: 'Saved searches' });
    await saved.getByRole('link', { name: HOSTILE, exact: true }).click();
    await hit(page, made.lonely.name).waitFor();
    assert.match(page.url(), 'tier=Tier.Tier1');
    await page.getByRole('button', { name: `Delete the search ${HOSTILE}` }).click();
    await page.reload();
    await hit(page, made.lonely.name).waitFor();
    assert.is(await page.getByRole('link', { name: HOSTILE, exact: true }).count(), 0);
    await close();
  });

  test('where nothing is found, the page says which filter to drop and what is called alike', async () => {
    const { page, close } = await visit(`/search?q=${word}&entityType=dashboard`);
    await page.getByRole('button', { name: '3 hits without Kind' }).click();
    await hit(page, made.orders.name).waitFor();
    await page.goto(`${served.address}/search?q=${encodeURIComponent(`"${made.lonely.name.slice(0, 8)}zzzzzz"`)}`);
    await page.getByText('Nothing is found').waitFor();
    await page
      .getByRole('link', { name: /^lonely/ })
      .first()
      .waitFor();
    await page.goto(`${served.address}/search?q=${encodeURIComponent(`"${word}`)}`);
    await page.getByText('unclosed quote').waitFor();
    await page.getByRole('button', { name: `Search for «${word}» as plain words` }).click();
    await hit(page, made.orders.name).waitFor();
    await close();
  });

  test('the start shows what failed, the newest first, what changed, and what is mine', async () => {
    await makeFailures();
    const opened = await visit('/', { token: tokens.person });
    const { page } = opened;
    const failed = section(page, 'What failed lately');
    const promise = failed.locator('li', { hasText: 'Broken by us.' });
    await promise.waitFor();
    await failed.getByText('Nulls were found.').waitFor();
    const texts = await failed.locator('li').allInnerTexts();
    const at = (text: string) => texts.findIndex((one) => one.includes(text));
    assert.ok(at('Broken by us.') >= 0 && at('Broken by us.') < at('Nulls were found.'), texts.join(' | '));
    await section(page, 'What I own').getByRole('link', { name: made.orders.name }).waitFor();
    await section(page, 'What changed lately').getByText('changed').first().waitFor();
    // Which assets begin the list depends on all that others do in the store; tests/explorer/home.test.ts shows the order.
    await section(page, 'Where to begin').getByRole('link', { name: 'Lineage of' }).first().waitFor();
    assert.is(
      await section(page, 'Where to begin')
        .getByText(/^(Tag|User)$/)
        .count(),
      0,
    );
    await promise.getByRole('link', { name: HOSTILE, exact: true }).click();
    await page.waitForURL(/\/assets\/table\/.*view=contract/);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('an empty catalog says how data gets into it', async () => {
    const opened = await visit('/audit');
    const { page } = opened;
    await page.route('**/v1/search/entityTypeCounts*', (route) =>
      route.fulfill({ json: { aggregations: { entityType: { buckets: [] } } } }),
    );
    await page.goto(`${served.address}/`);
    await page.getByText('npm run seed', { exact: true }).waitFor();
    await page.getByText('npx tributary import dbt target').waitFor();
    await expectReadable(opened, DESKTOP, 'empty');
    await opened.close();
  });

  test('health leads from a cycle and from an asset without lineage to both', async () => {
    const opened = await visit('/catalog-health');
    const { page } = opened;
    await page.getByLabel('Part of the catalog').fill(world.serviceFqn);
    await page
      .getByRole('option', { name: world.serviceFqn })
      .filter({ hasText: /service/i })
      .click();
    await page.waitForURL(`**/catalog-health?scope=${world.serviceFqn}`);
    await section(page, 'Assets without lineage 1')
      .getByRole('link', { name: made.lonely.name, exact: true })
      .waitFor();
    await section(page, 'Cycles 1').getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    await page.getByRole('link', { name: '2 without a tier' }).click();
    await page.getByRole('status').getByText('2 hits').waitFor();
    await page.goBack();
    await section(page, 'Cycles 1')
      .getByRole('link', { name: /^Lineage of/ })
      .click();
    await page.waitForURL(/\/lineage\/table\//);
    await page.goto(`${served.address}/catalog-health?scope=${world.serviceFqn}.nowhere`);
    await page.getByRole('status').getByText('There is nothing called').waitFor();
    assert.is(await page.getByRole('heading', { name: 'In order' }).count(), 0, 'what is not there is not healthy');
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('people are found by name, and their page says what they own and where they belong', async () => {
    const { page, close } = await visit('/people', { token: tokens.person });
    await page.getByLabel('Find a person').fill(person.name);
    await page.getByRole('link', { name: person.name, exact: true }).click();
    await page.getByRole('heading', { name: person.name }).waitFor();
    await section(page, 'Assets').getByRole('link', { name: made.orders.name, exact: true }).waitFor();
    await section(page, 'Details').getByRole('link', { name: HOSTILE }).click();
    await section(page, 'People').getByRole('link', { name: person.name, exact: true }).waitFor();
    await page.goto(`${served.address}/people?view=teams&q=${encodeURIComponent('<img')}`);
    const levels = await page.locator('.team', { hasText: HOSTILE }).textContent();
    assert.match(levels ?? '', 'Group');
    await page.locator('.team', { hasText: 'Division zebra' }).waitFor();
    await close();
  });

  test('administrators read the audit log, and others are told that it is theirs', async () => {
    const opened = await visit(`/audit?actor=${SYSTEM_PRINCIPAL.name}&action=userChanged`);
    const { page } = opened;
    const entry = page.getByRole('button', {
      name: new RegExp(`Who ${SYSTEM_PRINCIPAL.name} What User or team changed Target ${person.name}`),
    });
    await entry.click();
    await page.getByText('Hash before').waitFor();
    await page.getByLabel('Who').fill('nobody at all');
    await page.getByText('No entry fits').waitFor();
    assert.match(page.url(), 'actor=nobody');
    assert.equal(opened.takeFaults(), []);
    await opened.close();
    const other = await visit('/audit', { token: tokens.person });
    await other.page.getByText('The audit log is for administrators').waitFor();
    assert.is(await other.page.getByRole('link', { name: 'Audit log' }).count(), 0);
    assert.equal(other.takeFaults(), []);
    await other.close();
  });

  test('on a phone the judged rows of a CSV file are cards with every cell and reason', async () => {
    const { page, close } = await visit(`/csv/table/${encodeURIComponent(made.orders.fullyQualifiedName)}`, {
      view: PHONE,
    });
    await page.getByText('Paste the rows instead').click();
    await page.getByLabel('CSV, the header first').fill(`${CSV_HEADER}\nday,,${HOSTILE},,DATES,,,No.Such,\n`);
    await page.getByRole('button', { name: 'Judge the rows' }).click();
    const card = page.getByRole('article', { name: 'Row 1' });
    await card.getByText('column.dataType: DATES is not a data type').waitFor();
    await card.getByText('Fails', { exact: true }).waitFor();
    assert.equal(await card.getByRole('definition').allTextContents(), ['day', HOSTILE, 'DATES', 'No.Such']);
    assert.equal(await card.locator('.bad-cell').allTextContents(), ['DATES', 'No.Such']);
    await card.getByText('Empty: column.displayName, column.dataTypeDisplay, column.arrayDataType').waitFor();
    assert.is(await page.getByRole('table').count(), 0);
    await close();
  });

  test('on a phone the menu leads to every page and marks the current one', async () => {
    const { page, close } = await visit('/catalog-health', { view: PHONE });
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    await page.getByRole('link', { name: 'Health', exact: true }).waitFor();
    await page.getByText('Theme', { exact: true }).waitFor();
    await page.getByLabel('Theme').selectOption('dark');
    assert.is(await page.locator('html').getAttribute('data-theme'), 'dark');
    await page.getByLabel('Theme').selectOption('system');
    assert.is(await page.getByRole('link', { name: 'Health', exact: true }).getAttribute('aria-current'), 'page');
    await page.getByRole('link', { name: 'People', exact: true }).click();
    await page.getByRole('heading', { name: 'People and teams' }).waitFor();
    assert.is(await menu.getAttribute('aria-expanded'), 'false');
    assert.is(await page.title(), 'People and teams · Tributary');
    await close();
  });

  test('every page can be read on a desktop and on a phone, light and dark', async () => {
    const pages = [
      { what: 'start', path: '/', sign: '.home-rows li' },
      { what: 'search-facets', path: `/search?q=${word}`, sign: '.hit mark' },
      { what: 'nothing', path: `/search?q=${word}&entityType=dashboard`, sign: '.nothing-found .button' },
      { what: 'health', path: `/catalog-health?scope=${world.serviceFqn}`, sign: '.cycle' },
      { what: 'people', path: '/people', sign: '.person' },
      { what: 'teams', path: '/people?view=teams', sign: '.team' },
      { what: 'person', path: `/assets/user/${person.name}`, sign: '.long-list a' },
      { what: 'audit', path: '/audit', sign: '.audit-line' },
    ];
    for (const view of BROWSER_VIEWS) {
      const opened = await visit('/audit', { view });
      for (const { what, path, sign } of pages) {
        await opened.page.goto(`${served.address}${path}`);
        await opened.page.locator(sign).first().waitFor();
        await expectReadable(opened, view, what);
      }
      await opened.close();
    }
  });
});

test.run();
