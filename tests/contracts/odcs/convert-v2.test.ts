import * as assert from 'node:assert/strict';
import { downgradeDocument, exportAsVersion } from '../../../src/contracts/odcs/versions/convert.ts';
import type { OdcsVersion } from '../../../src/contracts/odcs/versions/version.ts';
import type { Json, JsonObject } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { back, moved, plain, read, root, root2, sameJson } from './fixture.ts';

/** Shows that documents of ODCS 2.x are converted. */

const test = suite('contracts/odcs: versions 2.x');

const ALL: readonly OdcsVersion[] = ['v2.2.0', 'v2.2.1', 'v2.2.2'];

/** The 3.1.0 shape of a document of 2.2.2 with these members. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members that the compiler knows nothing of.
const shape = (members: Readonly<Record<string, Json>>, version = 'v2.2.2'): any =>
  plain(read(root2(version, members)).document);

const columnShape = (column: Readonly<Record<string, Json>>): JsonObject =>
  shape({ dataset: [{ table: 'a', columns: [{ column: 'c', ...column }] }] }).schema[0].properties[0];

/** What a document of 3.1.0 with these members is in a version of 2.2. */
// biome-ignore lint/suspicious/noExplicitAny: tests read members that the compiler knows nothing of.
const written = (members: Readonly<Record<string, Json>>, version: OdcsVersion = 'v2.2.2'): any =>
  moved(root('v3.1.0', members), version);

const columnWritten = (property: Readonly<Record<string, Json>>, version: OdcsVersion = 'v2.2.2'): JsonObject =>
  written({ schema: [{ name: 'a', properties: [{ name: 'c', ...property }] }] }, version).dataset[0].columns[0];

test('top-level members are renamed', () => {
  const members = {
    datasetDomain: 'd',
    quantumName: 'q',
    tenant: 't',
    tags: ['a'],
    status: 'Development',
    description: { purpose: 'p' },
    contractCreatedTs: '2022-11-15 02:59:43',
    slaDefaultColumn: 'a.b',
    customProperties: [{ property: 'x', value: [1] }],
  };
  sameJson(shape({ ...members, dataset: [] }), {
    apiVersion: 'v3.2.0',
    kind: 'DataContract',
    id: 'one',
    version: '1.0.0',
    status: 'Development',
    domain: 'd',
    dataProduct: 'q',
    tenant: 't',
    tags: ['a'],
    description: { purpose: 'p' },
    contractCreatedTs: '2022-11-15 02:59:43',
    slaDefaultElement: 'a.b',
    schema: [],
    customProperties: [{ property: 'x', value: [1] }],
  });
  assert.equal(moved(root2('v2.2.2', members), 'v3.1.0').contractCreatedTs, '2022-11-15T02:59:43Z');
});

test('2.x has no contract name', () => {
  assert.equal(shape({ quantumName: 'q' }).name, undefined);
});

test('the kind is restored unchanged', () => {
  for (const kind of ['virtualDataset', 'managedDataset']) {
    assert.equal(shape({ kind }).kind, 'DataContract');
    assert.equal(back(root2('v2.2.1', { kind })).kind, kind);
  }
});

test('tables become objects', () => {
  const table = {
    table: 't',
    physicalName: 'p',
    priorTableName: 'o',
    description: 'd',
    authoritativeDefinitions: [{ url: 'u', type: 't' }],
    tags: ['x'],
    dataGranularity: 'g',
    columns: [],
  };
  const object = {
    name: 't',
    logicalType: 'object',
    physicalName: 'p',
    description: 'd',
    authoritativeDefinitions: [{ url: 'u', type: 't' }],
    tags: ['x'],
    dataGranularityDescription: 'g',
    properties: [],
    customProperties: [{ property: 'priorTableName', value: 'o' }],
    physicalType: 'table',
  };
  sameJson(shape({ dataset: [table] }).schema, [object]);
  sameJson(shape({ dataset: { tables: [table] } }).schema, [object]);
  sameJson(written({ schema: [object] }).dataset, [table]);
  sameJson(shape({ dataset: [{ ...table, description: ['a', 'b'] }] }).schema[0].description, 'a\nb');
  sameJson(written({ schema: [{ ...object, description: 'a\nb' }] }, 'v2.2.1').dataset[0].description, ['a', 'b']);
});

test('columns become properties', () => {
  const column = {
    businessName: 'b',
    logicalType: 'Numeric',
    physicalType: 'int4',
    description: 'd',
    classification: 'c',
    transformLogic: 'l',
    transformDescription: 'e',
    tags: ['x'],
    primaryKeyPosition: 1,
    partitionKeyPosition: 2,
    authoritativeDefinitions: [{ url: 'u', type: 't' }],
  };
  const renamed = {
    encryptedColumnName: 'x',
    transformSourceTables: ['s'],
    sampleValues: ['v'],
    criticalDataElementStatus: true,
    isPrimaryKey: true,
    isUnique: true,
    partitionStatus: false,
    clusterStatus: true,
    clusterKeyPosition: 3,
  };
  const property = {
    name: 'c',
    ...column,
    encryptedName: 'x',
    transformSourceObjects: ['s'],
    examples: ['v'],
    criticalDataElement: true,
    primaryKey: true,
    unique: true,
    partitioned: false,
    customProperties: [
      { property: 'clusterStatus', value: true },
      { property: 'clusterKeyPosition', value: 3 },
    ],
  };
  sameJson(columnShape({ ...column, ...renamed }), property);
  sameJson(columnWritten(property), { column: 'c', ...column, ...renamed });
});

test('nullable is the opposite of required, and restored only if it was present', () => {
  assert.equal(columnShape({ isNullable: true })['required'], false);
  assert.equal(columnShape({ isNullable: false })['required'], true);
  assert.equal(columnShape({ nullable: false })['required'], true);
  assert.equal(columnShape({})['required'], undefined);
  assert.equal(columnWritten({ required: true })['isNullable'], false);
  assert.equal(columnWritten({})['isNullable'], undefined);
});

test('every spelling of a key is read', () => {
  assert.equal(columnShape({ isPrimary: true })['primaryKey'], true);
  assert.equal(columnShape({ primary: true })['primaryKey'], true);
  assert.equal(columnShape({ isPrimaryKey: 'true' })['primaryKey'], true);
  assert.equal(columnShape({ isPrimaryKey: 'False', isPrimary: true })['primaryKey'], false);
  assert.equal(columnWritten({ primaryKey: true }, 'v2.2.1')['isPrimaryKey'], 'true');
  assert.equal(columnWritten({ primaryKey: true }, 'v2.2.2')['isPrimaryKey'], true);
});

test('2.2.0 has neither uniqueness nor positions', () => {
  const property = {
    unique: true,
    primaryKey: true,
    primaryKeyPosition: 1,
    partitionKeyPosition: 1,
    customProperties: [{ property: 'clusterKeyPosition', value: 1 }],
  };
  sameJson(columnWritten(property, 'v2.2.0'), {
    column: 'c',
    isPrimaryKey: true,
    logicalType: 'string',
    physicalType: 'string',
  });
  const found = written({}, 'v2.2.0');
  assert.equal(found.standardVersion, '2.2.0');
  assert.equal(found.apiVersion, undefined);
});

test('both types are always written', () => {
  sameJson(columnWritten({}), { column: 'c', logicalType: 'string', physicalType: 'string' });
  sameJson(columnWritten({ logicalType: 'date' }), { column: 'c', logicalType: 'date', physicalType: 'date' });
});

test('nested columns follow their parent', () => {
  const { columns } = written({
    schema: [
      {
        name: 'a',
        properties: [
          { name: 'b', logicalType: 'object', properties: [{ name: 'c', properties: [{ name: 'd' }] }, { name: 'e' }] },
          { name: 'f', items: { logicalType: 'object', properties: [{ name: 'g', logicalType: 'date' }] } },
          { name: 'h' },
        ],
      },
    ],
  }).dataset[0];
  assert.deepEqual(
    columns.map(({ column, logicalType }: { column: string; logicalType: string }) => [column, logicalType]),
    [
      ['b', 'object'],
      ['b.c', 'object'],
      ['b.c.d', 'string'],
      ['b.e', 'string'],
      ['f', 'array'],
      ['f.g', 'date'],
      ['h', 'string'],
    ],
  );
});

test('stakeholders become the team', () => {
  const stakeholders = [
    {
      username: 'u',
      role: 'Owner',
      dateIn: '2022-01-01',
      dateOut: '2023-01-01',
      replacedByUsername: 'v',
      comment: 'c',
    },
  ];
  const team = [
    {
      username: 'u',
      role: 'Owner',
      dateIn: '2022-01-01',
      dateOut: '2023-01-01',
      replacedByUsername: 'v',
      description: 'c',
    },
  ];
  sameJson(shape({ stakeholders }).team, team);
  sameJson(written({ team }).stakeholders, stakeholders);
  sameJson(written({ team: { name: 't', members: team } }).stakeholders, stakeholders);
});

test('roles have an access', () => {
  sameJson(written({ roles: [{ role: 'r' }] }).roles, [{ access: 'read', role: 'r' }]);
  sameJson(shape({ roles: [{ role: 'r', access: 'write', firstLevelApprovers: ['a', 'b'] }] }).roles, [
    { role: 'r', access: 'write', firstLevelApprovers: 'a, b' },
  ]);
});

test('service levels name columns', () => {
  const slaProperties = [{ property: 'latency', value: 4, valueExt: 5, unit: 'd', column: 'a.b', driver: 'x' }];
  const expected = [{ property: 'latency', value: 4, valueExt: 5, unit: 'd', driver: 'x', element: 'a.b' }];
  sameJson(shape({ slaProperties }).slaProperties, expected);
  sameJson(written({ slaProperties: expected }).slaProperties, slaProperties);
  sameJson(written({ slaProperties: expected }, 'v2.2.1').slaProperties[0].value, '4');
  sameJson(
    written({
      slaProperties: [
        { property: 'a', value: true },
        { property: 'b', value: null },
      ],
    }).slaProperties,
    [{ property: 'a', value: 'true' }],
  );
});

test('the price is a text in 2.2.1 only', () => {
  assert.equal(shape({ price: { priceAmount: '9.95' } }, 'v2.2.1').price.priceAmount, 9.95);
  assert.equal(written({ price: { priceAmount: 9.95 } }, 'v2.2.1').price.priceAmount, '9.95');
  assert.equal(written({ price: { priceAmount: 9.95 } }, 'v2.2.2').price.priceAmount, 9.95);
  assert.equal(back(root2('v2.2.1', { price: { priceAmount: '9.950' } })).price.priceAmount, '9.950');
});

test('channels become support', () => {
  const members = { productSlackChannel: '#a', productFeedbackUrl: 'https://b', productDl: 'c@d' };
  const support = [
    { channel: '#a', tool: 'slack' },
    { channel: 'feedback', tool: 'other', url: 'https://b' },
    { channel: 'c@d', tool: 'email' },
  ];
  sameJson(shape(members).support, support);
  const { productSlackChannel, productFeedbackUrl, productDl, customProperties } = written({ support });
  sameJson({ productSlackChannel, productFeedbackUrl, productDl }, members);
  assert.equal(customProperties, undefined);
  sameJson(shape({ productSlackChannel: null, productDl: 'c@d' }).support, [{ channel: 'c@d', tool: 'email' }]);
});

test('channels without a counterpart in 2.x are stored as custom properties', () => {
  const support = [
    { channel: 'a', tool: 'teams', scope: 'issues' },
    { channel: '#b', tool: 'slack' },
  ];
  const found = written({ support });
  assert.equal(found.productSlackChannel, '#b');
  sameJson(plain(read(found).document).support, support);
});

test('the location of the data becomes a server', () => {
  const members = {
    server: 'h:5',
    driver: 'd',
    driverVersion: '1',
    database: 'b',
    datasetName: 'n',
    sourceSystem: 'House',
    sourcePlatform: 'p',
    project: 'j',
  };
  sameJson(shape(members).servers, [
    {
      server: 'default',
      type: 'custom',
      database: 'b',
      dataset: 'n',
      host: 'h:5',
      project: 'j',
      customProperties: [
        { property: 'driver', value: 'd' },
        { property: 'driverVersion', value: '1' },
        { property: 'sourceSystem', value: 'House' },
        { property: 'sourcePlatform', value: 'p' },
      ],
    },
  ]);
  sameJson(shape({ sourceSystem: 'bigQuery', datasetProject: 'j', datasetName: 'n' }).servers, [
    {
      server: 'default',
      type: 'bigquery',
      project: 'j',
      dataset: 'n',
      customProperties: [{ property: 'sourceSystem', value: 'bigQuery' }],
    },
  ]);
  assert.equal(shape({}).servers, undefined);
  const again = moved(moved(root2('v2.2.2', members), 'v3.1.0'), 'v2.2.2');
  for (const [name, value] of Object.entries(members)) assert.equal(again[name], value, name);
  assert.equal(again.customProperties, undefined);
});

test('servers without a counterpart in 2.x are stored as custom properties', () => {
  const servers = [
    { server: 'one', type: 'postgres', host: 'h', port: 1, database: 'd', schema: 's' },
    { server: 'two', type: 'kafka', host: 'k' },
  ];
  const found = written({ servers });
  assert.equal(found.server, 'h');
  assert.equal(found.sourceSystem, 'postgres');
  sameJson(plain(read(found).document).servers, servers);
});

test('top-level members without a counterpart in 3.x become custom properties', () => {
  const members = {
    type: 'tables',
    userConsumptionMode: 'a',
    datasetKind: 'b',
    schedulerAppName: 'c',
    systemInstance: 'd',
  };
  sameJson(
    shape(members).customProperties,
    Object.entries(members).map(([property, value]) => ({ property, value })),
  );
  const again = moved(moved(root2('v2.2.2', members), 'v3.1.0'), 'v2.2.2');
  for (const [name, value] of Object.entries(members)) assert.equal(again[name], value, name);
});

const ruleShape = (rule: Readonly<Record<string, Json>>): JsonObject =>
  shape({ dataset: [{ table: 'a', quality: [rule] }] }).schema[0].quality[0];
const ruleWritten = (rule: Readonly<Record<string, Json>>): JsonObject =>
  written({ schema: [{ name: 'a', quality: [rule] }] }).dataset[0].quality[0];

test('rules contain a tool and a template', () => {
  sameJson(ruleShape({ templateName: 'RangeCheck', toolName: 'Elevate' }), {
    type: 'custom',
    engine: 'Elevate',
    implementation: 'RangeCheck',
    customProperties: [{ property: 'templateName', value: 'RangeCheck' }],
  });
  sameJson(
    ruleShape({
      code: 'x',
      templateName: 'RangeCheck',
      toolName: 'Elevate',
      toolRuleName: 'R',
      column: 'c',
      columns: 'c, d',
      type: 'reconciliation',
      description: 'd',
      dimension: 'accuracy',
      severity: 's',
      businessImpact: 'b',
      scheduleCronExpression: '0 * * * *',
      customProperties: [{ property: 'p', value: {} }],
    }),
    {
      type: 'custom',
      engine: 'Elevate',
      implementation: 'R',
      description: 'd',
      dimension: 'accuracy',
      severity: 's',
      businessImpact: 'b',
      schedule: '0 * * * *',
      scheduler: 'cron',
      method: 'reconciliation',
      customProperties: [
        { property: 'code', value: 'x' },
        { property: 'templateName', value: 'RangeCheck' },
        { property: 'column', value: 'c' },
        { property: 'columns', value: 'c, d' },
        { property: 'p', value: {} },
      ],
    },
  );
  assert.equal(ruleShape({ templateName: 'NullCheck', toolName: 'Elevate' })['metric'], 'nullValues');
  assert.equal(ruleShape({ templateName: 'CountCheck', toolName: 'Elevate' })['type'], 'custom');
  const bounded = ruleShape({
    templateName: 'CountCheck',
    toolName: 'Elevate',
    customProperties: [
      { property: 'min', value: 1 },
      { property: 'max', value: 5 },
    ],
  });
  sameJson([bounded['metric'], bounded['mustBeBetween']], ['rowCount', [1, 5]]);
});

test('rules of 3.x are written with a tool and a template in 2.x and read back unchanged', () => {
  for (const rule of [
    { metric: 'nullValues', mustBe: 0, name: 'n', description: 'd' },
    { metric: 'rowCount', type: 'library', mustBeBetween: [1, 5], unit: 'rows' },
    { type: 'sql', query: 'select 1', mustBe: 0, tags: ['t'] },
    {
      type: 'custom',
      engine: 'soda',
      implementation: { a: [1] },
      customProperties: [
        { property: 'p', value: 1 },
        { property: 'q', value: {} },
      ],
    },
    { type: 'text', description: 'd', severity: 's' },
  ] as JsonObject[]) {
    const found = ruleWritten(rule);
    assert.equal(typeof found['templateName'], 'string');
    assert.equal(typeof found['toolName'], 'string');
    const again = shape({ dataset: [{ table: 'a', quality: [found] }] }).schema[0].quality[0];
    const sorted = (value: JsonObject) => JSON.stringify(Object.entries(plain(value)).sort());
    assert.equal(sorted({ ...again, customProperties: null }), sorted({ ...rule, customProperties: null }));
    const properties = (value: JsonObject) =>
      (plain(value)['customProperties'] ?? []).map((entry: Json) => JSON.stringify(entry)).sort();
    assert.deepEqual(properties(again), properties(rule));
  }
  assert.equal(ruleWritten({ metric: 'nullValues', mustBe: 0 })['templateName'], 'NullCheck');
});

test('foreign custom properties stay custom properties', () => {
  const customProperties = [
    { property: 'odcsServers', value: [5] },
    { property: 'odcsSupport', value: [{ channel: {} }] },
  ];
  const found = shape({ customProperties, productSlackChannel: '#a', database: 'd' });
  sameJson(found.customProperties, customProperties);
  assert.equal(found.support.length, 1);
  assert.equal(found.servers.length, 1);
  const rule = ruleShape({
    templateName: 'T',
    toolName: 'E',
    customProperties: [{ property: 'odcsRule', value: { metric: 5 } }],
  });
  assert.equal(rule['type'], 'custom');
});

test('members required by 2.x are always written', () => {
  const found = written({ name: 'n' });
  sameJson(
    [found.kind, found.type, found.uuid, found.dataset, found.quantumName],
    ['DataContract', 'tables', 'one', [], 'n'],
  );
  assert.equal(typeof found.datasetName, 'string');
  assert.equal(written({ name: 'n', dataProduct: 'p' }).quantumName, 'p');
  assert.equal(plain(read(written({ name: 'n', dataProduct: 'p' })).document).name, 'n');
  assert.equal(written({ servers: [{ server: 's', type: 'postgres', schema: 'public' }] }).datasetName, 'public');
});

test('objects keep members without a counterpart in 2.x', () => {
  const object = {
    name: 'a',
    logicalType: 'object',
    businessName: 'B',
    relationships: [{ from: 'a.b', to: 'c.d' }],
    physicalType: 'topic',
  };
  const found = plain(read(written({ schema: [object] })).document);
  sameJson(found.schema, [object]);
});

test('3.x members in a 2.x document are unknown members', () => {
  const members = {
    name: 5,
    servers: 'x',
    team: 3,
    schema: 'y',
    id: {},
    dataset: [{ table: 'a', name: 7, properties: 3, columns: [{ column: 'c', required: 'x', items: 1 }] }],
  };
  const document = root2('v2.2.2', members);
  const inner = root2('v2.2.2', {
    customProperties: [{ property: 'p', id: 5 }],
    description: { customProperties: 5 },
    slaProperties: [{ property: 'a', value: 1, id: true }],
  });
  sameJson(back(inner), inner);
  sameJson(plain(read(inner).document).customProperties, [{ property: 'p' }]);
  const found = read(document);
  const { name, servers, team, schema, id } = plain(found.document);
  sameJson(
    [name, servers, team, id, schema.length, schema[0].name, schema[0].properties],
    [undefined, undefined, undefined, 'one', 1, 'a', [{ name: 'c' }]],
  );
  sameJson(back(document), document);
});

test('every document is restored unchanged in its own version', () => {
  const document = {
    description: null,
    mine: { a: 1 },
    productSlackChannel: null,
    price: { priceAmount: '9.950' },
    quantumName: 'q',
    dataset: {
      tables: [
        {
          table: 'a',
          description: ['x', 'y'],
          mine: 1,
          tags: null,
          columns: [
            {
              column: 'c',
              isPrimary: true,
              nullable: 'TRUE',
              logicalType: 'Numeric',
              classification: null,
              mine: 2,
              quality: [{ templateName: 'NullCheck', toolName: 'E', mine: 3 }],
            },
          ],
        },
      ],
    },
    stakeholders: [{ username: 'u', comment: null, mine: 4 }],
  };
  for (const version of ALL) sameJson(back(root2(version, document)), root2(version, document));
});

test('a change is written in the terms of the source version', () => {
  const document = root2('v2.2.1', {
    kind: 'managedDataset',
    price: { priceAmount: '9.950', priceUnit: 'x' },
    sourceSystem: 'House',
    dataset: {
      tables: [
        {
          table: 'a',
          mine: 1,
          columns: [{ column: 'c', isPrimary: 'false', nullable: false, logicalType: 'Numeric', physicalType: 'int4' }],
        },
      ],
    },
    stakeholders: [{ username: 'u', comment: 'c', mine: 2 }],
  });
  const found = read(document);
  const edited = plain(found.document);
  edited.team[0].role = 'owner';
  edited.price.priceUnit = 'y';
  edited.schema[0].properties[0].required = false;
  edited.schema[0].properties[0].primaryKey = true;
  edited.schema[0].properties.push({ name: 'd', logicalType: 'timestamp', physicalType: 'timestamp' });
  edited.servers[0].customProperties[0].value = 'Palace';
  sameJson(exportAsVersion(edited, found, 'v2.2.1').document, {
    ...document,
    price: { priceAmount: '9.950', priceUnit: 'y' },
    sourceSystem: 'Palace',
    dataset: {
      tables: [
        {
          table: 'a',
          mine: 1,
          columns: [
            { column: 'c', isPrimary: 'true', nullable: true, logicalType: 'Numeric', physicalType: 'int4' },
            { column: 'd', logicalType: 'timestamp', physicalType: 'timestamp' },
          ],
        },
      ],
    },
    stakeholders: [{ username: 'u', comment: 'c', mine: 2, role: 'owner' }],
  });
});

test('lost members of 2.x are reported', () => {
  const document = root('v3.1.0', {
    mine: 1,
    description: { purpose: 'p', customProperties: [] },
    team: { name: 't', members: [{ username: 'u', tags: [] }] },
    schema: [{ name: 'a', id: 'x', properties: [{ name: 'b', physicalName: 'B', relationships: [] }] }],
    roles: [{ role: 'r', customProperties: [] }],
    slaProperties: [{ property: 'a', value: 1, schedule: 's' }],
    price: { id: 'x' },
  });
  assert.deepEqual([...downgradeDocument(document, 'v2.2.2').dropped].sort(), [
    'description.customProperties',
    'mine',
    'price.id',
    'roles[0].customProperties',
    'schema[0].id',
    'schema[0].properties[0].physicalName',
    'schema[0].properties[0].relationships',
    'slaProperties[0].schedule',
    'team.members[0].tags',
    'team.name',
  ]);
});

test.run();
