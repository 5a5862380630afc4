import type { RefNode } from '../../../catalog/queries.ts';
import { readDocuments } from '../../../catalog/read/documents.ts';
import { createRedactor } from '../../../catalog/read/redaction.ts';
import type { Answer, Call, Route } from '../../../http/route.ts';
import { LineageScene } from '../../../model/schemas/lineage/lineage-scene.ts';
import type { EdgeTuple } from '../../queries.ts';
import { withAbortSignal } from '../abort-signal.ts';
import type { ScoredGraphRoom } from '../graph/graph-room.ts';
import { findFocus } from '../map/find-root.ts';
import { type MapFilter, readMapFilter } from '../map/map-request.ts';
import { mapRouteAccess } from '../map/parameters.ts';
import { splitAtPipelines } from '../read-subgraph.ts';
import { distinctEdges, isEdgeVisible, mergeDerivedEdges, walkVisibleEdges } from '../walk-edges.ts';
import { buildScene, type SceneShape } from './build-scene.ts';
import { isHolder, levelOf } from './levels.ts';
import { renderScene } from './render-scene.ts';
import {
  heldTypeOf,
  readAroundLayer,
  readAssetsAround,
  readHolders,
  readLayers,
  type SceneFocus,
  type SceneGround,
} from './scene-ground.ts';
import { readSceneMembers } from './scene-members.ts';
import { readSceneRequest, SCENE_PARAMETERS, type SceneRequest } from './scene-request.ts';

/** The route that draws lineage together to the level that a map shows: layers, what a focus consists of, or fields. */

/** Reads what a scene is drawn from: counted edges where these are enough, otherwise assets one by one. */
const readGround = (
  room: ScoredGraphRoom,
  call: Call,
  request: SceneRequest,
  focus: SceneFocus | undefined,
  isFiltered: boolean,
): Promise<SceneGround> => {
  const { lens, band } = request;
  const isWhole = !isFiltered && band !== 'FIELD';
  if (isWhole && !focus && band === 'LAYER') return readLayers(room, call, request);
  if (isWhole && focus && band === 'LAYER' && focus.level === lens) return readAroundLayer(room, call, request, focus);
  if (isWhole && band === 'ASSET' && (!focus || heldTypeOf(focus) !== undefined)) {
    return readHolders(room, call, request, focus);
  }
  return readAssetsAround(room, call, request, focus, focus !== undefined && isHolder(focus.level));
};

type Reached = { readonly nodes: ReadonlyMap<string, RefNode>; readonly edges: readonly EdgeTuple[] };

/** Walks from the beginning of a scene along what the caller may see. */
const walkGround = ({ starts, found, span, sees }: SceneGround, includeDeleted: boolean): Reached => {
  const known = new Map([...found.nodes, ...starts.map((node) => [node.id, node] as const)]);
  const isOpen = (id: string): boolean => sees(id) && (includeDeleted || known.get(id)?.deleted !== true);
  const ids = starts.filter(({ id }) => isOpen(id)).map(({ id }) => id);
  const walked = (['upstream', 'downstream'] as const).flatMap((direction) => {
    const edges = splitAtPipelines(direction, found, span[direction]).filter((edge) => isEdgeVisible(edge, isOpen));
    const all = mergeDerivedEdges(edges, found.derived);
    return walkVisibleEdges(direction, ids, all, span[direction], isOpen).steps.flat();
  });
  const edges = distinctEdges(walked);
  const reached = [...new Set([...ids, ...edges.flatMap((edge) => [edge[0], edge[1]])])];
  const nodes = reached.flatMap((id) => known.get(id) ?? []);
  return { edges, nodes: new Map(nodes.map((node) => [node.id, node])) };
};

/** Keeps the focus and the records that a filter wants. */
const filterNodes = async (
  { engine }: ScoredGraphRoom,
  { hrefBase, principal }: Call,
  nodes: Reached['nodes'],
  { document: isWanted }: MapFilter,
  focus: SceneFocus | undefined,
): Promise<readonly RefNode[]> => {
  if (!isWanted) return [...nodes.values()];
  const documents = await readDocuments(engine, [...nodes.keys()], {
    hrefBase,
    redact: createRedactor(engine, principal),
  });
  return [...nodes.values()].filter(({ id }) => {
    const document = documents.get(id);
    return id === focus?.node.id || (document !== undefined && isWanted(document));
  });
};

const handleScene =
  (all: ScoredGraphRoom) =>
  async (call: Call): Promise<Answer> => {
    const room = withAbortSignal(all, call.signal);
    const { engine } = room;
    const request = readSceneRequest(call);
    const filter = readMapFilter(call, engine.registry, engine.clock());
    const endpoint = await findFocus(engine, call, call);
    const focus = endpoint && { node: endpoint.node, level: levelOf(engine.registry, endpoint.node), endpoint };
    const ground = await readGround(room, call, request, focus, filter.document !== undefined);
    const { nodes, edges } = walkGround(ground, request.includeDeleted);
    const wanted = await filterNodes(room, call, nodes, filter, focus);
    const named = focus ? [...wanted, focus.node] : wanted;
    const distinct = [...new Map(named.map((node) => [node.id, node])).values()];
    const members = await readSceneMembers(engine, call.principal, distinct, focus?.node.id);
    const starts = ground.starts.flatMap(({ id }) => (nodes.has(id) ? (members.get(id) ?? []) : []));
    const shape: SceneShape = { lens: request.lens, band: request.band, focus };
    const drawing = buildScene(shape, starts, members, edges);
    const json = await renderScene(room, call, drawing, {
      shape,
      size: request.size,
      includeDeleted: request.includeDeleted,
      isDrawnTogether: ground.isDrawnTogether,
      isSampled: ground.isSampled,
      focusMember: focus && members.get(focus.node.id),
    });
    return { status: 200, json };
  };

export const sceneRoutes = (room: ScoredGraphRoom): Route[] => [
  {
    tag: mapRouteAccess.tag,
    access: mapRouteAccess.access,
    method: 'GET',
    path: '/v1/lineage/scene',
    summary: 'Get lineage drawn together to services, domains or data products, or to what these consist of',
    query: SCENE_PARAMETERS,
    responses: { 200: LineageScene },
    handle: handleScene(room),
  },
];
