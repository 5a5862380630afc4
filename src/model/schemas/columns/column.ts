import * as v from 'valibot';
import { badRequest } from '../../../errors.ts';
import type { Json, JsonObject } from '../../json.ts';
import { findDuplicateColumn } from '../../kind/columns.ts';
import { normaliseName } from '../../name.ts';
import {
  AnyJson,
  Fqn,
  FreeForm,
  Integer,
  listOf,
  Markdown,
  must,
  NameInput,
  oneOf,
  shape,
  TagLabel,
  Text,
} from '../../values.ts';

/** The schema of columns of tables, containers and data models. */

/** The data types of a column of a table, container or data model. */
export const COLUMN_TYPES = [
  'NUMBER',
  'TINYINT',
  'SMALLINT',
  'INT',
  'BIGINT',
  'BYTEINT',
  'BYTES',
  'FLOAT',
  'DOUBLE',
  'DECIMAL',
  'NUMERIC',
  'TIMESTAMP',
  'TIMESTAMPZ',
  'TIME',
  'DATE',
  'DATETIME',
  'INTERVAL',
  'STRING',
  'MEDIUMTEXT',
  'TEXT',
  'CHAR',
  'LONG',
  'VARCHAR',
  'BOOLEAN',
  'BINARY',
  'VARBINARY',
  'ARRAY',
  'BLOB',
  'LONGBLOB',
  'MEDIUMBLOB',
  'MAP',
  'STRUCT',
  'UNION',
  'SET',
  'GEOGRAPHY',
  'ENUM',
  'JSON',
  'UUID',
  'VARIANT',
  'GEOMETRY',
  'BYTEA',
  'AGGREGATEFUNCTION',
  'ERROR',
  'FIXED',
  'RECORD',
  'NULL',
  'SUPER',
  'HLLSKETCH',
  'PG_LSN',
  'PG_SNAPSHOT',
  'TSQUERY',
  'TXID_SNAPSHOT',
  'XML',
  'MACADDR',
  'TSVECTOR',
  'UNKNOWN',
  'CIDR',
  'INET',
  'CLOB',
  'ROWID',
  'LOWCARDINALITY',
  'YEAR',
  'POINT',
  'POLYGON',
  'TUPLE',
  'SPATIAL',
  'TABLE',
  'NTEXT',
  'IMAGE',
  'IPV4',
  'IPV6',
  'DATETIMERANGE',
  'HLL',
  'LARGEINT',
  'QUANTILE_STATE',
  'AGG_STATE',
  'BITMAP',
  'UINT',
  'BIT',
  'MONEY',
  'MEASURE HIDDEN',
  'MEASURE VISIBLE',
  'MEASURE',
  'KPI',
  'HEIRARCHY',
  'HIERARCHYID',
] as const;

const COLUMN_CONSTRAINTS = ['NULL', 'NOT_NULL', 'UNIQUE', 'PRIMARY_KEY'] as const;

export const ColumnSchema: v.GenericSchema = shape('Column', {
  name: must(NameInput),
  displayName: Text,
  dataType: must(oneOf(COLUMN_TYPES)),
  arrayDataType: oneOf(COLUMN_TYPES),
  dataLength: Integer,
  precision: Integer,
  scale: Integer,
  dataTypeDisplay: Text,
  description: Markdown,
  fullyQualifiedName: Fqn,
  tags: listOf(TagLabel),
  constraint: oneOf(COLUMN_CONSTRAINTS),
  ordinalPosition: Integer,
  jsonSchema: Text,
  children: v.lazy(() => listOf(ColumnSchema)),
  profile: AnyJson,
  customMetrics: AnyJson,
  extension: FreeForm,
});

/** The maximum number of columns in one request, at all depths together. */
export const MAX_COLUMNS = 20_000;

export const ColumnListSchema = listOf(ColumnSchema, MAX_COLUMNS);

const LENGTH_TYPES: readonly string[] = ['CHAR', 'VARCHAR', 'BINARY', 'VARBINARY'];

/** Validates what the shape of a column cannot express, and fills in omitted members (entities.md, value types). */
export const completeColumn = (column: JsonObject): JsonObject => {
  const dataType = column['dataType'] as string;
  if (dataType === 'ARRAY' && column['arrayDataType'] === undefined) {
    throw badRequest(`[columns.${column['name'] as string}.arrayDataType must not be null]`);
  }
  const children = column['children'] as readonly JsonObject[] | undefined;
  const lacksLength = column['dataLength'] === undefined && LENGTH_TYPES.includes(dataType);
  if (!lacksLength && !children) return column;
  const filled: Record<string, Json> = { ...column };
  if (lacksLength) filled['dataLength'] = 1;
  if (children) filled['children'] = children.map(completeColumn);
  return filled;
};

/** Keeps only a column's own members. Its FQN, profile and metrics are derived or stored elsewhere. */
export const stripComputedColumnMembers = (column: JsonObject): JsonObject => {
  const { fullyQualifiedName: _fqn, profile: _profile, customMetrics: _metrics, tags, children, ...own } = column;
  const name = normaliseName(own['name'] as string);
  const isLabelled = ((tags ?? []) as readonly Json[]).length > 0;
  return {
    ...own,
    name,
    ...(isLabelled && tags !== undefined ? { tags } : {}),
    ...(children === undefined
      ? {}
      : { children: (children as readonly JsonObject[]).map(stripComputedColumnMembers) }),
  };
};

const normaliseColumns = (columns: readonly JsonObject[]): readonly JsonObject[] => {
  const duplicate = findDuplicateColumn(columns);
  if (duplicate !== undefined) throw badRequest(`[columns has the column ${duplicate} more than once]`);
  return columns.map(completeColumn).map(stripComputedColumnMembers);
};

/** Columns inside a value. They are no nodes of the graph, but obey the same rules. */
export const EmbeddedColumns = v.pipe(
  ColumnListSchema,
  v.transform((columns) => normaliseColumns(columns as readonly JsonObject[])),
);
