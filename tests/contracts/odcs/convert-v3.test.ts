import * as assert from 'node:assert/strict';
import { downgradeDocument, exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import type { OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { back, moved, plain, read, root, sameJson } from './fixture.ts';

/** Shows that documents of ODCS 3.x are converted. */

const test = suite('contracts/odcs: versions 3.x');

const OLD: readonly OdcsVersion[] = ['v3.0.0', 'v3.0.1', 'v3.0.2'];

const withProperty = (version: string, property: Readonly<Record<string, Json>>): JsonObject =>
  root(version, { schema: [{ name: 'a', properties: [{ name: 'b', ...property }] }] });

const propertyAfter = (version: string, property: Readonly<Record<string, Json>>, target: OdcsVersion): Json =>
  moved(withProperty(version, property), target).schema[0].properties[0];

const dropped = (document: JsonObject, version: OdcsVersion): readonly string[] => {
  const found = read(document);
  return exportAsVersion(found.document, found, version).dropped;
};

test('the requested version is written with its v', () => {
  for (const version of [...OLD, 'v3.1.0'] as const) {
    for (const written of ['3.1.0', 'v3.0.0', '3.0.2']) assert.equal(moved(root(written), version).apiVersion, version);
  }
});

test('exclusive bounds are flags up to 3.0.2 and values since 3.1.0, both ways', () => {
  const marked = {
    logicalType: 'integer',
    logicalTypeOptions: { minimum: 1, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: false },
  };
  const own = { logicalType: 'integer', logicalTypeOptions: { exclusiveMinimum: 1, maximum: 9 } };
  sameJson(propertyAfter('v3.0.2', marked, 'v3.1.0'), { name: 'b', ...own });
  sameJson(propertyAfter('v3.1.0', own, 'v3.0.2'), {
    name: 'b',
    logicalType: 'integer',
    logicalTypeOptions: { minimum: 1, exclusiveMinimum: true, maximum: 9 },
  });
  sameJson(back(withProperty('v3.0.2', marked)), withProperty('v3.0.2', marked));
  sameJson(
    propertyAfter('v3.1.0', { logicalType: 'date', logicalTypeOptions: { exclusiveMaximum: '2024-01-01' } }, 'v3.0.0'),
    {
      name: 'b',
      logicalType: 'date',
      logicalTypeOptions: { maximum: '2024-01-01', exclusiveMaximum: true },
    },
  );
});

test('timestamps and times are dates and strings before 3.1.0', () => {
  for (const version of OLD) {
    sameJson(
      propertyAfter(
        'v3.1.0',
        { logicalType: 'timestamp', logicalTypeOptions: { format: 'x', timezone: true } },
        version,
      ),
      {
        name: 'b',
        logicalType: 'date',
        logicalTypeOptions: { format: 'x' },
      },
    );
    sameJson(propertyAfter('v3.1.0', { logicalType: 'time' }, version), { name: 'b', logicalType: 'string' });
  }
});

test('a date with an hour in its format is a timestamp', () => {
  const options = (format: string) => ({ logicalType: 'date', logicalTypeOptions: { format } });
  const type = (format: string) => (propertyAfter('v3.0.2', options(format), 'v3.1.0') as JsonObject)['logicalType'];
  for (const format of ['yyyy-MM-dd HH:mm:ss', "yyyy-MM-dd'T'hh:mm", '%Y-%m-%d %H:%M'])
    assert.equal(type(format), 'timestamp', format);
  for (const format of ['yyyy-MM-dd', 'dd.MM.yyyy', '%Y-%m-%d']) assert.equal(type(format), 'date', format);
  assert.equal((propertyAfter('v3.1.0', options('HH:mm'), 'v3.1.0') as JsonObject)['logicalType'], 'date');
  sameJson(back(withProperty('v3.0.2', options('HH:mm'))), withProperty('v3.0.2', options('HH:mm')));
});

test('foreign terms become those of the standard in another version and stay in their own', () => {
  const words: Readonly<Record<string, string>> = {
    STRING: 'string',
    Text: 'string',
    decimal: 'number',
    Float: 'number',
    double: 'number',
    long: 'integer',
    bytes: 'string',
    UUID: 'string',
    XML: 'string',
    Binary: 'string',
    Numeric: 'number',
    Timestamp: 'timestamp',
  };
  for (const [word, legal] of Object.entries(words)) {
    sameJson(propertyAfter('v3.0.2', { logicalType: word }, 'v3.1.0'), { name: 'b', logicalType: legal });
    sameJson(back(withProperty('v3.0.2', { logicalType: word })), withProperty('v3.0.2', { logicalType: word }));
  }
  sameJson(propertyAfter('v3.0.2', { logicalType: 'Money' }, 'v3.1.0'), { name: 'b' });
  assert.deepEqual(dropped(withProperty('v3.0.2', { logicalType: 'Money' }), 'v3.1.0'), [
    'schema[0].properties[0].logicalType',
  ]);
});

test('options match the type', () => {
  sameJson(
    propertyAfter('v3.0.2', { logicalType: 'integer', logicalTypeOptions: { maxLength: 5, format: 'i8' } }, 'v3.1.0'),
    { name: 'b', logicalType: 'integer', logicalTypeOptions: { format: 'i8' } },
  );
  sameJson(propertyAfter('v3.0.2', { logicalTypeOptions: { maxLength: 5 } }, 'v3.1.0'), { name: 'b' });
  sameJson(
    propertyAfter('v3.1.0', { logicalType: 'number', logicalTypeOptions: { format: 'f16', multipleOf: 0 } }, 'v3.0.0'),
    { name: 'b', logicalType: 'number' },
  );
});

test('columns below an array are in its items, and columns below other types are dropped', () => {
  sameJson(propertyAfter('v3.0.2', { logicalType: 'array', properties: [{ name: 'c' }] }, 'v3.1.0'), {
    name: 'b',
    logicalType: 'array',
    items: { logicalType: 'object', properties: [{ name: 'c' }] },
  });
  sameJson(propertyAfter('v3.0.2', { logicalType: 'string', properties: [{ name: 'c' }], items: {} }, 'v3.1.0'), {
    name: 'b',
    logicalType: 'string',
  });
  sameJson(propertyAfter('v3.0.2', { logicalType: 'object', properties: [{ name: 'c' }] }, 'v3.1.0'), {
    name: 'b',
    logicalType: 'object',
    properties: [{ name: 'c' }],
  });
});

test('each version has only the members it knows', () => {
  const document = root('v3.1.0', {
    authoritativeDefinitions: [{ url: 'u', type: 't', description: 'd', id: 'x' }],
    description: {
      purpose: 'p',
      authoritativeDefinitions: [{ url: 'u', type: 't' }],
      customProperties: [{ property: 'p', value: 1 }],
    },
    roles: [{ role: 'r', id: 'x', customProperties: [{ property: 'p', value: 1, description: 'd' }] }],
    schema: [
      {
        name: 'a',
        id: 'x',
        relationships: [{ from: 'a.b', to: 'c.d' }],
        properties: [{ name: 'b', id: 'x', physicalName: 'B', relationships: [{ to: 'c.d' }] }],
      },
    ],
    team: [{ username: 'u', id: 'x', name: 'n', description: 'd', tags: ['t'] }],
    slaProperties: [{ property: 'latency', value: 4, id: 'x', description: 'd', schedule: 's', scheduler: 'cron' }],
    support: [
      { channel: 'c', id: 'x' },
      { channel: 'd', url: 'u', customProperties: [] },
    ],
    price: { priceAmount: 1, id: 'x' },
  });
  const in302 = {
    authoritativeDefinitions: [{ url: 'u', type: 't' }],
    description: {
      purpose: 'p',
      authoritativeDefinitions: [{ url: 'u', type: 't' }],
      customProperties: [{ property: 'p', value: 1 }],
    },
    roles: [{ role: 'r', customProperties: [{ property: 'p', value: 1 }] }],
    schema: [
      {
        name: 'a',
        properties: [{ name: 'b', physicalName: 'B' }],
        customProperties: [{ property: 'odcsRelationships', value: [{ from: 'a.b', to: 'c.d' }] }],
      },
    ],
    team: [{ username: 'u', name: 'n', description: 'd' }],
    slaProperties: [{ property: 'latency', value: 4 }],
    support: [{ channel: 'd', url: 'u' }],
    price: { priceAmount: 1 },
  };
  sameJson(moved(document, 'v3.1.0'), document);
  sameJson(moved(document, 'v3.0.2'), root('v3.0.2', in302));
  const in301 = { ...in302, schema: [{ ...in302.schema[0], properties: [{ name: 'b' }] }], team: [{ username: 'u' }] };
  sameJson(moved(document, 'v3.0.1'), root('v3.0.1', in301));
  const { authoritativeDefinitions: _, ...rest } = in301;
  sameJson(
    moved(document, 'v3.0.0'),
    root('v3.0.0', {
      ...rest,
      description: { purpose: 'p' },
      roles: [{ role: 'r' }],
      customProperties: [
        { property: 'odcsAuthoritativeDefinitions', value: [{ url: 'u', type: 't', description: 'd', id: 'x' }] },
      ],
    }),
  );
});

test('members stored as custom properties are read back', () => {
  const members = {
    authoritativeDefinitions: [{ url: 'u', type: 't', description: 'd' }],
    schema: [{ name: 'a', relationships: [{ from: 'a.b', to: 'c.d' }] }],
  };
  for (const version of OLD) {
    const found = read(
      moved(root('v3.1.0', { ...members, authoritativeDefinitions: [{ url: 'u', type: 't' }] }), version),
    ).document;
    sameJson(found, root('v3.2.0', { ...members, authoritativeDefinitions: [{ url: 'u', type: 't' }] }));
  }
  // What is none of ours stays a custom property.
  const other = root('v3.0.0', {
    customProperties: [
      { property: 'odcsAuthoritativeDefinitions', value: 'text' },
      { property: 'odcsServers', value: [5] },
      { property: 'odcsSupport', value: [{ channel: 5 }] },
      { property: 'odcsName', value: {} },
      { property: 'odcsMine', value: [] },
    ],
  });
  sameJson(plain(read(other).document).customProperties, other['customProperties']);
});

test('a team is a list of its members before 3.1.0', () => {
  const team = { name: 't', description: 'd', members: [{ username: 'u' }] };
  for (const version of OLD) {
    sameJson(moved(root('v3.1.0', { team }), version).team, [{ username: 'u' }]);
    assert.deepEqual(dropped(root('v3.1.0', { team }), version), ['team.name', 'team.description']);
    sameJson(back(root(version, { team })), root(version, { team }));
  }
  sameJson(moved(root('v3.0.2', { team: [{ username: 'u' }] }), 'v3.1.0').team, [{ username: 'u' }]);
});

test('members required since 3.1.0 are filled in', () => {
  const document = root('v3.0.2', {
    team: [{ name: 'n' }, { role: 'r' }],
    customProperties: [{ property: 'p' }, { value: 1 }],
  });
  const found = moved(document, 'v3.1.0');
  sameJson(found.team, [
    { name: 'n', username: 'n' },
    { role: 'r', username: 'r' },
  ]);
  sameJson(found.customProperties, [{ property: 'p', value: null }]);
});

test('ids that 3.1.0 forbids are omitted', () => {
  const document = root('v3.0.2', { schema: [{ name: 'a', id: 'no id', quality: [{ rule: 'nullCheck', id: 'ä' }] }] });
  sameJson(moved(document, 'v3.1.0').schema, [{ name: 'a', quality: [{ metric: 'nullValues', mustBe: 0 }] }]);
  sameJson(back(document), document);
});

test('relationships that no schema allows are omitted', () => {
  const relationships = [
    { from: 'a.b', to: 'c.d' },
    { to: 'c.d' },
    { from: 'a b', to: 'c.d' },
    { from: ['a.b'], to: ['c.d'] },
    { from: ['a.b'], to: 'c.d' },
    { from: 'a.b', to: 'schema/c/properties/d' },
  ];
  const found = moved(
    root('v3.0.2', {
      schema: [
        {
          name: 'a',
          relationships,
          properties: [{ name: 'b', relationships: [{ to: 'c.d' }, { from: 'a.b', to: 'c.d' }] }],
        },
      ],
    }),
    'v3.1.0',
  );
  sameJson(found.schema[0].relationships, [relationships[0], relationships[3], relationships[5]]);
  sameJson(found.schema[0].properties[0].relationships, [{ to: 'c.d' }]);
});

const serverAfter = (version: string, server: Readonly<Record<string, Json>>, target: OdcsVersion): Json =>
  moved(root(version, { servers: [{ server: 's', ...server }] }), target).servers[0];

test('servers are written as the version defines them', () => {
  const hive = { type: 'hive', host: 'h', port: 1, database: 'd' };
  sameJson(serverAfter('v3.1.0', hive, 'v3.0.2'), { server: 's', ...hive, type: 'custom' });
  sameJson(serverAfter('v3.0.0', { type: 'athena', staging_dir: 's3://x', schema: 'y' }, 'v3.1.0'), {
    server: 's',
    type: 'athena',
    stagingDir: 's3://x',
    schema: 'y',
  });
  sameJson(serverAfter('v3.1.0', { type: 'athena', stagingDir: 's3://x', schema: 'y' }, 'v3.0.1'), {
    server: 's',
    type: 'athena',
    staging_dir: 's3://x',
    schema: 'y',
  });
  sameJson(serverAfter('v3.1.0', { type: 'athena', stagingDir: 's3://x', schema: 'y' }, 'v3.0.2'), {
    server: 's',
    type: 'athena',
    stagingDir: 's3://x',
    schema: 'y',
  });
  sameJson(serverAfter('v3.0.2', { type: 'duckdb', database: 'd', schema: 5 }, 'v3.1.0'), {
    server: 's',
    type: 'duckdb',
    database: 'd',
    schema: '5',
  });
  sameJson(serverAfter('v3.1.0', { type: 'duckdb', database: 'd', schema: '5' }, 'v3.0.2'), {
    server: 's',
    type: 'duckdb',
    database: 'd',
    schema: 5,
  });
  sameJson(serverAfter('v3.1.0', { type: 'duckdb', database: 'd', schema: 'main' }, 'v3.0.2'), {
    server: 's',
    type: 'custom',
    database: 'd',
    schema: 'main',
  });
  sameJson(serverAfter('v3.1.0', { type: 's3', location: 's3://x', format: 'avro' }, 'v3.0.2'), {
    server: 's',
    type: 'custom',
    location: 's3://x',
    format: 'avro',
  });
  sameJson(serverAfter('v3.1.0', { type: 's3', location: 's3://x', format: 'csv' }, 'v3.0.2'), {
    server: 's',
    type: 's3',
    location: 's3://x',
    format: 'csv',
  });
  // A server that says more than its type allows says it no longer.
  sameJson(serverAfter('v3.0.2', { type: 'kafka', host: 'h', topic: 't', port: 5 }, 'v3.1.0'), {
    server: 's',
    type: 'kafka',
    host: 'h',
  });
});

test('members of other versions are restored in their own version only, and reported', () => {
  const document = root('v3.0.2', {
    mine: 1,
    schema: [{ name: 'a', properties: [{ name: 'b', mine: 2 }] }],
    team: [{ username: 'u', comment: 'c' }],
  });
  sameJson(back(document), document);
  assert.deepEqual(dropped(document, 'v3.0.2'), []);
  assert.deepEqual(dropped(document, 'v3.1.0'), ['mine', 'schema[0].properties[0].mine', 'team[0].comment']);
  sameJson(
    moved(document, 'v3.1.0'),
    root('v3.1.0', { schema: [{ name: 'a', properties: [{ name: 'b' }] }], team: [{ username: 'u' }] }),
  );
});

test('a change is written in the terms of the source version', () => {
  const document = root('v3.0.0', {
    description: 'why',
    mine: 1,
    team: [{ username: 'u', comment: 'c' }],
    customProperties: { k: 'v' },
    schema: [
      {
        name: 'a',
        properties: [
          { name: 'b', logicalType: 'Numeric', mine: 2, quality: [{ rule: 'nullCheck', severity: 'error' }] },
        ],
      },
    ],
  });
  const found = read(document);
  const edited = plain(found.document);
  edited.name = 'named';
  edited.team[0].role = 'owner';
  edited.schema[0].properties[0].quality[0].severity = 'info';
  edited.schema[0].properties.push({ name: 'new', logicalType: 'timestamp' });
  sameJson(exportAsVersion(edited, found, 'v3.0.0').document, {
    ...document,
    name: 'named',
    team: [{ username: 'u', comment: 'c', role: 'owner' }],
    schema: [
      {
        name: 'a',
        properties: [
          { name: 'b', logicalType: 'Numeric', mine: 2, quality: [{ rule: 'nullCheck', severity: 'info' }] },
          { name: 'new', logicalType: 'date' },
        ],
      },
    ],
  });
});

test('edits without a counterpart in the source version are reported', () => {
  const found = read(root('v3.0.2', { mine: 1 }));
  const edited = { ...plain(found.document), slaProperties: [{ property: 'a', value: 1, description: 'd' }] };
  assert.deepEqual(exportAsVersion(edited, found, 'v3.0.2').dropped, ['slaProperties[0].description']);
});

test('reported paths are few, short and of whole characters', () => {
  const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
  const document = root('v3.0.2', { ['\ud800\n\u0000é']: 1, ['k'.repeat(5_000)]: 1, ...members });
  const paths = dropped(document, 'v3.1.0');
  assert.equal(paths.length, 1_000);
  assert.equal(paths[0], '???é');
  assert.ok(paths.every((path) => path.length < 400 && encodeURI(path)));
});

test('top-level rules stay in their own version and belong to the first object in others', () => {
  const document = root('v3.0.2', {
    quality: [{ rule: 'nullCheck', mine: 1 }],
    schema: [{ name: 'a', quality: [{ type: 'text' }] }, { name: 'b' }],
  });
  sameJson(back(document), document);
  const found = read(document);
  const edited = plain(found.document);
  edited.quality[0].severity = 'error';
  sameJson(exportAsVersion(edited, found, 'v3.0.2').document['quality'], [
    { rule: 'nullCheck', mine: 1, severity: 'error' },
  ]);
  const { quality, schema } = moved(document, 'v3.1.0');
  assert.equal(quality, undefined);
  sameJson(schema[0].quality, [{ metric: 'nullValues', mustBe: 0 }, { type: 'text' }]);
});

test('columns without an object stay so in their own version and get an object in others', () => {
  const document = root('v3.0.2', {
    name: 'n',
    schema: [
      { name: 'a', logicalType: 'integer', primaryKey: true, mine: 1 },
      { name: 'b', required: true, items: { logicalType: 'date' } },
    ],
  });
  sameJson(back(document), document);
  sameJson(read(document).document['schema'], document['schema']);
  const found = read(document);
  const edited = plain(found.document);
  edited.schema[0].primaryKey = false;
  sameJson(exportAsVersion(edited, found, 'v3.0.2').document['schema'], [
    { name: 'a', logicalType: 'integer', primaryKey: false, mine: 1 },
    { name: 'b', required: true, items: { logicalType: 'date' } },
  ]);
  sameJson(moved(document, 'v3.1.0').schema, [
    {
      name: 'n',
      logicalType: 'object',
      properties: [
        { name: 'a', logicalType: 'integer', primaryKey: true },
        { name: 'b', required: true, items: { logicalType: 'date' } },
      ],
    },
  ]);
  assert.equal(moved(document, 'v2.2.2').dataset[0].columns[0].isPrimaryKey, true);
});

test('an object without columns stays an object', () => {
  const document = root('v3.1.0', { schema: [{ name: 'orders', physicalName: 'orders.avro', physicalType: 'topic' }] });
  sameJson(moved(document, 'v3.0.2').schema, document['schema']);
});

test('a 3.0 document with members of 3.1.0 is edited in place', () => {
  const document = root('v3.0.0', {
    authoritativeDefinitions: [{ url: 'u', type: 't' }],
    team: { name: 't', members: [{ username: 'u' }] },
    schema: [
      {
        name: 'a',
        id: 'x',
        quality: [{ metric: 'nullValues', mustBe: 0 }],
        relationships: [{ from: 'a.b', to: 'c.d' }],
        properties: [{ name: 'b', id: 'y' }],
      },
    ],
    slaProperties: [{ property: 'latency', value: 4, description: 'd' }],
  });
  sameJson(back(document), document);
  const found = read(document);
  const edited = plain(found.document);
  edited.authoritativeDefinitions[0].type = 'v';
  edited.team.name = 'w';
  edited.team.members.push({ username: 'x' });
  edited.slaProperties[0].description = 'e';
  edited.schema[0].quality.push({ id: 'new', metric: 'rowCount', mustBe: 5 });
  const result = exportAsVersion(edited, found, 'v3.0.0').document;
  sameJson(result, {
    ...document,
    authoritativeDefinitions: [{ url: 'u', type: 'v' }],
    team: { name: 'w', members: [{ username: 'u' }, { username: 'x' }] },
    schema: [
      {
        ...plain(document).schema[0],
        quality: [
          { metric: 'nullValues', mustBe: 0 },
          { id: 'new', rule: 'rowCount', mustBe: 5 },
        ],
      },
    ],
    slaProperties: [{ property: 'latency', value: 4, description: 'e' }],
  });
});

test('a new document is written in any version', () => {
  const document = root('v3.1.0', {
    name: 'n',
    schema: [{ name: 'a', logicalType: 'object', properties: [{ name: 'b', logicalType: 'time' }] }],
  });
  sameJson(exportAsVersion(document, undefined, 'v3.1.0').document, document);
  assert.equal(plain(downgradeDocument(document, 'v3.0.2').document).schema[0].properties[0].logicalType, 'string');
});

test.run();
