import { createLeasedLoop } from '../../graph/leased-loop.ts';
import type { Log } from '../../http/log.ts';
import { DOCUMENT_FORMAT } from '../../search-documents/index/stored-document.ts';
import { searchableKinds } from './drift.ts';
import { listMarks, listMissingDocuments } from './queries.ts';
import {
  hasChangedFace,
  MARK_BATCH,
  type MaintenanceEngine,
  markPages,
  refreshDocuments,
} from './refresh-documents.ts';

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
  readonly roundMs: number;
  readonly batch: number;
  /** How many records are marked at once. */
  readonly spread: number;
};

const DEFAULT_OPTIONS: RefresherOptions = Object.freeze({
  leaseMs: 15_000,
  beatMs: 5000,
  gapMs: 250,
  pollMs: 1000,
  roundMs: 3000,
  batch: 500,
  spread: MARK_BATCH,
});

export type RefresherDeps = {
  readonly engine: MaintenanceEngine;
  readonly log: Pick<Log, 'warn'>;
  readonly options?: Partial<RefresherOptions>;
};

/** Marks the records of which there is no document, or one that a former version of the program has written. */
export const markMissingDocuments = async (
  keeper: MaintenanceEngine,
  { spread: limit }: Pick<RefresherOptions, 'spread'> = DEFAULT_OPTIONS,
): Promise<void> => {
  const { graph } = keeper;
  const types = searchableKinds(keeper).map(({ entityType }) => entityType);
  await markPages(graph, limit, (after) =>
    graph.read(listMissingDocuments, { after, limit, types, form: DOCUMENT_FORMAT }),
  );
};

const MAX_LOGGED_FAILURES = 5;

/** Goes through the marks in the order of their ids, round after round, so that none of them is passed over for long. */
const createMarkWalk = ({ engine, log }: RefresherDeps, { batch, spread }: RefresherOptions) => {
  let after = '';
  /** Looks at some marks; answers whether there may be more, be it because they have led to others. */
  return async (): Promise<boolean> => {
    const marks = await engine.graph.read(listMarks, { after, limit: batch });
    const hasBegun = after !== '';
    after = marks.length === batch ? (marks.at(-1)?.id ?? '') : '';
    const failed = await refreshDocuments(engine, marks, spread);
    if (failed.length > 0) {
      const some = failed.slice(0, MAX_LOGGED_FAILURES).map(({ id, failure }) => `${id}: ${failure}`);
      log.warn('documents could not be made', { count: failed.length, some: some.join('; ') });
    }
    return hasBegun || after !== '' || marks.some(hasChangedFace);
  };
};

export const createRefresher = (deps: RefresherDeps): Refresher => {
  const { engine, log } = deps;
  const options = { ...DEFAULT_OPTIONS, ...deps.options };
  const walk = createMarkWalk(deps, options);
  let isSurveyed = false;
  const { start, stop, wake } = createLeasedLoop(engine.graph, {
    name: 'refreshing documents',
    leaseMs: options.leaseMs,
    beatMs: options.beatMs,
    minPauseMs: options.gapMs,
    failurePauseMs: options.pollMs,
    onStart: () => {
      isSurveyed = false;
    },
    runRound: async () => {
      if (!isSurveyed) await markMissingDocuments(engine, options);
      isSurveyed = true;
      const until = performance.now() + options.roundMs;
      while (await walk()) if (performance.now() > until) return 0;
      return options.pollMs;
    },
    onRoundFailed: (failure) => log.warn('documents could not be refreshed', {}, failure),
    onReleaseFailed: (failure) => log.warn('the right to refresh was kept', {}, failure),
  });
  return { start, stop, wake };
};
