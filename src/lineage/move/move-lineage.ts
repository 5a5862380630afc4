import type { Principal } from '../../access/principal.ts';
import { createStep, STEP_ORDER, staleStateError } from '../../catalog/plan/step.ts';
import { planRecount } from '../../catalog/plan/supplies.ts';
import { badRequest } from '../../errors.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import { decodeAssertion, type RawProperties, serializeContent, serializeDetails } from '../edge.ts';
import { type Endpoint, findEndpointsByIds, permitLineageEdit } from '../endpoints.ts';
import { type EdgeEvent, planLineageEvents } from '../lineage-events.ts';
import { readLineageRevisions } from '../queries.ts';
import { renderEdge } from '../render-edge.ts';
import { type EdgeStore, retryEdgeOnConflict } from '../write/edge-store.ts';
import { edgeLockKey } from '../write/plan-edge.ts';
import { type ColumnMove, readColumnMove } from './column-move.ts';
import { planPairSteps, readPairs } from './column-pairs.ts';
import { type MovedEdge, mergeEdges, type StoredAssertion, type StoredEdge } from './merge-edges.ts';
import * as query from './queries.ts';

/**
 * Gives the lineage of one record to another that stands for the same asset, with all assertions and all history. Read
 * `merge-edges.ts` for what becomes of edges that both have, and `column-move.ts` and `column-pairs.ts` for columns.
 */

/** The maximum number of edges, present and past, that one move may take. */
const MAX_EDGES = 2000;

/** What a move did, or would do. */
export type LineageMove = {
  /** Present edges that the target did not have, and those that joined one of its own. */
  readonly moved: number;
  readonly merged: number;
  /** Past edges. */
  readonly past: number;
  /** Columns with lineage that the target does not have; what was said of them is lost. */
  readonly unknownColumns: readonly string[];
};

const optional = (value: unknown): number | undefined => (value === null ? undefined : (value as number | undefined));

const decodeStored = (node: RawProperties): StoredAssertion => ({
  ...decodeAssertion(node),
  until: optional(node['until']),
  seenAt: Number(node['seenAt'] ?? node['updatedAt']),
});

const decodeEdge = ({ from, to, edge, assertions }: query.StoredEdgeRow): StoredEdge => ({
  id: edge['id'] as string,
  from,
  to,
  since: edge['since'] as number,
  until: optional(edge['until']),
  properties: edge,
  assertions: assertions.map(decodeStored),
});

const readEdges = async (
  { engine }: EdgeStore,
  id: string,
  others: readonly string[] | null,
): Promise<StoredEdge[]> => {
  const rows = await engine.graph.read(query.listStoredEdges, { id, others, limit: MAX_EDGES + 1 });
  if (rows.length > MAX_EDGES) throw badRequest(`At most ${MAX_EDGES} edges can be moved at once`);
  return rows.map(decodeEdge);
};

const encodeAll = (properties: RawProperties): RawProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, encodeProperty(value)]));

const edgeProperties = ({ id, since, until, merged, properties }: MovedEdge): RawProperties =>
  encodeAll({
    ...properties,
    id,
    since,
    ...(until === undefined ? {} : { until }),
    ...(merged
      ? { source: merged.source, pipelineId: merged.pipelineId ?? null, detailsJson: serializeDetails(merged) }
      : {}),
  });

const assertionRow = ({ id: edgeId, from, to }: MovedEdge, assertion: StoredAssertion) => {
  const { content, ...rest } = assertion;
  return {
    id: assertion.id,
    properties: encodeAll({
      ...rest,
      edgeId,
      fromId: from,
      toId: to,
      pipelineId: content.pipelineId ?? null,
      contentJson: serializeContent(content),
    }),
  };
};

const planEdgeSteps = (edges: readonly MovedEdge[]): WriteStep[] => [
  ...planRecount(
    [],
    edges.flatMap(({ replaced }) => replaced.map(({ from, to }) => ({ from, to }))),
  ),
  createStep(
    query.deleteEdges,
    STEP_ORDER.unlink,
    edges.flatMap(({ replaced }) => replaced.map(({ id, from, to }) => ({ from, to, edgeId: id }))),
    staleStateError,
  ),
  createStep(
    query.createEdges,
    STEP_ORDER.link,
    edges.map((edge) => ({
      from: edge.from,
      to: edge.to,
      isLive: edge.until === undefined,
      properties: edgeProperties(edge),
    })),
    staleStateError,
  ),
  createStep(
    query.moveAssertions,
    STEP_ORDER.link,
    edges.flatMap((edge) => edge.assertions.map((assertion) => assertionRow(edge, assertion))),
  ),
];

/** The ends of a move, and the records at the other ends of its edges. */
type MoveEnds = {
  readonly source: Endpoint;
  readonly target: Endpoint;
  readonly others: ReadonlyMap<string, Endpoint>;
};

const endpointOf = ({ source, target, others }: MoveEnds, id: string): Endpoint => {
  const found = [source, target].find((end) => end.id === id) ?? others.get(id);
  // It was removed since its edges were read.
  if (!found) throw staleStateError();
  return found;
};

const isLive = ({ until }: StoredEdge): boolean => until === undefined;

type FiledEvent = EdgeEvent & { readonly from: Endpoint };

const buildEvents = (ends: MoveEnds, edges: readonly MovedEdge[], now: number): FiledEvent[] =>
  edges.flatMap((edge): FiledEvent[] => {
    const left = edge.replaced
      .filter((one) => isLive(one) && [one.from, one.to].includes(ends.source.id))
      .map((one): FiledEvent => {
        const [from, to] = [endpointOf(ends, one.from), endpointOf(ends, one.to)];
        const shown = { fromEntity: from.id, toEntity: to.id };
        return { occurrence: 'entityLineageDeleted', from, to, edge: shown, now };
      });
    if (!edge.merged) return left;
    const [from, to] = [endpointOf(ends, edge.from), endpointOf(ends, edge.to)];
    const isOwn = edge.replaced.some((one) => isLive(one) && one.from === edge.from && one.to === edge.to);
    const occurrence = isOwn ? 'entityLineageUpdated' : 'entityLineageAdded';
    return [...left, { occurrence, from, to, edge: renderEdge({ from, to }, edge.merged, (id) => ({ id })), now }];
  });

const planEvents = async (
  { engine, subject }: EdgeStore,
  principal: Principal,
  events: readonly FiledEvent[],
): Promise<WriteStep[]> => {
  const origins = [...new Map(events.map(({ from }) => [from.id, from])).values()];
  const planned = origins.map(async (from) => {
    const about = await subject(from.id);
    if (!about) throw staleStateError();
    const own = events.filter((event) => event.from.id === from.id);
    return planLineageEvents(engine, principal, from, about, own);
  });
  return (await Promise.all(planned)).flat();
};

const otherEnds = (edges: readonly StoredEdge[], id: string): readonly string[] => [
  ...new Set(edges.map(({ from, to }) => (from === id ? to : from))),
];

const readNow = ({ engine }: EdgeStore, edges: readonly StoredEdge[]): number =>
  Math.max(engine.clock(), ...edges.flatMap(({ since, assertions }) => [since, ...assertions.map((one) => one.since)]));

type PlannedMove = LineageMove & { readonly keys: readonly string[]; readonly steps: readonly WriteStep[] };

const summarize = (edges: readonly MovedEdge[], { unknown }: ColumnMove, { target }: MoveEnds): LineageMove => {
  const isMerged = (edge: MovedEdge) =>
    edge.replaced.some((one) => isLive(one) && [one.from, one.to].includes(target.id));
  const live = edges.filter(({ merged }) => merged);
  const merged = live.filter(isMerged).length;
  return { moved: live.length - merged, merged, past: edges.length - live.length, unknownColumns: unknown };
};

const planMove = async (
  edges: EdgeStore,
  principal: Principal,
  source: Endpoint,
  target: Endpoint,
): Promise<PlannedMove> => {
  const { engine } = edges;
  const ids = [source.id, target.id];
  // The revisions are read first: what changes afterwards is then noticed when the move is written.
  const [revisions] = await engine.graph.read(readLineageRevisions, { ids });
  const moving = await readEdges(edges, source.id, null);
  const neighbours = otherEnds(moving, source.id);
  const [present, found, columns] = await Promise.all([
    moving.length === 0
      ? []
      : readEdges(
          edges,
          target.id,
          neighbours.filter((id) => id !== target.id),
        ),
    findEndpointsByIds(engine, neighbours),
    readColumnMove(engine.graph, source, target),
  ]);
  const ends: MoveEnds = { source, target, others: new Map(found.map((end) => [end.id, end])) };
  await permitLineageEdit(engine, principal, [source, target, ...found]);
  const now = readNow(edges, [...moving, ...present]);
  const merged = mergeEdges(moving, present, { source: source.id, target: target.id, rename: columns.renameUsed }, now);
  const pairs = await readPairs(engine.graph, merged, ends);
  const claims = (revisions?.ids ?? []).map((id, at) => ({ id, revision: encodeProperty(revisions?.revisions[at]) }));
  if (claims.length < ids.length) throw staleStateError();
  return {
    ...summarize(merged, columns, ends),
    keys: merged.flatMap((edge) => [edge, ...edge.replaced].map(({ from, to }) => edgeLockKey(from, to))),
    steps: [
      createStep(query.claimRevisions, STEP_ORDER.lock, claims, staleStateError),
      ...planEdgeSteps(merged),
      ...planPairSteps(merged, pairs, columns, (id) => endpointOf(ends, id), now),
      ...(await planEvents(edges, principal, buildEvents(ends, merged, now))),
    ],
  };
};

/** Says what a move to a record without lineage would do. */
export const previewWholeMove = async (
  edges: EdgeStore,
  principal: Principal,
  source: Endpoint,
): Promise<LineageMove> => {
  const moving = await readEdges(edges, source.id, null);
  const others = await findEndpointsByIds(edges.engine, otherEnds(moving, source.id));
  await permitLineageEdit(edges.engine, principal, [source, ...others]);
  const moved = moving.filter(isLive).length;
  return { moved, merged: 0, past: moving.length - moved, unknownColumns: [] };
};

/** Says what a move would do. Throws what the move would throw. */
export const previewLineageMove = async (
  edges: EdgeStore,
  principal: Principal,
  source: Endpoint,
  target: Endpoint,
): Promise<LineageMove> => planMove(edges, principal, source, target);

/** Moves all lineage of a record to another. The caller must be allowed to edit the lineage at all ends of all edges. */
export const moveLineage = (
  edges: EdgeStore,
  principal: Principal,
  source: Endpoint,
  target: Endpoint,
): Promise<LineageMove> =>
  retryEdgeOnConflict(edges, source, target, async () => {
    const planned = await planMove(edges, principal, source, target);
    if (planned.moved + planned.merged + planned.past > 0) {
      await edges.engine.commit({ keys: [...new Set(planned.keys)], steps: planned.steps });
    }
    return planned;
  });
