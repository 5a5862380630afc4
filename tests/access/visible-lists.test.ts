import * as assert from 'uvu/assert';
import { expectList, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that lists contain only records that the caller may see, with correct pages and totals. */

const test = suite('access: visible lists');

let service: Service;
let rights: RightsFactory;
let root: string;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

test.beforeEach(async () => {
  root = uniqueName('vis');
  ok(await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
});

const hiding = (resource: string, condition: string): RuleOptions => ({
  effect: 'deny',
  operations: ['ViewAll'],
  resources: [resource],
  condition,
});

const ref = (id: string, type: string) => ({ id, type });

type Row = { readonly id: string; readonly name: string };
type Page = { data: readonly Row[]; paging: { before?: string; after?: string; total: number } };

const read = async (caller: Pick<Person, 'get'>, path: string): Promise<Page> => expectList(await caller.get(path));

const namesOf = ({ data }: Pick<Page, 'data'>): string[] => data.map(({ name }) => name);

/** Everything a list shows, page by page to its end and back again. */
const walk = async (caller: Person, path: string, limit: number) => {
  const forward: string[] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  let last: Page | undefined;
  do {
    const page = await read(caller, `${path}&limit=${limit}${cursor === undefined ? '' : `&after=${cursor}`}`);
    assert.ok(page.data.length === limit || page.paging.after === undefined, 'pages are full');
    forward.push(...namesOf(page));
    totals.add(page.paging.total);
    cursor = page.paging.after;
    last = page;
  } while (cursor !== undefined);
  const backward: string[] = [];
  for (let before = last.paging.before; before !== undefined; ) {
    const page = await read(caller, `${path}&limit=${limit}&before=${before}`);
    backward.unshift(...namesOf(page));
    totals.add(page.paging.total);
    before = page.paging.before;
  }
  return { forward, backward, totals: [...totals], tail: last.data.length };
};

const createDatabases = async (names: readonly string[], more: (name: string) => object = () => ({})) => {
  for (const name of names) {
    ok(await service.admin.post('/v1/databases', { name, service: root, ...more(name) }), 201);
  }
};

const listed = (): string => `/v1/databases?service=${root}`;

test('a caller who sees only owned assets gets full pages and correct totals', async () => {
  const caller = await rights.person([hiding('database', '!isOwner()')]);
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k'];
  const own = ['b', 'c', 'g', 'j', 'k'];
  await createDatabases(names, (name) => (own.includes(name) ? { owners: [ref(caller.id, 'user')] } : {}));
  for (const limit of [1, 2, 3, 5, 100]) {
    const { forward, backward, totals, tail } = await walk(caller, listed(), limit);
    assert.equal([forward, totals], [own, [5]], `pages of ${limit}`);
    assert.equal(backward, own.slice(0, own.length - tail), `back by ${limit}`);
  }
  assert.equal(await read(caller, `${listed()}&limit=0`), { data: [], paging: { total: 5 } });
  assert.equal(namesOf(await read(caller, `${listed()}&limit=1000000`)), own);
  // The whole kind as well: nothing but his own is counted anywhere.
  assert.is((await read(caller, '/v1/databases?limit=0')).paging.total, 5);
  assert.equal(namesOf(await read(service.admin, `${listed()}&limit=100`)), names);
});

test('deleted records are hidden like existing ones', async () => {
  const caller = await rights.person([hiding('database', "matchAnyTag('PII.Sensitive')")]);
  const tags = [{ tagFQN: 'PII.Sensitive', source: 'Classification' }];
  await createDatabases(['a', 'b', 'c', 'd'], (name) => ('ac'.includes(name) ? { tags } : {}));
  for (const name of ['c', 'd']) ok(await service.admin.delete(`/v1/databases/name/${root}.${name}`));
  const shown = async (include: string) => {
    const page = await read(caller, `${listed()}&include=${include}`);
    return [namesOf(page), page.paging.total];
  };
  assert.equal(await shown('non-deleted'), [['b'], 1]);
  assert.equal(await shown('deleted'), [['d'], 1]);
  assert.equal(await shown('all'), [['b', 'd'], 2]);
});

test('a list without visible records is empty, and a list that no rule allows is refused', async () => {
  await createDatabases(['a', 'b']);
  const stranger = await rights.person([hiding('database', '!isOwner()')]);
  assert.equal(await read(stranger, listed()), { data: [], paging: { total: 0 } });
  assert.equal(await read(stranger, `${listed()}&limit=1000000`), { data: [], paging: { total: 0 } });
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['database'] }]);
  expectRefused(await blind.get(listed()), 403);
  expectRefused(await blind.get(`${listed()}&limit=1000000`), 403);
  expectRefused(await blind.get('/v1/databases/history'), 403);
});

test('the operations of the requested fields determine which rows are shown', async () => {
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewUsage'], resources: ['database'], condition: '!isOwner()' },
  ]);
  await createDatabases(['a', 'b', 'c'], (name) => (name === 'b' ? { owners: [ref(caller.id, 'user')] } : {}));
  assert.equal(namesOf(await read(caller, listed())), ['a', 'b', 'c']);
  assert.equal(namesOf(await read(caller, `${listed()}&fields=owners`)), ['a', 'b', 'c']);
  const page = await read(caller, `${listed()}&fields=usageSummary`);
  assert.equal([namesOf(page), page.paging.total], [['b'], 1]);
});

test('inherited facts of a table and tags of its columns decide in lists too', async () => {
  const caller = await rights.person([hiding('table', '!isOwner()')]);
  const careful = await rights.person([hiding('table', "matchAnyTag('PII.Sensitive')")]);
  const own = { owners: [ref(caller.id, 'user')] };
  const others = { owners: [ref((await rights.person([])).id, 'user')] };
  await createDatabases(['db'], () => own);
  const schema = async (name: string, more: object = {}) =>
    ok(await service.admin.post('/v1/databaseSchemas', { name, database: `${root}.db`, ...more }), 201);
  await schema('mine');
  await schema('theirs', others);
  const column = (tags: readonly object[] = []) => ({
    name: 'c',
    dataType: 'STRUCT',
    children: [{ name: 'd', dataType: 'INT', tags }],
  });
  const table = async (at: string, name: string, more: object = {}) =>
    ok(
      await service.admin.post('/v1/tables', {
        name,
        databaseSchema: `${root}.db.${at}`,
        columns: [column()],
        ...more,
      }),
      201,
    );
  const tag = { tagFQN: 'PII.Sensitive', source: 'Classification' };
  await table('mine', 'a');
  await table('mine', 'b', others);
  await table('theirs', 'c', { columns: [column([tag])] });
  await table('theirs', 'd', own);
  const shown = async (who: Person) => {
    const page = await read(who, `/v1/tables?database=${root}.db`);
    return [namesOf(page), page.paging.total];
  };
  assert.equal(await shown(caller), [['a', 'd'], 2]);
  assert.equal(await shown(careful), [['a', 'b', 'd'], 3]);
});

test('long lists with few visible rows and with few hidden rows are correct', async () => {
  const few = await rights.person([hiding('database', '!isOwner()')]);
  const most = await rights.person([hiding('database', 'isOwner() || !noOwner()')]);
  const names = Array.from({ length: 2500 }, (_, at) => `d${String(at).padStart(4, '0')}`);
  const marked = ['d0005', 'd1200', 'd2499'];
  const rows = names.map((name) => ({
    name,
    service: root,
    ...(marked.includes(name) ? { owners: [ref(few.id, 'user')] } : {}),
  }));
  assert.is(ok(await service.admin.put('/v1/databases/bulk', rows)).numberOfRowsPassed, names.length);
  const others = names.filter((name) => !marked.includes(name));
  const { forward, backward, totals } = await walk(few, listed(), 1);
  assert.equal([forward, backward, totals], [marked, marked.slice(0, 2), [3]]);
  const long = await read(most, `${listed()}&limit=1000000`);
  assert.equal([namesOf(long), long.paging], [others, { total: others.length }]);
  const half = await read(most, `${listed()}&limit=1500`);
  assert.equal([namesOf(half), half.paging.total], [others.slice(0, 1500), others.length]);
  const rest = await read(most, `${listed()}&limit=1500&after=${half.paging.after}`);
  assert.equal(namesOf(rest), others.slice(1500));
  const back = await read(most, `${listed()}&limit=1500&before=${rest.paging.before}`);
  assert.equal(namesOf(back), others.slice(0, 1500));
});

test('lists along edges and in domains are filtered', async () => {
  const { admin } = service;
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const caller = await rights.person([hiding('database', '!isOwner()'), hiding('user', '!hasDomain()')]);
  await createDatabases(['a', 'b', 'c'], (name) => ({
    domains: [domain.fullyQualifiedName],
    ...(name === 'b' ? { owners: [ref(caller.id, 'user')] } : {}),
  }));
  const inDomain = await read(caller, `/v1/databases?domain=${domain.name}`);
  assert.equal([namesOf(inDomain), inDomain.paging.total], [['b'], 1]);
  const team = await rights.team();
  const there = await rights.person([], { teams: [team.id] });
  const elsewhere = await rights.person([], { teams: [team.id], domains: [domain.fullyQualifiedName] });
  const members = await read(caller, `/v1/users?team=${team.name}`);
  assert.equal([namesOf(members), members.paging.total], [[there.name], 1]);
  assert.equal(namesOf(await read(admin, `/v1/users?team=${team.name}`)).sort(), [there.name, elsewhere.name].sort());
});

test('histories list and count visible versions, in both directions', async () => {
  const caller = await rights.person([hiding('database', '!isOwner()')]);
  const from = Date.now();
  await createDatabases(['a', 'b', 'c'], (name) => (name === 'b' ? { owners: [ref(caller.id, 'user')] } : {}));
  for (const description of ['one', 'two']) {
    for (const name of ['a', 'b', 'c'])
      ok(await service.admin.patch(`/v1/databases/name/${root}.${name}`, { description }));
  }
  const path = `/v1/databases/history?startTs=${from}`;
  const versions = ({ data }: Page) => data.map((row) => (row as Row & { version: number }).version);
  const whole = await read(caller, `${path}&limit=100`);
  assert.equal([namesOf(whole), versions(whole), whole.paging.total], [['b', 'b', 'b'], [0.3, 0.2, 0.1], 3]);
  const first = await read(caller, `${path}&limit=2`);
  assert.equal([versions(first), first.paging.total], [[0.3, 0.2], 3]);
  const second = await read(caller, `${path}&limit=2&after=${first.paging.after}`);
  assert.equal([versions(second), second.paging.after], [[0.1], undefined]);
  const back = await read(caller, `${path}&limit=2&before=${second.paging.before}`);
  assert.equal(versions(back), [0.3, 0.2]);
  assert.ok((await read(service.admin, `${path}&limit=1`)).paging.total >= 9);
});

test('sub-resource lists are filtered for every kind', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const caller = await rights.person([
    hiding('database', '!isOwner()'),
    { effect: 'deny', operations: ['ViewAll'], resources: ['databaseSchema'] },
  ]);
  const domains = [domain.fullyQualifiedName];
  await createDatabases(['a', 'b', 'c'], (name) => ({
    domains,
    ...(name === 'a' ? {} : { owners: [ref(caller.id, 'user')] }),
  }));
  ok(await service.admin.post('/v1/databaseSchemas', { name: 's', database: `${root}.a`, domains }), 201);
  const path = `/v1/domains/name/${domain.name}/assets`;
  const page = async (who: Pick<Person, 'get'>, query: string) => {
    const found = await read(who, `${path}?${query}`);
    return [namesOf(found), found.paging.total];
  };
  assert.equal(await page(service.admin, 'limit=10'), [['a', 'b', 'c', 's'], 4]);
  assert.equal(await page(caller, 'limit=10'), [['b', 'c'], 2]);
  assert.equal(await page(caller, 'limit=1&offset=1'), [['c'], 2]);
  assert.equal(await page(caller, 'limit=0'), [[], 2]);
});

test('nested records of a list are filtered', async () => {
  const { admin } = service;
  ok(await admin.post('/v1/services/storageServices', { name: root, serviceType: 'S3' }), 201);
  const parent = ok(await admin.post('/v1/containers', { name: 'top', service: root }), 201);
  const caller = await rights.person([
    hiding('container', 'noOwner() && !noDomain()'),
    hiding('container', '!noOwner()'),
  ]);
  for (const name of ['one', 'two']) {
    const owners = name === 'two' ? { owners: [ref(caller.id, 'user')] } : {};
    const body = { name, service: root, parent: ref(parent.id, 'container'), ...owners };
    ok(await admin.post('/v1/containers', body), 201);
  }
  const children = await read(caller, `/v1/containers/name/${root}.top/children`);
  assert.equal([namesOf(children), children.paging.total], [['one'], 1]);
});

test('the team hierarchy has no hidden branches', async () => {
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const [open, hidden] = [
    await rights.team({ teamType: 'Department' }),
    await rights.team({ teamType: 'Department', domains: [domain.fullyQualifiedName] }),
  ];
  const caller = await rights.person([hiding('team', '!noDomain()')]);
  const text = (await caller.get('/v1/teams/hierarchy')).text;
  assert.match(text, open.id);
  assert.not.match(text, hidden.id);
  assert.match((await service.admin.get('/v1/teams/hierarchy')).text, hidden.id);
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['team'] }]);
  expectRefused(await blind.get('/v1/teams/hierarchy'), 403);
});

test('events of hidden assets are not listed', async () => {
  const caller = await rights.person([hiding('database', '!isOwner()')]);
  const from = Date.now();
  await createDatabases(['a', 'b'], (name) => (name === 'b' ? { owners: [ref(caller.id, 'user')] } : {}));
  const told = async () => ok(await caller.get(`/v1/events?entityCreated=database&timestamp=${from}&limit=100`));
  await waitForSequencing(service);
  const answer = await told();
  const names = answer.data.map((event: { entityFullyQualifiedName: string }) => event.entityFullyQualifiedName);
  assert.equal([names, answer.paging.total], [[`${root}.b`], 1]);
});

test.run();
