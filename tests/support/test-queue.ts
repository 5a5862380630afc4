import type { JobOperation } from '../../src/jobs/job-operation.ts';
import { type JobQueue, openJobQueue } from '../../src/jobs/job-queue.ts';
import { createJobRunner, type JobRunner, type JobRunnerOptions } from '../../src/jobs/job-runner.ts';
import type { Service } from './service.ts';
import { uniqueName } from './service.ts';

/** Jobs of an operation that no other process of the run knows, so that only runners created here take them. */
export type TestQueue = {
  readonly operation: string;
  readonly jobs: JobQueue;
  /** Creates a separate runner, as another process would have. */
  runner(operation: JobOperation, options?: Partial<JobRunnerOptions>): JobRunner;
  submit(more?: {
    readonly person?: string;
    readonly exclusive?: string;
    readonly input?: readonly string[];
  }): Promise<string>;
  readonly warnings: readonly string[];
};

export const openTestQueue = (service: Service, jobs: JobQueue = openJobQueue(service.graph)): TestQueue => {
  const operation = uniqueName('TEST');
  const warnings: string[] = [];
  const note = (message: string) => warnings.push(message);
  return {
    operation,
    jobs,
    warnings,
    runner: (does, options = {}) =>
      createJobRunner({
        graph: service.graph,
        jobs,
        operations: { [operation]: does },
        log: { warn: note, error: note },
        options: { pollMs: 20, idlePollMs: 50, ...options },
      }),
    submit: async ({ person = 'admin', exclusive, input = [] } = {}) => {
      const actor = { id: '', name: person, email: '', isAdmin: false, isBot: false, roles: [] };
      const job = { operation, entityType: 'table', targetFqn: 'x', actor, input: {} };
      return (await jobs.submit(exclusive === undefined ? job : { ...job, exclusive }, input)).jobId;
    },
  };
};
