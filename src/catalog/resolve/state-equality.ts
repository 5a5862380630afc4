import { equalJson, type Json } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { LabelNode, RefNode } from '../queries.ts';
import type { ColumnNode } from '../read/column-tree.ts';
import { filterOwnNodes, type Snapshot, storedMembers } from '../read/snapshot.ts';

/**
 * Cheap comparisons of two states of one record, for the many writes that send what is already stored. True is certain;
 * false only means that a full comparison is needed.
 */

const areItemsEqual = <T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (!same(a[at] as T, b[at] as T)) return false;
  return true;
};

const NONE: readonly never[] = [];

const isSameRef = (a: RefNode, b: RefNode): boolean => a.id === b.id;
const areRefsEqual = (a: readonly RefNode[] | null = NONE, b: readonly RefNode[] | null = NONE): boolean =>
  areItemsEqual(a ?? NONE, b ?? NONE, isSameRef);

const isSameLabel = (a: LabelNode, b: LabelNode): boolean => equalJson(a as unknown as Json, b as unknown as Json);
const areLabelsEqual = (
  a: readonly LabelNode[] | null | undefined,
  b: readonly LabelNode[] | null | undefined,
): boolean => areItemsEqual(a ?? NONE, b ?? NONE, isSameLabel);

const isSameColumn = (a: ColumnNode, b: ColumnNode): boolean =>
  a.key === b.key &&
  equalJson(a.values, b.values) &&
  areLabelsEqual(a.labels, b.labels) &&
  areColumnsEqual(a.children, b.children);

const areColumnsEqual = (a: readonly ColumnNode[], b: readonly ColumnNode[]): boolean =>
  areItemsEqual(a, b, isSameColumn);

/** Returns the stored columns if the requested ones are equal, so that they need no further comparison. */
export const reuseStoredColumns = (
  stored: readonly ColumnNode[],
  requested: readonly ColumnNode[],
): readonly ColumnNode[] => (areColumnsEqual(stored, requested) ? stored : requested);

const sectionNames = memoisePerKind((kind) => kind.columnTrees.map(([name]) => name));

/** Whether two states have the same content, apart from relations. */
export const hasSameContent = (
  a: Pick<Snapshot, 'kind' | 'name' | 'values' | 'columns'>,
  b: Pick<Snapshot, 'kind' | 'name' | 'values' | 'columns'>,
): boolean =>
  a.name === b.name &&
  (a.columns === b.columns || sectionNames(a.kind).every((section) => a.columns[section] === b.columns[section])) &&
  storedMembers(a.kind).every(([name]) => equalJson(a.values[name], b.values[name]));

const relationNames = memoisePerKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, { store }]) => (store === 'relation' ? [name] : [])),
);

/** Whether two states of one record are equal in everything that a version covers. */
export const isSameState = (a: Snapshot, b: Snapshot): boolean =>
  hasSameContent(a, b) &&
  areRefsEqual(filterOwnNodes(a.owners), filterOwnNodes(b.owners)) &&
  areRefsEqual(filterOwnNodes(a.domains), filterOwnNodes(b.domains)) &&
  areRefsEqual(a.dataProducts, b.dataProducts) &&
  areLabelsEqual(a.tags, b.tags) &&
  relationNames(a.kind).every((name) => areRefsEqual(a.related[name], b.related[name]));
