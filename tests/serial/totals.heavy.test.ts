import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { closeServiceAt, openServiceAt, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that totals and events of a fresh store are exact. Nobody else may write to it, so it has a database of its
 * own.
 */

const totals = suite('serial: totals of a fresh store');

let home: string;
let server: EmbeddedServer;
let service: Service;

totals.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-totals-'));
  server = await startEmbeddedServer({ home, heap: '512m', pagecache: '128m', report: () => {} });
  const place = { home, uri: server.uri, user: server.user, password: server.password };
  // Several processes find the store empty at the same time.
  const [one, ...others] = await Promise.all([openServiceAt(place), openServiceAt(place), openServiceAt(place)]);
  service = one;
  await Promise.all(others.map(closeServiceAt));
});

totals.after(async () => {
  await closeServiceAt(service);
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

const PROPERTY_TYPES = 17;

/** Seven policies and five roles, with three bots. */
const POLICIES = 7;
const ROLES = 5;
const BOTS = 3;

const TEST_DEFINITIONS = 25;

/**
 * An administrator and a user for every bot, one team, four classifications with twelve tags, a type for every kind, the
 * types of properties, definitions of tests, and what governs access.
 */
const builtIn = () =>
  1 + 2 * BOTS + 1 + 4 + 12 + POLICIES + ROLES + TEST_DEFINITIONS + service.registry.kinds.length + PROPERTY_TYPES;

const count = async (pattern: string): Promise<number> => {
  const [row] = await service.graph.query(`MATCH ${pattern} RETURN count(*) AS total`);
  return row?.['total'] as number;
};

const total = async (path: string, query = ''): Promise<number> =>
  (await service.admin.get(`/v1/${path}?limit=0${query}`)).json.paging.total;

totals('a fresh store contains the built-in records, each with one event', async () => {
  const records = await count('(:Entity)');
  assert.is(records, builtIn());
  assert.is(await count('(:ChangeEvent {eventType: "entityCreated"})'), records);
  assert.is(await count('(:Dirty)'), records);
  assert.is(await total('classifications'), 4);
  assert.is(await total('tags'), 12);
  assert.is(await total('users'), 1 + BOTS);
  assert.is(await total('policies'), POLICIES);
  assert.is(await total('roles'), ROLES);
  assert.is(await total('bots'), BOTS);
  assert.is(await total('teams'), 1);
  assert.is(await total('metadata/types'), service.registry.kinds.length + PROPERTY_TYPES);
  assert.is(await total('tables'), 0);
});

totals('every write is one event, and a write without a change is none', async () => {
  const events = await count('(:ChangeEvent)');
  await service.admin.post('/v1/services/databaseServices', { name: 'shop', serviceType: 'Postgres' });
  await service.admin.post('/v1/databases', { name: 'pg', service: 'shop' });
  await service.admin.put('/v1/databases', { name: 'pg', service: 'shop' });
  await service.admin.post('/v1/databases', { name: 'pg', service: 'shop' });
  await service.admin.patch('/v1/databases/name/shop.pg', { description: 'x' });
  await service.admin.patch('/v1/databases/name/shop.pg', { description: 'x' });
  assert.is(await count('(:ChangeEvent)'), events + 3);
  assert.is(await count('(:Version)'), 1);
});

totals('totals follow creation, soft deletion, restore and hard deletion', async () => {
  await service.admin.post('/v1/databaseSchemas', { name: 'public', database: 'shop.pg' });
  const tables = Array.from({ length: 25 }, (_, at) => ({
    name: `t${at}`,
    databaseSchema: 'shop.pg.public',
    columns: [{ name: 'id', dataType: 'INT' }],
  }));
  await service.admin.put('/v1/tables/bulk', tables);
  const counted = async () => [
    await total('tables'),
    await total('tables', '&include=deleted'),
    await total('tables', '&include=all'),
    await total('tables', '&service=shop'),
  ];
  assert.equal(await counted(), [25, 0, 25, 25]);
  await service.admin.delete('/v1/tables/name/shop.pg.public.t3');
  assert.equal(await counted(), [24, 1, 25, 24]);
  await service.admin.delete('/v1/databaseSchemas/name/shop.pg.public?recursive=true');
  assert.equal(await counted(), [0, 25, 25, 0]);
  const schema = await service.admin.get('/v1/databaseSchemas/name/shop.pg.public?include=deleted');
  await service.admin.put('/v1/databaseSchemas/restore', { id: schema.json.id });
  assert.equal(await counted(), [24, 1, 25, 24]);
  await service.admin.delete('/v1/services/databaseServices/name/shop?recursive=true&hardDelete=true');
  assert.equal(await counted(), [0, 0, 0, 0]);
});

totals('a hard-deleted record leaves only its events and marks', async () => {
  assert.is(await count('(:Column)'), 0);
  assert.is(await count('(:Version)'), 0);
  assert.is(await count('(:Entity)'), builtIn());
  assert.is(await count('(:ChangeEvent {eventType: "entityDeleted"})'), 28);
});

totals.run();
