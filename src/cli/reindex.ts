import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../errors.ts';
import { createJsonRequest, type ServiceConnection } from './service-client.ts';

type ReindexOptions = ServiceConnection & {
  readonly report: (line: string) => void;
  /** The record types to reindex; all when empty. */
  readonly types: readonly string[];
  readonly pollMs?: number;
};

type ReindexJob = {
  readonly jobId: string;
  readonly status: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly error?: string;
};

const POLL_MS = 1000;
const COMMAND = 'reindex';

const ENDED_STATUSES: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

const progressText = ({ progress, total }: ReindexJob): string =>
  total === undefined ? `${progress} records` : `${progress} of ${total} records`;

/**
 * Asks a running service to rebuild its search documents and waits for the end. Interrupting the command does not stop
 * the work. Throws a StartupError with a readable message when the service does not respond or the work failed.
 */
export const requestReindex = async (options: ReindexOptions): Promise<void> => {
  const request = createJsonRequest(options);
  const body = options.types.length > 0 ? { entities: options.types } : {};
  const { jobId } = (await request(COMMAND, 'POST', 'search/reindex', body)) as Pick<ReindexJob, 'jobId'>;
  options.report(`${options.server}: job ${jobId}`);
  let lastLine = '';
  for (;;) {
    const job = (await request(COMMAND, 'GET', `jobs/${jobId}`)) as ReindexJob;
    if (ENDED_STATUSES.has(job.status)) {
      if (job.status !== 'COMPLETED') throw new StartupError(`${job.status}: ${job.error ?? job.message ?? jobId}`);
      options.report(job.message ?? job.status);
      return;
    }
    const line = progressText(job);
    if (line !== lastLine && job.status === 'RUNNING') options.report(line);
    lastLine = line;
    await sleep(options.pollMs ?? POLL_MS);
  }
};
