import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../../../support/expect.ts';
import { moment } from '../../../support/patience.ts';
import { createRightsFactory, type RightsFactory } from '../../../support/rights.ts';
import { type Client, uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { tested } from '../record-tests-fixture.ts';
import type { Answer } from './fit-reference.ts';
import { chain, drawnAround, HIDING, lots, pairsOf, randomPairs, SENSITIVE, tablesOf } from './fixture.ts';

/** Shows what `types`, `fields`, `groupBy` and `compact` mean for each operation, and what they refuse. */

const test = suite('lineage: parameters of answers that fit');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

const get = async (path: string, client = world.admin): Promise<Answer> => ok(await client.get(`/v1/lineage/${path}`));

type Typed = Made & { readonly type: string };

const typed = async (name: string, isTopic: boolean): Promise<Typed> => {
  if (!isTopic) return { ...(await world.table(name)), type: 'table' };
  const service = await world.make('services/messagingServices', { name: uniqueName('mes'), serviceType: 'Kafka' });
  return {
    ...(await world.make('topics', { name, service: service.fullyQualifiedName, partitions: 1 })),
    type: 'topic',
  };
};

const join = async (from: Typed, to: Typed) =>
  ok(await world.admin.put('/v1/lineage', { edge: { fromEntity: ref(from, from.type), toEntity: ref(to, to.type) } }));

test('an impact keeps the types that are asked for, passes through others, and counts what it keeps', async () => {
  const [a, b, c, d] = [
    await typed('a', false),
    await typed('b', true),
    await typed('c', false),
    await typed('d', true),
  ] as const;
  for (const [from, to] of [
    [a, b],
    [b, c],
    [c, d],
  ] as const) {
    await join(from, to);
  }
  const [own, far] = [await tested(world, a), await tested(world, c)];
  const whole = await get(`impact?id=${a.id}`);
  const tables = await get(`impact?id=${a.id}&types=table`);
  assert.equal(
    tables.affected,
    whole.affected.filter(({ entity }: Answer) => entity.type === 'table'),
  );
  assert.equal(
    tables.affected.map(({ entity, path }: Answer) => [entity.id, path.map(({ id }: Made) => id)]),
    [[c.id, [a.id, b.id, c.id]]],
  );
  assert.equal([tables.summary.entities, tables.summary.tests], [1, 2]);
  assert.equal(
    [tables.root.tests, tables.affected[0].tests].map((tests) => tests.map(({ id }: Made) => id)),
    [[own.id], [far.id]],
  );
  const topics = await get(`impact?id=${a.id}&types=topic`);
  assert.equal([topics.summary.entities, topics.summary.tests], [2, 1]);
});

test('paths lead through the types that are asked for only, between ends of any type', async () => {
  const [size, seeds] = [9, [3, 4]];
  for (const seed of seeds) {
    const draw = lots(seed);
    const all: Typed[] = [];
    for (let at = 0; at < size; at += 1) all.push(await typed(`p${at}`, draw(3) === 0));
    const pairs = randomPairs(seed, size, 20);
    const edges = pairs.map(([from, to]) => edgeBody(all[from] as Made, all[to] as Made).edge);
    const bodies = edges.map((edge, at) => {
      const [from, to] = pairs[at] ?? [0, 0];
      return {
        ...edge,
        fromEntity: ref(all[from] as Made, all[from]?.type),
        toEntity: ref(all[to] as Made, all[to]?.type),
      };
    });
    ok(await world.admin.put('/v1/lineage/bulk', bodies as never));
    const isPassable = (at: number, to: number) => at === to || all[at]?.type === 'table';
    const simplePaths = (path: readonly number[], to: number): number[][] => {
      const last = path.at(-1);
      if (last === to) return [[...path]];
      return pairs.flatMap(([from, next]) =>
        from === last && !path.includes(next) && isPassable(next, to) ? simplePaths([...path, next], to) : [],
      );
    };
    for (const [from, to] of [
      [0, 8],
      [8, 0],
      [2, 5],
      [5, 1],
    ] as const) {
      const wanted = simplePaths([from], to).map((path) => path.map((at) => all[at]?.id).join(' '));
      const answer = await get(`paths?from=${all[from]?.id}&to=${all[to]?.id}&types=table&maxPaths=100`);
      const found = answer.paths.map(({ nodes }: Answer) => nodes.map(({ id }: Made) => id).join(' '));
      assert.equal(found.sort(), wanted.sort(), `seed ${seed}, ${from} to ${to}`);
    }
  }
});

test('paths of columns lead through the types that are asked for only', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'a')] }));
  const link = (one: Made) => encodeURIComponent(`<#E::table::${one.fullyQualifiedName}::columns::a>`);
  const count = async (types: string) => (await get(`paths?from=${link(a)}&to=${link(c)}${types}`)).paths.length;
  assert.equal([await count(''), await count('&types=table'), await count('&types=topic')], [1, 1, 0]);
});

test('a filtered comparison is that of two filtered graphs, and a bridge that comes or goes is told', async () => {
  const [a, b, c, d] = [
    await typed('a', false),
    await typed('b', true),
    await typed('c', false),
    await typed('d', false),
  ] as const;
  await join(a, b);
  await join(a, c);
  const before = await moment();
  await join(b, c);
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${c.id}`));
  await join(b, d);
  const after = await moment();
  const span = '&upstreamDepth=0&downstreamDepth=3&types=table';
  const graphAt = (at: number) => get(`graph?id=${a.id}${span}&include=all&asOf=${at}`);
  const [old, fresh] = [await graphAt(before), await graphAt(after)];
  const { added, removed, changed } = await get(`diff?id=${a.id}${span}&from=${before}&to=${after}`);
  const missing = (one: Answer, other: Answer) => {
    const ids = new Set(other.nodes.map(({ id }: Made) => id));
    const pairs = new Set(pairsOf(other.edges));
    return [
      one.nodes.map(({ id }: Made) => id).filter((id: string) => !ids.has(id)),
      pairsOf(one.edges).filter((pair) => !pairs.has(pair)),
    ];
  };
  const told = ({ nodes, edges }: Answer) => [nodes.map(({ id }: Made) => id), pairsOf(edges)];
  assert.equal(told(added), missing(fresh, old));
  assert.equal(told(removed), missing(old, fresh));
  assert.equal(told(added), [[d.id], [`${a.id} ${d.id}`]]);
  assert.equal(
    changed.map(({ edge, before: was, after: is }: Answer) => [edge, 'lineageDetails' in was, is]),
    [[{ fromEntity: a.id, toEntity: c.id }, true, { bridged: true, over: { count: 1, ids: [b.id] } }]],
  );
  for (const query of ['services=nowhere', 'domains=nowhere', 'tags=PII']) {
    const none = await get(`diff?id=${a.id}&downstreamDepth=3&from=${before}&to=${after}&${query}`);
    assert.equal([none.added.nodes, none.removed.nodes, none.changed], [[], [], []], query);
  }
});

test('columns have their types and tags where fields names them, and no edges unless asked for', async () => {
  const tagged = [column('a', { dataType: 'VARCHAR', dataLength: 8, tags: [SENSITIVE] }), column('b')];
  const [a, b] = [await world.table('a', tagged), await world.table('b')];
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  const answer = await get(`graph?id=${a.id}&fields=fullyQualifiedName,columns`);
  const [{ columns }] = answer.nodes;
  const name = `${a.fullyQualifiedName}.a`;
  const [{ tags, ...type }] = columns;
  assert.equal(type, { name: 'a', fullyQualifiedName: name, dataType: 'VARCHAR' });
  const stored = ok(await world.admin.get(`/v1/tables/${a.id}?fields=columns,tags`)).columns[0].tags;
  assert.equal(tags, stored);
  assert.equal(answer.nodes[1].columns[0].tags, []);
  assert.equal(answer.columnEdges, []);
  const both = await get(`graph?id=${a.id}&fields=columns&columns=true`);
  assert.equal([both.nodes[0].columns, both.columnEdges.length], [columns, 1]);
  const bare = await get(`graph?id=${a.id}&fields=id&columns=true`);
  assert.equal([Object.keys(bare.nodes[0]), bare.columnEdges.length], [['id', 'type'], 1]);
  assert.equal(Object.keys((await get(`graph?id=${a.id}&columns=true`)).nodes[0].columns[0]), [
    'name',
    'fullyQualifiedName',
  ]);
});

test('columns have the worst of their tests where fields names them, as far as the caller sees tests', async () => {
  const { admin } = world;
  const { a, b } = await tablesOf(world, 'a', 'b');
  const joined = ['a', 'b'].map((name) => mapping(a, [name], b, name));
  ok(await feed(admin, a, b, { columnsLineage: joined }));
  await tested(world, a, 'Success', 'a');
  await tested(world, a, 'Failed', 'a');
  await tested(world, a, 'Success', 'b');
  await tested(world, a, 'Aborted', 'c');
  await tested(world, b, 'Failed');
  await tested(world, b, undefined, 'a');
  const statesFor = async (client: Client, query = '') => {
    const { nodes } = await drawnAround(client, a, `&fields=columns${query}`);
    return nodes.map(({ columns }: Answer) => columns.map(({ testStatus }: Answer) => testStatus));
  };
  const none = [undefined, undefined];
  assert.equal(await statesFor(admin), [['Failed', 'Success'], none], 'a test of the whole table is of no column');
  assert.equal(await statesFor(admin, `&asOf=${Date.now()}`), [none, none], 'tests are of today');
  const blind = await rights.person([
    { effect: 'deny', operations: ['ViewAll', 'ViewBasic'], resources: ['testCase'] },
  ]);
  assert.equal(await statesFor(blind), [none, none]);
});

test('hidden assets are grouped by type alone, and hidden owners are no group', async () => {
  const { a, 'b!': hidden } = await tablesOf(world, 'a', 'b!');
  const team = await rights.team();
  const owned = await world.make('tables', {
    name: uniqueName('c'),
    databaseSchema: world.schemaFqn,
    columns: [column('a')],
    owners: [ref(team, 'team')],
  });
  await chain(world.admin, a, hidden);
  await chain(world.admin, a, owned);
  const blind = await rights.person([
    HIDING,
    { effect: 'deny', operations: ['ViewAll', 'ViewBasic'], resources: ['team'] },
  ]);
  const groups = async (path: string, client = world.admin) => {
    const answer = await get(path, client);
    return answer.groups.map(({ key, count }: Answer) => [key, count]);
  };
  const impact = `impact?id=${a.id}&groupBy=`;
  assert.equal(await groups(`${impact}owner`), [
    [team.fullyQualifiedName, 1],
    [null, 1],
  ]);
  assert.equal(await groups(`${impact}owner`, blind), [[null, 1]]);
  assert.equal(await groups(`${impact}service`, blind), [[world.serviceFqn, 1]]);
  assert.equal(await groups(`${impact}type`, blind), [['table', 2]]);
  const text = JSON.stringify(await get(`graph?id=${a.id}&compact=true&groupBy=owner`, blind));
  assert.not.ok(text.includes(team.id) || text.includes(team.fullyQualifiedName) || text.includes(hidden.name));
});

test('wrong values are refused by name, with what was probably meant', async () => {
  const { a, b } = await tablesOf(world, 'a', 'b');
  await chain(world.admin, a, b);
  const paths = [
    `graph?id=${a.id}`,
    `impact?id=${a.id}`,
    `paths?from=${a.id}&to=${b.id}`,
    `diff?id=${a.id}&from=1&to=2`,
  ];
  const refused = async (path: string, message: RegExp) =>
    expectRefused(await world.admin.get(`/v1/lineage/${path}`), 400, message);
  for (const path of paths) {
    await refused(`${path}&fields=name,onwers`, /fields has the unknown name "onwers".*did you mean owners/);
    await refused(`${path}&groupBy=team`, /groupBy must be one of type, owner, service, domain/);
    await refused(`${path}&groupBy=Owner`, /groupBy must be one of/);
    await refused(`${path}&compact=yes`, /compact must be true or false/);
    await refused(`${path}&types=tabel`, /Entity type tabel is not known/);
    ok(await world.admin.get(`/v1/lineage/${path}&fields=&groupBy=&compact=`));
  }
  for (const path of paths.filter((one) => !one.startsWith('impact'))) {
    await refused(
      `${path}&edgeFields=source,sqlQeury`,
      /edgeFields has the unknown name "sqlQeury".*did you mean sqlQuery/,
    );
    ok(await world.admin.get(`/v1/lineage/${path}&edgeFields=`));
  }
  await refused(`impact?id=${a.id}&edgeFields=source`, /edgeFields/);
  await refused(`graph?id=${a.id}&assertions=yes`, /assertions must be true or false/);
  for (const path of paths.slice(1)) await refused(`${path}&fields=depth`, /fields has the unknown name "depth"/);
  for (const format of ['csv', 'graphml', 'mermaid', 'dot']) {
    for (const part of ['compact=true', 'groupBy=type', 'fields=name', 'edgeFields=source', 'assertions=true']) {
      await refused(`graph?id=${a.id}&format=${format}&${part}`, new RegExp(`must not be given with format ${format}`));
    }
    ok(await world.admin.get(`/v1/lineage/graph?id=${a.id}&format=${format}&types=table`));
  }
});

test.run();
