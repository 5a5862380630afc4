import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { type CsvTarget, listJobsOf, readJobResult, startExport } from '../api/csv.ts';
import { csvKindOf } from '../api/csv-kinds.ts';
import { fileNameOf, saveFile } from '../parts/save-file.ts';
import { Failure } from '../parts/states.tsx';
import { JobProgress } from './job-progress.tsx';
import { useJob } from './use-job.ts';

/** Exports an asset: the job runs at the service, and its file is saved as soon as it is there. */

const saveExport = async (name: string, jobId: string): Promise<void> =>
  saveFile(fileNameOf(name, 'csv'), new Blob([await readJobResult(jobId)], { type: 'text/csv' }));

const useSavedExport = (name: string, jobId: string | undefined) => {
  const { data: job, error } = useJob(jobId);
  const saved = useRef<string>(undefined);
  const queries = useQueryClient();
  const { mutate: save, error: saveError } = useMutation({
    mutationFn: (id: string) => saveExport(name, id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['jobs of'] }),
  });
  useEffect(() => {
    if (job?.status !== 'COMPLETED' || saved.current === job.jobId) return;
    saved.current = job.jobId;
    save(job.jobId);
  }, [job, save]);
  return { job, save, error: error ?? saveError };
};

/** Exports of the last day, whose files the service still has. */
const FormerExports = ({ target, onSave }: { readonly target: CsvTarget; readonly onSave: (id: string) => void }) => {
  const { data = [] } = useQuery({
    queryKey: ['jobs of', target.type, target.fqn],
    queryFn: ({ signal }) => listJobsOf(target, signal),
  });
  const exports = data.filter(({ operation, status }) => operation === 'EXPORT' && status === 'COMPLETED').slice(0, 5);
  if (exports.length === 0) return null;
  return (
    <details>
      <summary>Your latest exports</summary>
      <ul className="rows">
        {exports.map(({ jobId, createdAt, total, recursive }) => (
          <li key={jobId}>
            <span>
              {new Date(createdAt).toLocaleString()}
              <span className="quiet">
                {' '}
                {(total ?? 0).toLocaleString()} rows{recursive ? ', with everything below' : ''}
              </span>
            </span>
            <button type="button" className="button" onClick={() => onSave(jobId)}>
              Save
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
};

type ExportCardProps = { readonly target: CsvTarget; readonly name: string };

export const ExportCard = ({ target, name }: ExportCardProps) => {
  const [recursive, setRecursive] = useState(false);
  const [safeCsv, setSafeCsv] = useState(false);
  const start = useMutation({ mutationFn: () => startExport(target, { recursive, safeCsv }) });
  const { job, save, error } = useSavedExport(name, start.data?.jobId);
  const kind = csvKindOf(target.type);
  return (
    <section className="card stack" aria-label="Export">
      <h2>Export</h2>
      <p className="quiet">One row for every {kind?.row}, as a file that can be changed and imported again.</p>
      {kind?.isDeep && (
        <label className="check">
          <input type="checkbox" checked={recursive} onChange={({ target: box }) => setRecursive(box.checked)} />
          <span>With everything below, down to the columns</span>
        </label>
      )}
      <label className="check">
        <input type="checkbox" checked={safeCsv} onChange={({ target: box }) => setSafeCsv(box.checked)} />
        <span>
          For a spreadsheet: texts that it would take for formulas get a <code>'</code> in front. Choose the same when
          you import it.
        </span>
      </label>
      {(start.error ?? error) && <Failure failure={start.error ?? error} />}
      {job && <JobProgress job={job} what="The export" />}
      <div className="row">
        <button
          type="button"
          className="button main"
          disabled={start.isPending || job?.status === 'RUNNING' || job?.status === 'QUEUED'}
          onClick={() => start.mutate()}
        >
          Export CSV
        </button>
        {job?.status === 'COMPLETED' && (
          <>
            <button type="button" className="button" onClick={() => save(job.jobId)}>
              Save it again
            </button>
            <span role="status" className="quiet">
              {(job.total ?? 0).toLocaleString()} rows exported
            </span>
          </>
        )}
      </div>
      <FormerExports target={target} onSave={save} />
    </section>
  );
};
