import type { JsonObject } from '../../model/json.ts';
import { normaliseName } from '../../model/name.ts';
import { COLUMN_TYPES } from '../../model/schemas/columns/column.ts';
import type { OpenLineageField } from './event.ts';

/** What other systems call data types of the catalog. */
const ALIASES: Readonly<Record<string, string>> = {
  BIGDECIMAL: 'DECIMAL',
  BOOL: 'BOOLEAN',
  BYTE: 'TINYINT',
  CHARACTER: 'CHAR',
  FLOAT4: 'FLOAT',
  FLOAT8: 'DOUBLE',
  FLOAT64: 'DOUBLE',
  INT2: 'SMALLINT',
  INT4: 'INT',
  INT8: 'BIGINT',
  INT32: 'INT',
  INT64: 'BIGINT',
  INTEGER: 'INT',
  JSONB: 'JSON',
  LONG: 'BIGINT',
  REAL: 'FLOAT',
  SHORT: 'SMALLINT',
  TIMESTAMPTZ: 'TIMESTAMPZ',
  TIMESTAMP_NTZ: 'TIMESTAMP',
  TIMESTAMP_TZ: 'TIMESTAMPZ',
};

/** The data types by the first word of a type, in upper case. */
const TYPES: ReadonlyMap<string, string> = new Map([
  ...COLUMN_TYPES.map((type) => [type, type] as const),
  ...Object.entries(ALIASES),
]);

const toDataType = ({ type, fields = [] }: OpenLineageField): Pick<JsonObject, string> => {
  const [, word = '', length] = /^\s*([A-Za-z]\w*)\s*(?:\((\d{1,9})\))?/.exec(type ?? '') ?? [];
  const name = word.toUpperCase();
  if (name === 'ARRAY') return { dataType: 'ARRAY', arrayDataType: fields.length > 0 ? 'STRUCT' : 'UNKNOWN' };
  const dataType = TYPES.get(name) ?? (fields.length > 0 ? 'STRUCT' : 'UNKNOWN');
  return length === undefined || !/CHAR|BINARY/.test(dataType)
    ? { dataType }
    : { dataType, dataLength: Number(length) };
};

/** Drops fields without a valid column name and repeated fields. */
const distinctFields = (fields: readonly OpenLineageField[]): readonly OpenLineageField[] => {
  const seen = new Set<string>();
  return fields.filter(({ name }) => {
    const key = name.toLowerCase();
    if (seen.has(key)) return false;
    seen.add(key);
    try {
      normaliseName(name);
      return true;
    } catch {
      return false;
    }
  });
};

/** The maximum nesting depth of columns; deeper fields are left out. */
const MAX_COLUMN_DEPTH = 20;

/** Converts the fields of an event to table columns. */
export const columnsFromFields = (fields: readonly OpenLineageField[], depth = 0): readonly JsonObject[] =>
  distinctFields(fields).map((field) => {
    const { name, type, description, fields: inner = [] } = field;
    const children = depth < MAX_COLUMN_DEPTH ? columnsFromFields(inner, depth + 1) : [];
    return {
      name,
      ...toDataType(field),
      ...(type === undefined || type === '' ? {} : { dataTypeDisplay: type }),
      ...(description === undefined || description === '' ? {} : { description }),
      ...(children.length === 0 ? {} : { children }),
    };
  });
