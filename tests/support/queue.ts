import { type Jobs, openJobs } from '../../src/jobs/jobs.ts';
import { createRunner, type Runner, type RunnerOptions } from '../../src/jobs/runner.ts';
import type { Operation } from '../../src/jobs/work.ts';
import type { Service } from './service.ts';
import { uniqueName } from './service.ts';

/** Jobs of an operation that no other process of the run knows, so that only the runners made here take them. */
export type Queue = {
  readonly operation: string;
  readonly jobs: Jobs;
  /** A runner of its own, as another process would have one. */
  runner(operation: Operation, options?: Partial<RunnerOptions>): Runner;
  submit(more?: {
    readonly person?: string;
    readonly exclusive?: string;
    readonly input?: readonly string[];
  }): Promise<string>;
  readonly warnings: readonly string[];
};

export const openQueue = (service: Service, jobs: Jobs = openJobs(service.graph)): Queue => {
  const operation = uniqueName('TEST');
  const warnings: string[] = [];
  const note = (message: string) => warnings.push(message);
  return {
    operation,
    jobs,
    warnings,
    runner: (does, options = {}) =>
      createRunner({
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
