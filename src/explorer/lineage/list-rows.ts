import type { LineageNode } from '../api/types.ts';
import type { ShownGraph } from './graph-model.ts';
import { count } from './names.ts';

/** The rows of the list: the records of the graph by their distance, the nearest first. */

export type ListRow =
  | { readonly kind: 'distance'; readonly key: string; readonly title: string }
  | { readonly kind: 'record'; readonly key: string; readonly record: LineageNode };

const titleOf = (depth: number | undefined): string => {
  if (depth === undefined) return 'Elsewhere';
  if (depth === 0) return 'The asset';
  return `${count(Math.abs(depth), 'step')} ${depth < 0 ? 'upstream' : 'downstream'}`;
};

/** Upstream before downstream at the same distance; what has no distance comes last. */
const rankOf = (depth: number | undefined): number =>
  depth === undefined ? Number.MAX_SAFE_INTEGER : Math.abs(depth) * 2 + (depth > 0 ? 1 : 0);

export const listRows = ({ nodes, rootId }: Pick<ShownGraph, 'nodes' | 'rootId'>): readonly ListRow[] => {
  const depthOf = ({ id, depth }: LineageNode) => (id === rootId ? 0 : depth);
  const records = [...nodes.values()].sort(
    (one, other) =>
      rankOf(depthOf(one)) - rankOf(depthOf(other)) ||
      (one.fullyQualifiedName ?? '').localeCompare(other.fullyQualifiedName ?? ''),
  );
  let former = '';
  return records.flatMap((record): ListRow[] => {
    const title = titleOf(depthOf(record));
    const isFirst = title !== former;
    former = title;
    const row = { kind: 'record' as const, key: record.id, record };
    return isFirst ? [{ kind: 'distance', key: title, title }, row] : [row];
  });
};
