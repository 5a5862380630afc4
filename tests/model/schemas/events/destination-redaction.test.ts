import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../../src/model/json.ts';
import { expectRefused, expectUnchanged, ok } from '../../../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../../../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../../../support/service.ts';
import { deleteSubscriptions, SUBSCRIPTIONS_PATH, webhookTo } from '../../../support/subscriptions.ts';
import { suite } from '../../../support/suite.ts';

/** Shows that endpoints and secrets of destinations are masked for callers who may not edit the subscription. */

const test = suite('events: secrets of destinations');

const MASK = '*********';
const MASKED = 'https://hooks.example.org/…';
const ENDPOINT = 'https://hooks.example.org/T0KEN-path?key=T0KEN-query';
const MERGE = { 'content-type': 'application/merge-patch+json' };

let service: Service;
let rights: RightsFactory;
let reader: Person;
let describer: Person;
let editor: Person;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  reader = await rights.person();
  describer = await rights.person([{ operations: ['EditDescription'], resources: ['eventsubscription'] }]);
  editor = await rights.person([{ operations: ['EditAll', 'Create'], resources: ['eventsubscription'] }]);
});

test.after(async () => {
  await deleteSubscriptions(service);
  await rights.clear();
});

const hidden = (secretKey = 's3cr3t'): JsonObject =>
  webhookTo(ENDPOINT, {
    headers: { 'X-Team': 'T0KEN-header' },
    queryParams: { lang: 'T0KEN-parameter' },
    authType: { type: 'bearer', secretKey },
  });

type Made = { readonly id: string; readonly name: string; readonly destinations: readonly JsonObject[] };

const bodyWith = (destinations: readonly JsonObject[], name = uniqueName('hook')): JsonObject => ({
  name,
  alertType: 'Notification',
  enabled: false,
  resources: ['table'],
  destinations,
});

const create = async (...destinations: readonly JsonObject[]): Promise<Made> =>
  ok(await service.admin.post(SUBSCRIPTIONS_PATH, bodyWith(destinations)), 201);

const storedDestinations = async (id: string): Promise<readonly JsonObject[]> => {
  const { engine } = service.app;
  const kind = service.registry.byType.get('eventsubscription');
  const record = kind && (await engine.store.record(kind, { id }, new Set()));
  return engine.secrets.open((record?.values['destinations'] ?? []) as readonly JsonObject[]);
};

const everywhere = ({ id, name }: Made): readonly string[] => [
  `${SUBSCRIPTIONS_PATH}/${id}`,
  `${SUBSCRIPTIONS_PATH}/${id}?fields=*`,
  `${SUBSCRIPTIONS_PATH}/name/${name}`,
  `${SUBSCRIPTIONS_PATH}?limit=1000`,
  `${SUBSCRIPTIONS_PATH}/${id}/versions`,
  `${SUBSCRIPTIONS_PATH}/${id}/versions/0.1`,
  `${SUBSCRIPTIONS_PATH}/${id}/versions/0.2`,
  `/v1/events?entityId=${id}`,
  `${SUBSCRIPTIONS_PATH}/id/${id}/diagnosticInfo`,
  `${SUBSCRIPTIONS_PATH}/id/${id}/failedEvents`,
  `/v1/search/query?q=${name}&index=all`,
];

test('callers who may not edit a subscription see only scheme and host of its endpoints', async () => {
  const made = await create(hidden());
  ok(await service.admin.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { description: 'x' }, MERGE));
  const [first] = made.destinations;
  const moved = webhookTo(`${ENDPOINT}-moved`, { headers: { 'X-Team': 'T0KEN-moved' } }, { id: first?.['id'] ?? null });
  ok(await service.admin.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { destinations: [moved] }, MERGE));
  for (const who of [reader, describer]) {
    for (const path of everywhere(made)) assert.not.match((await who.get(path)).text, /T0KEN|s3cr3t/, path);
  }
  const shown = ok(await reader.get(`${SUBSCRIPTIONS_PATH}/${made.id}`)).destinations[0].config;
  assert.equal(shown, { endpoint: MASKED });
  for (const who of [service.admin, editor]) {
    const { config } = ok(await who.get(`${SUBSCRIPTIONS_PATH}/${made.id}`)).destinations[0];
    assert.equal(config, { endpoint: `${ENDPOINT}-moved`, headers: { 'X-Team': 'T0KEN-moved' } });
    const listed = ok(await who.get(`${SUBSCRIPTIONS_PATH}?limit=1000`)).data.find(({ id }: Made) => id === made.id);
    assert.is(listed.destinations[0].config.endpoint, `${ENDPOINT}-moved`);
  }
});

test('history and events that an older release stored in full are masked', async () => {
  const made = await create(hidden());
  ok(await service.admin.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { description: 'x' }, MERGE));
  const change = {
    previousVersion: 0.1,
    fieldsUpdated: [{ name: 'destinations', oldValue: `[{"at":"${ENDPOINT}"}]` }],
  };
  const full = JSON.stringify({
    id: made.id,
    name: made.name,
    version: 0.1,
    destinations: [hidden(MASK)],
    changeDescription: change,
  });
  const event = JSON.stringify({
    id: 'e',
    eventType: 'entityUpdated',
    entityType: 'eventsubscription',
    entityId: made.id,
    changeDescription: change,
    entity: JSON.parse(full),
  });
  await service.graph.query('MATCH (:Entity {id: $id})-[:HAS_VERSION]->(v) SET v.json = $full', { id: made.id, full });
  await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) SET e.json = $event', { id: made.id, event });
  await service.graph.query('MATCH (n:Entity {id: $id}) SET n.changeDescription = $text', {
    id: made.id,
    text: JSON.stringify(change),
  });
  for (const who of [reader, service.admin]) {
    for (const path of [
      `${SUBSCRIPTIONS_PATH}/${made.id}/versions`,
      `${SUBSCRIPTIONS_PATH}/${made.id}/versions/0.1`,
      `/v1/events?entityId=${made.id}`,
    ]) {
      const reply = await who.get(path);
      ok(reply);
      assert.not.match(reply.text, /T0KEN|s3cr3t/, path);
      assert.ok(reply.text.includes(MASKED), `${path}: ${reply.text}`);
    }
  }
  assert.not.match((await reader.get(`${SUBSCRIPTIONS_PATH}/${made.id}`)).text, /T0KEN/);
});

test('a change by a caller who sees masked destinations keeps the destinations', async () => {
  const made = await create(hidden());
  const before = await storedDestinations(made.id);
  ok(await describer.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, [{ op: 'add', path: '/description', value: 'mine' }]));
  ok(await describer.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { description: 'ours' }, MERGE));
  assert.equal(await storedDestinations(made.id), before);
  const seen = ok(await reader.get(`${SUBSCRIPTIONS_PATH}/${made.id}`));
  ok(await editor.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { destinations: seen.destinations }, MERGE));
  assert.equal(await storedDestinations(made.id), before);
  const { id: _id, ...withoutId } = seen.destinations[0];
  ok(await editor.put(SUBSCRIPTIONS_PATH, bodyWith([withoutId], made.name)));
  assert.equal(await storedDestinations(made.id), before);
});

test('a masked endpoint that matches no stored one is refused', async () => {
  expectRefused(await service.admin.post(SUBSCRIPTIONS_PATH, bodyWith([webhookTo(MASKED)])), 400, /endpoint is masked/);
  const made = await create(hidden());
  const elsewhere = { ...made.destinations[0], config: { endpoint: 'https://attacker.example.org/…' } };
  await expectUnchanged(service, made.id, async () =>
    expectRefused(
      await editor.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { destinations: [elsewhere] }, MERGE),
      400,
      /endpoint is masked/,
    ),
  );
  const sent = await editor.post(`${SUBSCRIPTIONS_PATH}/testDestination`, { destinations: [webhookTo(MASKED)] });
  expectRefused(sent, 400, /endpoint is masked/);
});

const ELSEWHERE = [
  'https://attacker.example.org/collect',
  'https://hooks.example.org:8443/md',
  'http://hooks.example.org/md',
  `https://${MASK}@attacker.example.org/collect`,
];

type Way = (client: Client, made: Made, endpoint: string) => Promise<void>;

const withEndpoint = ({ destinations }: Made, endpoint: string): JsonObject => {
  const [first] = destinations;
  return { ...first, config: { ...(first?.['config'] as JsonObject), endpoint } };
};

const WAYS: Readonly<Record<string, Way>> = {
  'a JSON patch': async (client, { id }, endpoint) => {
    const path = '/destinations/0/config/endpoint';
    ok(await client.patch(`${SUBSCRIPTIONS_PATH}/${id}`, [{ op: 'replace', path, value: endpoint }]));
  },
  'a merge patch': async (client, made, endpoint) => {
    ok(await client.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { destinations: [withEndpoint(made, endpoint)] }, MERGE));
  },
  'a PUT': async (client, made, endpoint) => {
    ok(await client.put(SUBSCRIPTIONS_PATH, bodyWith([withEndpoint(made, endpoint)], made.name)));
  },
  'a bulk PUT': async (client, made, endpoint) => {
    const answer = await client.put(`${SUBSCRIPTIONS_PATH}/bulk`, [
      bodyWith([withEndpoint(made, endpoint)], made.name),
    ]);
    if (answer.status !== 404 && answer.status !== 405) assert.is(ok(answer).numberOfRowsPassed, 1, answer.text);
    else await WAYS['a PUT']?.(client, made, endpoint);
  },
};

for (const [what, way] of Object.entries(WAYS)) {
  test(`moving a destination to another origin drops its secret: ${what}`, async () => {
    for (const endpoint of ELSEWHERE) {
      const made = await create(
        webhookTo('https://user:s3cr3t@hooks.example.org/md', {
          headers: { Authorization: 'Basic s3cr3t', 'X-Team': 'data' },
          queryParams: { token: 's3cr3t' },
          authType: { type: 'bearer', secretKey: 's3cr3t' },
        }),
      );
      await way(editor, made, endpoint);
      const now = await storedDestinations(made.id);
      assert.not.match(JSON.stringify(now), /s3cr3t|\*\*\*/, `${endpoint}: ${JSON.stringify(now)}`);
      const config = now[0]?.['config'] as JsonObject;
      assert.equal([config['authType'], config['headers']], [{ type: 'none' }, { 'X-Team': 'data' }]);
      const back = ok(await editor.get(`${SUBSCRIPTIONS_PATH}/${made.id}`)) as Made;
      await way(editor, back, 'https://hooks.example.org/md');
      assert.not.match(JSON.stringify(await storedDestinations(made.id)), /s3cr3t/);
    }
  });
}

test('a write-only secret is dropped with its origin and kept within it', async () => {
  const made = await create(webhookTo('https://hooks.example.org/md', { secretKey: 's3cr3t' }));
  const path = `${SUBSCRIPTIONS_PATH}/${made.id}`;
  const moveTo = (value: string) =>
    editor.patch(path, [{ op: 'replace', path: '/destinations/0/config/endpoint', value }]);
  ok(await moveTo('https://hooks.example.org/other'));
  assert.match(JSON.stringify(await storedDestinations(made.id)), /s3cr3t/);
  ok(await moveTo('https://attacker.example.org/'));
  assert.not.match(JSON.stringify(await storedDestinations(made.id)), /s3cr3t/);
});

test('two destinations cannot exchange their secrets by their ids', async () => {
  const made = await create(
    webhookTo('https://one.example.org/md', { authType: { type: 'bearer', secretKey: 's3cr3t-one' } }),
    webhookTo('https://two.example.org/md', { authType: { type: 'bearer', secretKey: 's3cr3t-two' } }),
  );
  const [one, two] = made.destinations;
  const swapped = [
    { ...one, id: two?.['id'] },
    { ...two, id: one?.['id'] },
  ];
  ok(await editor.patch(`${SUBSCRIPTIONS_PATH}/${made.id}`, { destinations: swapped }, MERGE));
  assert.not.match(JSON.stringify(await storedDestinations(made.id)), /s3cr3t/);
});

test.run();
