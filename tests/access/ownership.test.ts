/**
 * Shows that nobody can become the owner of a service, a subscription or a role just because it has no owner
 * (clarifications, Trust).
 */
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('access: ownership of unowned records');

let service: Service;
let samples: Samples;
let rights: RightsFactory;
let attacker: Person;

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  rights = createRightsFactory(service);
  attacker = await rights.person();
});

test.after(() => rights.clear());

const take = (person: Person): readonly JsonObject[] => [
  { op: 'add', path: '/owners', value: [{ id: person.id, type: 'user' }] as Json },
];

const ownable = (): readonly Kind[] =>
  service.registry.kinds.filter(({ gated, members, entityType }) => {
    const isOwned = (gated as readonly string[]).includes('owners') && !('owners' in members);
    // The suite of a table belongs to whoever owns the table.
    return isOwned && entityType !== 'testSuite';
  });

const accessTo = async (person: Person, kind: Kind, { id }: CreatedRecord): Promise<string> => {
  const { permissions } = ok(await person.get(`/v1/permissions/${kind.entityType}/${id}`));
  const found = permissions.find(({ operation }: { operation: string }) => operation === 'EditOwners');
  return found.access;
};

const GUARDED = [
  'databaseService',
  'apiService',
  'dashboardService',
  'messagingService',
  'mlmodelService',
  'pipelineService',
  'searchService',
  'storageService',
  'driveService',
  'eventsubscription',
  'policy',
  'team',
  'dataContract',
  'testDefinition',
  'classification',
  'tag',
  'glossary',
  'glossaryTerm',
  'domain',
];

const ASSETS = [
  'table',
  'database',
  'databaseSchema',
  'topic',
  'dashboard',
  'pipeline',
  'container',
  'query',
  'metric',
  'file',
];

test('declarations separate protected kinds from assets', () => {
  const byType = service.registry.byType;
  for (const type of GUARDED) assert.not.ok(byType.get(type)?.isAsset, type);
  for (const type of ASSETS) assert.ok(byType.get(type)?.isAsset, type);
});

test('with the default rights, a patch can take ownership of assets and nothing else', async () => {
  for (const kind of ownable()) {
    const made = await samples.create(kind);
    const path = `/v1/${kind.path}/${made.id}`;
    if (kind.isAsset) {
      assert.is(await accessTo(attacker, kind, made), 'allow', kind.entityType);
      ok(await attacker.patch(path, take(attacker)));
      continue;
    }
    assert.is(await accessTo(attacker, kind, made), 'notAllow', kind.entityType);
    await expectUnchanged(service, made.id, async () =>
      expectRefused(await attacker.patch(path, take(attacker)), 403, /EditOwners/),
    );
    const merge = { 'content-type': 'application/merge-patch+json' };
    const body = { owners: [{ id: attacker.id, type: 'user' }] };
    await expectUnchanged(service, made.id, async () => expectRefused(await attacker.patch(path, body, merge), 403));
  }
});

/** Puts a row that takes a record, in each way there is, and waits until it is certain what has come of it. */
const putRow = async (person: Person, path: string, row: JsonObject): Promise<void> => {
  expectRefused(await person.put(path, row), 403);
  const now = await person.put(`${path}/bulk`, [row]);
  if (now.status === 200) assert.equal([now.json.numberOfRowsFailed, now.json.failedRequest[0].status], [1, 403]);
  else expectRefused(now, 403);
  const queued = await person.put(`${path}/bulk?async=true`, [row]);
  if (queued.status !== 202) return expectRefused(queued, 403);
  const { status, result } = await waitForJobEnd(person, queued.headers.get('x-job-id') ?? '');
  assert.equal([status, result.numberOfRowsPassed, result.failedRequest[0].status], ['COMPLETED', 0, 403]);
};

test('a PUT, a bulk row and an asynchronous bulk row cannot take protected kinds either', async () => {
  // Whoever may write everything else is refused for the owners alone.
  const editor = await rights.person([{ operations: ['Create', 'EditDescription', 'EditDisplayName', 'EditTags'] }]);
  for (const kind of ownable().filter(({ isAsset }) => !isAsset)) {
    const made = await samples.create(kind);
    const body = await samples.body(kind, samples.meaning(kind, made));
    for (const person of [attacker, editor]) {
      const row = { ...body, owners: [{ id: person.id, type: 'user' }] };
      await expectUnchanged(service, made.id, () => putRow(person, `/v1/${kind.path}`, row));
    }
  }
});

test('a caller who may edit a subscription cannot become its owner and redirect its secret', async () => {
  const name = uniqueName('hook');
  const destination = {
    category: 'External',
    type: 'Webhook',
    config: { endpoint: 'https://hooks.example.org/md', authType: { type: 'bearer', secretKey: 's3cr3t' } },
  };
  const body = { name, alertType: 'Notification', enabled: false, resources: ['table'], destinations: [destination] };
  const { id } = ok(await service.admin.post('/v1/events/subscriptions', body), 201);
  const path = `/v1/events/subscriptions/${id}`;
  expectRefused(await attacker.patch(path, take(attacker)), 403);
  const steward = await rights.person([{ operations: ['EditOwners', 'ViewAll', 'EditTags'] }]);
  expectRefused(await steward.patch(path, take(steward)), 403);
  const named = await rights.person([{ operations: ['EditOwners'], resources: ['eventsubscription'] }]);
  ok(await named.patch(path, take(named)));
  ok(await service.admin.delete(`${path}?hardDelete=true`));
});

test('a team without owners cannot be taken over to gain what it owns', async () => {
  const team = await rights.team();
  const path = `/v1/teams/${team.id}`;
  expectRefused(await attacker.patch(path, take(attacker)), 403);
  expectRefused(
    await attacker.patch(path, [{ op: 'add', path: '/users', value: [{ id: attacker.id, type: 'user' }] }]),
    403,
  );
});

test.run();
