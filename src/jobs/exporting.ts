import type { Operation } from './work.ts';

/** Whatever is exported, it is one operation to those who look at their jobs; what the job is about says who does it. */
export const exporting = (exports: Readonly<Record<string, Operation>>): Operation => ({
  restart: 'restart',
  shortLivedResult: true,
  run: (work) => {
    const operation = exports[work.job.entityType];
    if (!operation) throw new Error(`nothing exports ${work.job.entityType}`);
    return operation.run(work);
  },
});
