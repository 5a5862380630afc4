import type { Knots } from './bend-links.ts';
import type { Box, Place } from './placement.ts';
import type { ColumnFrame } from './return-loops.ts';

/** Stands boxes in columns: a layer has one, or several where it is tall. */

const LAYER_GAP = 96;
/** Between the columns of one layer. */
const COLUMN_GAP = 36;

export type LayerColumn = readonly number[];

/** The columns of a layer. All but the last are full, so that they stay as they are when boxes come. */
export const splitLayer = (boxes: LayerColumn, rows: number): readonly LayerColumn[] =>
  Array.from({ length: Math.max(1, Math.ceil(boxes.length / rows)) }, (_, nth) =>
    boxes.slice(nth * rows, (nth + 1) * rows),
  );

/** The middles of boxes that stand one below the other, the first column of a layer around zero. */
export const stack = (
  columns: readonly LayerColumn[],
  sizes: readonly number[],
): readonly (readonly [number, number])[] => {
  const heightOf = (column: LayerColumn): number => column.reduce((sum, box) => sum + (sizes[box] ?? 0), 0);
  const top = -heightOf(columns[0] ?? []) / 2;
  return columns.flatMap((column) => {
    let bottom = top;
    return column.map((box) => {
      const size = sizes[box] ?? 0;
      bottom += size;
      return [box, bottom - size / 2] as const;
    });
  });
};

export type Arranged = {
  readonly boxes: readonly Box[];
  readonly knots: Knots;
  readonly layers: readonly { readonly columns: readonly LayerColumn[]; readonly isTall: boolean }[];
  readonly middles: Float64Array;
  /** The room that each spot takes of its layer. */
  readonly sizes: readonly number[];
};

/** Where boxes stand, column by column, the column of each, and the left and right end of each layer. */
export const drawColumns = ({ boxes, layers, middles }: Arranged) => {
  const places = new Map<string, Place>();
  const columnOf = new Map<number, ColumnFrame>();
  let x = 0;
  const ends = layers.map(({ columns }) => {
    const left = x;
    columns.forEach((column, nth) => {
      x += nth > 0 ? COLUMN_GAP : 0;
      const right = x + column.reduce((widest, box) => Math.max(widest, boxes[box]?.width ?? 0), 0);
      const frame: ColumnFrame = {
        left: x,
        right,
        roomBefore: (nth > 0 ? COLUMN_GAP : LAYER_GAP) / 2,
        roomAfter: (nth + 1 < columns.length ? COLUMN_GAP : LAYER_GAP) / 2,
      };
      for (const box of column) {
        const { id = '', height = 0 } = boxes[box] ?? {};
        places.set(id, { x, y: (middles[box] ?? 0) - height / 2 });
        columnOf.set(box, frame);
      }
      x = right;
    });
    const right = x;
    x += LAYER_GAP;
    return { left, right };
  });
  return { places, columnOf, ends };
};

export type DrawnColumns = ReturnType<typeof drawColumns>;
