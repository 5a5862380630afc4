import * as v from 'valibot';
import { type ColumnsAttribute, columns } from '../../kind/attribute.ts';
import { keepCase } from '../../kind/columns.ts';
import { defaulting, Fqn, listOf, Markdown, must, NameInput, oneOf, shape, TagLabel, Text } from '../../values.ts';

/** The types a field of a message or of a request may have. */
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

/** A field of a schema, with fields below it. */
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

/** All fields of one schema together; the columns of the widest tables are not more. */
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

/** What the messages of a topic look like. */
export const messageSchemaMember = schemaFieldTree(MessageSchema, ['schemaText', 'schemaType']);

/** What a request or an answer of an endpoint looks like. */
export const apiSchemaMember = schemaFieldTree(ApiSchema, ['schemaType']);
