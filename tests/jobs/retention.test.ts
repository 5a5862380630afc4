import * as assert from 'uvu/assert';
import { removeOldJobs } from '../../src/jobs/remove-old-jobs.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { openTestQueue, type TestQueue } from '../support/test-queue.ts';

/** Shows that old jobs and results are removed. */

const test = suite('jobs: retention');

const HOUR_MS = 60 * 60 * 1000;

let service: Service;
let queue: TestQueue;

test.before(async () => {
  service = await openService();
  queue = openTestQueue(service);
});

/** Moves the end of a job into the past. */
const age = (jobId: string, ms: number) =>
  service.graph.query('MATCH (n:Job {jobId: $jobId}) SET n.completedAt = n.completedAt - toInteger($ms)', {
    jobId,
    ms,
  });

const pieces = async (jobId: string): Promise<number> => {
  const [row] = await service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) RETURN count(n) AS count', { jobId });
  return row?.['count'] as number;
};

const finished = async (count: number, person: string): Promise<string[]> => {
  const runner = queue.runner({
    restart: 'restart',
    shortLivedResult: true,
    run: async (work) => {
      await work.save({ pieces: [{ part: 'result1', position: 0, text: 'a,b\r\n' }] });
      return { resultType: 'text/csv' };
    },
  });
  runner.start();
  const jobIds: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const jobId = await queue.submit({ person });
    await waitForJobEnd(service.admin, jobId);
    jobIds.push(jobId);
  }
  await runner.stop();
  return jobIds;
};

test('short-lived results are kept for a day, and the newest five per user', async () => {
  const jobIds = await finished(7, uniqueName('exporter'));
  const newest = jobIds.slice(2);
  await removeOldJobs(service.graph);
  for (const jobId of jobIds.slice(0, 2)) {
    expectRefused(await service.admin.get(`/v1/jobs/${jobId}/result`), 404);
    assert.is(await pieces(jobId), 0);
    assert.is(ok(await service.admin.get(`/v1/jobs/${jobId}`)).status, 'COMPLETED');
  }
  for (const jobId of newest) {
    const reply = await service.admin.get(`/v1/csvAsyncJobs/${jobId}/result`);
    assert.equal([reply.status, reply.text], [200, 'a,b\r\n']);
    assert.is(reply.headers.get('content-type'), 'text/csv; charset=UTF-8');
  }
  const [first = '', second = ''] = newest;
  await age(first, 23 * HOUR_MS);
  await age(second, 25 * HOUR_MS);
  await removeOldJobs(service.graph);
  ok(await service.admin.get(`/v1/jobs/${first}`));
  assert.equal([await pieces(first), await pieces(second)], [1, 0]);
  expectRefused(await service.admin.get(`/v1/jobs/${second}/result`), 404);
});

test('a job is kept for seven days and then removed completely', async () => {
  const [kept = '', forgotten = ''] = await finished(2, uniqueName('exporter'));
  await age(kept, 7 * 24 * HOUR_MS - 60_000);
  await age(forgotten, 7 * 24 * HOUR_MS + 60_000);
  await removeOldJobs(service.graph);
  ok(await service.admin.get(`/v1/jobs/${kept}`));
  expectRefused(await service.admin.get(`/v1/jobs/${forgotten}`), 404);
  assert.is(await pieces(forgotten), 0);
});

test('an open job is never removed, however old', async () => {
  const jobId = await queue.submit({ input: ['[]'] });
  await service.graph.query('MATCH (n:Job {jobId: $jobId}) SET n.createdAt = 0, n.updatedAt = 0', { jobId });
  await service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) SET n.createdAt = 0', { jobId });
  await removeOldJobs(service.graph);
  assert.is(ok(await service.admin.get(`/v1/jobs/${jobId}`)).status, 'QUEUED');
  assert.is(await pieces(jobId), 1);
  await queue.jobs.cancel(jobId);
});

test('orphaned parts of jobs are removed when they are old', async () => {
  const jobId = uniqueName('stray');
  await service.graph.query(
    `CREATE (:JobPiece {key: $jobId + ' 1', jobId: $jobId, place: 'input 1', text: '', createdAt: 0}),
       (:JobPiece {key: $jobId + ' 2', jobId: $jobId, place: 'input 2', text: '', createdAt: timestamp()})`,
    { jobId },
  );
  await removeOldJobs(service.graph);
  assert.is(await pieces(jobId), 1);
  await service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) DELETE n', { jobId });
});

test.run();
