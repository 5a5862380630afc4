import { columnKey } from '../catalog/read/column-tree.ts';
import { type Kind, memoisePerKind } from '../model/kind/kind.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import type { ColumnMapping } from './edge.ts';

/** One end of an edge, as far as its columns are concerned. */
export type EndpointIdentity = { readonly id: string; readonly fullyQualifiedName: string; readonly kind: Kind };

const splitColumnName = (fqn: string): readonly string[] | undefined => {
  try {
    return splitFqn(fqn);
  } catch {
    // What is no name at all names no column, which is nobody's mistake (lineage 5).
    return undefined;
  }
};

/** The names on the way from a record to the column that a full name means; undefined when it lies somewhere else. */
const pathBelowEndpoint = (end: EndpointIdentity, fqn: string): readonly string[] | undefined => {
  const { fullyQualifiedName: root } = end;
  if (!root.includes('"') && !fqn.includes('"')) {
    return fqn.startsWith(`${root}.`) ? splitColumnName(fqn.slice(root.length + 1)) : undefined;
  }
  const [whole, above] = [splitColumnName(fqn), splitFqn(root)];
  if (!whole || whole.length <= above.length || above.some((part, at) => part !== whole[at])) return undefined;
  return whole.slice(above.length);
};

const tracedTrees = memoisePerKind((kind) => kind.columnTrees.filter(([, { hasColumnLineage }]) => hasColumnLineage));

/** The keys that the column at a path may have: as many as the record has trees. */
export const columnKeysAt = (
  { id, kind }: Pick<EndpointIdentity, 'id' | 'kind'>,
  path: readonly string[],
): readonly string[] => tracedTrees(kind).map(([section, { nameKey }]) => columnKey(id, section, path, nameKey));

/** Whether a key is a column's; otherwise it is the id of a record that stands for one. */
export const isColumnKey = (key: string): boolean => key.includes(':');

/** The column of a record that a name below it means. */
export type MatchedColumn = {
  /** The key of the column, or the id of the record that stands for one. */
  readonly key: string;
  /** Its name below the record, as the catalog spells it. */
  readonly name: string;
};

/** The columns that were found, by their keys. */
export type KnownColumns = {
  /** Full names of columns by key. */
  readonly columns: ReadonlyMap<string, string>;
  /** Records that stand for columns, by the id of the record they are parts of and their name. */
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

/** Mappings as a request has them: with full names. */
export type ColumnMappingInput = {
  readonly fromColumns: readonly string[];
  readonly toColumn: string;
  readonly function?: string;
};

/** What to look for before mappings can be understood. */
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

/** Mappings as far as their columns are there, the keys of those columns by name, and what is not there. */
export type ResolvedMappings = {
  readonly mappings: readonly ColumnMapping[];
  readonly fromKeys: ReadonlyMap<string, string>;
  readonly toKeys: ReadonlyMap<string, string>;
  readonly unknown: readonly string[];
};

/** Columns that nobody knows are left out, and so are mappings of which nothing is left (lineage 5). */
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
