import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that the webhooks in profiles are kept like those of subscriptions. */

const test = suite('catalog: personal webhooks');

const MASK = '*********';
const SECRET = 'hunter2-Zq81';
const ENDPOINT = `https://hooks.example.com/services/${SECRET}`;

let service: Service;
let onlooker: Client;
let editor: Client;
test.before(async () => {
  service = await openService();
  onlooker = await createPerson(service, uniqueName('look'));
  const rules = [{ operations: ['ViewAll', 'EditAll'], resources: ['user', 'team'] }];
  editor = await createRightsFactory(service).person(rules);
});

const webhook = (more: JsonObject = {}): JsonObject => ({
  endpoint: ENDPOINT,
  headers: { Authorization: SECRET, 'X-Plain': 'hunter3' },
  queryParams: { token: SECRET },
  authType: { type: 'bearer', secretKey: SECRET },
  httpMethod: 'POST',
  ...more,
});

const profile = (more: JsonObject = {}): JsonObject => ({
  images: { image: 'https://example.com/face.png' },
  subscription: { slack: webhook(more), generic: { endpoint: ENDPOINT } },
});

const KINDS = [
  ['users', () => ({ email: `${uniqueName('hook')}@example.com` })],
  ['teams', () => ({ teamType: 'Group' })],
] as const;

for (const [path, more] of KINDS) {
  const make = async (given: JsonObject = profile()) => {
    const body = { name: uniqueName('hook'), ...more(), profile: given };
    return { body, made: ok(await service.admin.post(`/v1/${path}`, body), 201) };
  };
  const read = async (client: Client, id: string) => ok(await client.get(`/v1/${path}/${id}?fields=profile`)).profile;

  test(`${path}: only who may edit the record sees where its webhooks lead, and nobody sees secrets`, async () => {
    const { made } = await make();
    const shown = await read(onlooker, made.id);
    assert.equal(shown.images, profile()['images']);
    assert.equal(shown.subscription, {
      slack: {
        endpoint: 'https://hooks.example.com/…',
        authType: { type: 'bearer', secretKey: MASK },
        httpMethod: 'POST',
      },
      generic: { endpoint: 'https://hooks.example.com/…' },
    });
    for (const client of [service.admin, editor]) {
      const { slack } = (await read(client, made.id)).subscription;
      assert.equal([slack.endpoint, slack.headers.Authorization, slack.authType.secretKey], [ENDPOINT, MASK, MASK]);
    }
  });

  test(`${path}: no list, history, event, search or other answer tells the secrets`, async () => {
    const { made } = await make();
    ok(await service.admin.patch(`/v1/${path}/${made.id}`, { profile: profile({ httpMethod: 'PUT' }) }));
    await waitForSequencing(service);
    const name = encodeURIComponent(made.name);
    for (const at of [
      `/v1/${path}/${made.id}/versions`,
      `/v1/${path}/${made.id}/versions/0.1`,
      `/v1/${path}/name/${name}?fields=*`,
      `/v1/${path}?fields=profile&limit=1000`,
      `/v1/events?entityId=${made.id}`,
      `/v1/search/query?q=${name}&index=all`,
    ]) {
      const reply = await onlooker.get(at);
      ok(reply);
      assert.not.match(reply.text, /hunter/, at);
    }
    const stored = await service.graph.query('MATCH (n:Entity {id: $id}) RETURN n.profileJson AS json', {
      id: made.id,
    });
    const { subscription } = JSON.parse(String(stored[0]?.['json']));
    assert.match(subscription.slack.authType.secretKey, /^tributary-sealed:/);
    assert.match(subscription.slack.headers.Authorization, /^tributary-sealed:/);
  });

  test(`${path}: what is sent back masked stays, at the same address only`, async () => {
    const { made } = await make();
    const shown = await read(editor, made.id);
    const sent = { ...shown, images: { image: 'https://example.com/new.png' } };
    ok(await editor.patch(`/v1/${path}/${made.id}`, { profile: sent }));
    const kept = await readStoredProfile(made.id);
    assert.equal(kept.subscription, profile()['subscription']);
    const { slack } = sent.subscription;
    const moved = { subscription: { slack: { ...slack, endpoint: 'https://evil.example/hook' } } };
    ok(await editor.patch(`/v1/${path}/${made.id}`, { profile: moved }));
    const after = await readStoredProfile(made.id);
    assert.equal(after.subscription.slack.authType, { type: 'none' });
    assert.not.match(JSON.stringify(after.subscription.slack), /hunter2/, JSON.stringify(after));
  });

  test(`${path}: the secret of a client is not sent to another address for tokens`, async () => {
    const authType = { type: 'oauth2', tokenUrl: 'https://id.example.com/token', clientId: 'me', clientSecret: SECRET };
    const { made } = await make(profile({ authType }));
    const shown = await read(editor, made.id);
    const stolen = { ...shown.subscription.slack.authType, tokenUrl: 'https://evil.example/token' };
    const sent = { subscription: { slack: { ...shown.subscription.slack, authType: stolen } } };
    const refusal =
      '[profile.subscription.slack.authType.clientSecret must be given again, because tokenUrl has changed]';
    expectRefused(await editor.patch(`/v1/${path}/${made.id}`, { profile: sent }), 400, refusal);
    assert.equal((await readStoredProfile(made.id)).subscription.slack.authType, authType);
  });

  test(`${path}: what an older release left in history and events is redacted`, async () => {
    const { made } = await make();
    ok(await service.admin.patch(`/v1/${path}/${made.id}`, { description: 'x' }));
    const newValue = JSON.stringify(profile());
    const change = { previousVersion: 0.1, fieldsAdded: [{ name: 'profile', newValue }] };
    const full = { id: made.id, name: made.name, version: 0.1, profile: profile(), changeDescription: change };
    const entityType = path.slice(0, -1);
    const event = { id: 'e', eventType: 'entityUpdated', entityType, entityId: made.id, entity: full };
    await service.graph.query(
      `MATCH (n:Entity {id: $id})-[:HAS_VERSION]->(v) SET v.json = $full, n.changeDescription = $change
       WITH n MATCH (e:ChangeEvent {entityId: $id}) SET e.json = $event`,
      {
        id: made.id,
        full: JSON.stringify(full),
        change: JSON.stringify(change),
        event: JSON.stringify({ ...event, changeDescription: change }),
      },
    );
    await waitForSequencing(service);
    for (const at of [
      `/v1/${path}/${made.id}`,
      `/v1/${path}/${made.id}/versions`,
      `/v1/${path}/${made.id}/versions/0.1`,
      `/v1/events?entityId=${made.id}`,
    ]) {
      const reply = await onlooker.get(at);
      ok(reply);
      assert.not.match(reply.text, /hunter/, at);
    }
  });
}

const readStoredProfile = async (id: string) => {
  const [row] = await service.graph.query('MATCH (n:Entity {id: $id}) RETURN n.profileJson AS json', { id });
  return service.app.engine.secrets.open(JSON.parse(String(row?.['json'])));
};

test.run();
