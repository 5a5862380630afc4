import { equalJson, type Json } from '../../model/json.ts';
import { perKind } from '../../model/kind.ts';
import type { LabelNode, RefNode } from '../queries.ts';
import type { ColumnNode } from '../read/column-tree.ts';
import { ownNodes, type Snapshot, storedMembers } from '../read/snapshot.ts';

/**
 * Cheap looks at two states of one record, for the many writes that send what is there already. Yes is certain; no
 * only means that somebody has to look closer.
 */

const sameItems = <T>(a: readonly T[], b: readonly T[], same: (a: T, b: T) => boolean): boolean => {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at += 1) if (!same(a[at] as T, b[at] as T)) return false;
  return true;
};

const NONE: readonly never[] = [];

const sameRef = (a: RefNode, b: RefNode): boolean => a.id === b.id;
const sameRefs = (a: readonly RefNode[] | null = NONE, b: readonly RefNode[] | null = NONE): boolean =>
  sameItems(a ?? NONE, b ?? NONE, sameRef);

const sameLabel = (a: LabelNode, b: LabelNode): boolean => equalJson(a as unknown as Json, b as unknown as Json);
const sameLabels = (a: readonly LabelNode[] | null | undefined, b: readonly LabelNode[] | null | undefined): boolean =>
  sameItems(a ?? NONE, b ?? NONE, sameLabel);

const sameColumn = (a: ColumnNode, b: ColumnNode): boolean =>
  a.key === b.key &&
  equalJson(a.values, b.values) &&
  sameLabels(a.labels, b.labels) &&
  sameColumns(a.children, b.children);

const sameColumns = (a: readonly ColumnNode[], b: readonly ColumnNode[]): boolean => sameItems(a, b, sameColumn);

/** The stored columns themselves when the wished ones say the same, so that nobody has to compare them again. */
export const storedIfSame = (stored: readonly ColumnNode[], wished: readonly ColumnNode[]): readonly ColumnNode[] =>
  sameColumns(stored, wished) ? stored : wished;

const sections = perKind((kind) => kind.trees.map(([name]) => name));

/** Whether a record says the same of itself, its relations left aside. */
export const sameContent = (
  a: Pick<Snapshot, 'kind' | 'name' | 'values' | 'columns'>,
  b: Pick<Snapshot, 'kind' | 'name' | 'values' | 'columns'>,
): boolean =>
  a.name === b.name &&
  (a.columns === b.columns || sections(a.kind).every((section) => a.columns[section] === b.columns[section])) &&
  storedMembers(a.kind).every(([name]) => equalJson(a.values[name], b.values[name]));

const relations = perKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, { store }]) => (store === 'relation' ? [name] : [])),
);

/** Whether two states of one record are the same in all that a version tells of. */
export const sameState = (a: Snapshot, b: Snapshot): boolean =>
  sameContent(a, b) &&
  sameRefs(ownNodes(a.owners), ownNodes(b.owners)) &&
  sameRefs(ownNodes(a.domains), ownNodes(b.domains)) &&
  sameRefs(a.dataProducts, b.dataProducts) &&
  sameLabels(a.tags, b.tags) &&
  relations(a.kind).every((name) => sameRefs(a.related[name], b.related[name]));
