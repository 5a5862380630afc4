import type { GenericSchema } from 'valibot';
import { CalendarDate, DateTime, Fqn, Timestamp, Url, Uuid } from '../values.ts';
import { isLinkSchema, isSchema, unwrapSchema, type ValueSchema } from './links.ts';

/** The type of a value at a path: a kind of text, another scalar, an object, or anything. */
export type ValueType = 'text' | 'fqn' | 'key' | 'choice' | 'flag' | 'number' | 'date' | 'object' | 'any';

const STRING_TYPES: readonly (readonly [GenericSchema, ValueType])[] = [
  [Uuid, 'key'],
  [Fqn, 'fqn'],
  [Url, 'fqn'],
  [DateTime, 'date'],
  [CalendarDate, 'date'],
];

const SCHEMA_TYPES: Readonly<Record<string, ValueType>> = {
  picklist: 'choice',
  boolean: 'flag',
  strict_object: 'object',
  custom: 'any',
};

const valueTypeOf = (schema: ValueSchema): ValueType | undefined => {
  if (schema.type === 'string') return STRING_TYPES.find(([known]) => isSchema(schema, known))?.[1] ?? 'text';
  if (schema.type === 'number') return isSchema(schema, Timestamp) ? 'date' : 'number';
  return SCHEMA_TYPES[schema.type];
};

/** Answers the type at a path according to the schema. Lists are passed through. Undefined where no value can be. */
export const valueTypeAt = (schema: GenericSchema, path: readonly string[]): ValueType | undefined => {
  const inner = unwrapSchema(schema as ValueSchema);
  if (inner.item) return valueTypeAt(inner.item, path);
  if (inner.type === 'union') {
    for (const option of inner.options ?? []) {
      const leaf = valueTypeAt(option, path);
      if (leaf) return leaf;
    }
    return undefined;
  }
  const [name, ...rest] = path;
  if (name === undefined || inner.type === 'custom') return valueTypeOf(inner);
  const entry = inner.entries && Object.hasOwn(inner.entries, name) ? inner.entries[name] : undefined;
  return entry && valueTypeAt(entry, rest);
};

/**
 * Whether a path leads along declared members only. Below a free-form value, and below a reference to another record, a
 * name means nothing. A part of the path stands for each place in a list.
 */
export const isDeclaredPath = (schema: GenericSchema, path: readonly string[]): boolean => {
  const [name, ...rest] = path;
  if (name === undefined) return true;
  const inner = unwrapSchema(schema as ValueSchema);
  if (isLinkSchema(inner)) return false;
  if (inner.item) return isDeclaredPath(inner.item, rest);
  if (inner.type === 'union') return (inner.options ?? []).some((option) => isDeclaredPath(option, path));
  const entry = inner.entries && Object.hasOwn(inner.entries, name) ? inner.entries[name] : undefined;
  return entry !== undefined && isDeclaredPath(entry, rest);
};
