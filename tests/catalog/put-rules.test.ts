import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { CHANGE_HEADER_NAME, createPerson, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that PUT replaces, clears or keeps each member as the contract says. */

const test = suite('catalog: put rules');

let service: Service;
let samples: Samples;
type Person = Awaited<ReturnType<typeof createPerson>>;
let bot: Person;
let ann: Person;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
  bot = await createPerson(service, uniqueName('putbot'), { isBot: true });
  ann = await createPerson(service, uniqueName('putann'));
});

const newDatabase = async (more: object = {}) => {
  const body = await samples.body('database', { ...more });
  return { body, made: ok(await service.admin.post('/v1/databases', body), 201) };
};
const read = async (id: string) => ok(await service.admin.get(`/v1/databases/${id}?fields=*`));
const put = (body: object, query = '') => service.admin.put(`/v1/databases${query}`, body);

const LIFE = { created: { timestamp: 1, accessedByAProcess: 'etl' } };

test('absent or empty owners, domains, extension and life cycle keep the stored ones', async () => {
  const domain = await samples.create('domain');
  const owners = [{ id: ann.id, type: 'user' }];
  const { body, made } = await newDatabase({ owners, domains: [domain.fullyQualifiedName], lifeCycle: LIFE });
  const { owners: _o, domains: _d, lifeCycle: _l, ...bare } = body;
  for (const again of [bare, { ...bare, owners: [], domains: [], lifeCycle: {} }]) {
    ok(await expectUnchanged(service, made.id, () => put(again)));
  }
  const kept = await read(made.id);
  assert.equal([kept.owners[0].id, kept.domains[0].id, kept.lifeCycle], [ann.id, domain.id, LIFE]);
  const other = await samples.create('domain');
  const second = { created: { timestamp: 2 } };
  const replaced = ok(
    await put({
      ...bare,
      owners: [{ id: bot.id, type: 'user' }],
      domains: [other.fullyQualifiedName],
      lifeCycle: second,
    }),
  );
  assert.equal(
    [
      replaced.owners.map((ref: { id: string }) => ref.id),
      replaced.domains[0].id,
      replaced.lifeCycle,
      replaced.version,
    ],
    [[bot.id], other.id, second, 0.2],
  );
});

test('an absent or empty style keeps the stored one, any other replaces it', async () => {
  const body = { name: uniqueName('put'), serviceType: 'Mysql', style: { color: '#111', iconURL: 'http://x/i.png' } };
  const at = '/v1/services/databaseServices';
  const made = ok(await service.admin.put(at, body), 201);
  for (const again of [
    { ...body, style: undefined },
    { ...body, style: {} },
  ]) {
    ok(await expectUnchanged(service, made.id, () => service.admin.put(at, again)));
  }
  assert.equal(ok(await service.admin.put(at, { ...body, style: { color: '#222' } })).style, { color: '#222' });
});

test('texts and other scalars are replaced, and cleared when absent', async () => {
  const { body, made } = await newDatabase({
    description: 'd',
    displayName: 'n',
    retentionPeriod: 'P1D',
    default: true,
  });
  const { description: _d, displayName: _n, retentionPeriod: _r, default: _f, ...bare } = body;
  const cleared = ok(await put(bare));
  assert.equal(
    ['description' in cleared, 'displayName' in cleared, 'retentionPeriod' in cleared, cleared.default],
    [false, false, false, false],
  );
  assert.is((await read(made.id)).version, 0.2);
});

test('a bot keeps texts that people wrote and fills empty ones', async () => {
  const { body, made } = await newDatabase({ description: 'By people', retentionPeriod: 'P1D' });
  const reply = await bot.put('/v1/databases', {
    ...body,
    description: 'By bot',
    displayName: 'By bot',
    retentionPeriod: 'P2D',
  });
  const shown = ok(reply);
  assert.equal([shown.description, shown.displayName, shown.retentionPeriod], ['By people', 'By bot', 'P2D']);
  const { description: _d, displayName: _n, ...bare } = body;
  ok(await bot.put('/v1/databases', bare));
  const kept = await read(made.id);
  assert.equal([kept.description, kept.displayName], ['By people', 'By bot']);
  const clearing = ok(await put(bare));
  assert.is('description' in clearing, false);
});

test('a bot never replaces existing domains, and overrideMetadata lifts the protection', async () => {
  const [one, two] = [await samples.create('domain'), await samples.create('domain')];
  const { body, made } = await newDatabase({ description: 'By people', domains: [one.fullyQualifiedName] });
  const wish = { ...body, description: 'By bot', domains: [two.fullyQualifiedName] };
  const kept = ok(await expectUnchanged(service, made.id, () => bot.put('/v1/databases', wish)));
  assert.equal([kept.description, kept.domains[0].id], ['By people', one.id]);
  ok(await bot.put('/v1/databases/bulk', [wish]));
  assert.is((await read(made.id)).description, 'By people');
  ok(await bot.put('/v1/databases/bulk?overrideMetadata=true', [wish]));
  const lifted = await read(made.id);
  assert.equal([lifted.description, lifted.domains[0].id], ['By bot', two.id]);
});

test('a bot keeps descriptions of columns that people wrote', async () => {
  const columns = [{ name: 'a', dataType: 'INT', description: 'By people' }];
  const body = await samples.body('table', { columns });
  const made = ok(await service.admin.post('/v1/tables', body), 201);
  const wish = { ...body, columns: [{ name: 'a', dataType: 'INT', description: 'By bot' }] };
  const kept = ok(await bot.put('/v1/tables', wish));
  assert.equal([kept.id, kept.columns[0].description], [made.id, 'By people']);
});

type Settable = {
  readonly kind: string;
  readonly member: string;
  readonly target: string;
  /** How a create body names the other end. */
  readonly name: (target: CreatedRecord) => JsonObject | string;
  readonly single?: boolean;
};

const byFqn = ({ fullyQualifiedName }: CreatedRecord) => fullyQualifiedName;
const byId = ({ id }: CreatedRecord) => id;
const asRef =
  (type: string) =>
  ({ id }: CreatedRecord) => ({ id, type });

/** A record's own list is replaced by what the request says, which may be nothing. */
const REPLACED: readonly Settable[] = [
  { kind: 'dashboard', member: 'charts', target: 'chart', name: byFqn },
  { kind: 'dashboard', member: 'dataModels', target: 'dashboardDataModel', name: byFqn },
  { kind: 'mlmodel', member: 'dashboard', target: 'dashboard', name: byFqn, single: true },
  { kind: 'glossaryTerm', member: 'reviewers', target: 'user', name: asRef('user') },
  { kind: 'domain', member: 'experts', target: 'user', name: ({ name }) => name },
];

/** What is as much the other end's to say, has operations of its own, or gives people rights. */
const KEPT: readonly Settable[] = [
  { kind: 'glossaryTerm', member: 'relatedTerms', target: 'glossaryTerm', name: byFqn },
  { kind: 'chart', member: 'dashboards', target: 'dashboard', name: byFqn },
  { kind: 'query', member: 'queryUsedIn', target: 'table', name: asRef('table') },
  { kind: 'team', member: 'users', target: 'user', name: byId },
  { kind: 'user', member: 'teams', target: 'team', name: byId },
  { kind: 'user', member: 'roles', target: 'role', name: byId },
];

const related = async ({ kind, member }: Settable, { id }: CreatedRecord): Promise<readonly string[]> => {
  const shown = ok(await service.admin.get(`/v1/${samples.kind(kind).path}/${id}?fields=${member}`))[member];
  const list = shown === undefined ? [] : [shown].flat();
  return list.map((item: CreatedRecord & { readonly term?: CreatedRecord }) => item.term?.id ?? item.id);
};

const relate = async (row: Settable) => {
  const target = await samples.create(row.target);
  const bare = await samples.body(row.kind);
  const named = row.name(target);
  const body = { ...bare, [row.member]: row.single ? named : [named] };
  const made = ok(await service.admin.post(`/v1/${samples.kind(row.kind).path}`, body), 201) as CreatedRecord;
  assert.equal(await related(row, made), [target.id]);
  const again = async (wish: object) => ok(await service.admin.put(`/v1/${samples.kind(row.kind).path}`, wish));
  return { target, bare, body, made, again };
};

for (const row of REPLACED) {
  test(`${row.kind}.${row.member}: PUT replaces it, or clears it when absent`, async () => {
    const { target, bare, body, made, again } = await relate(row);
    ok(await expectUnchanged(service, made.id, () => service.admin.put(`/v1/${samples.kind(row.kind).path}`, body)));
    assert.is((await again(bare)).version, 0.2);
    assert.equal(await related(row, made), []);
    assert.is((await again(body)).version, 0.3);
    assert.equal(await related(row, made), [target.id]);
  });
}

for (const row of KEPT) {
  test(`${row.kind}.${row.member}: PUT keeps it when absent, and clears it when empty`, async () => {
    const { target, bare, made, again } = await relate(row);
    ok(await expectUnchanged(service, made.id, () => service.admin.put(`/v1/${samples.kind(row.kind).path}`, bare)));
    assert.equal(await related(row, made), [target.id]);
    await again({ ...bare, [row.member]: [] });
    assert.equal(await related(row, made), []);
  });
}

const HOW = (name: string, description?: string, more: object = {}) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...more,
});
const ALLOW = { effect: 'allow', operations: ['ViewAll'], resources: ['all'] };
const LOOKS = {
  recognizerConfig: { type: 'exact_terms', exactTerms: ['x'], regexFlags: {}, supportedLanguage: 'en' },
};
const INT = { dataType: 'INT' };

/** The members that are lists of named items, how an item looks, and where the list is in an answer. */
const NAMED_ITEMS: readonly (readonly [
  entityType: string,
  member: string,
  more: object,
  wrap?: (items: readonly object[]) => object,
])[] = [
  ['mlmodel', 'mlHyperParameters', { value: '1' }],
  ['mlmodel', 'mlFeatures', { dataType: 'numerical' }],
  ['policy', 'rules', ALLOW],
  ['tag', 'recognizers', LOOKS],
  ['pipeline', 'tasks', {}],
  ['table', 'dataModel', INT, (columns) => ({ modelType: 'DBT', columns })],
];

for (const [entityType, member, more, wrap = (items: readonly object[]) => items] of NAMED_ITEMS) {
  test(`${entityType}: items of ${member} are matched by name and keep the descriptions that a PUT omits`, async () => {
    const path = `/v1/${samples.kind(entityType).path}`;
    const before = [HOW('one', 'First', more), HOW('two', 'Second', more), HOW('gone', 'Third', more)];
    const body = await samples.body(entityType, { [member]: wrap(before) } as never);
    const made = ok(await service.admin.post(path, body), 201);
    const shown = async () => {
      const value = ok(await service.admin.get(`${path}/${made.id}?fields=*`))[member];
      const items: { name: string; description?: string }[] = value.columns ?? value;
      return items.map(({ name, description }) => [name, description]);
    };
    const sent = [HOW('new', undefined, more), HOW('two', undefined, more), HOW('one', 'Said anew', more)];
    ok(await service.admin.put(path, { ...body, [member]: wrap(sent) }));
    const left = [
      ['new', undefined],
      ['two', 'Second'],
      ['one', 'Said anew'],
    ];
    assert.equal(await shown(), left);
    ok(await service.admin.put(path, { ...body, [member]: wrap([HOW('gone', undefined, more)]) }));
    assert.equal(await shown(), [['gone', undefined]]);
    ok(await service.admin.patch(`${path}/${made.id}`, { [member]: wrap([HOW('gone', 'Back', more)]) }));
    ok(await service.admin.patch(`${path}/${made.id}`, { [member]: wrap([HOW('gone', undefined, more)]) }));
    assert.equal(await shown(), [['gone', undefined]]);
  });
}

test('columns of a data model keep their labels under PUT, and parameters without a name are not matched', async () => {
  const column = { name: 'Amount', dataType: 'INT', tags: [{ tagFQN: 'PII.Sensitive' }] };
  const body = await samples.body('table', { dataModel: { modelType: 'DBT', columns: [column] } });
  ok(await service.admin.post('/v1/tables', body), 201);
  const columns = [{ name: 'amount', dataType: 'INT', tags: [{ tagFQN: 'Tier.Tier1' }] }];
  const put = ok(await service.admin.put('/v1/tables', { ...body, dataModel: { modelType: 'DBT', columns } }));
  assert.equal(
    put.dataModel.columns[0].tags.map(({ tagFQN }: { tagFQN: string }) => tagFQN),
    ['PII.Sensitive', 'Tier.Tier1'],
  );
  const again = await service.admin.put('/v1/tables', { ...body, dataModel: { modelType: 'DBT', columns } });
  assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const model = await samples.body('mlmodel', { mlHyperParameters: [{ value: '1', description: 'Nameless' }] });
  ok(await service.admin.post('/v1/mlmodels', model), 201);
  const bare = ok(await service.admin.put('/v1/mlmodels', { ...model, mlHyperParameters: [{ value: '2' }] }));
  assert.equal(bare.mlHyperParameters, [{ value: '2' }]);
});

test('PUT restores a deleted record and its descendants, then updates it', async () => {
  const { body, made } = await newDatabase({ description: 'old' });
  const schema = await samples.create('databaseSchema', { database: made.fullyQualifiedName });
  ok(await service.admin.delete(`/v1/databases/${made.id}?recursive=true`));
  expectRefused(await service.admin.get(`/v1/databaseSchemas/${schema.id}`), 404);
  const reply = await put({ ...body, description: 'new' });
  assert.equal([ok(reply).id, reply.json.deleted, reply.json.description], [made.id, false, 'new']);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityUpdated');
  assert.is(ok(await service.admin.get(`/v1/databaseSchemas/${schema.id}`)).deleted, false);
});

test('a create below a deleted parent is 404', async () => {
  const { made } = await newDatabase();
  ok(await service.admin.delete(`/v1/databases/${made.id}`));
  const body = { name: 's', database: made.fullyQualifiedName };
  expectRefused(await service.admin.post('/v1/databaseSchemas', body), 404);
  expectRefused(await service.admin.put('/v1/databaseSchemas', body), 404);
});

test('PATCH clears the members that PUT keeps', async () => {
  const owners = [{ id: ann.id, type: 'user' }];
  const domain = await samples.create('domain');
  const { made } = await newDatabase({
    owners,
    domains: [domain.fullyQualifiedName],
    description: 'd',
    lifeCycle: LIFE,
  });
  const at = `/v1/databases/${made.id}`;
  const patch = ['owners', 'domains', 'description', 'lifeCycle'].map((name) => ({ op: 'remove', path: `/${name}` }));
  const cleared = ok(await service.admin.patch(at, patch));
  const shown = await read(made.id);
  assert.equal([shown.owners, shown.domains, 'description' in shown, 'lifeCycle' in shown], [[], [], false, false]);
  assert.is(cleared.version, 0.2);
  const back = ok(await service.admin.patch(at, [{ op: 'add', path: '/owners/0', value: owners[0] }]));
  assert.is(back.owners[0].id, ann.id);
});

test('updatedBy and updatedAt name the last change', async () => {
  const { body, made } = await newDatabase({ description: 'd' });
  assert.is(made.updatedBy, 'admin');
  const changed = ok(await bot.put('/v1/databases', { ...body, retentionPeriod: 'P9D' }));
  assert.is(changed.updatedBy, bot.name);
  assert.ok(changed.updatedAt >= made.updatedAt);
  const still = ok(await service.admin.put('/v1/databases', { ...body, retentionPeriod: 'P9D' }));
  assert.equal([still.updatedBy, still.updatedAt], [bot.name, changed.updatedAt]);
});

test.run();
