import * as assert from 'uvu/assert';
import { describeRule } from '../../src/explorer/asset/describe-rule.ts';
import { suite } from '../support/suite.ts';

/** Shows how the rules of contracts are read to people. */

const test = suite('explorer: rules in words');

const describe = (rule: unknown): string => describeRule(JSON.stringify(rule));

test('conditions are written as people write them', () => {
  assert.is(describe({ '!!': [{ var: 'description' }] }), 'description is set');
  assert.is(describe({ '>': [{ length: [{ var: 'owners' }] }, 0] }), 'number of owners > 0');
  assert.is(describe({ '==': [{ var: 'tier.tagFQN' }, 'Tier.Tier1'] }), 'tier.tagFQN is «Tier.Tier1»');
  assert.is(describe({ in: [{ var: 'name' }, ['a', 'b']] }), 'name is one of «a», «b»');
});

test('what is joined inside of something else stands in brackets', () => {
  const either = { or: [{ '!!': [{ var: 'a' }] }, { '!': [{ var: 'b' }] }] };
  assert.is(describe({ and: [either, { '!!': { var: 'c' } }] }), '(a is set or not b) and c is set');
});

test('operations without a word for them are named', () => {
  assert.is(describe({ isOwner: ['ana'] }), 'isOwner(«ana»)');
});

test('a rule in a text of its own is unwrapped, and one that is broken is shown as it is', () => {
  assert.is(describeRule(JSON.stringify('{"!!":[{"var":"name"}]}')), 'name is set');
  assert.is(describeRule('{"!!": '), '{"!!": ');
});

test.run();
