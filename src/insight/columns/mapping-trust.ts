import type { AssertionContent, ColumnMapping } from '../../lineage/edge.ts';
import { columnPairsOf } from '../../lineage/merge-assertions.ts';
import { confidenceInSource, LEAST_CONFIDENCE } from '../source-confidence.ts';
import type { StatedMappings } from './queries.ts';

/** How far what sources state of two columns can be relied on, and whether labels may pass from one to the other. */

export type TrustRules = {
  /** The names of functions behind which a label does not hold, in lower case. */
  readonly blockers: ReadonlySet<string>;
  readonly now: number;
};

export type MappingTrust = {
  /** The function that keeps labels from passing. */
  readonly blocker: string | undefined;
  readonly confidence: number;
};

/** The first identifier of a function: what stands before its first bracket or space. */
const firstIdentifier = (text: string): string => (/^\s*([^\s(]*)/.exec(text)?.[1] ?? '').toLowerCase();

const blockerOf = ({ function: how }: ColumnMapping, { blockers }: TrustRules): string | undefined =>
  how !== undefined && blockers.has(firstIdentifier(how)) ? how : undefined;

/** Of two statements about the same columns, that counts which lets labels pass, and then the more certain one. */
export const isBetterTrust = (one: MappingTrust, other: MappingTrust): boolean =>
  (one.blocker === undefined) === (other.blocker === undefined)
    ? one.confidence > other.confidence
    : one.blocker === undefined;

const UNSTATED: MappingTrust = { blocker: undefined, confidence: LEAST_CONFIDENCE };

/** What the sources of edges state of their columns, which are named below their records. The texts need not be kept. */
export type TrustLookup = {
  readonly add: (statement: StatedMappings) => void;
  readonly trustOf: (edgeId: string, from: string, to: string) => MappingTrust;
};

export const createTrustLookup = (rules: TrustRules): TrustLookup => {
  const known = new Map<string, MappingTrust>();
  const add = ({ edgeId, source, seenAt, contentJson }: StatedMappings): void => {
    const confidence = confidenceInSource(source, seenAt, rules.now);
    for (const mapping of (JSON.parse(contentJson) as AssertionContent).mappings) {
      const trust = { blocker: blockerOf(mapping, rules), confidence };
      for (const pair of columnPairsOf([mapping]).keys()) {
        const key = `${edgeId} ${pair}`;
        const before = known.get(key);
        if (!before || isBetterTrust(trust, before)) known.set(key, trust);
      }
    }
  };
  return {
    add,
    trustOf: (edgeId, from, to) => {
      const [pair = ''] = columnPairsOf([{ from: [from], to }]).keys();
      return known.get(`${edgeId} ${pair}`) ?? UNSTATED;
    },
  };
};
