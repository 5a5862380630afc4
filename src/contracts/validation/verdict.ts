import type { QualityValidation } from './quality.ts';
import type { SchemaValidation } from './schema.ts';
import type { SemanticsValidation } from './semantics.ts';
import type { SlaValidation } from './sla.ts';

/** What was found of each part of a contract; a part that the contract does not have is absent or counts nothing. */
export type Dimensions = {
  readonly schemaValidation?: SchemaValidation;
  readonly semanticsValidation?: SemanticsValidation;
  readonly qualityValidation?: QualityValidation;
  readonly slaValidation?: SlaValidation;
};

export type Verdict = {
  readonly status: 'Success' | 'Failed' | 'PartialSuccess' | 'Running' | 'Queued';
  readonly result: string;
};

type Outcome = 'failed' | 'passed' | 'pending' | 'none';

type Counts = { readonly passed: number; readonly failed: number; readonly total: number };

const NOTHING: Counts = { passed: 0, failed: 0, total: 0 };

const outcomeOf = ({ passed, failed }: Counts): Outcome => (failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'none');

/** Tests that neither passed nor failed wait for their results. */
const pendingIn = ({ passed, failed, total }: Counts): number => Math.max(0, total - passed - failed);

const PROMISES = [
  ['refreshFrequencyMet', 'refresh frequency'],
  ['latencyMet', 'latency'],
  ['availabilityMet', 'availability'],
] as const;

const missedIn = (sla: SlaValidation): readonly string[] =>
  PROMISES.filter(([flag]) => sla[flag] === false).map(([, promise]) => `${promise} missed`);

const outcomeOfSla = (sla: SlaValidation): Outcome => {
  if (missedIn(sla).length > 0) return 'failed';
  return PROMISES.some(([flag]) => sla[flag] !== undefined) ? 'passed' : 'none';
};

const howMany = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

const failedOf = ({ failed, total }: Counts, noun: string): string => `${failed} of ${howMany(total, noun)} failed`;

const statusOf = (outcomes: readonly Outcome[]): Verdict['status'] => {
  const [hasFailed, hasPassed] = [outcomes.includes('failed'), outcomes.includes('passed')];
  if (hasFailed) return hasPassed ? 'PartialSuccess' : 'Failed';
  if (outcomes.includes('pending')) return hasPassed ? 'Running' : 'Queued';
  return 'Success';
};

/** The status of a validation as a whole, and a text that says what failed in it. */
export const verdict = (dimensions: Dimensions): Verdict => {
  const { schemaValidation: schema = NOTHING, semanticsValidation: semantics = NOTHING } = dimensions;
  const { qualityValidation: quality = NOTHING, slaValidation: sla = {} } = dimensions;
  const pending = pendingIn(quality);
  const outcomeOfQuality = quality.failed === 0 && pending > 0 ? 'pending' : outcomeOf(quality);
  const outcomes = [outcomeOf(schema), outcomeOf(semantics), outcomeOfQuality, outcomeOfSla(sla)];
  const mismatches = dimensions.schemaValidation?.typeMismatchFields?.length ?? 0;
  const schemaClauses = [
    ...(schema.failed > 0 ? [failedOf(schema, 'column')] : []),
    ...(mismatches > 0 ? [mismatches === 1 ? '1 type mismatch' : `${mismatches} type mismatches`] : []),
  ];
  const missed = missedIn(sla);
  const clauses = [
    ...(schemaClauses.length > 0 ? [`Schema: ${schemaClauses.join(', ')}`] : []),
    ...(semantics.failed > 0 ? [`Semantics: ${failedOf(semantics, 'rule')}`] : []),
    ...(quality.failed > 0 ? [`Quality: ${failedOf(quality, 'test')}`] : []),
    ...(outcomeOfQuality === 'pending' ? [`Quality: ${pending} of ${howMany(quality.total, 'test')} pending`] : []),
    ...(missed.length > 0 ? [`SLA: ${missed.join(', ')}`] : []),
  ];
  const status = statusOf(outcomes);
  const isDefined = outcomes.some((outcome) => outcome !== 'none');
  const summary = status !== 'Success' ? [] : [isDefined ? 'All validations passed' : 'No validation defined'];
  return { status, result: [...summary, ...clauses].join('; ') };
};
