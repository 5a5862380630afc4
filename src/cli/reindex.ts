import { describeProgress, waitForJob } from './job-progress.ts';
import { createJsonRequest, type ServiceConnection } from './service-client.ts';

type ReindexOptions = ServiceConnection & {
  readonly report: (line: string) => void;
  /** The record types to reindex; all when empty. */
  readonly types: readonly string[];
  readonly pollMs?: number;
};

const COMMAND = 'reindex';

/**
 * Asks a running service to rebuild its search documents and waits for the end. Interrupting the command does not stop
 * the work. Throws a StartupError with a readable message when the service does not respond or the work failed.
 */
export const requestReindex = async (options: ReindexOptions): Promise<{ jobId: string; message: string }> => {
  const request = createJsonRequest(options);
  const body = options.types.length > 0 ? { entities: options.types } : {};
  const { jobId } = (await request(COMMAND, 'POST', 'search/reindex', body)) as { readonly jobId: string };
  options.report(`${options.server}: job ${jobId}`);
  let lastLine = '';
  const job = await waitForJob(request, COMMAND, jobId, {
    pollMs: options.pollMs,
    onProgress: (running) => {
      const line = describeProgress(running, 'records');
      if (line !== lastLine) options.report(line);
      lastLine = line;
    },
  });
  return { jobId, message: job.message ?? job.status };
};
