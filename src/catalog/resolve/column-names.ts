import { badRequest } from '../../errors.ts';
import type { Json } from '../../model/json.ts';
import type { StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type ColumnFinder, createColumnFinder } from '../read/column-paths.ts';
import type { ColumnTrees } from '../read/column-tree.ts';
import { storedMembers } from '../read/snapshot.ts';
import type { WriteMode } from './write-context.ts';

type ColumnNaming = NonNullable<StoredAttribute['namesColumns']>;

const columnNamingMembers = memoisePerKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { namesColumns } = attribute as StoredAttribute;
    return namesColumns ? [[name, namesColumns] as const] : [];
  }),
);

/** Maps the former keys of columns to their names after the write. */
const currentNames = (after: ColumnFinder): ReadonlyMap<string, string> =>
  new Map([...after.byKey.values()].map(({ node, name }) => [node.origin ?? node.key, name]));

type ColumnStates = { readonly before: ColumnTrees; readonly after: ColumnTrees };

/**
 * Updates the column names inside the values of a target state. A patch starts from the stored state, so it may name a
 * column that it removes or renames. Throws bad_request for an unknown name.
 */
export const resolveColumnNames = (
  kind: Kind,
  given: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  columns: ColumnStates,
  mode: WriteMode,
): Readonly<Record<string, Json>> => {
  const named: [string, ColumnNaming][] = columnNamingMembers(kind).filter(
    ([name]) => values[name] !== undefined && given[name] !== undefined,
  ) as [string, ColumnNaming][];
  if (named.length === 0) return values;
  const after = createColumnFinder(kind, columns.after);
  const before = mode.by === 'patch' ? createColumnFinder(kind, columns.before) : undefined;
  const present = currentNames(after);
  const nameOf = (name: string): string | undefined => {
    const found = after.named(name);
    if (found) return found.name;
    const former = before?.named(name);
    if (!former) throw badRequest(`Invalid column name ${name}`);
    return present.get(former.node.key);
  };
  return {
    ...values,
    ...Object.fromEntries(named.map(([name, rename]) => [name, rename(values[name] ?? null, nameOf)])),
  };
};
