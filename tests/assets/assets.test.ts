import * as assert from 'uvu/assert';
import type { Kind } from '../../src/model/kind/kind.ts';
import { everyKind } from '../support/every-kind.ts';
import { expectList, expectRef, expectRefused, ok, pathByName } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that assets of domains, users, teams and tags are listed and counted. */

const test = suite('assets: assets of every kind that has some');
const each = everyKind(test);

const hasAssets = (kind: Kind): boolean => kind.assets !== undefined;

const at = (kind: Kind, fqn: string, query = ''): string => `${pathByName(kind, fqn)}/assets${query}`;

each(
  'a record without assets has an empty list, limits apply, and an unknown record is 404',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const list = expectList(await service.admin.get(at(kind, made.fullyQualifiedName)));
    assert.equal(list, { data: [], paging: { offset: 0, limit: 10, total: 0 } });
    ok(await service.admin.get(at(kind, made.fullyQualifiedName, '?limit=1000')));
    const bad: readonly [string, string][] = [
      ['limit=1001', '[limit must be less than or equal to 1000]'],
      ['limit=-1', '[limit must be greater than or equal to 0]'],
      ['limit=x', '[limit must be a whole number]'],
      ['offset=-1', '[offset must be greater than or equal to 0]'],
      ['offset=x', '[offset must be a whole number]'],
    ];
    for (const [query, message] of bad) {
      expectRefused(await service.admin.get(at(kind, made.fullyQualifiedName, `?${query}`)), 400, message);
    }
    const missing = `${kind.entityType} instance for no_such_name not found`;
    expectRefused(await service.admin.get(at(kind, 'no_such_name')), 404, missing);
    if (!kind.softDeletable) return;
    ok(await service.admin.delete(`${path}/${made.id}`));
    expectRefused(await service.admin.get(at(kind, made.fullyQualifiedName)), 404);
  },
  hasAssets,
);

each(
  'kinds without assets have no such list: 404',
  async ({ service, samples, kind }) => {
    const made = await samples.create(kind);
    expectRefused(await service.admin.get(at(kind, made.fullyQualifiedName)), 404);
  },
  (kind) => !hasAssets(kind),
);

type Ref = { readonly id: string; readonly name: string };

let service: Service;

test.before(async () => {
  service = await openService();
});

const newServices = (more: object): Promise<Ref[]> =>
  Promise.all(
    ['a', 'b', 'c'].map(async (name) =>
      ok(
        await service.admin.post('/v1/services/databaseServices', {
          name: uniqueName(name),
          serviceType: 'Mysql',
          ...more,
        }),
        201,
      ),
    ),
  );

/** Lists the assets of a record page by page: the order of names, the whole total on every page, no deleted ones. */
const checkAssets = async (address: string, assets: readonly Ref[]): Promise<void> => {
  const page = async (query: string) => expectList(await service.admin.get(`${address}/assets?${query}`));
  const ids = (refs: readonly Ref[]) => refs.map((ref) => ref.id);
  const all = await page('');
  assert.equal(ids(all.data), ids(assets));
  assert.equal(all.paging, { offset: 0, limit: 10, total: 3 });
  for (const ref of all.data) expectRef(ref);
  assert.equal(ids((await page('limit=2')).data), ids(assets.slice(0, 2)));
  const second = await page('limit=2&offset=2');
  assert.equal(ids(second.data), ids(assets.slice(2)));
  assert.equal(second.paging, { offset: 2, limit: 2, total: 3 });
  assert.equal(await page('limit=0'), { data: [], paging: { offset: 0, limit: 0, total: 3 } });
  assert.equal((await page('offset=7')).data, []);
  ok(await service.admin.delete(`/v1/services/databaseServices/${assets[0]?.id}`));
  const left = await page('');
  assert.equal([ids(left.data), left.paging.total], [ids(assets.slice(1)), 2]);
};

test('the assets of a domain are listed', async () => {
  const body = { name: uniqueName('domain'), domainType: 'Aggregate', description: 'x' };
  const made = ok(await service.admin.post('/v1/domains', body), 201);
  await checkAssets(`/v1/domains/name/${made.name}`, await newServices({ domains: [made.fullyQualifiedName] }));
});

test('the assets of a user are listed', async () => {
  const name = uniqueName('user');
  const made = ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com` }), 201);
  await checkAssets(`/v1/users/name/${name}`, await newServices({ owners: [{ id: made.id, type: 'user' }] }));
});

test('the assets of a team are listed', async () => {
  const made = ok(await service.admin.post('/v1/teams', { name: uniqueName('team'), teamType: 'Group' }), 201);
  await checkAssets(`/v1/teams/name/${made.name}`, await newServices({ owners: [{ id: made.id, type: 'team' }] }));
});

test('the assets of a tag are listed', async () => {
  const classification = uniqueName('classes');
  ok(await service.admin.post('/v1/classifications', { name: classification, description: 'x' }), 201);
  ok(await service.admin.post('/v1/tags', { name: 'seen', classification, description: 'x' }), 201);
  const tagFQN = `${classification}.seen`;
  await checkAssets(`/v1/tags/name/${tagFQN}`, await newServices({ tags: [{ tagFQN }] }));
});

test('the kinds with assets are the declared ones of the contract', () => {
  const holders = ['domain', 'dataProduct', 'user', 'team', 'tag', 'glossaryTerm'];
  for (const kind of service.registry.kinds) {
    assert.is(hasAssets(kind), holders.includes(kind.entityType), kind.entityType);
  }
});

test.run();
