import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../../src/graph/client.ts';
import { PATIENCE_MS } from './patience.ts';

/** Finds jobs that a test file left open. */

/** Only the file itself runs jobs of its own operations (`openTestQueue`), so one that stays open holds up no other file. */
const OWN_OPERATION = /^TEST_/;

const PAUSE_MS = 50;

type OpenJob = { readonly id: string; readonly operation: string };

const listOpenJobs = async (graph: Graph): Promise<readonly OpenJob[]> => {
  const rows = await graph.query(
    `MATCH (job:Job) USING INDEX SEEK job:Job(open, place) WHERE job.open = true AND job.place > ''
     RETURN job.jobId AS id, job.operation AS operation`,
  );
  return rows as unknown as readonly OpenJob[];
};

/** Waits for the jobs that the service still runs, and answers those that stay open. Each job is answered once. */
export const createOpenJobCheck = (graph: Graph): (() => Promise<readonly OpenJob[]>) => {
  const reported = new Set<string>();
  return async () => {
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      const open = (await listOpenJobs(graph)).filter(
        ({ id, operation }) => !reported.has(id) && !OWN_OPERATION.test(operation),
      );
      if (open.length === 0 || performance.now() > deadline) {
        for (const { id } of open) reported.add(id);
        return open;
      }
      await sleep(PAUSE_MS);
    }
  };
};
