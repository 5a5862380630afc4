import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import type { Graph } from '../../src/graph/client.ts';
import { type CsvCells, type FileType, filePathOf } from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service } from '../support/service.ts';

/** Starts imports and exports as jobs, and decides when this process runs them. */

export const CSV_TYPE = { 'content-type': 'text/csv; charset=utf-8' };

export const CSV_JOB_BOUNDS = { jobs: { pollMs: 50, idlePollMs: 200 } };

export type CsvJobs = {
  readonly service: Service;
  readonly client: Client;
  /** Queues the import of a file and returns the job's id. */
  beginImport(type: FileType, fqn: string, file: string, query?: string): Promise<string>;
  beginExport(type: FileType, fqn: string, query?: string): Promise<string>;
  /** Runs the queued jobs in this process until `body` has ended. */
  whileRunning(body: () => Promise<void>): Promise<void>;
  countSchemas(database: string): Promise<number>;
  /** Opens another process, whose jobs go through `graph`. It runs none until its runner is started. */
  openProcess(graph: Graph): Promise<{ readonly client: Client; readonly app: App }>;
  close(): Promise<void>;
};

const startedJob = (started: CsvCells & { readonly jobId: string }, message: string): string => {
  assert.equal([Object.keys(started).sort(), started['message']], [['jobId', 'message'], message]);
  return started.jobId;
};

/** The runner of the shared service stands still, so that jobs wait until a test lets them run. */
export const openCsvJobs = async (): Promise<CsvJobs> => {
  const service = await openService();
  await service.app.runner.stop();
  const { client, app } = await openSecondProcessWith(service, CSV_JOB_BOUNDS);
  return {
    service,
    client,
    beginImport: async (type, fqn, file, query = '?dryRun=false') => {
      const path = filePathOf(type, fqn, `importAsync${query}`);
      return startedJob(ok(await client.raw('PUT', path, file, CSV_TYPE)), 'Import is in progress.');
    },
    beginExport: async (type, fqn, query = '') => {
      const path = filePathOf(type, fqn, `exportAsync${query}`);
      return startedJob(ok(await client.get(path), 202), 'Export initiated successfully.');
    },
    whileRunning: async (body) => {
      app.runner.start();
      try {
        await body();
      } finally {
        await app.runner.stop();
      }
    },
    openProcess: (graph) => openSecondProcessWith({ ...service, graph }, CSV_JOB_BOUNDS),
    countSchemas: async (database) =>
      ok(await client.get(`/v1/databaseSchemas?database=${database}&limit=0`)).paging.total,
    close: async () => {
      await app.runner.stop();
      service.app.runner.start();
    },
  };
};

export const schemaRows = (count: number, description = (at: number) => `Schema ${at}`): CsvCells[] =>
  Array.from({ length: count }, (_, at) => ({ name: `s${String(at).padStart(5, '0')}`, description: description(at) }));

/**
 * An import that has rows left when it first saves its progress. It does so after about 130 of such long rows, and has
 * begun with some hundred more by then.
 */
export const LONG_IMPORT: readonly CsvCells[] = schemaRows(1500, () => 'x'.repeat(1000));
