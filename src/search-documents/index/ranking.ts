import type { Kind } from '../../model/kind/kind.ts';
import { NAME_PATHS } from './indexed-field.ts';
import { type Slot, SPELLING_SLOTS, SPELLING_TYPOS, slotsOfKinds, spellingSlotOf } from './slots.ts';

/** The weights of matches for words without a field, by place and form (search.md 7.4). */

/** A slot that is searched for single words, or only for all words in sequence. */
export type RankedSlot = Slot & {
  readonly as: 'words' | 'phrase';
  /** The weight of a similar word, relative to the same word. */
  readonly fuzzyWeight: number;
};

/** A field whose whole value may equal the query. */
export type WholeValue = { readonly path: readonly string[]; readonly weight: number };

export type Ranking = {
  readonly slots: readonly RankedSlot[];
  /** Where misspelled words of several slots are searched together. */
  readonly spellings: readonly Pick<Slot, 'name' | 'weight' | 'typos'>[];
  /** Names that rank first when they equal the query, followed by names that start with it. */
  readonly names: readonly WholeValue[];
  /** Other values that may equal the query. */
  readonly values: readonly WholeValue[];
};

/** Kinds whose documents share one ranking. */
export type KindsRanking = { readonly kinds: readonly Kind[]; readonly ranking: Ranking };

/** Groups kinds by their ranking. */
export type RankKinds = (kinds: readonly Kind[]) => readonly KindsRanking[];

/** The weight of a similar word, lower than that of the typed word. */
export const FUZZY_WEIGHT = 0.2;

const NAME_VALUES: readonly WholeValue[] = NAME_PATHS.map((path) => ({ path, weight: 10 }));

export const defaultRankingOf = (kinds: readonly Kind[]): Ranking => ({
  slots: slotsOfKinds(kinds).map((slot) => ({
    ...slot,
    as: 'words',
    fuzzyWeight: FUZZY_WEIGHT,
    typos: spellingSlotOf(slot) === undefined ? slot.typos : 0,
  })),
  spellings: SPELLING_SLOTS.map(({ name, weight }) => ({
    name,
    weight: weight * FUZZY_WEIGHT,
    typos: SPELLING_TYPOS,
  })),
  names: NAME_VALUES,
  values: [],
});

/** Ranks all kinds in the same way. */
export const rankByDefault: RankKinds = (kinds) => [{ kinds, ranking: defaultRankingOf(kinds) }];
