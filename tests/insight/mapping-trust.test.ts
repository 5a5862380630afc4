import * as assert from 'uvu/assert';
import { createTrustLookup, isBetterTrust } from '../../src/insight/columns/mapping-trust.ts';
import type { ColumnMapping } from '../../src/lineage/edge.ts';
import { suite } from '../support/suite.ts';

/** Shows how far statements of sources are relied on, and which functions keep labels from passing. */

const test = suite('insight: trust in mappings');

const NOW = Date.parse('2026-06-01T00:00:00Z');
const YEAR_MS = 365 * 24 * 60 * 60 * 1000;
const RULES = { blockers: new Set(['md5', 'count']), now: NOW };

const stated = (source: string, mappings: readonly ColumnMapping[], seenAt = NOW) => ({
  edgeId: 'e',
  source,
  seenAt,
  contentJson: JSON.stringify({ mappings }),
});

const trustIn = (...statements: readonly ReturnType<typeof stated>[]) => {
  const { add, trustOf } = createTrustLookup(RULES);
  for (const statement of statements) add(statement);
  return trustOf('e', 'a', 'b');
};

const copied: ColumnMapping = { from: ['a', 'c'], to: 'b' };
const made = (how: string): ColumnMapping => ({ from: ['a'], to: 'b', function: how });

test('people are believed at any age, and programs half as much each year', () => {
  assert.is(trustIn(stated('Manual', [copied], NOW - 10 * YEAR_MS)).confidence, 1);
  assert.is(trustIn(stated('DbtLineage', [copied])).confidence, 0.95);
  assert.is(trustIn(stated('QueryLineage', [copied], NOW - YEAR_MS)).confidence, 0.4);
  assert.is(trustIn(stated('QueryLineage', [copied], NOW + YEAR_MS)).confidence, 0.8, 'a clock may go ahead');
  assert.is(trustIn(stated('Unheard', [copied])).confidence, 0.5);
  assert.is(trustIn().confidence, 0.5, 'a pair that no source states any more');
});

test('of several statements the best counts that lets labels pass', () => {
  const hashed = stated('Manual', [made('md5(a)')]);
  assert.equal(trustIn(hashed), { blocker: 'md5(a)', confidence: 1 });
  assert.equal(trustIn(hashed, stated('QueryLineage', [copied])), { blocker: undefined, confidence: 0.8 });
  assert.equal(trustIn(stated('QueryLineage', [copied]), stated('DbtLineage', [copied])).confidence, 0.95);
  assert.ok(isBetterTrust({ blocker: undefined, confidence: 0.1 }, { blocker: 'md5', confidence: 1 }));
});

test('the first word of a function is compared, in any case', () => {
  for (const how of ['md5(a)', ' MD5 (a)', 'Count a', 'md5'])
    assert.is(trustIn(stated('Manual', [made(how)])).blocker, how);
  for (const how of ['md5_short(a)', 'lower(md5(a))', 'accounts', '', '(md5)'])
    assert.is(trustIn(stated('Manual', [made(how)])).blocker, undefined, how);
});

test.run();
