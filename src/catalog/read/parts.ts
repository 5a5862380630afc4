import type { WalkedAttribute } from '../../model/attribute.ts';
import type { JsonObject } from '../../model/json.ts';
import { perKind } from '../../model/kind.ts';
import { columnFinder } from './column-paths.ts';
import type { Snapshot } from './snapshot.ts';

/** What was found beside a record and its columns: of itself, and by the keys of the columns. */
export type Parts = { readonly own?: JsonObject; readonly columns: Readonly<Record<string, JsonObject>> };

type PartsAttribute = WalkedAttribute & { readonly answers: 'parts' };

/** The members of a kind that are found beside its records and their columns. */
export const partAttributes = perKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    attribute.store === 'walked' && attribute.answers === 'parts' ? [[name, attribute as PartsAttribute] as const] : [],
  ),
);

/** What is shown with columns, by member name and the key of the column. */
type ColumnParts = readonly (readonly [member: string, byKey: Parts['columns']])[];

export const NO_PARTS: ColumnParts = [];

/** What was found beside the columns of a record; each part says of which column it is, as that is called now. */
export const columnParts = ({
  kind,
  columns,
  beside = {},
}: Pick<Snapshot, 'kind' | 'columns'> & Partial<Pick<Snapshot, 'beside'>>): ColumnParts => {
  const found = partAttributes(kind).flatMap(([name]) => {
    const parts = beside[name] as unknown as Parts | undefined;
    return parts ? [[name, parts.columns] as const] : [];
  });
  if (found.length === 0) return NO_PARTS;
  const { byKey } = columnFinder(kind, columns);
  return found.map(([name, parts]) => {
    const named = Object.entries(parts).map(
      ([key, part]) => [key, { name: byKey.get(key)?.name ?? '', ...part }] as const,
    );
    return [name, Object.fromEntries(named)] as const;
  });
};
