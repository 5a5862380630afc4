import * as v from 'valibot';
import { type ColumnsAttribute, columns } from '../../kind/attribute.ts';
import { keepCase } from '../../kind/columns.ts';
import { defaulting, Fqn, listOf, Markdown, must, NameInput, oneOf, shape, TagLabel, Text } from '../../values.ts';

/** The schema of fields of messages, requests and responses. */

/** The data types of a field of a message or request. */
const FIELD_TYPES = [
  'RECORD',
  'NULL',
  'BOOLEAN',
  'INT',
  'LONG',
  'BYTES',
  'FLOAT',
  'DOUBLE',
  'TIMESTAMP',
  'TIMESTAMPZ',
  'TIME',
  'DATE',
  'STRING',
  'ARRAY',
  'MAP',
  'ENUM',
  'UNION',
  'FIXED',
  'ERROR',
  'UNKNOWN',
] as const;

const SCHEMA_TYPES = ['Avro', 'Protobuf', 'JSON', 'Other', 'None'] as const;

/** Builds the schema of a field and of the fields below it. */
export const createFieldSchema = (title: string, types: readonly string[]): v.GenericSchema => {
  const field: v.GenericSchema = shape(title, {
    name: must(NameInput),
    displayName: Text,
    dataType: must(oneOf(types)),
    dataTypeDisplay: Text,
    description: Markdown,
    fullyQualifiedName: Fqn,
    tags: listOf(TagLabel),
    children: v.lazy(() => listOf(field)),
  });
  return field;
};

const SchemaField = createFieldSchema('Field', FIELD_TYPES);

/** The maximum number of fields in one schema. The widest tables do not have more columns. */
export const MAX_FIELDS = 20_000;

const MessageSchema = shape('MessageSchema', {
  schemaText: Text,
  schemaType: defaulting(oneOf(SCHEMA_TYPES), 'None'),
  schemaFields: listOf(SchemaField, MAX_FIELDS),
});

const ApiSchema = shape('APISchema', {
  schemaType: defaulting(oneOf(SCHEMA_TYPES), 'JSON'),
  schemaFields: listOf(SchemaField, MAX_FIELDS),
});

const schemaFieldTree = (schema: v.GenericSchema, others: readonly string[]): ColumnsAttribute =>
  columns(schema, { container: { member: 'schemaFields', others }, nameKey: keepCase });

/** Declares the schema of a topic's messages. */
export const messageSchemaMember = schemaFieldTree(MessageSchema, ['schemaText', 'schemaType']);

/** Declares the schema of an endpoint's requests or responses. */
export const apiSchemaMember = schemaFieldTree(ApiSchema, ['schemaType']);
