import { COLUMNS_AT_ONCE, type ColumnPage } from './shown-columns.ts';

/** The sizes of the boxes of the graph: the layout and the edges know them before anything is drawn. */

export const BOX_WIDTH = 264;
const HEAD_HEIGHT = 74;
const COLUMN_HEIGHT = 26;
/** The field in which columns are looked for, and the line that turns pages. */
const TOOL_HEIGHT = 32;
const FOOT_HEIGHT = 8;

export const GROUP_HEIGHT = 108;

export const hasColumnTools = ({ total }: ColumnPage): boolean => total > COLUMNS_AT_ONCE;

/** Boxes keep their height while somebody looks for columns in them. */
export const boxHeight = (page: ColumnPage | undefined): number => {
  if (!page) return HEAD_HEIGHT;
  const rows = Math.max(1, Math.min(page.total, COLUMNS_AT_ONCE));
  return HEAD_HEIGHT + rows * COLUMN_HEIGHT + (hasColumnTools(page) ? 2 * TOOL_HEIGHT : 0) + FOOT_HEIGHT;
};

/** The middle of the nth column of a box. */
export const columnMiddle = (page: ColumnPage, nth: number): number =>
  HEAD_HEIGHT + (hasColumnTools(page) ? TOOL_HEIGHT : 0) + (nth + 0.5) * COLUMN_HEIGHT;
