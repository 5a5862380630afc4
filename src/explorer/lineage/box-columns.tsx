import { Handle, Position } from '@xyflow/react';
import { lastName } from '../api/full-name.ts';
import { testOutcome } from '../parts/outcome.ts';
import { columnWords, shortType } from './columns.ts';
import { useTabStop } from './current-box.ts';
import { useLineageActions } from './lineage-actions.ts';
import { hasColumnTools } from './measures.ts';
import { type BoxColumn, COLUMNS_AT_ONCE, type ColumnPage } from './shown-columns.ts';
import { STATE_SIGNS } from './state-chips.tsx';
import './box-columns.css';

/** The columns of a record in its box. Of many, some at a time, and a field in which others are found. */

type PagedProps = { readonly id: string; readonly page: ColumnPage };

const Finder = ({ id, page: { total, find } }: PagedProps) => {
  const { onColumnView } = useLineageActions();
  const tabIndex = useTabStop();
  return (
    <label className="column-find">
      <span className="visually-hidden">Find a column</span>
      <input
        type="search"
        className="nodrag holds-still"
        tabIndex={tabIndex}
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
  const tabIndex = useTabStop();
  return (
    <span className="column-turner">
      <button
        type="button"
        className="turn nodrag"
        tabIndex={tabIndex}
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
        tabIndex={tabIndex}
        aria-label="Further columns"
        disabled={page >= pages - 1}
        onClick={() => onPage(page + 1)}
      >
        ›
      </button>
    </span>
  );
};

/** Of a test only what is wrong is marked: where nothing is, nobody has to look. */
const TestMark = ({ status }: { readonly status: string }) => {
  const { tone } = testOutcome(status);
  return tone === 'bad' || tone === 'warn' ? <span className={`column-test ${tone}`}>{STATE_SIGNS[tone]}</span> : null;
};

/** The first letter of a tag stands for it; the title of the row has all of its name. */
const letterOf = (tag: string): string => lastName(tag).charAt(0).toUpperCase();

const TAGS_AT_ONCE = 2;

const ColumnMarks = ({ row: { type, tags = [], testStatus } }: { readonly row: BoxColumn }) => (
  <span className="column-marks" aria-hidden="true">
    {testStatus !== undefined && <TestMark status={testStatus} />}
    {tags.slice(0, TAGS_AT_ONCE).map((tag) => (
      <span key={tag} className="column-tag">
        {letterOf(tag)}
      </span>
    ))}
    {tags.length > TAGS_AT_ONCE && <span className="column-tag">+{tags.length - TAGS_AT_ONCE}</span>}
    {type !== undefined && <span className="column-type">{shortType(type)}</span>}
  </span>
);

const Row = ({ id, row }: { readonly id: string; readonly row: BoxColumn }) => {
  const { name, fqn, isLit, isJoined } = row;
  const { onColumn } = useLineageActions();
  const tabIndex = useTabStop();
  const words = columnWords(row, isJoined);
  return (
    <li className={isLit ? 'lit' : isJoined ? '' : 'apart'}>
      <Handle type="target" id={`in ${fqn}`} position={Position.Left} isConnectable={false} />
      <button
        type="button"
        className="nodrag"
        tabIndex={tabIndex}
        aria-pressed={isLit}
        onClick={() => onColumn(fqn, id)}
        title={words === '' ? name : `${name}: ${words}`}
      >
        <span className="column-text">{name}</span>
        <ColumnMarks row={row} />
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
