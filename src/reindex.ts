import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from './errors.ts';
import { createAsk, type Remote } from './remote.ts';

type Options = Remote & {
  readonly report: (line: string) => void;
  /** The types of record that are meant; all when there are none. */
  readonly types: readonly string[];
  readonly pollMs?: number;
};

type Job = {
  readonly jobId: string;
  readonly status: string;
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
  readonly error?: string;
};

const POLL_MS = 1000;
const COMMAND = 'reindex';

const OVER: ReadonlySet<string> = new Set(['COMPLETED', 'FAILED', 'CANCELLED']);

const spell = ({ progress, total }: Job): string =>
  total === undefined ? `${progress} records` : `${progress} of ${total} records`;

/**
 * Has a running service write its search documents anew, and waits for the end. Interrupting the command does not
 * interrupt the work. Throws a StartupError in plain words when nobody answers, or the work was not done.
 */
export const requestReindex = async (options: Options): Promise<void> => {
  const ask = createAsk(options);
  const body = options.types.length > 0 ? { entities: options.types } : {};
  const { jobId } = (await ask(COMMAND, 'POST', 'search/reindex', body)) as Pick<Job, 'jobId'>;
  options.report(`${options.server}: job ${jobId}`);
  let told = '';
  for (;;) {
    const job = (await ask(COMMAND, 'GET', `jobs/${jobId}`)) as Job;
    if (OVER.has(job.status)) {
      if (job.status !== 'COMPLETED') throw new StartupError(`${job.status}: ${job.error ?? job.message ?? jobId}`);
      options.report(job.message ?? job.status);
      return;
    }
    const line = spell(job);
    if (line !== told && job.status === 'RUNNING') options.report(line);
    told = line;
    await sleep(options.pollMs ?? POLL_MS);
  }
};
