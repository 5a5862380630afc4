import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { countStored, expectList, expectRefused, ok, readStored } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that data products hold assets and ports of their domains only. */

const test = suite('catalog: data products');

const PATH = '/v1/dataProducts';

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const newProduct = (domain: CreatedRecord, more: JsonObject = {}): Promise<CreatedRecord> =>
  samples.create('dataProduct', { domains: [domain.fullyQualifiedName], ...more });
const read = async ({ id }: CreatedRecord, fields = '') =>
  ok(await service.admin.get(`${PATH}/${id}?fields=${fields}`));
const ids = (refs: readonly CreatedRecord[]) => refs.map(({ id }) => id).sort();
const ref = ({ id }: CreatedRecord, type: string) => ({ id, type });
const topicWith = async ({ id }: CreatedRecord) =>
  ok(await service.admin.get(`/v1/topics/${id}?fields=domains,dataProducts`));

test('every member is stored and returned, including those that only a patch sets', async () => {
  const [domain, user, team] = [
    await samples.create('domain'),
    await samples.create('user'),
    await samples.create('team'),
  ];
  const asset = await samples.create('topic', { domains: [domain.name] });
  const own = {
    displayName: 'Orders',
    description: 'All orders',
    style: { color: '#000000' },
    dataProductType: 'DATASET',
    visibility: 'PUBLIC',
    portfolioPriority: 'HIGH',
  };
  const body = {
    ...own,
    name: uniqueName('p.x'),
    fullyQualifiedName: 'ignored.name',
    domains: [domain.name],
    experts: [user.name],
    reviewers: [ref(team, 'team')],
    assets: [ref(asset, 'topic')],
  };
  const made = ok(await service.admin.post(PATH, body), 201);
  assert.is(made.fullyQualifiedName, `"${body.name}"`);
  const [full, plain] = [await read(made, '*'), await read(made)];
  for (const answer of [made, full, plain]) {
    for (const [member, value] of Object.entries(own)) assert.equal(answer[member], value, member);
    assert.equal([answer.lifecycleStage, 'deleted' in answer, 'sla' in answer], ['DEVELOPMENT', false, false]);
  }
  assert.equal(
    [ids(full.domains), ids(full.experts), ids(full.reviewers), ids(full.assets), full.consumesFrom, full.providesTo],
    [[domain.id], [user.id], [team.id], [asset.id], [], []],
  );
  const gated = ['domains', 'experts', 'reviewers', 'assets', 'consumesFrom', 'providesTo', 'owners', 'tags'];
  assert.equal(
    gated.filter((member) => member in plain),
    [],
  );
  assert.equal(ids((await topicWith(asset)).dataProducts), [made.id]);
  const sla = { tier: 'GOLD', availability: 99.9, responseTime: 200, dataFreshness: 15, dataQuality: 98.5 };
  const patched = ok(await service.admin.patch(`${PATH}/${made.id}`, { sla, lifecycleStage: 'PRODUCTION' }));
  assert.equal([patched.sla, patched.lifecycleStage, patched.version], [sla, 'PRODUCTION', 0.2]);
  const put = ok(await service.admin.put(PATH, { ...body, description: 'other' }));
  assert.equal([put.sla, put.lifecycleStage, put.version, ids(put.assets)], [sla, 'PRODUCTION', 0.3, [asset.id]]);
  const bare = await read(await newProduct(domain));
  assert.equal([bare.visibility, bare.lifecycleStage, bare.dataProductType], ['PRIVATE', 'DEVELOPMENT', undefined]);
  const bad: readonly (readonly [JsonObject, number])[] = [
    [{ description: null }, 400],
    [{ domains: null }, 400],
    [{ domains: [] }, 400],
    [{ domains: ['nowhere'] }, 404],
    [{ experts: ['nobody'] }, 404],
    [{ assets: [{ id: strayId(), type: 'topic' }] }, 404],
    [{ sla }, 400],
    [{ lifecycleStage: 'DESIGN' }, 400],
    [{ dataProducts: [] }, 400],
    [{ sourceHash: 'x' }, 400],
  ];
  for (const [more, status] of bad) {
    expectRefused(await service.admin.post(PATH, { ...body, assets: [], name: uniqueName('p'), ...more }), status);
  }
  assert.is(
    ok(await service.admin.post(PATH, { name: uniqueName('p'), description: 'd', domain: domain.name }), 201).domains[0]
      .id,
    domain.id,
  );
  expectRefused(await service.admin.patch(`${PATH}/${made.id}`, { domains: [] }), 400);
});

test('a record belongs only to data products of its own or inherited domains', async () => {
  const [one, two] = [await samples.create('domain'), await samples.create('domain')];
  const [product, other] = [await newProduct(one), await newProduct(two)];
  const home = await samples.create('messagingService', { domains: [one.name] });
  const body = async (more: JsonObject) => samples.body('topic', more);
  const post = async (more: JsonObject) => service.admin.post('/v1/topics', await body(more));
  const before = await body({});
  const counted = await countStored(service);
  expectRefused(
    await service.admin.post('/v1/topics', { ...before, dataProducts: [product.name] }),
    400,
    'Domain cannot be empty when data products are provided.',
  );
  expectRefused(
    await service.admin.post('/v1/topics', { ...before, domains: [one.name], dataProducts: [other.name] }),
    400,
  );
  expectRefused(
    await service.admin.post('/v1/topics', { ...before, domains: [one.name], dataProducts: ['nowhere'] }),
    404,
  );
  assert.equal(await countStored(service), counted);
  const inherited = ok(await post({ service: home.name, dataProducts: [product.name] }), 201);
  assert.equal([ids(inherited.dataProducts), inherited.domains[0].inherited], [[product.id], true]);
  const topic = ok(await post({ domains: [one.name, two.name], dataProducts: [product.name, other.name] }), 201);
  const at = `/v1/topics/${topic.id}`;
  const fewer = ok(await service.admin.patch(at, { domains: [one.name] }));
  assert.equal([ids(fewer.domains), ids(fewer.dataProducts), fewer.version], [[one.id], [product.id], 0.2]);
  const moved = ok(await service.admin.patch(at, [{ op: 'replace', path: '/domains/0', value: ref(two, 'domain') }]));
  assert.equal([ids(moved.domains), moved.dataProducts], [[two.id], []]);
  ok(await service.admin.patch(at, { dataProducts: [ref(other, 'dataProduct')] }));
  const none = ok(await service.admin.patch(at, { domains: null }));
  assert.equal([none.domains, none.dataProducts], [[], []]);
  expectRefused(
    await service.admin.patch(at, { dataProducts: [other.name] }),
    400,
    'Domain cannot be empty when data products are provided.',
  );
  assert.equal(ids((await read(other, 'assets')).assets), []);
});

test('assets are added and removed, a dry run changes nothing, and 400 is returned when all fail', async () => {
  const [domain, other] = [await samples.create('domain'), await samples.create('domain')];
  const product = await newProduct(domain, { name: uniqueName('p') });
  const [a, b] = [
    await samples.create('topic', { domains: [domain.name] }),
    await samples.create('dashboard', { domains: [domain.name] }),
  ];
  const stranger = await samples.create('topic', { domains: [other.name] });
  const change = (verb: string, assets: readonly JsonObject[], more: object = {}, name = product.name) =>
    service.admin.put(`${PATH}/${name}/assets/${verb}`, { assets, ...more });
  const held = async () => ids((await read(product, 'assets')).assets);
  const both = [ref(a, 'topic'), { type: 'dashboard', fullyQualifiedName: b.fullyQualifiedName }];
  const rehearsed = ok(await change('add', both, { dryRun: true }));
  assert.equal(
    [rehearsed.dryRun, rehearsed.status, rehearsed.numberOfRowsPassed, await held()],
    [true, 'success', 2, []],
  );
  const added = ok(await change('add', both));
  assert.equal(
    [added.dryRun, added.status, added.numberOfRowsPassed, await held()],
    [false, 'success', 2, ids([a, b])],
  );
  assert.is((await topicWith(a)).version, 0.2);
  ok(await change('add', [ref(a, 'topic')]));
  assert.is((await topicWith(a)).version, 0.2);
  const page = expectList(await service.admin.get(`${PATH}/name/${product.name}/assets?limit=1`));
  assert.equal([page.data.length, page.paging], [1, { offset: 0, limit: 1, total: 2 }]);
  const failing = [ref(stranger, 'topic'), { id: strayId(), type: 'topic' }];
  expectRefused(await change('add', failing), 400, /2/);
  const partly = ok(await change('add', [ref(a, 'topic'), ...failing]));
  assert.equal([partly.status, partly.numberOfRowsPassed, partly.numberOfRowsFailed], ['partialSuccess', 1, 2]);
  expectRefused(await change('add', [ref(stranger, 'topic')], { dryRun: true }), 400);
  const byId = ok(await change('remove', [ref(a, 'topic')], {}, product.id));
  assert.equal([byId.status, await held(), (await topicWith(a)).dataProducts], ['success', [b.id], []]);
  assert.is(ok(await change('add', [])).status, 'success');
  for (const body of [{}, { assets: {} }, { assets: [{}], dryRun: false }, { assets: [], more: 1 }, []]) {
    expectRefused(await service.admin.put(`${PATH}/${product.name}/assets/add`, body), 400);
  }
  expectRefused(await change('add', both, {}, 'nowhere'), 404);
  expectRefused(await change('add', both, {}, strayId()), 404);
});

test('ports connect products, output to input', async () => {
  const domain = await samples.create('domain');
  const [from, to] = [await newProduct(domain), await newProduct(domain)];
  const topic = await samples.create('topic', { domains: [domain.name] });
  const port = (
    product: CreatedRecord,
    name: string,
    verb: string,
    body: JsonObject = { assets: [ref(topic, 'topic')] },
  ) => service.admin.put(`${PATH}/${product.name}/${name}/${verb}`, body);
  ok(await port(from, 'outputPorts', 'add', { assets: [ref(topic, 'topic')], dryRun: true }));
  ok(await port(to, 'inputPorts', 'add'));
  assert.equal((await read(to, 'consumesFrom')).consumesFrom, []);
  const added = ok(await port(from, 'outputPorts', 'add'));
  assert.equal([added.status, added.numberOfRowsPassed], ['success', 1]);
  assert.equal(
    [ids((await read(to, 'consumesFrom')).consumesFrom), ids((await read(from, 'providesTo')).providesTo)],
    [[from.id], [to.id]],
  );
  assert.equal([(await read(to, 'providesTo')).providesTo, (await read(from, 'consumesFrom')).consumesFrom], [[], []]);
  assert.is((await read(from)).version, 0.1);
  expectRefused(await port(from, 'inputPorts', 'add', { assets: [{ id: strayId(), type: 'topic' }] }), 400);
  ok(await port(to, 'inputPorts', 'remove'));
  assert.equal([(await read(to, 'consumesFrom')).consumesFrom, (await read(from, 'providesTo')).providesTo], [[], []]);
  expectRefused(await port(from, 'sidePorts', 'add'), 404);
});

test('a domain with data products is deleted only with recursive, and assets of the products stay', async () => {
  const [domain, second] = [await samples.create('domain'), await samples.create('domain')];
  const [product, shared] = [
    await newProduct(domain),
    await newProduct(domain, { domains: [domain.name, second.name] }),
  ];
  const topic = await samples.create('topic', { domains: [domain.name], dataProducts: [product.name] });
  assert.is(product.fullyQualifiedName, product.name);
  assert.equal(ids(expectList(await service.admin.get(`${PATH}?domain=${domain.name}`)).data), ids([product, shared]));
  assert.equal(ids(expectList(await service.admin.get(`${PATH}?domain=${second.name}`)).data), [shared.id]);
  expectRefused(await service.admin.delete(`/v1/domains/${domain.id}`), 400, 'domain is not empty');
  ok(await service.admin.delete(`/v1/domains/${domain.id}?recursive=true`));
  assert.is(await readStored(service, product.id), undefined);
  assert.equal(ids((await read(shared, 'domains')).domains), [second.id]);
  const left = await topicWith(topic);
  assert.equal([left.deleted, left.domains, left.dataProducts], [false, [], []]);
  expectRefused(await service.admin.delete(`/v1/domains/${second.id}`), 400, 'domain is not empty');
  const gone = ok(await service.admin.delete(`${PATH}/${shared.id}`));
  assert.equal([gone.id, await readStored(service, shared.id)], [shared.id, undefined]);
  ok(await service.admin.delete(`/v1/domains/${second.id}`));
});

test.run();
