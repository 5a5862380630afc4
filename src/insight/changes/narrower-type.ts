import { typeFamilyOf } from '../../contracts/validation/type-families.ts';
import type { Json, JsonObject } from '../../model/json.ts';

/** Whether a column of a new type may no longer hold what one of the old type held. */

/** How much the types of a family hold; a type of its family that is not here compares with no other. */
const WIDTHS: Readonly<Record<string, number>> = {
  ENUM: 0,
  UUID: 0,
  CHAR: 1,
  VARCHAR: 2,
  STRING: 3,
  TEXT: 3,
  MEDIUMTEXT: 3,
  NTEXT: 3,
  CLOB: 3,
  TINYINT: 0,
  BYTEINT: 0,
  SMALLINT: 1,
  INT: 2,
  UINT: 2,
  BIGINT: 3,
  LONG: 3,
  LARGEINT: 4,
  MONEY: 0,
  FLOAT: 0,
  DOUBLE: 1,
  DECIMAL: 1,
  NUMERIC: 1,
  NUMBER: 1,
  DATE: 0,
  DATETIME: 1,
  TIMESTAMP: 1,
  TIMESTAMPZ: 1,
  BINARY: 0,
  VARBINARY: 1,
  BLOB: 2,
  BYTEA: 2,
  BYTES: 2,
  MEDIUMBLOB: 2,
  LONGBLOB: 3,
};

/** The families that hold every value of another one. */
const WIDER_FAMILIES: Readonly<Record<string, readonly string[]>> = {
  boolean: ['integer', 'decimal'],
  integer: ['decimal'],
};

const FREE_TEXT_WIDTH = 2;

/** Values of these families have a text from which they can be read back. */
const WRITTEN_AS_TEXT: readonly string[] = ['boolean', 'integer', 'decimal', 'time'];

const isNarrowerName = (before: string, after: string): boolean => {
  const [from, to] = [typeFamilyOf(before), typeFamilyOf(after)];
  if (from === undefined || to === undefined) return true;
  const [old, fresh] = [WIDTHS[before], WIDTHS[after]];
  if (from === to) return old === undefined || fresh === undefined || fresh < old;
  if (to === 'string') return !WRITTEN_AS_TEXT.includes(from) || (fresh ?? 0) < FREE_TEXT_WIDTH;
  return !WIDER_FAMILIES[from]?.includes(to);
};

const nameOf = (value: Json | undefined): string => String(value ?? '').toUpperCase();

/** Types whose names are not known count as narrower. */
const isNarrowerMember = (before: Json | undefined, after: Json | undefined): boolean => {
  const [old, fresh] = [nameOf(before), nameOf(after)];
  return old !== fresh && old !== '' && (fresh === '' || isNarrowerName(old, fresh));
};

const isReduced = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof before === 'number' && (typeof after !== 'number' || after < before);

/** A text without a length is as long as it likes, so that a length makes it shorter. */
const isShortened = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof after === 'number' && (typeof before !== 'number' || after < before);

/**
 * Whether the changed members of a column's type make it narrower. Each side holds only members that differ: lengths say
 * nothing about a type of another name.
 */
export const isNarrowerType = (before: JsonObject, after: JsonObject): boolean => {
  const differs = (name: string) => before[name] !== after[name];
  if (isNarrowerMember(before['dataType'], after['dataType'])) return true;
  if (isNarrowerMember(before['arrayDataType'], after['arrayDataType'])) return true;
  if (differs('dataType')) return false;
  return (
    (differs('dataLength') && isShortened(before['dataLength'], after['dataLength'])) ||
    isReduced(before['precision'], after['precision']) ||
    isReduced(before['scale'], after['scale'])
  );
};
