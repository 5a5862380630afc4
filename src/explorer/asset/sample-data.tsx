import { useQuery } from '@tanstack/react-query';
import { ask } from '../api/ask.ts';
import { type Asset, recordPath } from '../api/asset.ts';
import { listAt, membersAt } from '../api/members.ts';
import { Failure, Nothing, Waiting } from '../parts/states.tsx';
import { readableCode } from './describe-members.ts';

/** Sample rows of a table, or sample messages of a topic. */

const MOST_ROWS = 100;

const showCell = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);

const Rows = ({ columns, rows }: { readonly columns: readonly unknown[]; readonly rows: readonly unknown[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
  <section className="table-scroll" tabIndex={0} aria-label="Sample rows">
    <table className="plain-table sample">
      <thead>
        <tr>
          {columns.map((name) => (
            <th key={String(name)} scope="col">
              {String(name)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, MOST_ROWS).map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: sample rows have nothing else to tell them apart.
          <tr key={at}>
            {(Array.isArray(row) ? row : []).map((cell, column) => (
              <td key={String(columns[column])}>{showCell(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

const Messages = ({ messages }: { readonly messages: readonly unknown[] }) => (
  <ul className="shown-list">
    {messages.slice(0, MOST_ROWS).map((message, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: sample messages have nothing else to tell them apart.
      <li key={at}>
        <pre className="shown-code">{readableCode(showCell(message))}</pre>
      </li>
    ))}
  </ul>
);

export const SampleData = ({ type, asset }: { readonly type: string; readonly asset: Asset }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['sample data', asset.id],
    queryFn: ({ signal }) => ask<unknown>(recordPath(type, asset.id), { query: { fields: 'sampleData' }, signal }),
  });
  const sample = membersAt(data, 'sampleData');
  const [columns, rows, messages] = ['columns', 'rows', 'messages'].map((name) => listAt(sample, name));
  return (
    <section className="card stack" aria-label="Sample">
      <h2>Sample</h2>
      {error && <Failure failure={error} again={refetch} />}
      {data === undefined && !error && <Waiting what="the sample" />}
      {data !== undefined && (rows?.length ?? 0) + (messages?.length ?? 0) === 0 && (
        <Nothing>There is no sample of its data.</Nothing>
      )}
      {rows && rows.length > 0 && <Rows columns={columns ?? []} rows={rows} />}
      {messages && messages.length > 0 && <Messages messages={messages} />}
    </section>
  );
};
