import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { fqnOf, labelled, mapColumns } from './label-fixture.ts';
import { drawArcs, randomFrom } from './random-graphs.ts';

/** Shows what assets and columns inherit besides tags, and what contradicts it. */

const test = suite('insight: properties along lineage');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const freshAgain = () => compareAgain(world.admin);

type Named = { readonly fullyQualifiedName: string };
type Value = string | readonly Named[] | { readonly tagFQN: string };

type Row = {
  readonly entity?: Made;
  readonly column?: Named & { readonly name: string; readonly entity: Made };
  readonly property: string;
  readonly value: Value;
  readonly state: string;
  readonly sources: readonly Named[];
  readonly paths: readonly (readonly string[])[];
  readonly reason: string;
  readonly blockedBy: { readonly from: string; readonly to: string; readonly function: string } | null;
  readonly conflictsWith: readonly Value[];
  readonly confidence: number;
};

type Answer = {
  readonly data: readonly Row[];
  readonly paging: { readonly total: number; readonly after?: string };
  readonly summary: Readonly<Record<string, number>>;
};

const PATH = '/v1/lineage/propagation';

const ask = async (property: string, scope: string, query = '&limit=1000', client: Client = world.admin) =>
  ok(await client.get(`${PATH}?property=${property}&scope=${scope}${query}`)) as unknown as Answer;

/** A value in few words: names of records without what lies above them, or the text. */
const short = (value: Value): string => {
  if (typeof value === 'string') return value;
  return 'tagFQN' in value ? value.tagFQN : value.map(({ fullyQualifiedName }) => fullyQualifiedName).join('+');
};

const rowsOf = async (property: string, scope: string, client?: Client): Promise<ReadonlyMap<string, Row>> => {
  const { data } = await ask(property, scope, '&limit=1000', client);
  return new Map(data.map((row) => [(row.column ?? row.entity)?.fullyQualifiedName ?? '', row]));
};

const summed = (row: Row | undefined) =>
  row && [row.state, short(row.value), row.conflictsWith.map(short), row.sources.map((one) => one.fullyQualifiedName)];

/** A schema of its own, so that a scope holds one test only. */
const schemaOf = async (more: JsonObject = {}) => {
  const database = world.schemaFqn.split('.').slice(0, 2).join('.');
  const { fullyQualifiedName } = await world.make('databaseSchemas', { name: uniqueName('s'), database, ...more });
  const table = (name: string, body: JsonObject = {}): Promise<Made> =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: fullyQualifiedName,
      columns: [column('x')],
      ...body,
    });
  return { fqn: fullyQualifiedName, table };
};

const feedAll = async (...pairs: readonly (readonly [Made, Made])[]): Promise<void> => {
  for (const [from, to] of pairs) ok(await feed(world.admin, from, to));
};

test('an asset inherits the owners of the nearest assets upstream that have some', async () => {
  const [ada, ben] = [await rights.person(), await rights.person()];
  const owned = (...people: readonly { readonly id: string }[]) => ({
    owners: people.map(({ id }) => ({ id, type: 'user' })) as unknown as Json,
  });
  const above = await schemaOf(owned(ben));
  const { fqn, table } = await schemaOf();
  const inheriting = await above.table('inheriting');
  const first = await table('first', owned(ada, ben));
  const [bare, next, same, other, tied] = [
    await table('bare'),
    await table('next'),
    await table('same', owned(ben, ada)),
    await table('other', owned(ada)),
    await table('tied'),
  ];
  await feedAll([first, bare], [bare, next], [next, same], [next, other], [first, tied], [inheriting, tied]);
  await feedAll([inheriting, next]);
  await freshAgain();
  const rows = await rowsOf('owners', fqn);
  const [both, onlyBen] = [[ada.name, ben.name].sort().join('+'), ben.name];
  const nameOf = ({ fullyQualifiedName }: Named) => fullyQualifiedName;
  assert.equal(summed(rows.get(nameOf(bare))), ['missing', both, [], [nameOf(first)]]);
  assert.equal(summed(rows.get(nameOf(next))), ['missing', onlyBen, [], [nameOf(inheriting)]], 'the nearest wins');
  assert.equal(summed(rows.get(nameOf(same))), ['conflicts', onlyBen, [both], [nameOf(inheriting)]]);
  assert.equal(summed(rows.get(nameOf(other))), ['conflicts', onlyBen, [ada.name], [nameOf(inheriting)]]);
  const tie = rows.get(nameOf(tied));
  assert.is(tie?.state, 'conflicts', 'a tie');
  assert.equal([short(tie?.value ?? ''), ...(tie?.conflictsWith ?? []).map(short)].sort(), [both, onlyBen].sort());
  assert.equal(
    tie?.paths.map(([source]) => source).sort(),
    [nameOf(first), nameOf(inheriting)].sort(),
    'a way from each source',
  );
  assert.is(rows.size, 5, 'what nothing leads to is no row');
  const row = rows.get(nameOf(next));
  assert.equal([row?.property, row?.blockedBy, row?.confidence], ['owners', null, 1]);
  assert.equal(row?.paths, [[nameOf(inheriting), nameOf(next)]]);
  assert.is(row?.reason, `${nameOf(inheriting)} → ${nameOf(next)}`);
  assert.is(row?.entity?.id, next.id);
  ok(await world.admin.patch(`/v1/tables/${same.id}`, [{ op: 'remove', path: '/owners/0' }]));
  const [left] = ok(await world.admin.get(`/v1/tables/${same.id}?fields=owners`)).owners as readonly Made[];
  const after = (await rowsOf('owners', fqn)).get(nameOf(same));
  assert.is(after?.state, left?.id === ben.id ? 'agrees' : 'conflicts');
});

test('domains and tiers flow along edges as well', async () => {
  const [one, two] = [uniqueName('One'), uniqueName('Two')];
  for (const name of [one, two]) await world.make('domains', { name, description: 'x', domainType: 'Aggregate' });
  const { fqn, table } = await schemaOf();
  const tiered = (...tags: readonly string[]) => tags.map((tagFQN) => ({ tagFQN, source: 'Classification' }));
  const a = await table('a', { domains: [one], tags: tiered('Tier.Tier2', 'PII.Sensitive') });
  const b = await table('b', { domains: [one], tags: tiered('Tier.Tier2') });
  const c = await table('c', { domains: [two], tags: tiered('Tier.Tier1') });
  const d = await table('d');
  await feedAll([a, b], [b, c], [c, d]);
  await freshAgain();
  const domains = await rowsOf('domains', fqn);
  const tiers = await rowsOf('tier', fqn);
  const both = (asset: Made) => [domains, tiers].map((rows) => summed(rows.get(asset.fullyQualifiedName))?.slice(0, 3));
  assert.equal(both(a), [undefined, undefined]);
  assert.equal(both(b), [
    ['agrees', one, []],
    ['agrees', 'Tier.Tier2', []],
  ]);
  assert.equal(both(c), [
    ['conflicts', one, [two]],
    ['conflicts', 'Tier.Tier2', ['Tier.Tier1']],
  ]);
  assert.equal(both(d), [
    ['missing', two, []],
    ['missing', 'Tier.Tier1', []],
  ]);
  assert.equal((await ask('tier', fqn)).summary, { sources: 3, missing: 1, agrees: 1, conflicts: 1, blocked: 0 });
  assert.equal(
    (await ask('tier', d.fullyQualifiedName)).summary,
    { sources: 3, missing: 1, agrees: 0, conflicts: 0, blocked: 0 },
    'sources upstream of the scope',
  );
});

test('columns inherit descriptions, which functions and stops keep from passing', async () => {
  const { fqn, table } = await schemaOf();
  const described = (name: string, description: string, more: JsonObject = {}) =>
    column(name, { description, ...more });
  const inner = described('inner', 'The town.');
  const nested = column('address', { dataType: 'STRUCT', children: [inner] });
  const raw = await table('raw', { columns: [described('mail', 'The address.'), described('blank', '  '), nested] });
  const stage = await table('stage', {
    columns: [
      column('mail'),
      column('hashed'),
      described('same', ' The address.\n'),
      described('other', 'Something else.'),
      labelled('stopped', 'Lineage.PropagationStop'),
      column('blank'),
      column('town'),
    ],
  });
  const mart = await table('mart', { columns: [column('mail'), column('hashed'), column('stopped')] });
  await mapColumns(
    world.admin,
    raw,
    stage,
    [
      ['mail', 'mail', 'lower(mail)'],
      ['mail', 'hashed', 'sha256(mail)'],
      ['mail', 'same'],
      ['mail', 'other'],
      ['mail', 'stopped'],
      ['blank', 'blank'],
      ['address.inner', 'town'],
    ],
    { source: 'QueryLineage' },
  );
  await mapColumns(world.admin, stage, mart, [
    ['mail', 'mail'],
    ['hashed', 'hashed'],
    ['stopped', 'stopped'],
  ]);
  await freshAgain();
  const rows = await rowsOf('description', fqn);
  const of = (asset: Made, name: string) => summed(rows.get(fqnOf(asset, name)))?.slice(0, 3);
  assert.equal(of(stage, 'mail'), ['missing', 'The address.', []]);
  assert.equal(of(mart, 'mail'), ['missing', 'The address.', []]);
  assert.equal(of(stage, 'same'), ['agrees', 'The address.', []], 'spaces do not count');
  assert.equal(of(stage, 'other'), ['conflicts', 'The address.', ['Something else.']]);
  assert.equal(of(stage, 'town'), ['missing', 'The town.', []]);
  assert.equal(of(stage, 'blank'), undefined, 'spaces are no description');
  for (const name of ['hashed', 'stopped'])
    for (const asset of [stage, mart]) {
      const row = rows.get(fqnOf(asset, name));
      assert.equal(summed(row)?.slice(0, 3), ['blocked', 'The address.', []], name);
      assert.equal(row?.blockedBy, {
        from: fqnOf(raw, 'mail'),
        to: fqnOf(stage, name),
        function: name === 'hashed' ? 'sha256(mail)' : 'Lineage.PropagationStop',
      });
    }
  const far = rows.get(fqnOf(mart, 'mail'));
  assert.equal([far?.confidence, far?.column?.name, far?.column?.entity.id], [0.8, 'mail', mart.id]);
  assert.equal(far?.paths, [[fqnOf(raw, 'mail'), fqnOf(stage, 'mail'), fqnOf(mart, 'mail')]]);
  assert.equal(far?.sources, [{ ...far?.sources[0], fullyQualifiedName: fqnOf(raw, 'mail'), name: 'mail' }]);
});

test('charts pass on and inherit what they stand for', async () => {
  const { fqn, table } = await schemaOf();
  const raw = await table('raw', { columns: [column('x', { description: 'Sales by day.' })] });
  const copy = await table('copy', { columns: [column('x')] });
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Looker' });
  const inService = { service: service.fullyQualifiedName };
  const bare = await world.make('charts', { name: uniqueName('bare'), ...inService });
  const told = await world.make('charts', { name: uniqueName('told'), description: 'A chart.', ...inService });
  const charts = [bare.fullyQualifiedName, told.fullyQualifiedName];
  const board = await world.make('dashboards', { name: uniqueName('board'), charts, ...inService });
  const at = { id: board.id, type: 'dashboard' };
  const join = async (from: Made, to: Made, pair: readonly [string, string], ends: object): Promise<void> => {
    const details = { columnsLineage: [mapping(from, [pair[0]], to, pair[1])] } as unknown as JsonObject;
    ok(await world.admin.put('/v1/lineage', { edge: { ...edgeBody(from, to, details).edge, ...ends } }));
  };
  await join(raw, board, ['x', bare.name], { toEntity: at });
  await join(board, copy, [told.name, 'x'], { fromEntity: at });
  await freshAgain();
  assert.equal([...(await rowsOf('description', board.fullyQualifiedName)).values()].map(summed), [
    ['missing', 'Sales by day.', [], [fqnOf(raw, 'x')]],
  ]);
  assert.equal([...(await rowsOf('description', fqn)).values()].map(summed), [
    ['missing', 'A chart.', [], [fqnOf(board, told.name)]],
  ]);
});

test('columns inherit sets of glossary terms; those that came along lineage count and are not passed on', async () => {
  const glossary = uniqueName('Words');
  await world.make('glossaries', { name: glossary, description: 'x' });
  const [first, second] = [`${glossary}.First`, `${glossary}.Second`];
  for (const name of ['First', 'Second']) await world.make('glossaryTerms', { name, glossary, description: 'x' });
  const termed = (name: string, labelType: string, ...terms: readonly string[]) =>
    column(name, { tags: terms.map((tagFQN) => ({ tagFQN, source: 'Glossary', labelType, state: 'Confirmed' })) });
  const { fqn, table } = await schemaOf();
  const [manual, flowed] = ['Manual', 'Propagated'];
  const raw = await table('raw', { columns: [termed('a', manual, first, second), termed('b', manual, second)] });
  const stage = await table('stage', {
    columns: [termed('a', manual, second, first), termed('b', manual, first), column('c'), termed('d', flowed, second)],
  });
  const end = await table('end', { columns: [column('c'), column('d')] });
  await mapColumns(world.admin, raw, stage, [
    ['a', 'a'],
    ['b', 'b'],
    ['a', 'c'],
    ['b', 'd'],
  ]);
  await mapColumns(world.admin, stage, end, [
    ['c', 'c'],
    ['d', 'd'],
  ]);
  await freshAgain();
  const rows = await rowsOf('glossaryTerms', fqn);
  const of = (asset: Made, name: string) => summed(rows.get(fqnOf(asset, name)));
  const [a, b] = [fqnOf(raw, 'a'), fqnOf(raw, 'b')];
  assert.equal(of(stage, 'a'), ['agrees', `${first}+${second}`, [], [a]]);
  assert.equal(of(stage, 'b'), ['conflicts', second, [first], [b]]);
  assert.equal(of(stage, 'c'), ['missing', `${first}+${second}`, [], [a]]);
  assert.equal(of(stage, 'd'), ['agrees', second, [], [b]]);
  assert.equal(of(end, 'c'), ['missing', `${first}+${second}`, [], [a]]);
  assert.equal(of(end, 'd'), ['missing', second, [], [b]], 'through the label that came along lineage');
  const person = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['glossaryTerm'] }]);
  const answer = await ask('glossaryTerms', fqn, '&limit=1000', person);
  assert.equal([answer.data, answer.summary['sources']], [[], 0], 'hidden terms are no terms');
});

test('what a caller may not see is neither named, counted nor walked through', async () => {
  const [ada, team] = [await rights.person(), await rights.team()];
  const { fqn, table } = await schemaOf();
  const owners = [{ id: team.id, type: 'team' }] as unknown as Json;
  const text = (name: string) => [column(name, { description: 'A text.' })];
  const raw = await table('raw', { owners, columns: text('x') });
  const between = await table('between', { tags: [SENSITIVE] as unknown as Json });
  const hidden = await table('hidden', {
    tags: [SENSITIVE] as unknown as Json,
    owners: [{ id: ada.id, type: 'user' }] as unknown as Json,
    columns: text('x'),
  });
  const [end, target] = [await table('end'), await table('target')];
  for (const [from, to] of [
    [raw, between],
    [between, end],
    [hidden, target],
  ] as const)
    await mapColumns(world.admin, from, to, [['x', 'x']]);
  await freshAgain();
  const person = await rights.person([HIDING]);
  for (const property of ['owners', 'description']) {
    const [all, allowed] = [await ask(property, fqn), await ask(property, fqn, '&limit=1000', person)];
    assert.equal([all.data.length, all.summary['sources'], all.summary['missing']], [3, 2, 3], property);
    assert.equal([allowed.data, allowed.summary['sources'], allowed.paging.total], [[], 0, 0], property);
    const below = end.fullyQualifiedName;
    assert.is((await ask(property, below)).summary['sources'], 1, property);
    assert.is((await ask(property, below, '', person)).summary['sources'], 0, property);
  }
  const visitor = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['team'] }]);
  const rows = await rowsOf('owners', fqn, visitor);
  assert.equal([...rows.keys()], [target.fullyQualifiedName], 'who owns by a hidden team owns by nobody');
  assert.not.match(JSON.stringify([...rows.values()]), team.name);
});

/** The nearest tiers upstream, one way after the other. */
const slowTiers = (
  arcs: readonly (readonly [number, number])[],
  tiers: readonly (string | undefined)[],
  target: number,
): ReadonlySet<string> => {
  const ways = arcs.flatMap(([from, to]) => (to === target ? [[target, from]] : []));
  for (let length = 1; ; length += 1) {
    const level = ways.filter((way) => way.length === length + 1);
    if (level.length === 0) return new Set();
    const found = level.flatMap((way) => tiers[way.at(-1) ?? 0] ?? []);
    if (found.length > 0) return new Set(found);
    for (const way of level)
      for (const [from, to] of arcs) if (to === way.at(-1) && !way.includes(from)) ways.push([...way, from]);
  }
};

test('tiers in random lineage are those of a slow search', async () => {
  const random = randomFrom(31);
  const counts: Record<string, number> = {};
  const { fqn, table } = await schemaOf();
  const size = 24;
  const tiers = Array.from({ length: size }, () =>
    random() < 0.35 ? `Tier.Tier${1 + Math.floor(random() * 2)}` : undefined,
  );
  const arcs = drawArcs(random, size, 40);
  const tables = await Promise.all(
    tiers.map((tagFQN, at) =>
      table(`t${at}_`, tagFQN === undefined ? {} : { tags: [{ tagFQN, source: 'Classification' }] }),
    ),
  );
  for (const [from, to] of arcs) await feedAll([tables[from] as Made, tables[to] as Made]);
  await freshAgain();
  const rows = await rowsOf('tier', fqn);
  for (const [at, { fullyQualifiedName }] of tables.entries()) {
    const [row, own, found] = [rows.get(fullyQualifiedName), tiers[at], slowTiers(arcs, tiers, at)];
    const state =
      found.size > 1 ? 'conflicts' : own === undefined ? 'missing' : found.has(own) ? 'agrees' : 'conflicts';
    assert.is(row?.state, found.size === 0 ? undefined : state, `${at}`);
    counts[row?.state ?? 'none'] = (counts[row?.state ?? 'none'] ?? 0) + 1;
    if (row)
      assert.equal(
        new Set([short(row.value), ...row.conflictsWith.map(short)]),
        new Set([...found, ...(own === undefined ? [] : [own])]),
      );
  }
  assert.ok(
    ['missing', 'agrees', 'conflicts'].every((state) => (counts[state] ?? 0) > 0),
    JSON.stringify(counts),
  );
  const page = await ask('tier', fqn, '&limit=2&state=missing,conflicts');
  assert.is(page.paging.total, (counts['missing'] ?? 0) + (counts['conflicts'] ?? 0));
  assert.equal(page.summary, (await ask('tier', fqn)).summary);
  const paged: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = await ask('tier', fqn, `&limit=3${after}`);
    paged.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(paged, [...rows.values()]);
  const names = paged.map(({ entity }) => entity?.fullyQualifiedName);
  assert.equal(names, [...names].sort());
  const shallow = await ask('tier', fqn, '&limit=1000&maxDepth=1');
  assert.ok(shallow.data.every(({ paths }) => paths.every(({ length }) => length === 2)));
  assert.ok(shallow.data.length < paged.length);
  const csv = await world.admin.get(`${PATH}?property=tier&scope=${fqn}&limit=5`, { accept: 'text/csv' });
  const [head, ...lines] = csv.text.trim().split('\r\n');
  assert.is(head, 'entity,entityType,property,value,state,reason,blockedBy,conflictsWith,confidence');
  assert.equal(
    lines.map((line) => line.split(',').slice(0, 5)),
    paged.slice(0, 5).map((row) => [row.entity?.fullyQualifiedName, 'table', 'tier', short(row.value), row.state]),
  );
  assert.ok(csv.headers.get('x-next-after'));
});

test('what makes no sense is refused', async () => {
  const get = (query: string) => world.admin.get(`${PATH}?${query}`);
  for (const query of [
    '',
    'property=colour',
    'property=owners&tag=PII.Sensitive',
    'property=owners&state=good',
    'property=owners&maxDepth=0',
    'property=description&maxDepth=51',
    'property=owners&limit=1001',
    'property=owners&after=nonsense',
    'property=owners&colour=red',
  ])
    expectRefused(await get(query), 400);
  for (const property of ['owners', 'description'])
    expectRefused(await get(`property=${property}&scope=${world.serviceFqn}.nowhere`), 404);
  assert.is((await anonymous(world.service).get(`${PATH}?property=owners`)).status, 401);
  const body = { property: 'owners' } as unknown as JsonObject;
  expectRefused(await world.admin.post(`${PATH}/apply`, body), 400);
});

test.run();
