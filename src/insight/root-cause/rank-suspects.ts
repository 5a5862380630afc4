import type { RefNode } from '../../catalog/queries.ts';
import { groupBy } from '../../model/group-by.ts';
import type { EvidenceKind } from '../../model/schemas/insight/root-cause.ts';
import type { ChangedColumn, ChangeRecord } from '../changes/catalog-change.ts';

/** Ranks what lies upstream of failures by what happened there before them. */

/** A test or a contract that fails, the asset that it is about, and since when. */
export type Failure = {
  readonly node: RefNode;
  readonly assetId: string;
  readonly kind: 'test' | 'contract';
  readonly since: number;
};

/** Something that happened to an asset. The weight says how likely it is to make data wrong. */
export type Evidence = {
  readonly at: number;
  readonly kind: EvidenceKind;
  readonly text: string;
  readonly weight: number;
  readonly column?: ChangedColumn | undefined;
  /** The change in the catalog that it is. */
  readonly change?: ChangeRecord;
  /** Whether it is itself one of the failures to explain. */
  readonly isFailure?: true;
};

/** What something upstream is suspected for: where it is, and the positions of the failures that lie downstream of it. */
export type CauseCandidate = {
  readonly id: string;
  readonly fullyQualifiedName: string;
  readonly depth: number;
  readonly trail: readonly string[];
  readonly covers: ReadonlySet<number>;
  readonly evidence: readonly Evidence[];
};

export type Suspect = CauseCandidate & { readonly score: number };

const SCORE_DIGITS = 1e4;

const strengthOf = (evidence: readonly Evidence[]): number => Math.max(...evidence.map(({ weight }) => weight));

/** Whether something came before a failure that it may have caused. A failure causes none of the same asset. */
const explains = ({ at, isFailure }: Evidence, failure: Failure, assetId: string): boolean =>
  at <= failure.since && !(isFailure && failure.assetId === assetId);

/**
 * How many failures the evidence about an asset explains: those that began no earlier. A failure explains none of the same
 * asset; it is only accounted for.
 */
const countExplained = (
  candidate: CauseCandidate,
  failures: readonly Failure[],
): { explained: number; own: number } => {
  let [explained, own] = [0, 0];
  for (const position of candidate.covers) {
    const failure = failures[position];
    if (!failure) continue;
    if (candidate.evidence.some((one) => explains(one, failure, candidate.id))) explained += 1;
    else if (failure.assetId === candidate.id && candidate.evidence.some(({ isFailure }) => isFailure)) own += 1;
  }
  return { explained, own };
};

/** Scores a candidate, or returns undefined when nothing about it explains anything. */
const scoreCandidate = (candidate: CauseCandidate, failures: readonly Failure[]): Suspect | undefined => {
  const { explained, own } = countExplained(candidate, failures);
  if (explained === 0) return undefined;
  const share = (explained + own) / failures.length;
  const strength = strengthOf(candidate.evidence);
  // What explains all failures comes before whatever does not, however strong the evidence about that is.
  const score = share === 1 ? (1 + strength) / 2 : (share * strength) / 2;
  return { ...candidate, score: Math.round(score * SCORE_DIGITS) / SCORE_DIGITS };
};

const compareSuspects = (one: Suspect, other: Suspect): number =>
  other.score - one.score || one.depth - other.depth || (one.fullyQualifiedName < other.fullyQualifiedName ? -1 : 1);

/** The evidence about a candidate that explains something, as far back as the window before the first failure it covers. */
const evidenceInTime = (
  { id, covers, evidence }: CauseCandidate,
  failures: readonly Failure[],
  windowMs: number,
): readonly Evidence[] => {
  const covered = [...covers].flatMap((position) => failures[position] ?? []);
  const first = Math.min(...covered.map(({ since }) => since));
  return evidence
    .filter((one) => one.at >= first - windowMs && covered.some((failure) => explains(one, failure, id)))
    .sort((one, other) => other.weight - one.weight || other.at - one.at || (one.text < other.text ? -1 : 1));
};

/** Returns the suspects, the one that explains the most failures by the strongest evidence first. */
export const rankSuspects = (
  candidates: readonly CauseCandidate[],
  failures: readonly Failure[],
  windowMs: number,
): readonly Suspect[] =>
  candidates
    .map((candidate) => ({ ...candidate, evidence: evidenceInTime(candidate, failures, windowMs) }))
    .filter(({ evidence }) => evidence.length > 0)
    .flatMap((candidate) => scoreCandidate(candidate, failures) ?? [])
    .sort(compareSuspects);

/** The only column that the evidence is about, if there is just one. */
export const suspectedColumn = ({ evidence }: Suspect): ChangedColumn | undefined => {
  const columns = [
    ...groupBy(
      evidence.flatMap(({ column }) => column ?? []),
      (column) => column.fullyQualifiedName,
    ),
  ];
  return columns.length === 1 ? columns[0]?.[1][0] : undefined;
};
