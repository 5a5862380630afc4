import { type ReactNode, useState } from 'react';

type ListProps<T> = {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string;
  readonly row: (item: T) => ReactNode;
  readonly className?: string;
  readonly label?: string;
  /** How many are shown at first, and how many more each time. */
  readonly step?: number;
};

const STEP = 50;

/** A list of which so many are shown as somebody has asked for: long ones cost nothing until they are read. */
export const GrowingList = <T,>({ items, keyOf, row, className, label, step = STEP }: ListProps<T>) => {
  const [shown, setShown] = useState(step);
  const rest = items.length - shown;
  return (
    <>
      <ul className={className} aria-label={label}>
        {items.slice(0, shown).map((item) => (
          <li key={keyOf(item)}>{row(item)}</li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" className="button" onClick={() => setShown(shown + step)}>
          Show {Math.min(step, rest)} more of {items.length.toLocaleString()}
        </button>
      )}
    </>
  );
};
