import { VirtualRows } from '../parts/virtual-rows.tsx';
import { describeFault, type JudgedRow, titleOfColumn } from './judged-rows.ts';
import { RowOutcome } from './row-outcome.tsx';
import type { RowsProps } from './rows-table.tsx';

/** The rows of a file as cards, where a table of many columns has no room. */

const ROW_HEIGHT = 140;

type CellsProps = Pick<RowsProps, 'headers'> & { readonly row: JudgedRow };

/** The cells with something in them or wrong with them, and the names of those that are empty. */
const Cells = ({ row, headers }: CellsProps) => {
  const faulty = new Set(row.faults.map(({ cell }) => cell));
  const cells = headers.map((header, at) => ({ title: titleOfColumn(header), value: row.cells[at] ?? '', at }));
  const isShown = ({ value, at }: (typeof cells)[number]) => value !== '' || faulty.has(at);
  const empty = cells.filter((cell) => !isShown(cell));
  return (
    <>
      <dl className="card-cells">
        {cells.filter(isShown).map(({ title, value, at }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd className={faulty.has(at) ? 'bad-cell' : ''}>{value || 'empty'}</dd>
          </div>
        ))}
      </dl>
      {empty.length > 0 && <p className="quiet card-empty">Empty: {empty.map(({ title }) => title).join(', ')}</p>}
    </>
  );
};

type RowCardProps = Omit<RowsProps, 'rows'> & { readonly row: JudgedRow };

const RowCard = ({ row, headers, isDone }: RowCardProps) => (
  <article className={`row-card ${row.state}`} aria-label={`Row ${row.number}`}>
    <div className="row">
      <strong>Row {row.number.toLocaleString()}</strong>
      <RowOutcome state={row.state} isDone={isDone} />
    </div>
    {row.faults.map((fault) => (
      <p key={`${fault.cell} ${fault.text}`} className="card-fault">
        {describeFault(fault, headers)}
      </p>
    ))}
    <Cells row={row} headers={headers} />
  </article>
);

export const RowCards = ({ rows, headers, isDone }: RowsProps) => (
  <VirtualRows
    label="Rows of the file"
    count={rows.length}
    rowHeight={ROW_HEIGHT}
    keyOf={(index) => rows[index]?.number ?? index}
    row={(index) => {
      const row = rows[index];
      return row && <RowCard row={row} headers={headers} isDone={isDone} />;
    }}
  />
);
