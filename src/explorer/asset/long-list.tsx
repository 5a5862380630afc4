import type { ReactNode } from 'react';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import './long-list.css';

const ROW_HEIGHT = 40;
const MOST_UNBOXED = 50;

type LongListProps<T> = {
  readonly label: string;
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly row: (item: T) => ReactNode;
  /** Reads on when the end comes into sight. */
  readonly onEnd?: (() => void) | undefined;
};

/** Assets and events, one line each: a name, what is said of it, and chips at the end. */
export const LongList = <T,>({ label, items, keyOf, row, onEnd }: LongListProps<T>) => (
  <VirtualRows
    label={label}
    className="long-list"
    // A short list stands in the page; a long one scrolls, so that what comes after it can be reached.
    isBoxed={onEnd !== undefined || items.length > MOST_UNBOXED}
    count={items.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => (items[index] === undefined ? index : keyOf(items[index]))}
    row={(index) => items[index] !== undefined && row(items[index])}
    onNearEnd={onEnd}
  />
);
