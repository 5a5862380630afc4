import type { JobOperation } from './job-operation.ts';

/** Whatever is exported, it is one operation to those who look at their jobs; what the job is about says who does it. */
export const createExportDispatcher = (exports: Readonly<Record<string, JobOperation>>): JobOperation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: (work) => {
    const operation = exports[work.job.entityType];
    if (!operation) throw new Error(`nothing exports ${work.job.entityType}`);
    return operation.run(work);
  },
});
