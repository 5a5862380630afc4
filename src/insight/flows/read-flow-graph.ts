import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { readNextSteps, readNextStepsWithoutColumns } from '../../lineage/read/graph/next-steps.ts';
import type { StepRow } from '../../lineage/read/graph/queries.ts';
import type { LineageBudget } from '../../lineage/read/walk-edges.ts';
import { groupBy } from '../../model/group-by.ts';
import { type ColumnGraph, readColumnGraph, type TracedColumn } from '../columns/column-graph.ts';
import type { TrustRules } from '../columns/mapping-trust.ts';
import { isStopped, PROPAGATION_STOP } from '../propagation/ways.ts';
import {
  buildFlowGraph,
  type FlowArc,
  type FlowGraph,
  type FlowNode,
  type FlowSource,
  wholeAsset,
} from './flow-graph.ts';

/** Reads where the labels of some columns flow: along mappings, and along edges of which nobody knows the columns. */

export type ReadFlowGraph = {
  readonly graph: FlowGraph;
  /** The columns that carry the label and from which it may flow. */
  readonly sources: readonly FlowSource[];
  readonly cut: 'edges' | undefined;
};

export type FlowRequest = {
  /** The keys of the columns that carry a label. */
  readonly carriers: readonly string[];
  readonly tagName: string;
  readonly trust: TrustRules;
  readonly maxDepth: number;
  readonly budget: LineageBudget;
};

const columnNode = (column: TracedColumn): FlowSource => ({ ...column, isColumn: true });

type ColumnFlow = {
  readonly sources: readonly FlowSource[];
  readonly arcs: FlowArc[];
  /** All columns that a label is in. */
  readonly reached: ReadonlyMap<string, FlowNode>;
};

/** Follows the mappings that let labels pass, so that nothing behind an obstacle is taken for reached. */
const followColumns = (graph: ColumnGraph, carriers: readonly string[]): ColumnFlow => {
  const sources = carriers.flatMap((key) => {
    const column = graph.columns.get(key);
    return column && !isStopped(column) ? [columnNode(column)] : [];
  });
  const arcs = graph.steps.flatMap(({ from, to, blocker }): FlowArc[] =>
    blocker === undefined && !isStopped(from) && !isStopped(to) ? [[columnNode(from), columnNode(to)]] : [],
  );
  const { leaving } = buildFlowGraph(arcs);
  const reached = new Map<string, FlowNode>(sources.map((source) => [source.key, source]));
  // Both the map and what is read of it grow until nothing new is reached.
  for (const { key } of reached.values()) for (const next of leaving.get(key) ?? []) reached.set(next.key, next);
  return { sources, arcs: arcs.filter(([{ key }]) => reached.has(key)), reached };
};

type AssetStep = readonly [from: string, to: RefNode];

/** The steps between assets that the caller sees. */
const visibleSteps = async (
  engine: Engine,
  principal: Principal,
  rows: readonly StepRow[],
): Promise<readonly AssetStep[]> => {
  const sees = await readNodeVisibility(
    engine,
    principal,
    rows.map(({ node }) => node),
  );
  return rows.flatMap(({ from, node }): AssetStep[] => (sees(node.id) ? [[from, node]] : []));
};

type WholeFlow = { readonly arcs: readonly FlowArc[]; readonly isCut: boolean };

/** Follows the edges without columns from what was reached, and behind them every edge. */
const followAssets = async (
  engine: Engine,
  principal: Principal,
  reached: Iterable<FlowNode>,
  maxDepth: number,
  most: number,
): Promise<WholeFlow> => {
  const columnsOf = groupBy(reached, ({ owner }) => owner.id);
  const arcs: FlowArc[] = [];
  const seen = new Set<string>();
  let rows = 0;
  const read = async (readRows: typeof readNextSteps, ids: readonly string[]): Promise<readonly AssetStep[]> => {
    if (ids.length === 0) return [];
    const found = await readRows(engine.graph, 'downstream', ids, Math.max(1, most - rows + 1));
    rows += found.length;
    return visibleSteps(engine, principal, found);
  };
  const enter = (steps: readonly AssetStep[]): RefNode[] => {
    const fresh = new Map(steps.flatMap(([, node]) => (seen.has(node.id) ? [] : [[node.id, node] as const])));
    for (const id of fresh.keys()) seen.add(id);
    return [...fresh.values()];
  };
  const bare = await read(readNextStepsWithoutColumns, [...columnsOf.keys()]);
  for (const [from, node] of bare)
    for (const column of columnsOf.get(from) ?? []) arcs.push([column, wholeAsset(node)]);
  let frontier = enter(bare);
  const isFull = (): boolean => Math.max(rows, arcs.length) > most;
  for (let depth = 1; depth < maxDepth && frontier.length > 0 && !isFull(); depth += 1) {
    const nodes = new Map(frontier.map((node) => [node.id, node]));
    const steps = await read(readNextSteps, [...nodes.keys()]);
    for (const [from, node] of steps) arcs.push([wholeAsset(nodes.get(from) as RefNode), wholeAsset(node)]);
    frontier = enter(steps);
  }
  return { arcs: arcs.slice(0, most), isCut: isFull() };
};

/** Reads the graph of everything that labels flow to, as far as the caller may see. */
export const readFlowGraph = async (
  engine: Engine,
  principal: Principal,
  { carriers, tagName, trust, maxDepth, budget }: FlowRequest,
): Promise<ReadFlowGraph> => {
  const columns = await readColumnGraph(engine, principal, trust, {
    starts: carriers,
    direction: 'downstream',
    tagNames: [tagName, PROPAGATION_STOP],
    withTerms: false,
    maxDepth,
    maxSteps: budget.edges,
  });
  const { sources, arcs, reached } = followColumns(columns, carriers);
  const most = Math.max(0, budget.edges - columns.steps.length);
  const whole = await followAssets(engine, principal, reached.values(), maxDepth, most);
  return {
    graph: buildFlowGraph([...arcs, ...whole.arcs]),
    sources,
    cut: columns.cut ?? (whole.isCut ? 'edges' : undefined),
  };
};
