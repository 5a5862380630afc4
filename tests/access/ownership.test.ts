/** Nobody becomes the owner of a service, a subscription or a role because it has none (clarifications, Trust). */
import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { ok, refused, unchanged } from '../support/expect.ts';
import { createRightsMaker, type Person, type RightsMaker } from '../support/rights.ts';
import { createSamples, type Made, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

const test = suite('access: ownership of what has no owner');

let service: Service;
let samples: Samples;
let rights: RightsMaker;
let attacker: Person;

test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  rights = createRightsMaker(service);
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

const accessTo = async (person: Person, kind: Kind, { id }: Made): Promise<string> => {
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

const ASSETS = ['table', 'database', 'databaseSchema', 'topic', 'dashboard', 'pipeline', 'container', 'query'];

test('the kinds that are guarded and the assets are told apart by their declaration', () => {
  const byType = service.registry.byType;
  for (const type of GUARDED) assert.not.ok(byType.get(type)?.isAsset, type);
  for (const type of ASSETS) assert.ok(byType.get(type)?.isAsset, type);
});

test('a patch by somebody with the rights that everybody has takes assets and nothing else', async () => {
  for (const kind of ownable()) {
    const made = await samples.create(kind);
    const path = `/v1/${kind.path}/${made.id}`;
    if (kind.isAsset) {
      assert.is(await accessTo(attacker, kind, made), 'allow', kind.entityType);
      ok(await attacker.patch(path, take(attacker)));
      continue;
    }
    assert.is(await accessTo(attacker, kind, made), 'notAllow', kind.entityType);
    await unchanged(service, made.id, async () =>
      refused(await attacker.patch(path, take(attacker)), 403, /EditOwners/),
    );
    const merge = { 'content-type': 'application/merge-patch+json' };
    const body = { owners: [{ id: attacker.id, type: 'user' }] };
    await unchanged(service, made.id, async () => refused(await attacker.patch(path, body, merge), 403));
  }
});

test('a PUT, a bulk row and a queued bulk row do not take a service either', async () => {
  const kind = samples.kind('databaseService');
  const made = await samples.create(kind);
  const path = `/v1/${kind.path}`;
  const row = { ...(await samples.body(kind, { name: made.name })), owners: [{ id: attacker.id, type: 'user' }] };
  await unchanged(service, made.id, async () => {
    refused(await attacker.put(path, row), 403);
    const answer = await attacker.put(`${path}/bulk`, [row]);
    if (answer.status === 200) assert.is(answer.json.numberOfRowsFailed, 1, answer.text);
    else refused(answer, 403);
    const queued = await attacker.put(`${path}/bulk?async=true`, [row]);
    assert.ok([202, 403].includes(queued.status), queued.text);
  });
});

test('whoever taps the list of a subscription cannot become its owner and send its secret elsewhere', async () => {
  const name = uniqueName('hook');
  const destination = {
    category: 'External',
    type: 'Webhook',
    config: { endpoint: 'https://hooks.example.org/md', authType: { type: 'bearer', secretKey: 's3cr3t' } },
  };
  const body = { name, alertType: 'Notification', enabled: false, resources: ['table'], destinations: [destination] };
  const { id } = ok(await service.admin.post('/v1/events/subscriptions', body), 201);
  const path = `/v1/events/subscriptions/${id}`;
  refused(await attacker.patch(path, take(attacker)), 403);
  const steward = await rights.person([{ operations: ['EditOwners', 'ViewAll', 'EditTags'] }]);
  refused(await steward.patch(path, take(steward)), 403);
  const named = await rights.person([{ operations: ['EditOwners'], resources: ['eventsubscription'] }]);
  ok(await named.patch(path, take(named)));
  ok(await service.admin.delete(`${path}?hardDelete=true`));
});

test('a team that nobody owns cannot be taken to join what it owns', async () => {
  const team = await rights.team();
  const path = `/v1/teams/${team.id}`;
  refused(await attacker.patch(path, take(attacker)), 403);
  refused(await attacker.patch(path, [{ op: 'add', path: '/users', value: [{ id: attacker.id, type: 'user' }] }]), 403);
});

test.run();
