import * as assert from 'uvu/assert';
import { createPerson, expectList, expectRefused, ok, readStored } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that domains nest and list their assets, which survive their deletion. */

const test = suite('catalog: domains');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const PATH = '/v1/domains';
const domainKind = () => {
  const kind = service.registry.byType.get('domain');
  if (!kind) throw new Error('no domains');
  return kind;
};

test('sub-domains are named and listed below their parent, which contains them', async () => {
  const parent = await samples.create(domainKind());
  const child = await samples.create(domainKind(), { name: 'a.b', parent: parent.fullyQualifiedName });
  assert.is(child.fullyQualifiedName, `${parent.name}."a.b"`);
  const read = ok(await service.admin.get(`${PATH}/${child.id}?fields=parent,children,childrenCount`));
  assert.equal([read.parent.id, read.children, read.childrenCount], [parent.id, [], 0]);
  const above = ok(await service.admin.get(`${PATH}/${parent.id}?fields=parent,children,childrenCount`));
  assert.equal([above.children[0].id, above.childrenCount, 'parent' in above], [child.id, 1, false]);
  const list = expectList(await service.admin.get(`${PATH}?parent=${parent.fullyQualifiedName}`));
  assert.equal([list.paging.total, list.data[0].id], [1, child.id]);
  expectRefused(await service.admin.delete(`${PATH}/${parent.id}`), 400, 'domain is not empty');
  ok(await service.admin.delete(`${PATH}/${parent.id}?recursive=true`));
  assert.equal([await readStored(service, parent.id), await readStored(service, child.id)], [undefined, undefined]);
});

test('experts are given by user name', async () => {
  const ann = await createPerson(service, uniqueName('expert'));
  const made = await samples.create(domainKind(), { experts: [ann.name] });
  assert.is(ok(await service.admin.get(`${PATH}/${made.id}?fields=experts`)).experts[0].id, ann.id);
  const body = await samples.body(domainKind(), { experts: ['nobody'] });
  expectRefused(await service.admin.post(PATH, body), 404, 'user instance for nobody not found');
  assert.equal(ok(await service.admin.patch(`${PATH}/${made.id}`, { experts: [] })).experts, []);
});

test('a domain lists its assets, and they survive its deletion', async () => {
  const domain = await samples.create(domainKind());
  const kind = service.registry.byType.get('databaseService');
  assert.ok(kind);
  const asset = await samples.create(kind, { domains: [domain.fullyQualifiedName] });
  assert.equal(ok(await service.admin.get(`${PATH}/${domain.id}?fields=assets`)).assets[0].id, asset.id);
  ok(await service.admin.delete(`${PATH}/${domain.id}`));
  assert.equal(ok(await service.admin.get(`/v1/${kind.path}/${asset.id}?fields=domains`)).domains, []);
});

test('fullyQualifiedName in the body is ignored, and the type is one of three', async () => {
  const body = await samples.body(domainKind(), { fullyQualifiedName: 'else.where' });
  const made = ok(await service.admin.post(PATH, body), 201);
  assert.is(made.fullyQualifiedName, made.name);
  for (const domainType of ['Source-aligned', 'Consumer-aligned', 'Aggregate']) {
    assert.is((await samples.create(domainKind(), { domainType })).name.length > 0, true);
  }
  expectRefused(await service.admin.post(PATH, await samples.body(domainKind(), { domainType: 'Round' })), 400);
});

test('a deleted domain is removed permanently', async () => {
  const made = await samples.create(domainKind());
  const gone = ok(await service.admin.delete(`${PATH}/${made.id}`));
  assert.is('deleted' in gone, false);
  expectRefused(await service.admin.get(`${PATH}/${made.id}?include=all`), 404);
  // Such kinds have nothing to restore; whether the path or the method is unknown is nowhere said.
  const restore = await service.admin.put(`${PATH}/restore`, { id: made.id });
  assert.ok([404, 405].includes(restore.status), restore.text);
  expectRefused(restore, restore.status);
});

test.run();
