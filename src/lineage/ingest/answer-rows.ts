import type { Principal } from '../../access/principal.ts';
import { createHintCollector } from '../../catalog/read/hint-collector.ts';
import { type BulkResult, buildBulkResult } from '../../catalog/write/bulk.ts';
import { helpIfAvailable } from '../../http/hint.ts';
import type { Json } from '../../model/json.ts';
import { permitLineageEdit } from '../endpoints.ts';
import type { EdgeStore } from '../write/edge-store.ts';
import type { ResolvedEdge } from '../write/put-edge.ts';
import { failedRow, passedRow, type WrittenRow } from './edge-rows.ts';
import { captureOutcome, type EdgeRowOutcome } from './row-outcome.ts';

type AnswerHeaders = Readonly<Record<string, string>>;

/** Collects which rules refuse rows, and the right names of what rows name wrongly. */
const explainFailures = async (
  { engine }: EdgeStore,
  principal: Principal,
  resolved: readonly EdgeRowOutcome<ResolvedEdge>[],
  outcomes: readonly EdgeRowOutcome<unknown>[],
): Promise<AnswerHeaders> => {
  const hints = createHintCollector(engine, principal);
  for (const [at, outcome] of outcomes.entries()) {
    if (hints.isFull()) break;
    if (!('failure' in outcome)) continue;
    const edge = resolved[at];
    // The rights of all rows are checked together, so the rule is looked for only now.
    const isRefused = outcome.failure.code === 'forbidden' && edge !== undefined && 'value' in edge;
    const reason = isRefused
      ? await captureOutcome(() => permitLineageEdit(engine, principal, [edge.value.from, edge.value.to]))
      : outcome;
    if ('failure' in reason) await hints.add(reason.failure);
  }
  return hints.headers();
};

/** The rows of a request, what they name, and what became of them. */
export type AnsweredRows = {
  readonly rows: readonly Json[];
  readonly resolved: readonly EdgeRowOutcome<ResolvedEdge>[];
  readonly outcomes: readonly EdgeRowOutcome<WrittenRow>[];
  readonly isDryRun: boolean;
};

/** Builds the answer to a request about many edges: what became of each row, and what may help with those that failed. */
export const answerRows = async (
  edges: EdgeStore,
  principal: Principal,
  { rows, resolved, outcomes, isDryRun }: AnsweredRows,
): Promise<{ readonly json: BulkResult; readonly headers: AnswerHeaders }> => {
  const json = buildBulkResult(
    outcomes.flatMap((row) => ('value' in row ? [passedRow(row.value)] : [])),
    outcomes.flatMap((row, at) => ('failure' in row ? [failedRow(rows[at] ?? null, row.failure)] : [])),
    isDryRun,
  );
  const hints = await helpIfAvailable(() => explainFailures(edges, principal, resolved, outcomes));
  return { json, headers: hints ?? {} };
};
