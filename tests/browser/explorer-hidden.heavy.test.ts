import { randomBytes } from 'node:crypto';
import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { column, feed, type Made, mapping, pipelineIn, ref } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { BROWSER_VIEWS, type BrowserPage, type BrowserView, inBrowser } from '../support/browser.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { expectReadable, openWithToken } from './explorer-page.ts';
import { type ExplorerWorld, openExplorerWorld } from './explorer-world.ts';

/**
 * Shows the explorer to somebody who may not see a table in the middle of `raw -> secret -> report`: neither a page nor an
 * answer that a page was given names the table, its columns or its SQL.
 */

const test = suite('browser: explorer, what is hidden');

let opened: ExplorerWorld;
let token: string;
const made = {} as { raw: Made; secret: Made; report: Made };

/** Digits would split a word into parts that others have too. */
const letters = (): string =>
  randomBytes(6)
    .toString('hex')
    .replace(/\d/g, (digit) => 'klmnopqrst'[Number(digit)] ?? '');

/** Words that only the hidden table has. */
const words = { table: `salaries${letters()}`, column: `bonus${letters()}`, sql: `paid${letters()}` };
const LOCK = /table that you may not see/;

const [DESKTOP] = BROWSER_VIEWS as readonly [BrowserView, ...BrowserView[]];

const start = async (executable: string): Promise<void> => {
  opened = await openExplorerWorld(executable);
  const { world } = opened;
  const { admin, service } = world;
  const table = (name: string, columns: readonly string[], more = {}) =>
    world.make('tables', {
      ...{ name, databaseSchema: world.schemaFqn, columns: columns.map((one) => column(one)) },
      ...more,
    });
  made.raw = await table(uniqueName('raw'), ['amount']);
  made.secret = await table(words.table, [words.column], { tags: [SENSITIVE], description: words.sql });
  made.report = await table(uniqueName('report'), ['sum']);
  const { raw, secret, report } = made;
  const sqlQuery = `select amount as ${words.column} from ${words.sql}`;
  const pipeline = ref(await pipelineIn(world, 'nightly'), 'pipeline');
  ok(
    await feed(admin, raw, secret, {
      ...{ sqlQuery, pipeline },
      columnsLineage: [mapping(raw, ['amount'], secret, words.column)],
    }),
  );
  ok(await feed(admin, secret, report, { sqlQuery, columnsLineage: [mapping(secret, [words.column], report, 'sum')] }));
  const { name } = await createRightsFactory(service).person([HIDING]);
  token = await service.token(name);
};

const lineageOf = ({ fullyQualifiedName }: Made, query = ''): string =>
  `/lineage/table/${encodeURIComponent(fullyQualifiedName)}${query}`;

const box = (page: Page, { id }: Made) => page.locator(`.react-flow__node[data-id="${id}"]`);

/** A page, with all that the service answered it. */
const open = async (path: string, view: BrowserView = DESKTOP): Promise<BrowserPage & { told(): Promise<string> }> => {
  const answers: Promise<string>[] = [];
  const page = await openWithToken(
    { browser: opened.browser, view, address: opened.served.address, token },
    '/explorer/assets/none',
  );
  page.page.on('response', (response) => {
    // What was asked for is in the address; an answer that a page no longer waits for has no body.
    if (response.url().includes('/v1/')) answers.push(response.text().catch(() => ''));
  });
  page.takeFaults();
  await page.page.goto(`${opened.served.address}${path}`);
  const told = async () => [await page.page.content(), ...(await Promise.all(answers))].join('\n');
  return { ...page, told };
};

/** Says that nothing tells the words of the hidden table, and that there was something to tell. */
const expectSilence = async ({ told }: { told(): Promise<string> }, known: Made): Promise<void> => {
  const text = await told();
  assert.ok(text.includes(known.fullyQualifiedName));
  for (const word of Object.values(words)) assert.not.ok(text.includes(word), word);
};

inBrowser(test, 'the explorer for those who may not see everything', (executable) => {
  test.before(() => start(executable));

  test.after(async () => {
    await opened?.browser.close();
    await opened?.served.close();
  });

  test('a table that policies hide is a lock without a name, in the graph, its panel and its edges', async () => {
    const { raw, secret, report } = made;
    const visit = await open(lineageOf(report, '?up=3'));
    const { page, close } = visit;
    await box(page, secret).getByText(LOCK).waitFor();
    assert.is(await box(page, raw).count(), 0, 'nobody is led through what they may not see');
    await box(page, secret).click();
    await page.getByRole('complementary').getByText('You may not see it').waitFor();
    const ways = [
      [report, '?up=3', secret, report],
      [raw, '?down=3', raw, secret],
    ] as const;
    for (const [root, extent, from, to] of ways) {
      const edge = encodeURIComponent(`${from.id} ${to.id}`);
      await page.goto(`${opened.served.address}${lineageOf(root, `${extent}&edge=${edge}`)}`);
      await page.getByRole('complementary', { name: LOCK }).waitFor();
      await page.getByText('You may not see its SQL and columns').waitFor();
    }
    await expectSilence(visit, report);
    await close();
  });

  test('the list, the trail of a column and what breaks tell no more than the graph', async () => {
    const { raw, report } = made;
    const visit = await open(lineageOf(report, '?up=3&view=list'));
    const { page, close } = visit;
    await page.locator('.list-record', { hasText: LOCK }).first().waitFor();
    const column = encodeURIComponent(`${report.fullyQualifiedName}.sum`);
    await page.goto(`${opened.served.address}${lineageOf(report, `?up=3&column=${column}`)}`);
    await box(page, report).waitFor();
    await page.goto(`${opened.served.address}${lineageOf(raw, '?down=3&change=drop')}`);
    await page.getByRole('complementary').getByText(LOCK).first().waitFor();
    await expectSilence(visit, report);
    await close();
  });

  test('its own pages say that it may not be seen, and no search finds it', async () => {
    const { secret } = made;
    const fqn = encodeURIComponent(secret.fullyQualifiedName);
    for (const path of [`/assets/table/${fqn}`, lineageOf(secret)]) {
      const { page, close } = await open(path);
      await page.getByRole('heading', { name: 'You may not see this asset' }).waitFor();
      assert.not.ok((await page.locator('main').textContent())?.includes(words.column));
      await close();
    }
    const { page, close } = await open(`/search?q=${words.column}`);
    await page.getByText('Nothing is found').waitFor();
    await close();
  });

  test('locks can be read on a desktop and on a phone, light and dark', async () => {
    for (const view of BROWSER_VIEWS) {
      for (const look of ['graph', 'list']) {
        const visit = await open(lineageOf(made.report, `?up=3&view=${look}`), view);
        await visit.page.getByText(LOCK).first().waitFor();
        await expectReadable(visit, view, `hidden-${look}`);
        await visit.close();
      }
    }
  });
});

test.run();
