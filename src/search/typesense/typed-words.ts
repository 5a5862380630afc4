/** The search parameters for typed text (search.md 7.4); the capability check uses the same ones. */

/** Mistakes are tolerated even when there are exact matches, as in Neo4j. */
const ALWAYS_LOOK_FOR_TYPOS = 1_000_000;
const MIN_LENGTH_ONE_TYPO = 4;
const MIN_LENGTH_TWO_TYPOS = 7;
/** The most words that one typed word may stand for. Servers leave out the others without saying so. */
const MAX_CANDIDATES = 1000;
/** A search of more candidates finds more only where some were left out. */
export const MORE_CANDIDATES = { max_candidates: MAX_CANDIDATES + MAX_CANDIDATES / 2 } as const;

/** Each field tolerates its number of typing mistakes, and the last word may be incomplete. */
export const typedWordParameters = (typos: readonly number[]) => ({
  num_typos: typos.join(','),
  min_len_1typo: MIN_LENGTH_ONE_TYPO,
  min_len_2typo: MIN_LENGTH_TWO_TYPOS,
  prefix: true,
  typo_tokens_threshold: ALWAYS_LOOK_FOR_TYPOS,
  max_candidates: MAX_CANDIDATES,
  exhaustive_search: false,
});
