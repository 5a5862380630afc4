/** What a document may be at most (odcs.md 2.1). */
export const LARGEST_TEXT = 10 * 1024 * 1024;
export const DEEPEST = 64;
export const MOST_NODES = 500_000;
export const MOST_ALIASES = 1_000;
export const LONGEST_SCALAR = 1024 * 1024;
export const MOST_OBJECTS = 1_000;
export const MOST_COLUMNS = 20_000;
