import type { JobOperation } from './job-operation.ts';

/** Combines all exports into one operation. The entity type of the job selects the export that runs. */
export const createExportDispatcher = (exports: Readonly<Record<string, JobOperation>>): JobOperation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: (work) => {
    const operation = exports[work.job.entityType];
    if (!operation) throw new Error(`there is no export of ${work.job.entityType}`);
    return operation.run(work);
  },
});
