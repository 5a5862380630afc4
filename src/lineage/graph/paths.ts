import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import type { RefNode } from '../../catalog/queries.ts';
import type { Site } from '../ends.ts';
import { type EdgeTuple, listAmong } from '../queries.ts';
import { sightOf } from '../sight.ts';
import { lookingAhead } from './ahead.ts';
import { isLiving, readNextColumns } from './next.ts';
import { joinedColumns, type Point } from './points.ts';
import type { NextRow } from './queries.ts';
import type { Room } from './room.ts';
import { type Next, type Paths, shortestPaths } from './shortest.ts';

/** The columns that a path passes: whose each is, and what it is called. */
export type ColumnAt = { readonly owner: RefNode; readonly name: string };

/** Paths between two records with all that is needed to show them. */
export type EntityPaths = Paths & {
  readonly nodes: ReadonlyMap<string, RefNode>;
  readonly edges: ReadonlyMap<string, EdgeTuple>;
};

/** Paths between columns; what is passed is named by keys. */
export type ColumnPaths = Paths & { readonly columns: ReadonlyMap<string, ColumnAt> };

export type PathWish = {
  readonly maxPaths: number;
  readonly maxLength: number;
  readonly maxHops: number;
  readonly avoid: ReadonlySet<string>;
};

/** Leaves out the steps to what is to be avoided or may not be viewed, so that no path leads through it. */
const passable = async <T extends NextRow>(
  engine: Engine,
  principal: Principal,
  rows: readonly T[],
  avoid: ReadonlySet<string>,
): Promise<readonly T[]> => {
  const sees = await sightOf(
    engine,
    principal,
    rows.map(({ node }) => node),
  );
  return rows.filter(({ node }) => !avoid.has(node.id) && sees(node.id));
};

export const edgeKey = (from: string, to: string): string => `${from} ${to}`;

export const pathsBetweenRecords = async (
  { engine, walker }: Pick<Room, 'engine' | 'walker'>,
  principal: Principal,
  [from, to]: readonly [Site, Site],
  { avoid, ...bounds }: PathWish,
): Promise<EntityPaths> => {
  const nodes = new Map<string, RefNode>([from, to].map(({ id, node }) => [id, node]));
  const step = lookingAhead(engine.graph, walker);
  const next: Next = async (direction, ids, limit) => {
    const rows = await step(direction, ids, limit);
    const open = await passable(engine, principal, rows, avoid);
    for (const { node } of open) nodes.set(node.id, node);
    // What was cut for want of room is cut whatever may be passed of it.
    if (rows.length >= limit) return rows.map((row) => [row.from, row.to] as const);
    return open.map((row) => [row.from, row.to] as const);
  };
  const found = await shortestPaths({ ...bounds, starts: [from.id], targets: [to.id] }, next);
  const ids = [...new Set(found.paths.flat())];
  const edges = ids.length > 0 ? await engine.graph.read(listAmong, { near: ids, ids, limit: bounds.maxHops }) : [];
  return { ...found, nodes, edges: new Map(edges.map(({ edge }) => [edgeKey(edge[0], edge[1]), edge])) };
};

/** The keys that stand for a point, and how each is shown; those of a record are all its columns that are joined to others. */
const keysOf = async (engine: Engine, { site, column }: Point, most: number) => {
  const { columns, isCut } = column ? { columns: [column], isCut: false } : await joinedColumns(engine, site, most);
  return {
    isCut,
    keys: new Map(columns.map(({ key, name }): [string, ColumnAt] => [key, { owner: site.node, name }])),
  };
};

export const pathsBetweenColumns = async (
  engine: Engine,
  principal: Principal,
  [from, to]: readonly [Point, Point],
  { avoid, ...bounds }: PathWish,
): Promise<ColumnPaths> => {
  const ends = await Promise.all([keysOf(engine, from, bounds.maxHops), keysOf(engine, to, bounds.maxHops)]);
  const [starts, targets] = ends.map(({ keys }) => [...keys.keys()]);
  const columns = new Map(ends.flatMap(({ keys }) => [...keys]));
  const next: Next = async (direction, ids, limit) => {
    const rows = await readNextColumns(engine.graph, direction, ids, limit);
    const open = await passable(engine, principal, rows.filter(isLiving), avoid);
    for (const { far, name, node } of open) if (!columns.has(far)) columns.set(far, { owner: node, name });
    return (rows.length >= limit ? rows : open).map((row) => [row.from, row.to] as const);
  };
  const found = await shortestPaths({ ...bounds, starts: starts ?? [], targets: targets ?? [] }, next);
  return { ...found, truncated: found.truncated || ends.some(({ isCut }) => isCut), columns };
};
