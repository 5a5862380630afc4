import * as assert from 'uvu/assert';
import type { ColumnStep, TracedColumn } from '../../src/insight/columns/column-graph.ts';
import { followLabel, type Inherited, type LabelFlow, PROPAGATION_STOP } from '../../src/insight/propagation/ways.ts';
import { createRandom } from '../support/random.ts';
import { suite } from '../support/suite.ts';
import { randomFrom, shuffled } from './random-graphs.ts';

/** Compares the ways of labels with all ways there are, on small random graphs. */

const test = suite('insight: ways of labels');

const OWNER = {
  id: 'o',
  entityType: 'table',
  name: 'o',
  fullyQualifiedName: 's.o',
  deleted: false,
} as TracedColumn['owner'];

type Flow = LabelFlow & { readonly columns: readonly TracedColumn[]; readonly stops: ReadonlySet<string> };

const randomFlow = (seed: number): Flow => {
  const random = createRandom(seed);
  const count = 4 + random(7);
  const columns = Array.from({ length: count }, (_, at): TracedColumn => {
    const key = `c${(at * 7) % count}_${at}`;
    return { key, name: key, fullyQualifiedName: `s.o.${key}`, owner: OWNER, labels: [] };
  });
  const pick = () => columns[random(count)] as TracedColumn;
  const byPair = new Map<string, ColumnStep>();
  for (let at = 0; at < count * 2; at += 1) {
    const [from, to] = [pick(), pick()];
    const blocker = random(10) < 2 ? 'md5' : undefined;
    byPair.set(`${from.key} ${to.key}`, { from, to, blocker, confidence: 0.5 + random(5) / 10 });
  }
  const stops = new Set(columns.filter(() => random(100) < 12).map(({ key }) => key));
  return {
    columns,
    steps: [...byPair.values()],
    sources: columns.filter(() => random(100) < 35),
    stops,
    isStop: ({ key }) => stops.has(key),
    maxDepth: 1 + random(6),
  };
};

type AnyWay = { readonly columns: readonly TracedColumn[]; readonly steps: readonly ColumnStep[] };

const listWays = ({ steps, sources, maxDepth }: Flow): readonly AnyWay[] => {
  const ways: AnyWay[] = [];
  const extend = (way: AnyWay): void => {
    if (way.steps.length > 0) ways.push(way);
    if (way.steps.length === maxDepth) return;
    for (const step of steps)
      if (step.from === way.columns.at(-1) && !way.columns.includes(step.to))
        extend({ columns: [...way.columns, step.to], steps: [...way.steps, step] });
  };
  for (const source of sources) extend({ columns: [source], steps: [] });
  return ways;
};

const isOpen = ({ stops }: Flow, { columns, steps }: AnyWay): boolean =>
  steps.every(({ blocker }) => blocker === undefined) && !columns.some(({ key }) => stops.has(key));

const least = (numbers: readonly number[]): number => Math.min(...numbers);
const product = ({ steps }: AnyWay): number => steps.reduce((all, { confidence }) => all * confidence, 1);
const isSamePath = (one: readonly TracedColumn[], other: readonly TracedColumn[]): boolean =>
  one.length === other.length && one.every((column, at) => column === other[at]);

/** The distances of the nearest sources. */
const nearest = (ways: readonly AnyWay[]): readonly number[] =>
  [...new Set(ways.map(({ columns: [source] }) => source))]
    .map((source) => least(ways.filter(({ columns }) => columns[0] === source).map(({ steps }) => steps.length)))
    .sort((a, b) => a - b)
    .slice(0, 5);

const checkInherited = (found: Inherited, open: readonly AnyWay[], why: string): void => {
  const lengths = found.paths.map((path) => path.length - 1);
  assert.is(found.blockedBy, undefined, why);
  assert.is(lengths[0], least(open.map(({ steps }) => steps.length)), why);
  assert.equal(
    lengths,
    [...lengths].sort((a, b) => a - b),
    why,
  );
  assert.ok(found.paths.length <= 3 && found.sources.length <= 5, why);
  for (const [at, path] of found.paths.entries()) {
    assert.ok(
      open.some(({ columns }) => isSamePath(columns, path)),
      why,
    );
    assert.not.ok(
      found.paths.slice(0, at).some((other) => isSamePath(other, path)),
      why,
    );
  }
  assert.equal(
    found.sources.map((source) =>
      least(open.filter(({ columns }) => columns[0] === source).map(({ steps }) => steps.length)),
    ),
    nearest(open),
    why,
  );
  assert.ok(Math.abs(found.confidence - Math.max(...open.map(product))) < 1e-9, why);
};

const checkBlocked = (flow: Flow, found: Inherited, ways: readonly AnyWay[], why: string): void => {
  const [path = []] = found.paths;
  assert.is(path.length - 1, least(ways.map(({ steps }) => steps.length)), why);
  const way = ways.find(({ columns }) => isSamePath(columns, path));
  assert.ok(way, why);
  const obstacles = [
    ...(flow.stops.has(path[0]?.key ?? '') ? [{ from: path[0], to: path[0], function: PROPAGATION_STOP }] : []),
    ...(way?.steps ?? []).flatMap(({ from, to, blocker }) => {
      const how = blocker ?? (flow.stops.has(to.key) ? PROPAGATION_STOP : undefined);
      return how === undefined ? [] : [{ from, to, function: how }];
    }),
  ];
  assert.equal(found.blockedBy, obstacles[0], why);
};

test('each column has its nearest sources, its shortest ways, and the confidence of the best', () => {
  const counts = { open: 0, blocked: 0, none: 0 };
  for (let seed = 1; seed <= 600; seed += 1) {
    const flow = randomFlow(seed);
    const found = new Map(followLabel(flow).map((row) => [row.column.key, row]));
    const all = listWays(flow);
    for (const column of flow.columns) {
      const why = `seed ${seed}, ${column.key}`;
      const ways = all.filter(({ columns }) => columns.at(-1) === column);
      const open = ways.filter((way) => isOpen(flow, way));
      const row = found.get(column.key);
      if (open.length > 0) {
        assert.ok(row, why);
        if (row) checkInherited(row, open, why);
        counts.open += 1;
      } else if (ways.length > 0 && !flow.sources.includes(column)) {
        assert.ok(row, why);
        if (row) checkBlocked(flow, row, ways, why);
        counts.blocked += 1;
      } else {
        assert.is(row, undefined, why);
        counts.none += 1;
      }
    }
  }
  assert.ok(least(Object.values(counts)) > 300, JSON.stringify(counts));
});

test('the order in which things are stored does not matter', () => {
  for (let seed = 1; seed <= 100; seed += 1) {
    const flow = randomFlow(seed);
    const steps = shuffled(randomFrom(seed + 1), flow.steps);
    const sources = shuffled(randomFrom(seed + 2), flow.sources);
    assert.equal(followLabel({ ...flow, steps, sources }), followLabel(flow), `seed ${seed}`);
  }
});

test.run();
