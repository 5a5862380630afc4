import type { Dialect } from './dialect.ts';
import { isSyntaxNode } from './syntax-tree.ts';

/** A name and its origin: unquoted or quoted in SQL, or as stored in the catalog. */
export type Identifier = { readonly text: string; readonly style: 'plain' | 'quoted' | 'stored' };

export const storedIdentifier = (text: string): Identifier => ({ text, style: 'stored' });

/** Returns the identifier in a node of the syntax tree. */
export const identifierOf = (node: unknown): Identifier | undefined => {
  if (!isSyntaxNode(node) || typeof node['value'] !== 'string') return undefined;
  return { text: node['value'], style: typeof node['quote_style'] === 'string' ? 'quoted' : 'plain' };
};

/** Returns the parts of a name such as `db.schema.t`, or undefined when a function computes the name. */
export const readNameParts = (node: unknown): readonly Identifier[] | undefined => {
  if (!Array.isArray(node) || node.length === 0) return undefined;
  const parts = node.map((part: unknown) =>
    identifierOf(isSyntaxNode(part) && 'Identifier' in part ? part['Identifier'] : part),
  );
  return parts.every((part) => part !== undefined) ? parts : undefined;
};

const foldCase = (name: Identifier, dialect: Dialect): string => {
  if (name.style !== 'plain') return name.text;
  return dialect.fold === 'upper' ? name.text.toUpperCase() : name.text.toLowerCase();
};

/** Whether two names can be equal. Case is ignored for unquoted names and for names in the catalog. */
export const isSameName = (one: Identifier, other: Identifier, dialect: Dialect): boolean => {
  const exact = dialect.exactQuotes && (one.style === 'quoted' || other.style === 'quoted');
  if (!exact) return one.text.toLowerCase() === other.text.toLowerCase();
  return foldCase(one, dialect) === foldCase(other, dialect);
};

/** Whether two names of tables have the same parts. */
export const isSameTable = (one: readonly Identifier[], other: readonly Identifier[], dialect: Dialect): boolean =>
  one.length === other.length &&
  one.every((part, index) => {
    const same = other[index];
    return same !== undefined && isSameName(part, same, dialect);
  });

/** Returns the items that a name means; when several differ only in case, the one with the stored spelling. */
export const filterByName = <Item>(
  list: readonly Item[],
  name: Identifier,
  nameOf: (item: Item) => Identifier | undefined,
  dialect: Dialect,
): readonly Item[] => {
  const same = list.filter((item) => {
    const own = nameOf(item);
    return own !== undefined && isSameName(own, name, dialect);
  });
  if (same.length < 2) return same;
  const exact = same.filter((item) => nameOf(item)?.text === foldCase(name, dialect));
  return exact.length > 0 ? exact : same;
};

/** The items of a list by what their names have in common with all that can equal them. */
export type NameIndex<Item> = ReadonlyMap<string, readonly Item[]>;

/** Names that are equal in any dialect have the same key. */
const keyOfName = ({ text }: Identifier): string => text.toLowerCase().toUpperCase().toLowerCase();

/** Indexes items, so that very many names can be looked up among them. */
export const indexByName = <Item>(
  list: readonly Item[],
  nameOf: (item: Item) => Identifier | undefined,
): NameIndex<Item> => {
  const index = new Map<string, Item[]>();
  for (const item of list) {
    const name = nameOf(item);
    if (name === undefined) continue;
    const same = index.get(keyOfName(name));
    if (same) same.push(item);
    else index.set(keyOfName(name), [item]);
  }
  return index;
};

/** Returns the indexed items that a name means, as `filterByName` would. */
export const findByName = <Item>(
  index: NameIndex<Item>,
  name: Identifier,
  nameOf: (item: Item) => Identifier | undefined,
  dialect: Dialect,
): readonly Item[] => filterByName(index.get(keyOfName(name)) ?? [], name, nameOf, dialect);

/** Whether `name` ends with the parts of `end`, as `db.schema.t` ends with `schema.t`. */
export const endsWithName = (name: readonly Identifier[], end: readonly Identifier[], dialect: Dialect): boolean => {
  const from = name.length - end.length;
  return (
    from >= 0 &&
    end.every((part, index) => {
      const own = name[from + index];
      return own !== undefined && isSameName(own, part, dialect);
    })
  );
};

/** Formats a name for a message. */
export const formatName = (parts: readonly Identifier[]): string => parts.map((part) => part.text).join('.');
