/** Shows how the assertions of several sources are merged into one edge (lineage.md 11, clarifications). */
import * as assert from 'uvu/assert';
import type { Assertion, AssertionContent } from '../../src/lineage/edge.ts';
import { mergeAssertions } from '../../src/lineage/merge-assertions.ts';
import { suite } from '../support/suite.ts';

const test = suite('lineage: merged assertions');

const said = (order: number, content: Partial<AssertionContent>, more: Partial<Assertion> = {}): Assertion => ({
  id: `assertion ${order}`,
  source: `Source${order}`,
  since: order * 10,
  order,
  createdAt: order * 10,
  createdBy: `creator ${order}`,
  updatedAt: order * 100,
  updatedBy: `updater ${order}`,
  content: { mappings: [], ...content },
  ...more,
});

test('without assertions there is no edge', () => {
  assert.is(mergeAssertions([]), undefined);
});

test('the edge has the newest source and the earliest creation, in whatever order the assertions come', () => {
  const all = [said(1, {}, { createdAt: 50 }), said(2, {}, { createdAt: 20 }), said(3, {}, { createdAt: 70 })];
  for (const order of [all, [...all].reverse()]) {
    assert.equal(mergeAssertions(order), {
      source: 'Source3',
      createdAt: 20,
      createdBy: 'creator 2',
      updatedAt: 300,
      updatedBy: 'updater 3',
      mappings: [],
    });
  }
});

test('each detail comes from the newest assertion that has it', () => {
  const merged = mergeAssertions([
    said(3, {}),
    said(1, { sqlQuery: 'old', pipelineId: 'p1', tempLineageTables: ['t1'] }),
    said(2, { sqlQuery: 'new' }),
  ]);
  assert.equal([merged?.sqlQuery, merged?.pipelineId, merged?.tempLineageTables], ['new', 'p1', ['t1']]);
});

test('both descriptions come from one source, each at the place where it was sent', () => {
  const both = said(1, { description: 'in details', edgeDescription: 'beside them' });
  const described = (...all: readonly Assertion[]) => {
    const merged = mergeAssertions(all);
    return [merged?.description, merged?.edgeDescription];
  };
  assert.equal(described(both, said(2, { sqlQuery: 'x' })), ['in details', 'beside them']);
  assert.equal(described(both, said(2, { description: 'newer' })), ['newer', undefined]);
  assert.equal(described(both, said(2, { edgeDescription: 'newer' })), [undefined, 'newer']);
});

test('column mappings of all sources are merged without duplicates, oldest first', () => {
  const one = { from: ['a'], to: 'x' };
  const made = { from: ['a'], to: 'x', function: 'UPPER' };
  const two = { from: ['a', 'b'], to: 'x' };
  assert.equal(mergeAssertions([said(2, { mappings: [one, made] }), said(1, { mappings: [two, one] })])?.mappings, [
    two,
    one,
    made,
  ]);
});

test.run();
