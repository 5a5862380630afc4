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
 * Refreshes documents that contain data of other records: the owners of a table, the descriptions of its tags, its
 * database. A write updates the record's own document; changes to data in other documents mark those, and marked
 * documents are rewritten. One of all processes does this at a time, and every step may run again.
 */
export type Refresher = {
  start(): void;
  stop(): Promise<void>;
  /** Signals that this process has committed a transaction. */
  wake(): void;
};

export type RefresherOptions = {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** The shortest pause between two rounds, so that marks of several commits share one. */
  readonly gapMs: number;
  /** How often it looks for marks without a signal. */
  readonly pollMs: number;
  /** How long one round continues while there is more to do. */
  readonly roundMs: number;
  readonly batch: number;
  /** How many records one transaction marks. */
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

/** Marks the records without a document, or with one in the format of an earlier version. */
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

/** Processes marks in the order of their ids, round after round, so that no mark waits for long. */
const createMarkWalk = ({ engine, log }: RefresherDeps, { batch, spread }: RefresherOptions) => {
  let after = '';
  /** Processes a batch of marks; returns whether there may be more, including marks that this batch has added. */
  return async (): Promise<boolean> => {
    const marks = await engine.graph.read(listMarks, { after, limit: batch });
    const hasBegun = after !== '';
    after = marks.length === batch ? (marks.at(-1)?.id ?? '') : '';
    const failed = await refreshDocuments(engine, marks, spread);
    if (failed.length > 0) {
      const some = failed.slice(0, MAX_LOGGED_FAILURES).map(({ id, failure }) => `${id}: ${failure}`);
      log.warn('documents could not be built', { count: failed.length, some: some.join('; ') });
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
    onReleaseFailed: (failure) => log.warn('the lease for refreshing documents was not released', {}, failure),
  });
  return { start, stop, wake };
};
