import * as assert from 'uvu/assert';
import { createDatabaseTree, exportFile, formatFile } from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { expireJobLeases, killJobAt } from '../support/job-process.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { CSV_JOB_BOUNDS, type CsvJobs, LONG_IMPORT, openCsvJobs } from './jobs-fixture.ts';

/** Shows that exports and imports survive the death of their process (csv.md 8). */

const test = suite('csv: jobs of killed processes');

let jobs: CsvJobs;
let client: Client;

test.before(async () => {
  jobs = await openCsvJobs();
  ({ client } = jobs);
});

test.after(() => jobs.close());

test('when a process is killed, an import fails with its applied rows, and queued jobs run', async () => {
  const tree = await createDatabaseTree(client);
  const rows = LONG_IMPORT.length;
  const file = formatFile('children', LONG_IMPORT);
  const running = await jobs.beginImport('database', tree.database, file);
  const waiting = await jobs.beginImport('database', tree.database, formatFile('children', [{ name: 'later' }]));
  await killJobAt(CSV_JOB_BOUNDS, { jobId: running, step: 1 });
  await expireJobLeases(jobs.service);
  await jobs.whileRunning(async () => {
    const job = await waitForJobEnd(client, running);
    assert.equal(pickMembers(job, 'status', 'error', 'result'), ['FAILED', 'interrupted', undefined]);
    assert.is((await waitForJobEnd(client, waiting)).status, 'COMPLETED');
    const applied = (await jobs.countSchemas(tree.database)) - 2;
    assert.ok(applied >= job.progress && applied > 0 && applied < rows, `${applied} rows are there of ${job.progress}`);
  });
  const [pieces] = await jobs.service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) RETURN count(n) AS count', {
    jobId: running,
  });
  assert.is(pieces?.['count'], 0);
});

test('an export restarts in another process and contains every row once', async () => {
  const tree = await createDatabaseTree(client);
  const columns = Array.from({ length: 400 }, (_, at) => ({
    name: `c${at}`,
    dataType: 'INT',
    description: 'x'.repeat(400),
  }));
  const bodies = Array.from({ length: 8 }, (_, at) => ({ name: `t${at}`, databaseSchema: tree.schema, columns }));
  assert.is(ok(await client.put('/v1/tables/bulk', bodies)).status, 'success');
  const jobId = await jobs.beginExport('databaseSchema', tree.schema, '?recursive=true');
  await killJobAt(CSV_JOB_BOUNDS, { jobId, step: 2 });
  const half = ok(await client.get(`/v1/jobs/${jobId}`));
  const total = 8 * 401 + 7;
  assert.ok(half.status === 'RUNNING' && half.progress > 0 && half.progress < total, JSON.stringify(half));
  await expireJobLeases(jobs.service);
  await jobs.whileRunning(async () => {
    assert.equal(pickMembers(await waitForJobEnd(client, jobId), 'status', 'progress'), ['COMPLETED', total]);
  });
  const { text } = await client.get(`/v1/jobs/${jobId}/result`);
  assert.is(text, await exportFile(client, 'databaseSchema', tree.schema, '?recursive=true'));
});

test.run();
