import { Handle, Position } from '@xyflow/react';
import { useLineageActions } from './lineage-actions.ts';
import { hasColumnTools } from './measures.ts';
import { type BoxColumn, COLUMNS_AT_ONCE, type ColumnPage } from './shown-columns.ts';
import './box-columns.css';

/** The columns of a record in its box. Of many, some at a time, and a field in which others are found. */

type PagedProps = { readonly id: string; readonly page: ColumnPage };

const Finder = ({ id, page: { total, find } }: PagedProps) => {
  const { onColumnView } = useLineageActions();
  return (
    <label className="column-find">
      <span className="visually-hidden">Find a column</span>
      <input
        type="search"
        className="nodrag nopan"
        placeholder={`Find in ${total.toLocaleString()} columns`}
        value={find}
        onChange={({ target }) => onColumnView(id, { find: target.value, page: 0 })}
      />
    </label>
  );
};

type TurnProps = { readonly page: ColumnPage; readonly onPage: (page: number) => void };

const Turner = ({ page: { page, pages, found }, onPage }: TurnProps) => {
  const first = page * COLUMNS_AT_ONCE + 1;
  const last = Math.min(found, first + COLUMNS_AT_ONCE - 1);
  return (
    <span className="column-turner">
      <button
        type="button"
        className="turn nodrag"
        aria-label="Columns before"
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      >
        ‹
      </button>
      <span role="status">
        {found === 0 ? 'None' : `${first.toLocaleString()}–${last.toLocaleString()} of ${found.toLocaleString()}`}
      </span>
      <button
        type="button"
        className="turn nodrag"
        aria-label="Further columns"
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      >
        ›
      </button>
    </span>
  );
};

const Row = ({ id, row: { name, fqn, isLit, isJoined } }: { readonly id: string; readonly row: BoxColumn }) => {
  const { onColumn } = useLineageActions();
  return (
    <li className={isLit ? 'lit' : isJoined ? '' : 'apart'}>
      <Handle type="target" id={`in ${fqn}`} position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="nodrag"
        aria-pressed={isLit}
        onClick={() => onColumn(fqn, id)}
        title={isJoined ? name : `${name}: nothing is known of its lineage`}
      >
        {name}
      </button>
      <Handle type="source" id={`out ${fqn}`} position={Position.Right} isConnectable={false} />
    </li>
  );
};

export const BoxColumns = ({ id, page, isWaiting }: PagedProps & { readonly isWaiting: boolean }) => {
  const { onColumnView } = useLineageActions();
  const hasTools = hasColumnTools(page);
  if (page.total === 0)
    return (
      <p className="box-note" role="status">
        {isWaiting ? 'Waiting for the columns …' : 'No columns are known.'}
      </p>
    );
  return (
    <div className="box-columns">
      {hasTools && <Finder id={id} page={page} />}
      <ul className={hasTools ? 'paged' : ''}>
        {page.rows.map((row) => (
          <Row key={row.fqn} id={id} row={row} />
        ))}
      </ul>
      {hasTools && <Turner page={page} onPage={(next) => onColumnView(id, { find: page.find, page: next })} />}
    </div>
  );
};
