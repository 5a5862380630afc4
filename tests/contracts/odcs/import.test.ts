import * as assert from 'uvu/assert';
import { readDescription, writeDescription } from '../../../src/contracts/odcs/fundamentals.ts';
import { schemaObjectNames } from '../../../src/contracts/odcs/schema/read-schema.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import {
  column,
  contractOf,
  document,
  edited,
  exported,
  findings,
  firstColumn,
  imported,
  ordersTable,
  tableOf,
  withProperties,
} from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that documents are imported into a contract. */

const test = suite('contracts/odcs: import');

const object = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  properties: [{ name: `${name}_id` }],
  ...more,
});
const taken = (schema: readonly JsonObject[], options: { objectName?: string } = {}) =>
  firstColumn(imported(document({ schema }), options).contract)['name'];

test('the object is the requested one, else matched by name, by physical name, the only or the first', () => {
  const [a, b] = [object('a'), object('b')];
  assert.is(taken([a, b], { objectName: 'B' }), 'b_id');
  assert.is(taken([a, object('Orders')]), 'Orders_id');
  assert.is(taken([a, object('b', { physicalName: 'ORDERS' })]), 'b_id');
  assert.is(taken([object('c', { physicalName: 'orders' }), object('orders')]), 'orders_id');
  assert.is(taken([b]), 'b_id');
  assert.is(taken([b, a]), 'b_id');
  assert.is(taken([{ name: 'orders', logicalType: 'string' }, a]), 'a_id');
  assert.equal(findings(imported(document({ schema: [b, a] }))).slice(0, 1), ['warning schema schema[0]']);
  assert.ok(findings(imported(document({ schema: [b, object('orders')] }))).includes('info schema schema[0]'));
  assert.is(imported(document({ schema: [a, b] }), { objectName: 'b' }).objectName, 'b');
});

test('an unknown object is refused with the list of known ones', () => {
  const message = (schema: readonly JsonObject[]) => {
    try {
      imported(document({ schema }), { objectName: 'c' });
      return assert.unreachable();
    } catch (failure) {
      assert.is((failure as { code: string }).code, 'bad_request');
      return (failure as Error).message;
    }
  };
  const start = "Invalid ODCS content: schema: schema object 'c' not found, available: ";
  assert.is(message([object('a'), object('b')]), `${start}a, b`);
  assert.is(message([{ name: 'c', logicalType: 'string' }]), `${start}none`);
});

test('in the oldest format the items are the columns', () => {
  const source = document({ schema: [{ name: 'id', logicalType: 'integer' }, { name: 'status' }] });
  assert.equal(schemaObjectNames(source), []);
  assert.equal(contractOf(source)['schema'], [
    { name: 'id', dataType: 'INT' },
    { name: 'status', dataType: 'STRING' },
  ]);
  const changed = edited(source, (contract) => ({ ...contract, schema: [column('id', 'INT', { description: 'd' })] }));
  assert.equal(changed['schema'], [{ name: 'id', logicalType: 'integer', description: 'd' }]);
});

test('an object is recognized by its logical type, its properties, or a type such as table or topic', () => {
  const schema = [
    { name: 'a', logicalType: 'Object' },
    { name: 'b', properties: [{ name: 'x' }] },
    { name: 'c', physicalType: 'topic' },
    { name: 'v', physicalType: 'Materialized View' },
    { name: 'd', logicalType: 'string' },
    { name: 'e', properties: [] },
  ];
  assert.equal(schemaObjectNames(document({ schema })), ['a', 'b', 'c', 'v']);
  assert.is(contractOf(document({ schema: [{ name: 'orders', physicalType: 'topic' }] }))['schema'], undefined);
});

test('names are used unchanged, derived from the asset, or refused', () => {
  assert.is(contractOf(document({ name: 'Orders v1' }))['name'], 'Orders v1');
  assert.is(contractOf(document())['name'], 'orders_contract');
  const long = contractOf(document(), tableOf('😀'.repeat(256), []))['name'] as string;
  assert.is([...long].length, 256);
  assert.match(long, /_contract$/);
  assert.throws(() => imported(document({ name: 'a::b' })), /^Invalid ODCS content: name: /);
  assert.throws(() => imported(document({ name: 'x'.repeat(257) })), /^Invalid ODCS content: name: /);
  assert.is(contractOf(document({ name: '😀'.repeat(256) }))['name'], '😀'.repeat(256));
});

test('a valid id is used', () => {
  const id = '53581432-6C55-4BA2-A65F-72344A91553A';
  assert.is(imported(document({ id })).id, id.toLowerCase());
  assert.is(imported(document({ id: 'orders' })).id, undefined);
});

test('statuses are read in any case, and unknown ones become drafts and are reported', () => {
  const rows: Readonly<Record<string, string>> = {
    Approved: 'active production current Active PRODUCTION',
    Deprecated: 'deprecated retired',
    Draft: 'proposed draft test development pending',
  };
  for (const [state, words] of Object.entries(rows)) {
    for (const status of [...words.split(' '), ...(state === 'Draft' ? ['in development'] : [])]) {
      const one = imported(document({ status }));
      assert.is(one.contract['entityStatus'], state, status);
      assert.equal(findings(one), []);
    }
  }
  for (const status of ['shiny', 'approved', 'constructor', '']) {
    const one = imported(document({ status }));
    assert.is(one.contract['entityStatus'], 'Draft');
    assert.equal(findings(one), ['warning document status']);
  }
});

test('a status is exported with its imported word while that still means it', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['production', 'Approved', 'production'],
    ['production', 'Draft', 'draft'],
    ['shiny', 'In Review', 'shiny'],
    ['retired', 'Deprecated', 'retired'],
    ['retired', 'Archived', 'retired'],
    ['deprecated', 'Archived', 'retired'],
    ['draft', 'Approved', 'active'],
    ['active', 'Deprecated', 'deprecated'],
  ];
  for (const [status, entityStatus, expected] of rows) {
    const result = edited(document({ status }), (contract) => ({ ...contract, entityStatus }));
    assert.is(result['status'], expected, `${status} ${entityStatus}`);
  }
});

test('three description texts are joined to one and split again', () => {
  const rows: readonly (readonly [JsonObject, string | undefined])[] = [
    [{ purpose: 'p', limitations: 'l', usage: 'u' }, 'p\n\n**Limitations:**\nl\n\n**Usage:**\nu'],
    [{ purpose: 'p', usage: 'u' }, 'p\n\n**Usage:**\nu'],
    [{ limitations: 'l' }, '**Limitations:**\nl'],
    [{ purpose: 'p' }, 'p'],
    [{}, undefined],
  ];
  for (const [description, text] of rows) {
    assert.is(readDescription(description), text);
    assert.equal(writeDescription(text), description);
  }
  assert.is(readDescription('as text'), 'as text');
});

test('an edited description changes its texts and keeps their other members', () => {
  const description = { purpose: 'p', usage: 'u', authoritativeDefinitions: [{ url: 'x', type: 'y' }] };
  const source = document({ description });
  const to = (text: string) => edited(source, (contract) => ({ ...contract, description: text }))['description'];
  assert.equal(to('q\n\n**Usage:**\nu'), { ...description, purpose: 'q' });
  const { usage: _usage, ...rest } = description;
  assert.equal(to('p\n\n**Limitations:**\nl'), { ...rest, limitations: 'l' });
  const { purpose: _purpose, ...none } = rest;
  assert.equal(edited(source, ({ description: _description, ...contract }) => contract)['description'], none);
  const plain = document({ description: { purpose: 'p' } });
  assert.is(edited(plain, ({ description: _description, ...contract }) => contract)['description'], undefined);
  assert.equal(exported({ description: 'p' })['description'], { purpose: 'p' });
});

test('custom properties become the extension, the last one of a name wins, and any name is allowed', () => {
  const source = document({
    customProperties: [
      { property: 'a', value: { deep: [1] } },
      { property: 'b', value: null },
      { property: 'a', value: 2 },
      { property: '__proto__', value: 'kept' },
      { property: 'constructor', value: true },
      { property: 'none' },
      { value: 1 },
    ],
  });
  const found = imported(source);
  assert.equal(Object.entries(found.contract['extension'] as JsonObject), [
    ['a', 2],
    ['b', null],
    ['__proto__', 'kept'],
    ['constructor', true],
  ]);
  assert.equal(findings(found), ['warning other customProperties[2]']);
  assert.equal(
    edited(source, (contract) => contract),
    source,
  );
});

test('a changed extension changes the custom properties', () => {
  const source = document({
    customProperties: [
      { property: 'b', value: 1, description: 'd', id: 'i' },
      { property: 'gone', value: 1 },
      { property: 'twice', value: 1 },
      { property: 'twice', value: 2 },
      { odd: true },
    ],
  });
  const result = edited(source, (contract) => ({ ...contract, extension: { b: 2, z: 1, a: [], twice: 3 } }));
  assert.equal(result['customProperties'], [
    { property: 'b', value: 2, description: 'd', id: 'i' },
    { property: 'twice', value: 1 },
    { property: 'twice', value: 3 },
    { odd: true },
    { property: 'a', value: [] },
    { property: 'z', value: 1 },
  ]);
  assert.equal(exported({ extension: { b: 1, a: 2 } })['customProperties'], [
    { property: 'a', value: 2 },
    { property: 'b', value: 1 },
  ]);
});

const own = {
  displayName: 'Orders',
  semantics: [{ name: 'owned', description: 'Has an owner.', rule: '{"!!":[{"var":"owners"}]}', enabled: true }],
  termsOfUse: 'Be kind.',
  effectiveFrom: '2026-01-01T00:00:00Z',
  effectiveUntil: '2027-01-01T00:00:00Z',
  sourceUrl: 'https://example.com/orders',
};
const filtered = {
  policies: [
    { accessPolicy: 'reader', identities: ['a'], rowFilters: [{ columnName: 'region', values: ['EU'] }] },
    { accessPolicy: 'writer' },
  ],
};
const asRecord = {
  ...own,
  termsOfUse: { content: 'Be kind.' },
  semantics: own.semantics.map((rule) => ({ ...rule, provider: 'user' })),
  security: filtered,
};

test('members without a counterpart are stored in one custom property and read back', () => {
  const written = exported({ ...asRecord, extension: { a: 1 } });
  const entries = written['customProperties'] as readonly JsonObject[];
  assert.equal(
    entries.map(({ property }) => property),
    ['a', 'openMetadataContract'],
  );
  const { displayName, semantics, termsOfUse, effectiveFrom, effectiveUntil, sourceUrl, security, extension } =
    contractOf(written);
  assert.equal({ displayName, semantics, termsOfUse, effectiveFrom, effectiveUntil, sourceUrl }, own);
  assert.equal(security, filtered);
  assert.equal(extension, { a: 1 });
  assert.equal(exported({ ...contractOf(written), ...asRecord }, written), written);
});

test('that custom property follows the contract, keeps unknown members and is removed when empty', () => {
  const value = JSON.stringify({ displayName: 'A', sourceUrl: 'https://a.example', strange: 1 });
  const source = document({ customProperties: [{ property: 'openMetadataContract', value, id: 'own' }] });
  const [entry = {}] = edited(source, (contract) => ({ ...contract, displayName: 'B' }))[
    'customProperties'
  ] as readonly JsonObject[];
  assert.is(entry['id'], 'own');
  assert.equal(JSON.parse(entry['value'] as string), { displayName: 'B', sourceUrl: 'https://a.example', strange: 1 });
  const plain = document({ customProperties: [{ property: 'openMetadataContract', value: '{"displayName":"A"}' }] });
  assert.is(edited(plain, ({ displayName: _name, ...contract }) => contract)['customProperties'], undefined);
});

test('rules in it are validated and have only members of rules', () => {
  const rule = { name: 'a', description: 'b', rule: '{}' };
  const semantics = [{ ...rule, strange: 1, provider: 'system', enabled: false }, { name: 'a' }, 'odd', rule];
  const value = JSON.stringify({ semantics, termsOfUse: { content: 'Be kind.' }, displayName: 7, effectiveFrom: '' });
  const { contract } = imported(document({ customProperties: [{ property: 'openMetadataContract', value }] }));
  assert.equal(contract['semantics'], [
    { ...rule, provider: 'system', enabled: false },
    { ...rule, enabled: true },
  ]);
  assert.equal(
    [contract['termsOfUse'], contract['displayName'], contract['effectiveFrom']],
    ['Be kind.', undefined, undefined],
  );
});

test('a custom property with that name but no JSON object is an ordinary one', () => {
  for (const value of ['not json', '[1]', '{"a":'.repeat(100), 7]) {
    const found = imported(document({ customProperties: [{ property: 'openMetadataContract', value }] }));
    assert.equal(found.contract['extension'], { openMetadataContract: value });
    assert.equal(findings(found), ['warning other customProperties[0]']);
  }
});

test('definitions and sources of the document, the object and the columns are read', () => {
  const definition = (name: string) => [{ url: `https://${name}.example`, type: 't' }];
  const [d1, d2, d3] = [definition('1'), definition('2'), definition('3')];
  const source = {
    ...withProperties(
      [
        { name: 'id', authoritativeDefinitions: d3, transformSourceObjects: ['a', 'b'] },
        { name: 'address', properties: [{ name: 'zip', transformSourceObjects: ['c'] }] },
        { name: 'status', authoritativeDefinitions: [], transformSourceObjects: 'odd' },
      ],
      { authoritativeDefinitions: d2 },
    ),
    authoritativeDefinitions: d1,
  } as JsonObject;
  const items = [
    { authoritativeDefinitions: d1 },
    { element: 'orders', authoritativeDefinitions: d2 },
    { element: 'id', authoritativeDefinitions: d3, transformSourceObjects: ['a', 'b'] },
    { element: 'address.zip', transformSourceObjects: ['c'] },
  ];
  assert.equal(contractOf(source)['odcsElementExtensions'], items);
  const [root, whole, id, zip] = items;
  const result = edited(
    source,
    (contract) =>
      ({
        ...contract,
        odcsElementExtensions: [
          whole,
          { ...id, transformSourceObjects: ['b'] },
          zip,
          { element: 'status', authoritativeDefinitions: d1 },
        ],
      }) as JsonObject,
  );
  assert.is(result['authoritativeDefinitions'], undefined);
  assert.equal(contractOf(result)['odcsElementExtensions'], [
    whole,
    { ...id, transformSourceObjects: ['b'] },
    zip,
    { element: 'status', authoritativeDefinitions: d1 },
  ]);
  const fresh = exported({ odcsElementExtensions: items as never, schema: contractOf(source)['schema'] ?? [] });
  assert.equal(contractOf(fresh)['odcsElementExtensions'], items);
  assert.equal(fresh['authoritativeDefinitions'], root?.authoritativeDefinitions);
});

test('top-level members are written for a contract without a document', () => {
  const contract = { id: 'i', name: 'n', version: 1, entityStatus: 'Archived', createdAt: 1_700_000_000_000 };
  assert.equal(exported(contract), {
    apiVersion: 'v3.2.0',
    kind: 'DataContract',
    id: 'i',
    name: 'n',
    version: '1.0',
    status: 'retired',
    domain: 'Sales',
    dataProduct: 'Orders',
    contractCreatedTs: '2023-11-14T22:13:20.000Z',
  });
  const lonely = { ...ordersTable, domains: [], dataProducts: [] };
  const rest = exported({ ...contract, version: 0.1 }, undefined, { target: lonely });
  assert.equal(Object.keys(rest), ['apiVersion', 'kind', 'id', 'name', 'version', 'status', 'contractCreatedTs']);
  assert.is(rest['version'], '0.1');
});

test('sections that are not selected are omitted completely', () => {
  const source = {
    ...withProperties([{ name: 'id' }]),
    team: [
      { username: 'ada', role: 'owner' },
      { username: 'bob', role: 'reviewer' },
      { username: 'x', role: 'dpo' },
    ],
    roles: [{ role: 'r' }],
    slaDefaultElement: 'orders.id',
    slaProperties: [{ property: 'availability', value: 1 }],
    customProperties: [{ property: 'a', value: 1 }],
    support: [{ channel: 'c' }],
    strange: true,
    quality: [{ type: 'text', description: 'd' }],
  };
  const rest = { ...document(), support: source.support, strange: true };
  const { schema, quality, team, roles, slaDefaultElement, slaProperties, customProperties } = source as JsonObject;
  const [ada, bob, x] = source.team;
  const rows: readonly (readonly [string, JsonObject])[] = [
    ['', {}],
    ['owners', { team: [ada, x] as never }],
    ['reviewers', { team: [bob, x] as never }],
    ['schema', { schema, quality } as JsonObject],
    ['security', { roles } as JsonObject],
    ['sla', { slaDefaultElement, slaProperties } as JsonObject],
    ['extension', { customProperties } as JsonObject],
  ];
  const contract = contractOf(source);
  for (const [section, members] of rows) {
    const sections = new Set(section === '' ? [] : [section]) as never;
    assert.equal(exported(contract, source, { sections }), { ...rest, ...members }, section);
  }
  assert.equal(exported(contract, source), source);
  assert.is(team, source.team as never);
});

test('members are written in the order of the standard, unknown ones last', () => {
  const source = { strange: 1, ...withProperties([]), tags: ['t'], tenant: 'x', servers: [], name: 'n' };
  assert.equal(Object.keys(exported(contractOf(source), source)), [
    'apiVersion',
    'kind',
    'id',
    'name',
    'version',
    'status',
    'tenant',
    'tags',
    'servers',
    'schema',
    'strange',
  ]);
});

test('the imported object is the exported one', () => {
  const source = document({ schema: [object('a'), object('b')] });
  const contract = imported(source, { objectName: 'b' }).contract;
  const renamed = { ...contract, schema: [{ ...firstColumn(contract), description: 'd' }] };
  const result = exported(renamed, source, { objectName: 'b' });
  assert.equal(result['schema'], [object('a'), object('b', { properties: [{ name: 'b_id', description: 'd' }] })]);
  assert.equal(exported(contract, source, { objectName: 'b' }), source);
});

test.run();
