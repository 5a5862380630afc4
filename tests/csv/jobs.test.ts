import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import {
  type CsvCells,
  createDatabaseTree,
  exportFile,
  type FileType,
  filePathOf,
  formatFile,
  parseRows,
} from '../support/csv-files.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJob, waitForJobEnd } from '../support/job.ts';
import { type Program, runProgram } from '../support/program.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that exports and imports run as jobs, in order, and survive the death of their process (csv.md 8). */

const test = suite('csv: jobs');

const BOUNDS = { jobs: { leaseMs: 3000, beatMs: 500, pollMs: 50, idlePollMs: 200 } };

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

const TYPE = { 'content-type': 'text/csv; charset=utf-8' };

const begin = async (type: FileType, fqn: string, file: string, query = '?dryRun=false'): Promise<string> => {
  const started = ok(await client.raw('PUT', filePathOf(type, fqn, `importAsync${query}`), file, TYPE));
  assert.equal([Object.keys(started).sort(), started.message], [['jobId', 'message'], 'Import is in progress.']);
  return started.jobId;
};

const beginExport = async (type: FileType, fqn: string, query = ''): Promise<string> => {
  const started = ok(await client.get(filePathOf(type, fqn, `exportAsync${query}`)), 202);
  assert.equal(
    [Object.keys(started).sort(), started.message],
    [['jobId', 'message'], 'Export initiated successfully.'],
  );
  return started.jobId;
};

const withTwin = async (body: () => Promise<void>): Promise<void> => {
  app.runner.start();
  try {
    await body();
  } finally {
    await app.runner.stop();
  }
};

const schemas = (count: number): CsvCells[] =>
  Array.from({ length: count }, (_, at) => ({ name: `s${String(at).padStart(5, '0')}`, description: `Schema ${at}` }));

const countSchemas = async (database: string): Promise<number> =>
  ok(await client.get(`/v1/databaseSchemas?database=${database}&limit=0`)).paging.total;

test('an import reports progress, and its result is text on the former route and JSON on the new one', async () => {
  const { database } = await createDatabaseTree(client);
  const file = formatFile('children', [...schemas(3), { name: 'bad', tags: 'No.Such' }]);
  const jobId = await begin('database', database, file);
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
  await withTwin(async () => {
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
    const dry = await waitForJobEnd(client, await begin('database', database, formatFile('children', schemas(5)), ''));
    assert.equal([dry.dryRun, dry.result.dryRun, dry.result.status], [true, true, 'success']);
  });
  assert.is(await countSchemas(database), 4);
});

test('an export can be downloaded when it is complete', async () => {
  const tree = await createDatabaseTree(client);
  const jobId = await beginExport('databaseService', tree.service, '?recursive=true');
  expectRefused(await client.get(`/v1/csvAsyncJobs/${jobId}/result`), 400);
  await withTwin(async () => {
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
    const table = await waitForJobEnd(client, await beginExport('table', tree.table));
    const { text } = await client.get(`/v1/jobs/${table.jobId}/result`);
    assert.is(text, await exportFile(client, 'table', tree.table));
  });
});

test('an invalid file is refused before a job is created', async () => {
  const { database } = await createDatabaseTree(client);
  const put = (file: string | Uint8Array, headers = TYPE) =>
    client.raw('PUT', filePathOf('database', database, 'importAsync?dryRun=false'), file, headers);
  const file = formatFile('children', schemas(1));
  assert.is((await put(file, { 'content-type': 'application/json' })).status, 415);
  for (const bad of ['', 'a,b\r\n', new Uint8Array([0xff, 0xfe, 0x41]), file.replace('name*', 'nom*')]) {
    const reply = await put(bad);
    assert.equal([reply.status, reply.json.result.status], [400, 'aborted']);
  }
  assert.equal(
    ok(await client.get('/v1/jobs?limit=100')).data.filter(({ targetFqn }: CsvCells) => targetFqn === database),
    [],
  );
  expectRefused(await client.raw('PUT', filePathOf('database', `${database}x`, 'importAsync'), file, TYPE), 404);
});

test('imports of one asset run one after another, others in parallel, and cancelled ones keep applied rows', async () => {
  const [one, other] = [await createDatabaseTree(client), await createDatabaseTree(client)];
  const many = formatFile('children', schemas(4000));
  const first = await begin('database', one.database, many);
  const second = await begin('database', one.database, formatFile('children', schemas(1)));
  const beside = await begin('database', other.database, formatFile('children', schemas(1)));
  await withTwin(async () => {
    assert.is((await waitForJobEnd(client, beside)).status, 'COMPLETED');
    const half = await waitForJob(client, first, (job) => job.progress > 0);
    const waiting = ok(await client.get(`/v1/jobs/${second}`));
    assert.equal([half.status, waiting.status], ['RUNNING', 'QUEUED']);
    ok(await client.put(`/v1/jobs/${first}/cancel`, undefined));
    const cancelled = await waitForJobEnd(client, first);
    assert.is(cancelled.status, 'CANCELLED');
    assert.is((await waitForJobEnd(client, second)).status, 'COMPLETED');
  });
  const left = await countSchemas(one.database);
  assert.ok(left > 1 && left < 4001, `${left} schemas`);
});

const startVictim = async (): Promise<Program> => {
  const victim = runProgram('hold-jobs.ts', JSON.stringify(BOUNDS));
  await victim.line('ready');
  return victim;
};

test('when a process is killed, an import fails with its applied rows, an export restarts, and queued jobs run', async () => {
  const tree = await createDatabaseTree(client);
  const rows = 12_000;
  const running = await begin('database', tree.database, formatFile('children', schemas(rows)));
  const waiting = await begin('database', tree.database, formatFile('children', [{ name: 'later' }]));
  const victim = await startVictim();
  await waitForJob(client, running, (job) => job.progress > 0);
  await victim.kill();
  await withTwin(async () => {
    const job = await waitForJobEnd(client, running);
    assert.equal(pickMembers(job, 'status', 'error', 'result'), ['FAILED', 'interrupted', undefined]);
    assert.is((await waitForJobEnd(client, waiting)).status, 'COMPLETED');
    // Counted now, because the database may still have been writing what the killed process had sent.
    const applied = (await countSchemas(tree.database)) - 2;
    assert.ok(applied < rows, 'it was over before it could be killed');
    assert.ok(applied >= job.progress && applied > 0, `${applied} rows are there of ${job.progress}`);
  });
  const [pieces] = await service.graph.query('MATCH (n:JobPiece {jobId: $jobId}) RETURN count(n) AS count', {
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
  const bodies = Array.from({ length: 60 }, (_, at) => ({ name: `t${at}`, databaseSchema: tree.schema, columns }));
  assert.is(ok(await client.put('/v1/tables/bulk', bodies)).status, 'success');
  const victim = await startVictim();
  const jobId = await beginExport('databaseSchema', tree.schema, '?recursive=true');
  const half = await waitForJob(client, jobId, (job) => job.progress > 0);
  await victim.kill();
  assert.is(half.status, 'RUNNING', 'it was over before it could be killed');
  await withTwin(async () => {
    assert.equal(pickMembers(await waitForJobEnd(client, jobId), 'status', 'progress'), ['COMPLETED', 60 * 401 + 7]);
  });
  const { text } = await client.get(`/v1/jobs/${jobId}/result`);
  assert.is(text, await exportFile(client, 'databaseSchema', tree.schema, '?recursive=true'));
});

test.run();
