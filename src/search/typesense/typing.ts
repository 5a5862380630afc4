/** How servers are asked for words as people type them (search.md 7.4): what is found out of one is what it is asked then. */

/** Whether something is found as it is written does not decide whether mistakes are looked for, here as in the graph. */
const ALWAYS = 1_000_000;
const LEAST_FOR_ONE = 4;
const LEAST_FOR_TWO = 7;
const MOST_CANDIDATES = 1000;

/** In each field as many letters may be off as it forgives, and the last word may be unfinished. */
export const asTyped = (typos: readonly number[]) => ({
  num_typos: typos.join(','),
  min_len_1typo: LEAST_FOR_ONE,
  min_len_2typo: LEAST_FOR_TWO,
  prefix: true,
  typo_tokens_threshold: ALWAYS,
  max_candidates: MOST_CANDIDATES,
  exhaustive_search: false,
});
