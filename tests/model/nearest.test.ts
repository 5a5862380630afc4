import * as assert from 'uvu/assert';
import { differenceOf, nearestOf } from '../../src/model/nearest.ts';
import { suite } from '../support/suite.ts';

/** Shows which name is suggested for one that is not known. */

const test = suite('model: nearest name');

test('the nearest name is suggested, whatever its letter case, and no distant one', () => {
  const names = ['upstreamDepth', 'direction', 'fqn', 'id'];
  assert.is(nearestOf('upstreamdepth', names), 'upstreamDepth');
  assert.is(nearestOf('directoin', names), 'direction');
  assert.is(nearestOf('fqm', names), 'fqn');
  assert.is(nearestOf('ownr', ['owners', 'name']), 'owners');
  for (const name of ['limit', 'xyz', '', 'x'.repeat(65)]) assert.is(nearestOf(name, names), undefined, name);
  assert.is(nearestOf('id', []), undefined);
});

test('the difference of texts is a share of their letters', () => {
  assert.is(differenceOf('Host:5432', 'host:5432'), 0);
  assert.is(differenceOf('', ''), 0);
  assert.is(differenceOf('abcd', 'wxyz'), 1);
  assert.is(differenceOf('abcd', 'abcx'), 0.25);
  assert.is(differenceOf('x'.repeat(100_000), 'x'.repeat(200_000)), 0);
});

test.run();
