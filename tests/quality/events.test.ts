import * as assert from 'uvu/assert';
import { describe, follow, inboxOf, inShort, newActor, newPerson, type Person } from '../notifications/fixture.ts';
import { ok } from '../support/expect.ts';
import { CASES, createQualityTests, type QualityTests, SUITES } from '../support/quality-tests.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { readEventsAfter, waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that a changed test status publishes an event and notifies the right users (events.md 5). */

const test = suite('quality: events and notifications');

let service: Service;
let testing: QualityTests;
let actor: Person;
test.before(async () => {
  service = await openService();
  testing = createQualityTests(service);
  actor = await newActor(service);
});

const START = 1_763_700_000_000;

const at = (fqn: string): string => `${CASES}/testCaseResults/${encodeURIComponent(fqn)}`;

const send = async (fqn: string, second: number, testCaseStatus: string) =>
  ok(await actor.post(at(fqn), { timestamp: START + second * 1000, testCaseStatus }), 201);

/** The events of a record after a number, in short. */
const eventsOf = async (id: string, after: number) => {
  await waitForSequencing(service);
  return (await readEventsAfter(service, after)).filter(({ entityId }) => entityId === id);
};

test('a changed status is an event of the test case with its result, and the same status again is none', async () => {
  const made = await testing.test(await testing.table());
  const before = await waitForSequencing(service);
  await send(made.fullyQualifiedName, 0, 'Failed');
  await send(made.fullyQualifiedName, 1, 'Failed');
  await send(made.fullyQualifiedName, 3, 'Success');
  await send(made.fullyQualifiedName, 2, 'Failed');
  ok(await actor.delete(`${at(made.fullyQualifiedName)}/${START + 3000}`));
  for (const second of [0, 1, 2]) ok(await actor.delete(`${at(made.fullyQualifiedName)}/${START + second * 1000}`));
  const events = await eventsOf(made.id, before);
  assert.equal(
    events.map(({ eventType, userName }) => [eventType, userName]),
    Array.from({ length: 4 }, () => ['entityUpdated', actor.name]),
  );
  const told = events.map((event) => {
    // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
    const { changeDescription, currentVersion, previousVersion, entity } = event.value() as any;
    const { fieldsAdded = [], fieldsUpdated = [], fieldsDeleted = [] } = changeDescription;
    assert.is(currentVersion, previousVersion);
    const names = [...fieldsAdded, ...fieldsUpdated, ...fieldsDeleted].map(({ name }) => name);
    assert.equal(names, ['testCaseResult']);
    return entity.testCaseStatus;
  });
  assert.equal(told, ['Failed', 'Success', 'Failed', undefined]);
});

test('repeating a test case publishes no event, nor does a result that is not the latest', async () => {
  const made = await testing.test(await testing.table());
  await send(made.fullyQualifiedName, 5, 'Failed');
  const before = await waitForSequencing(service);
  await send(made.fullyQualifiedName, 5, 'Failed');
  await send(made.fullyQualifiedName, 1, 'Success');
  assert.equal(await eventsOf(made.id, before), []);
});

const owned = (table: CreatedRecord, owner: Person) =>
  service.admin.patch(`/v1/tables/${table.id}`, { owners: [{ id: owner.id, type: 'user' }] });

const linesOf = async (client: Person, name: string) =>
  inShort(await inboxOf(service, client)).filter((line) => line.includes(` ${name}:`));

test('owners of the test case and the table, and followers of the test case, are notified', async () => {
  const [own, tableOwner, follower, bystander] = [
    await newPerson(service),
    await newPerson(service),
    await newPerson(service),
    await newPerson(service),
  ];
  const table = await testing.table();
  ok(await owned(table, tableOwner));
  const [one, other] = [
    await testing.test(table),
    await testing.test(table, 'id', { owners: [{ id: own.id, type: 'user' }] }),
  ];
  await follow(follower, 'dataQuality/testCases', one.id);
  await send(one.fullyQualifiedName, 0, 'Failed');
  await send(other.fullyQualifiedName, 0, 'Failed');
  const line = (reason: string, name: string) => new RegExp(`^${reason} entityUpdated ${name}: .*testCaseResult`);
  assert.match((await linesOf(tableOwner, one.name))[0] ?? '', line('owner', one.name));
  assert.match((await linesOf(follower, one.name))[0] ?? '', line('follower', one.name));
  assert.match((await linesOf(own, other.name))[0] ?? '', line('owner', other.name));
  assert.equal(await linesOf(tableOwner, other.name), [], 'its own owner takes the place of the table’s');
  assert.equal(await linesOf(follower, other.name), []);
  assert.equal(await linesOf(bystander, one.name), []);
  await send(one.fullyQualifiedName, 1, 'Failed');
  assert.is((await linesOf(follower, one.name)).length, 1, 'once per change');
});

test('owners of downstream assets are notified one step away, on request', async () => {
  const [near, far, deaf] = [await newPerson(service), await newPerson(service), await newPerson(service)];
  const [source, next, last, silent] = [
    await testing.table(),
    await testing.table(),
    await testing.table(),
    await testing.table(),
  ];
  ok(await owned(next, near));
  ok(await owned(last, far));
  ok(await owned(silent, deaf));
  const edge = (from: CreatedRecord, to: CreatedRecord) => ({
    edge: { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } },
  });
  for (const [from, to] of [
    [source, next],
    [source, silent],
    [next, last],
  ] as const) {
    ok(await service.admin.put('/v1/lineage', edge(from, to)));
  }
  for (const person of [near, far]) {
    ok(await person.put('/v1/notifications/preferences', { reasons: ['follower', 'owner', 'downstream'] }));
  }
  const [onTable, onColumn] = [await testing.test(source), await testing.test(source, 'id')];
  await send(onTable.fullyQualifiedName, 0, 'Failed');
  await send(onColumn.fullyQualifiedName, 0, 'Failed');
  for (const { name } of [onTable, onColumn]) {
    assert.match(
      (await linesOf(near, name))[0] ?? '',
      new RegExp(`^downstream entityUpdated ${name}: .*testCaseResult`),
    );
    assert.equal(await linesOf(far, name), []);
    assert.equal(await linesOf(deaf, name), []);
  }
});

test('adding and removing test cases of a logical suite are events of the suite', async () => {
  const made = await testing.test(await testing.table());
  const chosen = ok(await service.admin.post(SUITES, { name: `chosen_${made.name}` }), 201);
  const before = await waitForSequencing(service);
  ok(await actor.put(`${CASES}/logicalTestCases`, { testSuiteId: chosen.id, testCaseIds: [made.id] }));
  ok(await actor.delete(`${CASES}/logicalTestCases/${chosen.id}/${made.id}`));
  const events = await eventsOf(chosen.id, before);
  assert.equal(
    events.map(({ eventType }) => eventType),
    ['entityUpdated', 'entityUpdated'],
  );
  assert.equal(await eventsOf(made.id, before), []);
});

test('inherited members appear in no event or version as own ones', async () => {
  const [owner, reader] = [await newPerson(service), await newPerson(service)];
  const table = await testing.table(undefined, { tags: [{ tagFQN: 'Tier.Tier1' }] });
  ok(await owned(table, owner));
  await follow(reader, 'tables', table.id);
  const before = await waitForSequencing(service);
  const made = await testing.test(table);
  await describe(actor, 'dataQuality/testCases', made.id, 'told');
  for (const event of await eventsOf(made.id, before)) {
    const { entity } = event.value() as { entity: { tags: unknown[]; followers: unknown[]; owners: unknown[] } };
    assert.equal(entity.tags ?? [], []);
    assert.equal(entity.followers ?? [], []);
  }
  const [, first] = ok(await service.admin.get(`${CASES}/${made.id}/versions`)).versions;
  assert.equal(JSON.parse(first).tags, []);
});

test.run();
