import * as assert from 'uvu/assert';
import { UTC } from '../../src/contracts/validation/time-zone.ts';
import { createSecondsOfDay, isBroken, judgeWay } from '../../src/insight/promises/judge-way.ts';
import { type AgreedLevel, parseServiceLevel } from '../../src/insight/promises/service-levels.ts';
import { listWays } from '../../src/insight/promises/ways.ts';
import { suite } from '../support/suite.ts';
import { type Arc, drawArcs, networkOf, randomFrom } from './random-graphs.ts';

/** Shows which ways lead to an asset, and how promises on one are judged. */

const test = suite('insight: ways and promises');

const PLENTY = { ways: 10_000, length: 50 };

/** All sequences of distinct nodes along edges that end at one and that no edge makes longer at the front. */
const slowWays = (arcs: readonly Arc[], target: number): string[] => {
  const found: string[] = [];
  let open: (readonly number[])[] = [[target]];
  while (open.length > 0) {
    const longer: (readonly number[])[] = [];
    for (const way of open) {
      const above = arcs.flatMap(([from, to]) => (to === way[0] && !way.includes(from) ? [from] : []));
      if (above.length === 0) found.push(way.join());
      for (const node of above) longer.push([node, ...way]);
    }
    open = longer;
  }
  return found.sort();
};

test('the ways are those of the slow search, on random graphs', () => {
  for (let seed = 1; seed <= 80; seed += 1) {
    const random = randomFrom(seed);
    const size = 2 + Math.floor(random() * 8);
    const arcs = drawArcs(random, size, Math.floor(random() * size * 2), seed % 2 === 0);
    const network = networkOf(size, arcs);
    const numberOf = new Map(network.assets.map(({ id }, node) => [id, node]));
    for (let target = 0; target < size; target += 1) {
      const { ways, cut } = listWays(network, [network.assets[target]?.id ?? ''], PLENTY);
      const found = ways.map((way) => way.map((id) => numberOf.get(id)).join()).sort();
      assert.equal([found, cut], [slowWays(arcs, target), undefined], `seed ${seed}`);
    }
  }
});

/** Layers of two assets each, which all feed both of the next layer. */
const layered = (layers: number) => {
  const arcs = Array.from({ length: layers - 1 }, (_, layer) =>
    [0, 1].flatMap((from) => [0, 1].map((to): Arc => [2 * layer + from, 2 * layer + 2 + to])),
  ).flat();
  return networkOf(2 * layers, arcs);
};

test('limits are kept and told, and each target has a way', () => {
  const network = layered(12);
  const [one = '', other = ''] = network.assets.slice(-2).map(({ id }) => id);
  assert.equal([listWays(network, [one], PLENTY).ways.length, 2 ** 11], [2048, 2048]);
  const few = listWays(network, [one, other], { ...PLENTY, ways: 10 });
  assert.equal([few.ways.length, few.cut], [10, 'paths']);
  assert.equal(
    few.ways.map((way) => way.at(-1)),
    [...new Array(9).fill(one), other],
  );
  const short = listWays(network, [one], { ...PLENTY, length: 3 });
  assert.equal([short.ways.length, short.cut, short.ways[0]?.length], [4, 'depth', 3]);
  const exact = listWays(network, [one], { ...PLENTY, ways: 2048, length: 12 });
  assert.equal([exact.ways.length, exact.cut], [2048, undefined]);
});

test('an asset outside of lineage is a way of its own', () => {
  assert.equal(listWays(networkOf(0, []), ['x'], PLENTY), { ways: [['x']], cut: undefined });
});

const level = (contractId: string, hours?: number, time?: string, zone?: string): AgreedLevel =>
  parseServiceLevel(contractId, {
    ...(hours === undefined ? {} : { refreshFrequency: { interval: hours, unit: 'hour' } }),
    ...(time === undefined ? {} : { availabilityTime: time }),
    ...(zone === undefined ? {} : { timezone: zone }),
  });

const HOUR = 3600;
const NOW = Date.UTC(2026, 5, 1, 12);

const judge = (levels: Readonly<Record<string, AgreedLevel>>, product?: AgreedLevel) =>
  judgeWay(['a', 'b', 'c'], {
    product,
    levels: new Map(Object.entries(levels)),
    secondsOfDay: createSecondsOfDay(NOW),
  });

test('the delays of a way add up, and are compared with the last promise', () => {
  const { freshness, uncovered } = judge({ a: level('A', 1), b: level('B', 24), c: level('C', 24) });
  assert.equal([freshness, uncovered], [{ promised: 24 * HOUR, upstream: 25 * HOUR, holds: false }, []]);
  const gap = judge({ a: level('A', 1), c: level('C', 24) });
  assert.equal([gap.freshness, gap.uncovered], [{ promised: 24 * HOUR, upstream: HOUR, holds: true }, ['b']]);
  assert.equal(judge({ a: level('A', 1) }).freshness, { promised: null, upstream: HOUR, holds: null });
  assert.equal(judge({ c: level('C', 1) }).freshness, { promised: HOUR, upstream: null, holds: null });
  assert.equal(judge({ b: level('B'), c: level('C') }).freshness, { promised: null, upstream: null, holds: null });
});

test('a data product promises before its asset, and a contract counts once', () => {
  const product = level('P', 24);
  const { freshness } = judge({ a: level('A', 20), b: product, c: product }, product);
  assert.equal(freshness, { promised: 24 * HOUR, upstream: 20 * HOUR, holds: true });
  const own = judge({ a: level('A', 20), c: level('C', 5) }, product);
  assert.equal(own.freshness, { promised: 24 * HOUR, upstream: 25 * HOUR, holds: false });
  const shared = level('S', 10);
  assert.is(judge({ a: shared, b: shared, c: level('C', 15) }).freshness.upstream, 10 * HOUR);
});

test('the latest time of day upstream is compared with the promised one, on its clock', () => {
  const { availability } = judge({ a: level('A', 1, '05:30'), b: level('B', 1, '07:00'), c: level('C', 1, '06:00') });
  assert.equal(availability, { promised: 6 * HOUR, upstream: 7 * HOUR, holds: false });
  const abroad = judge({
    a: level('A', 1, '18:30', 'GMT-05:00 (America/New York)'),
    c: level('C', 1, '19:30', 'GMT-05:00 (America/New York)'),
  });
  assert.is(abroad.availability.holds, true, 'although midnight in Greenwich lies between');
  const paris = judge({ b: level('B', 1, '04:30'), c: level('C', 1, '06:00', '+01:00') });
  assert.equal(paris.availability, { promised: 6 * HOUR, upstream: 5.5 * HOUR, holds: true });
  assert.is(isBroken(paris), false);
});

test('durations are read as the contract writes them', () => {
  const sla = { refreshFrequency: { interval: 2, unit: 'day' }, maxLatency: { value: 30, unit: 'minute' } };
  assert.is(parseServiceLevel('x', sla).delay, 48 * HOUR + 1800);
  assert.is(parseServiceLevel('x', { refreshFrequency: { interval: 1, unit: 'month' } }).delay, 720 * HOUR);
  assert.is(parseServiceLevel('x', { maxLatency: { value: 30, unit: 'minute' } }).delay, undefined);
  assert.equal(parseServiceLevel('x', { availabilityTime: '09:15' }).availableAt, { minutes: 555, zone: UTC });
  assert.is(parseServiceLevel('x', { availabilityTime: 'soon' }).availableAt, undefined);
});

test.run();
