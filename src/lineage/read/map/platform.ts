import type { RefNode } from '../../../catalog/queries.ts';
import { readDocuments } from '../../../catalog/read/documents.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import { compareByFqn } from '../../../model/name.ts';
import { readNodeVisibility } from '../../node-visibility.ts';
import { listEdgesBetween } from '../../queries.ts';
import { readDerivedEdges } from '../derived-edges.ts';
import { mergeDerivedEdges } from '../walk-edges.ts';
import { renderMap } from './build-map.ts';
import type { MapResult, MapRoom } from './map-query.ts';
import {
  expectsWholeLayers,
  type MapFilter,
  type MapRequest,
  readMapDepth,
  readMapFilter,
  readMapFlag,
  readPlatformSize,
  readPlatformViews,
} from './map-request.ts';
import { listNodesOfKinds } from './queries.ts';
import type { MapCaller } from './visible-lineage.ts';

type PlatformViews = ReturnType<typeof readPlatformViews>;

type PlatformNodes = { readonly nodes: readonly RefNode[]; readonly isCut: boolean };

/** Lists the records of some views that the caller may see, ordered by name, up to the node budget for each kind. */
export const listPlatformNodes = async (
  { engine, budget }: MapRoom,
  { principal }: MapCaller,
  views: PlatformViews,
  includeDeleted: boolean,
): Promise<PlatformNodes> => {
  const kinds = engine.registry.kinds.filter(({ platformView }) => platformView && views.includes(platformView));
  const entityTypes = kinds.map(({ entityType }) => entityType);
  const rows = await engine.graph.read(listNodesOfKinds, { entityTypes, includeDeleted, limit: budget.nodes + 1 });
  const nodes = rows.flatMap((row) => row.nodes.slice(0, budget.nodes));
  const sees = await readNodeVisibility(engine, principal, nodes);
  return {
    nodes: nodes.filter(({ id }) => sees(id)).sort(compareByFqn),
    isCut: rows.some((row) => row.nodes.length > budget.nodes),
  };
};

const filterPlatformNodes = async (
  { engine }: MapRoom,
  { hrefBase, principal }: MapCaller,
  nodes: readonly RefNode[],
  { document: isWanted }: MapFilter,
): Promise<readonly RefNode[]> => {
  if (!isWanted) return nodes;
  const ids = nodes.map(({ id }) => id);
  const documents = await readDocuments(engine, ids, { hrefBase, redact: createRedactor(engine, principal) });
  return nodes.filter(({ id }) => {
    const document = documents.get(id);
    return document !== undefined && isWanted(document);
  });
};

type PlatformEdgesRequest = {
  readonly views: PlatformViews;
  readonly includeDeleted: boolean;
  /** The records that the edges join. */
  readonly nodes: ReadonlyMap<string, RefNode>;
  /** Records that need not be read again. */
  readonly known?: readonly RefNode[];
};

/** Reads the edges between platform records, stated and derived. */
export const readPlatformEdges = async (
  { engine, budget }: MapRoom,
  { principal }: MapCaller,
  { views, includeDeleted, nodes, known = [...nodes.values()] }: PlatformEdgesRequest,
) => {
  const ids = [...nodes.keys()];
  const [said, ...derived] = await Promise.all([
    engine.graph.read(listEdgesBetween, { near: ids, ids, limit: budget.edges + 1 }),
    ...views.map((view) => readDerivedEdges(engine, principal, view, { includeDeleted, known })),
  ]);
  const counted = derived.flatMap((one) => one.edges.filter(([from, to]) => nodes.has(from) && nodes.has(to)));
  const joined = mergeDerivedEdges(
    said.map(({ edge }) => edge),
    counted,
  );
  const edges = joined.slice(0, budget.edges);
  return { edges, counted, isCut: edges.length < joined.length || derived.some((one) => one.truncated) };
};

/**
 * Creates a query for the platform records and the edges between them. The map has no root, so all records have the
 * same distance.
 */
export const createPlatformQuery = (
  room: MapRoom,
  request: MapRequest,
): ((caller: MapCaller) => Promise<MapResult>) => {
  const { engine, budget } = room;
  const views = readPlatformViews(request);
  const span = readMapDepth(request, 1);
  const size = readPlatformSize(request);
  const isWhole = expectsWholeLayers(request);
  const includeDeleted = readMapFlag(request, 'includeDeleted');
  const wanted = readMapFilter(request, engine.registry, engine.clock());
  return async (caller) => {
    const listed = await listPlatformNodes(room, caller, views, includeDeleted);
    const wantedNodes = await filterPlatformNodes(room, caller, listed.nodes, wanted);
    const some = wantedNodes.slice(0, size);
    const nodes = new Map(some.slice(0, budget.nodes).map((node) => [node.id, node]));
    const ids = [...nodes.keys()];
    const { edges, counted, isCut } = await readPlatformEdges(room, caller, {
      views,
      includeDeleted,
      nodes,
      known: listed.nodes,
    });
    const [upstream, downstream] = span.upstream > 0 ? [edges, []] : [[], span.downstream > 0 ? edges : []];
    const areNodesCut = listed.isCut || ids.length < (isWhole ? wantedNodes : some).length;
    const drawing = {
      nodes,
      places: new Map(ids.map((id) => [id, 0])),
      upstream,
      downstream,
      implied: counted.map(([from, to]) => [from, to] as const),
      truncated: isCut ? ('edges' as const) : areNodesCut ? ('nodes' as const) : undefined,
    };
    const { json } = await renderMap(room, caller, drawing, { includeDeleted, fields: undefined });
    return { json, truncated: drawing.truncated };
  };
};
