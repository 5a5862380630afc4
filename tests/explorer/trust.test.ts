import * as assert from 'uvu/assert';
import {
  listTrustKinds,
  OBSERVED,
  OLD_DAYS,
  readTrusts,
  trustIn,
  trustNote,
  trustWords,
} from '../../src/explorer/lineage/trust.ts';
import { OBSERVED_SOURCES } from '../../src/insight/agreement/agreement.ts';
import { suite } from '../support/suite.ts';

/** Shows how edges are told apart by who states them. */

const test = suite('explorer: how edges are known');

const NOW = Date.UTC(2026, 5, 1);
const DAY_MS = 24 * 60 * 60 * 1000;

type Source = Parameters<typeof trustIn>[0][number]['source'];

const said = (source: NonNullable<Source>, daysAgo = 0) => ({ source, seenAt: NOW - daysAgo * DAY_MS });

test('the same sources count as observed as in the agreement of declared and observed lineage', () => {
  assert.equal([...OBSERVED].sort(), [...OBSERVED_SOURCES].sort());
});

test('sources taken together are declared, observed, both or by hand', () => {
  const kindOf = (...sources: readonly NonNullable<Source>[]) =>
    trustIn(
      sources.map((source) => said(source)),
      NOW,
    )?.kind;
  assert.is(kindOf('Manual'), 'by-hand');
  assert.is(kindOf('DbtLineage'), 'declared');
  assert.is(kindOf('DbtLineage', 'Manual'), 'declared');
  assert.is(kindOf('QueryLineage', 'SparkLineage'), 'observed');
  assert.is(kindOf('QueryLineage', 'DbtLineage'), 'agreed');
  assert.is(kindOf('QueryLineage', 'Manual'), 'agreed', 'people declare');
  assert.is(kindOf(), undefined);
});

test('what no program said for long is old, and what people say does not age', () => {
  const isOld = (...assertions: Parameters<typeof trustIn>[0]) => trustIn(assertions, NOW)?.isOld;
  assert.is(isOld(said('DbtLineage', OLD_DAYS + 1)), true);
  assert.is(isOld(said('DbtLineage', OLD_DAYS - 1)), false);
  assert.is(isOld(said('DbtLineage', 400), said('QueryLineage', 1)), false, 'one of them is recent');
  assert.is(isOld(said('Manual', 400)), false);
  assert.is(isOld(said('Manual', 400), said('QueryLineage', 400)), false);
  assert.is(isOld({ source: 'DbtLineage' }), false, 'when it was seen last is not known of the past');
});

test('words tell what a line shows, and notes only what the source does not', () => {
  assert.is(trustWords({ kind: 'agreed', isOld: false }), 'declared and observed');
  assert.is(trustWords({ kind: 'observed', isOld: true }), 'observed, not declared, not confirmed for 30 days');
  assert.is(trustNote({ kind: 'declared', isOld: false }), undefined);
  assert.is(trustNote({ kind: 'by-hand', isOld: false }), undefined);
  assert.is(trustNote({ kind: 'declared', isOld: true }), 'not confirmed for 30 days');
  assert.is(trustNote(undefined), undefined);
});

test('a legend explains what occurs, and edges of which nothing is known have no part in it', () => {
  const edge = (toEntity: string, ...assertions: Parameters<typeof trustIn>[0]) => ({
    ...{ fromEntity: 'a', toEntity },
    assertions: [...assertions],
  });
  const trusts = readTrusts(
    [
      edge('b', said('QueryLineage', 90)),
      edge('c', said('Manual')),
      edge('d'),
      { fromEntity: 'a', toEntity: 'e', bridged: true },
    ],
    NOW,
  );
  assert.equal([...trusts.keys()], ['a b', 'a c']);
  assert.equal(listTrustKinds(trusts), { kinds: ['observed', 'by-hand'], hasOld: true });
  assert.equal(listTrustKinds(new Map()), { kinds: [], hasOld: false });
});

test.run();
