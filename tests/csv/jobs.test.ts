import * as assert from 'uvu/assert';
import type { Graph } from '../../src/graph/client.ts';
import { readJobs } from '../../src/jobs/queries.ts';
import {
  type CsvCells,
  createDatabaseTree,
  exportFile,
  filePathOf,
  formatFile,
  parseRows,
} from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createSignal, withHoldPoint } from '../support/hold-point.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { waitFor } from '../support/patience.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { CSV_TYPE, type CsvJobs, LONG_IMPORT, openCsvJobs, schemaRows } from './jobs-fixture.ts';

/** Shows that exports and imports run as jobs, in order (csv.md 8). */

const test = suite('csv: jobs');

let jobs: CsvJobs;
let client: Client;

test.before(async () => {
  jobs = await openCsvJobs();
  ({ client } = jobs);
});

test.after(() => jobs.close());

test('an import reports progress, and its result is text on the former route and JSON on the new one', async () => {
  const { database } = await createDatabaseTree(client);
  const file = formatFile('children', [...schemaRows(3), { name: 'bad', tags: 'No.Such' }]);
  const jobId = await jobs.beginImport('database', database, file);
  const queued = ok(await client.get(`/v1/csvAsyncJobs/${jobId}`));
  assert.equal(
    pickMembers(
      queued,
      'operation',
      'entityType',
      'targetFqn',
      'createdBy',
      'status',
      'progress',
      'total',
      'dryRun',
      'recursive',
    ),
    ['IMPORT', 'database', database, 'admin', 'QUEUED', 0, 4, false, false],
  );
  await jobs.whileRunning(async () => {
    const job = await waitForJobEnd(client, jobId);
    assert.equal(pickMembers(job, 'status', 'progress', 'total'), ['COMPLETED', 4, 4]);
    const { result } = job;
    assert.equal(
      [
        result.dryRun,
        result.status,
        result.numberOfRowsProcessed,
        result.numberOfRowsPassed,
        result.numberOfRowsFailed,
      ],
      [false, 'partialSuccess', 5, 4, 1],
    );
    assert.equal(
      parseRows(result.importResultsCsv).map(({ name, status }) => `${name} ${status}`),
      ['s00000 success', 's00001 success', 's00002 success', 'bad failure'],
    );
    const text = ok(await client.get(`/v1/csvAsyncJobs/${jobId}`)).result;
    assert.equal(JSON.parse(text), result);
    assert.equal((await client.get(`/v1/jobs/${jobId}/result`)).json, result);
    expectRefused(await client.get(`/v1/csvAsyncJobs/${jobId}/result`), 400);
    const dry = await waitForJobEnd(
      client,
      await jobs.beginImport('database', database, formatFile('children', schemaRows(5)), ''),
    );
    assert.equal([dry.dryRun, dry.result.dryRun, dry.result.status], [true, true, 'success']);
  });
  assert.is(await jobs.countSchemas(database), 4);
});

test('an export can be downloaded when it is complete', async () => {
  const tree = await createDatabaseTree(client);
  const jobId = await jobs.beginExport('databaseService', tree.service, '?recursive=true');
  expectRefused(await client.get(`/v1/csvAsyncJobs/${jobId}/result`), 400);
  await jobs.whileRunning(async () => {
    const job = await waitForJobEnd(client, jobId);
    assert.equal(
      pickMembers(job, 'operation', 'entityType', 'targetFqn', 'status', 'progress', 'total', 'recursive', 'result'),
      ['EXPORT', 'databaseService', tree.service, 'COMPLETED', 9, 9, true, undefined],
    );
    for (const base of ['/v1/jobs', '/v1/csvAsyncJobs']) {
      const reply = await client.get(`${base}/${jobId}/result`);
      assert.is(reply.headers.get('content-type'), 'text/csv; charset=UTF-8');
      assert.is(reply.text, await exportFile(client, 'databaseService', tree.service, '?recursive=true'));
    }
    const table = await waitForJobEnd(client, await jobs.beginExport('table', tree.table));
    const { text } = await client.get(`/v1/jobs/${table.jobId}/result`);
    assert.is(text, await exportFile(client, 'table', tree.table));
  });
});

test('an invalid file is refused before a job is created', async () => {
  const { database } = await createDatabaseTree(client);
  const put = (file: string | Uint8Array, headers: Record<string, string> = CSV_TYPE) =>
    client.raw('PUT', filePathOf('database', database, 'importAsync?dryRun=false'), file, headers);
  const file = formatFile('children', schemaRows(1));
  assert.is((await put(file, { 'content-type': 'application/json' })).status, 415);
  for (const bad of ['', 'a,b\r\n', new Uint8Array([0xff, 0xfe, 0x41]), file.replace('name*', 'nom*')]) {
    const reply = await put(bad);
    assert.equal([reply.status, reply.json.result.status], [400, 'aborted']);
  }
  assert.equal(
    ok(await client.get('/v1/jobs?limit=100')).data.filter(({ targetFqn }: CsvCells) => targetFqn === database),
    [],
  );
  expectRefused(await client.raw('PUT', filePathOf('database', `${database}x`, 'importAsync'), file, CSV_TYPE), 404);
});

test('imports of one asset run one after another, others in parallel, and cancelled ones keep applied rows', async () => {
  const [one, other] = [await createDatabaseTree(client), await createDatabaseTree(client)];
  const first = await jobs.beginImport('database', one.database, formatFile('children', LONG_IMPORT));
  const second = await jobs.beginImport('database', one.database, formatFile('children', schemaRows(1)));
  const beside = await jobs.beginImport('database', other.database, formatFile('children', schemaRows(1)));
  const [held, cancelSeen] = [createSignal(), createSignal()];
  const graph = withHoldPoint(jobs.service.graph, { jobId: first, step: 1 }, () => {
    held.give();
    return cancelSeen.given;
  });
  let looks = 0;
  const read: Graph['read'] = async (statement, params, options) => {
    const rows = await graph.read(statement, params, options);
    if (statement.name === readJobs.name) looks += 1;
    return rows;
  };
  const runner = await jobs.openProcess({ ...graph, read });
  runner.app.runner.start();
  try {
    await held.given;
    assert.is((await waitForJobEnd(client, beside)).status, 'COMPLETED');
    const half = ok(await client.get(`/v1/jobs/${first}`));
    const waiting = ok(await client.get(`/v1/jobs/${second}`));
    assert.equal([half.status, waiting.status], ['RUNNING', 'QUEUED']);
    ok(await client.put(`/v1/jobs/${first}/cancel`, undefined));
    // The first look that ends may have begun before the cancellation; the next one sees it.
    const before = looks;
    await waitFor(
      () => looks - before,
      (since) => since > 1,
      'the runner sees the cancellation',
    );
    cancelSeen.give();
    assert.is((await waitForJobEnd(client, first)).status, 'CANCELLED');
    assert.is((await waitForJobEnd(client, second)).status, 'COMPLETED');
  } finally {
    cancelSeen.give();
    await runner.app.runner.stop();
  }
  const left = await jobs.countSchemas(one.database);
  assert.ok(left > 1 && left < LONG_IMPORT.length + 1, `${left} schemas`);
});

test.run();
