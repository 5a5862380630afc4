import { useState } from 'react';
import { Link } from 'wouter';
import { assetAddress } from '../addresses.ts';
import type { Schemas } from '../api/types.ts';
import { saveFile } from '../parts/save-file.ts';
import { Nothing } from '../parts/states.tsx';
import { type AnsweredNode, isAnsweredNode, textOfCell, writeAnswerCsv } from './answer-cell.ts';

type Answer = Schemas['GraphQueryAnswer'];

const STEP = 100;
/** A list in one cell shows so many of its entries. */
const MAX_ENTRIES = 10;

const NodeName = ({ node }: { readonly node: AnsweredNode }) => (
  <>
    <span className="quiet">{node.label}</span>{' '}
    {node.entityType === undefined ? (
      node.fullyQualifiedName
    ) : (
      <Link href={assetAddress(node.entityType, node.fullyQualifiedName)}>{node.fullyQualifiedName}</Link>
    )}
  </>
);

const Entries = ({ values }: { readonly values: readonly unknown[] }) => (
  <ul className="query-entries">
    {values.slice(0, MAX_ENTRIES).map((value, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the entries of an answer never move.
      <li key={at}>
        <Cell value={value} />
      </li>
    ))}
    {values.length > MAX_ENTRIES && (
      <li className="quiet">and {(values.length - MAX_ENTRIES).toLocaleString()} more</li>
    )}
  </ul>
);

const Cell = ({ value }: { readonly value: unknown }) => {
  if (isAnsweredNode(value)) return <NodeName node={value} />;
  if (Array.isArray(value)) return <Entries values={value} />;
  return <>{textOfCell(value)}</>;
};

const describeSize = ({ rows, truncated, tookMs }: Answer): string => {
  const count = `${rows.length.toLocaleString()} ${rows.length === 1 ? 'row' : 'rows'}`;
  return `${truncated ? `The first ${count}; there are more` : count}, in ${tookMs.toLocaleString()} ms`;
};

/** The rows of an answer as a table. */
export const AnswerTable = ({ answer }: { readonly answer: Answer }) => {
  const [shown, setShown] = useState(STEP);
  const { columns, rows } = answer;
  const save = () => saveFile('answer.csv', new Blob([writeAnswerCsv(columns, rows)], { type: 'text/csv' }));
  const isNumber = columns.map((_, at) => rows.length > 0 && rows.every((row) => typeof row[at] === 'number'));
  return (
    <section className="stack" aria-label="Answer">
      <div className="query-head">
        <p className="quiet" role="status">
          {describeSize(answer)}
        </p>
        {rows.length > 0 && (
          <button type="button" className="button small" onClick={save}>
            Save as CSV
          </button>
        )}
      </div>
      {rows.length === 0 ? (
        <Nothing>Nothing fits.</Nothing>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: wide tables scroll by the keyboard too.
        <section className="query-answer" tabIndex={0} aria-label="Rows">
          <table>
            <thead>
              <tr>
                {columns.map((name, at) => (
                  <th key={name} scope="col" className={isNumber[at] ? 'number' : undefined}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, shown).map((row, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the rows of an answer never move.
                <tr key={at}>
                  {columns.map((name, column) => (
                    <td key={name} className={isNumber[column] ? 'number' : undefined}>
                      <Cell value={row[column]} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rows.length > shown && (
        <button type="button" className="button" onClick={() => setShown(shown + STEP)}>
          Show {Math.min(STEP, rows.length - shown)} more of {rows.length.toLocaleString()}
        </button>
      )}
    </section>
  );
};
