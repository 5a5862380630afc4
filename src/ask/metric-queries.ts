import { setTimeout as sleep } from 'node:timers/promises';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { QueryMetric } from '../http/metrics.ts';
import { listMetricQueries, type SavedQueryNode } from './queries.ts';
import type { GraphAnswer, QueryRunner } from './run-query.ts';

/**
 * Reads the saved queries that are metrics, for the metrics of the service. The last column of a row is its value, and
 * the others tell the rows apart. An administrator made them metrics, so they run with an administrator's rights.
 */

/** Scrapes share a reading for this long, because each query may take a while. */
const FRESH_MS = 30_000;
/** A scraper waits for a new reading only this long, and gets the one before otherwise. */
const READ_WITHIN_MS = 2000;
const MAX_METRIC_QUERIES = 20;
const MAX_ROWS = 100;
const QUERY_MS = 5000;
const MAX_KEY_LENGTH = 200;

const toMetrics = (name: string, { rows }: GraphAnswer): QueryMetric[] =>
  rows.flatMap((row) => {
    const value = row.at(-1);
    const key = row.slice(0, -1).map(String).join(' ').slice(0, MAX_KEY_LENGTH);
    return typeof value === 'number' ? [{ name, key, value }] : [];
  });

const runMetric = async (
  runner: QueryRunner,
  principal: Principal,
  { name, query, parametersJson }: SavedQueryNode,
): Promise<readonly QueryMetric[]> => {
  const parameters = JSON.parse(parametersJson) as Readonly<Record<string, unknown>>;
  const question = { query, parameters, limit: MAX_ROWS, timeoutMs: QUERY_MS, includeDeleted: false };
  return toMetrics(name, await runner.answer(principal, question, AbortSignal.timeout(2 * QUERY_MS)));
};

export type MetricReaderDeps = {
  readonly engine: Engine;
  readonly runner: QueryRunner;
  readonly principal: Principal;
  /** Hears of a query that fails. Its series then has a gap. */
  readonly onFailure: (name: string, failure: unknown) => void;
};

const readAll = async ({ engine, runner, principal, onFailure }: MetricReaderDeps): Promise<readonly QueryMetric[]> => {
  const found = await engine.graph.read(listMetricQueries, {});
  const metrics: QueryMetric[] = [];
  for (const { node } of found.slice(0, MAX_METRIC_QUERIES)) {
    try {
      metrics.push(...(await runMetric(runner, principal, node)));
    } catch (failure) {
      onFailure(node.name, failure);
    }
  }
  return metrics;
};

export const createMetricReader = (deps: MetricReaderDeps): (() => Promise<readonly QueryMetric[]>) => {
  let last: readonly QueryMetric[] = [];
  let reading: Promise<readonly QueryMetric[]> | undefined;
  let readAt = 0;
  return () => {
    if (reading === undefined || performance.now() - readAt >= FRESH_MS) {
      readAt = performance.now();
      reading = readAll(deps).then(
        (found) => {
          last = found;
          return found;
        },
        // Where the database does not answer, other metrics say so.
        () => last,
      );
    }
    return Promise.race([reading, sleep(READ_WITHIN_MS, undefined, { ref: false }).then(() => last)]);
  };
};
