import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type RefObject, useLayoutEffect, useState } from 'react';
import type { Hit } from '../api/hit.ts';
import { ROWS_AHEAD, useNearEnd } from '../parts/use-near-end.ts';
import { HitRow } from './hit-row.tsx';

const HIT_HEIGHT = 132;

type HitListProps = {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly onNearEnd: () => void;
  readonly list: RefObject<HTMLUListElement | null>;
};

const linkOf = (list: HTMLElement | null, index: number): HTMLElement | null =>
  list?.querySelector(`[data-index="${index}"] a`) ?? null;

/** Goes to a hit by the keyboard; false when there is none. */
export const focusHit = (list: HTMLElement | null, index: number): boolean => {
  const link = linkOf(list, index);
  link?.focus({ preventScroll: true });
  link?.closest('[data-index]')?.scrollIntoView({ block: 'nearest' });
  return link !== null;
};

const focusSearchBox = (): void => {
  const box = document.querySelector<HTMLInputElement>('[data-search-box]');
  box?.focus();
  box?.select();
};

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** The arrows go from hit to hit, and from the first one back to the search box. */
const useHitKeys = (list: RefObject<HTMLUListElement | null>) => (event: KeyboardEvent) => {
  const at = Number((event.target as HTMLElement).closest<HTMLElement>('[data-index]')?.dataset['index']);
  const step = STEPS[event.key];
  if (event.key === 'Escape' || (step === -1 && at === 0)) {
    event.preventDefault();
    focusSearchBox();
  } else if (step !== undefined && Number.isInteger(at)) {
    event.preventDefault();
    focusHit(list.current, at + step);
  }
};

/** The hits. Of thousands only those in sight are in the page. */
export const HitList = ({ hits, total, onNearEnd, list }: HitListProps) => {
  const onKeyDown = useHitKeys(list);
  const [offset, setOffset] = useState(0);
  useLayoutEffect(() => setOffset(list.current?.offsetTop ?? 0), [list]);
  const rows = useWindowVirtualizer({
    count: hits.length,
    estimateSize: () => HIT_HEIGHT,
    // The keyboard always finds the next one.
    overscan: ROWS_AHEAD,
    gap: 10,
    scrollMargin: offset,
    getItemKey: (index) => hits[index]?.id ?? index,
  });
  const shown = rows.getVirtualItems();
  useNearEnd(hits.length, shown.at(-1)?.index ?? 0, onNearEnd);
  return (
    <ul className="hits" ref={list} style={{ height: rows.getTotalSize() }} onKeyDown={onKeyDown}>
      {shown.map(({ index, key, start }) => {
        const hit = hits[index];
        return (
          hit && (
            <li
              key={key}
              ref={rows.measureElement}
              data-index={index}
              aria-setsize={total}
              aria-posinset={index + 1}
              style={{ transform: `translateY(${start - offset}px)` }}
            >
              <HitRow hit={hit} />
            </li>
          )
        );
      })}
    </ul>
  );
};
