import type { Graph } from '../../graph/client.ts';
import { createLeasedLoop, type LeasedLoop } from '../../graph/leased-loop.ts';
import type { Log } from '../../http/log.ts';
import { TypesenseFault } from './client.ts';
import type { TypesenseEngine } from './engine.ts';
import { deleteUnsent, listUnsent, type UnsentRecord, updateUnsentFailures } from './queries.ts';

/**
 * Sends changes to the server until it has them. The transaction of a change also queues it in the graph, so nothing is
 * lost while the server or this process is down. One of all processes sends at a time.
 */

export type IndexerOptions = {
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly gapMs: number;
  readonly pollMs: number;
  readonly batch: number;
  /** The delay while the server is unavailable, and after a collection could not be filled. */
  readonly awayMs: number;
  /** How often it checks that every kind has a serving collection. */
  readonly maintainMs: number;
  /** How often it compares everything with the graph. */
  readonly repairMs: number;
  /** How long a collection without an alias is kept. */
  readonly unusedMs: number;
};

const DEFAULT_OPTIONS: IndexerOptions = Object.freeze({
  leaseMs: 15_000,
  beatMs: 5000,
  gapMs: 50,
  pollMs: 250,
  batch: 200,
  awayMs: 5000,
  maintainMs: 30_000,
  repairMs: 3_600_000,
  unusedMs: 86_400_000,
});

export type IndexerDeps = {
  readonly graph: Graph;
  readonly engine: TypesenseEngine;
  readonly log: Pick<Log, 'warn'>;
  readonly options?: Partial<IndexerOptions>;
};

const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 300_000;

const retryDelay = (attempts: number): number => Math.min(FIRST_RETRY_MS * 2 ** Math.min(attempts, 20), MAX_RETRY_MS);

/** Sends a batch of queued changes; returns how many. */
const sendUnsent = async (
  { graph, engine }: Pick<IndexerDeps, 'graph' | 'engine'>,
  limit: number,
  mayWrite: () => boolean,
): Promise<number> => {
  const noted: readonly UnsentRecord[] = await graph.read(listUnsent, { limit });
  if (noted.length === 0) return 0;
  const unfed = new Map((await engine.feed(noted, mayWrite)).map(({ id, reason }) => [id, reason]));
  const sent = noted.filter(({ id }) => !unfed.has(id)).map(({ id, times }) => ({ id, times }));
  const failed = noted.flatMap(({ id, attempts }) => {
    const reason = unfed.get(id);
    return reason === undefined ? [] : [{ id, reason, waitMs: retryDelay(attempts) }];
  });
  await graph.write(async (transaction) => {
    await transaction.run(deleteUnsent, { rows: sent });
    if (failed.length > 0) await transaction.run(updateUnsentFailures, { rows: failed });
  });
  return noted.length;
};

export type Indexer = Pick<LeasedLoop, 'start' | 'stop' | 'wake'>;

type IndexerState = Required<Omit<IndexerDeps, 'options'>> & {
  readonly options: IndexerOptions;
  /** The times, by this process's steady clock, of the last maintenance and the last comparison. */
  maintainedAt: number;
  repairedAt: number;
  maintenance: Promise<void> | undefined;
  isStopping: boolean;
};

const createIndexerState = ({ options, ...deps }: IndexerDeps): IndexerState => ({
  ...deps,
  options: { ...DEFAULT_OPTIONS, ...options },
  maintainedAt: Number.NEGATIVE_INFINITY,
  repairedAt: Number.NEGATIVE_INFINITY,
  maintenance: undefined,
  isStopping: false,
});

/** Fills missing collections while changes continue to be sent. */
const runMaintenance = async (state: IndexerState, isHeld: () => boolean): Promise<void> => {
  const { engine, log, options } = state;
  try {
    await engine.maintain({ isWanted: () => !state.isStopping && isHeld() });
    await engine.deleteUnused(options.unusedMs);
    if (performance.now() - state.repairedAt > options.repairMs) {
      state.repairedAt = performance.now();
      const count = await engine.repair();
      if (count > 0) log.warn('documents differed from their assets and are sent again', { count });
    }
  } catch (failure) {
    if (!state.isStopping) log.warn('collections could not be filled', {}, failure);
  } finally {
    state.maintenance = undefined;
  }
};

/** Sends a batch, and begins a maintenance when that is due; returns the pause before the next round. */
const runRound = async (state: IndexerState, isHeld: () => boolean): Promise<number> => {
  const { batch, pollMs, maintainMs } = state.options;
  if (!state.maintenance && performance.now() - state.maintainedAt > maintainMs) {
    state.maintainedAt = performance.now();
    state.maintenance = runMaintenance(state, isHeld);
  }
  const sent = await sendUnsent(state, batch, isHeld);
  return sent === batch ? 0 : pollMs;
};

const createRounds = (state: IndexerState): LeasedLoop => {
  const { graph, log, options } = state;
  const isHeld = () => rounds.isHeld();
  const rounds = createLeasedLoop(graph, {
    name: 'sending documents',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    minPauseMs: options.gapMs,
    failurePauseMs: options.awayMs,
    onStart: () => {
      state.maintainedAt = Number.NEGATIVE_INFINITY;
      state.repairedAt = Number.NEGATIVE_INFINITY;
    },
    runRound: () => runRound(state, isHeld),
    onRoundFailed: (failure) => {
      const isAway = failure instanceof TypesenseFault && failure.kind === 'away';
      log.warn(isAway ? 'Typesense does not answer; changes are sent later' : 'changes could not be sent', {}, failure);
    },
    onReleaseFailed: (failure) => log.warn('the lease for sending documents was not released', {}, failure),
  });
  return rounds;
};

export const createIndexer = (deps: IndexerDeps): Indexer => {
  const state = createIndexerState(deps);
  const rounds = createRounds(state);
  return {
    start: () => {
      state.isStopping = false;
      rounds.start();
    },
    stop: async () => {
      state.isStopping = true;
      await rounds.stop();
      await state.maintenance;
    },
    wake: rounds.wake,
  };
};
