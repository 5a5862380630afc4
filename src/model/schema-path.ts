import type { GenericSchema } from 'valibot';
import { isA, opened, type Shape } from './links.ts';
import { CalendarDate, DateTime, Fqn, Timestamp, Url, Uuid } from './values.ts';

/** What stands at a place inside a value: a text of some sort, another scalar, more members, or anything at all. */
export type Leaf = 'text' | 'fqn' | 'key' | 'choice' | 'flag' | 'number' | 'date' | 'object' | 'any';

const STRINGS: readonly (readonly [GenericSchema, Leaf])[] = [
  [Uuid, 'key'],
  [Fqn, 'fqn'],
  [Url, 'fqn'],
  [DateTime, 'date'],
  [CalendarDate, 'date'],
];

const LEAVES: Readonly<Record<string, Leaf>> = {
  picklist: 'choice',
  boolean: 'flag',
  strict_object: 'object',
  custom: 'any',
};

const leafOf = (schema: Shape): Leaf | undefined => {
  if (schema.type === 'string') return STRINGS.find(([known]) => isA(schema, known))?.[1] ?? 'text';
  if (schema.type === 'number') return isA(schema, Timestamp) ? 'date' : 'number';
  return LEAVES[schema.type];
};

/** What the schema of a value says of a place inside it; lists are passed through. Undefined where nothing can be. */
export const leafAt = (schema: GenericSchema, path: readonly string[]): Leaf | undefined => {
  const inner = opened(schema as Shape);
  if (inner.item) return leafAt(inner.item, path);
  if (inner.type === 'union') {
    for (const option of inner.options ?? []) {
      const leaf = leafAt(option, path);
      if (leaf) return leaf;
    }
    return undefined;
  }
  const [name, ...rest] = path;
  if (name === undefined || inner.type === 'custom') return leafOf(inner);
  const entry = inner.entries && Object.hasOwn(inner.entries, name) ? inner.entries[name] : undefined;
  return entry && leafAt(entry, rest);
};
