import type { Principal } from '../../access/principal.ts';
import { StaleStateError } from '../../catalog/plan/step.ts';
import { CatalogError } from '../../errors.ts';
import { mapConcurrently } from '../../graph/map-concurrently.ts';
import { chunk } from '../../model/chunk.ts';
import { type EdgeAssertion, type EdgeResult, type EdgeStore, writeAssertions } from '../write/edge-store.ts';
import {
  type EdgePutOptions,
  type PreparedAssertion,
  type PutResult,
  prepareAssertion,
  type ResolvedEdge,
  refuseSelfLoop,
  upsertAssertion,
} from '../write/put-edge.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

/** The maximum number of edges from one record in one write, and of such writes running concurrently. */
const MAX_BATCH = 100;
const CONCURRENT_BATCHES = 2000;

/** One of many edges with its position in the request. */
type BatchRow = { readonly at: number; readonly found: ResolvedEdge };

/** Distinct edges that leave the same record. */
type EdgeBatch = readonly BatchRow[];

/**
 * Groups edges into rounds of batches that can be written concurrently, one batch per record the edges leave. A
 * repeated edge waits for the next round.
 */
const planRounds = (all: readonly ResolvedEdge[]): EdgeBatch[][] => {
  const times = new Map<string, number>();
  const rounds: Map<string, BatchRow[]>[] = [];
  for (const [at, found] of all.entries()) {
    const pair = `${found.from.id} ${found.to.id}`;
    const time = times.get(pair) ?? 0;
    times.set(pair, time + 1);
    rounds[time] ??= new Map();
    const round = rounds[time];
    const rows = round.get(found.from.id) ?? [];
    round.set(found.from.id, rows);
    rows.push({ at, found });
  }
  return rounds.map((round) => [...round.values()].flatMap((rows) => chunk(rows, MAX_BATCH)));
};

const prepareRow = (
  edges: EdgeStore,
  { found }: BatchRow,
  options: EdgePutOptions,
): Promise<EdgeRowOutcome<PreparedAssertion>> =>
  captureOutcome(() => {
    refuseSelfLoop(found.from, found.to);
    return prepareAssertion(edges, found, options);
  });

/** Whether the edges of a batch can be written one by one after writing them together failed. */
const canRetrySingly = (failure: unknown): boolean =>
  failure instanceof StaleStateError || (failure instanceof CatalogError && failure.status < 500);

/** Writes a batch in one transaction. Returns undefined when one of the edges prevents writing the others. */
const writeBatch = async (
  edges: EdgeStore,
  principal: Principal,
  bundle: EdgeBatch,
  words: readonly EdgeAssertion[],
): Promise<readonly EdgeResult[] | undefined> => {
  const from = bundle[0]?.found.from;
  if (!from || words.length === 0) return [];
  try {
    return await writeAssertions(edges, principal, from, words);
  } catch (failure) {
    if (!canRetrySingly(failure)) throw failure;
    return undefined;
  }
};

const upsertEach = (
  edges: EdgeStore,
  principal: Principal,
  bundle: EdgeBatch,
  options: EdgePutOptions,
): Promise<EdgeRowOutcome<PutResult>[]> =>
  Promise.all(bundle.map(({ found }) => captureOutcome(() => upsertAssertion(edges, principal, found, options))));

/** Writes a batch together, and falls back to single writes when edges change concurrently. */
const upsertBatch = async (
  edges: EdgeStore,
  principal: Principal,
  bundle: EdgeBatch,
  options: EdgePutOptions,
): Promise<EdgeRowOutcome<PutResult>[]> => {
  const prepared = await Promise.all(bundle.map((row) => prepareRow(edges, row, options)));
  const assertions = prepared.flatMap((row, at): EdgeAssertion[] => {
    const to = bundle[at]?.found.to;
    return 'value' in row && to ? [{ to, snapshot: row.value.snapshot, assertion: row.value.assertion }] : [];
  });
  const results = await writeBatch(edges, principal, bundle, assertions);
  if (!results) return upsertEach(edges, principal, bundle, options);
  const written = results.values();
  return bundle.map(({ found: { from, to } }, at): EdgeRowOutcome<PutResult> => {
    const row = prepared[at] as EdgeRowOutcome<PreparedAssertion>;
    if ('failure' in row) return row;
    return { value: { from, to, result: written.next().value as EdgeResult, unknown: row.value.unknown } };
  });
};

/** Writes assertions about many edges, each with its own outcome. The last row about the same pair of records wins. */
export const upsertAssertions = async (
  edges: EdgeStore,
  principal: Principal,
  all: readonly ResolvedEdge[],
  options: EdgePutOptions,
): Promise<EdgeRowOutcome<PutResult>[]> => {
  const outcomes: EdgeRowOutcome<PutResult>[] = new Array(all.length);
  for (const bundles of planRounds(all)) {
    await mapConcurrently(bundles, CONCURRENT_BATCHES, async (bundle) => {
      const results = await upsertBatch(edges, principal, bundle, options);
      for (const [index, { at }] of bundle.entries()) outcomes[at] = results[index] as EdgeRowOutcome<PutResult>;
    });
  }
  return outcomes;
};
