import type { Engine } from '../catalog/engine.ts';
import type { RefNode } from '../catalog/queries.ts';
import { viewFor } from '../catalog/read/answer.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef, type View } from '../catalog/read/render.ts';
import type { Answer, Call } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';
import { CARRIERS } from '../model/lineage-values.ts';
import { type CarrierOf, showEdge } from './details.ts';
import { decodeDetails, withCount } from './edge.ts';
import type { Site } from './ends.ts';
import { heeding } from './heed.ts';
import { type Surroundings, walkPlatform } from './platform-walk.ts';
import type { EdgeTuple } from './queries.ts';
import { sightOf } from './sight.ts';
import {
  type Budget,
  type Cut,
  cutTo,
  type Direction,
  distinctEdges,
  edgeKeyOf,
  isTellable,
  type Walk,
  walkFrom,
} from './subgraph.ts';
import { heedingWalker, type Walker } from './walk.ts';

/** The header that says of an answer that it is not whole, and what there was too much of. */
const TRUNCATED_HEADER = 'X-Lineage-Truncated';

/** What an answer says of itself when it is not whole. */
export const cutHeaders = (truncated: Cut['truncated']): Readonly<Record<string, string>> =>
  truncated ? { [TRUNCATED_HEADER]: truncated } : {};

export type Reader = { readonly engine: Engine; readonly walker: Walker };

export type Span = { readonly upstream: number; readonly downstream: number };

export const isCarrier = ({ kind }: Pick<Site, 'kind'>): boolean => CARRIERS.some((type) => type === kind.entityType);

/** As much of a record as it takes to walk from it. */
type Origin = Pick<Site, 'id' | 'kind'>;

/** The halves of edges that run through a record: from where they come to it, and from it to where they go. */
const halvesOf = (root: Origin, edges: readonly EdgeTuple[], direction: Direction): EdgeTuple[] =>
  edges.map((whole): EdgeTuple => {
    const [from, to, pipelineId, detailsJson] = whole;
    return direction === 'upstream'
      ? [from, root.id, pipelineId, detailsJson, whole]
      : [root.id, to, pipelineId, detailsJson, whole];
  });

type Around = { readonly edges: readonly EdgeTuple[]; readonly nodes: readonly RefNode[] };

/** What lies around a record; of what data runs through, the edges that do so as well. */
export const around = async (
  { walker }: Pick<Reader, 'walker'>,
  root: Origin,
  direction: Direction,
  depth: number,
  budget: Budget,
): Promise<Around> => {
  const own = walker.walk(direction, [root.id], depth, budget);
  if (depth === 0 || !isCarrier(root)) return own;
  const carried = await walker.carried(root.id, budget.edges + 1);
  const halves = halvesOf(root, carried.edges, direction);
  const starts = [...new Set(halves.map(([from, to]) => (direction === 'upstream' ? from : to)))];
  const [near, far] = await Promise.all([own, walker.walk(direction, starts, depth - 1, budget)]);
  return {
    edges: [...near.edges, ...halves, ...far.edges],
    nodes: [...near.nodes, ...carried.nodes, ...far.nodes],
  };
};

/** Edges together with those that follow from others; where somebody says something of one of these, it is both. */
export const withDerived = (edges: readonly EdgeTuple[], derived: readonly EdgeTuple[]): readonly EdgeTuple[] => {
  const own = distinctEdges(edges);
  if (derived.length === 0) return own;
  const counted = new Map(derived.map((edge) => [edgeKeyOf(edge), edge]));
  const both = own.map((edge): EdgeTuple => {
    const count = counted.get(edgeKeyOf(edge));
    if (!count) return edge;
    counted.delete(edgeKeyOf(edge));
    return [edge[0], edge[1], edge[2], withCount(edge[3], count[3])];
  });
  return [...both, ...counted.values()];
};

const NOTHING: Around = { edges: [], nodes: [] };

/** Within one step, edges come in the order of the names they join. */
const inOrder = ({ direction, steps }: Walk, nodes: ReadonlyMap<string, RefNode>): Walk => {
  const names = ([from, to]: EdgeTuple): string => {
    const name = (id: string) => nodes.get(id)?.fullyQualifiedName ?? '';
    return direction === 'downstream' ? `${name(to)}\u0001${name(from)}` : `${name(from)}\u0001${name(to)}`;
  };
  const sorted = (step: readonly EdgeTuple[]): readonly EdgeTuple[] => {
    if (step.length < 2) return step;
    const keyed = step.map((edge) => ({ edge, key: names(edge) }));
    return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ edge }) => edge);
  };
  return { direction, steps: steps.map(sorted) };
};

/** What data runs through, as far as the caller may see it. */
export const readCarriers = async (
  { engine }: Pick<Reader, 'engine'>,
  call: Call,
  carrierIds: readonly (string | null | undefined)[],
  view: View,
): Promise<CarrierOf> => {
  const ids = [...new Set(carrierIds.flatMap((id) => id ?? []))];
  if (ids.length === 0) return () => undefined;
  const found = await Promise.all(ids.map((id) => engine.store.referenceById(id)));
  const nodes = found.filter((node) => node !== undefined);
  const sees = await sightOf(engine, call.principal, nodes);
  const shown = new Map(nodes.flatMap((node) => (sees(node.id) ? [[node.id, renderRef(node, view)] as const] : [])));
  return (id) => shown.get(id);
};

const edgeShower = (nodes: ReadonlyMap<string, RefNode>, carrierOf: CarrierOf) => {
  const end = (id: string) => ({ id, fullyQualifiedName: nodes.get(id)?.fullyQualifiedName ?? '' });
  return ([fromId, toId, pipelineId, text, whole]: EdgeTuple): JsonObject => {
    const merged = decodeDetails(text, pipelineId);
    if (!whole) return showEdge({ from: end(fromId), to: end(toId) }, merged, carrierOf);
    const shown = showEdge({ from: end(whole[0]), to: end(whole[1]) }, merged, carrierOf);
    return { ...shown, fromEntity: fromId, toEntity: toId };
  };
};

type Shown = { readonly json: JsonObject; readonly truncated: Cut['truncated'] };

/** The records that are passed, in the order in which they are reached. */
const reached = (root: string, walks: readonly Walk[]): readonly string[] => {
  const ids = new Set<string>();
  const deepest = Math.max(0, ...walks.map(({ steps }) => steps.length));
  for (let step = 0; step < deepest; step += 1) {
    for (const { steps } of walks) for (const [from, to] of steps[step] ?? []) ids.add(from).add(to);
  }
  ids.delete(root);
  return [...ids];
};

/** An edge out of the root that is answered whatever else there is no room for. */
export type Surely = { readonly edge: EdgeTuple; readonly node: RefNode };

const withEdge = (found: Around, surely: Surely | undefined): Around =>
  surely ? { edges: [surely.edge, ...found.edges], nodes: [...found.nodes, surely.node] } : found;

/** What the database left out, it left out for want of room. */
export const cutAmong = (budget: Budget, ...found: readonly Around[]): Cut['truncated'] =>
  found.some(({ edges }) => edges.length > budget.edges)
    ? 'edges'
    : found.some(({ nodes }) => nodes.length > budget.nodes)
      ? 'nodes'
      : undefined;

/** How far to walk from a record, and how much of what is found there is room for. */
export type Reaching = { readonly span: Span; readonly budget: Budget };

/**
 * What lies around a record, upstream and downstream of it, whoever may see it. Around one that stands for others nothing
 * is looked for yet: there, what was said and what follows are walked together.
 */
export type BothWays = readonly [upstream: Around, downstream: Around];

export const walkBothWays = async (
  { walker: shared }: Pick<Reader, 'walker'>,
  call: Call,
  root: Origin,
  { span, budget }: Reaching,
): Promise<BothWays> => {
  if (root.kind.platformView) return [NOTHING, NOTHING];
  const walker = heedingWalker(shared, call);
  return Promise.all([
    around({ walker }, root, 'upstream', span.upstream, budget),
    around({ walker }, root, 'downstream', span.downstream, budget),
  ]);
};

/** What was found around a record; around one that stands for others, also what follows for it and what lies behind that. */
const surroundings = async (
  { engine, walker }: Reader,
  call: Call,
  root: Site,
  { span, budget }: Reaching,
  [up, down]: BothWays,
): Promise<Surroundings> => {
  if (!root.kind.platformView) return { up, down, derived: NOTHING, truncated: cutAmong(budget, up, down) };
  return walkPlatform(heeding({ engine, walker }, call.signal), call.principal, root, span, budget, {
    includeDeleted: true,
    beyond: false,
  });
};

/** The lineage around a record as far as the caller may see it, of what was found there. */
export const readLineage = async (
  reader: Reader,
  call: Call,
  root: Site,
  { span, budget }: Reaching,
  bothWays: BothWays,
  surely?: Surely,
): Promise<Shown> => {
  const { engine } = reader;
  const found = await surroundings(reader, call, root, { span, budget }, bothWays);
  const { up, down: outward, derived, truncated: missing } = found;
  const down = withEdge(outward, surely);
  const nodes = new Map([root.node, ...derived.nodes, ...up.nodes, ...down.nodes].map((node) => [node.id, node]));
  const sees = await sightOf(engine, call.principal, [...nodes.values()]);
  const walk = (direction: Direction, { edges }: Around, depth: number): Walk => {
    const told = edges.filter((edge) => isTellable(edge, sees));
    return inOrder(walkFrom(direction, [root.id], withDerived(told, derived.edges), depth, sees), nodes);
  };
  const whole = [walk('upstream', up, span.upstream), walk('downstream', down, span.downstream)];
  const { walks, truncated = missing } = cutTo(whole, [root.id], budget, surely?.edge);
  const view = viewFor(engine, call, NO_FIELDS);
  const [upstream = [], downstream = []] = walks.map(({ steps }) => steps.flat());
  const carried = [...upstream, ...downstream].map(([, , pipelineId]) => pipelineId);
  const carrierOf = await readCarriers(reader, call, carried, view);
  const show = edgeShower(nodes, carrierOf);
  const refs = reached(root.id, walks).map((id) => renderRef(nodes.get(id) as RefNode, view));
  return {
    json: {
      entity: renderRef(root.node, view),
      nodes: refs,
      upstreamEdges: upstream.map(show),
      downstreamEdges: downstream.map(show),
    },
    truncated,
  };
};

export const lineageAnswer = ({ json, truncated }: Shown): Answer => ({
  status: 200,
  headers: cutHeaders(truncated),
  json,
});
