import { ApiFailure } from '../api/failure.ts';
import type { Schemas } from '../api/types.ts';
import { reloadForFiles } from '../session/reload.ts';
import type { JudgedRow } from './judged-rows.ts';
import type { ImportSummary, WorkerReply, WorkerRequest } from './rows-worker.ts';

/** Hands texts to the worker that reads them; one worker for each, which ends with its work. */

export type ImportOutcome = ImportSummary & {
  readonly rows: readonly JudgedRow[];
  /** The rows as CSV, each with its status and details. */
  readonly csv: Blob;
};

const runWorker = <T>(request: WorkerRequest, take: (reply: WorkerReply) => T | undefined): Promise<T> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./rows-worker.ts', import.meta.url), { type: 'module' });
    const end = (act: () => void): void => {
      worker.terminate();
      act();
    };
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
      if (data.kind === 'failure') return end(() => reject(new ApiFailure(0, data.message)));
      const taken = take(data);
      if (taken !== undefined) end(() => resolve(taken));
    });
    worker.addEventListener('error', (event) => {
      // Without a message, the script of the worker could not be loaded.
      if (!(event instanceof ErrorEvent)) reloadForFiles();
      end(() => reject(new ApiFailure(0, 'The reader of rows could not start')));
    });
    worker.postMessage(request);
  });

export const readOutcome = (text: string): Promise<ImportOutcome> => {
  const rows: JudgedRow[] = [];
  return runWorker({ kind: 'result', text }, (reply) => {
    if (reply.kind === 'rows') rows.push(...reply.rows);
    return reply.kind === 'end' ? { ...reply.summary, rows, csv: reply.csv } : undefined;
  });
};

/** A state longer than this has the rows of an import in it. */
const LONG_STATE = 100_000;

export const readJobState = async (text: string): Promise<Schemas['Job']> => {
  if (text.length <= LONG_STATE) return JSON.parse(text) as Schemas['Job'];
  return runWorker({ kind: 'job', text }, (reply) => (reply.kind === 'job' ? reply.job : undefined));
};
