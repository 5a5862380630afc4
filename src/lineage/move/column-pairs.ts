import { createStep, STEP_ORDER, staleStateError } from '../../catalog/plan/step.ts';
import { badRequest } from '../../errors.ts';
import type { Graph } from '../../graph/client.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import type { Endpoint } from '../endpoints.ts';
import { columnPairsOf } from '../merge-assertions.ts';
import { columnPairLabels } from '../write/plan-edge.ts';
import type { ColumnMove } from './column-move.ts';
import type { MovedEdge } from './merge-edges.ts';
import * as query from './queries.ts';

/** Moves the column pairs of edges along with them. */

/** The maximum number of column pairs, present and past, that one move may take. */
const MAX_PAIRS = 50_000;

/** The column pairs that a move concerns: the present ones of its edges, and the past ones of the columns left. */
export type StoredPairs = {
  readonly live: readonly query.LivePairRow[];
  readonly past: readonly query.PastPairRow[];
  /** The common starts of the keys of the columns that are left, and of those that take their place. */
  readonly prefix: string;
  readonly targetPrefix: string;
};

export const readPairs = async (
  graph: Graph,
  edges: readonly MovedEdge[],
  { source, target }: { readonly source: Endpoint; readonly target: Endpoint },
): Promise<StoredPairs> => {
  const edgeIds = edges.flatMap(({ replaced }) => replaced.map((edge) => edge.id));
  const prefix = `${source.id}:`;
  const [live, past] = await Promise.all([
    graph.read(query.listLivePairs, { edgeIds, limit: MAX_PAIRS + 1 }),
    graph.read(query.listPastPairs, { prefix, limit: MAX_PAIRS + 1 }),
  ]);
  if (live.length + past.length > MAX_PAIRS) throw badRequest(`At most ${MAX_PAIRS} column pairs can be moved at once`);
  return { live, past, prefix, targetPrefix: `${target.id}:` };
};

type Pair = {
  readonly edgeId: string;
  readonly from: string;
  readonly to: string;
  readonly since: number;
  readonly until?: number;
};

const pairRow = ({ edgeId, from, to, since, until }: Pair) => ({
  edgeId,
  from,
  to,
  since: encodeProperty(since),
  until: until === undefined ? null : encodeProperty(until),
});

/**
 * Gives a pair the columns that take the place of those left; undefined when there is none. A pair between both records
 * stays as it is, because it would join a record to itself.
 */
const redirectPair = <T extends Pair>(
  pair: T,
  { prefix, targetPrefix }: StoredPairs,
  { keyOf }: ColumnMove,
): T | undefined => {
  const keys = [pair.from, pair.to];
  if ([prefix, targetPrefix].every((start) => keys.some((key) => key.startsWith(start)))) return pair;
  const [from, to] = keys.map((key) => (key.startsWith(prefix) ? keyOf(key) : key));
  return from === undefined || to === undefined ? undefined : { ...pair, from, to };
};

/** The pairs of a present edge: those that its mappings name, each since the first time; the others have ended. */
const livePairsOf = (
  edge: MovedEdge,
  pairs: StoredPairs,
  columns: ColumnMove,
  endpointOf: (id: string) => Endpoint,
  now: number,
): Pair[] => {
  const mapped = [...columnPairsOf(edge.merged?.mappings ?? []).values()];
  const named = new Set(columnPairLabels(endpointOf(edge.from), endpointOf(edge.to), mapped));
  const replaced = new Set(edge.replaced.map(({ id }) => id));
  const found = new Map<string, Pair & { readonly isNamed: boolean }>();
  for (const stored of pairs.live) {
    const pair = replaced.has(stored.edgeId) ? redirectPair(stored, pairs, columns) : undefined;
    if (!pair) continue;
    const key = `${pair.from} ${pair.to}`;
    const [fromLabel, toLabel] = stored.label.split('\n');
    const label = [stored.from === pair.from ? fromLabel : pair.from, stored.to === pair.to ? toLabel : pair.to];
    const since = Math.min(pair.since, found.get(key)?.since ?? pair.since);
    found.set(key, { edgeId: edge.id, from: pair.from, to: pair.to, since, isNamed: named.has(label.join('\n')) });
  }
  return [...found.values()].map(({ isNamed, ...pair }) => (isNamed ? pair : { ...pair, until: now }));
};

export const planPairSteps = (
  edges: readonly MovedEdge[],
  pairs: StoredPairs,
  columns: ColumnMove,
  endpointOf: (id: string) => Endpoint,
  now: number,
): WriteStep[] => {
  const edgeIds = new Map(edges.flatMap(({ id, replaced }) => replaced.map((edge) => [edge.id, id] as const)));
  const live = edges.flatMap((edge) =>
    edge.merged
      ? livePairsOf(edge, pairs, columns, endpointOf, now)
      : pairs.live.flatMap(({ label: _, ...pair }) => (pair.edgeId === edge.id ? [{ ...pair, until: now }] : [])),
  );
  const past = pairs.past.flatMap((stored) => {
    const pair = redirectPair(stored, pairs, columns);
    return pair ? [{ ...pair, edgeId: edgeIds.get(pair.edgeId) ?? pair.edgeId }] : [];
  });
  return [
    createStep(
      query.deleteLivePairs,
      STEP_ORDER.unlink,
      [...edgeIds.keys()].map((edgeId) => ({ edgeId })),
    ),
    createStep(query.deletePastPairs, STEP_ORDER.unlink, pairs.past.length > 0 ? [{ prefix: pairs.prefix }] : []),
    createStep(query.createPairs, STEP_ORDER.link, [...live, ...past].map(pairRow), staleStateError),
  ];
};
