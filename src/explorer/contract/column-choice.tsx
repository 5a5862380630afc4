import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import type { FieldsProps } from './basic-fields.tsx';
import { Clause } from './clause.tsx';
import { type ChoiceRow, changePromise, listChoices, promiseAll, promiseColumn, takeType } from './columns.ts';
import type { ContractColumn } from './form.ts';

/** Chooses the columns that are promised among those of the asset. Of thousands only those in sight are in the page. */

const CONSTRAINTS = ['NULL', 'NOT_NULL', 'UNIQUE', 'PRIMARY_KEY'] as const;

const constrain = (column: ContractColumn, constraint: string): ContractColumn => {
  const { constraint: _, ...free } = column;
  const known = CONSTRAINTS.find((one) => one === constraint);
  return known === undefined ? free : { ...free, constraint: known };
};

type RowProps = {
  readonly row: ChoiceRow;
  readonly onPromise: (isPromised: boolean) => void;
  readonly onChange: (change: (column: ContractColumn) => ContractColumn) => void;
};

const TypeOf = ({ row: { actual, promised }, onChange }: Omit<RowProps, 'onPromise'>) => {
  if (!actual) return <span className="chip bad">not in the asset</span>;
  if (!promised || promised.dataType === actual.dataType)
    return <span className="quiet">{actual.dataTypeDisplay ?? actual.dataType}</span>;
  return (
    <span className="row">
      <span className="chip warn">
        {promised.dataType} is promised, {actual.dataType} is there
      </span>
      <button type="button" className="button small" onClick={() => onChange((column) => takeType(column, actual))}>
        Take {actual.dataType}
      </button>
    </span>
  );
};

const ColumnChoiceRow = ({ row, onPromise, onChange }: RowProps) => {
  const { path, promised } = row;
  const name = path.join('.');
  return (
    <>
      <label className="check choice-name" style={{ paddingLeft: (path.length - 1) * 18 }}>
        <input type="checkbox" checked={promised !== undefined} onChange={({ target }) => onPromise(target.checked)} />
        <code>{path.at(-1)}</code>
      </label>
      <span className="choice-type">
        <TypeOf row={row} onChange={onChange} />
      </span>
      {promised && (
        <select
          aria-label={`Constraint of ${name}`}
          value={promised.constraint ?? ''}
          onChange={({ target }) => onChange((column) => constrain(column, target.value))}
        >
          <option value="">no constraint</option>
          {CONSTRAINTS.map((constraint) => (
            <option key={constraint} value={constraint}>
              {constraint.toLowerCase().replace('_', ' ')}
            </option>
          ))}
        </select>
      )}
      {promised && (
        <input
          type="text"
          className="choice-text"
          aria-label={`Description of ${name}`}
          placeholder="What it means"
          value={promised.description ?? ''}
          onChange={({ target }) =>
            onChange(({ description: _, ...column }) =>
              target.value === '' ? column : { ...column, description: target.value },
            )
          }
        />
      )}
    </>
  );
};

const ROW_HEIGHT = 48;

type ColumnChoiceProps = FieldsProps & { readonly columns: readonly ContractColumn[] };

const ChoiceList = ({
  rows,
  children,
}: {
  readonly rows: readonly ChoiceRow[];
  readonly children: (row: ChoiceRow) => React.ReactNode;
}) => {
  const scroller = useRef<HTMLElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 10,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="choices" ref={scroller} tabIndex={0} aria-label="Columns of the asset">
      <ul style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index];
          return (
            row && (
              <li
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="choice"
                aria-posinset={index + 1}
                aria-setsize={rows.length}
                style={{ transform: `translateY(${start}px)` }}
              >
                {children(row)}
              </li>
            )
          );
        })}
      </ul>
    </section>
  );
};

export const ColumnChoice = ({ columns, form, setForm, problems }: ColumnChoiceProps) => {
  const [wanted, setWanted] = useState('');
  const all = useMemo(() => listChoices(columns, form.schema), [columns, form.schema]);
  const rows = useMemo(() => {
    const words = wanted.trim().toLowerCase();
    return words === '' ? all : all.filter(({ path }) => path.join('.').toLowerCase().includes(words));
  }, [all, wanted]);
  const chosen = all.filter(({ promised }) => promised !== undefined).length;
  const set = (schema: readonly ContractColumn[]) => setForm({ schema });
  return (
    <Clause
      title="Columns"
      members={['schema']}
      problems={problems}
      hint="A promised column may not disappear or change its type."
    >
      <div className="row">
        <span role="status">
          {chosen.toLocaleString()} of {all.length.toLocaleString()} promised
        </span>
        <button type="button" className="button" onClick={() => set(promiseAll(form.schema, columns))}>
          Promise all
        </button>
        <button type="button" className="button" disabled={chosen === 0} onClick={() => set([])}>
          None
        </button>
        <label className="column-filter">
          <span className="visually-hidden">Find a column</span>
          <input type="search" placeholder="Find a column" value={wanted} onChange={(e) => setWanted(e.target.value)} />
        </label>
      </div>
      {all.length === 0 ? (
        <p className="quiet">The asset has no columns.</p>
      ) : (
        <ChoiceList rows={rows}>
          {(row) => (
            <ColumnChoiceRow
              row={row}
              onPromise={(isPromised) =>
                set(
                  isPromised
                    ? promiseColumn(form.schema, columns, row.path)
                    : changePromise(form.schema, row.path, () => undefined),
                )
              }
              onChange={(change) => set(changePromise(form.schema, row.path, change))}
            />
          )}
        </ChoiceList>
      )}
    </Clause>
  );
};
