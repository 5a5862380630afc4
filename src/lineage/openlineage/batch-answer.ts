import type { Answer } from '../../http/route.ts';
import { Flag, Integer, listOf, must, oneOf, shape, Text } from '../../model/values.ts';
import type { EdgeRowOutcome } from '../ingest/row-outcome.ts';
import { FACET_SUBJECTS } from './facets/facet-report.ts';
import type { PassedEvent } from './ingest-events.ts';

/** The answer to a batch of events as OpenLineage specifies it, with what was left out of those that passed. */

const Summary = shape('OpenLineageBatchSummary', {
  received: must(Integer),
  successful: must(Integer),
  failed: must(Integer),
  retriable: must(Integer),
  non_retriable: must(Integer),
});

const FailedEvent = shape('OpenLineageFailedEvent', {
  index: must(Integer),
  reason: must(Text),
  retriable: must(Flag),
});

/** A part of a SQL text that could not be resolved, and the reason. */
export const UnresolvedSql = shape('UnresolvedSql', { text: must(Text), reason: must(Text) });

/** A facet that was not applied to what it is of. */
export const UnappliedFacetResult = shape('OpenLineageUnappliedFacet', {
  of: must(oneOf(FACET_SUBJECTS)),
  namespace: Text,
  name: Text,
  facet: must(Text),
  reason: must(Text),
});

/** What was not understood of an event that passed. */
const LeftOut = shape('OpenLineageLeftOut', {
  index: must(Integer),
  unresolved: listOf(UnresolvedSql),
  unknownColumns: listOf(Text),
  unappliedFacets: listOf(UnappliedFacetResult),
});

export const OpenLineageBatchAnswer = shape('OpenLineageBatchAnswer', {
  status: must(oneOf(['success', 'partial_success'])),
  summary: must(Summary),
  failed_events: must(listOf(FailedEvent)),
  left_out: must(listOf(LeftOut)),
});

const TOLD = ['unresolved', 'unknownColumns', 'unappliedFacets'] as const;

const leftOutOf = (event: PassedEvent, index: number) => {
  const told = TOLD.flatMap((name) => ((event[name] ?? []).length > 0 ? [[name, event[name]] as const] : []));
  return told.length === 0 ? [] : [{ index, ...Object.fromEntries(told) }];
};

/** Whether the same event may pass later. */
const isRetriable = (status: number): boolean => status >= 500 || status === 429;

/** Answers nothing where there is nothing to tell: every event passed, and all of it was understood. */
export const answerEventBatch = (outcomes: readonly EdgeRowOutcome<PassedEvent>[]): Answer => {
  const failed = outcomes.flatMap((row, index) =>
    'failure' in row ? [{ index, reason: row.failure.message, retriable: isRetriable(row.failure.status) }] : [],
  );
  const leftOut = outcomes.flatMap((row, index) => ('value' in row ? leftOutOf(row.value, index) : []));
  if (failed.length === 0 && leftOut.length === 0) return { status: 204 };
  const retriable = failed.filter((one) => one.retriable).length;
  const json = {
    status: failed.length === 0 ? 'success' : 'partial_success',
    summary: {
      received: outcomes.length,
      successful: outcomes.length - failed.length,
      failed: failed.length,
      retriable,
      non_retriable: failed.length - retriable,
    },
    failed_events: failed,
    left_out: leftOut,
  };
  return { status: 200, json };
};
