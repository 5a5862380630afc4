import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { chunk } from '../../model/chunk.ts';
import type { Asserter } from '../edge.ts';
import { type Endpoint, findEndpointsByIds } from '../endpoints.ts';
import { type EndpointIds, listEdgesOfAsserter } from '../queries.ts';
import { withdrawSourceFromEdge } from '../write/change-edge.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import { readEditableIds } from './edge-rows.ts';

/** Compares what is asserted of edges with what was asserted before, and withdraws what is not asserted any more. */

export type EndpointPair = { readonly from: Endpoint; readonly to: Endpoint };

type Identified = { readonly from: { readonly id: string }; readonly to: { readonly id: string } };

/** Builds the key of an edge by the records that it joins. */
export const endpointPairKey = ({ from, to }: Identified): string => `${from.id} ${to.id}`;

/** The number of records whose look-ups wait together. */
const READ_AT_ONCE = 10_000;

/** The number of edges withdrawn concurrently. */
const CONCURRENT_EDGES = 1000;

/** Finds the records that edges join. An edge at a record that was removed meanwhile is left out. */
export const findEndpointPairs = async (
  engine: Engine,
  ids: readonly EndpointIds[],
): Promise<readonly EndpointPair[]> => {
  const ends = new Map<string, Endpoint>();
  const distinct = [...new Set(ids.flatMap(({ from, to }) => [from, to]))];
  for (const some of chunk(distinct, READ_AT_ONCE)) {
    for (const end of await findEndpointsByIds(engine, some)) ends.set(end.id, end);
  }
  return ids.flatMap(({ from: fromId, to: toId }) => {
    const [from, to] = [ends.get(fromId), ends.get(toId)];
    return from && to ? [{ from, to }] : [];
  });
};

/** Withdraws what an asserter states of edges; the caller must have checked the permission. */
export const withdrawFromPairs = async (
  edges: EdgeStore,
  principal: Principal,
  pairs: readonly EndpointPair[],
  asserter: Asserter,
): Promise<void> => {
  await mapConcurrently(pairs, CONCURRENT_EDGES, ({ from, to }) =>
    withdrawSourceFromEdge(edges, principal, from, to, asserter),
  );
};

/**
 * Withdraws what an asserter states of any other edges than those it states now. Returns whether the caller was allowed
 * to edit all of them; the others stay.
 */
export const withdrawOthers = async (
  edges: EdgeStore,
  principal: Principal,
  asserter: Required<Asserter>,
  stated: readonly Identified[],
): Promise<boolean> => {
  const { engine } = edges;
  const { source, sourceName = '' } = asserter;
  const kept = new Set(stated.map(endpointPairKey));
  const known = await engine.graph.read(listEdgesOfAsserter, { source, sourceName });
  const pairs = await findEndpointPairs(
    engine,
    known.filter(({ from, to }) => !kept.has(`${from} ${to}`)),
  );
  const editable = await readEditableIds(
    engine,
    principal,
    pairs.flatMap(({ from, to }) => [from, to]),
  );
  const open = pairs.filter(({ from, to }) => editable.has(from.id) && editable.has(to.id));
  await withdrawFromPairs(edges, principal, open, asserter);
  return open.length === pairs.length;
};
