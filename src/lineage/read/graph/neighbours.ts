import type { Principal } from '../../../access/principal.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import { type Endpoint, findEndpointsByIds } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { farEndOf } from '../breadth-first.ts';
import { isPipeline, splitAtPipelines } from '../read-subgraph.ts';
import { distinctEdges, isEdgeVisible, type LineageDirection } from '../walk-edges.ts';
import { type FoundEdges, NO_EDGES } from '../walker.ts';
import type { GraphContext, LineageGraph } from './build-graph.ts';
import { countHiddenNeighbours, DELETED_STATES, isCounted, sortEdges, toGraphEdge } from './drawn-edges.ts';
import { type GraphFilter, type GraphInclude, matchesGraphFilter, needsDescription } from './graph-parameters.ts';
import { readNodeDescriptions } from './node-descriptions.ts';
import type { NeighbourTuple } from './queries.ts';

/**
 * Lists what lies directly upstream or downstream of a record, so that one finds the right ones among thousands. The list
 * is computed from the names of all of them; edges and descriptions are read of one page.
 */

/** The number of neighbours that are looked at. */
const MOST_NEIGHBOURS = 100_000;

export type Neighbour = Pick<RefNode, 'id' | 'entityType' | 'name' | 'fullyQualifiedName' | 'displayName'> & {
  readonly isHidden: boolean;
};

export type NeighbourQuestion = {
  readonly side: LineageDirection;
  readonly include: GraphInclude;
  /** Words in small letters that the names of a record must contain. */
  readonly words: readonly string[];
  readonly filter: GraphFilter;
  /** The score by which the list is sorted; without it, names decide. */
  readonly scoreOf: ((id: string) => number) | undefined;
};

export type Neighbours = {
  readonly rows: readonly Neighbour[];
  /** How many there are of each type, whichever types are listed: those of most records first. */
  readonly types: readonly { readonly type: string; readonly count: number }[];
  readonly isCut: boolean;
  /** The edges that run through the record. */
  readonly carried: FoundEdges;
};

const decodeNeighbour = ([id, entityType, name, fullyQualifiedName, displayName]: NeighbourTuple) => ({
  ...{ id, entityType, name, fullyQualifiedName, displayName },
});

/** Reads the edges that run through a record, whose far ends are its neighbours too. Only pipelines have any. */
const readCarried = ({ moment, budget }: GraphContext, root: Endpoint): Promise<FoundEdges> =>
  isPipeline(root) ? moment.walker.viaPipeline(root.id, budget.edges + 1) : Promise.resolve(NO_EDGES);

const listFarEnds = ({ edges, nodes }: FoundEdges, side: LineageDirection, include: GraphInclude) => {
  const ends = new Set(edges.map(farEndOf(side)));
  return nodes.filter((node) => ends.has(node.id) && isCounted(node, include));
};

const hasWords = (words: readonly string[], { name, fullyQualifiedName, displayName }: Neighbour): boolean => {
  const text = `${displayName ?? ''} ${name} ${fullyQualifiedName}`.toLowerCase();
  return words.every((word) => text.includes(word));
};

type SortedBy = { readonly key: string };

const byKey = (one: SortedBy, other: SortedBy): number => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0);

/** Hidden neighbours come last and by ID, because their places would tell their names. */
const sortNeighbours = (rows: readonly Neighbour[], scoreOf: NeighbourQuestion['scoreOf']): readonly Neighbour[] => {
  const open = rows
    .filter(({ isHidden }) => !isHidden)
    .map((row) => {
      const { id, name, displayName, fullyQualifiedName } = row;
      const key = `${(displayName || name).toLowerCase()}\u0001${fullyQualifiedName}\u0001${id}`;
      return { row, score: scoreOf?.(id) ?? 0, key };
    });
  const hidden = rows.filter(({ isHidden }) => isHidden).map((row) => ({ row, key: row.id }));
  open.sort((one, other) => other.score - one.score || byKey(one, other));
  return [...open, ...hidden.sort(byKey)].map(({ row }) => row);
};

const countTypes = (rows: readonly Neighbour[]): Neighbours['types'] => {
  const counts = new Map<string, number>();
  for (const { entityType } of rows) counts.set(entityType, (counts.get(entityType) ?? 0) + 1);
  return [...counts]
    .map(([key, count]) => ({ key, count }))
    .sort((one, other) => other.count - one.count || byKey(one, other))
    .map(({ key, count }) => ({ type: key, count }));
};

/** Keeps the neighbours that lie in the wanted services and domains and have the wanted tags, as far as one sees that. */
const filterNeighbours = async (
  { engine }: GraphContext,
  rows: readonly Neighbour[],
  filter: GraphFilter,
): Promise<readonly Neighbour[]> => {
  if (!needsDescription(filter)) return rows;
  const open = rows.filter(({ isHidden }) => !isHidden);
  const described = await readNodeDescriptions(
    engine.graph,
    open.map(({ id }) => id),
  );
  return open.filter(({ id }) => {
    const description = described.get(id);
    return description !== undefined && matchesGraphFilter(filter, description);
  });
};

/** Lists all neighbours of a record that a question is about. What the caller may not see has no words. */
export const listNeighbours = async (
  context: GraphContext,
  principal: Principal,
  root: Endpoint,
  question: NeighbourQuestion,
): Promise<Neighbours> => {
  const { side, include, words, filter, scoreOf } = question;
  const { types } = filter;
  const [listed, carried] = await Promise.all([
    context.moment.listNeighbours(side, root.id, DELETED_STATES[include], MOST_NEIGHBOURS + 1),
    readCarried(context, root),
  ]);
  const near = [...listFarEnds(carried, side, include), ...listed.map(decodeNeighbour)];
  const distinct = new Map(near.map((row) => [row.id, row]));
  const all = [...distinct.values()].slice(0, MOST_NEIGHBOURS);
  const sees = await readNodeVisibility(context.engine, principal, all);
  const named = all
    .map((row): Neighbour => ({ ...row, isHidden: !sees(row.id) }))
    .filter((row) => words.length === 0 || (!row.isHidden && hasWords(words, row)));
  const found = await filterNeighbours(context, named, filter);
  const rows = types.length === 0 ? found : found.filter(({ entityType }) => types.includes(entityType));
  return {
    rows: sortNeighbours(rows, scoreOf),
    types: countTypes(found),
    isCut: distinct.size > all.length || carried.edges.length > context.budget.edges,
    carried,
  };
};

/** Reads the edges between a record and a page of its neighbours, and what of them the caller may see. */
const readPageEdges = async (
  { engine, moment }: GraphContext,
  principal: Principal,
  root: Endpoint,
  side: LineageDirection,
  page: readonly RefNode[],
  carried: FoundEdges,
) => {
  const ids = page.map(({ id }) => id);
  const [seen, own] = await Promise.all([
    // Both ends of an edge through the record must be visible, also the one that is not on the page.
    readNodeVisibility(engine, principal, [...page, ...carried.nodes]),
    side === 'upstream' ? moment.edgesBetween(ids, [root.id]) : moment.edgesBetween([root.id], ids),
  ]);
  const sees = (id: string) => id === root.id || seen(id);
  const [near, farOf] = [new Set(ids), farEndOf(side)];
  const all = splitAtPipelines(side, { upstream: own, downstream: own, carried: carried.edges }, 1);
  const edges = all.filter((edge) => near.has(farOf(edge)));
  return { edges: distinctEdges([...edges.filter((edge) => isEdgeVisible(edge, sees)), ...edges]), sees };
};

/** Builds the graph of a record and a page of its neighbours, in the order of the page. */
export const buildNeighbourGraph = async (
  context: GraphContext,
  principal: Principal,
  root: Endpoint,
  { side, include }: Pick<NeighbourQuestion, 'side' | 'include'>,
  { rows, isCut, carried }: Pick<Neighbours, 'rows' | 'isCut' | 'carried'>,
): Promise<LineageGraph> => {
  const { engine, moment, budget } = context;
  const found = await findEndpointsByIds(
    engine,
    rows.map(({ id }) => id),
  );
  const page = found.map(({ node }) => node);
  const { edges, sees } = await readPageEdges(context, principal, root, side, page, carried);
  const depth = side === 'upstream' ? -1 : 1;
  const nodes = page.map((node) => ({ node, depth, isHidden: !sees(node.id) }));
  const open = [root.id, ...page.flatMap(({ id }) => (sees(id) ? [id] : []))];
  const direct = edges.slice(0, budget.edges);
  return {
    roots: [root],
    nodes,
    edges: sortEdges(
      nodes,
      direct.map((tuple) => toGraphEdge(tuple, sees)),
    ),
    truncated: isCut ? 'nodes' : edges.length > budget.edges ? 'edges' : undefined,
    frontier: [],
    hiddenCounts: countHiddenNeighbours(await moment.countNeighbours(open, DELETED_STATES[include]), direct),
    described: new Map(),
  };
};
