import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJob, waitForJobEnd } from '../support/job.ts';
import { type Program, runProgram } from '../support/program.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { countDeletionEvents, countIntents, countTables, createWideSchema, tableRows } from '../support/wide-schema.ts';

/** Shows that jobs of a killed process are completed by another one (DESIGN 5, csv.md 8). */

const test = suite('jobs: takeover after a kill');

/**
 * A lease so short that the test need not wait long, so few records that a cascade is far-reaching, and so few in a
 * transaction that a cascade has a middle.
 */
const BOUNDS = {
  cascadeRows: 100,
  batchRows: 100,
  jobs: { leaseMs: 3000, beatMs: 500, pollMs: 50, idlePollMs: 200 },
};

/** The rows of a job are written by 250, those of a cascade as the limits have it. */
const ROWS = 2500;
const TABLES = 1000;

let service: Service;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  // Only the process that is to be killed, and later the twin, may take these jobs.
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, BOUNDS));
});

test.after(async () => {
  await app.runner.stop();
  service.app.runner.start();
});

const startVictim = async (): Promise<Program> => {
  const victim = runProgram('hold-jobs.ts', JSON.stringify(BOUNDS));
  await victim.line('ready');
  return victim;
};

/** Lets a job run in another process, kills that in the middle, and lets the twin end it. */
const killInTheMiddle = async (victim: Program, jobId: string, whileHalf: () => Promise<void>) => {
  const half = await waitForJob(client, jobId, (job) => job.progress > 0);
  await victim.kill();
  assert.is(half.status, 'RUNNING', 'it was over before it could be killed');
  await whileHalf();
  const left = ok(await client.get(`/v1/jobs/${jobId}`));
  assert.ok(left.progress < left.total, `${left.progress} of ${left.total}`);
  app.runner.start();
  const done = await waitForJobEnd(client, jobId);
  await app.runner.stop();
  return { left, done };
};

test('a bulk job continues in another process, and every row is written once', async () => {
  const { schema } = await createWideSchema(client, 0);
  const victim = await startVictim();
  const reply = await client.put('/v1/tables/bulk?async=true', tableRows(schema, ROWS));
  assert.is(reply.status, 202);
  const jobId = reply.headers.get('x-job-id') ?? '';
  const { done } = await killInTheMiddle(victim, jobId, async () => {
    assert.ok((await countTables(service, schema, 'entityCreated')).alive < ROWS);
  });
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

test('recursive delete, restore and hard delete are completed, with one event per asset', async () => {
  const { service: name, schema, database } = await createWideSchema(client, TABLES);
  const at = `/v1/databases/${database.id}`;
  const newest = async (operation: string) => {
    const { data } = ok(await client.get('/v1/jobs?limit=5'));
    return data.find((job: { operation: string }) => job.operation === operation).jobId as string;
  };

  let victim = await startVictim();
  const gone = ok(await client.delete(`${at}?recursive=true`));
  assert.equal([gone.deleted, gone.version], [true, 0.2]);
  expectRefused(await client.get(at), 404);
  const hiding = await killInTheMiddle(victim, await newest('DELETE'), async () => {
    expectRefused(await client.get(at), 404);
    assert.ok((await countTables(service, schema, 'entitySoftDeleted')).alive > 0);
  });
  assert.is(hiding.done.status, 'COMPLETED');
  const hidden = { alive: 0, hidden: TABLES, versions: [0.2], kept: [1], events: TABLES };
  assert.equal(await countTables(service, schema, 'entitySoftDeleted'), hidden);

  victim = await startVictim();
  assert.equal(ok(await client.put('/v1/databases/restore', { id: database.id })).deleted, false);
  ok(await client.get(at));
  const restoring = await killInTheMiddle(victim, await newest('RESTORE'), async () => {
    ok(await client.get(at));
  });
  assert.is(restoring.done.status, 'COMPLETED');
  const alive = { alive: TABLES, hidden: 0, versions: [0.3], kept: [2], events: TABLES };
  assert.equal(await countTables(service, schema, 'entityRestored'), alive);

  victim = await startVictim();
  const started = ok(await client.delete(`/v1/databases/async/${database.id}?recursive=true&hardDelete=true`), 202);
  const removing = await killInTheMiddle(victim, started.jobId, async () => {
    for (const query of ['', '?include=all', '?include=deleted']) expectRefused(await client.get(`${at}${query}`), 404);
    expectRefused(await client.post('/v1/databases', { name: 'db', service: name }), 409, 'Entity already exists');
    for (const include of ['all', 'deleted']) {
      const list = ok(await client.get(`/v1/databases?service=${name}&include=${include}`));
      assert.equal(list.data, []);
    }
  });
  assert.is(removing.done.status, 'COMPLETED');
  assert.equal(await countTables(service, schema, 'x'), { alive: 0, hidden: 0, versions: [], kept: [], events: 0 });
  assert.equal(await countDeletionEvents(service, name), { events: TABLES + 2, records: TABLES + 2 });
  assert.is(await countIntents(service), 0);
  ok(await client.post('/v1/databases', { name: 'db', service: name }), 201);
});

test.run();
