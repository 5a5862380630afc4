import * as assert from 'uvu/assert';
import {
  mergeImportedContract,
  mergeSourceDocuments,
  selectKeptExpectations,
} from '../../../src/contracts/odcs/import.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { document, edited, exported, imported, ordersTable, withProperties } from '../../support/odcs-mapping.ts';
import { suite } from '../../support/suite.ts';

/** Shows that an import merges with or replaces the stored contract. */

const test = suite('contracts/odcs: merge');

const existing: JsonObject = {
  id: 'contract-id',
  name: 'kept',
  displayName: 'Kept',
  description: 'kept',
  entityStatus: 'In Review',
  schema: [{ name: 'amount', dataType: 'INT' }],
  sla: { retention: { period: 1, unit: 'day' }, maxLatency: { value: 1, unit: 'hour' } },
  security: { dataClassification: 'kept' },
  owners: [{ id: 'user-bob', type: 'user', name: 'bob' }],
  reviewers: [{ id: 'user-bob', type: 'user', name: 'bob' }],
  extension: { a: 1, b: 1 },
  semantics: [{ name: 's', description: 'd', rule: '{}', enabled: true }],
  termsOfUse: { content: 'kept' },
  effectiveFrom: '2026-01-01T00:00:00Z',
  effectiveUntil: '2027-01-01T00:00:00Z',
  sourceUrl: 'https://kept.example',
  odcsQualityRules: [{ metric: 'rowCount', mustBe: 1 }],
  odcsElementExtensions: [
    { element: 'id', transformSourceObjects: ['kept'] },
    { element: 'amount', transformSourceObjects: ['kept'] },
  ],
  qualityExpectations: [{ id: 't', type: 'testCase', fullyQualifiedName: 'shop.pg.public.orders.mine' }],
};

const full: JsonObject = {
  ...withProperties([{ name: 'id', logicalType: 'integer', transformSourceObjects: ['new'] }], {
    quality: [{ metric: 'rowCount', mustBe: 2 }],
  }),
  name: 'new',
  description: { purpose: 'new' },
  slaProperties: [{ property: 'retention', value: 2, unit: 'd' }],
  roles: [{ role: 'new' }],
  team: [
    { username: 'ada', role: 'owner' },
    { username: 'ada', role: 'reviewer' },
  ],
  customProperties: [
    { property: 'b', value: 2 },
    { property: 'openMetadataContract', value: JSON.stringify({ displayName: 'New', termsOfUse: 'new' }) },
  ],
};

const ada = [{ id: 'user-ada', type: 'user' }];
const into = (source: JsonObject, mode: 'merge' | 'replace', record = existing) =>
  mergeImportedContract(record, imported(source), mode);

test('merge takes what the document contains and keeps the rest', () => {
  assert.equal(into(full, 'merge'), {
    ...withoutServerSet(existing),
    displayName: 'New',
    description: 'new',
    entityStatus: 'Approved',
    schema: [{ name: 'id', dataType: 'INT' }],
    sla: { retention: { period: 2, unit: 'day' }, maxLatency: { value: 1, unit: 'hour' } },
    security: { policies: [{ accessPolicy: 'new' }] },
    owners: ada,
    reviewers: ada,
    extension: { a: 1, b: 2 },
    termsOfUse: 'new',
    odcsQualityRules: [{ metric: 'rowCount', mustBe: 2 }],
    odcsElementExtensions: [
      { element: 'id', transformSourceObjects: ['new'] },
      { element: 'amount', transformSourceObjects: ['kept'] },
    ],
  });
});

const withoutServerSet = ({ id: _id, ...rest }: JsonObject): JsonObject => rest;

test('merge of an empty document changes nothing', () => {
  assert.equal(into(document({ status: 'draft' }), 'merge'), withoutServerSet(existing));
  const empty = {
    status: 'draft',
    roles: [],
    slaProperties: [],
    customProperties: [],
    team: [],
    description: {},
    schema: [],
  };
  assert.equal(into(document(empty), 'merge'), withoutServerSet(existing));
});

test('merge of a draft does not revert an approved status', () => {
  const rows: readonly (readonly [string, string, string])[] = [
    ['In Review', 'draft', 'In Review'],
    ['Rejected', 'proposed', 'Rejected'],
    ['Unprocessed', 'test', 'Unprocessed'],
    ['Approved', 'draft', 'Draft'],
    ['Deprecated', 'draft', 'Draft'],
    ['Archived', 'active', 'Approved'],
    ['In Review', 'active', 'Approved'],
  ];
  for (const [entityStatus, status, expected] of rows) {
    const merged = into(document({ status }), 'merge', { ...existing, entityStatus });
    assert.is(merged['entityStatus'], expected, `${entityStatus} ${status}`);
    const replaced = into(document({ status }), 'replace', { ...existing, entityStatus });
    assert.is(replaced['entityStatus'], imported(document({ status })).contract['entityStatus']);
  }
});

test('merge of the same document changes nothing', () => {
  const { contract } = imported(full);
  assert.equal(into(full, 'merge', contract), contract);
});

test('replace takes the document and keeps only the name', () => {
  assert.equal(into(document(), 'replace'), { name: 'kept', entityStatus: 'Approved' });
  assert.equal(into(full, 'replace'), { ...imported(full).contract, name: 'kept' });
});

test('inherited owners are not stored by a merge', () => {
  const owners = [{ id: 'user-bob', type: 'user', name: 'bob', inherited: true }];
  assert.is(into(document(), 'merge', { ...existing, owners })['owners'], undefined);
});

test('extension names like built-in members are merged too', () => {
  const customProperties = [{ property: '__proto__', value: 1 }];
  const merged = into(document({ customProperties }), 'merge', { name: 'n', extension: { constructor: 2 } });
  assert.equal(Object.entries(merged['extension'] as JsonObject), [
    ['constructor', 2],
    ['__proto__', 1],
  ]);
});

test('links to test cases stay, except those of removed rules', () => {
  const link = (name: string) => ({ id: name, type: 'testCase', fullyQualifiedName: `shop.pg.public.orders.${name}` });
  const record = {
    odcsQualityRules: [
      { metric: 'nullValues', column: 'id' },
      { metric: 'nullValues', column: 'address.zip' },
      { metric: 'rowCount', mustBe: 1, id: 'rows.1' },
    ],
    qualityExpectations: [
      link('mine'),
      link('id.odcs_nullvalues'),
      link('address.zip.odcs_nullvalues'),
      link('"rows.1"'),
    ],
  };
  const after = { odcsQualityRules: [{ metric: 'nullValues', column: 'id' }] };
  const kept = selectKeptExpectations(record, after, ordersTable, 'merge');
  assert.equal(
    kept.map(({ id }) => id),
    ['mine', 'id.odcs_nullvalues'],
  );
  assert.equal(selectKeptExpectations(record, record, ordersTable, 'merge'), record.qualityExpectations);
  assert.equal(selectKeptExpectations(record, record, ordersTable, 'replace'), []);
});

test('of two documents of one contract the newer has priority, and objects are merged by name', () => {
  const object = (name: string, more: JsonObject = {}): JsonObject => ({ name, logicalType: 'object', ...more });
  const kept = {
    ...document({ schema: [object('a'), object('b')], tags: ['t'], support: [{ channel: 'old' }] }),
    odd: 1,
  };
  const newer = document({ version: '2', schema: [object('c'), object('b', { tags: ['n'] })], support: [] });
  assert.equal(mergeSourceDocuments(kept, newer), {
    ...document({ version: '2' }),
    schema: [object('a'), object('b', { tags: ['n'] }), object('c')],
    tags: ['t'],
    support: [],
    odd: 1,
  });
  assert.equal(mergeSourceDocuments(kept, kept), kept);
  assert.equal(mergeSourceDocuments(document(), newer), newer);
});

test('an export after a merge contains new, kept and original members', () => {
  const first = {
    ...full,
    tags: ['first'],
    slaProperties: [
      { property: 'latency', value: 1, unit: 'h' },
      { property: 'availability', value: 9 },
    ],
  };
  const second = {
    ...withProperties([{ name: 'amount' }]),
    slaProperties: [{ property: 'retention', value: 2, unit: 'd' }],
  };
  const contract = mergeImportedContract(imported(first).contract, imported(second), 'merge');
  const result = exported(contract, mergeSourceDocuments(first, second));
  assert.equal(result['tags'], ['first']);
  assert.equal(result['slaProperties'], [
    { property: 'retention', value: 2, unit: 'd' },
    { property: 'latency', value: '1', unit: 'hour' },
  ]);
  assert.equal(result['team'], first['team' as never]);
  assert.equal(
    edited(first, (made) => made),
    first,
  );
});

test.run();
