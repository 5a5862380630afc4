import { isArray, type Json, type JsonObject, type MutableJsonObject, member } from '../../model/json.ts';
import { toExclusiveFlags } from './bounds.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from './shape.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';
import { textMember } from './walk.ts';

/** The logical type of a property and its options in each version of 3.x. */

/** Types added in 3.1.0, with the type that earlier versions use. */
const BEFORE_31: Readonly<Record<string, string>> = { timestamp: 'date', time: 'string' };

/** The version's name of a property's type; undefined for a missing or unknown type. */
export const toLegalType = (property: JsonObject, version: OdcsVersion): string | undefined => {
  const word = textMember(property, 'logicalType')?.toLowerCase();
  if (word === undefined) return undefined;
  const known = LOGICAL_TYPES.find((type) => type === word);
  const type = known ?? (Object.hasOwn(FOREIGN_TYPES, word) ? FOREIGN_TYPES[word] : undefined);
  return type !== undefined && !isVersionAtLeast(version, 'v3.1.0') ? (BEFORE_31[type] ?? type) : type;
};

type OptionTest = (value: Json) => boolean;
const text: OptionTest = (value) => typeof value === 'string';
const flag: OptionTest = (value) => typeof value === 'boolean';
const number: OptionTest = (value) => typeof value === 'number';
const count: OptionTest = (value) => Number.isInteger(value) && Number(value) >= 0;
const positive: OptionTest = (value) => typeof value === 'number' && value > 0;
const among =
  (...words: readonly string[]): OptionTest =>
  (value) =>
    words.includes(String(value)) && text(value);
const names: OptionTest = (value) =>
  isArray(value) && value.length > 0 && value.every(text) && new Set(value).size === value.length;

const bounds = (value: OptionTest, exclusive: OptionTest) => ({
  minimum: value,
  maximum: value,
  exclusiveMinimum: exclusive,
  exclusiveMaximum: exclusive,
});

const optionsOf = (type: string | undefined, isOld: boolean): Readonly<Record<string, OptionTest>> => {
  const numeric = { ...bounds(number, isOld ? flag : number), multipleOf: positive };
  const moment = { ...bounds(text, isOld ? flag : text), format: text };
  switch (type) {
    case 'string':
      return { minLength: count, maxLength: count, pattern: text, format: text };
    case 'date':
      return moment;
    case 'timestamp':
    case 'time':
      return { ...moment, timezone: flag, defaultTimezone: text };
    case 'integer':
      return { ...numeric, format: among('i8', 'i16', 'i32', 'i64', 'i128', 'u8', 'u16', 'u32', 'u64', 'u128') };
    case 'number':
      return { ...numeric, format: among('f32', 'f64') };
    case 'object':
      return { maxProperties: count, minProperties: count, required: names };
    case 'array':
      return { maxItems: count, minItems: count, uniqueItems: flag };
    default:
      // The schemas allow almost nothing here: without a type, the restrictions of all types apply at once.
      return {};
  }
};

/** Keeps the options that the version allows for a type and passes the names of the others to `drop`. */
export const conformOptions = (
  options: JsonObject,
  type: string | undefined,
  version: OdcsVersion,
  drop: (name: string) => void,
): MutableJsonObject => {
  const isOld = !isVersionAtLeast(version, 'v3.1.0');
  const allowed = optionsOf(type, isOld);
  const result: MutableJsonObject = {};
  const said = isOld ? toExclusiveFlags(options) : options;
  for (const name of Object.keys(said)) {
    const value = member(said, name);
    const test = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (value !== undefined && test?.(value)) result[name] = value;
    else drop(name);
  }
  return result;
};
