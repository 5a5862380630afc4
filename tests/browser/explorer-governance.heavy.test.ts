import type { Browser, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { RunningServer } from '../../src/http/server.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { column, type Made, type World } from '../lineage/fixture.ts';
import { BROWSER_VIEWS, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable } from './explorer-page.ts';
import { saveByBrowser, signInWithToken, visitExplorer } from './explorer-visitor.ts';
import { openExplorerWorld } from './explorer-world.ts';

/** Writes contracts in a browser, exchanges them as ODCS, and takes assets out and in as CSV. */

const test = suite('browser: contracts and CSV in the explorer');

const HOSTILE = '<img src=x onerror=alert(1)>';
const CONTRACTS = '/v1/dataContracts';

let world: World;
let served: RunningServer;
let browser: Browser;
let token: string;

const start = async (executable: string): Promise<void> => {
  ({ world, served, browser, token } = await openExplorerWorld(executable));
};

const makeTable = (more: JsonObject = {}): Promise<Made> =>
  world.make('tables', {
    name: uniqueName('orders'),
    databaseSchema: world.schemaFqn,
    columns: [
      column('total', { dataType: 'DECIMAL' }),
      column('day', { dataType: 'DATE' }),
      column('place', { dataType: 'STRUCT', children: [column('zip'), column('city')] }),
    ],
    ...more,
  });

const makeContract = (table: Made, more: JsonObject = {}): Promise<Made> =>
  world.make('dataContracts', {
    name: 'promise',
    entity: { id: table.id, type: 'table' },
    schema: [{ name: 'total', dataType: 'DECIMAL' }],
    ...more,
  });

const contractOf = async (table: Made) => ok(await world.admin.get(`${CONTRACTS}?entity=${table.id}`)).data[0];

const pathOf = (page: string, { fullyQualifiedName }: Made, view = ''): string =>
  `/${page}/table/${encodeURIComponent(fullyQualifiedName)}${view === '' ? '' : `?view=${view}`}`;

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const visit = (path: string, view = DESKTOP, as = token) =>
  visitExplorer(browser, view, { address: served.address, token: as, path });

const judgement = (page: Page) => page.getByRole('region', { name: 'Judgement' });

const description = (page: Page) => page.getByLabel('Description, in Markdown');

/** The text that is selected in the field that the keyboard speaks to. */
const readSelection = (page: Page): Promise<string> =>
  page.evaluate(
    '(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.activeElement)',
  );

const documentOf = (name: string, columns: readonly string[]): string =>
  [
    'apiVersion: v3.1.0',
    'kind: DataContract',
    'id: 53581432-6c55-4ba2-a65f-72344a91553a',
    `name: ${name}`,
    'version: 1.1.0',
    'status: active',
    'description:',
    '  purpose: Views built on top of the orders.',
    'schema:',
    '  - name: tbl',
    '    logicalType: object',
    '    properties:',
    ...columns.flatMap((one) => [`      - name: ${one}`, '        logicalType: string']),
    '        quality:',
    '          - metric: nullValues',
    '            mustBe: 0',
    'slaProperties:',
    '  - property: retention',
    '    value: 3',
    '    unit: y',
    '',
  ].join('\n');

const HEADER =
  'column.name*,column.displayName,column.description,column.dataTypeDisplay,column.dataType*,column.arrayDataType,column.dataLength,column.tags,column.glossaryTerms';

const csvOf = (...rows: readonly string[]): string => [HEADER, ...rows, ''].join('\n');

const paste = async (page: Page, csv: string): Promise<void> => {
  await page.getByText('Paste the rows instead').click();
  await page.getByLabel('CSV, the header first').fill(csv);
};

inBrowser(test, 'contracts and CSV in a browser', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await browser?.close();
    await served?.close();
  });

  test('a contract is judged while it is typed, and made of what was chosen', async () => {
    const table = await makeTable();
    const { page, close, takeFaults } = await visit(pathOf('assets', table));
    await page.getByRole('link', { name: 'Contract', exact: true }).first().click();
    await page.getByRole('button', { name: 'Write a contract' }).click();
    await page.getByLabel('Name', { exact: true }).fill('a::b');
    await judgement(page).getByText('1 problem').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('promise');
    await page.getByRole('checkbox', { name: 'zip' }).check();
    await judgement(page).getByText('2 of 2 promised columns').waitFor();
    await judgement(page).getByText('can be saved').waitFor();
    await page.getByLabel('Constraint of place.zip').selectOption('NOT_NULL');
    await page.getByRole('button', { name: 'Is described' }).click();
    await page.getByLabel('Refreshed every: number').fill('2');
    await page.getByLabel('Refreshed every: unit').selectOption('day');
    await page.getByRole('button', { name: 'Add an access policy' }).click();
    await page.getByLabel('Policy', { exact: true }).fill('analysts');
    await page.getByLabel('Users and groups').fill('insight, and others\nfinance');
    await page.getByLabel('Terms under which').fill('Inside **only**.');
    await page.getByRole('button', { name: 'Create the contract' }).click();
    await page.getByRole('heading', { name: 'promise', exact: true }).waitFor();
    const made = await contractOf(table);
    assert.equal(made.schema, [
      {
        name: 'place',
        dataType: 'STRUCT',
        children: [{ name: 'zip', dataType: 'STRING', constraint: 'NOT_NULL' }],
      },
    ]);
    assert.equal(made.sla.refreshFrequency, { interval: 2, unit: 'day' });
    assert.equal(made.security.policies, [
      { accessPolicy: 'analysts', identities: ['insight, and others', 'finance'] },
    ]);
    assert.is(made.semantics[0].name, 'is-described');
    assert.is(made.termsOfUse.content, 'Inside **only**.');
    assert.equal(takeFaults(), []);
    await close();
  });

  test('what somebody else saved meanwhile is taken over, and nothing that was typed is lost', async () => {
    const table = await makeTable();
    const { id } = await makeContract(table);
    const { page, close } = await visit(pathOf('contracts', table, 'edit'));
    await description(page).fill('Mine');
    await page.getByRole('checkbox', { name: 'total' }).uncheck();
    await judgement(page).getByText('total is no longer promised').waitFor();
    ok(
      await world.admin.patch(`${CONTRACTS}/${id}`, [
        { op: 'add', path: '/description', value: 'Theirs' },
        { op: 'add', path: '/displayName', value: 'Their name' },
      ]),
    );
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const conflict = page.getByRole('alert', { name: 'Conflict' });
    await conflict.getByText('Theirs', { exact: true }).last().waitFor();
    assert.is(await description(page).inputValue(), 'Mine');
    assert.is(await page.getByLabel('Display name').inputValue(), 'Their name');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    const saved = await contractOf(table);
    assert.is(saved.description, 'Mine');
    assert.is(saved.displayName, 'Their name');
    assert.equal(saved.schema ?? [], []);
    await close();
  });

  test('a draft outlives a reload and the end of the session', async () => {
    const table = await makeTable();
    await makeContract(table);
    const { page, close } = await visit(pathOf('contracts', table, 'edit'));
    await description(page).fill('Typed before the end');
    await page.reload();
    await page.getByText('What you typed before is here again').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await signInWithToken(page, token);
    await page.getByText('What you typed before is here again').waitFor();
    assert.is(await description(page).inputValue(), 'Typed before the end');
    await page.getByRole('button', { name: 'Discard it' }).click();
    assert.is(await description(page).inputValue(), '');
    await close();
  });

  test('an asset is judged by its contract clause by clause', async () => {
    const table = await makeTable();
    const rule = {
      name: 'is-described',
      description: 'It is described',
      rule: '{"!!": [{"var": "description"}]}',
      enabled: true,
    };
    await makeContract(table, { semantics: [rule] });
    const { page, close, takeFaults } = await visit(pathOf('contracts', table, 'results'));
    await page.getByText('has not been judged').waitFor();
    await page.getByRole('button', { name: 'Judge the asset now' }).click();
    const latest = page.getByRole('region', { name: 'Latest result' });
    await latest.getByText('1 of 1 passed').waitFor();
    await latest.getByText('1 of 1 failed').waitFor();
    await latest.getByText('is-described: It is described').waitFor();
    await page.getByRole('button', { name: 'Judge the asset now' }).click();
    await page.getByRole('region', { name: 'Former results' }).waitFor();
    assert.equal(takeFaults(), []);
    await close();
  });

  test('an ODCS document goes in after its faults are mended, and out again', async () => {
    const table = await makeTable();
    const { page, close } = await visit(pathOf('contracts', table, 'odcs'));
    const text = page.getByLabel('Document, in YAML or JSON');
    await text.fill('kind: DataContract\n bad: [1');
    await page.getByRole('button', { name: 'Go to line' }).waitFor();
    await text.fill(documentOf('views', ['day', 'absent']));
    await page.getByText('The entity has no column absent').waitFor();
    await page.getByRole('button', { name: 'Line 15' }).click();
    assert.is(await readSelection(page), '      - name: absent');
    assert.is(await page.getByRole('button', { name: 'Create the contract' }).isDisabled(), true);
    await text.fill(documentOf('views', ['day']));
    await page.getByText('1 of 1 of its columns').waitFor();
    assert.is(await contractOf(table), undefined, 'looking at it stores nothing');
    await page.getByRole('button', { name: 'Create the contract' }).click();
    await page.getByRole('heading', { name: 'views' }).waitFor();
    assert.is((await contractOf(table)).entityStatus, 'Approved');
    await page.getByRole('link', { name: 'ODCS' }).click();
    const yaml = await saveByBrowser(page, () => page.getByRole('button', { name: 'Save as YAML' }).click());
    assert.is(yaml.name, 'views.odcs.yaml');
    assert.match(yaml.text, 'apiVersion: v3.1.0');
    assert.match(yaml.text, 'metric: nullValues');
    const json = await saveByBrowser(page, () => page.getByRole('button', { name: 'Save as JSON' }).click());
    assert.is(JSON.parse(json.text).name, 'views');
    await close();
  });

  test('a contract is deleted after a question, and restored', async () => {
    const table = await makeTable();
    await makeContract(table);
    const { page, close, takeFaults } = await visit(pathOf('contracts', table));
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    assert.ok(await contractOf(table));
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('which was deleted').waitFor();
    assert.is(await contractOf(table), undefined);
    await page.getByRole('button', { name: 'Restore it' }).click();
    await page.getByRole('button', { name: 'Edit', exact: true }).waitFor();
    assert.ok(await contractOf(table));
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a bad row of a CSV file is shown before anything is applied', async () => {
    const table = await makeTable();
    const { page, close, takeFaults } = await visit(pathOf('csv', table));
    const exported = await saveByBrowser(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    assert.ok(exported.text.startsWith(HEADER));
    await paste(page, csvOf('total,,In euros,,DECIMAL,,,,', 'day,,,,DATES,,,No.Such,', 'fresh,,,,INT,,,,'));
    await page.getByRole('button', { name: 'Judge the rows' }).click();
    await page.getByText('3 rows: 1 fails, 1 creates, 1 updates').waitFor();
    await page.getByText('column.dataType: DATES is not a data type').waitFor();
    await page.getByRole('button', { name: 'Fails 1' }).click();
    const rows = page.locator('.judged-rows tbody tr');
    assert.is(await rows.count(), 1);
    assert.equal(await rows.locator('.bad-cell').allTextContents(), ['DATES', 'No.Such']);
    const columns = async () =>
      ok(await world.admin.get(`/v1/tables/${table.id}?fields=columns`)).columns as {
        name: string;
        description?: string;
      }[];
    assert.is((await columns()).length, 3, 'judging stores nothing');
    await page.reload();
    await page.getByText('3 rows: 1 fails').waitFor();
    const judged = await saveByBrowser(page, () => page.getByRole('button', { name: 'Save the rows' }).click());
    assert.match(judged.text, '#INVALID_FIELD: Field 5 error');
    await page.getByRole('button', { name: 'Apply 2 rows' }).click();
    await page.getByText('3 rows: 1 failed, 1 created, 1 updated').waitFor();
    assert.equal(
      (await columns()).map(({ name, description: text }) => [name, text]),
      [
        ['total', 'In euros'],
        ['day', undefined],
        ['place', undefined],
        ['fresh', undefined],
      ],
    );
    assert.equal(takeFaults(), []);
    await close();
  });

  test('a file with another header is refused with both headers', async () => {
    const table = await makeTable();
    const { page, close } = await visit(pathOf('csv', table));
    const content = { name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from('a,b\n1,2\n') };
    await page.getByLabel('Choose a CSV file').setInputFiles(content);
    await page.getByRole('button', { name: 'Judge the rows' }).click();
    await page.getByText('the header is [a,b] but must be [column.name*').waitFor();
    await page.getByLabel('Choose a CSV file').setInputFiles({ ...content, buffer: Buffer.alloc(0) });
    await page.getByText('wrong.csv is empty').waitFor();
    assert.is(await page.getByRole('button', { name: 'Judge the rows' }).isDisabled(), true);
    await close();
  });

  test('a database schema is exported with everything below it', async () => {
    await makeTable();
    const path = `/csv/databaseSchema/${encodeURIComponent(world.schemaFqn)}`;
    const { page, close } = await visit(path);
    await page.getByRole('checkbox', { name: 'With everything below, down' }).check();
    const { text } = await saveByBrowser(page, () => page.getByRole('button', { name: 'Export CSV' }).click());
    assert.match(text, 'place.zip');
    await close();
  });

  test('who may not change is told so', async () => {
    const table = await makeTable();
    await makeContract(table);
    const reader = await createRightsFactory(world.service).person();
    const opened = await visit(pathOf('contracts', table), DESKTOP, await world.service.token(reader.name));
    await opened.page.getByText('You may read contracts here').waitFor();
    assert.is(await opened.page.getByRole('button', { name: 'Edit', exact: true }).isDisabled(), true);
    await opened.page.goto(`${served.address}${pathOf('csv', table)}`);
    await opened.page.getByText('You may take its rows out, but not bring changes in').waitFor();
    assert.is(await opened.page.getByRole('button', { name: 'Judge the rows' }).count(), 0);
    const { text } = await saveByBrowser(opened.page, () =>
      opened.page.getByRole('button', { name: 'Export CSV' }).click(),
    );
    assert.match(text, 'column.name');
    await opened.close();
  });

  test('names that look like tags are shown as they are', async () => {
    const table = await makeTable({ displayName: HOSTILE });
    await makeContract(table, {
      displayName: HOSTILE,
      description: HOSTILE,
      semantics: [{ name: HOSTILE, description: HOSTILE, rule: '{"!!": [1]}', enabled: true }],
    });
    const { page, close } = await visit(pathOf('contracts', table));
    await page.getByRole('heading', { name: HOSTILE }).waitFor();
    await page.getByText(HOSTILE).nth(2).waitFor();
    await page.goto(`${served.address}${pathOf('contracts', table, 'edit')}`);
    await page.getByRole('button', { name: `Remove rule ${HOSTILE}` }).waitFor();
    await page.goto(`${served.address}${pathOf('csv', table)}`);
    await paste(page, csvOf(`${HOSTILE},,${HOSTILE},,${HOSTILE},,,,`));
    await page.getByRole('button', { name: 'Judge the rows' }).click();
    await page.getByText(`column.dataType: ${HOSTILE}`).waitFor();
    assert.is(await page.locator('img').count(), 0);
    await close();
  });

  test('every page can be read on a desktop and on a phone, light and dark', async () => {
    const table = await makeTable();
    const rule = { name: 'r', description: 'It is described', rule: '{"!!": [{"var": "description"}]}', enabled: true };
    const { id } = await makeContract(table, {
      description: 'What **others** rely on.',
      semantics: [rule],
      termsOfUse: 'Inside only',
      sla: { refreshFrequency: { interval: 1, unit: 'day' } },
      security: { dataClassification: 'internal', policies: [{ accessPolicy: 'analysts', identities: ['insight'] }] },
    });
    await createRightsFactory(world.service).person([], { displayName: 'Zora Keeper' });
    for (let at = 0; at < 2; at += 1) ok(await world.admin.post(`${CONTRACTS}/${id}/validate`, {}));
    for (const view of BROWSER_VIEWS) {
      const opened = await visit(pathOf('contracts', table), view);
      const { page } = opened;
      await page.getByText('Inside only').waitFor();
      await expectReadable(opened, view, 'contract');
      await page.goto(`${served.address}${pathOf('contracts', table, 'edit')}`);
      await judgement(page).getByText('can be saved').waitFor();
      await page.getByRole('checkbox', { name: 'total' }).uncheck();
      await judgement(page).getByText('total is no longer promised').waitFor();
      const owners = page.getByRole('combobox', { name: 'Owners' });
      // The list of names closes when the page scrolls, as it does to a field that is out of sight.
      await owners.click();
      await owners.pressSequentially('Zora');
      await page.getByRole('option', { name: /Zora Keeper/ }).click();
      await expectReadable(opened, view, 'contract-editor');
      await page.goto(`${served.address}${pathOf('contracts', table, 'results')}`);
      await page
        .getByText('Former results')
        .or(page.getByRole('heading', { name: 'Before' }))
        .waitFor();
      await expectReadable(opened, view, 'contract-results');
      await page.goto(`${served.address}${pathOf('contracts', table, 'odcs')}`);
      await page.getByLabel('Document, in YAML or JSON').fill(documentOf('views', ['day', 'absent']));
      await page.getByText('The entity has no column absent').waitFor();
      await expectReadable(opened, view, 'contract-odcs');
      await page.goto(`${served.address}${pathOf('csv', table)}`);
      await paste(page, csvOf('total,,In euros,,DECIMAL,,,,', 'day,,,,DATES,,,No.Such,'));
      await page.getByRole('button', { name: 'Judge the rows' }).click();
      await page.getByText('2 rows: 1 fails').waitFor();
      await expectReadable(opened, view, 'csv');
      await opened.close();
    }
  });
});

test.run();
