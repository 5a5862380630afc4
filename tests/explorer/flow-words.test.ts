import * as assert from 'uvu/assert';
import { describeFlow, describeFlows, FLOW_TARGETS, findFlowTargets } from '../../src/explorer/flows/flow-words.ts';
import { suite } from '../support/suite.ts';

/** Shows how the explorer tells where labels flow. */

const test = suite('explorer: flows in words');

test('a flow tells its length, and how many more ways there are', () => {
  assert.is(describeFlow({ depth: 1, ways: 1 }), 'directly');
  assert.is(describeFlow({ depth: 4, ways: 1 }), 'in 4 steps');
  assert.is(describeFlow({ depth: 2, ways: 12_000 }), 'in 2 steps, 12,000 ways in all');
});

test('a list tells how many columns get to how many targets', () => {
  assert.is(describeFlows({ sources: 1, targets: 1, ways: 3 }), 'One column gets to one of them.');
  assert.is(describeFlows({ sources: 2, targets: 1500, ways: 3000 }), '2 columns get to 1,500 of them.');
});

test('an address names what flows are looked for, or else those that matter most', () => {
  assert.is(findFlowTargets('tables').types, 'table');
  for (const name of [null, 'nonsense']) assert.is(findFlowTargets(name), FLOW_TARGETS[0]);
});

test.run();
