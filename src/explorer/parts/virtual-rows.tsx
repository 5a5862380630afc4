import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useRef } from 'react';
import { ROWS_AHEAD, useNearEnd } from './use-near-end.ts';
import './virtual-rows.css';

type VirtualRowsProps = {
  readonly label: string;
  readonly count: number;
  readonly keyOf: (index: number) => string | number;
  readonly row: (index: number) => ReactNode;
  /** The height of most rows. Each is as high as its content. */
  readonly rowHeight: number;
  /** Looks of the list beside its own. */
  readonly className?: string;
  /** Whether it scrolls in itself (the default); a short list stands in the page as it is. */
  readonly isBoxed?: boolean;
  /** Asks for what comes after the last row. */
  readonly onNearEnd?: (() => void) | undefined;
};

/** A list that scrolls in itself. Of thousands of rows only those in sight are in the page. */
export const VirtualRows = (props: VirtualRowsProps) => {
  const { label, count, keyOf, row, rowHeight, className, isBoxed = true, onNearEnd } = props;
  const scroller = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: ROWS_AHEAD,
  });
  const shown = rows.getVirtualItems();
  useNearEnd(count, shown.at(-1)?.index ?? 0, onNearEnd);
  return (
    <section
      className={['virtual-rows', isBoxed && 'boxed', className].filter(Boolean).join(' ')}
      ref={scroller}
      // What scrolls has to be reached by the keyboard.
      tabIndex={isBoxed ? 0 : undefined}
      aria-label={label}
    >
      <ul style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, key, start }) => (
          <li
            key={key}
            ref={rows.measureElement}
            data-index={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start}px)` }}
          >
            {row(index)}
          </li>
        ))}
      </ul>
    </section>
  );
};
