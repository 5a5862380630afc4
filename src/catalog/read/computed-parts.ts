import type { JsonObject } from '../../model/json.ts';
import type { ComputedAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import { createColumnFinder } from './column-paths.ts';
import type { Snapshot } from './snapshot.ts';

/** Values computed on read for a record and for its columns, the latter by column key. */
export type ComputedParts = { readonly own?: JsonObject; readonly columns: Readonly<Record<string, JsonObject>> };

type ComputedPartsAttribute = ComputedAttribute & { readonly answers: 'parts' };

/** The members of a kind that are computed for its records and their columns. */
export const computedPartMembers = memoisePerKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    attribute.store === 'walked' && attribute.answers === 'parts'
      ? [[name, attribute as ComputedPartsAttribute] as const]
      : [],
  ),
);

/** The computed values of columns, by member name and column key. */
type ColumnParts = readonly (readonly [member: string, byKey: ComputedParts['columns']])[];

export const NO_PARTS: ColumnParts = [];

/** Reads the computed values of a record's columns; each value names its column by the current name. */
export const readColumnParts = ({
  kind,
  columns,
  computed = {},
}: Pick<Snapshot, 'kind' | 'columns'> & Partial<Pick<Snapshot, 'computed'>>): ColumnParts => {
  const found = computedPartMembers(kind).flatMap(([name]) => {
    const parts = computed[name] as unknown as ComputedParts | undefined;
    return parts ? [[name, parts.columns] as const] : [];
  });
  if (found.length === 0) return NO_PARTS;
  const { byKey } = createColumnFinder(kind, columns);
  return found.map(([name, parts]) => {
    const named = Object.entries(parts).map(
      ([key, part]) => [key, { name: byKey.get(key)?.name ?? '', ...part }] as const,
    );
    return [name, Object.fromEntries(named)] as const;
  });
};
