import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import type { LineageImpact, LineageNode } from '../api/types.ts';
import type { LineageChoice } from './choice.ts';
import { findColumnOwner, type ShownGraph } from './graph-model.ts';
import { type Highlight, highlightPath } from './highlight.ts';

/** Asks what a change may break, once for the panel and the path that stands out in the graph. */

export type Affected = LineageImpact['affected'][number];

/** The record whose change is asked about: that of the lit column, or else that of the page. */
const subjectOf = ({ nodes, rootId }: ShownGraph, column: string | undefined): LineageNode | undefined => {
  const root = nodes.get(rootId);
  if (column === undefined || column.startsWith(`${root?.fullyQualifiedName}.`)) return root;
  return findColumnOwner({ nodes }, column) ?? root;
};

export const useImpact = (graph: ShownGraph | undefined, { change, column }: LineageChoice) => {
  const subject = graph && subjectOf(graph, column);
  const ofColumn = column?.startsWith(`${subject?.fullyQualifiedName}.`) ? column : undefined;
  const answer = useQuery({
    queryKey: ['impact', subject?.id, change, ofColumn],
    queryFn: ({ signal }) =>
      ask<LineageImpact>('/v1/lineage/impact', { query: { id: subject?.id, change, column: ofColumn }, signal }),
    enabled: subject !== undefined && change !== undefined,
  });
  return { subject, column: ofColumn, ...answer };
};

/** The path by which the change reaches a record. */
export const highlightImpact = (
  impact: LineageImpact | undefined,
  reached: string | undefined,
): Highlight | undefined => {
  const row = impact?.affected.find(({ entity }) => entity.id === reached);
  return row && highlightPath(row.path);
};
