import * as assert from 'uvu/assert';
import { columnAddress } from '../../src/explorer/addresses.ts';
import { countItems, findItem, flattenItems, readItemSets, rowsOf } from '../../src/explorer/asset/items.ts';
import { labelledItemsOf } from '../../src/explorer/asset/labelled-items.ts';
import { suite } from '../support/suite.ts';

/** Shows how the asset page reads the columns of records, whatever their kind calls them. */

const test = suite('explorer: items of a record');

const COLUMNS = [
  { name: 'id', dataType: 'INT', constraint: 'PRIMARY_KEY' },
  {
    name: 'address',
    dataType: 'STRUCT',
    children: [
      { name: 'street', dataType: 'TEXT', description: 'With the number of the house.' },
      { name: 'geo', dataType: 'STRUCT', children: [{ name: 'lat', dataType: 'DOUBLE' }] },
    ],
  },
];

const itemsOf = (columns: readonly unknown[]) => readItemSets('table', { columns })[0]?.items ?? [];

test('nested columns know where they stand and what they stand in', () => {
  const items = itemsOf(COLUMNS);
  assert.is(countItems(items), 5);
  assert.equal(
    flattenItems(items).map(({ pointer }) => pointer),
    ['/columns/0', '/columns/1', '/columns/1/children/0', '/columns/1/children/1', '/columns/1/children/1/children/0'],
  );
  assert.equal(flattenItems(items).at(-1)?.path, ['address', 'geo', 'lat']);
});

test('each kind has its items in its own place', () => {
  const field = { name: 'key', dataType: 'STRING' };
  const titlesOf = (type: string, asset: unknown) => readItemSets(type, asset).map(({ title }) => title);
  assert.equal(titlesOf('topic', { messageSchema: { schemaFields: [field] } }), ['Fields']);
  assert.equal(titlesOf('container', { dataModel: { columns: [field] } }), ['Columns']);
  assert.equal(
    titlesOf('apiEndpoint', { requestSchema: { schemaFields: [field] }, responseSchema: { schemaFields: [field] } }),
    ['Fields of the request', 'Fields of the response'],
  );
  assert.equal(titlesOf('pipeline', { tasks: [{ name: 'load', taskType: 'Bash' }] }), ['Tasks']);
  assert.equal(titlesOf('table', { columns: [] }), []);
  assert.equal(titlesOf('domain', { columns: COLUMNS }), []);
});

test('a column is found again after others were put before it', () => {
  const lat = flattenItems(itemsOf(COLUMNS)).at(-1);
  assert.ok(lat);
  const moved = { columns: [{ name: 'new', dataType: 'INT' }, ...COLUMNS] };
  assert.is(findItem('table', moved, lat)?.pointer, '/columns/2/children/1/children/0');
  assert.is(findItem('table', { columns: COLUMNS.slice(0, 1) }, lat), undefined);
});

test('a field of the response is not mistaken for one of the request', () => {
  const schemas = {
    requestSchema: { schemaFields: [{ name: 'id' }] },
    responseSchema: { schemaFields: [{ name: 'id' }] },
  };
  const [, response] = readItemSets('apiEndpoint', schemas).flatMap(({ items }) => items);
  assert.ok(response);
  assert.is(findItem('apiEndpoint', schemas, response)?.pointer, '/responseSchema/schemaFields/0');
});

test('only what is unfolded is shown, and a search shows the way to what it finds', () => {
  const items = itemsOf(COLUMNS);
  const namesOf = (open: readonly string[], wanted = '') =>
    rowsOf(items, new Set(open), wanted).map(({ item, depth }) => `${depth} ${item.name}`);
  assert.equal(namesOf([]), ['0 id', '0 address']);
  assert.equal(namesOf(['/columns/1']), ['0 id', '0 address', '1 street', '1 geo']);
  assert.equal(namesOf([], 'LAT'), ['0 address', '1 geo', '2 lat']);
  assert.equal(namesOf([], 'house'), ['0 address', '1 street']);
  assert.equal(namesOf([], 'nothing'), []);
});

test('the columns that carry a label are found at any depth, and others are left out', () => {
  const label = [{ tagFQN: 'PII.Sensitive' }];
  const columns = [
    { name: 'id', tags: [{ tagFQN: 'PII.NonSensitive' }] },
    { name: 'who', tags: label, children: [{ name: 'mail', fullyQualifiedName: 's.d.b.t.who.mail', tags: label }] },
  ];
  const source = { entityType: 'table', name: 't', displayName: 'The table', fullyQualifiedName: 's.d.b.t', columns };
  const found = labelledItemsOf(source, 'PII.Sensitive');
  assert.equal(
    found.map(({ path, assetName }) => `${path.join(' › ')} on ${assetName}`),
    ['who on The table', 'who › mail on The table'],
  );
  assert.is(columnAddress('table', 's.d.b.t', found[1]?.fqn ?? ''), '/assets/table/s.d.b.t?column=s.d.b.t.who.mail');
});

test.run();
