import { type ReactNode, useMemo, useState } from 'react';
import { Nothing } from '../parts/states.tsx';
import { VirtualRows } from '../parts/virtual-rows.tsx';
import { Panel } from './panel.tsx';

/** A panel beside the graph that lists thousands of things, of which one is looked for. */

type PickerProps<T> = {
  readonly title: string;
  readonly find: string;
  readonly items: readonly T[];
  /** The text in which words are looked for. */
  readonly textOf: (item: T) => string;
  readonly keyOf: (item: T) => string;
  readonly show: (item: T) => ReactNode;
  readonly onClose: () => void;
  readonly children?: ReactNode;
};

const ROW_HEIGHT = 52;

export const PickList = <T,>({ title, find, items, textOf, keyOf, show, onClose, children }: PickerProps<T>) => {
  const [words, setWords] = useState('');
  const found = useMemo(() => {
    const wanted = words.trim().toLowerCase();
    return wanted === '' ? items : items.filter((item) => textOf(item).toLowerCase().includes(wanted));
  }, [items, textOf, words]);
  return (
    <Panel title={title} onClose={onClose} className="picker">
      {children}
      <label>
        <span className="visually-hidden">{find}</span>
        <input type="search" placeholder={find} value={words} onChange={({ target }) => setWords(target.value)} />
      </label>
      <p className="quiet" role="status">
        {found.length === items.length
          ? items.length.toLocaleString()
          : `${found.length.toLocaleString()} of ${items.length.toLocaleString()}`}
      </p>
      {found.length === 0 && <Nothing>Nothing here has these words.</Nothing>}
      <VirtualRows
        label={`${title}: the list`}
        className="picks"
        count={found.length}
        rowHeight={ROW_HEIGHT}
        keyOf={(index) => (found[index] === undefined ? index : keyOf(found[index]))}
        row={(index) => found[index] !== undefined && show(found[index])}
      />
    </Panel>
  );
};
