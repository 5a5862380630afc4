/** How many rows are read at once, so that their texts stay within bounds whatever their size. */
export type AdaptivePageSize = {
  /** How many rows to ask for next. */
  size(): number;
  /** Learns from what was read how large rows are here. */
  adapt(rows: readonly { readonly json: string }[]): void;
};

/** What the texts of one piece may come to. */
const MAX_PAGE_CHARACTERS = 8 * 1024 * 1024;
/** Before anything is known of their size. */
const INITIAL_PAGE_SIZE = 50;

/** Most rows are small, and then `most` of them are read at once; where they are large, fewer are. */
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
