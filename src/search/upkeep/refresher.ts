import { createRounds } from '../../graph/rounds.ts';
import type { Log } from '../../http/log.ts';
import { FORM } from '../index/stored.ts';
import { searchable } from './drift.ts';
import { listMarks, listMissing } from './queries.ts';
import { isAnother, type Keeper, MARKED_AT_ONCE, markPages, refresh } from './refresh.ts';

/**
 * Keeps documents true that tell of other records: who owns a table, what its tags mean, in which database it lies. What
 * a record says itself is written with it; when what others tell of it has changed, they are marked, and what is marked
 * is written anew. One process of all does it at a time, and whatever it has done it may do again.
 */
export type Refresher = {
  start(): void;
  stop(): Promise<void>;
  /** Says that this process has committed something. */
  wake(): void;
};

export type RefresherOptions = {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** How long it waits at least between two looks, so that marks of several commits share one. */
  readonly gapMs: number;
  /** How often it looks for marks that nobody has told it of. */
  readonly pollMs: number;
  /** How long it goes on without a look around while there is more to do. */
  readonly spellMs: number;
  readonly batch: number;
  /** How many records are marked at once. */
  readonly spread: number;
};

const OPTIONS: RefresherOptions = Object.freeze({
  leaseMs: 15_000,
  beatMs: 5000,
  gapMs: 250,
  pollMs: 1000,
  spellMs: 3000,
  batch: 500,
  spread: MARKED_AT_ONCE,
});

export type RefresherDeps = {
  readonly engine: Keeper;
  readonly log: Pick<Log, 'warn'>;
  readonly options?: Partial<RefresherOptions>;
};

/** Marks the records of which there is no document, or one that a former version of the program has written. */
export const markMissing = async (
  keeper: Keeper,
  { spread: limit }: Pick<RefresherOptions, 'spread'> = OPTIONS,
): Promise<void> => {
  const { graph } = keeper;
  const types = searchable(keeper).map(({ entityType }) => entityType);
  await markPages(graph, limit, (after) => graph.read(listMissing, { after, limit, types, form: FORM }));
};

const TOLD_AT_ONCE = 5;

/** Goes through the marks in the order of their ids, round after round, so that none of them is passed over for long. */
const createWalk = ({ engine, log }: RefresherDeps, { batch, spread }: RefresherOptions) => {
  let after = '';
  /** Looks at some marks; answers whether there may be more, be it because they have led to others. */
  return async (): Promise<boolean> => {
    const marks = await engine.graph.read(listMarks, { after, limit: batch });
    const hasBegun = after !== '';
    after = marks.length === batch ? (marks.at(-1)?.id ?? '') : '';
    const failed = await refresh(engine, marks, spread);
    if (failed.length > 0) {
      const some = failed.slice(0, TOLD_AT_ONCE).map(({ id, failure }) => `${id}: ${failure}`);
      log.warn('documents could not be made', { count: failed.length, some: some.join('; ') });
    }
    return hasBegun || after !== '' || marks.some(isAnother);
  };
};

export const createRefresher = (deps: RefresherDeps): Refresher => {
  const { engine, log } = deps;
  const options = { ...OPTIONS, ...deps.options };
  const walk = createWalk(deps, options);
  let isSurveyed = false;
  const { start, stop, wake } = createRounds(engine.graph, {
    name: 'refreshing documents',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    gapMs: options.gapMs,
    failedMs: options.pollMs,
    begun: () => {
      isSurveyed = false;
    },
    round: async () => {
      if (!isSurveyed) await markMissing(engine, options);
      isSurveyed = true;
      const until = performance.now() + options.spellMs;
      while (await walk()) if (performance.now() > until) return 0;
      return options.pollMs;
    },
    failed: (failure) => log.warn('documents could not be refreshed', {}, failure),
    kept: (failure) => log.warn('the right to refresh was kept', {}, failure),
  });
  return { start, stop, wake };
};
