import { createView } from '../../../catalog/read/answer.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { renderRef, type View } from '../../../catalog/read/render.ts';
import type { Call } from '../../../http/route.ts';
import { isObject, type Json, type JsonObject, type MutableJsonObject } from '../../../model/json.ts';
import { compareByFqn } from '../../../model/name.ts';
import type { LevelKind } from '../../../model/schemas/lineage/lineage-scene.ts';
import { decodeDetails } from '../../edge.ts';
import type { PipelineLookup } from '../../render-edge.ts';
import { readPipelineReferences } from '../entity-lineage.ts';
import type { ScoredGraphRoom } from '../graph/graph-room.ts';
import { createMemberReader, type NodeMembers } from '../graph/node-members.ts';
import {
  cutScene,
  nodeIdOf,
  parentOf,
  type SceneDrawing,
  type SceneEdge,
  type SceneNode,
  type SceneShape,
} from './build-scene.ts';
import { countHeldAssets } from './holder-counts.ts';
import { bandOf, fieldLevelOf, hasFields, isHolder, type SceneMember, type SceneRef } from './levels.ts';
import { edgesOfFields, type NodeFields, readSceneFields } from './scene-fields.ts';

/** Renders scenes as JSON. */

const labelOf = ({ node }: SceneRef): string => node.displayName || node.name;

const sumOf = (counts: ReadonlyMap<LevelKind, number>): number =>
  [...counts.values()].reduce((sum, one) => sum + one, 0);

type SizedNode = SceneNode & { readonly childrenCount: number };

/** Nodes that stand for all below them are counted, others count the records of the scene. */
const sizeNodes = async (
  { engine }: ScoredGraphRoom,
  { principal }: Call,
  nodes: readonly SceneNode[],
  { isCounted, includeDeleted }: { readonly isCounted: boolean; readonly includeDeleted: boolean },
): Promise<readonly SizedNode[]> => {
  const totals = isCounted ? await countHeldAssets(engine, principal, nodes, includeDeleted) : undefined;
  return nodes.map((node) => {
    const counts = totals ? (totals.get(node.ref.node.id) ?? new Map()) : node.counts;
    return { ...node, counts, childrenCount: sumOf(counts) };
  });
};

/** What stands above a record, as its search document has it. */
const renderSource = ({ ref, member }: SceneNode, view: View): JsonObject => {
  const out: MutableJsonObject = { ...renderRef(ref.node, view), entityType: ref.node.entityType };
  if (member.serviceType !== undefined) out['serviceType'] = member.serviceType;
  if (ref.node.id !== member.self.node.id) return out;
  const { service, database, schema, domain, dataProduct } = member;
  const put = (name: string, one: SceneRef | undefined, isList = false): void => {
    if (!one || one.node.id === ref.node.id) return;
    const shown = renderRef(one.node, view);
    out[name] = isList ? [shown] : shown;
  };
  put('service', service);
  put('database', database);
  put('databaseSchema', schema);
  put('domains', domain, true);
  put('dataProducts', dataProduct, true);
  return out;
};

const certificationOf = (members: JsonObject): string | undefined => {
  const certification: Json | undefined = members['certification'];
  const label = isObject(certification) ? certification['tagLabel'] : undefined;
  return isObject(label) && typeof label['tagFQN'] === 'string' ? label['tagFQN'] : undefined;
};

type NodeRendering = {
  readonly shape: SceneShape;
  readonly view: View;
  readonly membersOf: NodeMembers;
  readonly fields: ReadonlyMap<string, NodeFields>;
};

const renderNode = ({ shape, view, membersOf, fields }: NodeRendering, node: SizedNode): JsonObject => {
  const { ref, member, counts, childrenCount } = node;
  const own = fields.get(node.id);
  const parent = parentOf(node);
  const certification = certificationOf(membersOf(ref.node.id));
  const fieldCount = own ? own.fields.length + own.hidden : 0;
  const level = fieldLevelOf(ref.level);
  return {
    id: node.id,
    fullyQualifiedName: ref.node.fullyQualifiedName,
    entityType: ref.node.entityType,
    levelKind: ref.level,
    band: bandOf(ref.level, shape.band),
    ...(member.serviceType === undefined ? {} : { serviceType: member.serviceType }),
    label: labelOf(ref),
    ...(ref.node.displayName ? { displayName: ref.node.displayName } : {}),
    ...(parent ? { parentId: nodeIdOf(parent), parentFqn: parent.node.fullyQualifiedName } : {}),
    childrenCount: childrenCount + fieldCount,
    hiddenChildrenCount: own?.hidden ?? 0,
    counts: { ...Object.fromEntries(counts), ...(fieldCount > 0 ? { [level]: fieldCount } : {}) },
    fields: own?.fields ?? [],
    isFocus: ref.node.id === shape.focus?.node.id,
    isOrigin: node.isOrigin,
    isExpandable: isHolder(ref.level) || hasFields(ref.level),
    isGhost: node.isGhost,
    ...(certification === undefined ? {} : { certification }),
    sourceEntity: renderSource(node, view),
  };
};

/** An edge names no more edges that it stands for. */
const MOST_UNDERLYING = 100;

const renderSceneEdge = (carrierOf: PipelineLookup, edge: SceneEdge): JsonObject => {
  const { from, to, band, isRollup, weight, tuples, transform } = edge;
  const [first] = tuples;
  const ids = [
    ...new Set(tuples.map(([one, other, , , whole]) => (whole ? `${whole[0]}--->${whole[1]}` : `${one}--->${other}`))),
  ];
  const common = {
    id: `${from}->${to}:${band}`,
    from,
    to,
    band,
    isRollup,
    weight,
    underlyingEdgeIds: ids.slice(0, MOST_UNDERLYING),
  };
  if (isRollup || !first) return common;
  const { source, sqlQuery, description, edgeDescription, pipelineId } = decodeDetails(first[3], first[2]);
  const said = edgeDescription ?? description;
  const pipeline = pipelineId === undefined ? undefined : carrierOf(pipelineId);
  return {
    ...common,
    source,
    ...(sqlQuery === undefined ? {} : { sqlQuery }),
    ...(said === undefined ? {} : { description: said }),
    ...(pipeline ? { pipeline } : {}),
    ...(transform === undefined ? {} : { transform }),
  };
};

/** Shows the way from the lens to the focus. */
const renderBreadcrumb = (
  { lens, band, focus }: SceneShape,
  member: SceneMember | undefined,
): readonly JsonObject[] => {
  const root = { id: `lens:${lens}`, label: lens, levelKind: lens, band: 'LAYER' };
  if (!focus || !member) return [root];
  const { self, service, database, schema } = member;
  const above = lens === 'service' ? [service, database, schema] : [member[lens]];
  const way = new Map([...above, self].flatMap((ref) => (ref ? [[ref.node.id, ref] as const] : [])));
  const items = [...way.values()].map((ref) => ({
    id: nodeIdOf(ref),
    label: labelOf(ref),
    fullyQualifiedName: ref.node.fullyQualifiedName,
    entityType: ref.node.entityType,
    levelKind: ref.level,
    band: bandOf(ref.level, band),
  }));
  return [root, ...items];
};

export type SceneRendering = {
  readonly shape: SceneShape;
  readonly size: number;
  readonly includeDeleted: boolean;
  /** Whether nodes stand for everything below them, which was not read. */
  readonly isDrawnTogether: boolean;
  readonly isSampled: boolean;
  readonly focusMember: SceneMember | undefined;
};

const renderFocus = ({ focus }: SceneShape): JsonObject => {
  if (!focus) return {};
  const { fullyQualifiedName: fqn, entityType: type } = focus.node;
  return { focusFqn: fqn, focusEntityType: type, originFqn: fqn, originEntityType: type };
};

export const renderScene = async (
  room: ScoredGraphRoom,
  call: Call,
  drawing: SceneDrawing,
  { shape, size, includeDeleted, isDrawnTogether, isSampled, focusMember }: SceneRendering,
): Promise<JsonObject> => {
  const view = createView(room.engine, call, NO_FIELDS);
  const sized = await sizeNodes(room, call, drawing.nodes, { isCounted: isDrawnTogether, includeDeleted });
  const cut = cutScene({ nodes: sized, edges: drawing.edges }, shape.focus, size);
  const assets = cut.nodes.filter(({ ref }) => !isHolder(ref.level));
  const readMembers = createMemberReader(room, {
    principal: call.principal,
    view,
    fields: new Set(['certification']),
    isPresent: true,
  });
  const [membersOf = () => ({}), fields] = await Promise.all([
    readMembers?.(assets.map(({ ref }) => ref.node)),
    shape.band === 'FIELD'
      ? readSceneFields(room.engine, call.principal, assets, cut.edges)
      : new Map<string, NodeFields>(),
  ]);
  const edges = shape.band === 'FIELD' ? edgesOfFields(cut.edges, fields) : cut.edges;
  const carriers = edges.flatMap(({ isRollup, tuples }) => (isRollup ? [] : (tuples[0]?.[2] ?? [])));
  const carrierOf = await readPipelineReferences(room, call, carriers, view);
  const nodes = [...cut.nodes].sort((a, b) => compareByFqn(a.ref.node, b.ref.node));
  return {
    lens: shape.lens,
    band: shape.band,
    ...renderFocus(shape),
    nodes: nodes.map((node) => renderNode({ shape, view, membersOf, fields }, node)),
    edges: [...edges]
      .sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1))
      .map((edge) => renderSceneEdge(carrierOf, edge)),
    breadcrumb: renderBreadcrumb(shape, focusMember),
    hiddenNodeCount: drawing.nodes.length - cut.nodes.length,
    sampled: isSampled,
  };
};
