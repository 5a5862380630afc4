import { placeBoxes } from '../layout/place-boxes.ts';
import type { Place } from '../layout/placement.ts';

/** How data flows between the services of the catalog, and where each stands in a small picture of that. */

export type ServiceNode = { readonly id: string; readonly type: string; readonly name: string; readonly fqn: string };
type Pair = { readonly from: string; readonly to: string };
/** How many edges lead from the assets of one service to those of another, and whether that is against the main direction. */
export type ServiceFlow = Pair & { readonly edges: number; readonly isBack: boolean };
export type ServiceMap = { readonly services: readonly ServiceNode[]; readonly flows: readonly ServiceFlow[] };

type Entity = {
  readonly id: string;
  readonly entityType: string;
  readonly name: string;
  readonly displayName?: string;
  readonly fullyQualifiedName: string;
};
type MapEdge = {
  readonly fromEntity: { readonly id: string };
  readonly toEntity: { readonly id: string };
  readonly assetEdges?: number;
};
export type PlatformAnswer = {
  readonly nodes: Readonly<Record<string, { readonly entity: Entity }>>;
  readonly upstreamEdges: Readonly<Record<string, MapEdge>>;
  readonly downstreamEdges: Readonly<Record<string, MapEdge>>;
};

/** Pipelines carry what flows between others, and would stand on both sides of all of them. */
const CARRIERS: ReadonlySet<string> = new Set(['pipelineService']);

/** Whether flows lead from one service to another, over any number of others. */
const leads = (flows: readonly Pair[], start: string, end: string): boolean => {
  const reached = new Set([start]);
  for (const at of reached) for (const { from, to } of flows) if (from === at) reached.add(to);
  return reached.has(end);
};

/** Of flows in a circle, the smallest leads back: the larger ones, which come first, tell the direction. */
const findBack = (flows: readonly Omit<ServiceFlow, 'isBack'>[]): readonly ServiceFlow[] => {
  const ahead: Pair[] = [];
  return flows.map((flow) => {
    const isBack = leads(ahead, flow.to, flow.from);
    if (!isBack) ahead.push(flow);
    return { ...flow, isBack };
  });
};

/** Of the services between which data flows, those with the most of it. */
export const readServiceMap = (answer: PlatformAnswer, most: number): ServiceMap => {
  const entities = Object.values(answer.nodes).flatMap(({ entity }) =>
    CARRIERS.has(entity.entityType) ? [] : [entity],
  );
  const drawn = new Set(entities.map(({ id }) => id));
  const all = Object.values({ ...answer.upstreamEdges, ...answer.downstreamEdges })
    .map(({ fromEntity, toEntity, assetEdges = 1 }) => ({ from: fromEntity.id, to: toEntity.id, edges: assetEdges }))
    .filter(({ from, to }) => drawn.has(from) && drawn.has(to) && from !== to);
  const weights = new Map<string, number>();
  for (const { from, to, edges } of all)
    for (const end of [from, to]) weights.set(end, (weights.get(end) ?? 0) + edges);
  const services = entities
    .filter(({ id }) => weights.has(id))
    .sort((one, other) => (weights.get(other.id) ?? 0) - (weights.get(one.id) ?? 0))
    .slice(0, most)
    .map(({ id, entityType, name, displayName, fullyQualifiedName }) => ({
      id,
      type: entityType,
      name: displayName || name,
      fqn: fullyQualifiedName,
    }));
  const known = new Set(services.map(({ id }) => id));
  const flows = all
    .filter(({ from, to }) => known.has(from) && known.has(to))
    .sort((one, other) => other.edges - one.edges);
  return { services, flows: findBack(flows) };
};

export const BOX = { width: 148, height: 46 } as const;
/** Between the columns, where there is room for them all and where there is not. */
const GAPS = { widest: 110, narrowest: 44 } as const;
/** A flow against the direction is drawn around the boxes. */
const ROOM_BELOW = 26;

export type ServicePicture = {
  readonly width: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Place>;
};

/** Places the services in columns from left to right, as far apart as the room allows. */
export const arrangeServices = ({ services, flows }: ServiceMap, room: number): ServicePicture => {
  const boxes = services.map(({ id }) => ({ id, ...BOX }));
  const { places: placed } = placeBoxes(
    boxes,
    flows.flatMap(({ from, to, isBack }) => (isBack ? [] : [{ id: `${from} ${to}`, from, to }])),
  );
  const columns = [...new Set([...placed.values()].map(({ x }) => x))].sort((one, other) => one - other);
  const gap = (room - columns.length * BOX.width) / Math.max(1, columns.length - 1);
  const step = BOX.width + Math.min(GAPS.widest, Math.max(GAPS.narrowest, gap));
  const top = Math.min(0, ...[...placed.values()].map(({ y }) => y));
  const places = new Map(
    [...placed].map(([id, { x, y }]) => [id, { x: columns.indexOf(x) * step, y: Math.round(y - top) }]),
  );
  const bottom = Math.max(0, ...[...places.values()].map(({ y }) => y + BOX.height));
  return {
    width: Math.max(0, columns.length - 1) * step + BOX.width,
    height: bottom + (flows.some(({ isBack }) => isBack) ? ROOM_BELOW : 0),
    places,
  };
};

/** The line of a flow: from the right of one box to the left of another, and around below them when it leads back. */
export const drawFlow = (from: Place, to: Place): string => {
  const middle = BOX.height / 2;
  if (from.x < to.x) {
    const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + middle, to.x, to.y + middle];
    const bend = (x2 - x1) / 2;
    return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  }
  const [x1, y1, x2, y2] = [from.x + BOX.width / 2, from.y + BOX.height, to.x + BOX.width / 2, to.y + BOX.height];
  const low = Math.max(y1, y2) + ROOM_BELOW;
  return `M${x1} ${y1}C${x1} ${low} ${x2} ${low} ${x2} ${y2}`;
};

/** Ten times as many edges are a line of some more points. */
export const flowWidth = (edges: number): number => Math.round((1.5 + Math.log2(Math.max(1, edges)) * 0.7) * 10) / 10;
