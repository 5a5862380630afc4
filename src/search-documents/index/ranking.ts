import type { Kind } from '../../model/kind/kind.ts';
import { type Slot, slotsOfKinds } from './slots.ts';

/** How much it counts where and how words are found that name no field (search.md 7.4). */

/** A slot in which words are looked for one by one, or only all of them in a row. */
export type RankedSlot = Slot & {
  readonly as: 'words' | 'phrase';
  /** What a word counts that is spelled a little differently, beside the same word. */
  readonly fuzzyWeight: number;
};

/** A field whose whole value may be what was typed. */
export type WholeValue = { readonly path: readonly string[]; readonly weight: number };

export type Ranking = {
  readonly slots: readonly RankedSlot[];
  /** Names that come first when they are what was typed, and then those that begin with it. */
  readonly names: readonly WholeValue[];
  /** Other values that may be what was typed. */
  readonly values: readonly WholeValue[];
};

/** Kinds whose documents are ranked in the same way. */
export type KindsRanking = { readonly kinds: readonly Kind[]; readonly ranking: Ranking };

/** How documents of some kinds are ranked, each of them in one way. */
export type RankKinds = (kinds: readonly Kind[]) => readonly KindsRanking[];

/** A guess counts less than what was typed. */
export const FUZZY_WEIGHT = 0.2;

const NAME_VALUES: readonly WholeValue[] = [
  { path: ['displayName'], weight: 10 },
  { path: ['name'], weight: 10 },
];

export const defaultRankingOf = (kinds: readonly Kind[]): Ranking => ({
  slots: slotsOfKinds(kinds).map((slot) => ({ ...slot, as: 'words', fuzzyWeight: FUZZY_WEIGHT })),
  names: NAME_VALUES,
  values: [],
});

/** All in the same way. */
export const rankByDefault: RankKinds = (kinds) => [{ kinds, ranking: defaultRankingOf(kinds) }];
