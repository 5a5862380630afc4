import * as assert from 'node:assert/strict';
import type { Issue } from '../../../src/contracts/odcs/issues.ts';
import { readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import type { Json } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';
import { back, plain, ROOT, ROOT_2, read, refusal, refusedWith, root, root2, sameJson } from './fixture.ts';

/** Shows that ODCS documents of every version are validated. */

const test = suite('contracts/odcs: parser');

const found = (issues: readonly Issue[], field: string): Issue | undefined =>
  issues.find((issue) => issue.field === field);

test('the version is that of the document, with or without its v', () => {
  for (const version of ['3.2.0', '3.1.0', '3.0.2', '3.0.1', '3.0.0']) {
    assert.equal(read(root(version)).version, `v${version}`);
    assert.equal(read(root(`v${version}`)).version, `v${version}`);
  }
  for (const version of ['2.2.2', '2.2.1', '2.2.0']) {
    assert.equal(read({ ...root2('v2.2.2'), apiVersion: version }).version, `v${version}`);
    assert.equal(read({ ...root2('v2.2.2'), apiVersion: `v${version}` }).version, `v${version}`);
  }
});

test('2.3.0 is read as release 2.2.1', () => {
  assert.equal(read({ ...root2('v2.3.0') }).version, 'v2.2.1');
  assert.equal(read({ ...root2('2.3.0') }).version, 'v2.2.1');
});

test('release 2.2.0 has other version numbers', () => {
  const { apiVersion: _, ...rest } = root2('v2.2.2');
  assert.equal(read({ ...rest, standardVersion: '2.2.0' }).version, 'v2.2.0');
  assert.equal(read({ ...rest, templateName: 'v2.2.0' }).version, 'v2.2.0');
  assert.equal(read({ ...rest, standardVersion: '2.2.1' }).version, 'v2.2.1');
  assert.equal(read({ ...rest, apiVersion: null, standardVersion: '2.2.0' }).version, 'v2.2.0');
});

test('the version of a document without one is detected, or the document is refused', () => {
  const { apiVersion: _, ...rest } = root2('v2.2.2');
  assert.equal(read(rest).version, 'v2.2.2');
  refusedWith(
    'dataset: []',
    'Invalid ODCS content: kind: required field is missing; uuid: required field is missing; version: required field is missing; status: required field is missing',
  );
  refusedWith('id: one', 'Invalid ODCS content: apiVersion: required field is missing');
  refusedWith('{}', 'Invalid ODCS content: apiVersion: required field is missing');
});

test('a document of the former format is refused with its name and how to convert it', () => {
  const after = 'convert it with `datacontract export odcs FILE` of datacontract-cli and import the result';
  const refusedAs = (document: string, name: string) =>
    refusedWith(
      document,
      `Invalid ODCS content: dataContractSpecification: this is a document of ${name}, which is not ODCS: ${after}`,
    );
  refusedAs('dataContractSpecification: 1.2.1\nid: x', 'the Data Contract Specification 1.2.1');
  refusedAs('dataContractSpecification: 1.1', 'the Data Contract Specification 1.1');
  refusedAs('dataContractSpecification: [1]', 'the Data Contract Specification');
  refusedAs(`dataContractSpecification: "${'9'.repeat(500)}"`, `the Data Contract Specification ${'9'.repeat(20)}`);
  assert.equal(read({ ...root2('v2.2.2'), dataContractSpecification: '1.2.1' }).version, 'v2.2.2');
});

test('an unknown version is refused with the list of known ones', () => {
  const list = 'v3.2.0, v3.1.0, v3.0.2, v3.0.1, v3.0.0, v2.2.2, v2.2.1, v2.2.0';
  for (const version of ['v3.3.0', 'v1.0.0', 'vv3.1.0', 'latest', '3.1', '']) {
    refusedWith(`apiVersion: "${version}"`, `Invalid ODCS content: apiVersion: must be one of ${list}`);
  }
  refusedWith('apiVersion: [v3.1.0]', `Invalid ODCS content: apiVersion: must be one of ${list}`);
  refusedWith('apiVersion: 3.1', `Invalid ODCS content: apiVersion: must be one of ${list}`);
  refusedWith('standardVersion: 9.0.0', `Invalid ODCS content: standardVersion: must be one of ${list}`);
});

const without = (document: Readonly<Record<string, Json>>, name: string) => {
  const { [name]: _, ...rest } = document;
  return JSON.stringify(rest);
};

test('each required member must be present and not empty', () => {
  for (const name of ['version', 'kind', 'id', 'status']) {
    refusedWith(without(root('v3.0.2'), name), `Invalid ODCS content: ${name}: required field is missing`);
    refusedWith(
      JSON.stringify({ ...root('v3.0.2'), [name]: null }),
      `Invalid ODCS content: ${name}: required field is missing`,
    );
  }
  for (const name of ['version', 'kind', 'uuid', 'status']) {
    refusedWith(without(root2('v2.2.1'), name), `Invalid ODCS content: ${name}: required field is missing`);
  }
  for (const name of ['version', 'uuid', 'status']) {
    refusedWith(without(root2('v2.2.0'), name), `Invalid ODCS content: ${name}: required field is missing`);
  }
  assert.equal(readOdcs(without(root2('v2.2.0'), 'kind')).version, 'v2.2.0');
});

test('other required members of the 2.2 schemas are optional', () => {
  assert.equal(read(root2('v2.2.2')).version, 'v2.2.2');
});

test('the kind must be known to the version', () => {
  refusedWith(ROOT.replace('DataContract', 'Table'), 'Invalid ODCS content: kind: must be one of DataContract');
  refusedWith(
    ROOT.replace('DataContract', 'managedDataset'),
    'Invalid ODCS content: kind: must be one of DataContract',
  );
  for (const kind of ['DataContract', 'virtualDataset', 'managedDataset']) {
    assert.equal(readOdcs(ROOT_2.replace('DataContract', kind)).source['kind'], kind);
  }
  refusedWith(
    ROOT_2.replace('DataContract', 'Table'),
    'Invalid ODCS content: kind: must be one of DataContract, virtualDataset, managedDataset',
  );
});

test('members of the wrong type are refused with both types', () => {
  const cases: readonly [Readonly<Record<string, Json>>, string][] = [
    [{ name: 5 }, 'name: expected string, got number'],
    [{ tags: { a: 1 } }, 'tags: expected array, got object'],
    [{ tags: ['a', 5] }, 'tags[1]: expected string, got number'],
    [{ description: [] }, 'description: expected object, got array'],
    [{ description: { purpose: true } }, 'description.purpose: expected string, got boolean'],
    [{ schema: {} }, 'schema: expected array, got object'],
    [{ schema: ['a'] }, 'schema[0]: expected object, got string'],
    [{ schema: [null] }, 'schema[0]: expected object, got null'],
    [
      { schema: [{ name: 'a', properties: [{ name: 'b', required: 'yes' }] }] },
      'schema[0].properties[0].required: expected boolean, got string',
    ],
    [
      { schema: [{ name: 'a', properties: [{ name: 'b', primaryKeyPosition: 1.5 }] }] },
      'schema[0].properties[0].primaryKeyPosition: expected integer, got number',
    ],
    [
      { schema: [{ name: 'a', properties: [{ name: 'b', items: { properties: 'c' } }] }] },
      'schema[0].properties[0].items.properties: expected array, got string',
    ],
    [
      { schema: [{ name: 'a', quality: [{ mustBeLessThan: '5' }] }] },
      'schema[0].quality[0].mustBeLessThan: expected number, got string',
    ],
    [
      { schema: [{ name: 'a', quality: [{ arguments: [] }] }] },
      'schema[0].quality[0].arguments: expected object, got array',
    ],
    [{ team: 'me' }, 'team: expected array, got string'],
    [{ team: { members: {} } }, 'team.members: expected array, got object'],
    [{ roles: [{ role: 1 }] }, 'roles[0].role: expected string, got number'],
    [{ roles: [{ role: 'a', firstLevelApprovers: [1] }] }, 'roles[0].firstLevelApprovers: expected string, got array'],
    [{ slaProperties: [{ property: 'a', value: [] }] }, 'slaProperties[0].value: expected scalar, got array'],
    [{ price: { priceAmount: '5' } }, 'price.priceAmount: expected number, got string'],
    [{ servers: [{ server: 'a', type: 5 }] }, 'servers[0].type: expected string, got number'],
    [{ support: 'a' }, 'support: expected array, got string'],
    [{ customProperties: 'a' }, 'customProperties: expected array, got string'],
    [{ quality: {} }, 'quality: expected array, got object'],
  ];
  for (const [members, text] of cases) {
    refusedWith(JSON.stringify(root('v3.1.0', members)), `Invalid ODCS content: ${text}`);
    refusedWith(JSON.stringify(root('v3.0.0', members)), `Invalid ODCS content: ${text}`);
  }
  refusedWith(
    JSON.stringify(root2('v2.2.2', { dataset: [{ table: 'a', columns: [{ column: 'b', isNullable: 'no' }] }] })),
    'Invalid ODCS content: dataset[0].columns[0].isNullable: expected boolean, got string',
  );
  refusedWith(
    JSON.stringify(root2('v2.2.2', { dataset: 'a' })),
    'Invalid ODCS content: dataset: expected array, got string',
  );
});

test('columns and objects have names, unique within an object', () => {
  const schema = (...properties: Json[]) => JSON.stringify(root('v3.1.0', { schema: [{ name: 'a', properties }] }));
  refusedWith(schema({}), 'Invalid ODCS content: schema[0].properties[0].name: required field is missing');
  refusedWith(
    schema({ name: 'b' }, { name: 'c' }, { name: 'b' }),
    'Invalid ODCS content: schema[0].properties[2].name: duplicate property name',
  );
  refusedWith(
    schema({ name: 'b', properties: [{ name: 'c' }, { name: 'c' }] }),
    'Invalid ODCS content: schema[0].properties[0].properties[1].name: duplicate property name',
  );
  refusedWith(
    schema({ name: 'b', items: { properties: [{ name: 'c' }, { name: 'c' }] } }),
    'Invalid ODCS content: schema[0].properties[0].items.properties[1].name: duplicate property name',
  );
  assert.ok(readOdcs(schema({ name: 'b', properties: [{ name: 'b' }] }, { name: 'B' })));
  refusedWith(
    JSON.stringify(root('v3.1.0', { schema: [{}] })),
    'Invalid ODCS content: schema[0].name: required field is missing',
  );
  refusedWith(
    JSON.stringify(
      root2('v2.2.2', { dataset: { tables: [{ table: 'a', columns: [{ column: 'b' }, { column: 'b' }] }] } }),
    ),
    'Invalid ODCS content: dataset.tables[0].columns[1].column: duplicate property name',
  );
});

test('up to twenty problems are reported at once', () => {
  refusedWith(
    'apiVersion: v3.1.0\nkind: Table\nname: 5\ntags: 6',
    'Invalid ODCS content: name: expected string, got number; tags: expected array, got number; id: required field is missing; version: required field is missing; status: required field is missing; kind: must be one of DataContract',
  );
  const message = refusal(JSON.stringify(root('v3.1.0', { tags: Array.from({ length: 1000 }, () => 5) })));
  assert.equal(message.split('; ').length, 20);
  assert.match(message, /tags\[19\]: expected string, got number$/);
});

test('a document has at most 1 000 objects of 20 000 columns', () => {
  const objects = (count: number) =>
    JSON.stringify(root('v3.1.0', { schema: Array.from({ length: count }, (_, index) => ({ name: `o${index}` })) }));
  assert.equal(plain(readOdcs(objects(1_000)).document).schema.length, 1_000);
  refusedWith(objects(1_001), 'Invalid ODCS content: schema: more than 1000 objects');
  const columns = (count: number) =>
    JSON.stringify(
      root('v3.1.0', {
        schema: [
          {
            name: 'o',
            properties: [
              { name: 'c', properties: Array.from({ length: count - 1 }, (_, index) => ({ name: `c${index}` })) },
            ],
          },
        ],
      }),
    );
  assert.ok(readOdcs(columns(20_000)));
  refusedWith(columns(20_001), 'Invalid ODCS content: schema[0]: more than 20000 columns');
});

test('alternative spellings are read as the standard ones and restored unchanged', () => {
  const cases: readonly [string, Json, Json][] = [
    ['description', 'why', { purpose: 'why' }],
    ['tags', 'one', ['one']],
    [
      'customProperties',
      { b: 1, a: { c: 2 } },
      [
        { property: 'b', value: 1 },
        { property: 'a', value: { c: 2 } },
      ],
    ],
    [
      'roles',
      [{ role: 'a', firstLevelApprovers: ['x', 'y'], secondLevelApprovers: ['z'] }],
      [{ role: 'a', firstLevelApprovers: 'x, y', secondLevelApprovers: 'z' }],
    ],
    ['team', { name: 't', members: [{ username: 'u' }] }, { name: 't', members: [{ username: 'u' }] }],
    [
      'schema',
      [{ name: 'a', tags: 't', customProperties: { k: 'v' }, properties: [{ name: 'b', tags: 't' }] }],
      [
        {
          name: 'a',
          tags: ['t'],
          customProperties: [{ property: 'k', value: 'v' }],
          properties: [{ name: 'b', tags: ['t'] }],
        },
      ],
    ],
    ['quality', [{ type: 'text', description: 'd' }], [{ type: 'text', description: 'd' }]],
    ['slaProperties', [{ property: 'latency', value: '4' }], [{ property: 'latency', value: '4' }]],
  ];
  for (const [name, written, expected] of cases) {
    const document = root('v3.1.0', { [name]: written });
    sameJson(read(document).document[name], expected, name);
    sameJson(back(document), document, name);
  }
});

test('each tolerated spelling adds an information and no warning', () => {
  const { issues } = read(root('v3.1.0', { description: 'why', tags: 'one', customProperties: { a: 1 } }));
  assert.deepEqual(
    issues.map(({ severity, field, path }) => [severity, field, path]),
    [
      ['info', 'description', 'description'],
      ['info', 'tags', 'tags'],
      ['info', 'customProperties', 'customProperties'],
    ],
  );
});

test('a member without a value is absent', () => {
  const document = root('v3.0.2', {
    name: null,
    tags: null,
    schema: [{ name: 'a', description: null, properties: null }],
  });
  const { document: upgraded } = read(document);
  sameJson(upgraded, root('v3.2.0', { schema: [{ name: 'a' }] }));
  sameJson(back(document), document);
});

test('null is allowed where any value is', () => {
  const members = {
    customProperties: [{ property: 'a', value: null }],
    schema: [{ name: 'a', quality: [{ metric: 'nullValues', mustBe: null }] }],
  };
  sameJson(read(root('v3.1.0', members)).document, root('v3.2.0', members));
});

test('unknown members stay where they are, with a warning', () => {
  const document = root('v3.1.0', {
    mine: { a: [1] },
    schema: [
      {
        name: 'a',
        mine: 1,
        properties: [
          { name: 'b', mine: 2 },
          { name: 'c', mine: 3 },
        ],
        quality: [{ type: 'text', mine: 4 }],
      },
    ],
    team: [{ username: 'u', mine: 5 }],
    slaProperties: [{ property: 'a', value: 1, mine: 6 }],
  });
  const { issues, document: upgraded } = read(document);
  sameJson(upgraded, { ...document, apiVersion: 'v3.2.0' });
  sameJson(back(document), document);
  assert.deepEqual(
    issues.map(({ severity, category, path, occurrences }) => [severity, category, path, occurrences]),
    [
      ['warning', 'other', 'mine', 1],
      ['warning', 'schema', 'schema[0].mine', 3],
      ['warning', 'quality', 'schema[0].quality[0].mine', 1],
      ['warning', 'team', 'team[0].mine', 1],
      ['warning', 'sla', 'slaProperties[0].mine', 1],
    ],
  );
});

test('unknown terms stay, with a warning at their place', () => {
  const schema = [
    {
      name: 'a',
      properties: [
        { name: 'b', logicalType: 'Money' },
        { name: 'c', logicalType: 'STRING' },
      ],
      quality: [{ type: 'magic', dimension: 'validity' }],
    },
  ];
  const { issues, document } = read(root('v3.1.0', { schema }));
  assert.equal(plain(document).schema[0].properties[0].logicalType, 'Money');
  assert.equal(found(issues, 'logicalType')?.path, 'schema[0].properties[0].logicalType');
  assert.equal(found(issues, 'logicalType')?.occurrences, 1);
  assert.equal(found(issues, 'type')?.path, 'schema[0].quality[0].type');
  assert.equal(found(issues, 'dimension')?.severity, 'warning');
});

test('the metric of a rule is known or causes a warning', () => {
  const quality = [
    { metric: 'nullValues' },
    { rule: 'nullCheck' },
    { metric: 'uniqueValues' },
    { metric: 'magic' },
    { rule: 'minCheck' },
  ];
  const { issues } = read(root('v3.1.0', { schema: [{ name: 'a', quality }] }));
  assert.deepEqual(
    issues.map(({ severity, path }) => [severity, path]),
    [
      ['warning', 'schema[0].quality[3].metric'],
      ['warning', 'schema[0].quality[4].rule'],
    ],
  );
  const columns = [
    { column: 'c', logicalType: 'Numeric' },
    { column: 'd', logicalType: 'Money' },
  ];
  const older = read(root2('v2.2.2', { dataset: [{ table: 'a', columns }] })).issues;
  assert.deepEqual(
    older.map(({ severity, path }) => [severity, path]),
    [['warning', 'dataset[0].columns[1].logicalType']],
  );
});

test('members of 3.1.0 are read in every 3.x document', () => {
  const members = {
    team: { name: 't', members: [] },
    schema: [
      {
        name: 'a',
        id: 'x',
        relationships: [{ from: 'a.b', to: 'c.d' }],
        quality: [{ id: 'q', metric: 'nullValues', mustBe: 0 }],
      },
    ],
  };
  for (const version of ['v3.0.0', 'v3.0.1', 'v3.0.2']) {
    const document = root(version, members);
    const found = read(document);
    sameJson(found.document, root('v3.2.0', members));
    assert.deepEqual(found.issues, []);
    sameJson(back(document), document);
  }
});

test('secrets of 2.x documents are not stored', () => {
  for (const version of ['v2.2.0', 'v2.2.1', 'v2.2.2']) {
    const found = read(root2(version, { username: 'sa', password: 'sesame', server: 'localhost' }));
    assert.doesNotMatch(JSON.stringify(found), /sesame|"sa"/);
    assert.deepEqual(
      found.issues.map(({ severity, category, path }) => [severity, category, path]),
      [
        ['warning', 'servers', 'username'],
        ['warning', 'servers', 'password'],
      ],
    );
    sameJson(back(root2(version, { username: 'sa', password: 'sesame' })), root2(version));
  }
});

test('messages quote little of a hostile document', () => {
  const long = 'k'.repeat(500_000);
  assert.ok(refusal(`{"apiVersion":"v3.1.0","${long}":1,"tags":5}`).length < 500);
  assert.ok(refusal(`{"${long}":1,"${long}":1}`).length < 500);
  const { issues } = read(root('v3.1.0', { [long]: 1 }));
  assert.ok(JSON.stringify(issues).length < 1_000);
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`x${index}`, 1]));
  assert.equal(read(root('v3.1.0', many)).issues.length, 1_000);
});

test.run();
