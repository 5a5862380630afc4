import { badRequest } from '../../errors.ts';
import type { StoredAttribute } from '../../model/attribute.ts';
import type { Json } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import { type ColumnFinder, columnFinder } from '../read/column-paths.ts';
import type { ColumnTrees } from '../read/column-tree.ts';
import { storedMembers } from '../read/snapshot.ts';
import type { Mode } from './desk.ts';

type Naming = NonNullable<StoredAttribute['namesColumns']>;

const namingMembers = perKind((kind) =>
  storedMembers(kind).flatMap(([name, attribute]) => {
    const { namesColumns } = attribute as StoredAttribute;
    return namesColumns ? [[name, namesColumns] as const] : [];
  }),
);

/** What the columns that were there are called from now on: by the keys they had. */
const presentNames = (after: ColumnFinder): ReadonlyMap<string, string> =>
  new Map([...after.byKey.values()].map(({ node, name }) => [node.origin ?? node.key, name]));

type Columns = { readonly before: ColumnTrees; readonly after: ColumnTrees };

/**
 * The values of a wished-for state with the names that their columns have in it. A patch starts from what was there, so
 * it may name a column that it takes away or calls otherwise. Throws bad_request for a name that nobody knows.
 */
export const settleColumnNames = (
  kind: Kind,
  given: Readonly<Record<string, Json>>,
  values: Readonly<Record<string, Json>>,
  columns: Columns,
  mode: Mode,
): Readonly<Record<string, Json>> => {
  const named: [string, Naming][] = namingMembers(kind).filter(
    ([name]) => values[name] !== undefined && given[name] !== undefined,
  ) as [string, Naming][];
  if (named.length === 0) return values;
  const after = columnFinder(kind, columns.after);
  const before = mode.by === 'patch' ? columnFinder(kind, columns.before) : undefined;
  const present = presentNames(after);
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
