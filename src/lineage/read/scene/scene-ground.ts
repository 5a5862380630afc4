import type { RefNode } from '../../../catalog/queries.ts';
import { requireKind } from '../../../catalog/registry.ts';
import { isFqnWithin } from '../../../model/name.ts';
import { PIPELINE_KINDS } from '../../../model/schemas/lineage/lineage.ts';
import type { Endpoint } from '../../endpoints.ts';
import { type NodeVisibility, readNodeVisibility } from '../../node-visibility.ts';
import { readHolderEdges } from '../derived-edges.ts';
import type { MapRoom } from '../map/map-query.ts';
import { listPlatformNodes, readPlatformEdges } from '../map/platform.ts';
import type { MapCaller } from '../map/visible-lineage.ts';
import { type FoundLineage, type LineageDepth, readSubgraph } from '../read-subgraph.ts';
import { assetTypesBelow, type SceneRef, typesBelow } from './levels.ts';
import { listAssetsInDomain, listAssetsInProduct, listAssetsInScope, listContained } from './queries.ts';
import type { SceneRequest } from './scene-request.ts';

/** What a scene is drawn from: records, and the edges around them. */
export type SceneGround = {
  /** The records that the scene begins with, which are in it in any case. */
  readonly starts: readonly RefNode[];
  readonly found: FoundLineage;
  readonly span: LineageDepth;
  readonly sees: NodeVisibility;
  /** Whether there is more than was read. */
  readonly isSampled: boolean;
  /** Whether the records stand for all assets below them, so that these are counted. */
  readonly isDrawnTogether: boolean;
};

/** The focus of a scene: the record itself, and its level. */
export type SceneFocus = SceneRef & { readonly endpoint: Endpoint };

const EVERYWHERE: LineageDepth = { upstream: 0, downstream: 1 };

const NOTHING: FoundLineage = {
  nodes: new Map(),
  upstream: [],
  downstream: [],
  carried: [],
  derived: [],
  truncated: undefined,
};

/** Reads all records of a lens and the edges between them. */
export const readLayers = async (
  room: MapRoom,
  caller: MapCaller,
  { lens, includeDeleted }: SceneRequest,
): Promise<SceneGround> => {
  const listed = await listPlatformNodes(room, caller, [lens], includeDeleted);
  const nodes = new Map(listed.nodes.map((node) => [node.id, node]));
  const { edges, isCut } = await readPlatformEdges(room, caller, { views: [lens], includeDeleted, nodes });
  return {
    starts: listed.nodes,
    found: { ...NOTHING, nodes, downstream: edges },
    span: EVERYWHERE,
    sees: (id) => nodes.has(id),
    isSampled: listed.isCut || isCut,
    isDrawnTogether: true,
  };
};

/** Reads what lies around a service, domain or data product, along the edges between these. */
export const readAroundLayer = async (
  room: MapRoom,
  { principal }: MapCaller,
  { span, includeDeleted }: SceneRequest,
  { endpoint }: SceneFocus,
): Promise<SceneGround> => {
  const derived = { includeDeleted, beyond: true };
  const found = await readSubgraph(room, principal, { roots: [endpoint], span, budget: room.budget, derived });
  return {
    starts: [endpoint.node],
    found,
    span,
    sees: found.sees,
    isSampled: found.truncated !== undefined,
    isDrawnTogether: true,
  };
};

/** What the databases and schemas of a focus are, where it has such. */
const HELD_TYPES: Readonly<Record<string, string>> = { databaseService: 'database', database: 'databaseSchema' };

export const heldTypeOf = ({ node }: SceneRef): string | undefined => HELD_TYPES[node.entityType];

/**
 * Reads the edges of all assets, drawn together to what holds them: those of a service or database with all that it holds,
 * or those of the whole catalog.
 */
export const readHolders = async (
  room: MapRoom,
  { principal }: MapCaller,
  { span, size, includeDeleted }: SceneRequest,
  focus: SceneFocus | undefined,
): Promise<SceneGround> => {
  const { engine, budget } = room;
  const heldType = focus && heldTypeOf(focus);
  const [{ edges, truncated }, rows] = await Promise.all([
    readHolderEdges(engine, principal, includeDeleted),
    focus && heldType !== undefined
      ? engine.graph.read(listContained, { id: focus.node.id, entityType: heldType, includeDeleted, limit: size + 1 })
      : [],
  ]);
  const ids = [...new Set(edges.flatMap((edge) => [edge[0], edge[1]]))];
  const ends = (await Promise.all(ids.map((id) => engine.store.referenceById(id)))).flatMap((node) => node ?? []);
  const held = rows.map(({ node }) => node);
  const seen = await readNodeVisibility(engine, principal, [...ends, ...held]);
  const nodes = new Map([...ends, ...held].map((node) => [node.id, node]));
  const below = focus && typesBelow(engine.registry, focus.node.entityType);
  const isInside = ({ entityType, fullyQualifiedName }: RefNode): boolean =>
    !focus || (below?.has(entityType) === true && isFqnWithin(fullyQualifiedName, focus.node.fullyQualifiedName));
  const inside = ends.filter(isInside);
  const starts = [...new Map([...held, ...inside].map((node) => [node.id, node])).values()];
  return {
    starts: starts.filter(({ id }) => seen(id)).slice(0, budget.nodes),
    found: { ...NOTHING, nodes, upstream: edges, downstream: edges },
    span: focus ? span : EVERYWHERE,
    sees: seen,
    isSampled: truncated !== undefined || starts.length > budget.nodes || held.length > size,
    isDrawnTogether: true,
  };
};

/** How many records of a scope are looked at for those with lineage. */
const MOST_EXAMINED = 100_000;
/** Walks from more pipelines than these leave out the edges that run through them. */
const MOST_PIPELINES = 50;

const listAssets = async (
  { engine }: MapRoom,
  { size, includeDeleted }: SceneRequest,
  focus: SceneFocus | undefined,
): Promise<readonly RefNode[]> => {
  const common = {
    entityTypes: assetTypesBelow(engine.registry, focus),
    includeDeleted,
    look: MOST_EXAMINED,
    limit: size + 1,
  };
  const id = focus?.node.id ?? '';
  const rows =
    focus?.level === 'domain'
      ? await engine.graph.read(listAssetsInDomain, { ...common, id })
      : focus?.level === 'dataProduct'
        ? await engine.graph.read(listAssetsInProduct, { ...common, id })
        : await engine.graph.read(listAssetsInScope, { ...common, scope: focus?.node.fullyQualifiedName ?? '' });
  return rows.map(({ node }) => node);
};

const isCarrier = (entityType: string): boolean => PIPELINE_KINDS.some((kind) => kind === entityType);

/** Reads the assets of the focus, or the focus itself when it is one, and what lies around them. */
export const readAssetsAround = async (
  room: MapRoom,
  caller: MapCaller,
  request: SceneRequest,
  focus: SceneFocus | undefined,
  isHeld: boolean,
): Promise<SceneGround> => {
  const { engine, budget } = room;
  const listed = focus && !isHeld ? [focus.node] : await listAssets(room, request, focus);
  const seen = await readNodeVisibility(engine, caller.principal, listed);
  const starts = listed.slice(0, request.size).filter(({ id }) => seen(id));
  const pipelines = new Set(starts.filter(({ entityType }) => isCarrier(entityType)).slice(MOST_PIPELINES));
  const roots = starts
    .filter((node) => !pipelines.has(node))
    .map((node) => ({ id: node.id, kind: requireKind(engine.registry, node.entityType) }));
  const found = await readSubgraph(room, caller.principal, { roots, span: request.span, budget });
  return {
    starts,
    found,
    span: request.span,
    sees: found.sees,
    isSampled: listed.length > request.size || pipelines.size > 0 || found.truncated !== undefined,
    isDrawnTogether: false,
  };
};
