/** How servers are asked for words as people type them (search.md 7.4): what is found out of one is what it is asked then. */

/** Whether something is found as it is written does not decide whether mistakes are looked for, here as in the graph. */
const ALWAYS_LOOK_FOR_TYPOS = 1_000_000;
const MIN_LENGTH_ONE_TYPO = 4;
const MIN_LENGTH_TWO_TYPOS = 7;
const MAX_CANDIDATES = 1000;

/** In each field as many letters may be off as it forgives, and the last word may be unfinished. */
export const typedWordParameters = (typos: readonly number[]) => ({
  num_typos: typos.join(','),
  min_len_1typo: MIN_LENGTH_ONE_TYPO,
  min_len_2typo: MIN_LENGTH_TWO_TYPOS,
  prefix: true,
  typo_tokens_threshold: ALWAYS_LOOK_FOR_TYPOS,
  max_candidates: MAX_CANDIDATES,
  exhaustive_search: false,
});
