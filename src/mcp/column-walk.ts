import type { Json, JsonObject } from '../model/json.ts';

/** Walks the column edges of a lineage graph from one column on. */

export type WalkDirection = 'upstream' | 'downstream';

type ColumnStep = { readonly step: number; readonly edge: JsonObject };

const ENDS = { upstream: ['toColumn', 'fromColumn'], downstream: ['fromColumn', 'toColumn'] } as const;

const groupBy = (edges: readonly JsonObject[], member: string): ReadonlyMap<Json | undefined, JsonObject[]> => {
  const groups = new Map<Json | undefined, JsonObject[]>();
  for (const edge of edges) {
    const group = groups.get(edge[member]);
    if (group) group.push(edge);
    else groups.set(edge[member], [edge]);
  }
  return groups;
};

/** Lists the column edges behind or before a column, nearest first. Every edge is listed once, also in a cycle. */
export const walkColumns = (
  edges: readonly JsonObject[],
  start: string,
  direction: WalkDirection,
): readonly ColumnStep[] => {
  const [near, far] = ENDS[direction];
  const byNear = groupBy(edges, near);
  const seen = new Set<Json | undefined>([start]);
  const steps: ColumnStep[] = [];
  let layer: (Json | undefined)[] = [start];
  for (let step = 1; layer.length > 0; step += 1) {
    const next = new Set<Json | undefined>();
    for (const edge of layer.flatMap((column) => byNear.get(column) ?? [])) {
      steps.push({ step, edge });
      if (!seen.has(edge[far])) next.add(edge[far]);
    }
    for (const column of next) seen.add(column);
    layer = [...next];
  }
  return steps;
};

export const columnStepRow = ({ step, edge }: ColumnStep): JsonObject => ({
  step,
  from: edge['fromColumn'] ?? '',
  to: edge['toColumn'] ?? '',
  ...(edge['function'] === undefined ? {} : { function: edge['function'] }),
});
