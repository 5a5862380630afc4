import { columnKey } from '../catalog/read/column-tree.ts';
import { columnSections } from '../model/kind/column-sections.ts';
import type { Kind } from '../model/kind/kind.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import type { ColumnMapping } from './edge.ts';

/** The identity of one endpoint of an edge, as far as column mappings need it. */
export type EndpointIdentity = { readonly id: string; readonly fullyQualifiedName: string; readonly kind: Kind };

const splitColumnName = (fqn: string): readonly string[] | undefined => {
  try {
    return splitFqn(fqn);
  } catch {
    // A text that is no valid name matches no column; requests may contain such texts, so this is no error (lineage 5).
    return undefined;
  }
};

/**
 * Returns the path from a record down to the column with this full name, or undefined when the column lies elsewhere.
 */
const pathBelowEndpoint = (end: EndpointIdentity, fqn: string): readonly string[] | undefined => {
  const { fullyQualifiedName: root } = end;
  if (!root.includes('"') && !fqn.includes('"')) {
    return fqn.startsWith(`${root}.`) ? splitColumnName(fqn.slice(root.length + 1)) : undefined;
  }
  const [whole, above] = [splitColumnName(fqn), splitFqn(root)];
  if (!whole || whole.length <= above.length || above.some((part, at) => part !== whole[at])) return undefined;
  return whole.slice(above.length);
};

/** Returns the possible keys of the column at a path, one per column tree of the record. */
export const columnKeysAt = (
  { id, kind }: Pick<EndpointIdentity, 'id' | 'kind'>,
  path: readonly string[],
): readonly string[] => columnSections(kind).map(([section, { nameKey }]) => columnKey(id, section, path, nameKey));

/** Whether the key belongs to a column; otherwise it is the ID of a record that represents a column. */
export const isColumnKey = (key: string): boolean => key.includes(':');

/** A column of a record that a requested name resolved to. */
export type MatchedColumn = {
  /** The key of the column, or the ID of the record that represents it. */
  readonly key: string;
  /** The column's name relative to the record, as the catalog spells it. */
  readonly name: string;
};

/** The columns that a lookup found. */
export type KnownColumns = {
  /** Full names of columns by key. */
  readonly columns: ReadonlyMap<string, string>;
  /** IDs of the records that represent columns, by `partKey` (owner ID and name). */
  readonly parts: ReadonlyMap<string, string>;
};

export const partKey = (ownerId: string, name: string): string => `${ownerId} ${name}`;

const matchColumn = (
  end: EndpointIdentity,
  path: readonly string[],
  known: KnownColumns,
): MatchedColumn | undefined => {
  for (const key of columnKeysAt(end, path)) {
    const fqn = known.columns.get(key);
    if (fqn !== undefined) return { key, name: fqn.slice(end.fullyQualifiedName.length + 1) };
  }
  const [name = ''] = path;
  const id = end.kind.lineageParts && path.length === 1 ? known.parts.get(partKey(end.id, name)) : undefined;
  return id === undefined ? undefined : { key: id, name: fqnPart(name) };
};

/** A column mapping as a request contains it, with full names. */
export type ColumnMappingInput = {
  readonly fromColumns: readonly string[];
  readonly toColumn: string;
  readonly function?: string;
};

/** Collects the keys and part names to look up before mappings can be resolved. */
export const collectColumnKeys = (
  from: EndpointIdentity,
  to: EndpointIdentity,
  asked: readonly ColumnMappingInput[],
) => {
  const keys = new Set<string>();
  const parts = { from: new Set<string>(), to: new Set<string>() };
  const want = (end: EndpointIdentity, side: 'from' | 'to', fqn: string) => {
    const path = pathBelowEndpoint(end, fqn);
    if (!path) return;
    for (const key of columnKeysAt(end, path)) keys.add(key);
    if (end.kind.lineageParts && path.length === 1) parts[side].add(path[0] ?? '');
  };
  for (const { fromColumns, toColumn } of asked) {
    for (const column of fromColumns) want(from, 'from', column);
    want(to, 'to', toColumn);
  }
  return { keys: [...keys], fromParts: [...parts.from], toParts: [...parts.to] };
};

/** Mappings reduced to existing columns, the keys of those columns by name, and the full names that do not exist. */
export type ResolvedMappings = {
  readonly mappings: readonly ColumnMapping[];
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
  readonly unknown: readonly string[];
};

/**
 * Resolves mappings. Unknown columns are left out, and so are mappings without a remaining origin or target (lineage
 * 5).
 */
export const resolveMappings = (
  from: EndpointIdentity,
  to: EndpointIdentity,
  asked: readonly ColumnMappingInput[],
  known: KnownColumns,
): ResolvedMappings => {
  const fromKeys = new Map<string, string>();
  const toKeys = new Map<string, string>();
  const unknown = new Set<string>();
  const find = (end: EndpointIdentity, keys: Map<string, string>, fqn: string): string | undefined => {
    const path = pathBelowEndpoint(end, fqn);
    const found = path && matchColumn(end, path, known);
    if (found) keys.set(found.name, found.key);
    else unknown.add(fqn);
    return found?.name;
  };
  const mappings = asked.flatMap((mapping): ColumnMapping[] => {
    const target = find(to, toKeys, mapping.toColumn);
    const origins = mapping.fromColumns.flatMap((column) => find(from, fromKeys, column) ?? []);
    if (target === undefined || origins.length === 0) return [];
    const made = mapping.function;
    return [{ from: [...new Set(origins)], to: target, ...(made === undefined ? {} : { function: made }) }];
  });
  return { mappings, fromKeys, toKeys, unknown: [...unknown] };
};

/** Maps a column name to its new name, or to undefined when the column is removed. */
export type ColumnNameMapper = (name: string) => string | undefined;

/** Applies renames and removals to mappings; mappings left without an origin or a target are dropped. */
export const renameMappings = (
  mappings: readonly ColumnMapping[],
  from: ColumnNameMapper,
  to: ColumnNameMapper,
): readonly ColumnMapping[] =>
  mappings.flatMap((mapping) => {
    const target = to(mapping.to);
    const origins = mapping.from.flatMap((name) => from(name) ?? []);
    return target === undefined || origins.length === 0 ? [] : [{ ...mapping, from: origins, to: target }];
  });
