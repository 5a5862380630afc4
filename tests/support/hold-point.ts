import type { Graph, Transaction } from '../../src/graph/client.ts';
import { createJobs, updateJobs } from '../../src/jobs/queries.ts';

/** Stops a program between two steps of its work, so that a test can kill it there or act meanwhile. */

/** A transaction that a test waits for. */
export type HoldPoint = {
  /** Which of the transactions it is that save progress of the job, or run the statement. The first one is 1. */
  readonly step: number;
  /** The job whose progress counts. Without it, progress of every job that the program itself has created counts. */
  readonly jobId?: string;
  /** Counts transactions that run this statement, whatever they are part of. */
  readonly statement?: string;
  /** Holds the transaction open, with everything written and nothing committed. */
  readonly beforeCommit?: true;
};

/** The members of rows that tell whose progress a transaction saves. */
type JobRow = {
  readonly jobId?: string;
  readonly changes?: object;
  readonly properties?: { readonly jobId?: string };
};

const rowsOf = (params: object): readonly JobRow[] => (params as { rows?: readonly JobRow[] }).rows ?? [];

/** Returns a function that tells whether a statement with these parameters makes its transaction a step. */
const createStepTest = ({ jobId, statement }: HoldPoint) => {
  const jobs = new Set(jobId === undefined ? [] : [jobId]);
  return (name: string, params: object): boolean => {
    if (statement !== undefined) return name === statement;
    if (name === createJobs.name && jobId === undefined) {
      for (const { properties } of rowsOf(params)) jobs.add(properties?.jobId ?? '');
    }
    const savesProgress = (row: JobRow) => jobs.has(row.jobId ?? '') && 'progress' in (row.changes ?? {});
    return name === updateJobs.name && rowsOf(params).some(savesProgress);
  };
};

/** Returns the graph, whose writer waits for `hold` at that point. */
export const withHoldPoint = (graph: Graph, point: HoldPoint, hold: () => Promise<void>): Graph => {
  const isStep = createStepTest(point);
  let steps = 0;
  const write: Graph['write'] = async (work) => {
    let isIncluded = false;
    const result = await graph.write(async (transaction) => {
      isIncluded = false;
      const run: Transaction['run'] = (statement, params) => {
        isIncluded ||= isStep(statement.name, params);
        return transaction.run(statement, params);
      };
      const written = await work({ ...transaction, run });
      if (isIncluded && point.beforeCommit && steps + 1 === point.step) await hold();
      return written;
    });
    if (!isIncluded) return result;
    steps += 1;
    if (!point.beforeCommit && steps === point.step) await hold();
    return result;
  };
  return { ...graph, write };
};

/** A moment that one side waits for and the other one announces. */
export const createSignal = () => {
  let give = () => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
};
