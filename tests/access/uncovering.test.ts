import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that what hides a record or masks its values is taken away only by those who may edit all of the record. */

const test = suite('access: taking away what hides');

let service: Service;
let rights: RightsFactory;
let samples: Samples;
/** Somebody who may edit labels, owners and domains everywhere, and nothing else. */
let steward: Person;
/** Somebody who may edit everything of tables. */
let editor: Person;
let hiding: string;
let harmless: string;

const STEWARDING = ['ViewAll', 'EditTags', 'EditOwners', 'EditDomains', 'EditGlossaryTerms', 'EditDescription'];

/** Somebody from whom the condition hides containers. */
const hideBy = (condition: string) =>
  rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['container'], condition }]);

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  samples = createSamples(service);
  const { fullyQualifiedName: classification } = await rights.make('classifications', 'cover', { description: 'x' });
  const tag = async (prefix: string) =>
    (await rights.make('tags', prefix, { classification, description: 'x' })).fullyQualifiedName;
  [hiding, harmless] = [await tag('hiding'), await tag('harmless')];
  steward = await rights.person([{ operations: STEWARDING }]);
  editor = await rights.person([{ operations: ['ViewAll', 'EditAll'], resources: ['container', 'table'] }]);
  await hideBy(`matchAnyTag('${hiding}')`);
});
test.after(() => rights.clear());

const label = (tagFQN: string): JsonObject => ({ tagFQN, source: 'Classification' });

const makeContainer = async (more: JsonObject = {}) => {
  const body = await samples.body('container');
  const made = ok(await service.admin.post('/v1/containers', { ...body, name: uniqueName('cover'), ...more }), 201);
  return { ...made, path: `/v1/containers/${made.id}` };
};

const NEEDS_ALL = /operations \[EditAll\] not allowed$/;

test('a label that a denying rule names is taken off only by who may edit everything', async () => {
  const { id, path } = await makeContainer({ tags: [label(hiding), label(harmless)] });
  const { tags } = ok(await service.admin.get(`${path}?fields=tags`));
  const place = tags.findIndex(({ tagFQN }: { tagFQN: string }) => tagFQN === hiding);
  const steps = [`/tags/${place}`, '/tags'].map((at) => [{ op: 'remove', path: at }]);
  for (const change of [{ tags: [label(harmless)] }, { tags: [] }, ...steps]) {
    const refused = await expectUnchanged(service, id, () => steward.patch(path, change));
    expectRefused(refused, 403, NEEDS_ALL);
    assert.match(refused.headers.get('x-hint') ?? '', /takes away from tags, so it needs EditAll$/);
  }
  ok(await steward.patch(path, { tags: [label(hiding)] }));
  ok(await steward.patch(path, { tags: [label(hiding), label('Tier.Tier3')] }));
  ok(await editor.patch(path, { tags: [] }));
  ok(await steward.patch(path, { tags: [label(hiding)] }));
  ok(await service.admin.patch(path, { tags: [] }));
});

test('a label that masks values is taken off a column only by who may edit everything', async () => {
  const body = await samples.body('table');
  const columns = [
    { name: 'email', dataType: 'STRING', tags: [label('PII.Sensitive'), label(harmless)] },
    {
      name: 'row',
      dataType: 'STRUCT',
      children: [{ name: 'city', dataType: 'STRING', tags: [label('PII.Sensitive')] }],
    },
  ];
  const made = ok(await service.admin.post('/v1/tables', { ...body, name: uniqueName('cover'), columns }), 201);
  const path = `/v1/tables/${made.id}`;
  const placeOf = async (tagFQN: string): Promise<string> => {
    const { columns: stored } = ok(await service.admin.get(`${path}?fields=columns,tags`));
    return `/columns/0/tags/${stored[0].tags.findIndex((one: { tagFQN: string }) => one.tagFQN === tagFQN)}`;
  };
  const inner = '/columns/1/children/0/tags';
  for (const at of [await placeOf('PII.Sensitive'), '/columns/0/tags', `${inner}/0`, inner]) {
    const remove = () => steward.patch(path, [{ op: 'remove', path: at }]);
    expectRefused(await expectUnchanged(service, made.id, remove), 403, NEEDS_ALL);
  }
  ok(await steward.patch(path, [{ op: 'remove', path: await placeOf(harmless) }]));
  ok(await editor.patch(path, [{ op: 'remove', path: '/columns/0/tags' }]));
});

test('a column that goes takes its labels along', async () => {
  const body = await samples.body('table');
  const columns = [
    { name: 'email', dataType: 'STRING', tags: [label('PII.Sensitive')] },
    { name: 'id', dataType: 'INT' },
  ];
  const whole = { ...body, name: uniqueName('cover'), columns };
  const made = ok(await service.admin.post('/v1/tables', whole), 201);
  ok(await editor.put('/v1/tables', { ...whole, columns: columns.slice(1) }));
  assert.is(ok(await service.admin.get(`/v1/tables/${made.id}?fields=columns`)).columns.length, 1);
});

test('an owner or a domain that a denying rule asks for is taken away only by who may edit everything', async () => {
  const [one, other] = [await rights.person(), await rights.person()];
  const domain = ok(
    await service.admin.post('/v1/domains', { name: uniqueName('cover'), description: 'x', domainType: 'Aggregate' }),
    201,
  );
  const owners = [one, other].map(({ id }) => ({ id, type: 'user' }));
  const { id, path } = await makeContainer({ owners, domains: [domain.fullyQualifiedName] });
  ok(await steward.patch(path, { owners: owners.slice(0, 1) }));
  ok(await steward.patch(path, { domains: [] }));
  ok(await steward.patch(path, { owners, domains: [domain.fullyQualifiedName] }));
  const asking = await hideBy("isOwner() && !hasDomain() && matchAnyTag('Tier.Tier5')");
  for (const change of [{ owners: owners.slice(0, 1) }, { owners: [] }, { domains: [] }]) {
    const refused = await expectUnchanged(service, id, () => steward.patch(path, change));
    expectRefused(refused, 403, NEEDS_ALL);
  }
  ok(await steward.patch(path, { owners: [...owners, { id: asking.id, type: 'user' }] }));
  ok(await editor.patch(path, { owners: [], domains: [] }));
  // Other tests would meet the rule too.
  const { roles } = ok(await service.admin.get(`/v1/users/${asking.id}?fields=roles`));
  for (const role of roles) ok(await service.admin.delete(`/v1/roles/${role.id}?hardDelete=true`));
  ok(await steward.patch(path, { owners }));
  ok(await steward.patch(path, { owners: [] }));
});

test.run();
