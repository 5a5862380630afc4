import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectList, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { createSamples } from '../support/samples.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { column, day, keep, newTable, ofColumn, TABLES } from './fixture.ts';

/** Shows that profiles of sensitive columns are redacted. */

const test = suite('profiler: sensitive columns');

let service: Service;
test.before(async () => {
  service = await openService();
});

const SENSITIVE = [{ tagFQN: 'PII.Sensitive' }];
const MASK = '********';

const TELLING = {
  min: 'secret-1',
  max: 'secret-2',
  histogram: { boundaries: ['secret-3'], frequencies: [1] },
  cardinalityDistribution: { categories: ['secret-4'], counts: [1], percentages: [100], allValuesUnique: true },
};

const COLUMNS = [
  column('id'),
  column('mail', { tags: SENSITIVE }),
  column('home', { dataType: 'STRUCT', children: [column('street', { tags: SENSITIVE }), column('town')] }),
  column('person', { dataType: 'STRUCT', tags: SENSITIVE, children: [column('age')] }),
];

const MEASURED = ['id', 'mail', 'home', 'home.street', 'home.town', 'person', 'person.age'];
const WITHHELD = ['mail', 'home.street', 'person', 'person.age'];

const SAMPLE = {
  columns: ['id', 'Mail', 'home', 'person', 'person.age', 'elsewhere'],
  rows: [
    [1, 'secret-5', { street: 'secret-6' }, { age: 'secret-7' }, 'secret-8', 'open'],
    [2, null, null, null, null, 'open'],
  ],
};
const MASKED_ROWS = [
  [1, MASK, MASK, MASK, MASK, 'open'],
  [2, MASK, MASK, MASK, MASK, 'open'],
];

const sensitiveTable = async (more: JsonObject = {}) => {
  const table = await newTable(service, { columns: COLUMNS, ...more });
  const columnProfile = MEASURED.map((name) => ofColumn(name, day(1), TELLING));
  await keep(service.admin, table.id, day(1), { columnProfile });
  ok(await service.admin.put(`${table.at}/sampleData`, SAMPLE));
  return table;
};

type Table = Awaited<ReturnType<typeof sensitiveTable>>;

/** Every read by which values of columns could come out, each as the profiles or the sample in it. */
const reads = ({ at, named, id, fqn, made }: Table): Readonly<Record<string, string>> => {
  const schema = encodeURIComponent(made.databaseSchema.fullyQualifiedName);
  return {
    rows: `${at}/columnProfile`,
    'rows by name': `${named}/columnProfile`,
    'one column': `${TABLES}/${encodeURIComponent(`${fqn}.mail`)}/columnProfile`,
    'a nested one': `${TABLES}/${encodeURIComponent(`${fqn}.person.age`)}/columnProfile`,
    'the table': `${at}?fields=profile,sampleData`,
    'the table by name': `${TABLES}/name/${encodeURIComponent(fqn)}?fields=*`,
    'the list': `${TABLES}?fields=profile,sampleData&databaseSchema=${schema}&limit=1000`,
    columns: `${at}/columns?fields=profile`,
    search: `${at}/columns/search?q=mail&fields=profile`,
    latest: `${named}/tableProfile/latest`,
    sample: `${at}/sampleData`,
    everywhere: `/v1/entity/profiles/table?profileType=column&startTs=${day(1)}&endTs=${day(1)}&limit=100000`,
    history: `${at}/versions`,
    found: `/v1/search/query?q=${id}&index=table_search_index`,
    context: `${TABLES}/name/${encodeURIComponent(fqn)}/context`,
  };
};

const profilesIn = (json: JsonObject): Map<string, JsonObject> => {
  const found = new Map<string, JsonObject>();
  const visit = (columns: readonly JsonObject[]) => {
    for (const one of columns) {
      const profile = one['profile'] as JsonObject | undefined;
      if (profile) found.set(String(profile['name']), profile);
      visit((one['children'] ?? []) as readonly JsonObject[]);
    }
  };
  visit(json['columns'] as readonly JsonObject[]);
  return found;
};

const whoSees = async (client: Client, table: Table) => {
  const shown = ok(await client.get(`${table.at}?fields=profile,sampleData`));
  const telling = [...profilesIn(shown)].filter(([, profile]) => 'min' in profile).map(([name]) => name);
  return { telling, rows: shown.sampleData.rows };
};

const ALL = { telling: MEASURED, rows: SAMPLE.rows };

test('values of sensitive columns are redacted wherever profiles and samples are shown', async () => {
  const table = await sensitiveTable();
  const plain = await createPerson(service, uniqueName('plain'));
  for (const [what, path] of Object.entries(reads(table))) {
    const { status, text } = await plain.get(path);
    assert.is(status, 200, what);
    assert.is(/secret-[5-8]/.test(text), false, `${what} shows a sample`);
  }
  const shown = ok(await plain.get(`${table.at}?fields=profile,sampleData`));
  const open = MEASURED.filter((name) => !WITHHELD.includes(name));
  assert.equal(await whoSees(plain, table), { telling: open, rows: MASKED_ROWS });
  assert.equal(profilesIn(shown).get('mail'), { name: 'mail', timestamp: day(1), valuesCount: 1 });
  assert.equal(profilesIn(shown).get('id'), { name: 'id', timestamp: day(1), valuesCount: 1, ...TELLING });
  assert.is('tags' in shown.columns[1], false);
  const rows = expectList(await plain.get(`${table.at}/columnProfile`)).data;
  assert.equal(
    rows
      .filter((one: JsonObject) => 'min' in one || 'histogram' in one)
      .map((one: JsonObject) => one['name'])
      .sort(),
    [...open].sort(),
  );
  for (const path of ['mail', 'home.street', 'person.age']) {
    const [one] = expectList(
      await plain.get(`${TABLES}/${encodeURIComponent(`${table.fqn}.${path}`)}/columnProfile`),
    ).data;
    assert.equal(one, { name: path, timestamp: day(1), valuesCount: 1 });
  }
  const latest = ok(await plain.get(`${table.named}/tableProfile/latest`));
  assert.equal(
    [...profilesIn(latest)].filter(([, profile]) => 'max' in profile).map(([name]) => name),
    open,
  );
  const whole = ok(await plain.get(reads(table)['everywhere'] ?? ''));
  const mine = whole.data.filter((one: { entityReference: { id: string } }) => one.entityReference.id === table.id);
  assert.equal(mine.length, MEASURED.length);
  assert.equal(
    mine
      .filter((one: { profileData: JsonObject }) => 'min' in one.profileData)
      .map((one: { profileData: JsonObject }) => one.profileData['name'])
      .sort(),
    [...open].sort(),
  );
  assert.equal(ok(await plain.get(`${table.at}/sampleData`)).sampleData.rows, MASKED_ROWS);
  const hydrated = ok(
    await plain.raw(
      'POST',
      '/v1/lineage/hydrate',
      JSON.stringify({ entities: [{ id: table.id, type: 'table' }], fields: 'sampleData,profile' }),
    ),
  );
  assert.is(JSON.stringify(hydrated).includes('secret-5'), false);
});

test('administrators, profilers and owners see the values, including team owners and owners of ancestors', async () => {
  const [owner, member, other] = [
    await createPerson(service, uniqueName('owner')),
    await createPerson(service, uniqueName('member')),
    await createPerson(service, uniqueName('other')),
  ];
  const profiler = ok(await service.admin.get('/v1/roles/name/ProfilerBotRole'));
  const bot = await createRightsFactory(service).person([], { isBot: true, roles: [profiler.id] });
  const table = await sensitiveTable({ owners: [{ id: owner.id, type: 'user' }] });
  const open = MEASURED.filter((name) => !WITHHELD.includes(name));
  for (const client of [service.admin, bot, owner]) assert.equal(await whoSees(client, table), ALL);
  for (const client of [member, other]) assert.equal((await whoSees(client, table)).telling, open);
  const samples = createSamples(service);
  const team = await samples.create('team', { users: [member.id] });
  ok(await service.admin.patch(table.at, { owners: [{ id: team.id, type: 'team' }] }));
  assert.equal(await whoSees(await service.as(member.name), table), ALL);
  assert.equal((await whoSees(owner, table)).telling, open);
  // Without owners of its own a table has those of what it lies in.
  const place = await samples.create('databaseSchema', { owners: [{ id: other.id, type: 'user' }] });
  const inherits = await sensitiveTable({ databaseSchema: place.fullyQualifiedName });
  assert.equal(await whoSees(other, inherits), ALL);
  assert.equal((await whoSees(owner, inherits)).telling, open);
});

test('an owner sees the values only where somebody else appointed them, and not by adopting what has no owner', async () => {
  const rights = createRightsFactory(service);
  const choosing = { operations: ['ViewAll', 'EditOwners'], resources: ['table'] };
  const [plain, friend, steward] = [await rights.person(), await rights.person(), await rights.person([choosing])];
  const open = MEASURED.filter((name) => !WITHHELD.includes(name));
  const owners = (...people: readonly { readonly id: string }[]) => ({
    owners: people.map(({ id }) => ({ id, type: 'user' })),
  });
  const ownedBy = async (by: Client, ...people: readonly { readonly id: string }[]) => {
    const table = await sensitiveTable();
    ok(await by.patch(table.at, owners(...people)));
    return table;
  };
  const hidden = { telling: open, rows: MASKED_ROWS };
  // Whoever adopts gives nobody more than they have themselves.
  const adopted = await ownedBy(plain, plain, friend);
  for (const person of [plain, friend]) assert.equal(await whoSees(person, adopted), hidden);
  assert.equal(await whoSees(steward, await ownedBy(steward, steward)), hidden);
  assert.equal(await whoSees(plain, await ownedBy(steward, plain)), ALL);
  assert.equal(await whoSees(plain, await ownedBy(service.admin, plain)), ALL);
  // An owner who adopted becomes one like others when somebody appoints them anew.
  ok(await steward.patch(adopted.at, owners(friend)));
  ok(await steward.patch(adopted.at, owners(friend, plain)));
  assert.equal(await whoSees(plain, adopted), ALL);
  assert.equal(await whoSees(friend, adopted), hidden);
  const crew = await rights.team({ users: [plain.id] });
  const table = await sensitiveTable();
  ok(await plain.patch(table.at, { owners: [{ id: crew.id, type: 'team' }] }));
  assert.equal(await whoSees(await service.as(plain.name), table), hidden);
  await rights.clear();
});

test('an owner from before it was kept who appoints whom sees the values', async () => {
  const owner = await createPerson(service, uniqueName('owner'));
  const table = await sensitiveTable({ owners: [{ id: owner.id, type: 'user' }] });
  await service.graph.query('MATCH (:Entity {id: $id})<-[owns:OWNS]-() REMOVE owns.appointedBy', { id: table.id });
  assert.equal(await whoSees(owner, table), ALL);
});

test('a bot sees the values only with an operation that its policies name', async () => {
  const rights = createRightsFactory(service);
  const table = await sensitiveTable();
  const open = MEASURED.filter((name) => !WITHHELD.includes(name));
  const allow = (...operations: string[]) => ({ operations, resources: ['table'] });
  const deny = (...operations: string[]) => ({ ...allow(...operations), effect: 'deny' as const });
  const blind = [
    await createPerson(service, uniqueName('bare'), { isBot: true }),
    await rights.person([allow('ViewAll', 'EditAll', 'ViewSampleData', 'ViewDataProfile')], { isBot: true }),
    await rights.person([allow('EditDataProfile'), deny('EditAll')], { isBot: true }),
  ];
  for (const bot of blind) {
    assert.equal(await whoSees(bot, table), { telling: open, rows: MASKED_ROWS });
    for (const [what, path] of Object.entries(reads(table))) {
      assert.is(/secret-[5-8]/.test((await bot.get(path)).text), false, `${what} shows a sample to a bot`);
    }
  }
  for (const isBot of [true, false]) {
    assert.equal(await whoSees(await rights.person([allow('EditDataProfile')], { isBot }), table), ALL);
  }
});

const untag = async ({ at }: Table) => {
  const columns = [1, 3].map((place) => ({ op: 'replace', path: `/columns/${place}/tags`, value: [] }));
  ok(await service.admin.patch(at, [...columns, { op: 'replace', path: '/columns/2/children/0/tags', value: [] }]));
};

test('values that were stored under a label stay redacted without it, until they are measured again', async () => {
  const table = await sensitiveTable();
  const [plain, owner] = [
    await createPerson(service, uniqueName('plain')),
    await createPerson(service, uniqueName('owner')),
  ];
  ok(await service.admin.patch(table.at, { owners: [{ id: owner.id, type: 'user' }] }));
  await untag(table);
  const open = MEASURED.filter((name) => !WITHHELD.includes(name));
  assert.equal(await whoSees(plain, table), { telling: open, rows: MASKED_ROWS });
  assert.equal(await whoSees(owner, table), ALL);
  for (const [what, path] of Object.entries(reads(table))) {
    assert.is(/secret-[5-8]/.test((await plain.get(path)).text), false, `${what} shows a sample`);
  }
  await keep(service.admin, table.id, day(2), {
    columnProfile: MEASURED.map((name) => ofColumn(name, day(2), TELLING)),
  });
  assert.equal(await whoSees(plain, table), { telling: MEASURED, rows: MASKED_ROWS });
  const old = `${TABLES}/${encodeURIComponent(`${table.fqn}.person.age`)}/columnProfile`;
  assert.equal(
    expectList(await plain.get(old)).data.map((one: JsonObject) => ['min' in one, one['timestamp']]),
    [
      [true, day(2)],
      [false, day(1)],
    ],
  );
  const whole = ok(
    await plain.get(`/v1/entity/profiles/table?profileType=column&startTs=${day(1)}&endTs=${day(2)}&limit=100000`),
  );
  const mine = whole.data.filter((one: { entityReference: { id: string } }) => one.entityReference.id === table.id);
  const telling = mine.filter((one: { profileData: JsonObject }) => 'min' in one.profileData);
  assert.equal([mine.length, telling.length], [2 * MEASURED.length, MEASURED.length + open.length]);
  ok(await service.admin.put(`${table.at}/sampleData`, SAMPLE));
  assert.equal(await whoSees(plain, table), ALL);
});

test('a sample does not show the data of a column that is gone', async () => {
  const table = await sensitiveTable();
  const plain = await createPerson(service, uniqueName('plain'));
  ok(await service.admin.patch(table.at, [{ op: 'replace', path: '/columns', value: [column('id')] }]));
  assert.equal(ok(await plain.get(`${table.at}/sampleData`)).sampleData.rows, MASKED_ROWS);
  ok(await service.admin.patch(table.at, [{ op: 'add', path: '/columns/-', value: column('mail') }]));
  assert.equal(ok(await plain.get(`${table.at}/sampleData`)).sampleData.rows, MASKED_ROWS);
});

test('a writer who does not see a sample does not uncover it', async () => {
  const table = await sensitiveTable();
  await untag(table);
  const writer = await createRightsFactory(service).person([
    { operations: ['EditSampleData', 'ViewAll'], resources: ['table'] },
  ]);
  ok(await writer.put(`${table.at}/sampleData`, { ...SAMPLE, rows: [...MASKED_ROWS, [3]] }));
  const stored = ok(await service.admin.get(`${table.at}/sampleData`)).sampleData.rows;
  assert.equal(stored, [...SAMPLE.rows, [3]]);
  assert.equal((await whoSees(writer, table)).rows, [...MASKED_ROWS, [3]]);
});

test('a caller who writes back redacted values keeps the stored ones and learns nothing', async () => {
  const table = await sensitiveTable();
  const samples = createSamples(service);
  const name = uniqueName('writer');
  const policy = await samples.create('policy', {
    rules: [
      { name: 'edit', effect: 'allow', resources: ['table'], operations: ['EditAll', 'ViewAll', 'EditSampleData'] },
    ],
  });
  const role = await samples.create('role', { policies: [policy.fullyQualifiedName] });
  ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, roles: [role.id] }), 201);
  const writer = await service.as(name);
  const stored = async () => ok(await service.admin.get(`${table.at}?fields=sampleData`)).sampleData;
  ok(await writer.patch(table.at, { description: uniqueName('text') }));
  assert.equal(await stored(), SAMPLE);
  // What was shown is sent back, a row less and another one more.
  const fewer = [
    { op: 'remove', path: '/sampleData/rows/0' },
    { op: 'add', path: '/sampleData/rows/-', value: [3, 'a', 'b', 'c', 'd', 'e'] },
  ];
  ok(await writer.patch(table.at, fewer));
  assert.equal((await stored()).rows, [SAMPLE.rows[1], [3, 'a', 'b', 'c', 'd', 'e']]);
  ok(await service.admin.put(`${table.at}/sampleData`, SAMPLE));
  const answered = ok(await writer.put(`${table.at}/sampleData`, { ...SAMPLE, rows: MASKED_ROWS }));
  assert.equal(answered.sampleData.rows, MASKED_ROWS);
  assert.equal(await stored(), SAMPLE);
  // Neither a guess nor a copy tells what a cell holds.
  const cell = '/sampleData/rows/0/1';
  expectRefused(await writer.patch(table.at, [{ op: 'test', path: cell, value: 'secret-5' }]), 400);
  ok(await writer.patch(table.at, [{ op: 'copy', from: cell, path: '/description' }]));
  assert.is(ok(await writer.get(table.at)).description, MASK);
});

test('samples of other records with columns are masked alike', async () => {
  const samples = createSamples(service);
  const made = await samples.create('container', { dataModel: { isPartitioned: false, columns: COLUMNS } });
  const at = `/v1/containers/${made.id}/sampleData`;
  ok(await service.admin.put(at, SAMPLE));
  const plain = await createPerson(service, uniqueName('plain'));
  assert.equal(ok(await plain.get(at)).sampleData.rows, MASKED_ROWS);
  assert.equal(ok(await service.admin.get(at)).sampleData.rows, SAMPLE.rows);
});

test.run();
