import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { CatalogError } from '../../../errors.ts';
import { decodeDetails } from '../../edge.ts';
import type { Endpoint } from '../../endpoints.ts';
import { columnPairsOf } from '../../merge-assertions.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import type { EdgeTuple } from '../../queries.ts';
import type { LineageDepth } from '../read-subgraph.ts';
import type { LineageBudget, LineageDirection } from '../walk-edges.ts';
import { columnPathBelow } from './change-certainty.ts';
import { type ColumnHop, columnId, type TrailColumn } from './column-hops.ts';
import type { GraphReader } from './graph-reader.ts';
import { findLineageColumn } from './path-endpoints.ts';

/**
 * Follows columns step by step, upstream and downstream, as far as the caller may see. A walk along columns passes hubs
 * without reading their other neighbours.
 */

/** The step from one column to another, and whether it leads beyond the depth. */
type TrailStep = Pick<ColumnHop, 'near' | 'far'> & { readonly direction: LineageDirection; readonly isBeyond: boolean };

type TrailWalk = {
  /** The distance of each record from the root. */
  readonly depths: ReadonlyMap<string, number>;
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly hidden: ReadonlySet<string>;
  readonly steps: readonly TrailStep[];
  readonly truncated: 'nodes' | 'edges' | undefined;
  /** The records with columns that were not followed because of the budget. */
  readonly open: readonly string[];
};

/** The columns, and the steps between them, that lead to some columns or come from them. */
export type ColumnTrail = {
  /** The names of the columns of each record that the caller sees. */
  readonly columns: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether the trail leads from one column to another. */
  readonly joins: (from: string, fromName: string, to: string, toName: string) => boolean;
  /** The edges between the records on the trail, including those that are not on it. */
  readonly among: readonly EdgeTuple[];
  /** The records from which the trail goes on beyond the depth or the budget. */
  readonly frontier: ReadonlySet<string>;
  /** The columns that lie beyond the depth, as far as they are known and the caller sees them. */
  readonly beyond: readonly TrailColumn[];
  /** The records that lie beyond the depth. */
  readonly beyondIds: ReadonlySet<string>;
};

/** What a trail is walked with. */
export type TrailContext = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly moment: GraphReader;
  readonly budget: LineageBudget;
  readonly isThere: (node: RefNode) => boolean;
};

const stepId = (from: string, fromName: string, to: string, toName: string): string =>
  [from, fromName, to, toName].join('\u0001');

const joinedBy = ({ near, far, direction }: TrailStep): string =>
  direction === 'downstream'
    ? stepId(near.id, near.name, far.id, far.name)
    : stepId(far.id, far.name, near.id, near.name);

/** Follows columns in one direction. One step more than the depth tells what lies beyond it. */
const walkColumns = async (
  { engine, principal, moment, budget, isThere }: TrailContext,
  direction: LineageDirection,
  root: Endpoint,
  starts: readonly TrailColumn[],
  depth: number,
): Promise<TrailWalk> => {
  const depths = new Map([[root.id, 0]]);
  const nodes = new Map([[root.id, root.node]]);
  const known = new Set([root.id]);
  const hidden = new Set<string>();
  const passed = new Set(starts.map(columnId));
  const steps: TrailStep[] = [];
  let truncated: TrailWalk['truncated'];
  let open: readonly string[] = [];
  let front = starts;
  let left = budget.edges;
  for (let step = 1; step <= depth + 1 && front.length > 0 && !truncated; step += 1) {
    const isLast = step > depth;
    const { hops, isCut } = await moment.nextColumns(direction, front, left);
    left -= hops.length;
    const living = hops.filter(({ node }) => isThere(node));
    const fresh = living.flatMap(({ node }) => (known.has(node.id) ? [] : [node]));
    const sees = await readNodeVisibility(engine, principal, fresh);
    for (const { id } of fresh) {
      known.add(id);
      if (!sees(id)) hidden.add(id);
    }
    const next: TrailColumn[] = [];
    for (const hop of living) {
      const { near, far, node } = hop;
      const isReached = hidden.has(node.id) ? depths.has(node.id) : passed.has(columnId(far));
      steps.push({ near, far, direction, isBeyond: isLast && !isReached });
      if (isLast) continue;
      nodes.set(node.id, node);
      if (!depths.has(node.id)) depths.set(node.id, step);
      if (isReached || hidden.has(node.id)) continue;
      passed.add(columnId(far));
      next.push(far);
    }
    truncated = isCut ? 'edges' : nodes.size > budget.nodes ? 'nodes' : undefined;
    if (truncated) open = [...(isCut ? front : []), ...next].map(({ id }) => id);
    front = next;
  }
  return { depths, nodes, hidden, steps, truncated, open };
};

/** Groups the columns on both walks by record, beginning with those where the trail starts. */
const collectColumns = (starts: readonly TrailColumn[], walks: readonly TrailWalk[]): ColumnTrail['columns'] => {
  const columns = new Map<string, Set<string>>();
  const add = ({ id, name }: TrailColumn): void => {
    const names = columns.get(id);
    if (names) names.add(name);
    else columns.set(id, new Set([name]));
  };
  for (const start of starts) add(start);
  for (const { steps, hidden } of walks) {
    for (const { far, isBeyond } of steps) if (!isBeyond && !hidden.has(far.id)) add(far);
  }
  return columns;
};

const collectBeyond = (walks: readonly TrailWalk[], columns: ColumnTrail['columns']): readonly TrailColumn[] => {
  const found = walks.flatMap(({ steps, hidden }) =>
    steps.flatMap(({ far, isBeyond }) => (isBeyond && !hidden.has(far.id) ? [far] : [])),
  );
  const distinct = new Map(found.map((column) => [columnId(column), column]));
  return [...distinct.values()].filter(({ id, name }) => !columns.get(id)?.has(name));
};

/** The records on the trail with the edges between them, and the trail itself. */
export type WalkedTrail = {
  readonly up: ReadonlyMap<string, number>;
  readonly down: ReadonlyMap<string, number>;
  readonly known: ReadonlyMap<string, RefNode>;
  readonly edges: readonly EdgeTuple[];
  readonly missing: TrailWalk['truncated'];
  readonly sees: (id: string) => boolean;
  readonly trail: ColumnTrail;
};

/** Walks the trail of some columns of the root in both directions. */
export const walkTrail = async (
  context: TrailContext,
  root: Endpoint,
  starts: readonly TrailColumn[],
  span: LineageDepth,
): Promise<WalkedTrail> => {
  const { moment, budget } = context;
  const [up, down] = await Promise.all([
    walkColumns(context, 'upstream', root, starts, span.upstream),
    walkColumns(context, 'downstream', root, starts, span.downstream),
  ]);
  const walks = [up, down];
  const known = new Map([...up.nodes, ...down.nodes]);
  const steps = walks.flatMap((walk) => walk.steps);
  const joined = new Set(steps.flatMap((step) => (step.isBeyond ? [] : [joinedBy(step)])));
  const joins: ColumnTrail['joins'] = (...ends) => joined.has(stepId(...ends));
  const ids = [...known.keys()];
  const among = ids.length > 1 ? await moment.edgesBetween(ids, ids) : [];
  // Records may share the chart that stands for a column, so an edge is on the trail only if its mappings are.
  const edges = among.filter(([from, to, pipelineId, text]) =>
    [...columnPairsOf(decodeDetails(text, pipelineId).mappings).values()].some((pair) =>
      joins(from, pair.from, to, pair.to),
    ),
  );
  const columns = collectColumns(starts, walks);
  const beyond = steps.filter(({ isBeyond }) => isBeyond);
  return {
    up: up.depths,
    down: down.depths,
    known,
    edges,
    missing: up.truncated ?? down.truncated ?? (among.length > budget.edges ? 'edges' : undefined),
    sees: (id) => !up.hidden.has(id) && !down.hidden.has(id),
    trail: {
      columns,
      joins,
      among,
      frontier: new Set([...beyond.map(({ near }) => near.id), ...walks.flatMap(({ open }) => open)]),
      beyond: collectBeyond(walks, columns),
      beyondIds: new Set(beyond.map(({ far }) => far.id)),
    },
  };
};

/**
 * Finds the columns of the root where a trail starts. A column of a past time may be gone, but lineage of that time
 * still names it. Throws not_found when there is no such column.
 */
export const findTrailColumns = (
  { engine, moment }: Pick<TrailContext, 'engine' | 'moment'>,
  root: Endpoint,
  names: readonly string[],
  isPresent: boolean,
): Promise<readonly TrailColumn[]> =>
  Promise.all(
    names.map(async (text): Promise<TrailColumn> => {
      try {
        const { key, name } = await findLineageColumn(engine, root, text);
        return { key, id: root.id, name: columnPathBelow(root.node, name) };
      } catch (failure) {
        if (isPresent || !(failure instanceof CatalogError && failure.code === 'not_found')) throw failure;
        const past = { key: '', id: root.id, name: columnPathBelow(root.node, text) };
        const [up, down] = await Promise.all([
          moment.nextColumns('upstream', [past], 1),
          moment.nextColumns('downstream', [past], 1),
        ]);
        if (up.hops.length + down.hops.length === 0) throw failure;
        return past;
      }
    }),
  );
