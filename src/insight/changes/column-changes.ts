import type { RefNode } from '../../catalog/queries.ts';
import { isObject, type Json, type JsonObject, type MutableJsonObject, member } from '../../model/json.ts';
import { columnTreePath } from '../../model/kind/attribute.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { fqnPart, trySplitFqn } from '../../model/name.ts';
import type { ChangedColumn, ChangePart } from './catalog-change.ts';
import { type FieldEntry, listItemChanges } from './field-entries.ts';
import { isNarrowerType } from './narrower-type.ts';

/** Tells what a change description says of the columns and fields of a record. */

type ColumnTree = Kind['columnTrees'][number];

/** The members of a column that make up its type. */
const TYPE_MEMBERS: readonly string[] = ['dataType', 'arrayDataType', 'dataLength', 'precision', 'scale'];
const DISPLAYED_TYPE = 'dataTypeDisplay';

/** The members that an entry can be about. Any other last part of its name is a column, whose children it lists. */
const COLUMN_MEMBERS: ReadonlySet<string> = new Set([
  ...TYPE_MEMBERS,
  DISPLAYED_TYPE,
  'name',
  'displayName',
  'description',
  'tags',
  'constraint',
  'ordinalPosition',
  'jsonSchema',
  'owners',
  'extension',
]);

const columnAt = (node: RefNode, path: readonly string[]): ChangedColumn => ({
  name: path.at(-1) ?? '',
  fullyQualifiedName: [node.fullyQualifiedName, ...path.map(fqnPart)].join('.'),
  owner: node,
});

const columnType = (column: Json): JsonObject => {
  const out: MutableJsonObject = {};
  if (!isObject(column)) return out;
  for (const name of [...TYPE_MEMBERS, DISPLAYED_TYPE]) {
    const value = member(column, name);
    if (value !== undefined && value !== null) out[name] = value;
  }
  return out;
};

const nameOf = (column: Json): string => (isObject(column) ? String(member(column, 'name') ?? '') : '');

/** The columns that were added to a list and removed from it. Only the outermost are told. */
const listColumnChanges = (
  node: RefNode,
  path: readonly string[],
  entry: FieldEntry,
  breaks: boolean,
): ChangePart[] => {
  // Both sides of an entry for a new order hold the same names.
  if (entry.list === 'updated') return [];
  return listItemChanges(entry).map(({ item, isAdded }): ChangePart => {
    const column = columnAt(node, [...path, nameOf(item)]);
    return isAdded
      ? { kind: 'schema', change: 'columnAdded', column, after: columnType(item) }
      : { kind: 'schema', change: 'columnRemoved', column, before: columnType(item), breaking: breaks };
  });
};

const renamedColumn = (node: RefNode, path: readonly string[], { before, after }: FieldEntry): ChangePart => ({
  kind: 'schema',
  change: 'columnRenamed',
  column: columnAt(node, [...path.slice(0, -1), String(after ?? '')]),
  before: before ?? null,
  after: after ?? null,
  breaking: true,
});

/** What the entry for a member of a column tells, if that is anything by itself. */
const describeColumnMember = (column: ChangedColumn, name: string, entry: FieldEntry): ChangePart[] => {
  const { before = null, after = null } = entry;
  if (name === 'description' || name === 'displayName')
    return [{ kind: 'description', change: 'described', column, before, after }];
  if (name === 'constraint') return [{ kind: 'schema', change: 'constraintChanged', column, before, after }];
  if (name !== 'tags' || entry.list === 'updated') return [];
  return listItemChanges(entry).map(({ item, isAdded }) =>
    isAdded
      ? { kind: 'tags', change: 'tagAdded', column, after: item }
      : { kind: 'tags', change: 'tagRemoved', column, before: item },
  );
};

/** The types of a column before and after, as far as they differ. */
type Retyping = {
  readonly path: readonly string[];
  readonly before: MutableJsonObject;
  readonly after: MutableJsonObject;
};

const collectRetyping = (
  retypings: Map<string, Retyping>,
  path: readonly string[],
  name: string,
  entry: FieldEntry,
) => {
  const key = JSON.stringify(path);
  const known = retypings.get(key) ?? { path, before: {}, after: {} };
  retypings.set(key, known);
  if (entry.before !== undefined) known.before[name] = entry.before;
  if (entry.after !== undefined) known.after[name] = entry.after;
};

/** A type that is only written differently is no other type. */
const isRetyped = ({ before, after }: Retyping): boolean =>
  TYPE_MEMBERS.some((name) => String(before[name] ?? '').toUpperCase() !== String(after[name] ?? '').toUpperCase());

const describeRetyping = (node: RefNode, one: Retyping): ChangePart[] =>
  isRetyped(one)
    ? [
        {
          kind: 'schema',
          change: 'columnRetyped',
          column: columnAt(node, one.path),
          before: one.before,
          after: one.after,
          breaking: isNarrowerType(one.before, one.after),
        },
      ]
    : [];

/** The names of a path below a column tree; undefined when an entry is not about it. */
const pathBelow = (tree: string, name: string): readonly string[] | undefined => {
  if (name === tree) return [];
  return name.startsWith(`${tree}.`) ? trySplitFqn(name.slice(tree.length + 1)) : undefined;
};

const describeTree = (node: RefNode, [name, attribute]: ColumnTree, entries: readonly FieldEntry[]): ChangePart[] => {
  const tree = columnTreePath(name, attribute);
  const breaks = attribute.breaking || attribute.hasColumnLineage;
  const retypings = new Map<string, Retyping>();
  const parts = entries.flatMap((entry): ChangePart[] => {
    const path = pathBelow(tree, entry.name);
    if (!path) return [];
    const last = path.at(-1) ?? '';
    if (path.length < 2 || !COLUMN_MEMBERS.has(last)) return listColumnChanges(node, path, entry, breaks);
    const own = path.slice(0, -1);
    if (last === 'name') return [renamedColumn(node, own, entry)];
    if (TYPE_MEMBERS.includes(last) || last === DISPLAYED_TYPE) collectRetyping(retypings, own, last, entry);
    return describeColumnMember(columnAt(node, own), last, entry);
  });
  return [...parts, ...[...retypings.values()].flatMap((one) => describeRetyping(node, one))];
};

/** Lists what changed in the columns of a record. */
export const describeColumnChanges = (kind: Kind, node: RefNode, entries: readonly FieldEntry[]): ChangePart[] =>
  kind.columnTrees.flatMap((tree) => describeTree(node, tree, entries));

/** Whether an entry is about a column tree, or about what stands beside it. */
export const isColumnEntry = (kind: Kind, { name }: FieldEntry): boolean =>
  kind.columnTrees.some(([tree]) => name === tree || name.startsWith(`${tree}.`));
