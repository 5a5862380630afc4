import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { type CSSProperties, Fragment, type ReactNode, useMemo, useRef, useState } from 'react';
import { countItems, flattenItems, type Item, type ItemRow, type ItemSet, rowsOf } from './items.ts';
import './item-table.css';

/** The columns of a record, or what its kind has in their place. Of thousands only those in sight are in the page. */

/** What other parts of the page know of an item. */
export type ItemNotes = {
  readonly hasTexts: boolean;
  readonly hasTests: boolean;
  readonly hasLines: boolean;
  readonly testState: (item: Item) => ReactNode;
  readonly line: (item: Item) => ReactNode;
};

const ROW_HEIGHT = 44;
/** Up to this many rows stand in the page as they are; more scroll, so that what comes after them can be reached. */
const MOST_UNBOXED = 60;
/** Up to this many, everything is unfolded from the beginning. */
const MOST_UNFOLDED = 200;

/** A row that holds the place of those out of sight. */
const Gap = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height <= 0 ? null : (
    <tbody>
      <tr className="gap" style={{ height }}>
        <td colSpan={columns} />
      </tr>
    </tbody>
  );

type RowProps = {
  readonly row: ItemRow;
  readonly index: number;
  readonly notes: ItemNotes;
  /** Whether any item of the table has parts, so that the names stand below each other. */
  readonly hasParts: boolean;
  readonly isChosen: boolean;
  readonly onChoose: (item: Item) => void;
  readonly onFold: (item: Item) => void;
};

const Fold = ({ row: { item, isOpen }, onFold }: Pick<RowProps, 'row' | 'onFold'>) =>
  item.children.length === 0 ? (
    <span className="fold" />
  ) : (
    <button
      type="button"
      className="fold"
      aria-expanded={isOpen}
      aria-label={`Parts of ${item.name}`}
      onClick={() => onFold(item)}
    >
      <svg width="12" height="12" viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <path d={isOpen ? 'M2 4l4 4 4-4' : 'M4 2l4 4-4 4'} fill="none" stroke="currentColor" strokeWidth="1.6" />
      </svg>
    </button>
  );

const CONSTRAINTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    PRIMARY_KEY: 'key',
    UNIQUE: 'unique',
    NOT_NULL: 'not null',
  }),
);

/** Style sheets indent the name alone, or on a phone all of the row. */
const indentOf = (depth: number): CSSProperties => ({ '--depth': depth }) as CSSProperties;

const Row = ({ row, index, notes, hasParts, isChosen, onChoose, onFold }: RowProps) => {
  const { item, depth } = row;
  const constraint = CONSTRAINTS.get(item.constraint ?? '');
  return (
    <tr aria-rowindex={index + 2} className={isChosen ? 'item-row chosen-row' : 'item-row'} style={indentOf(depth)}>
      <th scope="row" className="item-head">
        <span className="item-name">
          {hasParts && <Fold row={row} onFold={onFold} />}
          <button
            type="button"
            className="item-open"
            aria-expanded={isChosen}
            title={item.displayName === undefined ? item.name : `${item.displayName} (${item.name})`}
            onClick={() => onChoose(item)}
          >
            {item.name}
          </button>
        </span>
      </th>
      <td className="quiet item-type">
        {item.dataType}
        {constraint && <span className="constraint">{constraint}</span>}
      </td>
      {notes.hasTexts && (
        <td className="item-text">
          {item.description && <span className="item-description">{item.description}</span>}
          {item.tags.length > 0 && (
            <span className="item-tags">
              {item.tags.map(({ tagFQN }) => (
                <span key={tagFQN} className="chip">
                  {tagFQN}
                </span>
              ))}
            </span>
          )}
        </td>
      )}
      {notes.hasLines && <td className="item-line">{notes.line(item)}</td>}
      {notes.hasTests && <td className="item-test">{notes.testState(item)}</td>}
    </tr>
  );
};

const TableHead = ({ notes, textTitle }: { readonly notes: ItemNotes; readonly textTitle: string }) => (
  <thead>
    <tr aria-rowindex={1}>
      <th scope="col" className="item-head">
        Name
      </th>
      <th scope="col" className="item-type">
        Type
      </th>
      {notes.hasTexts && (
        <th scope="col" className="item-text">
          {textTitle}
        </th>
      )}
      {notes.hasLines && (
        <th scope="col" className="item-line">
          Empty values
        </th>
      )}
      {notes.hasTests && (
        <th scope="col" className="item-test">
          Tests
        </th>
      )}
    </tr>
  </thead>
);

const useRows = (items: readonly Item[], wanted: string) => {
  const [folded, setFolded] = useState<ReadonlySet<string>>();
  const all = useMemo(() => flattenItems(items), [items]);
  const open = useMemo(() => {
    const start = all.length <= MOST_UNFOLDED ? all.map(({ pointer }) => pointer) : [];
    return folded ?? new Set(start);
  }, [all, folded]);
  const fold = (item: Item): void => {
    const next = new Set(open);
    if (!next.delete(item.pointer)) next.add(item.pointer);
    setFolded(next);
  };
  return { rows: useMemo(() => rowsOf(items, open, wanted), [items, open, wanted]), fold };
};

type TableProps = {
  readonly set: ItemSet;
  readonly notes: ItemNotes;
  readonly chosen: string | undefined;
  readonly onChoose: (item: Item) => void;
  /** What is known of the chosen item; it stands below its row. */
  readonly panel: ReactNode;
};

type RowsProps = TableProps & ReturnType<typeof useRows>;

/** The rows in sight, and the chosen one wherever it is: what is typed there has to stay. */
const useShownRows = (rows: readonly ItemRow[], chosenAt: number, isBoxed: boolean) => {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.item.pointer ?? index,
    overscan: 12,
    rangeExtractor: (range) => {
      const indexes = isBoxed ? defaultRangeExtractor(range) : rows.map((_, index) => index);
      return chosenAt === -1 || indexes.includes(chosenAt) ? indexes : [...indexes, chosenAt].sort((a, b) => a - b);
    },
  });
  return { list, scroller };
};

const titleOfTexts = (items: readonly Item[]): string => {
  const all = flattenItems(items);
  const hasTags = all.some(({ tags }) => tags.length > 0);
  if (!all.some(({ description }) => description)) return 'Tags';
  return hasTags ? 'Description and tags' : 'Description';
};

const Rows = ({ rows, fold, set, notes, chosen, onChoose, panel }: RowsProps) => {
  const chosenAt = rows.findIndex(({ item }) => item.pointer === chosen);
  const isBoxed = rows.length > MOST_UNBOXED;
  const { list, scroller } = useShownRows(rows, chosenAt, isBoxed);
  const shown = list.getVirtualItems();
  const hasParts = set.items.some(({ children }) => children.length > 0);
  const columns = 2 + [notes.hasTexts, notes.hasLines, notes.hasTests].filter(Boolean).length;
  return (
    <section
      className={isBoxed ? 'columns boxed' : 'columns'}
      ref={scroller}
      // What scrolls has to be reached by the keyboard.
      tabIndex={isBoxed ? 0 : undefined}
      aria-label={`${set.title}, in their order`}
    >
      <table aria-rowcount={rows.length + 1}>
        <TableHead notes={notes} textTitle={titleOfTexts(set.items)} />
        {shown.map(({ index, key, start }, at) => {
          const row = rows[index];
          const before = start - (shown[at - 1]?.end ?? 0);
          return (
            row && (
              <Fragment key={key}>
                <Gap height={before} columns={columns} />
                <tbody ref={list.measureElement} data-index={index}>
                  <Row
                    row={row}
                    index={index}
                    notes={notes}
                    hasParts={hasParts}
                    isChosen={index === chosenAt}
                    onChoose={onChoose}
                    onFold={fold}
                  />
                  {index === chosenAt && (
                    <tr className="panel-row">
                      <td colSpan={columns}>{panel}</td>
                    </tr>
                  )}
                </tbody>
              </Fragment>
            )
          );
        })}
        <Gap height={list.getTotalSize() - (shown.at(-1)?.end ?? 0)} columns={columns} />
      </table>
    </section>
  );
};

export const ItemTable = (props: TableProps) => {
  const { set } = props;
  const [wanted, setWanted] = useState('');
  const { rows, fold } = useRows(set.items, wanted);
  const total = countItems(set.items);
  const isInSight = rows.some(({ item }) => item.pointer === props.chosen);
  return (
    <>
      <div className="row">
        <h2>
          {set.title} <span className="quiet">{total.toLocaleString()}</span>
        </h2>
        <label className="item-filter">
          <span className="visually-hidden">Find a {set.one}</span>
          <input
            type="search"
            placeholder={`Find a ${set.one}`}
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
        </label>
      </div>
      {!isInSight && props.panel}
      {rows.length === 0 ? (
        <p className="nothing" role="status">
          No {set.one} has these words in its name or description.
        </p>
      ) : (
        <Rows {...props} rows={rows} fold={fold} />
      )}
    </>
  );
};
