import * as assert from 'uvu/assert';
import { column, feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE } from '../lineage/read/graph/fixture.ts';
import { ok } from '../support/expect.ts';
import { createRandom } from '../support/random.ts';
import { manyOr } from '../support/representatives.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { post, rowsOf } from './fixture.ts';

/**
 * Shows that no query finds what its caller may not see: random queries on random lineage, of which some tables are hidden
 * and some deleted, are compared with walking every way by hand through what is left.
 */

const test = suite('ask: what is hidden');

const TABLES = 14;
const EDGES = 34;
const ROUNDS = manyOr(10, 40);

type Node = { readonly made: Made; readonly isHidden: boolean; readonly isDeleted: boolean };
type Arc = { readonly from: number; readonly to: number };

let world: World;
let rights: RightsFactory;
let restricted: Person;
let nodes: readonly Node[];
let arcs: readonly Arc[];

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  restricted = await rights.person([HIDING]);
  const random = createRandom(7);
  const states = Array.from({ length: TABLES }, (_, at) => ({ isHidden: at % 4 === 1, isDeleted: at % 7 === 5 }));
  const made = await Promise.all(
    states.map(({ isHidden }, at) =>
      world.make('tables', {
        name: `t${String(at).padStart(2, '0')}`,
        databaseSchema: world.schemaFqn,
        columns: [column('a'), column('b')],
        tags: isHidden ? [SENSITIVE] : [],
      }),
    ),
  );
  const drawn = new Map<string, Arc>();
  while (drawn.size < EDGES) {
    const arc = { from: random(TABLES), to: random(TABLES) };
    if (arc.from !== arc.to) drawn.set(`${arc.from} ${arc.to}`, arc);
  }
  arcs = [...drawn.values()];
  for (const { from, to } of arcs) ok(await feed(world.admin, made[from] as Made, made[to] as Made));
  nodes = made.map((one, at) => ({ made: one, ...(states[at] as { isHidden: boolean; isDeleted: boolean }) }));
  for (const { made: one, isDeleted } of nodes) if (isDeleted) ok(await world.admin.delete(`/v1/tables/${one.id}`));
});

test.after(() => rights.clear());

type Direction = 'out' | 'in' | 'both';
type Step = { readonly direction: Direction; readonly least: number; readonly most: number };

const ARROWS = { out: ['-', '->'], in: ['<-', '-'], both: ['-', '-'] } as const;

/** The ends of all ways of one step that use no edge twice, each with the edges used. */
type Way = { readonly visited: readonly number[]; readonly used: readonly Arc[] };

const goOn = (way: Way, direction: Direction, sees: (node: number) => boolean): Way[] => {
  const at = way.visited.at(-1) as number;
  return arcs
    .filter((arc) => !way.used.includes(arc))
    .flatMap((arc) => [
      ...(direction !== 'in' && arc.from === at ? [{ arc, next: arc.to }] : []),
      ...(direction !== 'out' && arc.to === at ? [{ arc, next: arc.from }] : []),
    ])
    .filter(({ next }) => sees(next))
    .map(({ arc, next }) => ({ visited: [...way.visited, next], used: [...way.used, arc] }));
};

/** Every way along the steps; only the nodes at their ends count as visited. */
const walk = (start: number, steps: readonly Step[], sees: (node: number) => boolean): number[][] => {
  let found: { ends: number[]; way: Way }[] = [{ ends: [start], way: { visited: [start], used: [] } }];
  for (const { direction, least, most } of steps) {
    const next: typeof found = [];
    for (const { ends, way } of found) {
      let ways = [way];
      for (let length = 0; length <= most; length += 1) {
        if (length >= least)
          next.push(...ways.map((one) => ({ ends: [...ends, one.visited.at(-1) as number], way: one })));
        ways = ways.flatMap((one) => goOn(one, direction, sees));
      }
    }
    found = next;
  }
  return found.map(({ ends }) => ends);
};

const LABELS = ['', ':Table', ':Asset', ':Table|Topic'];
const LENGTHS = [
  [1, 1],
  [1, 2],
  [2, 2],
  [0, 2],
  [1, 3],
] as const;

const drawSteps = (random: (bound: number) => number): Step[] =>
  Array.from({ length: 1 + random(2) }, () => {
    const [least, most] = LENGTHS[random(LENGTHS.length)] as readonly [number, number];
    return { direction: (['out', 'in', 'both'] as const)[random(3)] as Direction, least, most };
  });

const writePattern = (steps: readonly Step[], random: (bound: number) => number): string => {
  const node = (at: number) => `(n${at}${LABELS[random(LABELS.length)]})`;
  return steps.reduce((text, { direction, least, most }, at) => {
    const [left, right] = ARROWS[direction];
    const length = least === 1 && most === 1 ? '' : `*${least}..${most}`;
    return `${text}${left}[:FEEDS${length}]${right}${node(at + 1)}`;
  }, node(0));
};

const countBy = (all: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
};

type Comparison = { readonly query: string; readonly wanted: unknown };

const drawComparison = (random: (bound: number) => number, sees: (node: number) => boolean): Comparison => {
  const steps = drawSteps(random);
  const pattern = writePattern(steps, random);
  const nameOf = (at: number | undefined) => nodes[at ?? -1]?.made.name ?? '';
  const starts = nodes.flatMap((_, at) => (sees(at) ? [at] : []));
  const ways = starts.flatMap((start) => walk(start, steps, sees));
  const last = `n${steps.length}`;
  // Conditions that might fail take another way than those that cannot; these hold for every node.
  const [mayFail, mayFailInside] = [random(2) === 1, random(2) === 1];
  const where = `WHERE n0.fullyQualifiedName STARTS WITH $scope${mayFail ? ' AND 1 / size(n0.name) < 2' : ''}`;
  const inside = mayFailInside ? ` WHERE 1 / size(${last}.name) < 2` : '';
  const shape = random(5);
  if (shape === 0) return { query: `MATCH ${pattern} ${where} RETURN count(*)`, wanted: [[ways.length]] };
  if (shape === 1) {
    const wanted = [...countBy(ways.map((way) => nameOf(way.at(-1))))].sort(([one], [other]) => (one < other ? -1 : 1));
    return { query: `MATCH ${pattern} ${where} RETURN ${last}.name, count(*) ORDER BY ${last}.name`, wanted };
  }
  const reached = countBy(ways.map(([start]) => nameOf(start)));
  const names = starts.map(nameOf).sort();
  if (shape === 2) {
    const some = pattern.replace(/^\(n0[^)]*\)/, '(n0)');
    const query = `MATCH (n0:Table) ${where} AND EXISTS { ${some}${inside} } RETURN n0.name ORDER BY n0.name`;
    return { query, wanted: names.filter((name) => reached.has(name)).map((name) => [name]) };
  }
  const inner = pattern.replace(/^\(n0[^)]*\)/, '(n0)');
  const wanted = names.map((name) => [name, reached.get(name) ?? 0]);
  if (shape === 3)
    return { query: `MATCH (n0:Table) ${where} RETURN n0.name, COUNT { ${inner}${inside} } ORDER BY n0.name`, wanted };
  const query = `MATCH (n0:Table) ${where} OPTIONAL MATCH ${inner}${inside} RETURN n0.name, count(${last}) ORDER BY n0.name`;
  return { query, wanted };
};

test('random queries answer as if what is hidden or deleted were not there', async () => {
  const random = createRandom(99);
  const callers: readonly (readonly [Client, (node: number) => boolean])[] = [
    [world.admin, (at) => !nodes[at]?.isDeleted],
    [restricted, (at) => !nodes[at]?.isDeleted && !nodes[at]?.isHidden],
  ];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [client, sees] of callers) {
      const { query, wanted } = drawComparison(random, sees);
      assert.equal(await rowsOf(client, query, { scope: `${world.schemaFqn}.` }), wanted, query);
    }
  }
});

test('no way of asking tells whether a hidden table is there', async () => {
  const hidden = nodes.find(({ isHidden, isDeleted }) => isHidden && !isDeleted)?.made as Made;
  const missing = {
    ...hidden,
    id: '00000000-0000-4000-8000-000000000000',
    fullyQualifiedName: `${world.schemaFqn}.none`,
    name: 'none',
  };
  const queries = [
    'MATCH (t:Table {id: $id}) RETURN t',
    'MATCH (t {fullyQualifiedName: $name}) RETURN count(*)',
    'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $name RETURN count(*), collect(c.name)',
    'MATCH (t:Table)-[:HAS_COLUMN]->(c) WHERE t.id = $id RETURN c.name',
    'MATCH (s:DatabaseSchema {fullyQualifiedName: $schema})-[:CONTAINS]->(t) WHERE t.id = $id RETURN count(t)',
    'MATCH (a)-[:FEEDS*1..4]->(b) WHERE a.id = $id OR b.id = $id RETURN count(*)',
    'OPTIONAL MATCH (t:Table {id: $id}) RETURN t IS NULL',
    'RETURN EXISTS { MATCH (t {id: $id}) } AS e, COUNT { (t:Table {id: $id}) } AS c',
    'MATCH (t:Table) WHERE t.id = $id AND 1 / 0 > 0 RETURN t',
    'MATCH (t:Table) WHERE t.id = $id AND date(t.name) = date() RETURN t',
    'MATCH (t:Table) WHERE CASE WHEN t.id = $id THEN 1 / 0 ELSE 0 END = 1 RETURN t',
    'MATCH (t) WHERE t.id = $id WITH t WHERE 1 / size(t.id[0..0]) > 0 RETURN t.name',
    'MATCH (t:Table {id: $id}) RETURN [(t)--(x) | x.name]',
    'MATCH (t:Table {name: toInteger($id) / 0}) RETURN t',
    'MATCH (s:DatabaseSchema {fullyQualifiedName: $schema}) WHERE EXISTS { (s)-->(t {id: $id}) WHERE toInteger(t.name) / 0 = 1 } RETURN s',
    'MATCH (s:DatabaseSchema {fullyQualifiedName: $schema}) RETURN COUNT { (s)-->(t) WHERE t.id = $id AND size(t.name) / 0 = 1 } AS n',
    'OPTIONAL MATCH (t {id: $id}) WHERE toInteger(t.name) / 0 = 1 RETURN count(*), t',
    'MATCH (s:DatabaseSchema {fullyQualifiedName: $schema}) OPTIONAL MATCH (s)-->(t {id: $id}) WHERE size(t.name) / 0 = 1 RETURN t.name',
    'MATCH (s:DatabaseSchema {fullyQualifiedName: $schema}) OPTIONAL MATCH (s)-->({id: $id}) WHERE 1 / size(s.name[0..0]) = 1 RETURN s.name',
    'MATCH (t {id: $id}) WHERE 1 / size(t.id) < 2 MATCH (t)--(x) WHERE 1 / size(t.id[0..0]) = 1 RETURN x.name',
    'MATCH (t:Table) WHERE t.id = $id RETURN 1 UNION MATCH (t {id: $id}) RETURN 1',
    'MATCH p = (s:DatabaseSchema {fullyQualifiedName: $schema})-->(t {id: $id}) RETURN p',
    'MATCH (g:Tag {fullyQualifiedName: "PII.Sensitive"})<-[:TAGGED]-(t) WHERE t.id = $id RETURN count(*)',
  ];
  for (const query of queries) {
    const answers = await Promise.all(
      [hidden, missing].map(async ({ id, fullyQualifiedName: name }) => {
        const { status, json } = await post(restricted, query, { id, name, schema: world.schemaFqn });
        const { tookMs: _, ...rest } = json;
        return { status, rest };
      }),
    );
    assert.equal(answers[0], answers[1], query);
    assert.not.match(JSON.stringify(answers[0]), new RegExp(hidden.fullyQualifiedName));
  }
});

test('what callers write themselves comes back as it was, whether it names something hidden or nothing', async () => {
  const hidden = nodes.find(({ isHidden, isDeleted }) => isHidden && !isDeleted)?.made as Made;
  for (const name of [hidden.fullyQualifiedName, `${world.schemaFqn}.none`]) {
    const named = { entityFQN: name, entityLink: `<#E::table::${name}>`, ref: { id: hidden.id, type: 'table' } };
    assert.equal(await rowsOf(restricted, 'RETURN $named, $named.entityFQN', { named }), [[named, name]]);
    const body = { name: uniqueName('q').replaceAll(/\W/g, '_'), query: 'RETURN $named', parameters: { named } };
    assert.equal(ok(await restricted.post('/v1/graph/queries', body), 201).parameters, { named });
    assert.equal(ok(await restricted.get(`/v1/graph/queries/${body.name}`)).parameters, { named });
    assert.equal(ok(await restricted.post(`/v1/graph/queries/${body.name}/run`, {})).rows, [[named]]);
    ok(await restricted.delete(`/v1/graph/queries/${body.name}`), 204);
  }
});

test('the author of a saved query is told only to those who may see people', async () => {
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['user'] }]);
  const body = { name: uniqueName('q').replaceAll(/\W/g, '_'), query: 'RETURN 1' };
  assert.is(ok(await restricted.post('/v1/graph/queries', body), 201).createdBy, restricted.name);
  const seen = ok(await blind.get(`/v1/graph/queries/${body.name}`));
  assert.equal([seen.query, 'createdBy' in seen, 'updatedBy' in seen], ['RETURN 1', false, false]);
  ok(await restricted.delete(`/v1/graph/queries/${body.name}`), 204);
});

test('a kind of which a caller may see nothing is not in the graph, and what a query reads takes the right to read it', async () => {
  const nobody = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['user'] }]);
  assert.equal(await rowsOf(nobody, 'MATCH (u:User) RETURN count(*)'), [[0]]);
  assert.equal(await rowsOf(nobody, 'MATCH (u)-[:OWNS|FOLLOWS]->(x) WHERE u.entityType = "user" RETURN count(*)'), [
    [0],
  ]);
  assert.ok(((await rowsOf(world.admin, 'MATCH (u:User) RETURN count(*)'))[0]?.[0] ?? 0) > 0);
  const basic = await rights.person([{ effect: 'deny', operations: ['ViewTests'], resources: ['table', 'testCase'] }]);
  const scope = { scope: `${world.schemaFqn}.` };
  const table = 'MATCH (t:Table) WHERE t.fullyQualifiedName STARTS WITH $scope';
  assert.ok(((await rowsOf(basic, `${table} RETURN count(t)`, scope))[0]?.[0] ?? 0) > 0);
  assert.equal(await rowsOf(basic, `${table} AND NOT EXISTS { (t)<-[:TESTS]-() } RETURN count(t)`, scope), [[0]]);
});

test('columns are seen with the table that has them', async () => {
  const query = 'MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $scope RETURN count(*)';
  const scope = { scope: `${world.schemaFqn}.` };
  const count = (sees: (node: Node) => boolean) => 2 * nodes.filter((node) => !node.isDeleted && sees(node)).length;
  assert.equal(await rowsOf(world.admin, query, scope), [[count(() => true)]]);
  assert.equal(await rowsOf(restricted, query, scope), [[count(({ isHidden }) => !isHidden)]]);
});

test.run();
