import type { Dialect } from './dialect.ts';
import { isNode } from './tree.ts';

/** A name, and where it was read: without quotes, within them, or in the catalog, which keeps it as it is stored. */
export type Identifier = { readonly text: string; readonly style: 'plain' | 'quoted' | 'stored' };

export const stored = (text: string): Identifier => ({ text, style: 'stored' });

/** The identifier of a node of the tree. */
export const identifierOf = (node: unknown): Identifier | undefined => {
  if (!isNode(node) || typeof node['value'] !== 'string') return undefined;
  return { text: node['value'], style: typeof node['quote_style'] === 'string' ? 'quoted' : 'plain' };
};

/** The parts of a name such as `db.schema.t`, or undefined when it is worked out by a function. */
export const partsOf = (node: unknown): readonly Identifier[] | undefined => {
  if (!Array.isArray(node) || node.length === 0) return undefined;
  const parts = node.map((part: unknown) =>
    identifierOf(isNode(part) && 'Identifier' in part ? part['Identifier'] : part),
  );
  return parts.every((part) => part !== undefined) ? parts : undefined;
};

const folded = (name: Identifier, dialect: Dialect): string => {
  if (name.style !== 'plain') return name.text;
  return dialect.fold === 'upper' ? name.text.toUpperCase() : name.text.toLowerCase();
};

/** Whether two names may be one. Without quotes, and against the catalog, case does not matter. */
export const sameName = (one: Identifier, other: Identifier, dialect: Dialect): boolean => {
  const exact = dialect.exactQuotes && (one.style === 'quoted' || other.style === 'quoted');
  if (!exact) return one.text.toLowerCase() === other.text.toLowerCase();
  return folded(one, dialect) === folded(other, dialect);
};

/** What of `list` a name means: the one spelled as the name is stored, if case alone tells several apart. */
export const named = <Item>(
  list: readonly Item[],
  name: Identifier,
  nameOf: (item: Item) => Identifier | undefined,
  dialect: Dialect,
): readonly Item[] => {
  const same = list.filter((item) => {
    const own = nameOf(item);
    return own !== undefined && sameName(own, name, dialect);
  });
  if (same.length < 2) return same;
  const exact = same.filter((item) => nameOf(item)?.text === folded(name, dialect));
  return exact.length > 0 ? exact : same;
};

/** Whether `name` ends with the parts of `end`, as `db.schema.t` ends with `schema.t`. */
export const endsWith = (name: readonly Identifier[], end: readonly Identifier[], dialect: Dialect): boolean => {
  const from = name.length - end.length;
  return (
    from >= 0 &&
    end.every((part, index) => {
      const own = name[from + index];
      return own !== undefined && sameName(own, part, dialect);
    })
  );
};

/** How a name reads in a message. */
export const written = (parts: readonly Identifier[]): string => parts.map((part) => part.text).join('.');
