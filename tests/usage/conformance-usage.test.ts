import * as assert from 'uvu/assert';
import type { Kind } from '../../src/model/kind/kind.ts';
import { everyKind } from '../support/every-kind.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectList,
  expectRecord,
  expectRef,
  expectRefused,
  expectUnchanged,
  listQueryFor,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that usage of every kind follows the contract. */

const test = suite('usage: every kind with usage');
const each = everyKind(test);

const isCounted = (kind: Kind): boolean => kind.gated.includes('usageSummary');

const at = (kind: Kind, id: string): string => `/v1/usage/${kind.entityType}/${id}`;
const atName = (kind: Kind, fqn: string): string => `/v1/usage/${kind.entityType}/name/${encodeURIComponent(fqn)}`;

const counted = (count: number) => ({ count, percentileRank: 0 });

const summary = (date: string, count: number) => ({
  dailyStats: counted(count),
  weeklyStats: counted(count),
  monthlyStats: counted(count),
  date,
});

const DATE = '2024-02-29';

each(
  'POST adds and PUT sets usage by id and name, it is visible in reads, lists and patches, and creates no version',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const fqn = made.fullyQualifiedName;
    const first = await service.admin.post(at(kind, made.id), { date: DATE, count: 3 });
    assert.equal(ok(first).usage, [summary(DATE, 3)]);
    assert.is(first.headers.get(CHANGE_HEADER_NAME), 'entityFieldsChanged');
    assert.equal(ok(await service.admin.post(atName(kind, fqn), { date: DATE, count: 4 })).usage, [summary(DATE, 7)]);
    assert.equal(ok(await service.admin.put(at(kind, made.id), { date: DATE, count: 2 })).usage, [summary(DATE, 2)]);
    assert.equal(ok(await service.admin.put(atName(kind, fqn), { date: DATE, count: 5 })).usage, [summary(DATE, 5)]);

    for (const address of [at(kind, made.id), atName(kind, fqn), `/api${at(kind, made.id)}`]) {
      const told = ok(await service.admin.get(`${address}?date=${DATE}`));
      assert.equal(Object.keys(told).sort(), ['entity', 'usage']);
      expectRef(told.entity);
      assert.equal([told.entity.id, told.entity.type], [made.id, kind.entityType]);
      assert.equal(told.usage, [summary(DATE, 5)]);
    }

    const read = ok(await service.admin.get(`${path}/${made.id}?fields=usageSummary`));
    expectRecord(kind, read);
    assert.equal(read.usageSummary, summary(DATE, 5));
    assert.equal(ok(await service.admin.get(pathByName(kind, fqn, '?fields=*'))).usageSummary, summary(DATE, 5));
    const patched = await service.admin.patch(`${path}/${made.id}`, [
      { op: 'test', path: '/usageSummary/dailyStats/count', value: 5 },
    ]);
    assert.is(ok(patched).version, 0.1);
    assert.is(patched.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');

    const kept = await readStored(service, made.id);
    assert.equal([kept?.versions, kept?.events, kept?.properties['version']], [0, 1, 0.1]);
    assert.is(kept?.properties['revision'], 5);
    const plain = ok(await service.admin.get(`${path}/${made.id}`));
    assert.is('usageSummary' in plain, false);
    assert.is(plain.updatedAt, made['updatedAt']);
  },
  isCounted,
);

each(
  'lists show the usage of each record, also when there is none',
  async ({ service, samples, kind, path }) => {
    const [used, unused] = [await samples.create(kind), await samples.create(kind)];
    ok(await service.admin.post(at(kind, used.id), { date: DATE, count: 8 }));
    const today = new Date().toISOString().slice(0, 10);
    const listed = async ({ id, name }: typeof used) => {
      const [record] = expectList(await service.admin.get(`${path}?fields=usageSummary&${listQueryFor(name)}`)).data;
      assert.is(record.id, id);
      return record.usageSummary;
    };
    assert.equal(await listed(used), summary(DATE, 8));
    assert.equal(await listed(unused), summary(today, 0));
    assert.equal(ok(await service.admin.get(at(kind, unused.id))).usage, []);
  },
  isCounted,
);

each(
  'an invalid report is refused and changes nothing',
  async ({ service, samples, kind }) => {
    const made = await samples.create(kind);
    const stray = strayId();
    const good = { date: DATE, count: 1 };
    const missing = (key: string) => `${kind.entityType} instance for ${key} not found`;
    for (const send of ['post', 'put'] as const) {
      expectRefused(await service.admin[send](at(kind, stray), good), 404, missing(stray));
      expectRefused(await service.admin[send](at(kind, 'no-uuid'), good), 404, missing('no-uuid'));
      expectRefused(await service.admin[send](atName(kind, 'no_such_name'), good), 404, missing('no_such_name'));
      for (const [body, message] of BAD_BODIES) {
        expectRefused(
          await expectUnchanged(service, made.id, () => service.admin[send](at(kind, made.id), body)),
          400,
          message,
        );
      }
    }
    expectRefused(await service.admin.get(at(kind, stray)), 404, missing(stray));
    expectRefused(await service.admin.get(atName(kind, 'no_such_name')), 404, missing('no_such_name'));
    expectRefused(await service.admin.get(`${at(kind, made.id)}?date=yesterday`), 400, /^\[date /);
    expectRefused(await service.admin.get(`${at(kind, made.id)}?date=2023-02-29`), 400, /^\[date /);
    expectRefused(await service.admin.get(`${at(kind, made.id)}?days=some`), 400, '[days must be a whole number]');
    const compute = `/v1/usage/compute.percentile/${kind.entityType}`;
    expectRefused(await service.admin.post(`${compute}/2024-13-01`, undefined), 400, /^\[date /);
  },
  isCounted,
);

const BAD_BODIES: readonly (readonly [unknown, RegExp])[] = [
  [{ date: DATE }, /^\[count must not be null\]/],
  [{ count: 1 }, /^\[date must not be null\]/],
  [{ date: null, count: null }, /must not be null/],
  [{ date: '29.02.2024', count: 1 }, /^\[date /],
  [{ date: '2023-02-29', count: 1 }, /^\[date /],
  [{ date: '2024-02-29T00:00:00Z', count: 1 }, /^\[date /],
  [{ date: 20240229, count: 1 }, /^\[date /],
  [{ date: DATE, count: -1 }, /^\[count must be greater than or equal to 0\]/],
  [{ date: DATE, count: 1.5 }, /^\[count /],
  [{ date: DATE, count: '1' }, /^\[count /],
  [{ date: DATE, count: 2_147_483_648 }, /^\[count must be less than or equal to 2147483647\]/],
  [{ date: DATE, count: 1, more: 1 }, /^\[more is not a known property\]/],
  [[], /^\[body must be an object\]/],
  ['many', /^\[body /],
  [null, /^\[body must not be null\]/],
];

each(
  'every user may read usage, only callers who may edit it report it, and both require a token',
  async ({ service, samples, kind }) => {
    const made = await samples.create(kind);
    const reader = await createPerson(service, uniqueName('reader'));
    const body = { date: DATE, count: 1 };
    assert.equal(ok(await reader.get(at(kind, made.id))).usage, []);
    expectRefused(
      await expectUnchanged(service, made.id, () => reader.post(at(kind, made.id), body)),
      403,
      /\[EditUsage\]/,
    );
    expectRefused(
      await expectUnchanged(service, made.id, () => reader.put(at(kind, made.id), body)),
      403,
      /\[EditUsage\]/,
    );
    const compute = `/v1/usage/compute.percentile/${kind.entityType}/${DATE}`;
    expectRefused(await reader.post(compute, undefined), 403, /\[EditUsage\]/);
  },
  isCounted,
);

each(
  'a soft-deleted record has no usage, a restored one has it again, and a hard-deleted one leaves none',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    ok(await service.admin.post(at(kind, made.id), { date: DATE, count: 6 }));
    ok(await service.admin.delete(`${path}/${made.id}`));
    expectRefused(await service.admin.get(at(kind, made.id)), 404);
    expectRefused(await service.admin.post(at(kind, made.id), { date: DATE, count: 1 }), 404);
    ok(await service.admin.put(`${path}/restore`, { id: made.id }));
    assert.equal(ok(await service.admin.get(`${at(kind, made.id)}?date=${DATE}`)).usage, [summary(DATE, 6)]);
    ok(await service.admin.delete(`${path}/${made.id}?hardDelete=true`));
    const [left] = await service.graph.query('MATCH (day:UsageDay {ownerId: $id}) RETURN count(day) AS days', {
      id: made.id,
    });
    assert.is(left?.['days'], 0);
  },
  (kind) => isCounted(kind) && kind.softDeletable,
);

each(
  'kinds without usage have no such routes: 404',
  async ({ service, samples, kind }) => {
    const made = await samples.create(kind);
    const before = await countStored(service);
    expectRefused(await service.admin.get(at(kind, made.id)), 404);
    expectRefused(await service.admin.post(at(kind, made.id), { date: DATE, count: 1 }), 404);
    expectRefused(await service.admin.post(`/v1/usage/compute.percentile/${kind.entityType}/${DATE}`, undefined), 404);
    assert.equal(await countStored(service), before);
  },
  (kind) => !isCounted(kind),
);

test('an unknown type is 404', async () => {
  const service = await openService();
  expectRefused(await service.admin.get(`/v1/usage/nonsense/${strayId()}`), 404);
  expectRefused(await service.admin.post('/v1/usage/compute.percentile/nonsense/2024-01-01', undefined), 404);
});

test.run();
