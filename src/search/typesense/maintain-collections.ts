import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { type CollectionDifference, compareCollection } from './compare-collection.ts';
import { type EngineState, noteServerFailure, surveyServer } from './engine-state.ts';
import { type FeedFailure, type FeedItem, feedCollections } from './feed.ts';
import { markUnsent, readFeeding, updateFeeding } from './queries.ts';
import { type RebuiltCollection, rebuildCollections } from './rebuild.ts';
import { surveyCollections } from './survey-collections.ts';

/** Keeps the collections of the server equal to the graph: feeds, rebuilds, repairs, and removes old collections. */

export type RebuildOptions = {
  readonly batch?: number;
  readonly progress?: (sent: number) => void;
  readonly isWanted?: () => boolean;
};

const MARK_BATCH = 1000;

/** Runs one feed after another, so that two of one process never overtake each other. */
export const feedInTurn = (
  state: EngineState,
  items: readonly FeedItem[],
  mayWrite: () => boolean,
): Promise<readonly FeedFailure[]> => {
  const { graph, typesense, byType, prefix, kinds } = state;
  const work = async () => {
    const found = await surveyCollections(typesense, prefix, kinds);
    return feedCollections({ graph, typesense, kinds: byType, mayWrite }, found, items);
  };
  const turn = state.feeding.then(work, work);
  state.feeding = turn.catch((failure: unknown) => noteServerFailure(state, failure));
  return turn;
};

const dropLater = ({ typesense, log, dropTimers, options }: EngineState, collection: string): void => {
  const timer = setTimeout(() => {
    dropTimers.delete(timer);
    typesense
      .dropCollection(collection)
      .catch((failure: unknown) => log.warn('a collection could not be removed', { collection }, failure));
  }, options.keepMs);
  timer.unref();
  dropTimers.add(timer);
};

/** Fills new collections and switches the aliases to them. */
export const rebuildKinds = async (
  state: EngineState,
  wanted: readonly Kind[],
  rebuildOptions: RebuildOptions = {},
): Promise<readonly RebuiltCollection[]> => {
  const { graph, typesense, byType, prefix, now } = state;
  const done = await rebuildCollections({ graph, typesense, kinds: byType, prefix, now, ...rebuildOptions }, wanted);
  for (const { previous } of done) if (previous !== undefined) dropLater(state, previous);
  await surveyServer(state);
  return done;
};

/** Compares the serving collection of a kind with the graph; undefined when none serves. */
export const compareKind = async (
  { graph, typesense, prefix }: EngineState,
  kind: Kind,
): Promise<CollectionDifference | undefined> => {
  const { serving } = await surveyCollections(typesense, prefix, [kind]);
  const collection = serving.get(kind)?.name;
  return collection === undefined ? undefined : compareCollection(graph, typesense, kind, collection);
};

/** Queues all differences from the graph for sending; returns how many there are. */
export const repairCollections = async (state: EngineState): Promise<number> => {
  let count = 0;
  for (const kind of state.kinds) {
    const { missing = [], outdated = [], extra = [] } = (await compareKind(state, kind)) ?? {};
    const ids = [...missing, ...outdated, ...extra];
    count += ids.length;
    for (const some of chunk(ids, MARK_BATCH)) {
      const rows = some.map((id) => ({ id, entityType: kind.entityType }));
      await state.graph.write((transaction) => transaction.run(markUnsent, { rows }));
    }
  }
  return count;
};

/** Lists the kinds without a serving collection that has the current fields. */
export const listUnservedKinds = async ({ typesense, prefix, kinds }: EngineState): Promise<readonly Kind[]> => {
  const { serving } = await surveyCollections(typesense, prefix, kinds);
  return kinds.filter((kind) => !serving.has(kind));
};

const writeFeeding = ({ graph }: EngineState, server: string | null) =>
  graph.write((transaction) => transaction.run(updateFeeding, { rows: [{ server }] }));

/** Ensures that every change is sent to the server and that every kind has a serving collection. */
export const maintainCollections = async (
  state: EngineState,
  rebuildOptions: RebuildOptions | undefined,
): Promise<void> => {
  const { graph, server, kinds } = state;
  const [feeding] = await graph.read(readFeeding, {});
  const isFed = feeding?.server === server;
  // Changes are queued from here on, so the collections that are filled now miss none.
  if (!isFed) await writeFeeding(state, null);
  const wanted = isFed ? await listUnservedKinds(state) : kinds;
  if (wanted.length > 0) await rebuildKinds(state, wanted, rebuildOptions);
  if (!isFed) await writeFeeding(state, server);
};

/** Removes collections that have had no alias for a while; returns their names. */
export const deleteUnusedCollections = async (
  { typesense, prefix, kinds, now }: EngineState,
  olderThanMs: number,
): Promise<readonly string[]> => {
  const { unused } = await surveyCollections(typesense, prefix, kinds);
  const old = unused.filter(({ made }) => now() - made > olderThanMs).map(({ name }) => name);
  for (const name of old) await typesense.dropCollection(name);
  return old;
};
