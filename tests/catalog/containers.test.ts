import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import {
  countStored,
  expectList,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
  pathByName,
} from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that containers nest, list their children and inherit from their service. */

const test = suite('catalog: containers');

const PATH = '/v1/containers';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newHome = (): Promise<CreatedRecord> => samples.create('storageService');
const post = async (home: CreatedRecord, name: string, more: JsonObject = {}): Promise<CreatedRecord & JsonObject> =>
  ok(await service.admin.post(PATH, { name, service: home.fullyQualifiedName, ...more }), 201);
const byId = ({ id }: CreatedRecord): JsonObject => ({ parent: { id, type: 'container' } });
const byFqn = ({ fullyQualifiedName }: CreatedRecord): JsonObject => ({
  parent: { type: 'container', fullyQualifiedName },
});
const read = async (made: CreatedRecord, fields = '') =>
  ok(await service.admin.get(`${PATH}/${made.id}?fields=${fields}`));

test('a container is created below another one, by id or by full name', async () => {
  const home = await newHome();
  const root = await post(home, 'bucket.one');
  const inner = await post(home, 'raw', byId(root));
  const leaf = await post(home, 'orders', byFqn(inner));
  const fqn = `${home.name}."bucket.one"`;
  assert.equal(
    [root, inner, leaf].map((made) => made.fullyQualifiedName),
    [fqn, `${fqn}.raw`, `${fqn}.raw.orders`],
  );
  const shown = await read(leaf, 'parent,children');
  expectRef(shown.parent);
  assert.equal([shown.parent.id, shown.parent.fullyQualifiedName], [inner.id, inner.fullyQualifiedName]);
  assert.equal([shown.service.id, shown.serviceType, shown.children], [home.id, 'S3', []]);
  const top = await read(root, 'parent,children');
  assert.equal([top.parent, top.children.map(({ id }: CreatedRecord) => id)], [undefined, [inner.id]]);
  const base = await read(leaf);
  assert.equal(
    ['parent', 'children', 'dataModel'].filter((name) => name in base),
    [],
  );
  assert.is(ok(await service.admin.get(pathByName(samples.kind('container'), leaf.fullyQualifiedName))).id, leaf.id);
  // The same name at another place is another record; the same place is taken.
  await post(home, 'orders', byId(root));
  const again = { name: 'orders', service: home.name, ...byId(inner) };
  expectRefused(await service.admin.post(PATH, again), 409, 'Entity already exists', 'ENTITY_ALREADY_EXISTS');
  assert.is(ok(await service.admin.put(PATH, again)).id, leaf.id);
});

test('a parent that is missing, deleted, of another service or of another kind is refused', async () => {
  const [home, other] = [await newHome(), await newHome()];
  const root = await post(home, 'root');
  const gone = await post(home, 'gone');
  ok(await service.admin.delete(`${PATH}/${gone.id}`));
  const before = await countStored(service);
  const attempt = (more: JsonObject, at = home) => [
    () => service.admin.post(PATH, { name: uniqueName('c'), service: at.fullyQualifiedName, ...more }),
    () => service.admin.put(PATH, { name: uniqueName('c'), service: at.fullyQualifiedName, ...more }),
  ];
  const cases: readonly (readonly [JsonObject, number, CreatedRecord])[] = [
    [byId(root), 400, other],
    [byFqn(root), 400, other],
    [byId(gone), 404, home],
    [{ parent: { id: home.id, type: 'storageService' } }, 404, home],
    [{ parent: { id: home.id, type: 'container' } }, 404, home],
    [{ parent: { type: 'container', fullyQualifiedName: `${home.name}.nowhere` } }, 404, home],
    [{ parent: root.fullyQualifiedName }, 400, home],
    [{ parent: {} }, 400, home],
  ];
  for (const [more, status, at] of cases) {
    for (const send of attempt(more, at)) expectRefused(await send(), status);
  }
  expectRefused(await service.admin.post(PATH, { name: 'x', ...byId(root) }), 400, /service must not be null/);
  assert.equal(await countStored(service), before);
});

test('root selects top-level containers, with and without a service, and must be a boolean', async () => {
  const [home, other] = [await newHome(), await newHome()];
  const domain = await samples.create('domain');
  const [a, b] = [await post(home, 'a'), await post(home, 'b', { domains: [domain.fullyQualifiedName] })];
  const child = await post(home, 'c', byId(b));
  const far = await post(other, 'd');
  const ids = async (query: string): Promise<string[]> =>
    expectList(await service.admin.get(`${PATH}?limit=1000&${query}`)).data.map(({ id }: CreatedRecord) => id);
  const at = `service=${home.name}`;
  assert.equal(await ids(at), [a.id, b.id, child.id]);
  for (const yes of ['true', 'True', 'TRUE']) assert.equal(await ids(`${at}&root=${yes}`), [a.id, b.id]);
  for (const no of ['false', 'False', '']) assert.equal(await ids(`${at}&root=${no}`), [a.id, b.id, child.id]);
  assert.is(expectList(await service.admin.get(`${PATH}?limit=0&${at}&root=true`)).paging.total, 2);
  assert.equal(await ids(`root=true&domain=${domain.name}`), [b.id]);
  assert.equal(await ids(`domain=${domain.name}`), [b.id, child.id]);
  const everywhere = await ids('root=true');
  assert.equal(
    [a, b, far, child].map(({ id }) => everywhere.includes(id)),
    [true, true, true, false],
  );
  assert.equal(await ids(`service=${encodeURIComponent(b.fullyQualifiedName)}`), [child.id]);
  expectRefused(await service.admin.get(`${PATH}?root=yes`), 400, '[root must be true or false]');
  const page = expectList(await service.admin.get(`${PATH}?limit=1&${at}&root=true`));
  const next = expectList(await service.admin.get(`${PATH}?limit=1&${at}&root=true&after=${page.paging.after}`));
  assert.equal([page.data[0].id, next.data[0].id, next.paging.after], [a.id, b.id, undefined]);
});

test('children are listed page by page, and as references up to one thousand', async () => {
  const home = await newHome();
  const root = await post(home, 'wide.bucket');
  const name = (at: number) => `c${String(at).padStart(4, '0')}`;
  const rows = Array.from({ length: 1005 }, (_, at) => ({ name: name(at), service: home.name, ...byId(root) }));
  const bulk = ok(await service.admin.put(`${PATH}/bulk`, rows));
  assert.equal([bulk.status, bulk.numberOfRowsPassed], ['success', 1005]);
  const at = pathByName(samples.kind('container'), root.fullyQualifiedName, '/children');
  const page = async (query: string) => expectList(await service.admin.get(`${at}${query}`));
  const first = await page('');
  assert.equal(first.paging, { offset: 0, limit: 10, total: 1005 });
  assert.equal(
    first.data.map((one: CreatedRecord) => one.name),
    Array.from({ length: 10 }, (_, place) => name(place)),
  );
  const [slim] = first.data;
  assert.is(slim.fullyQualifiedName, `${root.fullyQualifiedName}.c0000`);
  assert.equal(
    ['owners', 'dataModel', 'parent', 'children'].filter((member) => member in slim),
    [],
  );
  const last = await page('?limit=10&offset=1000');
  assert.equal([last.data.length, last.data[4].name], [5, name(1004)]);
  assert.equal((await page('?offset=5000')).data, []);
  expectRefused(await service.admin.get(`${at}?limit=1001`), 400);
  expectRefused(
    await service.admin.get(pathByName(samples.kind('container'), `${home.name}.nowhere`, '/children')),
    404,
  );
  const { children } = await read(root, 'children');
  assert.equal([children.length, children[0].name, children[999].name], [1000, name(0), name(999)]);
  expectRefused(await service.admin.delete(`${PATH}/${root.id}`), 400, 'container is not empty');
  ok(await service.admin.delete(`${PATH}/${first.data[0].id}`));
  assert.is((await page('')).paging.total, 1004);
});

test('owners and domains are inherited from the service through every container', async () => {
  const user = await samples.create('user');
  const domain = await samples.create('domain');
  const home = await samples.create('storageService', {
    owners: [{ id: user.id, type: 'user' }],
    domains: [domain.fullyQualifiedName],
  });
  const root = await post(home, 'a');
  const leaf = await post(home, 'b', byId(root));
  const shown = await read(leaf, 'owners,domains');
  assert.equal(
    [shown.owners[0].id, shown.owners[0].inherited, shown.domains[0].id, shown.domains[0].inherited],
    [user.id, true, domain.id, true],
  );
});

test('size and number of objects do not step the version, everything else does', async () => {
  const home = await newHome();
  const body = { name: 'sized', service: home.name, size: 1, numberOfObjects: 2, prefix: '/a' };
  const made = ok(await service.admin.post(PATH, body), 201);
  const grown = ok(await service.admin.put(PATH, { ...body, size: 5.5, numberOfObjects: 7 }));
  assert.equal([grown.version, grown.size, grown.numberOfObjects], [0.1, 5.5, 7]);
  const patched = ok(await service.admin.patch(`${PATH}/${made.id}`, { size: 9 }));
  assert.equal([patched.version, patched.size, (await read(made)).size], [0.1, 9, 9]);
  const both = ok(await service.admin.patch(`${PATH}/${made.id}`, { size: 10, prefix: '/b' }));
  assert.equal([both.version, both.size, both.prefix], [0.2, 10, '/b']);
  const formats = ok(await service.admin.put(PATH, { ...body, size: 10, fileFormats: ['csv', 'jsonl'] }));
  assert.equal([formats.version, formats.fileFormats], [0.3, ['csv', 'jsonl']]);
  const replaced = ok(await service.admin.put(PATH, { ...body, fileFormats: ['jsonGz', 'jsonl', 'jsonZip'] }));
  assert.equal([replaced.version, replaced.fileFormats, replaced.prefix], [0.4, ['jsonGz', 'jsonl', 'jsonZip'], '/a']);
  const same = ok(await service.admin.put(PATH, { ...body, fileFormats: ['jsonGz', 'jsonl', 'jsonZip'] }));
  assert.equal([same.version, same.fileFormats], [0.4, ['jsonGz', 'jsonl', 'jsonZip']]);
  for (const bad of [{ fileFormats: ['CSV'] }, { size: 'big' }, { fileFormats: 'csv' }]) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(`${PATH}/${made.id}`, bad)), 400);
  }
});

test('columns of the data model are nodes with full names, tags at every depth and their own rules', async () => {
  const home = await newHome();
  const { name } = await samples.create('classification');
  const tag = await samples.create('tag', { classification: name });
  const tagged = [{ tagFQN: tag.fullyQualifiedName }];
  const columns = [
    { name: 'id', dataType: 'VARCHAR' },
    { name: 'who', dataType: 'STRUCT', children: [{ name: 'first.name', dataType: 'INT', tags: tagged }] },
  ];
  const made = await post(home, 'orders', { dataModel: { columns } });
  const { dataModel } = await read(made, 'dataModel,tags');
  const [id, who] = dataModel.columns;
  const names = [
    `${made.fullyQualifiedName}.id`,
    `${made.fullyQualifiedName}.who`,
    `${made.fullyQualifiedName}.who."first.name"`,
  ];
  assert.equal(
    [id, who, who.children[0]].map((column) => column.fullyQualifiedName),
    names,
  );
  assert.equal([dataModel.isPartitioned, id.dataLength, id.tags, who.tags], [false, 1, [], []]);
  assert.is(who.children[0].tags[0].tagFQN, tag.fullyQualifiedName);
  const [row] = await service.graph.query(
    'MATCH (c:Column) WHERE c.fullyQualifiedName IN $names RETURN count(c) AS nodes',
    {
      names,
    },
  );
  assert.is(row?.['nodes'], 3);
  assert.is(JSON.stringify((await read(made, 'dataModel')).dataModel).includes('tags'), false);
  const twice = [...columns, { name: 'ID', dataType: 'INT' }];
  for (const bad of [{ columns: twice }, {}, { columns: [{ name: 'a', dataType: 'ARRAY' }] }]) {
    expectRefused(await service.admin.post(PATH, { name: 'bad', service: home.name, dataModel: bad }), 400);
  }
  const at = `${PATH}/${made.id}`;
  const partitioned = ok(await service.admin.patch(at, { dataModel: { isPartitioned: true } }));
  assert.equal(
    [partitioned.version, partitioned.dataModel.isPartitioned, partitioned.dataModel.columns.length],
    [0.2, true, 2],
  );
  const wide = ok(
    await service.admin.patch(at, [{ op: 'add', path: '/dataModel/columns/-', value: { name: 'n', dataType: 'INT' } }]),
  );
  assert.is(wide.version, 0.3);
  const gone = ok(await service.admin.patch(at, [{ op: 'remove', path: '/dataModel/columns/1/children/0' }]));
  assert.is(gone.version, 1.3);
  const shorter = {
    columns: [
      { name: 'id', dataType: 'VARCHAR', dataLength: 9 },
      { name: 'who', dataType: 'STRUCT' },
      { name: 'n', dataType: 'BIGINT' },
    ],
  };
  const put = ok(await service.admin.put(PATH, { name: 'orders', service: home.name, dataModel: shorter }));
  assert.is(put.version, 2.3);
});

test('sample data is stored separately and returned with the container', async () => {
  const made = await post(await newHome(), 'sampled');
  const sample = {
    columns: ['a', 'b'],
    rows: [
      [1, 'x'],
      [null, { deep: true }],
    ],
  };
  const put = ok(await service.admin.put(`${PATH}/${made.id}/sampleData`, sample));
  assert.equal([put.id, put.version, put.sampleData], [made.id, 0.1, sample]);
  assert.equal(ok(await service.admin.get(`${PATH}/${made.id}/sampleData`)).sampleData, sample);
  expectRefused(await service.admin.put(`${PATH}/${made.id}/sampleData`, { messages: [] }), 400);
});

test('descendants are deleted and restored with their container', async () => {
  const home = await newHome();
  const root = await post(home, 'tree');
  const leaf = await post(home, 'leaf', byId(await post(home, 'mid', byId(root))));
  ok(await service.admin.delete(`${PATH}/${root.id}?recursive=true`));
  expectRefused(await service.admin.get(`${PATH}/${leaf.id}`), 404);
  ok(await service.admin.put(`${PATH}/restore`, { id: root.id }));
  assert.is((await read(leaf)).deleted, false);
  ok(await service.admin.delete(`/v1/services/storageServices/${home.id}?recursive=true&hardDelete=true`));
  expectRefused(await service.admin.get(`${PATH}/${leaf.id}?include=all`), 404);
});

test.run();
