import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import type { RunningServer } from '../../src/http/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { createSamples } from '../support/samples.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, HOSTILE, openWithToken } from './explorer-page.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Opens the asset page for every kind in a browser, edits on it, and compares versions. */

const test = suite('browser: asset page of the explorer');

let world: World;
let served: RunningServer;
let browser: Browser;
let adminToken: string;

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token: adminToken } = await openExplorerWorld(executable));
};

const makeTable = (more: JsonObject = {}): Promise<Made> =>
  world.make('tables', {
    name: uniqueName('orders'),
    databaseSchema: world.schemaFqn,
    columns: [
      column('total', { description: 'What the reader pays.' }),
      column('address', { dataType: 'STRUCT', children: [column('city')] }),
    ],
    ...more,
  });

const pathOf = ({ fullyQualifiedName }: Made, type = 'table', view = ''): string =>
  `/assets/${type}/${encodeURIComponent(fullyQualifiedName)}${view}`;

const open = (path: string, { view = DESKTOP, token = adminToken } = {}): Promise<BrowserPage> =>
  openWithToken({ browser, view, address: served.address, token }, path);

const readTable = async ({ id }: Made, fields = ''): Promise<Record<string, never>> =>
  ok(await world.admin.get(`/v1/tables/${id}?fields=${fields}`));

const patchTable = async ({ id }: Made, patch: JsonObject): Promise<void> => {
  ok(await world.admin.patch(`/v1/tables/${id}`, patch));
};

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Goes down in the list of choices, which may still change, until a choice has the focus. */
const focusOption = async (page: Page, name: string): Promise<void> => {
  const option = page.getByRole('option', { name });
  await option.waitFor();
  for (let steps = 0; steps < 30; steps += 1) {
    await page.keyboard.press('ArrowDown');
    if ((await option.getAttribute('data-focused')) !== null) return;
  }
  assert.unreachable(`${name} cannot be reached by the keyboard`);
};

/** Nothing is waited for any more, and nothing says that it failed. */
const expectSettled = async (page: Page): Promise<void> => {
  await page.locator('h1').first().waitFor();
  await page.locator('.waiting').first().waitFor({ state: 'detached' });
  assert.equal(await page.locator('.notice.bad[role=alert]').allInnerTexts(), []);
};

/** A table with tests, results, profiles, a contract and neighbours. */
const makeRichTable = async (): Promise<Made> => {
  const table = await makeTable({ description: 'Orders of **the shop**.' });
  const source = await makeTable();
  ok(await feed(world.admin, source, table));
  const check = ok(
    await world.admin.post('/v1/dataQuality/testCases', {
      name: 'not-empty',
      entityLink: `<#E::table::${table.fullyQualifiedName}::columns::total>`,
      testDefinition: 'columnValuesToBeNotNull',
    }),
    201,
  );
  const day = 86_400_000;
  const now = Date.now();
  for (const [ago, testCaseStatus] of ['Failed', 'Success', 'Success'].entries())
    ok(
      await world.admin.post(
        `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(check.fullyQualifiedName)}`,
        { timestamp: now - ago * day, testCaseStatus, result: `${ago} days ago` },
      ),
      201,
    );
  for (const ago of [2, 1, 0])
    ok(
      await world.admin.put(`/v1/tables/${table.id}/tableProfile`, {
        tableProfile: { timestamp: now - ago * day, rowCount: 100 - ago, columnCount: 2, sizeInByte: 5000 },
        columnProfile: [{ name: 'total', timestamp: now - ago * day, valuesCount: 100, nullProportion: ago / 10 }],
      }),
    );
  ok(await world.admin.put(`/v1/tables/${table.id}/sampleData`, { columns: ['total'], rows: [['1.50'], [HOSTILE]] }));
  const contract = await world.make('dataContracts', {
    name: 'promise',
    entity: { id: table.id, type: 'table' },
    schema: [column('total')],
    semantics: [
      {
        name: 'is-described',
        description: 'It says what it is.',
        rule: '{"!!": [{"var": "description"}]}',
        enabled: true,
      },
    ],
    qualityExpectations: [{ id: check.id, type: 'testCase' }],
  });
  ok(await world.admin.post(`/v1/dataContracts/${contract.id}/validate`, {}));
  return table;
};

inBrowser(test, 'the asset page in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a record of every kind has a page that says what it is, without a fault', async () => {
    const samples = createSamples(world.service);
    const opened = await open('/search');
    const faults: string[] = [];
    for (const kind of world.service.registry.kinds) {
      const made = await world.make(kind.path, {
        ...(await samples.fullBody(kind)),
        displayName: `The ${kind.entityType}`,
      });
      await opened.page.goto(`${served.address}${pathOf(made, kind.entityType)}`);
      await opened.page.getByRole('heading', { name: `The ${kind.entityType}`, exact: true }).waitFor();
      await expectSettled(opened.page);
      const text = await opened.page.locator('main').textContent();
      if (/\{"|\[object/.test(text ?? '')) faults.push(`${kind.entityType} shows what only programs read`);
      faults.push(...opened.takeFaults().map((fault) => `${kind.entityType}: ${fault}`));
    }
    assert.equal(faults, []);
    await opened.close();
  });

  test('an edit that comes second says what the first changed, loses nothing, and is saved on request', async () => {
    const table = await makeTable({ description: 'The first text.' });
    const { page, close } = await open(pathOf(table));
    await button(page, 'Edit description').click();
    const field = page.getByLabel('Description, in Markdown');
    await field.fill('My own text.');
    await patchTable(table, { description: 'Their own text.', displayName: 'Their name' });
    await button(page, 'Save').click();
    const notice = page.getByRole('alert');
    await notice.getByText('changed this meanwhile').waitFor();
    assert.match((await notice.textContent()) ?? '', /Their own text\.[\s\S]*Their name/);
    assert.is(await field.inputValue(), 'My own text.');
    assert.is((await readTable(table))['description'], 'Their own text.');
    await page.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('heading', { name: 'What differs' }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    assert.is(await field.inputValue(), 'My own text.');
    await button(page, 'Save').click();
    await page.locator('.rich-text', { hasText: 'My own text.' }).waitFor();
    const { description, displayName } = await readTable(table);
    assert.equal([description, displayName], ['My own text.', 'Their name']);
    await close();
  });

  test('owners and tags are chosen by searching, and what others add meanwhile stays', async () => {
    const table = await makeTable();
    const person = await createRightsFactory(world.service).person([], { displayName: 'Zora Quill' });
    const { page, close } = await open(pathOf(table));
    await button(page, 'Edit owners').click();
    await page.getByRole('combobox', { name: 'Find owners' }).fill(person.name);
    await focusOption(page, 'Zora Quill');
    await page.keyboard.press('Enter');
    await button(page, 'Remove Zora Quill').waitFor();
    await button(page, 'Save').click();
    await page.getByRole('link', { name: 'Zora Quill' }).waitFor();
    await button(page, 'Edit tags').click();
    await page.getByRole('combobox', { name: 'Find tags' }).fill('NonSensitive');
    await page.getByRole('option', { name: 'PII.NonSensitive' }).click();
    await patchTable(table, { tags: [{ tagFQN: 'Tier.Tier2', source: 'Classification' }] });
    await button(page, 'Save').click();
    await button(page, 'Save mine').click();
    await page.getByRole('link', { name: 'PII.NonSensitive' }).waitFor();
    const { owners, tags } = await readTable(table, 'owners,tags');
    assert.equal(
      (owners as unknown as Made[]).map(({ name }) => name),
      [person.name],
    );
    assert.equal((tags as unknown as { tagFQN: string }[]).map(({ tagFQN }) => tagFQN).sort(), [
      'PII.NonSensitive',
      'Tier.Tier2',
    ]);
    await close();
  });

  test('a nested column is described where it stands, also after another was put before it', async () => {
    const table = await makeTable();
    const { page, close } = await open(pathOf(table));
    await button(page, 'city').click();
    await button(page, 'Edit description of city').click();
    await page.getByLabel('Description, in Markdown').fill('Where the reader lives.');
    const { columns } = await readTable(table);
    await patchTable(table, { columns: [column('first'), ...(columns as unknown as JsonObject[])] });
    await button(page, 'Save').click();
    await button(page, 'Save mine').click();
    await page.locator('.item-panel .rich-text', { hasText: 'Where the reader lives.' }).waitFor();
    const [first, , address] = (await readTable(table))['columns'] as unknown as (JsonObject & {
      children: JsonObject[];
    })[];
    assert.is(first?.['description'], undefined);
    assert.is(address?.children[0]?.['description'], 'Where the reader lives.');
    await close();
  });

  test('who may not edit has no button for it', async () => {
    const table = await makeTable({ description: 'Only to be read.' });
    const person = await createRightsFactory(world.service).person([
      {
        effect: 'deny',
        operations: ['EditDescription', 'EditTags', 'EditTier', 'EditGlossaryTerms', 'EditOwners'],
        resources: ['table'],
      },
    ]);
    const { page, close } = await open(pathOf(table), { token: await world.service.token(person.name) });
    await page.getByText('Only to be read.').waitFor();
    await expectSettled(page);
    await page.waitForLoadState('networkidle');
    assert.is(await page.locator('.edit-button').count(), 0);
    await close();
    const admin = await open(pathOf(table));
    await button(admin.page, 'Edit description').waitFor();
    await admin.close();
  });

  test('votes and follows are counted and taken back', async () => {
    const table = await makeTable();
    const { page, close } = await open(pathOf(table));
    await button(page, 'Useful: 0').click();
    await page.getByRole('button', { name: 'Useful: 1', exact: true, pressed: true }).waitFor();
    await button(page, 'Not useful: 0').click();
    await page.getByRole('button', { name: 'Not useful: 1', exact: true, pressed: true }).waitFor();
    await button(page, 'Useful: 0').waitFor();
    await button(page, 'Not useful: 1').click();
    await page.getByRole('button', { name: 'Not useful: 0', exact: true, pressed: false }).waitFor();
    await button(page, 'Follow · 0').click();
    await page.getByRole('button', { name: 'Following · 1', pressed: true }).waitFor();
    const { followers } = await readTable(table, 'followers');
    assert.equal(
      (followers as unknown as Made[]).map(({ name }) => name),
      [SYSTEM_PRINCIPAL.name],
    );
    await button(page, 'Following · 1').click();
    await button(page, 'Follow · 0').waitFor();
    await close();
  });

  test('any two versions are compared side by side, and the address shows the same again', async () => {
    const table = await makeTable({ description: 'One row per order of the shop.' });
    await patchTable(table, { description: 'One line per order of the shop.' });
    await patchTable(table, { columns: [column('total'), column('placed_on')] });
    const { page, close } = await open(pathOf(table, 'table', '?view=versions'));
    await page.getByLabel('Before').selectOption({ index: 2 });
    const comparison = page.getByRole('region', { name: 'Comparison' });
    await comparison.locator('del', { hasText: 'row' }).waitFor();
    assert.is(await comparison.locator('ins').textContent(), 'line');
    const names = await comparison.locator('.difference-name').allInnerTexts();
    assert.equal(names.map((name) => name.replaceAll(/\s+/g, ' ')).sort(), [
      'Columns › address removed',
      'Columns › placed_on added',
      'Columns › total › description removed',
      'Description changed',
    ]);
    await page.reload();
    await comparison.locator('del', { hasText: 'row' }).waitFor();
    await close();
  });

  test('what happened is listed, the newest first', async () => {
    const table = await makeTable();
    await patchTable(table, { displayName: 'A name' });
    const { page, close } = await open(pathOf(table, 'table', '?view=activity'));
    const events = page.getByRole('region', { name: 'Events, newest first' }).getByRole('listitem');
    await events.nth(1).waitFor();
    const texts = await events.allInnerTexts();
    assert.match(texts[0] ?? '', /added display name/);
    assert.match(texts.at(-1) ?? '', /created it/);
    await close();
  });

  test('names that look like tags are shown as they are', async () => {
    const owner = await world.make('users', {
      name: uniqueName('usr'),
      email: `${uniqueName('mail')}@example.com`,
      displayName: HOSTILE,
    });
    const table = await makeTable({
      displayName: HOSTILE,
      description: HOSTILE,
      owners: [{ id: owner.id, type: 'user' }],
      columns: [column(HOSTILE.replaceAll('.', ''), { description: HOSTILE })],
    });
    await patchTable(table, { displayName: `${HOSTILE} again`, description: `${HOSTILE} and more words` });
    const opened = await open(pathOf(table));
    const { page } = opened;
    await page.getByRole('heading', { name: `${HOSTILE} again`, exact: true }).waitFor();
    await page.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    await page.locator('.item-open').click();
    await page.locator('.item-panel').getByText(HOSTILE).first().waitFor();
    for (const view of ['versions', 'activity', 'sample', 'quality']) {
      await page.goto(`${served.address}${pathOf(table, 'table', `?view=${view}`)}`);
      await expectSettled(page);
    }
    assert.is(await page.locator('img[src="x"]').count(), 0);
    assert.equal(opened.takeFaults(), []);
    await opened.close();
  });

  test('a description that nobody can read as Markdown, and times beyond all calendars, are still shown', async () => {
    const deep = await makeTable({ description: '>'.repeat(3000) });
    const { page, takeFaults, close } = await open(pathOf(deep));
    await page.locator('.plain-text', { hasText: '>>>>' }).waitFor();
    await page.getByRole('button', { name: 'Edit Description' }).first().waitFor();
    const long = await makeTable({ description: `${'a*b_ '.repeat(5000)}end` });
    await page.goto(`${served.address}${pathOf(long)}`);
    await page.locator('.plain-text', { hasText: 'end' }).waitFor();
    const topic = await world.make('topics', {
      name: uniqueName('kept'),
      service: ok(
        await world.admin.post('/v1/services/messagingServices', { name: uniqueName('bus'), serviceType: 'Kafka' }),
        201,
      ).fullyQualifiedName,
      partitions: 1,
      retentionTime: 9223372036854775000,
    });
    await page.goto(`${served.address}/assets/topic/${encodeURIComponent(topic.fullyQualifiedName)}`);
    await page.getByRole('heading', { name: topic.name }).waitFor();
    await page.getByText('Retention time').waitFor();
    // The library that reads Markdown fails at such depth, and the page shows the text instead. What it throws is told some
    // time after the text is shown.
    for (const fault of takeFaults()) assert.match(fault, 'Maximum call stack');
    await close();
  });

  test('a table of 3,600 columns has only those in sight in the page, and finds any of them', async () => {
    const table = await makeTable({ columns: Array.from({ length: 3600 }, (_, at) => column(`c${at}`)) });
    const { page, close } = await open(pathOf(table));
    await button(page, 'c0').waitFor();
    assert.ok((await page.locator('.columns tbody tr').count()) < 60);
    await page.getByLabel('Find a column').fill('c3599');
    await button(page, 'c3599').click();
    await page.getByRole('region', { name: 'About c3599' }).waitFor();
    await close();
    // Searches of tests that come after would find it and all its columns.
    ok(await world.admin.delete(`/v1/tables/${table.id}?hardDelete=true`));
  });

  test('what is deleted says so and can be restored, and what is not there is said to be missing', async () => {
    const table = await makeTable();
    ok(await world.admin.delete(`/v1/tables/${table.id}`));
    const { page, close } = await open(pathOf(table));
    await page.getByText('This is deleted.').waitFor();
    assert.is(await page.locator('.edit-button').count(), 0);
    await button(page, 'Restore').click();
    await page.getByText('This is deleted.').waitFor({ state: 'detached' });
    assert.is((await readTable(table))['deleted'], false);
    await page.goto(`${served.address}/assets/table/nothing.of.this.name`);
    await page.getByRole('heading', { name: 'There is no such asset' }).waitFor();
    for (const path of [
      'assets/nonsense',
      'csv/constructor',
      'contracts/__proto__',
      'contracts/table',
      'lineage/table',
    ]) {
      await page.goto(`${served.address}/${path}/some.where`);
      await page.getByRole('heading', { name: 'There is no such asset' }).waitFor();
      await page.getByRole('link', { name: 'Search for its name' }).waitFor();
    }
    await page.goto(`${served.address}/contracts/user/admin`);
    await page.getByRole('heading', { name: 'There are no contracts of this kind of asset' }).waitFor();
    await page.goto(`${served.address}/paths?from=table:nowhere.at.all&to=nonsense:name`);
    await page.getByText('There is no asset nowhere.at.all for you.').waitFor();
    await page.getByText('There is no asset name for you.').waitFor();
    await close();
  });

  test('an address that nothing has is answered with a page that leads on, and with the right status', async () => {
    const opened = await open('/');
    const { page } = opened;
    for (const [path, status] of [
      ['/nothing/at/all', 404],
      ['/explorer', 404],
      ['/assets/table/%', 400],
      ['/search?q=%zz', 400],
    ] as const) {
      const answer = await page.goto(`${served.address}${path}`);
      assert.is(answer?.status(), status, path);
      await page.getByRole('heading').first().waitFor();
    }
    await page.goto(`${served.address}/nothing/at/all`);
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await page.getByRole('link', { name: 'Go to the start' }).click();
    await page.getByRole('heading', { name: 'Your catalog' }).waitFor();
    await opened.close();
  });

  test('every view can be read on a desktop and on a phone, light and dark', async () => {
    const table = await makeRichTable();
    for (const view of BROWSER_VIEWS) {
      const opened = await open(pathOf(table), { view });
      const { page } = opened;
      await page.getByText('Its trail').waitFor({ state: 'detached' });
      await expectSettled(page);
      await expectReadable(opened, view, 'asset-overview');
      await button(page, 'total').click();
      await page.getByRole('region', { name: 'About total' }).getByText('Measured on').waitFor();
      await button(page, 'Edit tags of total').click();
      await button(page, 'Edit description').click();
      await expectReadable(opened, view, 'asset-editors');
      await button(page, 'Cancel').first().click();
      await button(page, 'Cancel').first().click();
      for (const name of ['quality', 'contract', 'sample', 'versions', 'activity']) {
        await page.goto(`${served.address}${pathOf(table, 'table', `?view=${name}`)}`);
        await expectSettled(page);
        await expectReadable(opened, view, `asset-${name}`);
      }
      await opened.close();
    }
  });
});

test.run();
