import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ROWS_AHEAD, useNearEnd } from './use-near-end.ts';
import './page-rows.css';

type PageRowsProps = {
  readonly label: string;
  readonly count: number;
  readonly keyOf: (index: number) => string | number;
  readonly row: (index: number) => ReactNode;
  readonly rowHeight: number;
  /** Asks for what comes after the last row. */
  readonly onNearEnd?: (() => void) | undefined;
};

/** The list that a page is about: it scrolls with the page. Of thousands of rows only those in sight are in the page. */
export const PageRows = ({ label, count, keyOf, row, rowHeight, onNearEnd }: PageRowsProps) => {
  const list = useRef<HTMLUListElement>(null);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), []);
  const rows = useWindowVirtualizer({
    count,
    estimateSize: () => rowHeight,
    overscan: ROWS_AHEAD,
    scrollMargin: offset,
    getItemKey: keyOf,
  });
  const shown = rows.getVirtualItems();
  useNearEnd(count, shown.at(-1)?.index ?? 0, onNearEnd);
  return (
    <ul className="page-rows" ref={list} aria-label={label} style={{ height: rows.getTotalSize() }}>
      {shown.map(({ index, key, start }) => (
        <li
          key={key}
          ref={rows.measureElement}
          data-index={index}
          aria-setsize={count}
          aria-posinset={index + 1}
          style={{ transform: `translateY(${start - offset}px)` }}
        >
          {row(index)}
        </li>
      ))}
    </ul>
  );
};
