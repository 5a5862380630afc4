import type { RefNode } from '../../../catalog/queries.ts';
import type { Graph } from '../../../graph/client.ts';
import { fqnPart } from '../../../model/name.ts';
import { decodeDetails } from '../../edge.ts';
import { listEdgesBetween } from '../../queries.ts';
import type { ColumnStepRow } from './queries.ts';

/** What is done to what changes. */
export const COLUMN_CHANGES = ['drop', 'rename', 'retype'] as const;

export type ColumnChangeType = (typeof COLUMN_CHANGES)[number];

/** A column that a step begins at, with the record whose column it is. */
export type OwnedColumn = { readonly owner: RefNode; readonly name: string };

/** Whether a change of one column is surely one of the column that is made from it; if not, it may be. */
export type IsCertainChange = (row: ColumnStepRow) => boolean;

/** The path of a column below its record, whether it is named so, in full, or by its name alone. */
export const columnPathBelow = ({ fullyQualifiedName: root }: RefNode, name: string): string =>
  name.startsWith(`${root}.`) ? name.slice(root.length + 1) : fqnPart(name);

const pairKey = (from: string, fromName: string, to: string, toName: string): string =>
  [from, to, fromName, toName].join('\u0001');

/** The pairs of columns of which the second is the first and nothing else: no function makes it, of no others. */
const readCopiedPairs = async (
  graph: Graph,
  near: ReadonlySet<string>,
  far: ReadonlySet<string>,
  limit: number,
): Promise<ReadonlySet<string>> => {
  const rows = await graph.read(listEdgesBetween, { near: [...near], ids: [...far], limit });
  const copies = new Set<string>();
  for (const { edge } of rows) {
    const [from, to, pipelineId, text] = edge;
    for (const mapping of decodeDetails(text, pipelineId).mappings) {
      const [only, ...others] = mapping.from;
      if (only === undefined || others.length > 0 || mapping.function !== undefined) continue;
      copies.add(pairKey(from, only, to, mapping.to));
    }
  }
  return copies;
};

/**
 * How a change goes on from column to column. What is dropped is missing from everything made of it. A new name is a
 * matter of whoever reads the column by its name, so that what is behind these is only affected when they are not adapted.
 * A new type goes on as long as columns are handed on as they are; what is worked out of one may keep its type.
 */
export const createCertaintyCheck = async (
  graph: Graph,
  change: ColumnChangeType,
  depth: number,
  rows: readonly ColumnStepRow[],
  nearOf: (key: string) => OwnedColumn | undefined,
  limit: number,
): Promise<IsCertainChange> => {
  if (change === 'drop') return () => true;
  if (change === 'rename') return () => depth === 1;
  const owners = new Set(rows.flatMap(({ from }) => nearOf(from)?.owner.id ?? []));
  const copies = await readCopiedPairs(graph, owners, new Set(rows.map(({ node }) => node.id)), limit);
  return ({ from, name, node }) => {
    const near = nearOf(from);
    if (!near) return false;
    return copies.has(
      pairKey(near.owner.id, columnPathBelow(near.owner, near.name), node.id, columnPathBelow(node, name)),
    );
  };
};
