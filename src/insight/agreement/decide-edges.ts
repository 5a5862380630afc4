import type { Principal } from '../../access/principal.ts';
import { recordNotFound } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { answerRows } from '../../lineage/ingest/answer-rows.ts';
import { upsertAssertions } from '../../lineage/ingest/edge-batches.ts';
import { permitRows, resolveRows, type WrittenRow } from '../../lineage/ingest/edge-rows.ts';
import { captureOutcome, type EdgeRowOutcome } from '../../lineage/ingest/row-outcome.ts';
import { readNodeVisibility } from '../../lineage/node-visibility.ts';
import { readPresentEdge, withdrawFromPresentEdge } from '../../lineage/write/change-edge.ts';
import type { EdgeStore } from '../../lineage/write/edge-store.ts';
import { type EdgeInput, type ResolvedEdge, refuseSelfLoop } from '../../lineage/write/put-edge.ts';
import type { Json } from '../../model/json.ts';
import { EdgeEndIds } from '../../model/schemas/insight/agreement.ts';
import { validate } from '../../model/validate.ts';
import { edgeEndsKey } from './read-rows.ts';

/** Confirms edges, or withdraws what sources state of them. Each edge passes or fails on its own. */

type EdgeOutcome = EdgeRowOutcome<WrittenRow>;

/** Decides on edges that the caller may change, and answers what became of each. */
export type DecideEdges = (
  edges: EdgeStore,
  principal: Principal,
  found: readonly ResolvedEdge[],
) => Promise<readonly EdgeOutcome[]>;

/** The number of edges that are read or withdrawn concurrently. */
const CONCURRENT_EDGES = 500;

const decideEach = (
  found: readonly ResolvedEdge[],
  decide: (edge: ResolvedEdge) => Promise<unknown>,
): Promise<readonly EdgeOutcome[]> =>
  mapConcurrently(found, CONCURRENT_EDGES, (edge) =>
    captureOutcome(async () => {
      await decide(edge);
      return edge;
    }),
  );

/** Only checks that the edges exist. */
const checkEdges: DecideEdges = (edges, _principal, found) =>
  decideEach(found, ({ from, to }) => {
    refuseSelfLoop(from, to);
    return readPresentEdge(edges, from, to);
  });

/** Lets people assert edges as well. What they state already stays as it is. */
export const confirmEdges: DecideEdges = (edges, principal, found) =>
  upsertAssertions(edges, principal, found, { strictColumns: false, keepsUnsaid: true, mustExist: true });

/** Takes back what some sources state of edges. */
export const withdrawSources =
  (sources: ReadonlySet<string>): DecideEdges =>
  (edges, principal, found) =>
    decideEach(found, ({ from, to }) =>
      withdrawFromPresentEdge(edges, principal, [from, to], ({ source }) => sources.has(source)),
    );

const parseEdgeEnds = (row: Json): EdgeInput => {
  const { from, to } = validate(EdgeEndIds, row) as { readonly from: string; readonly to: string };
  return { fromEntity: { id: from.toLowerCase() }, toEntity: { id: to.toLowerCase() } };
};

/** Edges of assets that the caller may not see fail as if those did not exist. */
const keepVisible = async (
  { engine }: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
): Promise<readonly EdgeRowOutcome<ResolvedEdge>[]> => {
  const nodes = rows.flatMap((row) => ('failure' in row ? [] : [row.value.from.node, row.value.to.node]));
  const sees = await readNodeVisibility(engine, principal, nodes);
  return rows.map((row) => {
    if ('failure' in row) return row;
    const hidden = [row.value.from, row.value.to].find(({ id }) => !sees(id));
    return hidden ? { failure: recordNotFound('entity', hidden.id) } : row;
  });
};

/** Decides once on each edge, however many rows name it. */
const decideRows = async (
  edges: EdgeStore,
  principal: Principal,
  rows: readonly EdgeRowOutcome<ResolvedEdge>[],
  decide: DecideEdges,
): Promise<readonly EdgeOutcome[]> => {
  const distinct = new Map(
    rows.flatMap((row) => ('value' in row ? [[edgeEndsKey(row.value), row.value] as const] : [])),
  );
  const outcomes = await decide(edges, principal, [...distinct.values()]);
  const outcomeOf = new Map([...distinct.keys()].map((key, at) => [key, outcomes[at] as EdgeOutcome]));
  return rows.map((row) => ('failure' in row ? row : (outcomeOf.get(edgeEndsKey(row.value)) as EdgeOutcome)));
};

/** Decides on the edges of a request and builds its bulk result. */
export const decideOnEdges = async (
  edges: EdgeStore,
  principal: Principal,
  { rows, isDryRun }: { readonly rows: readonly Json[]; readonly isDryRun: boolean },
  decide: DecideEdges,
) => {
  const resolved = await keepVisible(edges, principal, await resolveRows(edges, principal, rows, parseEdgeEnds));
  const permitted = await permitRows(edges, principal, resolved);
  const outcomes = await decideRows(edges, principal, permitted, isDryRun ? checkEdges : decide);
  return answerRows(edges, principal, { rows, resolved, outcomes, isDryRun });
};
