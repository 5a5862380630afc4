import * as assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { findLocalService, loadSeeds, type Send, type Tally } from '../src/seed.ts';
import { openService, type Service } from './support/service.ts';
import { suite } from './support/suite.ts';

const test = suite('sample company');
const server = 'http://catalog.example';

let service: Service;
let first: Tally;
let second: Tally;
const told: string[] = [];

const send: Send = async (address, init) => service.app.hono.request(address, init);

test.before(async () => {
  service = await openService();
  const token = await service.token(SYSTEM.name);
  const load = () => loadSeeds({ server, token, send, report: (line) => told.push(line) });
  first = await load();
  second = await load();
});

test('loads every record and says so', () => {
  assert.ok(first.created + first.unchanged > 80, JSON.stringify(first));
  assert.match(told.at(-1) ?? '', /^http:\/\/catalog\.example: 0 created, 0 updated, \d+ unchanged$/);
});

test('changes nothing the second time', () => {
  assert.deepEqual(second, { created: 0, updated: 0, unchanged: first.created + first.updated + first.unchanged });
});

test('places a table below its schema, with owners, domain, tags and constraints', async () => {
  const path = '/v1/tables/name/shop_postgres.shop.sales.orders?fields=owners,domains,tags,tableConstraints';
  const { status, json } = await service.admin.get(path);
  assert.equal(status, 200);
  assert.equal(json.version, 0.1);
  assert.equal(json.databaseSchema.fullyQualifiedName, 'shop_postgres.shop.sales');
  assert.equal(json.service.name, 'shop_postgres');
  assert.deepEqual(
    json.owners.map((owner: { name: string }) => owner.name),
    ['lucy', 'omar'],
  );
  assert.deepEqual(
    json.domains.map((domain: { fullyQualifiedName: string }) => domain.fullyQualifiedName),
    ['Commerce.Orders'],
  );
  assert.deepEqual(
    json.tags.map((tag: { tagFQN: string }) => tag.tagFQN),
    ['Freshness.Live', 'Retention.Years10', 'Tier.Tier1'],
  );
  assert.equal(json.tableConstraints[0].constraintType, 'FOREIGN_KEY');
});

test('keeps nested columns and their tags', async () => {
  const { json } = await service.admin.get('/v1/tables/name/shop_postgres.shop.sales.orders?fields=tags');
  const address = json.columns.find((column: { name: string }) => column.name === 'shipping_address');
  const street = address.children.find((column: { name: string }) => column.name === 'street');
  assert.equal(street.fullyQualifiedName, 'shop_postgres.shop.sales.orders.shipping_address.street');
  assert.equal(street.tags[0].tagFQN, 'PII.Sensitive');
});

test('hands owners and domains down to what has none of its own', async () => {
  const path = '/v1/tables/name/events_bigquery.lumen-events.web.searches?fields=owners,domains';
  const { json } = await service.admin.get(path);
  assert.equal(json.owners[0].name, 'growth');
  assert.equal(json.owners[0].inherited, true);
  assert.equal(json.domains[0].name, 'Engagement');
});

test('puts people into teams and teams below teams', async () => {
  const person = await service.admin.get('/v1/users/name/mei?fields=teams');
  assert.deepEqual(
    person.json.teams.map((team: { name: string }) => team.name),
    ['data-platform', 'finance-analytics'],
  );
  const team = await service.admin.get('/v1/teams/name/data-platform?fields=parents');
  assert.equal(team.json.parents[0].name, 'technology');
});

test('says in one sentence when no service answers', async () => {
  const nobody: Send = () => Promise.reject(new TypeError('fetch failed'));
  const load = loadSeeds({ server, token: 't', send: nobody, report: () => {} });
  await assert.rejects(load, /^StartupError: No service answers at http:\/\/catalog\.example\. Start one/);
});

test('says what was refused', async () => {
  const load = loadSeeds({ server, token: 'wrong', send, report: () => {} });
  await assert.rejects(load, /answered 401 to .*: Not Authorized! Invalid Token/);
});

test('finds the service of this machine by its home, and says what is missing', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-seed-'));
  try {
    const config = readConfig({ TRIBUTARY_HOME: home, PORT: '8600' });
    await assert.rejects(findLocalService(config), /There is no admin token/);
    await writeFile(join(home, 'admin.token'), 'abc\n');
    assert.deepEqual(await findLocalService(config), { server: 'http://127.0.0.1:8600', token: 'abc' });
    await writeFile(join(home, 'lock'), JSON.stringify({ note: 'http://127.0.0.1:40000' }));
    assert.deepEqual(await findLocalService(config), { server: 'http://127.0.0.1:40000', token: 'abc' });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test.run();
