/**
 * What a part of a query can be. A value that may be a node or an edge is never treated as plain, so that nothing but the
 * properties of the view is read from it.
 */
export type QueryType =
  /** A node with one of these labels; null for any. */
  | { readonly is: 'node'; readonly labels: readonly string[] | null }
  /** An edge of one of these types; null for any. */
  | { readonly is: 'edge'; readonly types: readonly string[] | null }
  | { readonly is: 'path' }
  | { readonly is: 'list'; readonly of: QueryType }
  | { readonly is: 'map'; readonly members: ReadonlyMap<string, QueryType> }
  | { readonly is: 'number' }
  | { readonly is: 'truth' }
  /** Whatever has no node in it: a text, a time, a value of a parameter. */
  | { readonly is: 'plain' }
  /** Null, which fits everything. */
  | { readonly is: 'nothing' };

export const PLAIN: QueryType = { is: 'plain' };
export const NUMBER: QueryType = { is: 'number' };
export const TRUTH: QueryType = { is: 'truth' };
export const NOTHING: QueryType = { is: 'nothing' };
export const PATH: QueryType = { is: 'path' };
export const listOfType = (of: QueryType): QueryType => ({ is: 'list', of });

/** Whether the value is a node, an edge or a path, or has one in it. */
export const hasGraphValue = (type: QueryType): boolean => {
  if (type.is === 'list') return hasGraphValue(type.of);
  if (type.is === 'map') return [...type.members.values()].some(hasGraphValue);
  return type.is === 'node' || type.is === 'edge' || type.is === 'path';
};

const joinNames = (some: readonly string[] | null, others: readonly string[] | null): readonly string[] | null =>
  some === null || others === null ? null : [...new Set([...some, ...others])];

/** The type of a value that is one or the other; undefined where no type holds both. */
export const joinTypes = (one: QueryType, other: QueryType): QueryType | undefined => {
  if (one.is === 'nothing') return other;
  if (other.is === 'nothing') return one;
  if (one.is === 'node' && other.is === 'node') return { is: 'node', labels: joinNames(one.labels, other.labels) };
  if (one.is === 'edge' && other.is === 'edge') return { is: 'edge', types: joinNames(one.types, other.types) };
  if (one.is === 'path' && other.is === 'path') return PATH;
  if (one.is === 'list' && other.is === 'list') {
    const of = joinTypes(one.of, other.of);
    if (of !== undefined) return listOfType(of);
  }
  if (hasGraphValue(one) || hasGraphValue(other)) return undefined;
  return one.is === other.is && one.is !== 'map' && one.is !== 'list' ? one : PLAIN;
};

/** A part of the statement that is written. */
export type Written = {
  readonly text: string;
  readonly type: QueryType;
  /** How many stored or given values it can hold one after the other, at most. */
  readonly size: number;
  /** Whether it never fails, whatever the values are. */
  readonly isSafe: boolean;
  /** Whether the query spells it out, which keeps it short. */
  readonly isShort?: boolean;
};
