import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { RefNode } from '../../../catalog/queries.ts';
import type { Endpoint } from '../../endpoints.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { type EdgeTuple, listEdgesBetween } from '../../queries.ts';
import type { GraphRoom } from './graph-room.ts';
import { createLookAheadReader } from './look-ahead.ts';
import { isLivingStep, readNextColumns } from './next-steps.ts';
import { type PathEndpoint, readJoinedColumns } from './path-endpoints.ts';
import type { StepRow } from './queries.ts';
import { type ExpandFrontier, findShortestPaths, type ShortestPaths } from './shortest-paths.ts';

/** A column on a path, with its record. */
export type PathColumn = { readonly owner: RefNode; readonly name: string };

/** Paths between two records, with the records and edges to render. */
export type RecordPaths = ShortestPaths & {
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly edges: ReadonlyMap<string, EdgeTuple>;
};

/** Paths between columns, as column keys. */
export type ColumnPaths = ShortestPaths & { readonly columns: ReadonlyMap<string, PathColumn> };

export type PathRequest = {
  readonly maxPaths: number;
  readonly maxLength: number;
  readonly maxHops: number;
  readonly avoid: ReadonlySet<string>;
  /** The entity types of the records that a path may lead through; an empty list allows all. */
  readonly types: readonly string[];
};

/** Whether a path may contain a record. Its ends may be of any type. */
type IsPassable = (node: RefNode) => boolean;

const createPassage = (
  { avoid, types }: Pick<PathRequest, 'avoid' | 'types'>,
  ends: readonly { readonly id: string }[],
): IsPassable => {
  const endIds = new Set(ends.map(({ id }) => id));
  return ({ id, entityType }) => !avoid.has(id) && (types.length === 0 || types.includes(entityType) || endIds.has(id));
};

/** Drops steps to hidden records and to those that no path may contain. */
const filterPassable = async <T extends StepRow>(
  engine: Engine,
  principal: Principal,
  rows: readonly T[],
  isPassable: IsPassable,
): Promise<readonly T[]> => {
  const sees = await readNodeVisibility(
    engine,
    principal,
    rows.map(({ node }) => node),
  );
  return rows.filter(({ node }) => isPassable(node) && sees(node.id));
};

export const pathEdgeKey = (from: string, to: string): string => `${from} ${to}`;

export const findRecordPaths = async (
  { engine, walker }: Pick<GraphRoom, 'engine' | 'walker'>,
  principal: Principal,
  [from, to]: readonly [Endpoint, Endpoint],
  { avoid, types, ...bounds }: PathRequest,
): Promise<RecordPaths> => {
  const isPassable = createPassage({ avoid, types }, [from, to]);
  const nodes = new Map<string, RefNode>([from, to].map(({ id, node }) => [id, node]));
  const step = createLookAheadReader(engine.graph, walker);
  const next: ExpandFrontier = async (direction, ids, limit) => {
    const rows = await step(direction, ids, limit);
    const open = await filterPassable(engine, principal, rows, isPassable);
    for (const { node } of open) nodes.set(node.id, node);
    // When the limit was reached, all rows are returned, so that the search sees the cut even if it may pass only some
    // of them.
    if (rows.length >= limit) return rows.map((row) => [row.from, row.to] as const);
    return open.map((row) => [row.from, row.to] as const);
  };
  const found = await findShortestPaths({ ...bounds, starts: [from.id], targets: [to.id] }, next);
  const ids = [...new Set(found.paths.flat())];
  const edges =
    ids.length > 0 ? await engine.graph.read(listEdgesBetween, { near: ids, ids, limit: bounds.maxHops }) : [];
  return { ...found, nodes, edges: new Map(edges.map(({ edge }) => [pathEdgeKey(edge[0], edge[1]), edge])) };
};

/**
 * Returns the column keys of an endpoint and the columns they show; for a record, all its columns with column lineage.
 */
const readEndpointKeys = async (engine: Engine, { site, column }: PathEndpoint, most: number) => {
  const { columns, isCut } = column ? { columns: [column], isCut: false } : await readJoinedColumns(engine, site, most);
  return {
    isCut,
    keys: new Map(columns.map(({ key, name }): [string, PathColumn] => [key, { owner: site.node, name }])),
  };
};

export const findColumnPaths = async (
  engine: Engine,
  principal: Principal,
  [from, to]: readonly [PathEndpoint, PathEndpoint],
  { avoid, types, ...bounds }: PathRequest,
): Promise<ColumnPaths> => {
  const isPassable = createPassage({ avoid, types }, [from.site, to.site]);
  const ends = await Promise.all([
    readEndpointKeys(engine, from, bounds.maxHops),
    readEndpointKeys(engine, to, bounds.maxHops),
  ]);
  const [starts, targets] = ends.map(({ keys }) => [...keys.keys()]);
  const columns = new Map(ends.flatMap(({ keys }) => [...keys]));
  const next: ExpandFrontier = async (direction, ids, limit) => {
    const rows = await readNextColumns(engine.graph, direction, ids, limit);
    const open = await filterPassable(engine, principal, rows.filter(isLivingStep), isPassable);
    for (const { far, name, node } of open) if (!columns.has(far)) columns.set(far, { owner: node, name });
    return (rows.length >= limit ? rows : open).map((row) => [row.from, row.to] as const);
  };
  const found = await findShortestPaths({ ...bounds, starts: starts ?? [], targets: targets ?? [] }, next);
  return { ...found, truncated: found.truncated || ends.some(({ isCut }) => isCut), columns };
};
