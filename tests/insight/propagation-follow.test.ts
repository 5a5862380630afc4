import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { ok } from '../support/expect.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { createRandom } from '../support/random.ts';
import { closeServiceAt, openServiceAt, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { fqnOf, labelled, makeClassification, mapColumns } from './label-fixture.ts';

/** Labels that follow lineage by themselves. */

const test = suite('insight: labels that follow lineage');

let service: Service;
let world: World;

test.before(async () => {
  service = await openServiceAt(placeOfRun(), { labels: { pollMs: 50 } });
  world = await openWorld(service);
});

test.after(() => closeServiceAt(service));

type Label = { readonly tagFQN: string; readonly labelType: string; readonly reason?: string };

const columnsOf = async ({ id }: Pick<Made, 'id'>): Promise<readonly { name: string; tags?: readonly Label[] }[]> =>
  ok(await world.admin.get(`/v1/tables/${id}?fields=tags,columns`)).columns;

const labelOf = async (table: Pick<Made, 'id'>, name: string): Promise<Label | undefined> =>
  (await columnsOf(table)).find((one) => one.name === name)?.tags?.[0];

const jsonPatch = { 'content-type': 'application/json-patch+json' };

const setTags = (table: Made, at: number, tags: readonly string[]) =>
  world.admin
    .patch(
      `/v1/tables/${table.id}`,
      [
        {
          op: 'add',
          path: `/columns/${at}/tags`,
          value: tags.map((tagFQN) => ({ tagFQN, source: 'Classification', labelType: 'Manual' })),
        },
      ],
      jsonPatch,
    )
    .then(ok);

const removeEdge = (from: Made, to: Made) => world.admin.delete(`/v1/lineage/table/${from.id}/table/${to.id}`).then(ok);

const isGone = (table: Made, name: string) => async () => (await labelOf(table, name)) === undefined;
const isThere = (table: Made, name: string) => async () => (await labelOf(table, name)) !== undefined;

/** A labelled column, one made from it, and one made from that; both have the label by lineage. */
const labelledChain = async () => {
  const secret = `${await makeClassification(world)}.Secret`;
  const raw = await world.table('raw', [labelled('mail', secret)]);
  const staged = await world.table('staged', [column('mail')]);
  const mart = await world.table('mart', [column('mail')]);
  await mapColumns(world.admin, raw, staged, [['mail', 'mail']]);
  await mapColumns(world.admin, staged, mart, [['mail', 'mail']]);
  const applied = ok(await world.admin.post('/v1/lineage/propagation/apply', { tag: secret }));
  assert.equal([applied.numberOfRowsPassed, applied.numberOfRowsFailed], [2, 0]);
  return { secret, raw, staged, mart };
};

test('labels go when the edge goes, the label of the source, or the source', async () => {
  const first = await labelledChain();
  await removeEdge(first.staged, first.mart);
  await waitUntil(isGone(first.mart, 'mail'), 'the label goes with the edge');
  assert.is((await labelOf(first.staged, 'mail'))?.labelType, 'Propagated', 'a label whose way is left stays');
  await setTags(first.raw, 0, []);
  await waitUntil(isGone(first.staged, 'mail'), 'the label goes with that of its source');
  const second = await labelledChain();
  ok(await world.admin.delete(`/v1/tables/${second.raw.id}`));
  await waitUntil(isGone(second.mart, 'mail'), 'the label goes with the source');
  await waitUntil(isGone(second.staged, 'mail'), 'all labels go');
});

test('labels go when a function or a stop keeps them from passing', async () => {
  const first = await labelledChain();
  await mapColumns(world.admin, first.staged, first.mart, [['mail', 'mail', 'sha256(mail)']]);
  await waitUntil(isGone(first.mart, 'mail'), 'the label goes where a function hides it');
  const second = await labelledChain();
  await setTags(second.staged, 0, ['Lineage.PropagationStop']);
  await waitUntil(isGone(second.mart, 'mail'), 'the label goes behind a column that stops it');
  assert.is((await labelOf(second.staged, 'mail'))?.tagFQN, 'Lineage.PropagationStop');
});

test('a label keeps its reason as long as that is true, and then tells the way that is left', async () => {
  const { raw, staged, mart } = await labelledChain();
  const { reason } = (await labelOf(mart, 'mail')) ?? {};
  const other = await world.table('other', [column('mail')]);
  await mapColumns(world.admin, raw, other, [['mail', 'mail']]);
  await mapColumns(world.admin, other, mart, [['mail', 'mail']]);
  await mapColumns(world.admin, raw, mart, [['mail', 'mail']]);
  const lone = await labelledChain();
  await setTags(lone.raw, 0, []);
  await waitUntil(isGone(lone.mart, 'mail'), 'something later was followed');
  assert.is((await labelOf(mart, 'mail'))?.reason, reason, 'it is still one of the ways');
  await removeEdge(staged, mart);
  const way = [fqnOf(raw, 'mail'), fqnOf(mart, 'mail')].join(' → ');
  await waitUntil(async () => (await labelOf(mart, 'mail'))?.reason === way, 'the reason is a way that exists');
});

test('an edge that is replaced takes no label with it, and neither does a table', async () => {
  const { secret, staged, mart } = await labelledChain();
  const label = { tagFQN: secret, source: 'Classification', labelType: 'Propagated', reason: 'rule 7: a → b' };
  const whole = await world.make('tables', {
    name: uniqueName('whole'),
    databaseSchema: world.schemaFqn,
    columns: [column('a')],
    tags: [label],
  });
  for (let turn = 0; turn < 5; turn += 1) {
    await removeEdge(staged, mart);
    await mapColumns(world.admin, staged, mart, [['mail', 'mail']]);
  }
  const lone = await labelledChain();
  await setTags(lone.raw, 0, []);
  await waitUntil(isGone(lone.mart, 'mail'), 'something later was followed');
  assert.is((await labelOf(mart, 'mail'))?.labelType, 'Propagated');
  assert.is(ok(await world.admin.get(`/v1/tables/${whole.id}?fields=tags`)).tags[0]?.reason, label.reason);
});

test('labels move with renamed columns and tags', async () => {
  const { secret, raw, staged, mart } = await labelledChain();
  const rename = [{ op: 'replace', path: '/columns/0/name', value: 'address' }];
  ok(await world.admin.patch(`/v1/tables/${staged.id}`, rename, jsonPatch));
  const wayThrough = (name: string) => [fqnOf(raw, 'mail'), fqnOf(staged, name), fqnOf(mart, 'mail')].join(' → ');
  await waitUntil(
    async () => (await labelOf(mart, 'mail'))?.reason === wayThrough('address'),
    'the reason has the new name of the column',
  );
  assert.is((await labelOf(staged, 'address'))?.labelType, 'Propagated');
  const name = uniqueName('Private');
  const { id } = ok(await world.admin.get(`/v1/tags/name/${secret}`));
  ok(await world.admin.patch(`/v1/tags/${id}`, [{ op: 'replace', path: '/name', value: name }], jsonPatch));
  await waitUntil(
    async () => (await labelOf(mart, 'mail'))?.tagFQN.endsWith(`.${name}`) === true,
    'the label has the new name of the tag',
  );
  await removeEdge(staged, mart);
  await waitUntil(isGone(mart, 'mail'), 'a renamed tag is followed too');
});

test('what somebody has set by hand stays, and so do labels that name no way', async () => {
  const { secret, staged, mart } = await labelledChain();
  await setTags(mart, 0, [secret]);
  const label = { tagFQN: secret, source: 'Classification', labelType: 'Propagated', state: 'Confirmed', reason: 'x' };
  const imported = await world.table('imported', [column('mail', { tags: [label] })]);
  await removeEdge(staged, mart);
  const other = await labelledChain();
  await setTags(other.raw, 0, []);
  await waitUntil(isGone(other.mart, 'mail'), 'something later was followed');
  assert.is((await labelOf(mart, 'mail'))?.labelType, 'Manual');
  assert.is((await labelOf(imported, 'mail'))?.reason, 'x');
});

test('the tags of a classification that applies itself reach new columns by themselves', async () => {
  const classification = await makeClassification(world, { autoPropagate: true });
  const found = ok(await world.admin.get(`/v1/classifications/name/${classification}`));
  assert.is(found.autoPropagate, true);
  const secret = `${classification}.Secret`;
  const raw = await world.table('raw', [labelled('mail', secret)]);
  const staged = await world.table('staged', [column('mail')]);
  await mapColumns(world.admin, raw, staged, [['mail', 'mail']]);
  await waitUntil(isThere(staged, 'mail'), 'a column gets the label with its mapping');
  const label = await labelOf(staged, 'mail');
  assert.equal([label?.labelType, label?.reason], ['Propagated', `${fqnOf(raw, 'mail')} → ${fqnOf(staged, 'mail')}`]);
  const late = await world.table('late', [column('mail')]);
  const later = await world.table('later', [column('mail')]);
  await mapColumns(world.admin, late, later, [['mail', 'mail']]);
  await setTags(late, 0, [secret]);
  await waitUntil(isThere(later, 'mail'), 'a column gets the label with that of its source');
  ok(
    await world.admin.patch(
      `/v1/classifications/${found.id}`,
      [{ op: 'replace', path: '/autoPropagate', value: false }],
      jsonPatch,
    ),
  );
  const end = await world.table('end', [column('mail')]);
  await mapColumns(world.admin, later, end, [['mail', 'mail']]);
  const lone = await labelledChain();
  await setTags(lone.raw, 0, []);
  await waitUntil(isGone(lone.mart, 'mail'), 'something later was followed');
  assert.is(await labelOf(end, 'mail'), undefined, 'by themselves no more');
  assert.is((await labelOf(later, 'mail'))?.labelType, 'Propagated', 'labels given before still follow');
});

type Place = { readonly table: number; readonly column: number };

/** What the columns of some tables should carry: everything that a source reaches by mappings that block nothing. */
const expectedLabels = (
  sources: ReadonlySet<string>,
  edges: ReadonlyMap<string, { readonly from: Place; readonly to: Place; readonly isBlocked: boolean }>,
): readonly string[] => {
  const keyOf = ({ table, column: at }: Place) => `${table}/${at}`;
  const reached = new Set(sources);
  for (let grown = true; grown; ) {
    grown = false;
    for (const { from, to, isBlocked } of edges.values()) {
      if (isBlocked || !reached.has(keyOf(from)) || reached.has(keyOf(to))) continue;
      reached.add(keyOf(to));
      grown = true;
    }
  }
  return [...reached].sort();
};

test('after any series of changes, exactly those columns are labelled to which a way leads', async () => {
  const random = createRandom(7);
  const secret = `${await makeClassification(world, { autoPropagate: true })}.Secret`;
  const [tables, width] = [6, 3];
  const made = await Promise.all(
    Array.from({ length: tables }, (_, at) =>
      world.table(
        `r${at}`,
        Array.from({ length: width }, (__, one) => column(`c${one}`)),
      ),
    ),
  );
  const tableAt = (at: number): Made => made[at] as Made;
  const sources = new Set<string>();
  // At most one mapping per pair of tables, so that an edge is one mapping.
  const edges = new Map<string, { from: Place; to: Place; isBlocked: boolean }>();
  const changeEdge = async () => {
    const [one, other] = [random(tables), random(tables)];
    if (one === other) return;
    const key = `${one} ${other}`;
    if (edges.has(key) && random(2) === 0) {
      edges.delete(key);
      await removeEdge(tableAt(one), tableAt(other));
      return;
    }
    const [from, to, isBlocked] = [random(width), random(width), random(5) === 0];
    edges.set(key, { from: { table: one, column: from }, to: { table: other, column: to }, isBlocked });
    const pair = isBlocked ? ([`c${from}`, `c${to}`, 'md5(x)'] as const) : ([`c${from}`, `c${to}`] as const);
    await mapColumns(world.admin, tableAt(one), tableAt(other), [pair]);
  };
  const changeSource = async () => {
    const [table, at] = [random(tables), random(width)];
    const key = `${table}/${at}`;
    const isSource = !sources.delete(key);
    if (isSource) sources.add(key);
    await setTags(tableAt(table), at, isSource ? [secret] : []);
  };
  const labelledColumns = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      made.map(async (table, at) =>
        (await columnsOf(table)).flatMap(({ tags = [] }, one) => (tags.length > 0 ? [`${at}/${one}`] : [])),
      ),
    );
    return found.flat().sort();
  };
  let labelledOnce = 0;
  for (let round = 0; round < 12; round += 1) {
    for (let change = 0; change < 4; change += 1) await (random(3) === 0 ? changeSource() : changeEdge());
    const expected = expectedLabels(sources, edges);
    labelledOnce = Math.max(labelledOnce, expected.length - sources.size);
    const isExpected = (labelled: readonly string[]) => labelled.join() === expected.join();
    await waitFor(labelledColumns, isExpected, `round ${round}: ${expected.join(' ')}`);
  }
  assert.ok(labelledOnce > 2, `${labelledOnce} labels by lineage at most`);
});

test('nothing is written where nothing changes', async () => {
  const { raw, mart } = await labelledChain();
  const before = ok(await world.admin.get(`/v1/tables/${mart.id}`)).version;
  ok(await world.admin.patch(`/v1/tables/${raw.id}`, { description: 'Raw data.' } as JsonObject));
  ok(await feed(world.admin, raw, await world.table('apart')));
  const lone = await labelledChain();
  await setTags(lone.raw, 0, []);
  await waitUntil(isGone(lone.mart, 'mail'), 'something later was followed');
  assert.is(ok(await world.admin.get(`/v1/tables/${mart.id}`)).version, before);
});

test.run();
