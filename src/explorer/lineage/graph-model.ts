import type { ColumnEdge, LineageEdge, LineageGraph, LineageNode } from '../api/types.ts';
import { edgeKey } from './edge-key.ts';
import type { LineageDifference } from './read-difference.ts';
import { NO_TRUSTS, type Trusts } from './trust.ts';

/** The lineage that a page shows: what several answers of the API say together. */

export type Direction = 'upstream' | 'downstream';

export type ShownGraph = {
  readonly rootId: string;
  readonly nodes: ReadonlyMap<string, LineageNode>;
  readonly edges: ReadonlyMap<string, LineageEdge>;
  /** How many neighbours of a record are not shown, besides those that the filters leave out. */
  readonly hidden: ReadonlyMap<string, SideCounts>;
  /** How many neighbours of a record the filters leave out, as far as it is known. */
  readonly filtered: ReadonlyMap<string, SideCounts>;
  readonly isTruncated: boolean;
  /** The records at which an answer was cut at its limit, though the depth leads farther. */
  readonly cutAt: ReadonlySet<string>;
  /** What became of edges and records between two times, where they are compared. */
  readonly fates: ReadonlyMap<string, Fate>;
  /** Whether two times have been compared. */
  readonly isCompared: boolean;
  /** How edges are known, as far as that was asked. */
  readonly trusts: Trusts;
};

/** Numbers of neighbours on both sides of a record. */
export type SideCounts = Readonly<Record<Direction, number>>;

const NONE: SideCounts = { upstream: 0, downstream: 0 };

const eachSide = (one: SideCounts, other: SideCounts, join: (a: number, b: number) => number): SideCounts => ({
  upstream: join(one.upstream, other.upstream),
  downstream: join(one.downstream, other.downstream),
});

/** Without the neighbours that the filters leave out: nobody can go on to them. */
const withoutFiltered = (counts: SideCounts, filtered: SideCounts = NONE): SideCounts =>
  eachSide(counts, filtered, (all, leftOut) => Math.max(0, all - leftOut));

/** The neighbours of a record to which one can go on from an answer. */
export const furtherFrom = ({ hiddenCounts }: Pick<LineageGraph, 'hiddenCounts'>, id: string): SideCounts => {
  const counts = hiddenCounts[id] ?? NONE;
  return withoutFiltered(counts, hiddenCounts[id]?.filtered);
};

/** Of a record that several answers show, the one that asked further knows of fewer hidden neighbours. */
export const leastOf = (one: SideCounts, other: SideCounts | undefined): SideCounts =>
  eachSide(one, other ?? one, Math.min);

export type Fate = 'came' | 'went' | 'changed';

/** What a record is called at which an answer was cut. */
export const CUT_WORDS = 'cut here';

/** Each fate in a word, with a sign for those who do not tell the colours apart. */
export const FATE_NAMES: Readonly<Record<Fate, string>> = { came: '+ new', went: '− gone', changed: '~ changed' };

export const columnEdgeKey = ({ fromEntity, fromColumn, toEntity, toColumn }: ColumnEdge): string =>
  [fromEntity, fromColumn, toEntity, toColumn].join(' ');

/** What an answer tells of a graph, around a record or among some. */
export type Answered = Pick<LineageGraph, 'nodes' | 'edges' | 'truncated' | 'frontier' | 'hiddenCounts'>;

const mergeHidden = (graphs: readonly Answered[]): Pick<ShownGraph, 'hidden' | 'filtered'> => {
  const hidden = new Map<string, SideCounts>();
  const filtered = new Map<string, SideCounts>();
  for (const graph of graphs) {
    for (const { id } of graph.nodes) {
      hidden.set(id, leastOf(furtherFrom(graph, id), hidden.get(id)));
      const leftOut = graph.hiddenCounts[id]?.filtered;
      if (leftOut) filtered.set(id, eachSide(leftOut, filtered.get(id) ?? NONE, Math.max));
    }
  }
  return { hidden, filtered };
};

/** Joins answers; the first is that of the record which the page is about. */
export const mergeGraphs = (first: LineageGraph, more: readonly Answered[] = []): ShownGraph => {
  const graphs: readonly Answered[] = [first, ...more];
  const nodes = new Map<string, LineageNode>();
  for (const node of graphs.flatMap((graph) => graph.nodes)) if (!nodes.has(node.id)) nodes.set(node.id, node);
  return {
    rootId: first.root.id ?? '',
    nodes,
    edges: new Map(graphs.flatMap(({ edges }) => edges).map((edge) => [edgeKey(edge), edge])),
    ...mergeHidden(graphs),
    isTruncated: graphs.some(({ truncated }) => truncated),
    cutAt: new Set(graphs.flatMap(({ frontier }) => frontier)),
    fates: new Map(),
    isCompared: false,
    trusts: NO_TRUSTS,
  };
};

/** Adds the edges that no single answer tells, because each looks around one record, and counts neighbours anew. */
export const joinShown = (
  graph: ShownGraph,
  { edges, hiddenCounts }: Pick<LineageGraph, 'edges' | 'hiddenCounts'>,
): ShownGraph => {
  const joins = edges.filter(({ fromEntity, toEntity }) => graph.nodes.has(fromEntity) && graph.nodes.has(toEntity));
  const counts = Object.entries(hiddenCounts).flatMap(([id, all]) =>
    graph.nodes.has(id) ? [[id, withoutFiltered(all, graph.filtered.get(id))] as const] : [],
  );
  return {
    ...graph,
    edges: new Map([...joins.map((edge) => [edgeKey(edge), edge] as const), ...graph.edges]),
    hidden: new Map([...graph.hidden, ...counts]),
  };
};

/** Adds what is no longer there, and says of everything else that differs what became of it. */
export const markDifferences = (
  graph: ShownGraph,
  { added, removed, changed, isTruncated }: LineageDifference,
): ShownGraph => {
  const nodes = new Map(graph.nodes);
  for (const node of [...removed.nodes, ...added.nodes]) if (!nodes.has(node.id)) nodes.set(node.id, node);
  const edges = new Map(graph.edges);
  for (const edge of [...removed.edges, ...added.edges]) if (!edges.has(edgeKey(edge))) edges.set(edgeKey(edge), edge);
  const fates = new Map<string, Fate>([
    ...changed.map((key) => [key, 'changed'] as const),
    ...added.edges.map((edge) => [edgeKey(edge), 'came'] as const),
    ...removed.edges.map((edge) => [edgeKey(edge), 'went'] as const),
    ...added.nodes.map(({ id }) => [id, 'came'] as const),
    ...removed.nodes.map(({ id }) => [id, 'went'] as const),
  ]);
  return {
    ...graph,
    ...{ nodes, edges, fates, isCompared: true },
    isTruncated: graph.isTruncated || isTruncated,
  };
};

/** Says of records that were picked one by one whether they came or went: all of their edges did. */
export const markNeighbours = (graph: ShownGraph, picked: readonly string[]): ShownGraph => {
  if (picked.length === 0) return graph;
  const fates = new Map(graph.fates);
  const known = new Map(picked.map((id) => [id, new Set<Fate | undefined>()]));
  for (const [key, { fromEntity, toEntity }] of graph.edges) {
    for (const id of [fromEntity, toEntity]) known.get(id)?.add(graph.fates.get(key));
  }
  for (const [id, all] of known) {
    const [fate] = all;
    if (all.size === 1 && (fate === 'came' || fate === 'went')) fates.set(id, fate);
  }
  return { ...graph, fates };
};

/** The record that a column is of: the one with the longest full name that the column's begins with. */
export const findColumnOwner = ({ nodes }: Pick<ShownGraph, 'nodes'>, column: string): LineageNode | undefined => {
  let owner: LineageNode | undefined;
  for (const node of nodes.values()) {
    const { fullyQualifiedName: fqn } = node;
    if (fqn === undefined || !column.startsWith(`${fqn}.`)) continue;
    if (fqn.length > (owner?.fullyQualifiedName?.length ?? 0)) owner = node;
  }
  return owner;
};
