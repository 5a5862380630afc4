/** Adapts the number of rows per read to the size of their texts, so that one page stays within a limit. */
export type AdaptivePageSize = {
  /** How many rows to read next. */
  size(): number;
  /** Adapts to the size of the rows that were read. */
  adapt(rows: readonly { readonly json: string }[]): void;
};

/** The most characters in one page. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** The page size before the size of the rows is known. */
const INITIAL_PAGE_SIZE = 50;

/** Reads up to `max` small rows at once, and fewer large ones. */
export const createAdaptivePageSize = (max: number, characters = MAX_PAGE_CHARACTERS): AdaptivePageSize => {
  let size = Math.min(INITIAL_PAGE_SIZE, max);
  return {
    size: () => size,
    adapt: (rows) => {
      if (rows.length === 0) return;
      const mean = rows.reduce((sum, { json }) => sum + json.length, 0) / rows.length;
      size = Math.max(1, Math.min(max, Math.floor(characters / Math.max(1, mean))));
    },
  };
};
