import type { Json, JsonObject } from '../json.ts';
import type { Kind } from './kind.ts';

/** Caches a value that depends on the declaration alone, once per kind and on first use. */
export const memoisePerKind = <T>(make: (kind: Kind) => T): ((kind: Kind) => T) => {
  const made = new WeakMap<Kind, { readonly value: T }>();
  return (kind) => {
    const known = made.get(kind);
    if (known) return known.value;
    const value = make(kind);
    made.set(kind, { value });
    return value;
  };
};

const derivedMembers = memoisePerKind((kind) =>
  Object.entries(kind.members).flatMap(([name, attribute]) =>
    'derive' in attribute && attribute.derive ? [[name, attribute.derive] as const] : [],
  ),
);

/** Answers the values of a record together with those derived from them. */
export const withDerivedValues = (kind: Kind, values: JsonObject): JsonObject => {
  const derived = derivedMembers(kind);
  if (derived.length === 0) return values;
  const all: Record<string, Json> = { ...values };
  for (const [name, derive] of derived) {
    const value = derive(values);
    if (value !== undefined) all[name] = value;
  }
  return all;
};
