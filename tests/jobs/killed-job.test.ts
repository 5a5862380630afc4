import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { expireJobLeases, killJobAt } from '../support/job-process.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { countTables, createWideSchema, tableRows } from '../support/wide-schema.ts';

/** Shows that another process completes the job of a killed one, and writes nothing twice (DESIGN 5, csv.md 8). */

const test = suite('jobs: a killed job');

const BOUNDS = { jobs: { pollMs: 50, idlePollMs: 100 } };

/** A job writes 250 rows, and then saves its progress in a transaction of its own. */
const ROWS = 600;
const BATCH = 250;

let service: Service;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  // Only the process that is to be killed, and later the other one, may take the job.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, BOUNDS));
});

test.after(async () => {
  await app.runner.stop();
  service.app.runner.start();
});

test('a bulk job continues in another process, and every row is written once', async () => {
  const { schema } = await createWideSchema(client, 0);
  const reply = await client.put('/v1/tables/bulk?async=true', tableRows(schema, ROWS));
  assert.is(reply.status, 202);
  const jobId = reply.headers.get('x-job-id') ?? '';
  // The second batch is written by then, and its progress is not: the next process writes it again.
  await killJobAt(BOUNDS, { jobId, step: 2, beforeCommit: true }, async () => {
    const half = ok(await client.get(`/v1/jobs/${jobId}`));
    assert.equal(pickMembers(half, 'status', 'progress', 'total'), ['RUNNING', BATCH, ROWS]);
    assert.is((await countTables(service, schema, 'entityCreated')).alive, 2 * BATCH);
  });
  await expireJobLeases(service);
  assert.is(ok(await client.get(`/v1/jobs/${jobId}`)).progress, BATCH);
  app.runner.start();
  const done = await waitForJobEnd(client, jobId);
  // The runner stops when the end of the job, too, is behind it.
  await app.runner.stop();
  assert.equal(pickMembers(done, 'status', 'progress', 'total'), ['COMPLETED', ROWS, ROWS]);
  const { result } = done;
  assert.equal(pickMembers(result, 'status', 'numberOfRowsPassed', 'numberOfRowsFailed'), ['success', ROWS, 0]);
  const named = new Set(result.successRequest.map((row: { request: string }) => row.request));
  assert.is(named.size, ROWS);
  const made = { alive: ROWS, hidden: 0, versions: [0.1], kept: [0], events: ROWS };
  assert.equal(await countTables(service, schema, 'entityCreated'), made);
  const [left] = await service.graph.query(
    "MATCH (n:JobPiece {jobId: $jobId}) WHERE n.place STARTS WITH 'input' RETURN count(n) AS pieces",
    { jobId },
  );
  assert.is(left?.['pieces'], 0, 'the input is not needed any more');
});

test.run();
