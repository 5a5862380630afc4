import * as assert from 'uvu/assert';
import {
  type AssetRights,
  assetOfPage,
  type Command,
  commandsOf,
  matchCommands,
  NO_RIGHTS,
  readTyped,
} from '../../src/explorer/palette/commands.ts';
import { suite } from '../support/suite.ts';

/** Shows what the palette offers on each page, and what a text narrows it to. */

const test = suite('explorer: commands');

const PAGES = [
  { href: '/', title: 'Home' },
  { href: '/people', title: 'People' },
];

const FQN = 'shop.sales.public.orders';

const ALL_RIGHTS: AssetRights = { mayWriteContract: true, mayExport: true, mayImport: true };

const leads = (commands: readonly Command[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    commands.map(({ name, does }) => [name, 'goTo' in does ? decodeURIComponent(does.goTo) : does.deed]),
  );

const namesOf = (path: string): readonly string[] => commandsOf(path, PAGES).map(({ name }) => name);

test('the asset of a page is known by its address, whatever its name has in it', () => {
  const name = 'a/b."c.d" 100%';
  for (const page of ['assets', 'lineage', 'contracts', 'csv'])
    assert.equal(assetOfPage(`/${page}/table/${encodeURIComponent(name)}`), { type: 'table', fqn: name });
  for (const path of ['/', '/search', '/people', '/assets', '/assets/table', '/assets/table/%E0%A4%A'])
    assert.is(assetOfPage(path), undefined, path);
});

test('on the page of an asset its parts come first, and everywhere the pages and what the frame does', () => {
  const commands = leads(commandsOf(`/assets/table/${FQN}`, PAGES, ALL_RIGHTS));
  assert.is(commands['Lineage'], `/lineage/table/${FQN}`);
  assert.is(commands['What breaks if this goes'], `/lineage/table/${FQN}?change=drop`);
  assert.is(commands['Versions'], `/assets/table/${FQN}?view=versions`);
  assert.is(commands['Overview'], `/assets/table/${FQN}`);
  assert.is(commands['Contract editor'], `/contracts/table/${FQN}`);
  assert.is(commands['CSV in and out'], `/csv/table/${FQN}`);
  assert.is(commands['Paths from here'], `/paths?from=table:${FQN}`);
  assert.is(commands['Changes'], `/changes?scope=${FQN}`);
  assert.equal([commands['Home'], commands['People'], commands['Sign out']], ['/', '/people', 'signOut']);
  assert.is(namesOf(`/assets/table/${FQN}`)[0], 'Lineage');
  assert.is(namesOf('/')[0], 'Home');
});

test('only what the visitor may do is offered', () => {
  const offered = (rights: AssetRights) =>
    Object.entries(leads(commandsOf(`/assets/table/${FQN}`, PAGES, rights)))
      .filter(([, to]) => /^\/(contracts|csv)\//.test(to))
      .map(([name]) => name);
  assert.equal(offered(ALL_RIGHTS), ['Contract editor', 'CSV in and out']);
  assert.equal(offered({ ...NO_RIGHTS, mayExport: true }), ['Export as CSV']);
  assert.equal(offered({ ...ALL_RIGHTS, mayImport: false }), ['Contract editor', 'Export as CSV']);
  assert.equal(offered(NO_RIGHTS), []);
  assert.ok(namesOf(`/assets/table/${FQN}`).includes('Contract'), 'who may not write it may read it');
});

test('what a kind does not have is not offered', () => {
  const ofTag = namesOf('/assets/tag/PII.Sensitive');
  assert.ok(ofTag.includes('Where it flows'));
  for (const name of ['Lineage', 'Contract editor', 'CSV in and out', 'Quality']) assert.not.ok(ofTag.includes(name));
  assert.not.ok(namesOf('/').includes('Lineage'));
});

test('a command is found by the beginnings of its words, in any order', () => {
  const found = (text: string) =>
    matchCommands(commandsOf(`/assets/table/${FQN}`, PAGES), text).map(({ name }) => name);
  assert.equal(found('the dark'), ['Theme: dark']);
  assert.equal(found('theme'), ['Theme: light', 'Theme: dark', 'Theme: as the system']);
  assert.equal(found('DA th'), ['Theme: dark']);
  assert.equal(found('sign'), ['Sign out']);
  assert.equal(found('nowhere'), []);
  assert.is(found('').length, namesOf(`/assets/table/${FQN}`).length);
});

test('the first sign of a text narrows what is offered', () => {
  assert.equal(readTyped('orders '), { narrowing: 'all', text: 'orders ' });
  assert.equal(readTyped(' > theme'), { narrowing: 'commands', text: 'theme' });
  assert.equal(readTyped('@ana'), { narrowing: 'people', text: 'ana' });
  assert.equal(readTyped('#PII'), { narrowing: 'meanings', text: 'PII' });
  assert.equal(readTyped(':total'), { narrowing: 'columns', text: 'total' });
  assert.equal(readTyped(''), { narrowing: 'all', text: '' });
  assert.equal(readTyped('constructor'), { narrowing: 'all', text: 'constructor' });
});

test.run();
