import * as assert from 'uvu/assert';
import { hitTotalOf } from '../../src/search/answer/hit-total.ts';
import { suite } from '../support/suite.ts';

/** Shows that the total of hits is exact or capped, as requested. */

const test = suite('search: hit totals');

const TOTALS: readonly (readonly [count: number, tracked: boolean, value: number, relation: 'eq' | 'gte'])[] = [
  [0, false, 0, 'eq'],
  [9999, false, 9999, 'eq'],
  [10_000, false, 10_000, 'eq'],
  [10_001, false, 10_000, 'gte'],
  [0, true, 0, 'eq'],
  [10_001, true, 10_001, 'eq'],
];

for (const [count, tracked, value, relation] of TOTALS) {
  test(`${count} found and ${tracked ? 'tracked' : 'not tracked'} are ${relation} ${value}`, () => {
    assert.equal(hitTotalOf(count, tracked), { value, relation });
  });
}

test.run();
