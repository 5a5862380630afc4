import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { fqnOf, type LabelEdge, labelled, makeClassification, mapColumns as mapAlong } from './label-fixture.ts';

/** Shows where the labels of columns flow. */

const test = suite('insight: flows of labels');

let world: World;
let rights: RightsFactory;
let classification: string;
let secret: string;
let open: string;
let dashboards: string;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  classification = await makeClassification(world);
  secret = `${classification}.Secret`;
  open = `${classification}.Open`;
  const service = await world.make('services/dashboardServices', { name: uniqueName('bi'), serviceType: 'Tableau' });
  dashboards = service.fullyQualifiedName;
});

type Flow = {
  readonly source: { readonly fullyQualifiedName: string; readonly name: string; readonly entity: Made };
  readonly target: Made & { readonly type: string };
  readonly depth: number;
  readonly path: readonly string[];
  readonly ways: number;
  readonly certain: boolean;
};

type Answer = {
  readonly data: readonly Flow[];
  readonly groups: readonly { readonly key: string | null; readonly targets: number; readonly ways: number }[];
  readonly paging: { readonly total: number; readonly after?: string };
  readonly summary: { readonly sources: number; readonly targets: number; readonly ways: number };
};

const ask = async (query = '', client: Client = world.admin, tag = classification): Promise<Answer> =>
  ok(await client.get(`/v1/lineage/flows?tag=${tag}&limit=1000${query}`)) as unknown as Answer;

/** The flows from the columns of a table. */
const flowsFrom = async (table: Made, query = '', client?: Client, tag?: string): Promise<readonly Flow[]> =>
  (await ask(`&scope=${table.fullyQualifiedName}${query}`, client, tag)).data;

const dashboard = (more: JsonObject = {}): Promise<Made> =>
  world.make('dashboards', { name: uniqueName('board'), service: dashboards, ...more });

const mapColumns = (...edge: LabelEdge): Promise<void> => mapAlong(world.admin, ...edge);

const show = async (from: Made, board: Made, details?: JsonObject): Promise<void> => {
  const { edge } = edgeBody(from, board, details);
  ok(await world.admin.put('/v1/lineage', { edge: { ...edge, toEntity: { id: board.id, type: 'dashboard' } } }));
};

test('a labelled column flows along mappings, and behind an edge without columns it may be anywhere', async () => {
  const raw = await world.table('raw', [labelled('mail', secret), column('day')]);
  const mart = await world.table('mart', [column('contact'), column('day')]);
  const chart = await world.make('charts', { name: uniqueName('chart'), service: dashboards });
  const sure = await dashboard({ charts: [chart.fullyQualifiedName] });
  const unsure = await dashboard();
  const other = await dashboard();
  await mapColumns(raw, mart, [
    ['mail', 'contact'],
    ['day', 'day'],
  ]);
  await show(mart, sure, {
    columnsLineage: [mapping(mart, ['contact'], sure, chart.name)],
  } as unknown as JsonObject);
  await show(mart, unsure);
  // The mappings of this edge say that it does not take the labelled column.
  const days = await world.table('days', [column('day')]);
  await mapColumns(mart, days, [['day', 'day']]);
  await show(days, other);
  const flows = await flowsFrom(raw);
  const [mail, contact] = [fqnOf(raw, 'mail'), fqnOf(mart, 'contact')];
  assert.equal(
    flows.map(({ target, depth, path, ways, certain }) => [target.id, depth, path, ways, certain]),
    [
      [sure.id, 2, [mail, contact, `${sure.fullyQualifiedName}.${chart.name}`], 1, true],
      [unsure.id, 2, [mail, contact, unsure.fullyQualifiedName], 1, false],
    ].sort((a, b) => (String(a[2]) < String(b[2]) ? -1 : 1)),
  );
  assert.equal(
    [flows[0]?.source.fullyQualifiedName, flows[0]?.source.name, flows[0]?.source.entity.id, flows[0]?.target.type],
    [mail, 'mail', raw.id, 'dashboard'],
  );
  assert.is((await flowsFrom(raw, '&toTypes=mlmodel')).length, 0);
  assert.equal(
    (await flowsFrom(raw, '&toTypes=table')).map(({ target, certain }) => [target.id, certain]),
    [[mart.id, true]],
  );
});

test('what keeps a label from passing along columns ends its flow, and a chain along columns is preferred', async () => {
  const raw = await world.table('raw', [
    labelled('mail', secret),
    labelled('own', secret, 'Lineage.PropagationStop'),
    column('made', {
      tags: [{ tagFQN: secret, source: 'Classification', labelType: 'Propagated', state: 'Confirmed' }],
    }),
  ]);
  const hashed = await world.table('hashed', [column('digest'), column('own')]);
  const stopped = await world.table('stopped', [labelled('mail', 'Lineage.PropagationStop')]);
  const clear = await world.table('clear', [column('mail'), column('made')]);
  const short = await world.table('short', [column('mail')]);
  await mapColumns(raw, hashed, [
    ['mail', 'digest', 'sha256(mail)'],
    ['own', 'own'],
  ]);
  await mapColumns(raw, stopped, [['mail', 'mail']]);
  await mapColumns(raw, clear, [
    ['mail', 'mail'],
    ['made', 'made'],
  ]);
  await mapColumns(clear, short, [['mail', 'mail']]);
  const flows = await flowsFrom(raw, '&toTypes=table');
  assert.equal(
    flows.map(({ source, target }) => [source.name, target.id]),
    [
      ['mail', clear.id],
      ['mail', short.id],
    ],
    'a label that follows lineage is no source of its own',
  );
  // A shorter way over an edge without columns does not hide the certain one.
  ok(await feed(world.admin, raw, hashed, { source: 'Manual' }));
  const bare = await world.table('bare', [column('x')]);
  ok(await feed(world.admin, raw, bare));
  ok(await feed(world.admin, bare, short, { source: 'PipelineLineage' }));
  const again = (await flowsFrom(raw, '&toTypes=table')).find(({ target }) => target.id === short.id);
  assert.equal([again?.certain, again?.depth, again?.ways], [true, 2, 2], 'the other way leads over unknown columns');
});

test('ways are counted, whatever their length', async () => {
  const raw = await world.table('raw', [labelled('a', secret)]);
  const [one, two, end] = [await world.table('one'), await world.table('two'), await world.table('end')];
  await mapColumns(raw, one, [['a', 'a']]);
  await mapColumns(raw, two, [['a', 'a']]);
  await mapColumns(one, two, [['a', 'b']]);
  for (const from of [one, two]) await mapColumns(from, end, [['a', 'a']]);
  await mapColumns(raw, end, [['a', 'c']]);
  const { data, summary } = await ask(`&scope=${raw.fullyQualifiedName}&toTypes=table`);
  assert.equal(
    data.map(({ target, ways, depth }) => [target.id, ways, depth]).sort(),
    [
      [one.id, 1, 1],
      [two.id, 2, 1],
      [end.id, 3, 1],
    ].sort(),
  );
  assert.equal(summary, { sources: 1, targets: 3, ways: 6 });
});

test('tags of a classification count together, and flows are grouped', async () => {
  const user = await rights.person();
  const domain = await world.make('domains', { name: uniqueName('dom'), domainType: 'Aggregate', description: 'd' });
  const raw = await world.table('raw', [labelled('a', secret), labelled('b', open), labelled('c', secret, open)]);
  const owned = await dashboard({
    owners: [{ id: user.id, type: 'user' }],
    domains: [domain.fullyQualifiedName],
  } as unknown as JsonObject);
  const free = await dashboard();
  await show(raw, owned);
  await show(raw, free);
  const groups = async (groupBy: string) =>
    (await ask(`&scope=${raw.fullyQualifiedName}&groupBy=${groupBy}`)).groups.map(({ key, targets, ways }) => [
      key,
      targets,
      ways,
    ]);
  assert.equal(await groups('tag'), [
    [open, 2, 4],
    [secret, 2, 4],
  ]);
  assert.equal(await groups('owner'), [
    [user.name, 1, 3],
    [null, 1, 3],
  ]);
  assert.equal(await groups('domain'), [
    [domain.fullyQualifiedName, 1, 3],
    [null, 1, 3],
  ]);
  assert.equal(
    await groups('target'),
    [owned, free].map(({ fullyQualifiedName }) => [fullyQualifiedName, 1, 3]).sort(),
  );
  assert.equal((await ask(`&scope=${raw.fullyQualifiedName}`)).groups, []);
  const sources = async (tag: string) => (await flowsFrom(raw, '', world.admin, tag)).map(({ source }) => source.name);
  assert.equal([...new Set(await sources(open))], ['b', 'c']);
});

test('only what leaves a domain, or has another value of a custom property, is kept', async () => {
  const make = (name: string) =>
    world.make('domains', { name: uniqueName(name), domainType: 'Aggregate', description: 'd' });
  const [home, away] = [await make('home'), await make('away')];
  const type = ok(await world.admin.get('/v1/metadata/types/name/table')).id;
  const text = ok(await world.admin.get('/v1/metadata/types/name/string')).id;
  const region = uniqueName('region');
  const property = { name: region, description: 'Where it is.', propertyType: { id: text, type: 'type' } };
  ok(await world.admin.put(`/v1/metadata/types/${type}`, property));
  const inside = (name: string, fqn: string, where: string) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: world.schemaFqn,
      columns: [labelled('a', secret)],
      domains: [fqn],
      extension: { [region]: where },
    } as unknown as JsonObject);
  const raw = await inside('raw', home.fullyQualifiedName, 'north');
  const same = await inside('same', home.fullyQualifiedName, 'south');
  const other = await inside('other', away.fullyQualifiedName, 'north');
  const none = await world.table('none', [column('a')]);
  for (const to of [same, other, none]) await mapColumns(raw, to, [['a', 'a']]);
  const left = async (leaves: string) =>
    (await flowsFrom(raw, `&toTypes=table&leaves=${leaves}`)).map(({ target }) => target.id);
  assert.equal(await left('domain'), [other.id]);
  assert.equal(await left(`extension.${region}`), [same.id]);
  assert.equal(await left('extension.nowhere'), []);
});

test('what a caller may not see is neither named, counted nor walked through', async () => {
  const raw = await world.table('raw', [labelled('x', secret)]);
  const hidden = await world.make('tables', {
    name: uniqueName('between'),
    databaseSchema: world.schemaFqn,
    columns: [labelled('x', secret)],
    tags: [SENSITIVE],
  } as never);
  const [end, board] = [await world.table('end', [column('x')]), await dashboard()];
  await mapColumns(raw, hidden, [['x', 'x']]);
  await mapColumns(hidden, end, [['x', 'x']]);
  await show(end, board);
  const person = await rights.person([HIDING]);
  assert.is((await flowsFrom(raw, '&toTypes=table,dashboard')).length, 3);
  assert.is((await flowsFrom(raw, '&toTypes=table,dashboard', person)).length, 0);
  const all = await ask('&toTypes=table,dashboard&groupBy=target', person);
  assert.not.match(JSON.stringify(all), hidden.name);
  assert.not.match(JSON.stringify(all), end.name);
  expectRefused(await person.get(`/v1/lineage/flows?tag=${secret}&scope=${hidden.fullyQualifiedName}`), 404);
});

test('the nearest come first, and pages and CSV tell the same', async () => {
  const all = await ask('&toTypes=table,dashboard');
  const order = all.data.map(({ depth }) => depth);
  assert.equal(
    order,
    [...order].sort((a, b) => a - b),
  );
  assert.is(all.paging.total, all.data.length);
  const paged: Flow[] = [];
  for (let after = ''; ; ) {
    const page = ok(
      await world.admin.get(`/v1/lineage/flows?tag=${classification}&toTypes=table,dashboard&limit=4${after}`),
    ) as unknown as Answer;
    assert.equal(page.summary, all.summary);
    paged.push(...page.data);
    if (page.paging.after === undefined) break;
    after = `&after=${encodeURIComponent(page.paging.after)}`;
  }
  assert.equal(paged, all.data);
  const path = `/v1/lineage/flows?tag=${secret}&toTypes=table&limit=5`;
  const reply = await world.admin.get(path, { accept: 'text/csv' });
  const [head, ...lines] = reply.text.trim().split('\r\n');
  assert.is(head, 'source,tags,targetType,target,depth,ways,certain,path');
  const page = ok(await world.admin.get(path)) as unknown as Answer;
  assert.equal(
    lines.map((line) => [line.split(',')[0], line.split(',')[3]]),
    page.data.map(({ source, target }) => [source.fullyQualifiedName, target.fullyQualifiedName]),
  );
});

test('what makes no sense is refused', async () => {
  const get = (query: string) => world.admin.get(`/v1/lineage/flows?${query}`);
  for (const query of [
    '',
    `tag=${secret}&toTypes=palace`,
    `tag=${secret}&groupBy=colour`,
    `tag=${secret}&leaves=home`,
    `tag=${secret}&leaves=extension.`,
    `tag=${secret}&maxDepth=0`,
    `tag=${secret}&limit=1001`,
    `tag=${secret}&colour=red`,
  ])
    expectRefused(await get(query), 400);
  for (const query of [`tag=${classification}.None`, 'tag=nowhere', `tag=${secret}&scope=${world.serviceFqn}.nowhere`])
    expectRefused(await get(query), 404);
  assert.is((await anonymous(world.service).get(`/v1/lineage/flows?tag=${secret}`)).status, 401);
});

test.run();
