import * as assert from 'uvu/assert';
import { listChangeTimes, listValues } from '../../src/explorer/lineage/offers.ts';
import {
  findEarlier,
  nextChange,
  orderTimes,
  rangeOf,
  readLocal,
  readTime,
  stepOf,
  writeLocal,
  writeTime,
} from '../../src/explorer/lineage/times.ts';
import { suite } from '../support/suite.ts';

/** Shows which times and filters are offered for a lineage. */

const test = suite('explorer: times and filters');

test('the scale begins with what was known first, and has a length', () => {
  assert.equal(rangeOf(5000, [2000, 9000], 10_000), { from: 2000, to: 10_000 });
  assert.equal(rangeOf(1000, [2000], 10_000), { from: 1000, to: 10_000 });
  assert.equal(rangeOf(undefined, [], 10_000), { from: 9000, to: 10_000 });
  assert.is(stepOf({ from: 0, to: 1000 }), 2);
  assert.is(stepOf({ from: 0, to: 10 }), 1);
});

test('one goes from change to change', () => {
  assert.is(nextChange([10, 20, 30], 20, 'before'), 10);
  assert.is(nextChange([10, 20, 30], 20, 'after'), 30);
  assert.is(nextChange([10], 10, 'before'), undefined);
});

test('times are the same after fields and addresses held them', () => {
  const time = new Date(2026, 0, 5, 7, 8, 9).getTime();
  assert.is(writeLocal(time), '2026-01-05T07:08:09');
  assert.is(readLocal(writeLocal(time)), time);
  assert.is(readTime(writeTime(time + 123)), time + 123);
  assert.is(readLocal(''), undefined);
  assert.is(readTime('yesterday'), undefined);
  assert.is(readTime(undefined), undefined);
});

const HOUR = 3_600_000;

test('a time is compared with the one before its latest run of changes, or else with the beginning', () => {
  const changes = [HOUR, HOUR + 5, 10 * HOUR, 10 * HOUR + 5, 10 * HOUR + 900];
  const range = { from: 0, to: 20 * HOUR };
  assert.is(findEarlier(changes, range, 20 * HOUR), HOUR + 5);
  assert.is(findEarlier(changes, range, 10 * HOUR), HOUR + 5);
  assert.is(findEarlier(changes, range, 9 * HOUR), 0);
  assert.is(findEarlier([], range, 5), 0);
  assert.is(findEarlier(changes, range, 0), undefined, 'nothing is earlier than the beginning');
});

test('of two times in an address the later is compared with the earlier, and what is to come says nothing', () => {
  const [early, late] = ['2026-01-01T00:00:00Z', '2026-02-01'];
  const now = Date.UTC(2026, 2, 1);
  const order = (asOf?: string, since?: string) => orderTimes({ asOf, since }, now);
  assert.equal(order(late, early), { asOf: late, since: early });
  assert.equal(order(early, late), { asOf: late, since: early });
  assert.equal(order(early, early), { asOf: early, since: undefined });
  assert.equal(order(undefined, early), { asOf: undefined, since: early });
  assert.equal(order('2027-01-01', early), { asOf: undefined, since: early });
  assert.equal(order(early, '2027-01-01'), { asOf: early, since: undefined });
  assert.equal(order('yesterday', 'tomorrow'), { asOf: undefined, since: undefined });
  assert.equal(order(String(Date.UTC(2026, 0, 5))), { asOf: String(Date.UTC(2026, 0, 5)), since: undefined });
});

const node = (id: string, depth: number, more = {}) => ({ id, type: 'table', depth, ...more });

test('only changes within the depth are offered', () => {
  const edge = (fromEntity: string, toEntity: string, createdAt: number, updatedAt: number) => ({
    ...{ fromEntity, toEntity },
    lineageDetails: { createdAt, updatedAt },
  });
  const graph = {
    nodes: [node('root', 0), node('up', -1), node('further', -2), node('down', 1)],
    edges: [edge('up', 'root', 30, 40), edge('further', 'up', 1, 2), edge('root', 'down', 30, 50)],
  };
  assert.equal(listChangeTimes(graph, { upstream: 1, downstream: 1 }), [30, 40, 50]);
  assert.equal(listChangeTimes(graph, { upstream: 1, downstream: 0 }), [30, 40]);
  assert.equal(listChangeTimes(graph, { upstream: 2, downstream: 0 }), [1, 2, 30, 40]);
});

test('filters offer what records have, what most have first, and what is chosen always', () => {
  const service = (name: string) => ({
    service: { id: name, type: 'databaseService', name, fullyQualifiedName: name },
  });
  const nodes = [
    node('a', 0, service('b shop')),
    node('b', 1, { ...service('warehouse'), domains: [{ fullyQualifiedName: 'Sales', name: 'Sales' }] }),
    node('c', 1, service('warehouse')),
    { ...node('d', 1, service('secret')), hidden: true },
  ];
  assert.equal(
    listValues(nodes, 'services', ['gone']).map(({ value, count }) => [value, count]),
    [
      ['warehouse', 2],
      ['b shop', 1],
      ['gone', 0],
    ],
  );
  assert.equal(listValues(nodes, 'types', []), [{ value: 'table', name: 'Tables', count: 3 }]);
  assert.equal(listValues(nodes, 'domains', []), [{ value: 'Sales', name: 'Sales', count: 1 }]);
});

test.run();
