import type { QualityValidation } from './quality.ts';
import type { SchemaValidation } from './schema.ts';
import type { SemanticsValidation } from './semantics.ts';
import type { SlaValidation } from './sla.ts';

/**
 * Combines the parts of a validation into its status and message. This folder contains the pure checks of a contract,
 * one file per part: schema.ts, semantics.ts (rules, evaluated in logic/), quality.ts and sla.ts. broken-clauses.ts
 * and column-changes.ts find what a change of columns breaks; dry-run-result.ts describes contracts that are not
 * stored.
 */

/** The outcome of each part of a contract. A part that the contract lacks is absent or has zero counts. */
export type ValidationDimensions = {
  readonly schemaValidation?: SchemaValidation;
  readonly semanticsValidation?: SemanticsValidation;
  readonly qualityValidation?: QualityValidation;
  readonly slaValidation?: SlaValidation;
};

export type ContractVerdict = {
  readonly status: 'Success' | 'Failed' | 'PartialSuccess' | 'Running' | 'Queued';
  readonly result: string;
};

type DimensionOutcome = 'failed' | 'passed' | 'pending' | 'none';

type DimensionCounts = { readonly passed: number; readonly failed: number; readonly total: number };

const EMPTY_COUNTS: DimensionCounts = { passed: 0, failed: 0, total: 0 };

const outcomeOf = ({ passed, failed }: DimensionCounts): DimensionOutcome =>
  failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'none';

/** The number of tests that neither passed nor failed and still wait for their results. */
const pendingIn = ({ passed, failed, total }: DimensionCounts): number => Math.max(0, total - passed - failed);

const PROMISES = [
  ['refreshFrequencyMet', 'refresh frequency'],
  ['latencyMet', 'latency'],
  ['availabilityMet', 'availability'],
] as const;

const missedPromises = (sla: SlaValidation): readonly string[] =>
  PROMISES.filter(([flag]) => sla[flag] === false).map(([, promise]) => `${promise} missed`);

const outcomeOfSla = (sla: SlaValidation): DimensionOutcome => {
  if (missedPromises(sla).length > 0) return 'failed';
  return PROMISES.some(([flag]) => sla[flag] !== undefined) ? 'passed' : 'none';
};

const countNoun = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const describeFailed = ({ failed, total }: DimensionCounts, noun: string): string =>
  `${failed} of ${countNoun(total, noun)} failed`;

const overallStatus = (outcomes: readonly DimensionOutcome[]): ContractVerdict['status'] => {
  const [hasFailed, hasPassed] = [outcomes.includes('failed'), outcomes.includes('passed')];
  if (hasFailed) return hasPassed ? 'PartialSuccess' : 'Failed';
  if (outcomes.includes('pending')) return hasPassed ? 'Running' : 'Queued';
  return 'Success';
};

/** Computes the status of a validation and a message that lists what failed. */
export const summariseValidation = (dimensions: ValidationDimensions): ContractVerdict => {
  const { schemaValidation: schema = EMPTY_COUNTS, semanticsValidation: semantics = EMPTY_COUNTS } = dimensions;
  const { qualityValidation: quality = EMPTY_COUNTS, slaValidation: sla = {} } = dimensions;
  const pending = pendingIn(quality);
  const outcomeOfQuality = quality.failed === 0 && pending > 0 ? 'pending' : outcomeOf(quality);
  const outcomes = [outcomeOf(schema), outcomeOf(semantics), outcomeOfQuality, outcomeOfSla(sla)];
  const mismatches = dimensions.schemaValidation?.typeMismatchFields?.length ?? 0;
  const schemaClauses = [
    ...(schema.failed > 0 ? [describeFailed(schema, 'column')] : []),
    ...(mismatches > 0 ? [mismatches === 1 ? '1 type mismatch' : `${mismatches} type mismatches`] : []),
  ];
  const missed = missedPromises(sla);
  const clauses = [
    ...(schemaClauses.length > 0 ? [`Schema: ${schemaClauses.join(', ')}`] : []),
    ...(semantics.failed > 0 ? [`Semantics: ${describeFailed(semantics, 'rule')}`] : []),
    ...(quality.failed > 0 ? [`Quality: ${describeFailed(quality, 'test')}`] : []),
    ...(outcomeOfQuality === 'pending' ? [`Quality: ${pending} of ${countNoun(quality.total, 'test')} pending`] : []),
    ...(missed.length > 0 ? [`SLA: ${missed.join(', ')}`] : []),
  ];
  const status = overallStatus(outcomes);
  const isDefined = outcomes.some((outcome) => outcome !== 'none');
  const summary = status !== 'Success' ? [] : [isDefined ? 'All validations passed' : 'No validation defined'];
  return { status, result: [...summary, ...clauses].join('; ') };
};
