import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { describeFault, type JudgedRow } from './judged-rows.ts';
import { RowOutcome } from './row-outcome.tsx';

/** The rows of a file with what becomes of each. Of a hundred thousand only those in sight are in the page. */

type RowProps = {
  readonly row: JudgedRow;
  readonly headers: readonly string[];
  readonly isDone: boolean;
  readonly index: number;
  readonly measure: (element: HTMLTableRowElement | null) => void;
};

const RowLine = ({ row, headers, isDone, index, measure }: RowProps) => {
  const faulty = new Map(row.faults.map((fault) => [fault.cell, fault.text]));
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2} className={row.state}>
      <th scope="row">{row.number}</th>
      <td>
        <RowOutcome state={row.state} isDone={isDone} />
      </td>
      <td className="row-faults">
        {row.faults.map((fault) => (
          <p key={`${fault.cell} ${fault.text}`}>{describeFault(fault, headers)}</p>
        ))}
      </td>
      {headers.map((header, at) => (
        <td key={header} className={faulty.has(at) ? 'bad-cell' : ''} title={faulty.get(at) ?? row.cells[at]}>
          {row.cells[at]}
        </td>
      ))}
    </tr>
  );
};

const Gap = ({ height, span }: { readonly height: number; readonly span: number }) =>
  height <= 0 ? null : (
    <tr className="gap" style={{ height }}>
      <td colSpan={span} />
    </tr>
  );

const ROW_HEIGHT = 42;
/** Widths of the columns before the cells, and of each cell. */
const NUMBER_WIDTH = 84;
const OUTCOME_WIDTH = 110;
const FAULT_WIDTH = 300;
const CELL_WIDTH = 170;

export type RowsProps = {
  readonly rows: readonly JudgedRow[];
  readonly headers: readonly string[];
  readonly isDone: boolean;
};

export const RowsTable = ({ rows, headers, isDone }: RowsProps) => {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.number ?? index,
    overscan: 10,
  });
  const shown = list.getVirtualItems();
  const span = headers.length + 3;
  const width = NUMBER_WIDTH + OUTCOME_WIDTH + FAULT_WIDTH + headers.length * CELL_WIDTH;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="judged-rows" ref={scroller} tabIndex={0} aria-label="Rows of the file">
      <table aria-rowcount={rows.length + 1} style={{ width }}>
        <colgroup>
          <col style={{ width: NUMBER_WIDTH }} />
          <col style={{ width: OUTCOME_WIDTH }} />
          <col style={{ width: FAULT_WIDTH }} />
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Row</th>
            <th scope="col">Outcome</th>
            <th scope="col">What is wrong</th>
            {headers.map((header) => (
              <th key={header} scope="col" title={header}>
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={shown[0]?.start ?? 0} span={span} />
          {shown.map(({ index, key }) => {
            const row = rows[index];
            return (
              row && (
                <RowLine
                  key={key}
                  row={row}
                  headers={headers}
                  isDone={isDone}
                  index={index}
                  measure={list.measureElement}
                />
              )
            );
          })}
          <Gap height={list.getTotalSize() - (shown.at(-1)?.end ?? 0)} span={span} />
        </tbody>
      </table>
    </section>
  );
};
