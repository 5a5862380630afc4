import type { RefNode } from '../../../catalog/queries.ts';
import type { Graph } from '../../../graph/client.ts';
import { fqnPart } from '../../../model/name.ts';
import { decodeDetails } from '../../edge.ts';
import { listEdgesBetween } from '../../queries.ts';
import type { ColumnStepRow } from './queries.ts';

/** The kinds of column changes. */
export const COLUMN_CHANGES = ['drop', 'rename', 'retype'] as const;

export type ColumnChangeType = (typeof COLUMN_CHANGES)[number];

/** The column where a step begins, with its record. */
export type OwnedColumn = { readonly owner: RefNode; readonly name: string };

/** Whether a change of one column certainly changes the column made from it; otherwise it only may. */
export type IsCertainChange = (row: ColumnStepRow) => boolean;

/** Returns the path of a column below its record; the name may be that path, a full name or a bare column name. */
export const columnPathBelow = ({ fullyQualifiedName: root }: RefNode, name: string): string =>
  name.startsWith(`${root}.`) ? name.slice(root.length + 1) : fqnPart(name);

const pairKey = (from: string, fromName: string, to: string, toName: string): string =>
  [from, to, fromName, toName].join('\u0001');

/** Returns the column pairs where the second column is an exact copy: it has one origin and no function. */
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
 * Creates the check whether a change certainly passes from column to column. A dropped column is certainly missing from
 * everything made from it. A rename certainly affects only direct readers, because everything behind them is unaffected
 * once they are adapted. A new type certainly affects copies, while computed columns may keep their types.
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
