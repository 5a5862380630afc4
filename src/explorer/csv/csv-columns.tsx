import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readCsvDocumentation } from '../api/csv.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { Failure, Waiting } from '../parts/states.tsx';
import './csv-columns.css';

/** What the columns of the file hold, as the service documents them. */

const ColumnsOf = ({ type, recursive }: { readonly type: string; readonly recursive: boolean }) => {
  const { data, error, refetch } = useQuery({
    queryKey: ['csv documentation', type, recursive],
    queryFn: ({ signal }) => readCsvDocumentation(type, recursive, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error) return <Failure failure={error} again={refetch} />;
  if (!data) return <Waiting what="the columns" />;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard.
    <section className="csv-columns" tabIndex={0} aria-label="Columns of the file">
      <table>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">What it holds</th>
            <th scope="col">Examples</th>
          </tr>
        </thead>
        <tbody>
          {data.headers.map(({ name, required, description, examples }) => (
            <tr key={name}>
              <th scope="row">
                <code>{name}</code> {required && <span className="chip">required</span>}
              </th>
              <td>{description}</td>
              <td>
                <code>{examples.join('  ')}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
};

export const CsvColumns = ({ type }: { readonly type: string }) => {
  const [isOpen, setOpen] = useState(false);
  const [recursive, setRecursive] = useState(false);
  return (
    <details className="card" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>What the columns of the file hold</summary>
      {csvKindOf(type)?.isDeep && (
        <label className="check">
          <input type="checkbox" checked={recursive} onChange={({ target }) => setRecursive(target.checked)} />
          <span>Of a file with everything below</span>
        </label>
      )}
      {isOpen && <ColumnsOf type={type} recursive={recursive} />}
    </details>
  );
};
