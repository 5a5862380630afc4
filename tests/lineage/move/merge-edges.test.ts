import * as assert from 'uvu/assert';
import { mergeEdges, type StoredAssertion, type StoredEdge } from '../../../src/lineage/move/merge-edges.ts';
import { createRandom } from '../../support/random.ts';
import { suite } from '../../support/suite.ts';

/** Compares merged edges with the histories that they were merged from, at every moment of random histories. */

const test = suite('lineage: merged edges');

const NOW = 100;
const SOURCES = ['Manual', 'OpenLineage', 'DbtLineage'];
const MOVE = { source: 'island', target: 'table', rename: (name: string) => name.toLowerCase() };

type Random = ReturnType<typeof createRandom>;

const newAssertion = (
  random: Random,
  id: string,
  source: string,
  since: number,
  until: number | undefined,
): StoredAssertion => ({
  id,
  source,
  since,
  until,
  seenAt: since,
  order: random(50),
  createdAt: since,
  createdBy: 'someone',
  updatedAt: since,
  updatedBy: 'someone',
  content: { mappings: random(2) === 0 ? [] : [{ from: ['A'], to: `Col${random(3)}` }] },
});

/** The assertions of one source about an edge between two times: one after another, the last open where the edge is. */
const newHistory = (random: Random, id: string, source: string, since: number, until: number | undefined) => {
  const parts: StoredAssertion[] = [];
  let at = since;
  for (let part = 0; ; part += 1) {
    const end = at + 1 + random(20);
    const isLast = end >= (until ?? NOW);
    parts.push(newAssertion(random, `${id} ${source} ${part}`, source, at, isLast ? until : end));
    if (isLast) return parts;
    at = end;
  }
};

/** The edges of a pair of records: one after another with gaps, of which the last may be present. */
const newEdges = (random: Random, name: string, from: string, to: string): StoredEdge[] => {
  const edges: StoredEdge[] = [];
  let at = random(20);
  for (let part = 0; at < NOW - 5 && part < 4; part += 1) {
    const end = at + 2 + random(30);
    const until = end >= NOW ? undefined : end;
    const id = `${name} ${part}`;
    const sources = SOURCES.filter(() => random(2) === 0);
    const said = (sources.length === 0 ? ['Manual'] : sources).flatMap((one) => newHistory(random, id, one, at, until));
    edges.push({ id, from, to, since: at, until, properties: { id, revision: said.length }, assertions: said });
    at = end + 1 + random(10);
  }
  return edges;
};

const holds = (at: number) => (one: { readonly since: number; readonly until: number | undefined }) =>
  one.since <= at && (one.until ?? NOW + 1) > at;

/** Which sources say something at a time. */
const sourcesAt = (edges: readonly StoredEdge[], at: number): string[] =>
  [
    ...new Set(
      edges
        .filter(holds(at))
        .flatMap(({ assertions }) => assertions.filter(holds(at)))
        .map(({ source }) => source),
    ),
  ].sort();

test('every moment keeps its sources, no moment has two edges, and the present has one assertion per source', () => {
  for (let seed = 1; seed <= 500; seed += 1) {
    const random = createRandom(seed);
    const moving = newEdges(random, 'moving', 'other', 'island');
    const present = newEdges(random, 'present', 'other', 'table');
    const moved = mergeEdges(moving, present, MOVE, NOW);
    const replaced = new Set(moved.flatMap((edge) => edge.replaced));
    const after = [...moved, ...present.filter((edge) => !replaced.has(edge))];
    for (let at = 0; at < NOW; at += 1) {
      assert.equal(sourcesAt(after, at), sourcesAt([...moving, ...present], at), `seed ${seed} at ${at}`);
      assert.ok(after.filter(holds(at)).length <= 1, `seed ${seed} has two edges at ${at}`);
    }
    assert.equal(sourcesAt(after, NOW), sourcesAt([...moving, ...present], NOW), `seed ${seed} now`);
    for (const edge of moved) {
      const live = edge.assertions.filter(({ until }) => until === undefined);
      assert.is(new Set(live.map(({ source }) => source)).size, live.length, `seed ${seed}: one per source`);
      assert.is(live.length > 0, edge.until === undefined);
      const orders = edge.assertions.map(({ order }) => order);
      assert.is(new Set(orders).size, orders.length);
      assert.ok(Math.max(...orders) < Number(edge.properties['revision']) + 1);
    }
    assert.is(new Set(after.map(({ id }) => id)).size, after.length);
    const ids = after.flatMap(({ assertions }) => assertions.map(({ id }) => id));
    for (const { assertions } of [...moving, ...present])
      for (const { id } of assertions) assert.ok(ids.includes(id), `seed ${seed} lost ${id}`);
  }
});

test('what the newer assertion of a source omits keeps its earlier value', () => {
  const said = (id: string, since: number, content: StoredAssertion['content']): StoredAssertion => ({
    ...newAssertion(createRandom(1), id, 'OpenLineage', since, undefined),
    content,
  });
  const edge = (id: string, to: string, since: number, assertion: StoredAssertion): StoredEdge => ({
    id,
    from: 'other',
    to,
    since,
    until: undefined,
    properties: { id, revision: 1 },
    assertions: [assertion],
  });
  const older = edge('a', 'island', 10, said('one', 10, { sqlQuery: 'old', mappings: [{ from: ['X'], to: 'Y' }] }));
  const newer = edge('b', 'table', 20, said('two', 20, { description: 'new', mappings: [] }));
  const [moved] = mergeEdges([older], [newer], MOVE, NOW);
  assert.equal([moved?.id, moved?.since, moved?.until], ['b', 10, undefined]);
  assert.equal(
    moved?.assertions.map(({ id, since, until }) => [id.length > 3 ? 'united' : id, since, until]),
    [
      ['one', 10, 20],
      ['two', 20, NOW],
      ['united', NOW, undefined],
    ],
  );
  const { mappings, sqlQuery, description, createdAt } = moved?.merged ?? {};
  assert.equal([mappings, sqlQuery, description, createdAt], [[{ from: ['X'], to: 'y' }], 'old', 'new', 10]);
});

test.run();
