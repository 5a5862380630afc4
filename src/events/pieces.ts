/** How many rows are read at once, so that their texts stay within bounds whatever their size. */
export type Pieces = {
  /** How many rows to ask for next. */
  size(): number;
  /** Learns from what was read how large rows are here. */
  learn(rows: readonly { readonly json: string }[]): void;
};

/** What the texts of one piece may come to. */
const CHARACTERS = 8 * 1024 * 1024;
/** Before anything is known of their size. */
const FIRST = 50;

/** Most rows are small, and then `most` of them are read at once; where they are large, fewer are. */
export const createPieces = (most: number, characters = CHARACTERS): Pieces => {
  let size = Math.min(FIRST, most);
  return {
    size: () => size,
    learn: (rows) => {
      if (rows.length === 0) return;
      const mean = rows.reduce((sum, { json }) => sum + json.length, 0) / rows.length;
      size = Math.max(1, Math.min(most, Math.floor(characters / Math.max(1, mean))));
    },
  };
};
