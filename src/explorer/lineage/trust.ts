import type { LineageEdge, Schemas } from '../api/types.ts';
import { edgeKey } from './edge-key.ts';

/** How the lineage between two assets is known: declared, seen to run, or both, and whether it was confirmed lately. */

type Assertion = Schemas['LineageAssertion'];
type Source = NonNullable<Assertion['source']>;

/** Whether a source tells what ran; the others tell what was declared. */
const IS_OBSERVED: Readonly<Record<Source, boolean>> = {
  Manual: false,
  DbtLineage: false,
  ViewLineage: false,
  ExternalTableLineage: false,
  DashboardLineage: false,
  ChildAssets: false,
  QueryLineage: true,
  PipelineLineage: true,
  SparkLineage: true,
  OpenLineage: true,
  CrossDatabaseLineage: true,
};

export const OBSERVED = Object.keys(IS_OBSERVED).filter((source) => IS_OBSERVED[source as Source]);

export const TRUST_KINDS = ['declared', 'observed', 'agreed', 'by-hand'] as const;
export type TrustKind = (typeof TRUST_KINDS)[number];

export type EdgeTrust = {
  readonly kind: TrustKind;
  /** Whether no program has confirmed it for long. What people state does not age. */
  readonly isOld: boolean;
};

/** The trust in edges, by their keys; nothing is known of those that are not in it. */
export type Trusts = ReadonlyMap<string, EdgeTrust>;

export const NO_TRUSTS: Trusts = new Map();

/** After so many days without a confirmation, an edge is drawn as one that may be gone. */
export const OLD_DAYS = 30;
const OLD_MS = OLD_DAYS * 24 * 60 * 60 * 1000;

const kindOfTrust = (sources: readonly Source[]): TrustKind => {
  if (sources.every((source) => source === 'Manual')) return 'by-hand';
  const observed = sources.filter((source) => IS_OBSERVED[source]).length;
  return observed === 0 ? 'declared' : observed === sources.length ? 'observed' : 'agreed';
};

/** Who states an edge, taken together. */
export const trustIn = (assertions: readonly Assertion[], now: number): EdgeTrust | undefined => {
  const sources = assertions.flatMap(({ source }) => source ?? []);
  if (sources.length === 0) return undefined;
  const isByHand = sources.includes('Manual');
  return {
    kind: kindOfTrust(sources),
    // When an edge of the past was seen last is not known.
    isOld: !isByHand && assertions.every(({ seenAt }) => seenAt !== undefined && seenAt < now - OLD_MS),
  };
};

export const readTrusts = (edges: readonly LineageEdge[], now: number): Trusts =>
  new Map(
    edges.flatMap((edge) => {
      const trust = trustIn(edge.assertions ?? [], now);
      return trust ? [[edgeKey(edge), trust] as const] : [];
    }),
  );

/** The mark at the beginning of edges that people entered. */
export const BY_HAND_MARK = 'by-hand-mark';

export const TRUST_WORDS: Readonly<Record<TrustKind, string>> = {
  declared: 'declared',
  observed: 'observed, not declared',
  agreed: 'declared and observed',
  'by-hand': 'entered by hand',
};

export const OLD_WORDS = `not confirmed for ${OLD_DAYS} days`;

/** As legends begin. */
export const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** The trust in an edge in words. */
export const trustWords = ({ kind, isOld }: EdgeTrust): string =>
  isOld ? `${TRUST_WORDS[kind]}, ${OLD_WORDS}` : TRUST_WORDS[kind];

/** What the source of an edge does not say by itself: that somebody saw it run, or that nobody did for long. */
export const trustNote = (trust: EdgeTrust | undefined): string | undefined => {
  if (trust === undefined) return undefined;
  if (trust.kind === 'observed' || trust.kind === 'agreed') return trustWords(trust);
  return trust.isOld ? OLD_WORDS : undefined;
};

/** The kinds of trust among edges, and whether some are old: what a legend has to explain. */
export const listTrustKinds = (trusts: Trusts): { readonly kinds: readonly TrustKind[]; readonly hasOld: boolean } => {
  const all = [...trusts.values()];
  return {
    kinds: TRUST_KINDS.filter((kind) => all.some((trust) => trust.kind === kind)),
    hasOld: all.some(({ isOld }) => isOld),
  };
};
