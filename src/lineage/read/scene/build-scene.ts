import type { RefNode } from '../../../catalog/queries.ts';
import { compareByFqn } from '../../../model/name.ts';
import type { LevelKind, SceneBand, SceneLens } from '../../../model/schemas/lineage/lineage-scene.ts';
import { decodeDetails, type MergedEdge } from '../../edge.ts';
import type { EdgeTuple } from '../../queries.ts';
import { holdersOf, isHolder, isWithin, lensRefOf, type SceneMember, type SceneRef } from './levels.ts';

/** Draws records together to the nodes of a scene, and their edges to those between these nodes. */

export type SceneShape = {
  readonly lens: SceneLens;
  readonly band: SceneBand;
  readonly focus: SceneRef | undefined;
};

/** A node, with one of the records that it stands for. */
export type SceneNode = {
  readonly id: string;
  readonly ref: SceneRef;
  readonly member: SceneMember;
  /** How many records it stands for, by their level; empty where it stands for itself. */
  readonly counts: ReadonlyMap<LevelKind, number>;
  readonly isOrigin: boolean;
  readonly isGhost: boolean;
};

/** An edge between two nodes or between two of their fields. */
export type SceneEdge = {
  readonly from: string;
  readonly to: string;
  readonly band: SceneBand;
  readonly isRollup: boolean;
  /** How many edges between assets it stands for. */
  readonly weight: number;
  /** The edges that it stands for, as far as they were read one by one. */
  readonly tuples: readonly EdgeTuple[];
  readonly transform?: string | undefined;
};

export type SceneDrawing = { readonly nodes: readonly SceneNode[]; readonly edges: readonly SceneEdge[] };

export const nodeIdOf = ({ level, node }: SceneRef): string => `${level}:${node.id}`;

const FIELD_SEPARATOR = '::field::';
export const fieldIdOf = (nodeId: string, fqn: string): string => `${nodeId}${FIELD_SEPARATOR}${fqn}`;
export const nodeOfEnd = (end: string): string => end.split(FIELD_SEPARATOR, 1)[0] ?? end;

type HolderLevel = 'service' | 'database' | 'schema';

/** The levels that a scene shows of its focus, the first of which any asset of it has. */
const levelsWithin = ({ lens, focus }: SceneShape): readonly HolderLevel[] => {
  if (!focus) return lens === 'service' ? ['database', 'schema'] : ['service'];
  if (focus.level === 'service') return ['database', 'schema'];
  return focus.level === 'database' ? ['schema'] : [];
};

const chooseLevel = (shape: SceneShape, members: Iterable<SceneMember>): HolderLevel | undefined => {
  const { focus } = shape;
  const inside = [...members].filter((member) => !focus || isWithin(member, focus));
  return levelsWithin(shape).find((level) => inside.some((member) => member[level]));
};

/** Returns what stands for a record in the scene. */
const createProjection = (shape: SceneShape, members: Iterable<SceneMember>): ((member: SceneMember) => SceneRef) => {
  const { lens, band, focus } = shape;
  if (band === 'LAYER') return (member) => lensRefOf(member, lens);
  if (band === 'FIELD' || (focus && !isHolder(focus.level))) return ({ self }) => self;
  const level = chooseLevel(shape, members);
  const within = (member: SceneMember): SceneRef => (level && member[level]) ?? member.self;
  return focus ? (member) => (isWithin(member, focus) ? within(member) : lensRefOf(member, lens)) : within;
};

type OpenNode = Omit<SceneNode, 'counts'> & { readonly standsFor: Map<string, LevelKind> };

const countLevels = (levels: Iterable<LevelKind>): ReadonlyMap<LevelKind, number> => {
  const counts = new Map<LevelKind, number>();
  for (const level of levels) counts.set(level, (counts.get(level) ?? 0) + 1);
  return counts;
};

const createNodes = ({ focus }: SceneShape, refOf: (member: SceneMember) => SceneRef) => {
  const open = new Map<string, OpenNode>();
  const add = (member: SceneMember): void => {
    const ref = refOf(member);
    const id = nodeIdOf(ref);
    const isOwn = member.self.node.id === ref.node.id;
    const known = open.get(id);
    const node = known ?? {
      id,
      ref,
      member,
      isOrigin: focus !== undefined && member.self.node.id === focus.node.id,
      isGhost: focus !== undefined && !isWithin(member, focus),
      standsFor: new Map<string, LevelKind>(),
    };
    if (!isOwn) node.standsFor.set(member.self.node.id, member.self.level);
    const isOrigin = node.isOrigin || (focus !== undefined && member.self.node.id === focus.node.id);
    open.set(id, { ...node, member: isOwn ? member : node.member, isOrigin });
  };
  const list = (): readonly SceneNode[] =>
    [...open.values()].map(({ standsFor, ...node }) => ({ ...node, counts: countLevels(standsFor.values()) }));
  return { add, list };
};

type OpenEdge = Omit<SceneEdge, 'weight' | 'tuples'> & { weight: number; readonly tuples: EdgeTuple[] };

const createEdges = () => {
  const open = new Map<string, OpenEdge>();
  const add = (
    edge: Omit<OpenEdge, 'weight' | 'tuples'>,
    tuple: EdgeTuple,
    weight: number,
    isCounted: boolean,
  ): void => {
    if (edge.from === edge.to) return;
    const key = `${edge.from} ${edge.to}`;
    const known = open.get(key) ?? { ...edge, weight: 0, tuples: [] };
    known.weight += weight;
    if (!isCounted) known.tuples.push(tuple);
    open.set(key, known);
  };
  return { add, list: (): readonly SceneEdge[] => [...open.values()] };
};

/** The pairs of columns that an edge joins, with their full names. */
function* columnPairs({ mappings }: MergedEdge, from: RefNode, to: RefNode) {
  for (const mapping of mappings) {
    for (const column of mapping.from) {
      yield {
        from: `${from.fullyQualifiedName}.${column}`,
        to: `${to.fullyQualifiedName}.${mapping.to}`,
        transform: mapping.function,
      };
    }
  }
}

/** Draws a scene of some records and the edges between them. */
export const buildScene = (
  shape: SceneShape,
  starts: readonly SceneMember[],
  members: ReadonlyMap<string, SceneMember>,
  tuples: readonly EdgeTuple[],
): SceneDrawing => {
  const { band, focus } = shape;
  const refOf = createProjection(shape, members.values());
  const isFocusOnly = focus && isHolder(focus.level) && band === 'ASSET' ? nodeIdOf(focus) : undefined;
  const nodes = createNodes(shape, refOf);
  const edges = createEdges();
  for (const member of starts) if (nodeIdOf(refOf(member)) !== isFocusOnly) nodes.add(member);
  for (const tuple of tuples) {
    const [from, to] = [members.get(tuple[0]), members.get(tuple[1])];
    if (!from || !to) continue;
    const [fromRef, toRef] = [refOf(from), refOf(to)];
    const [one, other] = [nodeIdOf(fromRef), nodeIdOf(toRef)];
    if (one === other || one === isFocusOnly || other === isFocusOnly) continue;
    nodes.add(from);
    nodes.add(to);
    const details = decodeDetails(tuple[3], tuple[2]);
    const isRollup = band === 'LAYER' || from.self.node.id !== fromRef.node.id || to.self.node.id !== toRef.node.id;
    const isCounted = details.assetEdges !== undefined;
    const weight = details.assetEdges ?? 1;
    // Half an edge runs between an asset and a pipeline, of which the columns of the whole tell nothing.
    const pairs = band === 'FIELD' && !tuple[4] ? [...columnPairs(details, from.self.node, to.self.node)] : [];
    for (const pair of pairs) {
      const ends = { from: fieldIdOf(one, pair.from), to: fieldIdOf(other, pair.to) };
      edges.add({ ...ends, band, isRollup: false, transform: pair.transform }, tuple, weight, isCounted);
    }
    if (pairs.length === 0) edges.add({ from: one, to: other, band, isRollup }, tuple, weight, isCounted);
  }
  return { nodes: nodes.list(), edges: edges.list() };
};

type SizedNode = SceneNode & { readonly childrenCount: number };

const isKeptFirst = ({ ref, isOrigin }: SceneNode, focus: SceneRef | undefined): boolean =>
  isOrigin || ref.node.id === focus?.node.id;

/** Keeps the focus and the nodes that stand for most, and of those as large the ones with most edges. */
export const cutScene = <N extends SizedNode>(
  { nodes, edges }: { readonly nodes: readonly N[]; readonly edges: readonly SceneEdge[] },
  focus: SceneRef | undefined,
  size: number,
): { readonly nodes: readonly N[]; readonly edges: readonly SceneEdge[] } => {
  const degrees = new Map<string, number>();
  for (const { from, to } of edges) {
    for (const end of [nodeOfEnd(from), nodeOfEnd(to)]) degrees.set(end, (degrees.get(end) ?? 0) + 1);
  }
  const degreeOf = ({ id }: SceneNode) => degrees.get(id) ?? 0;
  const ranked = [...nodes].sort(
    (a, b) =>
      Number(isKeptFirst(b, focus)) - Number(isKeptFirst(a, focus)) ||
      b.childrenCount - a.childrenCount ||
      degreeOf(b) - degreeOf(a) ||
      compareByFqn(a.ref.node, b.ref.node),
  );
  const kept = ranked.slice(0, size);
  const ids = new Set(kept.map(({ id }) => id));
  return { nodes: kept, edges: edges.filter(({ from, to }) => ids.has(nodeOfEnd(from)) && ids.has(nodeOfEnd(to))) };
};

/** Returns what is directly above a node in the scene. */
export const parentOf = ({ ref, member }: SceneNode): SceneRef | undefined => {
  const { self, service, database, schema } = member;
  const isOther = (one: SceneRef | undefined) => one !== undefined && one.node.id !== ref.node.id;
  if (ref.node.id === self.node.id) return holdersOf(member).find(isOther);
  if (ref.node.id === schema?.node.id) return [database, service].find(isOther);
  return ref.node.id === database?.node.id ? service : undefined;
};
