import type { JudgedColumn } from './judge-columns.ts';
import type { PropagatedLabel } from './queries.ts';
import { describeShortestWay, describeWay } from './render-rows.ts';
import type { ColumnRelabel } from './write-labels.ts';

/** Plans how labels by lineage change so that each column has one exactly as long as a way leads to it. */

export type RelabelRequest = {
  readonly tagFqn: string;
  readonly rows: readonly JudgedColumn[];
  readonly labels: readonly PropagatedLabel[];
  /** Whether columns without the label get it. */
  readonly adds: boolean;
};

/** A reason stays as long as it is one of the shortest ways, so that a label does not change with every new way. */
const isTrueReason = ({ paths }: JudgedColumn, reason: string): boolean =>
  paths.some((path) => describeWay(path) === reason);

export const planRelabels = ({ tagFqn, rows, labels, adds }: RelabelRequest): readonly ColumnRelabel[] => {
  const open = new Map(rows.flatMap((row) => (row.state === 'blocked' ? [] : [[row.column.key, row] as const])));
  const kept = labels.flatMap(({ key, fullyQualifiedName, reason }): ColumnRelabel[] => {
    const row = open.get(key);
    if (row && isTrueReason(row, reason)) return [];
    return [{ key, fullyQualifiedName, tagFqn, reason: row && describeShortestWay(row) }];
  });
  const added = adds
    ? [...open.values()].flatMap((row): ColumnRelabel[] => {
        const { key, fullyQualifiedName } = row.column;
        return row.state === 'missing' ? [{ key, fullyQualifiedName, tagFqn, reason: describeShortestWay(row) }] : [];
      })
    : [];
  return [...kept, ...added];
};
