import * as assert from 'uvu/assert';
import { parseHistory, readHistory } from '../../src/catalog/read/history-page.ts';
import { everyKind } from '../support/every-kind.ts';
import { createPerson, expectList, expectRecord, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { anonymous, openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the history of every kind lists its versions in a time range. */

const test = suite('catalog: history of every kind');
const each = everyKind(test);

type State = {
  readonly id: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly displayName: string;
};

const key = (state: State): string => `${state.id} ${state.version}`;

/** Newest first; what was made in one millisecond goes by id and then by version. */
const byAge = (a: State, b: State): number =>
  b.updatedAt - a.updatedAt || (a.id < b.id ? 1 : a.id > b.id ? -1 : b.version - a.version);

each(
  'a time range returns present, former and deleted versions, newest first',
  async ({ service, samples, kind, path }) => {
    const kept = await samples.create(kind);
    const gone = await samples.create(kind);
    const removed = await samples.create(kind);
    for (const name of ['One', 'Two']) {
      ok(await service.admin.patch(`${path}/${kept.id}`, [{ op: 'add', path: '/displayName', value: name }]));
    }
    if (kind.softDeletable) ok(await service.admin.delete(`${path}/${gone.id}`));
    ok(await service.admin.delete(`${path}/${removed.id}?hardDelete=true`));
    const from = kept['updatedAt'] as number;
    const reply = await service.admin.get(`${path}/history?startTs=${from}&endTs=${Date.now()}&limit=500`);
    const { data, paging } = expectList(reply);
    assert.is(paging.total, data.length);
    assert.equal(Object.keys(paging), ['total']);
    for (const state of data) expectRecord(kind, state, { hrefs: false });
    assert.equal(data.map(key), [...data].sort(byAge).map(key));
    const states = (id: string) =>
      data.filter((state: State) => state.id === id).map(({ version, displayName }: State) => [version, displayName]);
    assert.equal(states(kept.id), [
      [0.3, 'Two'],
      [0.2, 'One'],
      [0.1, undefined],
    ]);
    assert.equal(
      states(gone.id).map(([version]: number[]) => version),
      kind.softDeletable ? [0.2, 0.1] : [0.1],
    );
    assert.equal(states(removed.id), []);
    const versions = ok(await service.admin.get(`${path}/${kept.id}/versions`)).versions;
    assert.equal(
      data.filter((state: State) => state.id === kept.id),
      versions.map((text: string) => JSON.parse(text)),
    );
  },
);

each('pages in both directions return every version once', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  for (let index = 0; index < 4; index += 1) {
    ok(await service.admin.patch(`${path}/${made.id}`, [{ op: 'add', path: '/displayName', value: `n${index}` }]));
  }
  const other = await samples.create(kind);
  const stretch = `startTs=${made['updatedAt']}&endTs=${other['updatedAt']}`;
  const page = async (limit: number, cursor = '') =>
    expectList(await service.admin.get(`${path}/history?${stretch}&limit=${limit}${cursor}`));
  const whole = await page(500);
  assert.is(whole.paging.total, whole.data.length);
  assert.ok(whole.data.length >= 6);
  const forth: State[] = [];
  const pages = [];
  for (let at = await page(2); ; at = await page(2, `&after=${at.paging.after}`)) {
    forth.push(...at.data);
    pages.push(at);
    assert.is(at.paging.total, whole.paging.total);
    assert.ok(forth.length <= whole.data.length, 'the pages never end');
    if (at.paging.after === undefined) break;
  }
  assert.equal(forth, whole.data);
  assert.is(pages[0]?.paging.before, undefined);
  for (let index = pages.length - 1; index > 0; index -= 1) {
    const back = await page(2, `&before=${pages[index]?.paging.before}`);
    assert.equal(back.data, pages[index - 1]?.data);
    assert.is(back.paging.before === undefined, index === 1);
    assert.ok(back.paging.after);
  }
});

each('the time range includes both ends', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  const at = made['updatedAt'] as number;
  const ids = async (query: string) =>
    expectList(await service.admin.get(`${path}/history?limit=500&${query}`)).data.map((state: State) => state.id);
  assert.ok((await ids(`startTs=${at}&endTs=${at}`)).includes(made.id));
  assert.ok((await ids(`startTs=${at}`)).includes(made.id));
  assert.ok((await ids('')).includes(made.id));
  assert.equal(await ids('startTs=1&endTs=2'), []);
  assert.not.ok((await ids(`endTs=${at - 1}`)).includes(made.id));
});

each('bad parameters are refused', async ({ service, path }) => {
  const bad: readonly [string, string | RegExp][] = [
    ['startTs=x', '[startTs must be a whole number]'],
    ['endTs=1.5', '[endTs must be a whole number]'],
    ['startTs=-1', '[startTs must be greater than or equal to 0]'],
    ['startTs=2&endTs=1', '[startTs must be less than or equal to endTs]'],
    ['limit=0', '[limit must be greater than or equal to 1]'],
    ['limit=501', '[limit must be less than or equal to 500]'],
    ['limit=many', '[limit must be a whole number]'],
    ['after=???', 'Invalid cursor'],
    ['before=e30', 'Invalid cursor'],
    ['after=W10', 'Invalid cursor'],
    ['after=e30&before=e30', 'Invalid cursor'],
  ];
  for (const [query, message] of bad) {
    expectRefused(await service.admin.get(`${path}/history?${query}`), 400, message);
  }
  const cursor = Buffer.from('{"at":1,"id":"x","version":0.1}').toString('base64url');
  expectRefused(
    await service.admin.get(`${path}/history?after=${cursor}&before=${cursor}`),
    400,
    'Only one of before or after query parameter allowed',
  );
  assert.equal(
    expectList(await service.admin.get(`${path}/history?limit=&after=&startTs=&nonsense=1`)).data.length <= 10,
    true,
  );
  expectRefused(await anonymous(service).get(`${path}/history`), 401);
});

test('every caller who may view may read the history, and reading changes nothing', async () => {
  const service = await openService();
  const reader = await createPerson(service, uniqueName('historian'));
  const { data } = expectList(await reader.get(`/v1/users/history?startTs=0&limit=5`));
  assert.is(data.length, 5);
  await expectUnchanged(service, reader.id, () => reader.get('/v1/users/history?limit=500'));
});

test('a secret is masked in every version, for administrators too', async () => {
  const service = await openService();
  const path = '/v1/services/databaseServices';
  const connection = { config: { type: 'Postgres', password: 'open sesame' } };
  const made = ok(
    await service.admin.post(path, { name: uniqueName('secret'), serviceType: 'Postgres', connection }),
    201,
  );
  ok(await service.admin.patch(`${path}/${made.id}`, { description: 'second' }));
  const reply = await service.admin.get(`${path}/history?startTs=${made.updatedAt}&limit=500`);
  const states = expectList(reply).data.filter((state: State) => state.id === made.id);
  assert.is(states.length, 2);
  assert.not.match(reply.text, /open sesame/);
  for (const state of states) assert.is(state.connection.config.password, '*********');
});

test('versions of one millisecond are ordered by id and version across pages', async () => {
  const service = await openService();
  const kind = service.registry.byType.get('domain');
  assert.ok(kind);
  if (!kind) return;
  const at = 86_400_000;
  const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
  const json = JSON.stringify({ name: 'planted', version: 0.1 });
  await service.graph.query(
    `UNWIND $ids AS id UNWIND [0.1, 0.2, 0.3] AS version
     CREATE (:Version {entityType: 'domain', entityId: id, version: version, at: $at, json: $json})`,
    { ids, at, json },
  );
  const principal = { id: '', name: 'admin', email: '', isAdmin: true, isBot: false, roles: [] };
  const read = (cursor: string) =>
    readHistory(
      service.app.engine,
      { kind, principal },
      parseHistory(new URLSearchParams(`startTs=${at}&endTs=${at}&limit=4${cursor}`)),
    ) as Promise<{ data: State[]; paging: { total: number; after?: string; before?: string } }>;
  const first = await read('');
  const second = await read(`&after=${first.paging.after}`);
  const back = await read(`&before=${second.paging.before}`);
  await service.graph.query('MATCH (n:Version {entityType: "domain", at: $at}) DELETE n', { at });
  assert.equal([first.data.length, second.data.length, back.data.length], [4, 2, 4]);
  assert.equal([first.paging.total, second.paging.after], [6, undefined]);
});

test.run();
