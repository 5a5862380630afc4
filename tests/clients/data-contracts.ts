import type { JsonObject } from '../../src/model/json.ts';

/** Contracts and sources for the test of datacontract-cli. */

/** Columns of all sorts, nested ones and names in other alphabets among them. */
export const ODD_COLUMNS: readonly JsonObject[] = [
  { name: 'id', dataType: 'BIGINT', constraint: 'PRIMARY_KEY' },
  { name: 'größe', dataType: 'DECIMAL', precision: 10, scale: 2, description: 'Größe “in” cm: 日本 #1' },
  { name: '名前', dataType: 'VARCHAR', dataLength: 40, constraint: 'NOT_NULL' },
  { name: 'placed', dataType: 'TIMESTAMP' },
  { name: 'yes', dataType: 'BOOLEAN' },
  { name: 'uid', dataType: 'UUID', constraint: 'UNIQUE' },
  { name: 'raw', dataType: 'BYTES' },
  {
    name: 'address',
    dataType: 'STRUCT',
    children: [
      { name: 'city', dataType: 'STRING', constraint: 'NOT_NULL' },
      { name: 'place', dataType: 'STRUCT', children: [{ name: 'lat', dataType: 'DOUBLE' }] },
    ],
  },
  {
    name: 'lines',
    dataType: 'ARRAY',
    arrayDataType: 'STRUCT',
    children: [
      { name: 'sku', dataType: 'STRING' },
      { name: 'count', dataType: 'INT' },
    ],
  },
  { name: 'labels', dataType: 'ARRAY', arrayDataType: 'STRING' },
];

type OddTest = readonly [definition: string, column: string | undefined, values: Readonly<Record<string, string>>];

/** Tests that rules of a document stand for. */
export const ODD_TESTS: readonly OddTest[] = [
  ['tableRowCountToBeBetween', undefined, { minValue: '1', maxValue: '10' }],
  ['tableCustomSQLQuery', undefined, { sqlExpression: 'select * from odd where id < 0' }],
  ['columnValuesToBeNotNull', 'id', {}],
  ['columnValuesToBeUnique', 'id', {}],
  ['columnValuesToBeBetween', 'größe', { minValue: '0', maxValue: '100' }],
  ['columnValuesToMatchRegex', '名前', { regex: '^a.*$' }],
  ['columnValuesToBeInSet', '名前', { allowedValues: "['a','b']" }],
  ['columnValueLengthsToBeBetween', '名前', { minLength: '1', maxLength: '5' }],
];

/** What else the contract of the odd table says. */
export const ODD_CONTRACT: JsonObject = {
  description: 'Größe\n\n**Usage:**\nyes: no',
  termsOfUse: 'For “us”',
  sla: {
    refreshFrequency: { interval: 1, unit: 'day' },
    maxLatency: { value: 4, unit: 'hour' },
    availabilityTime: '06:00',
    retention: { period: 5, unit: 'year' },
  },
  security: { dataClassification: 'internal', policies: [{ accessPolicy: 'readers', identities: ['a', 'b'] }] },
};

const SQL = `create table orders (
  id bigint primary key,
  "größe" numeric(10, 2) not null,
  email varchar(100) not null unique,
  placed timestamp with time zone,
  labels text[],
  extra jsonb
);
create table lines (order_id bigint references orders (id), position smallint, primary key (order_id, position));
`;

const JSON_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Orders',
  description: 'Größe',
  type: 'object',
  required: ['id'],
  properties: {
    id: { type: 'integer', minimum: 1 },
    email: { type: 'string', format: 'email', maxLength: 100, pattern: '^.+@.+$' },
    address: {
      type: 'object',
      required: ['city'],
      properties: { city: { type: 'string' }, place: { type: 'object', properties: { lat: { type: 'number' } } } },
    },
    lines: { type: 'array', minItems: 1, items: { type: 'object', properties: { sku: { type: 'string' } } } },
    state: { type: 'string', enum: ['open', 'paid'] },
    placed: { type: ['string', 'null'], format: 'date-time' },
  },
};

const AVRO = {
  type: 'record',
  name: 'orders',
  namespace: 'shop',
  doc: 'Orders',
  fields: [
    { name: 'id', type: 'long', doc: 'Number' },
    { name: 'email', type: ['null', 'string'], default: null },
    { name: 'total', type: { type: 'bytes', logicalType: 'decimal', precision: 10, scale: 2 } },
    { name: 'placed', type: { type: 'long', logicalType: 'timestamp-millis' } },
    {
      name: 'lines',
      type: { type: 'array', items: { type: 'record', name: 'line', fields: [{ name: 'sku', type: 'string' }] } },
    },
    { name: 'attributes', type: { type: 'map', values: 'string' } },
    { name: 'state', type: { type: 'enum', name: 'state', symbols: ['open', 'paid'] } },
  ],
};

type ImportSource = { readonly file: string; readonly text: string; readonly args?: readonly string[] };

/** What the program makes contracts of, by the name of the format. */
export const IMPORT_SOURCES: Readonly<Record<string, ImportSource>> = {
  sql: { file: 'shop.sql', text: SQL, args: ['--dialect', 'postgres'] },
  jsonschema: { file: 'orders.schema.json', text: JSON.stringify(JSON_SCHEMA) },
  avro: { file: 'orders.avsc', text: JSON.stringify(AVRO) },
  csv: {
    file: 'orders.csv',
    text: 'id,größe,placed,email\n1,2.5,2024-01-01,a@example.com\n2,,2024-01-02,b@example.com\n',
  },
  json: { file: 'orders.ndjson', text: '{"id":1,"a":{"b":[1,2]}}\n{"id":2,"a":{"b":[]}}\n' },
};

/** A contract in the format that came before the standard. */
export const OLD_FORMAT = `dataContractSpecification: 1.2.1
id: orders-latest
info:
  title: Orders
  version: 2.0.0
  owner: Sales
  status: active
models:
  orders:
    type: table
    description: One row per order
    fields:
      id:
        type: bigint
        primaryKey: true
        required: true
      email:
        type: varchar
        description: Where to write to
servicelevels:
  freshness:
    threshold: 25h
`;
