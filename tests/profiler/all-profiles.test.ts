import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { keep, newTable, ofColumn, TABLES } from './fixture.ts';

/** Shows that profiles of all tables are listed as far as they are visible. */

const test = suite('profiler: profiles of all tables');

const ALL = '/v1/entity/profiles/table';

let service: Service;
let rights: RightsFactory;
test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

type Row = {
  readonly id: string;
  readonly entityReference: { readonly id: string };
  readonly timestamp: number;
  readonly profileData: JsonObject;
  readonly profileType: string;
};

/** A stretch of time that no other test measures anything in. */
const newStretch = () => {
  const first = 1_100_000_000_000 + Math.floor(Math.random() * 400_000_000) * 1000;
  return { first, query: `startTs=${first}&endTs=${first + 900}`, moment: (count: number) => first + count * 100 };
};

const read = async (client: Client, query: string): Promise<{ data: readonly Row[]; paging: JsonObject }> => {
  const json = ok(await client.get(`${ALL}?${query}`));
  assert.equal(Object.keys(json.paging).sort(), ['after', 'before', 'total']);
  return json;
};

const system = (timestamp: number) => ({ systemProfile: [{ timestamp, operation: 'INSERT' }] });

test('rows of all tables and types are sorted by time with their table, and cursors are null at the ends', async () => {
  const { query, moment } = newStretch();
  const [a, b] = [await newTable(service), await newTable(service)];
  await keep(service.admin, a.id, moment(1), { columnProfile: [ofColumn('id', moment(2))], ...system(moment(4)) });
  await keep(service.admin, b.id, moment(3), { columnProfile: [ofColumn('address.street', moment(5))] });
  const whole = await read(service.admin, query);
  const told = whole.data.map((row) => [
    row.profileType,
    row.entityReference.id,
    row.timestamp,
    row.profileData['name'],
  ]);
  assert.equal(told, [
    ['column', b.id, moment(5), 'address.street'],
    ['system', a.id, moment(4), undefined],
    ['table', b.id, moment(3), undefined],
    ['column', a.id, moment(2), 'id'],
    ['table', a.id, moment(1), undefined],
  ]);
  assert.equal(whole.paging, { before: null, after: null, total: 5 });
  for (const row of whole.data) {
    expectRef(row.entityReference);
    assert.match(row.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.is(row.profileData['timestamp'], row.timestamp);
  }
  assert.equal((await read(service.admin, query)).data, whole.data);
  for (const [type, count] of [
    ['table', 2],
    ['column', 2],
    ['system', 1],
  ] as const) {
    const some = await read(service.admin, `${query}&profileType=${type}`);
    assert.equal(
      [some.data.every((row) => row.profileType === type), some.data.length, some.paging['total']],
      [true, count, count],
    );
  }
  const first = await read(service.admin, `${query}&limit=2`);
  const second = await read(service.admin, `${query}&limit=2&after=${first.paging['after']}`);
  const third = await read(service.admin, `${query}&limit=2&after=${second.paging['after']}`);
  assert.equal([...first.data, ...second.data, ...third.data], whole.data);
  assert.equal([first.paging['before'], third.paging['after']], [null, null]);
  const back = await read(service.admin, `${query}&limit=2&before=${third.paging['before']}`);
  assert.equal([back.data, back.paging['before'] !== null], [second.data, true]);
  const start = await read(service.admin, `${query}&limit=2&before=${second.paging['before']}`);
  assert.equal([start.data, start.paging['before']], [first.data, null]);
  assert.equal((await read(service.admin, `${query}&limit=0`)).paging, { before: null, after: null, total: 5 });
});

test('deleted and hidden tables are neither shown nor counted, and pages are full', async () => {
  const { query, moment } = newStretch();
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewDataProfile'], resources: ['table'], condition: '!isOwner()' },
  ]);
  const owners = [{ id: caller.id, type: 'user' }];
  for (const count of [1, 2, 3, 4, 5, 6]) {
    const table = await newTable(service, count % 2 === 0 ? { owners } : {});
    await keep(service.admin, table.id, moment(count));
    if (count === 6) ok(await service.admin.delete(`${TABLES}/${table.id}`));
  }
  const times = (rows: readonly Row[]) => rows.map((row) => row.timestamp);
  const whole = await read(service.admin, query);
  assert.equal([times(whole.data), whole.paging['total']], [[5, 4, 3, 2, 1].map(moment), 5]);
  const seen = await read(caller, query);
  assert.equal([times(seen.data), seen.paging['total']], [[4, 2].map(moment), 2]);
  const one = await read(caller, `${query}&limit=1`);
  const two = await read(caller, `${query}&limit=1&after=${one.paging['after']}`);
  assert.equal([...times(one.data), ...times(two.data)], [4, 2].map(moment));
  const back = await read(caller, `${query}&limit=1&before=${two.paging['before']}`);
  assert.equal([times(back.data), back.paging['before']], [[moment(4)], null]);
  const nobody = await rights.person([{ effect: 'deny', operations: ['ViewDataProfile'], resources: ['table'] }]);
  expectRefused(await nobody.get(ALL), 403);
});

test('other entity types have no profiles, and invalid parameters are refused', async () => {
  const none = ok(await service.admin.get('/v1/entity/profiles/topic'));
  assert.equal(none, { data: [], paging: { before: null, after: null, total: 0 } });
  expectRefused(await service.admin.get('/v1/entity/profiles/nothing'), 400);
  for (const bad of ['profileType=x', 'startTs=2&endTs=1', 'limit=-1', 'after=!', 'after=a&before=b']) {
    expectRefused(await service.admin.get(`${ALL}?${bad}`), 400);
  }
});

test.run();
