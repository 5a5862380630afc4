import * as assert from 'uvu/assert';
import { everyKind, FEW_KINDS } from '../support/every-kind.ts';
import { countStored, expectList, expectRefused, ok, pathByName, readStored } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that names are validated, quoted and compared by the contract. */

const test = suite('catalog: names');
const each = everyKind(test);
const eachOfFew = everyKind(test, FEW_KINDS);

const STRANGE: Readonly<Record<string, string>> = {
  dots: 'a.b..c.',
  slashes: '/a/b\\c/../d',
  apostrophe: "o'neil's",
  percent: '100%25 %2F % %zz',
  'single colons': 'a:b:c',
  spaces: ' two  words ',
  emoji: '🦊 données 👩‍👩‍👧',
  'right to left': 'جدول المبيعات שלום',
  markup: '<b>&amp;</b>?x=1#y+z',
  query: 'a&include=all',
  braces: '{id} [0] $name `tick` |pipe|',
  words: 'name',
  number: '42',
  uuid: '3f2504e0-4f89-41d3-9a0c-0305e82c3301',
  combining: 'e\u0301 \u202eabc\u202c',
};

/** As an FQN writes it (conventions 7): in quotes if, and only if, there is a dot inside. */
const part = (name: string): string => (name.includes('.') ? `"${name}"` : name);

/** A name of exactly so many characters, as readers count them. */
const fill = (text: string, character: string, length: number): string =>
  text + character.repeat(length - [...text].length);

eachOfFew('names of every sort are created, read by name and listed', async ({ service, samples, kind, path }) => {
  const names = [
    ...Object.values(STRANGE).map((strange) => `${uniqueName('n')}${strange}`),
    fill(uniqueName('n'), 'x', 256),
    fill(uniqueName('n'), '🦊', 256),
  ];
  // The name of a test stands in links, which end with that.
  const isAllowed = (name: string) => kind.entityType !== 'testCase' || !name.includes('>');
  for (const name of names.filter(isAllowed)) {
    const made = await samples.create(kind, { name });
    const kept = kind.lowerCaseName ? name.toLowerCase() : name;
    assert.is(made.name, kept);
    const last = kind.namePrefix === undefined ? part(kept) : `.${kind.namePrefix}${kept}`;
    assert.ok(made.fullyQualifiedName.endsWith(last), made.fullyQualifiedName);
    const read = ok(await service.admin.get(pathByName(kind, made.fullyQualifiedName)));
    assert.equal([read.id, read.name], [made.id, kept]);
    const cursor = Buffer.from(JSON.stringify({ name: kept, id: '' })).toString('base64url');
    const [listed] = expectList(await service.admin.get(`${path}?limit=1&after=${cursor}`)).data;
    assert.equal([listed.id, listed.name], [made.id, kept]);
    const patched = ok(await service.admin.patch(pathByName(kind, made.fullyQualifiedName), { description: name }));
    assert.is(patched.description, name);
    assert.is((await readStored(service, made.id))?.properties['description'], name);
  }
});

each('an invalid name is refused with 400 and stores nothing', async ({ service, samples, kind, path }) => {
  const body = await samples.body(kind);
  const before = await countStored(service);
  const invalid = ['a::b', 'say "x"', '"', '"a.b', '""', 'line\nbreak', 'nul\u0000', '\ud800'];
  for (const name of invalid) {
    expectRefused(await service.admin.post(path, { ...body, name }), 400, /^Invalid name/);
    expectRefused(await service.admin.put(path, { ...body, name }), 400, /^Invalid name/);
  }
  for (const name of ['', 'x'.repeat(257), '🦊'.repeat(257), 'x'.repeat(100_000), 7, [], {}, true]) {
    expectRefused(await service.admin.post(path, { ...body, name }), 400);
  }
  assert.equal(await countStored(service), before);
});

each('a quoted name without a dot equals the unquoted name', async ({ service, samples, kind, path }) => {
  const name = uniqueName('plain');
  const made = await samples.create(kind, { name: `"${name}"` });
  assert.is(made.name, name);
  expectRefused(await service.admin.post(path, await samples.body(kind, samples.meaning(kind, made))), 409);
});

each(
  'kinds with single-part names are found with and without quotes',
  async ({ service, samples, kind }) => {
    const name = `${uniqueName('my')}.team`;
    const made = await samples.create(kind, { name });
    assert.is(made.fullyQualifiedName, `"${name}"`);
    for (const spelling of [name, `"${name}"`]) {
      assert.is(ok(await service.admin.get(pathByName(kind, spelling))).id, made.id, spelling);
    }
  },
  (kind) => kind.parents.length === 0,
);

/** A chain of records, each named strangely, down to a column inside a column. */
const buildChain = async (service: Service, strange: string) => {
  const service1 = ok(
    await service.admin.post('/v1/services/databaseServices', {
      name: `${uniqueName('svc')}${strange}`,
      serviceType: 'Postgres',
    }),
    201,
  );
  const database = ok(
    await service.admin.post('/v1/databases', { name: strange, service: service1.fullyQualifiedName }),
    201,
  );
  const schema = ok(
    await service.admin.post('/v1/databaseSchemas', { name: strange, database: database.fullyQualifiedName }),
    201,
  );
  const inner = { name: strange, dataType: 'INT' };
  const body = {
    name: strange,
    databaseSchema: schema.fullyQualifiedName,
    columns: [{ name: strange, dataType: 'STRUCT', children: [inner] }],
  };
  const table = ok(await service.admin.post('/v1/tables', body), 201);
  return { root: service1, database, schema, table };
};

for (const [what, strange] of Object.entries(STRANGE)) {
  test(`names of children: ${what}`, async () => {
    const service = await openService();
    const { root, database, schema, table } = await buildChain(service, strange);
    const wanted = [part(root.name), ...new Array(3).fill(part(strange))].join('.');
    assert.is(table.fullyQualifiedName, wanted);
    assert.is(table.columns[0].fullyQualifiedName, `${wanted}.${part(strange)}`);
    assert.is(table.columns[0].children[0].fullyQualifiedName, `${wanted}.${part(strange)}.${part(strange)}`);
    assert.equal([table.service.id, table.database.id, table.databaseSchema.id], [root.id, database.id, schema.id]);
    const at = `/v1/tables/name/${encodeURIComponent(table.fullyQualifiedName)}`;
    assert.is(ok(await service.admin.get(at)).id, table.id);
    const raw = at.replaceAll("'", '%27').replaceAll('.', '%2E');
    assert.is(ok(await service.admin.get(raw)).id, table.id);
    for (const [filter, value] of [
      ['service', root],
      ['database', database],
      ['databaseSchema', schema],
    ] as const) {
      const query = `${filter}=${encodeURIComponent(value.fullyQualifiedName)}`;
      const list = expectList(await service.admin.get(`/v1/tables?${query}`));
      assert.equal(
        list.data.map((row: { id: string }) => row.id),
        [table.id],
        filter,
      );
    }
    ok(await service.admin.delete(`/v1/databases/${database.id}?recursive=true&hardDelete=true`));
    assert.is(await readStored(service, table.id), undefined);
  });
}

test('names are case-sensitive', async () => {
  const service = await openService();
  const name = uniqueName('case');
  const body = (spelling: string) => ({ name: spelling, serviceType: 'Postgres' });
  const small = ok(await service.admin.post('/v1/services/databaseServices', body(name)), 201);
  const tall = ok(await service.admin.post('/v1/services/databaseServices', body(name.toUpperCase())), 201);
  assert.is.not(small.id, tall.id);
  const read = ok(await service.admin.get(`/v1/services/databaseServices/name/${name.toUpperCase()}`));
  assert.is(read.id, tall.id);
  expectRefused(await service.admin.get(`/v1/services/databaseServices/name/${name.replace('case', 'Case')}`), 404);
});

test('user names are stored and found in lower case', async () => {
  const service = await openService();
  const name = uniqueName('Mixed');
  const made = ok(await service.admin.post('/v1/users', { name, email: `${name}@Example.com` }), 201);
  assert.equal([made.name, made.fullyQualifiedName], [name.toLowerCase(), name.toLowerCase()]);
  assert.is(ok(await service.admin.get(`/v1/users/name/${name.toUpperCase()}`)).id, made.id);
  const twin = { name: name.toUpperCase(), email: `${uniqueName('x')}@example.com` };
  expectRefused(await service.admin.post('/v1/users', twin), 409);
});

test('a trailing &include in a path is read as a query', async () => {
  const service = await openService();
  const name = uniqueName('tail');
  const made = ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.delete(`/v1/services/databaseServices/${made.id}`));
  expectRefused(await service.admin.get(`/v1/services/databaseServices/name/${name}`), 404);
  assert.is(ok(await service.admin.get(`/v1/services/databaseServices/name/${name}&include=all`)).id, made.id);
  assert.is(ok(await service.admin.get(`/v1/services/databaseServices/${made.id}&include=deleted`)).id, made.id);
});

test.run();
