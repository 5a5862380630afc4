import type { RefNode } from '../../catalog/queries.ts';
import { statement } from '../../graph/statement.ts';
import { RESULT_SERIES } from '../changes/queries.ts';

/** Cypher statements that read what fails and what ran around some assets. */

export const findTestedAsset = statement<{ id: string }, { asset: RefNode }>('insight/causes/find_tested_asset', {
  params: ['id'],
  row: ['asset'],
});

const declareFailingSince = (series: (typeof RESULT_SERIES)[keyof typeof RESULT_SERIES]) =>
  statement<{ ids: readonly string[]; statuses: readonly string[] }, { id: string; since: number }>(
    'insight/causes/list_failing_since',
    { params: ['ids', 'statuses'], row: ['id', 'since'] },
    series,
  );

export const listFailingSince = {
  tests: declareFailingSince(RESULT_SERIES.tests),
  contracts: declareFailingSince(RESULT_SERIES.contracts),
};

export type CarrierRow = { readonly pipelineId: string; readonly fromId: string; readonly toId: string };

export const listCarriers = statement<{ ids: readonly string[]; limit: number }, CarrierRow>(
  'insight/causes/list_carriers',
  { params: ['ids', 'limit'], row: ['pipelineId', 'fromId', 'toId'] },
);

/** The runs of a pipeline, newest first; those with a failure have their text. */
export type RunsRow = { readonly id: string; readonly runs: readonly (readonly [at: number, json: string | null])[] };

export const listRunsBefore = statement<{ ids: readonly string[]; from: number; to: number; limit: number }, RunsRow>(
  'insight/causes/list_runs',
  { params: ['ids', 'from', 'to', 'limit'], row: ['id', 'runs'] },
);
