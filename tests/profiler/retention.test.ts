import * as assert from 'uvu/assert';
import { deleteOrphanedProfiles } from '../../src/profiler/orphaned-profiles.ts';
import { profileRetention } from '../../src/profiler/retention.ts';
import { createRetention, type RetainedSeries } from '../../src/retention/retention.ts';
import { expectList, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { day, keep, newTable, ofColumn, TABLES } from './fixture.ts';

/** Shows that old profiles are removed, except the newest. */

const test = suite('profiler: retention');

let service: Service;
test.before(async () => {
  service = await openService();
});

/** Far before anything else that is measured: the database is shared, and nothing of others may be forgotten. */
const long = (count: number): number => day(count) - 20 * 365 * 24 * 60 * 60 * 1000;

const SORTS = ['table', 'column', 'system'] as const;

const measure = async (id: string, counts: readonly number[], moment = long) => {
  for (const count of counts) {
    const timestamp = moment(count);
    await keep(service.admin, id, timestamp, {
      columnProfile: [ofColumn('id', timestamp), ofColumn('Amount', timestamp)],
      systemProfile: ['INSERT', 'DELETE'].map((operation) => ({ timestamp, operation })),
    });
  }
};

/** The days that are left of each sort, newest first. */
const left = async (id: string, moment = long) =>
  Promise.all(
    SORTS.map(async (sort) => {
      const { data } = expectList(await service.admin.get(`${TABLES}/${id}/${sort}Profile?startTs=0`));
      return data.map(({ timestamp }: { timestamp: number }) => Math.round((timestamp - moment(0)) / 86_400_000));
    }),
  );

test('profiles beyond the maximum age are removed, except the newest of each series', async () => {
  const [busy, idle] = [await newTable(service), await newTable(service)];
  await measure(busy.id, [1, 2, 3, 4]);
  await measure(idle.id, [1, 2]);
  await keep(service.admin, idle.id, long(9), { columnProfile: [ofColumn('id', long(9))] });
  const forget = createRetention(service.graph, profileRetention({ days: 10, rows: 0 }), {
    batch: 3,
    batches: 100_000,
  });
  await forget(long(13) - 1);
  assert.equal(await left(busy.id), [
    [4, 3],
    [4, 4, 3, 3],
    [4, 4, 3, 3],
  ]);
  // Of one column of the idle table nothing newer was told, and so its last profile stays; so does what systems told last.
  assert.equal(await left(idle.id), [[9], [9, 2], [2]]);
  await forget(long(100));
  assert.equal(await left(busy.id), [[4], [4, 4], [4]]);
  assert.equal(await left(idle.id), [[9], [9, 2], [2]]);
  const shown = ok(await service.admin.get(`${TABLES}/${idle.id}?fields=profile`));
  assert.equal([shown.profile.timestamp, shown.columns[1].profile.timestamp], [long(9), long(2)]);
});

test('the newest rows of each series are kept up to a maximum number', async () => {
  const [many, few] = [await newTable(service), await newTable(service)];
  const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at);
  // More than any other test tells of one thing: nothing of others may be forgotten.
  await measure(many.id, range(1, 33), day);
  await measure(few.id, range(1, 15), day);
  await createRetention(service.graph, profileRetention({ days: 0, rows: 30 }), { batch: 4, batches: 10_000 })(
    Date.now(),
  );
  const days = (first: number, last: number, each: number) =>
    range(first, last)
      .reverse()
      .flatMap((count) => new Array<number>(each).fill(count));
  assert.equal(await left(many.id, day), [days(4, 33, 1), days(4, 33, 2), days(19, 33, 2)]);
  assert.equal(await left(few.id, day), [days(1, 15, 1), days(1, 15, 2), days(1, 15, 2)]);
});

test('a cleanup round is bounded, and the next continues where it ended', async () => {
  const looks: string[] = [];
  const sort = (removed: (edge: string) => number): RetainedSeries => ({
    name: uniqueName('sort'),
    policy: { days: 1, rows: 0 },
    removeOld: (_graph, _before, { edge, limit }) => {
      looks.push(edge);
      const next = Number(edge) + limit;
      return Promise.resolve({ seen: next > 10 ? 0 : limit, removed: removed(edge), edge: String(next) });
    },
    removeExcess: () => Promise.reject(new Error('nobody has asked for that')),
  });
  const forget = createRetention(service.graph, [sort(() => 0)], { batch: 2, batches: 3 });
  await forget(0);
  await forget(0);
  await forget(0);
  assert.equal(looks, ['', '2', '4', '6', '8', '10', '', '2', '4']);
  looks.length = 0;
  // Where as much goes as may at once, there is another look at the same place.
  let times = 0;
  const full = sort(() => {
    times += 1;
    return times <= 2 ? 2 : 0;
  });
  await createRetention(service.graph, [full], { batch: 2, batches: 4 })(0);
  assert.equal(looks, ['', '', '', '2']);
});

test('everything is kept by default', async () => {
  const { id } = await newTable(service);
  await measure(id, [1, 2]);
  await createRetention(service.graph, profileRetention({ days: 0, rows: 0 }))(Date.now());
  await deleteOrphanedProfiles(service.graph);
  assert.equal(await left(id), [
    [2, 1],
    [2, 2, 1, 1],
    [2, 2, 1, 1],
  ]);
});

test.run();
