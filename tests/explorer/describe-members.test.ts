import * as assert from 'uvu/assert';
import { describeEvent } from '../../src/explorer/asset/describe-event.ts';
import { describeMembers, readableSize, showValue } from '../../src/explorer/asset/describe-members.ts';
import { isUnsaid, readableName } from '../../src/explorer/asset/member-words.ts';
import { readOuterSteps, stepOfLink } from '../../src/explorer/asset/trail.ts';
import { suite } from '../support/suite.ts';

/** Shows that members, events and places of any record become readable by their names and shapes. */

const test = suite('explorer: members in words');

test('names of members become words', () => {
  assert.equal(
    ['endpointURL', 'minimumInSyncReplicas', 'sqlExpression', 'query_type', 'constructor'].map(readableName),
    ['Endpoint URL', 'Minimum in sync replicas', 'SQL expression', 'Query type', 'Constructor'],
  );
});

test('members that say little by their names have better ones, and values that nobody chose are left out', () => {
  assert.equal(['isBot', 'parents', 'topDimensions'].map(readableName), [
    'Program',
    'Part of',
    'Values of each dimension',
  ]);
  const read = { isBot: false, topDimensions: 5, isJoinable: true, userCount: 4, provider: 'user', disabled: false };
  assert.equal(
    Object.entries(read).filter(([name, value]) => !isUnsaid(name, value)),
    [],
  );
  const said = { isBot: true, topDimensions: 6, isJoinable: false, provider: 'system', constructor: 'x', size: 0 };
  assert.is(Object.entries(said).filter(([name, value]) => isUnsaid(name, value)).length, 0);
});

test('numbers are times, sizes or numbers by their names', () => {
  assert.equal(showValue('createdAt', 1_700_000_000_000), { as: 'time', at: 1_700_000_000_000 });
  assert.equal(showValue('retentionTime', 604_800_000), { as: 'text', text: '7 days' });
  assert.equal(showValue('sizeInByte', 60_805_880), { as: 'text', text: '61 MB' });
  assert.equal(showValue('partitions', 12), { as: 'text', text: '12' });
  assert.equal([0, 999, 1500, 2_500_000_000].map(readableSize), ['0 bytes', '999 bytes', '1.5 kB', '2.5 GB']);
});

test('texts are links, code, times or texts', () => {
  assert.is(showValue('server', 'https://models.example/x')?.as, 'link');
  assert.is(showValue('server', 'javascript:alert(1)')?.as, 'text');
  assert.is(showValue('query', 'select 1')?.as, 'code');
  assert.is(showValue('startDate', '2026-01-31T12:00:00Z')?.as, 'time');
  assert.equal(showValue('schema', '{"a":1}'), { as: 'code', text: '{\n  "a": 1\n}' });
  assert.is(showValue('entityLink', '<#E::table::a.b.c.d::columns::e>')?.as, 'asset');
});

test('values in values become facts, and nothing is shown of what is empty', () => {
  const facts = describeMembers({
    connection: { config: { type: 'Kafka', port: 9092, options: {} } },
    tasks: [{ name: 'load', deleted: false, downstreamTasks: ['merge'] }],
    owners: [{ id: '1', type: 'user', name: 'ana' }],
    tags: [{ tagFQN: 'PII.Sensitive' }],
    nothing: null,
    empty: [],
    href: 'https://catalog.example',
  });
  assert.equal(
    facts.map(({ title, shown }) => `${title}: ${shown.as}`),
    ['Connection: facts', 'Tasks: list', 'Owners: references', 'Tags: chips'],
  );
  const [, tasks] = facts;
  assert.ok(tasks?.shown.as === 'list');
  assert.equal(tasks.shown.items, [
    {
      title: 'load',
      facts: [{ name: 'downstreamTasks', title: 'Downstream tasks', shown: { as: 'chips', texts: ['merge'] } }],
    },
  ]);
});

const change = (added: readonly string[], updated: readonly string[] = [], deleted: readonly string[] = []) => {
  const named = (names: readonly string[]) => names.map((name) => ({ name }));
  return describeEvent({
    eventType: 'entityUpdated',
    changeDescription: { fieldsAdded: named(added), fieldsUpdated: named(updated), fieldsDeleted: named(deleted) },
  });
};

test('events are told in sentences', () => {
  assert.is(describeEvent({ eventType: 'entityCreated' }), 'created it');
  assert.is(change(['followers']), 'began to follow it');
  assert.is(change([], [], ['followers']), 'no longer follows it');
  assert.is(change(['votes']), 'voted on it');
  assert.is(
    change(['displayName'], ['columns."net.total".description']),
    'changed columns › net.total › description; added display name',
  );
  assert.is(change(['a', 'b', 'c', 'd', 'e', 'f']), 'added a, b, c, d and 2 more');
  assert.is(change([]), 'changed it');
});

test('the way to a record begins at its service', () => {
  const ref = (type: string, name: string) => ({ id: name, type, name, fullyQualifiedName: `x.${name}` });
  const table = {
    service: ref('databaseService', 'shop'),
    database: ref('database', 'db'),
    databaseSchema: ref('databaseSchema', 'public'),
  };
  assert.equal(
    readOuterSteps(table).map(({ name }) => name),
    ['shop', 'db', 'public'],
  );
  assert.equal(readOuterSteps({ entityLink: '<#E::table::a.b.c."d.e"::columns::f>' }), [
    { type: 'table', fqn: 'a.b.c."d.e"', name: 'd.e' },
  ]);
  assert.is(stepOfLink('a text with <b>tags</b>'), undefined);
});

test.run();
