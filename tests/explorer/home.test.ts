import * as assert from 'uvu/assert';
import { readEntityLink } from '../../src/explorer/api/entity-link.ts';
import { type Hit, readHit } from '../../src/explorer/api/hit.ts';
import type { Schemas } from '../../src/explorer/api/types.ts';
import { describeEventChange, latestEvents } from '../../src/explorer/home/changes.ts';
import { rankEntryPoints } from '../../src/explorer/home/entry-points.ts';
import { newestFailures, readFailedContract, readFailedTest } from '../../src/explorer/home/failures.ts';
import { formatAge } from '../../src/explorer/parts/times.ts';
import { titleOf } from '../../src/explorer/parts/title-of.ts';
import { suite } from '../support/suite.ts';

/** Shows what the start page makes of the answers of the API. */

const test = suite('explorer: start page');

const hit = (name: string, uses: number, tier = ''): Hit =>
  readHit({
    _source: {
      id: name,
      entityType: 'table',
      name,
      fullyQualifiedName: name,
      tier: { tagFQN: tier },
      usageSummary: { weeklyStats: { count: uses } },
    },
  });

test('entry points are ordered by use and tier, and each is there once', () => {
  const [used, busy, first, dull] = [
    hit('used', 1000, 'Tier.Tier1'),
    hit('busy', 900),
    hit('first', 0, 'Tier.Tier1'),
    hit('dull', 0),
  ];
  const ranked = rankEntryPoints(
    [
      [used, busy, dull],
      [used, first],
    ],
    3,
  );
  assert.equal(
    ranked.map(({ name }) => name),
    ['used', 'busy', 'first'],
  );
});

test('where nothing is used, the tier decides', () => {
  const ranked = rankEntryPoints([[hit('b', 0, 'Tier.Tier3'), hit('c', 0), hit('a', 0, 'Tier.Tier1')]], 8);
  assert.equal(
    ranked.map(({ name }) => name),
    ['a', 'b', 'c'],
  );
  assert.equal(rankEntryPoints([[], []], 8), []);
});

test('entity links name an asset, and a column of it', () => {
  assert.equal(readEntityLink('<#E::table::a.b.c.d>'), { type: 'table', fqn: 'a.b.c.d', column: undefined });
  assert.equal(readEntityLink('<#E::table::a.b.c."d::e"::columns::f>'), {
    type: 'table',
    fqn: 'a.b.c."d::e"',
    column: 'f',
  });
  assert.is(readEntityLink('<#E::table>'), undefined);
  assert.is(readEntityLink(''), undefined);
});

const contract = (name: string, status: string, timestamp: number) =>
  ({
    id: name,
    name,
    entity: { id: 'e', type: 'table', name: 'orders', fullyQualifiedName: 'a.b.c.orders' },
    latestResult: { status, timestamp, message: 'bad' },
  }) as unknown as Schemas['DataContract'];

test('the newest failures of tests and contracts stand together, each with its asset', () => {
  const tests = [
    readFailedTest({
      id: 't',
      name: 'unique',
      entityLink: '<#E::table::a.b.c."my.table"::columns::id>',
      testCaseResult: { timestamp: 20, result: 'twice' },
    }),
  ];
  const contracts = [contract('old', 'Failed', 10), contract('new', 'PartialSuccess', 30)].map(readFailedContract);
  const newest = newestFailures(tests, contracts, 2);
  assert.equal(
    newest.map(({ id }) => id),
    ['new', 't'],
  );
  assert.equal([newest[0]?.status, newest[0]?.text], ['PartialSuccess', 'bad']);
  assert.equal(newest[1]?.asset, { type: 'table', fqn: 'a.b.c."my.table"', name: 'my.table › id' });
  assert.equal(newest[0]?.asset, { type: 'table', fqn: 'a.b.c.orders', name: 'orders' });
});

const event = (more: object) =>
  ({ eventType: 'entityUpdated', entityId: 'x', timestamp: 1, ...more }) as Schemas['ChangeEvent'];
const fields = (...names: readonly string[]) => names.map((name) => ({ name }));

test('a change is described by what it changed, each named once', () => {
  const described = (fieldsAdded: object, fieldsUpdated: object = []) =>
    describeEventChange(event({ changeDescription: { fieldsAdded, fieldsUpdated, fieldsDeleted: [] } }));
  assert.is(described(fields('columns.a.description', 'columns.b'), fields('displayName')), 'changed columns, name');
  assert.is(described(fields('a', 'b', 'c', 'd', 'e', 'f')), 'changed a, b, c, d and 2 more');
  assert.is(described([]), 'changed');
  assert.is(describeEventChange(event({ eventType: 'entitySoftDeleted' })), 'deleted');
});

test('of several events of an asset the latest counts, in whatever order they come', () => {
  const latest = latestEvents([event({ timestamp: 3, userName: 'late' }), event({ timestamp: 2, userName: 'early' })]);
  assert.is(latest.get('x')?.userName, 'late');
});

test('ages are told in their largest unit', () => {
  assert.is(formatAge(0, 59_000), 'just now');
  assert.is(formatAge(0, 61_000), '1 minute ago');
  assert.is(formatAge(0, 49 * 3_600_000), '2 days ago');
});

test('a page is called by its heading, whatever stands in it', () => {
  assert.is(titleOf(' Lineage  of\n<img src=x> '), 'Lineage of <img src=x> · Tributary');
  assert.is(titleOf(''), 'Tributary');
  assert.is(titleOf('x'.repeat(200)).length, 120 + ' · Tributary'.length);
});

test.run();
