import type { Graph } from '../../graph/client.ts';
import { createRounds, type Rounds } from '../../graph/rounds.ts';
import type { Log } from '../../http/log.ts';
import { TypesenseFault } from './client.ts';
import type { TypesenseEngine } from './engine.ts';
import { deleteUnsent, failUnsent, listUnsent, type Unsent } from './queries.ts';

/**
 * Sends what has changed to the server, again and again until it is there. What is to be sent is noted in the graph with
 * the change, so nothing is lost while the server or this process is away; one process of all does it at a time.
 */

export type IndexerOptions = {
  readonly leaseMs: number;
  readonly beatMs: number;
  readonly gapMs: number;
  readonly pollMs: number;
  readonly batch: number;
  /** How long is waited while the server is away, and after a collection could not be filled. */
  readonly awayMs: number;
  /** How often it is looked whether something serves for every kind. */
  readonly tendMs: number;
  /** How often everything is compared with the graph. */
  readonly mendMs: number;
  /** How long nobody misses a collection that no alias is pointed at. */
  readonly unusedMs: number;
};

const OPTIONS: IndexerOptions = Object.freeze({
  leaseMs: 15_000,
  beatMs: 5000,
  gapMs: 50,
  pollMs: 250,
  batch: 200,
  awayMs: 5000,
  tendMs: 30_000,
  mendMs: 3_600_000,
  unusedMs: 86_400_000,
});

export type IndexerDeps = {
  readonly graph: Graph;
  readonly engine: TypesenseEngine;
  readonly log: Pick<Log, 'warn'>;
  readonly options?: Partial<IndexerOptions>;
};

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 300_000;

const waitAfter = (attempts: number): number => Math.min(FIRST_WAIT_MS * 2 ** Math.min(attempts, 20), LONGEST_WAIT_MS);

/** Sends some of what is to be sent; answers how much that was. */
const sendSome = async (
  { graph, engine }: Pick<IndexerDeps, 'graph' | 'engine'>,
  limit: number,
  mayWrite: () => boolean,
): Promise<number> => {
  const noted: readonly Unsent[] = await graph.read(listUnsent, { limit });
  if (noted.length === 0) return 0;
  const unfed = new Map((await engine.feed(noted, mayWrite)).map(({ id, reason }) => [id, reason]));
  const sent = noted.filter(({ id }) => !unfed.has(id)).map(({ id, times }) => ({ id, times }));
  const failed = noted.flatMap(({ id, attempts }) => {
    const reason = unfed.get(id);
    return reason === undefined ? [] : [{ id, reason, waitMs: waitAfter(attempts) }];
  });
  await graph.write(async (transaction) => {
    await transaction.run(deleteUnsent, { rows: sent });
    if (failed.length > 0) await transaction.run(failUnsent, { rows: failed });
  });
  return noted.length;
};

export type Indexer = Pick<Rounds, 'start' | 'stop' | 'wake'>;

export const createIndexer = ({ graph, engine, log, options: wished = {} }: IndexerDeps): Indexer => {
  const options = { ...OPTIONS, ...wished };
  let tendedAt = Number.NEGATIVE_INFINITY;
  let mendedAt = Number.NEGATIVE_INFINITY;
  let filling: Promise<void> | undefined;
  let isStopping = false;

  /** Fills collections where nothing serves, while what changes meanwhile is sent as ever. */
  const fill = async (): Promise<void> => {
    try {
      await engine.tend({ isWanted: () => !isStopping && rounds.isHeld() });
      await engine.sweep(options.unusedMs);
      if (performance.now() - mendedAt > options.mendMs) {
        mendedAt = performance.now();
        const count = await engine.mend();
        if (count > 0) log.warn('documents differed from their records and are sent anew', { count });
      }
    } catch (failure) {
      if (!isStopping) log.warn('collections could not be filled', {}, failure);
    } finally {
      filling = undefined;
    }
  };

  const rounds = createRounds(graph, {
    name: 'sending documents',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    gapMs: options.gapMs,
    failedMs: options.awayMs,
    begun: () => {
      tendedAt = Number.NEGATIVE_INFINITY;
      mendedAt = Number.NEGATIVE_INFINITY;
    },
    round: async () => {
      if (!filling && performance.now() - tendedAt > options.tendMs) {
        tendedAt = performance.now();
        filling = fill();
      }
      const sent = await sendSome({ graph, engine }, options.batch, () => rounds.isHeld());
      return sent === options.batch ? 0 : options.pollMs;
    },
    failed: (failure) => {
      const isAway = failure instanceof TypesenseFault && failure.kind === 'away';
      log.warn(isAway ? 'Typesense is away; what has changed is sent later' : 'changes could not be sent', {}, failure);
    },
    kept: (failure) => log.warn('the right to send was kept', {}, failure),
  });

  return {
    start: () => {
      isStopping = false;
      rounds.start();
    },
    stop: async () => {
      isStopping = true;
      await rounds.stop();
      await filling;
    },
    wake: rounds.wake,
  };
};
