/** Shows which records filters keep in a graph, and which removed records are bridged (lineage.md 11). */
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../src/model/json.ts';
import { ok } from '../../../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../../../support/rights.ts';
import { uniqueName } from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, ref, type World } from '../../fixture.ts';
import { chain, type Drawn, drawnAround, HIDING, idsOf, pair, pairsOf, SENSITIVE, tablesOf } from './fixture.ts';

const test = suite('lineage: graph filters');

let world: World;
let rights: RightsFactory;
/** Sees everything but tables with the mark of what is personal. */
let reader: Person;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  reader = await rights.person([HIDING]);
});

test.after(() => rights.clear());

const DOWN = '&upstreamDepth=0&downstreamDepth=9';
const UP = '&upstreamDepth=9&downstreamDepth=0';

const domain = (name: string, more: JsonObject = {}): Promise<Made> =>
  world.make('domains', { name, description: 'x', domainType: 'Aggregate', ...more });

const tableIn = (name: string, schema: string, more: JsonObject = {}): Promise<Made> =>
  world.make('tables', { name: uniqueName(name), databaseSchema: schema, columns: [column('a')], ...more });

const topics = async <T extends string>(...names: readonly T[]): Promise<Record<T, Made>> => {
  const service = await world.make('services/messagingServices', { name: uniqueName('mes'), serviceType: 'Kafka' });
  const made = await Promise.all(
    names.map((name) => world.make('topics', { name, service: service.fullyQualifiedName, partitions: 1 })),
  );
  return Object.fromEntries(names.map((name, at) => [name, made[at]])) as Record<T, Made>;
};

/** Says that records, of whatever kinds, feed each the next. */
const line = async (...records: readonly (Made & { readonly databaseSchema?: unknown })[]): Promise<void> => {
  const kindOf = (one: (typeof records)[number]) => (one.databaseSchema ? 'table' : 'topic');
  for (const [at, from] of records.entries()) {
    const to = records[at + 1];
    if (!to) continue;
    const edge = { fromEntity: ref(from, kindOf(from)), toEntity: ref(to, kindOf(to)) };
    ok(await world.admin.put('/v1/lineage', { edge }));
  }
};

type Edge = Drawn & { readonly bridged?: boolean };

const drawn = async (root: Made, query: string, client: Person | World['admin'] = world.admin) => {
  const answer = await drawnAround(client, root, query);
  const edges: readonly Edge[] = answer.edges;
  return {
    nodes: idsOf(answer.nodes),
    direct: pairsOf(edges.filter(({ bridged }) => !bridged)),
    bridged: pairsOf(edges.filter(({ bridged }) => bridged)),
    answer,
  };
};

const shape = async (root: Made, query: string, client?: Person) => {
  const { answer: _answer, ...rest } = await drawn(root, query, client);
  return rest;
};

test('a domain filter keeps assets of the domain, of its sub-domains and of members of the domain', async () => {
  const name = uniqueName('dom');
  const whole = await domain(name);
  const part = await domain('part', { parent: whole.fullyQualifiedName });
  const alike = await domain(`${name}x`);
  const below = await world.make('databaseSchemas', {
    name: uniqueName('schema'),
    database: world.schemaFqn.slice(0, world.schemaFqn.lastIndexOf('.')),
    domains: [whole.fullyQualifiedName],
  });
  const place = below.fullyQualifiedName;
  const [root, heir, own, deep, other] = await Promise.all([
    tableIn('root', world.schemaFqn),
    tableIn('heir', place),
    tableIn('own', place, { domains: [alike.fullyQualifiedName] }),
    tableIn('deep', world.schemaFqn, { domains: [part.fullyQualifiedName] }),
    tableIn('other', world.schemaFqn, { domains: [alike.fullyQualifiedName] }),
  ]);
  await chain(world.admin, root, other, heir, own, deep);
  assert.equal(await shape(root, `${DOWN}&domains=${whole.fullyQualifiedName}`), {
    nodes: [root.id, heir.id, deep.id],
    direct: [],
    bridged: [pair(root, heir), pair(heir, deep)].sort(),
  });
  assert.equal(await shape(root, `${DOWN}&domains=${part.fullyQualifiedName}`), {
    nodes: [root.id, deep.id],
    direct: [],
    bridged: [pair(root, deep)],
  });
  assert.equal(await shape(root, `${DOWN}&domains=${alike.fullyQualifiedName},${part.fullyQualifiedName}`), {
    nodes: [root.id, other.id, own.id, deep.id],
    direct: [pair(root, other), pair(own, deep)].sort(),
    bridged: [pair(other, own)],
  });
  const { answer } = await drawn(root, `${DOWN}&domains=${whole.fullyQualifiedName}`);
  assert.equal(
    answer.nodes.map(({ depth }: { depth: number }) => depth),
    [0, 2, 4],
    'what is left out counts as a step',
  );
});

test('a bridge has no columns, and several filters apply together', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  ok(await feed(world.admin, a, b, { columnsLineage: [mapping(a, ['a'], b, 'a')] }));
  ok(await feed(world.admin, b, c, { columnsLineage: [mapping(b, ['a'], c, 'a')], sqlQuery: 'select a' }));
  const tag = { tagFQN: 'PII.NonSensitive', source: 'Classification' };
  ok(await world.admin.patch(`/v1/tables/${c.id}`, [{ op: 'add', path: '/tags/0', value: tag }]));
  const { answer } = await drawn(a, `${DOWN}&columns=true&tags=PII&services=${world.serviceFqn}&types=table`);
  const over = { count: 1, ids: [b.id] };
  assert.equal(answer.edges, [{ fromEntity: a.id, toEntity: c.id, bridged: true, over }]);
  assert.equal(answer.columnEdges, []);
  assert.equal((await shape(a, `${DOWN}&tags=PII&types=topic`)).nodes, [a.id]);
});

test('a bridge names what it leads over, on the shortest way and in its order', async () => {
  const { from, to } = await tablesOf(world, 'from', 'to');
  const names = Array.from({ length: 24 }, (_, at) => `passed${at}`);
  const passed = Object.values(await topics(...names));
  const [short, long] = [passed.slice(0, 2), passed.slice(2)];
  await line(from, ...long, to);
  const overOf = async () => {
    const { edges } = (await drawn(from, '&downstreamDepth=30&types=table')).answer;
    assert.equal(
      edges.map(({ bridged }: Edge) => bridged),
      [true],
    );
    return edges[0].over;
  };
  assert.equal(await overOf(), { count: 22, ids: idsOf(long.slice(0, 20)) });
  await line(from, ...short, to);
  assert.equal(await overOf(), { count: 2, ids: idsOf(short) });
});

test('include=deleted bridges living records, and include=all bridges deleted ones that are filtered out', async () => {
  const { a, gone, live, lost } = await tablesOf(world, 'a', 'gone', 'live', 'lost');
  const { topic } = await topics('topic');
  await line(a, gone, live, lost);
  await line(a, topic, live);
  for (const { id } of [gone, lost]) ok(await world.admin.delete(`/v1/tables/${id}`));
  ok(await world.admin.delete(`/v1/topics/${topic.id}`));
  assert.equal(await shape(a, `${DOWN}&include=deleted&types=table`), {
    nodes: [a.id, gone.id, lost.id],
    direct: [pair(a, gone)],
    bridged: [pair(a, lost), pair(gone, lost)].sort(),
  });
  assert.equal(await shape(a, `${DOWN}&include=all&types=table`), {
    nodes: [a.id, gone.id, live.id, lost.id],
    direct: [pair(a, gone), pair(gone, live), pair(live, lost)].sort(),
    bridged: [pair(a, live)],
  });
  assert.equal(
    await shape(a, `${DOWN}&types=table`),
    { nodes: [a.id], direct: [], bridged: [] },
    'not over deleted ones',
  );
  assert.equal(await shape(lost, `${UP}&include=deleted&types=table`), {
    nodes: [lost.id, gone.id],
    direct: [],
    bridged: [pair(gone, lost)],
  });
});

/** Whatever is told of a record that the caller may not view: no more than that it is there. */
const toldOnly = (answer: JsonObject & { nodes: readonly Made[] }, { id, name }: Made): boolean => {
  assert.not.match(JSON.stringify(answer), name);
  const shown = answer.nodes.filter((node) => node.id === id);
  assert.equal(shown, shown.length > 0 ? [{ id, type: 'table', hidden: true }] : []);
  return shown.length > 0;
};

test('no bridge leads through a hidden asset, but one may lead past it', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind', 'b');
  const [{ a, behind, b }, hidden] = [tables, tables['hidden!']];
  const { one, other, after } = await topics('one', 'other', 'after');
  await line(a, hidden, after, behind);
  await line(a, hidden, b);
  const seen = await drawn(a, `${DOWN}&types=topic`, reader);
  toldOnly(seen.answer, hidden);
  assert.not.ok(seen.nodes.includes(after.id) || seen.nodes.includes(behind.id));
  assert.equal(seen.bridged, []);
  assert.equal((await shape(a, `${DOWN}&types=topic`)).bridged, [pair(a, after)], 'who sees it looks past it');
  const kept = await drawn(a, `${DOWN}&services=${world.serviceFqn}`, reader);
  toldOnly(kept.answer, hidden);
  assert.equal(
    kept.nodes.filter((id) => id !== hidden.id),
    [a.id],
  );
  assert.not.ok(kept.bridged.includes(pair(a, b)));
  await line(a, one, other, b);
  const past = await drawn(a, `${DOWN}&types=table`, reader);
  toldOnly(past.answer, hidden);
  assert.ok(past.bridged.includes(pair(a, b)), 'on another way');
  assert.not.ok(past.nodes.includes(behind.id));
  const back = await drawn(behind, `${UP}&types=table`, reader);
  toldOnly(back.answer, hidden);
  assert.not.ok(back.nodes.includes(a.id), 'nor upstream');
});

test('records reached by other paths are not joined across a hidden asset', async () => {
  const tables = await tablesOf(world, 'root', 'x', 'hidden!', 'y');
  const [{ root, x, y }, hidden] = [tables, tables['hidden!']];
  const { first, last } = await topics('first', 'last');
  for (const ends of [
    [x, y],
    [first, last],
  ] as const) {
    await line(root, ends[0], hidden, ends[1]);
    await line(root, ends[1]);
  }
  for (const [filter, from, to] of [
    [`&services=${world.serviceFqn}`, x, y],
    ['&types=topic', first, last],
  ] as const) {
    const { answer, direct, bridged } = await drawn(root, `${DOWN}${filter}`, reader);
    toldOnly(answer, hidden);
    assert.equal([direct, bridged], [[pair(root, from), pair(root, to)].sort(), []], filter);
  }
  assert.equal((await shape(root, `${DOWN}&types=topic`)).bridged, [pair(first, last)]);
});

test('no filter reveals the properties of a hidden asset', async () => {
  const [mine, yours] = await Promise.all([domain(uniqueName('mine')), domain(uniqueName('yours'))]);
  const root = await world.table('root');
  const secret = await tableIn('secret', world.schemaFqn, {
    domains: [mine.fullyQualifiedName],
    tags: [SENSITIVE],
  });
  ok(await feed(world.admin, root, secret, { sqlQuery: 'select secret' }));
  const told = async (query: string) => {
    const { answer } = await drawn(root, `${DOWN}${query}`, reader);
    assert.not.match(JSON.stringify(answer), 'select secret');
    return toldOnly(answer, secret);
  };
  for (const [fits, fails] of [
    [`&domains=${mine.fullyQualifiedName}`, `&domains=${yours.fullyQualifiedName}`],
    ['&tags=PII.Sensitive', '&tags=PII.None'],
    [`&services=${world.serviceFqn}`, '&services=nobody'],
  ] as const) {
    assert.is(await told(fits), await told(fails), `whether it is told of depends on what it is: ${fits}`);
  }
  assert.is(await told('&types=table'), true, 'its kind is no secret');
  assert.is(await told('&types=topic'), false);
  ok(await world.admin.delete(`/v1/tables/${secret.id}`));
  assert.equal([await told(''), await told('&include=all')], [false, true]);
  await told('&include=deleted');
});

test('a bridge to a hidden asset reveals only that data reaches it', async () => {
  const tables = await tablesOf(world, 'a', 'hidden!', 'behind');
  const [{ a, behind }, hidden] = [tables, tables['hidden!']];
  const { topic } = await topics('topic');
  await line(a, topic, hidden);
  ok(await world.admin.put('/v1/lineage', edgeBody(hidden, behind, { sqlQuery: 'select secret' })));
  const { answer, nodes } = await drawn(a, `${DOWN}&types=table&columns=true`, reader);
  assert.equal(nodes, [a.id, hidden.id]);
  const over = { count: 1, ids: [topic.id] };
  assert.equal(answer.edges, [{ fromEntity: a.id, toEntity: hidden.id, bridged: true, over }]);
  assert.ok(toldOnly(answer, hidden));
  assert.is(hidden.id in answer.hiddenCounts, false);
});

test('neighbours that the filter leaves out are told apart from those beyond the depth', async () => {
  const { root, near, far, 'secret!': secret } = await tablesOf(world, 'root', 'near', 'far', 'secret!');
  const { aside, behind } = await topics('aside', 'behind');
  const table = (made: Made) => ({ ...made, databaseSchema: true });
  await line(table(root), table(near), table(far));
  await line(table(root), aside);
  await line(table(near), behind);
  await line(table(root), table(secret));
  const counts = async (query: string, client?: Person) => (await drawn(root, query, client)).answer.hiddenCounts;
  const side = (downstream: number) => ({ upstream: 0, downstream });
  const one = await counts('&types=table&downstreamDepth=1');
  assert.equal(one[root.id], { ...side(1), filtered: side(1) });
  assert.equal(one[near.id], { ...side(2), filtered: side(0) }, 'nobody has looked beyond the depth');
  const two = await counts('&types=table&downstreamDepth=2');
  assert.equal(two[near.id], { ...side(1), filtered: side(1) });
  assert.equal((await counts('&downstreamDepth=1'))[near.id], side(2), 'without a filter it leaves nothing out');
  const services = `&services=${encodeURIComponent(world.serviceFqn)}&downstreamDepth=1`;
  const blind = await counts(services, reader);
  assert.equal(blind[root.id], { ...side(2), filtered: side(2) }, 'of what is hidden no service is known');
  const gone = await counts('&types=table&downstreamDepth=1&include=deleted');
  assert.equal(gone[root.id], { ...side(0), filtered: side(0) }, 'what counts is deleted');
});

test.run();
