/** The measure of all rows: the same reads and writes by the bare driver, from a process of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import neo4j, { type Driver } from 'neo4j-driver';
import { measureRate, type Rate } from './measure.ts';
import { copyOf, learnTemplate, type Template, writeStatement } from './raw-template.ts';
import { serveJobs } from './worker.ts';

type Open = { readonly driver: Driver; readonly home: string; template?: Template };

let opened: Open | undefined;

const use = (): Open => {
  if (!opened) throw new Error('the raw worker is not connected');
  return opened;
};

/** A driver on the database of the service that runs on `home`. */
const openDriver = async (home: string, disableLosslessIntegers: boolean): Promise<Driver> => {
  const settings = await readFile(join(home, 'neo4j', 'conf', 'neo4j.conf'), 'utf8');
  const password = (await readFile(join(home, 'neo4j', 'password'), 'utf8')).trim();
  const uri = `bolt://${/^server\.bolt\.listen_address=(.+)$/m.exec(settings)?.[1]}`;
  return neo4j.driver(uri, neo4j.auth.basic('neo4j', password), { disableLosslessIntegers, telemetryDisabled: true });
};

const disconnect = async (): Promise<void> => {
  await opened?.driver.close();
  opened = undefined;
};

const connect = async ({ home }: { readonly home: string }): Promise<void> => {
  await disconnect();
  opened = { driver: await openDriver(home, true), home };
};

/** What the reader of a table needs: the record, which holds what its columns say, and what lies above it. */
const READ = `
MATCH (n:Entity {id: $id})
RETURN n{.*} AS node,
  COLLECT {
    MATCH path = (n)<-[:CONTAINS*1..50]-(a:Entity)
    WITH a, length(path) AS distance
    ORDER BY distance
    RETURN a{.id, .entityType, .name, .fullyQualifiedName, .displayName, .description, .deleted, .serviceType}
  } AS ancestors`;

const runOnce = async (mode: 'READ' | 'WRITE', text: string, params: object) => {
  const session = use().driver.session({ database: 'neo4j', defaultAccessMode: mode });
  try {
    return await session.run(text, params);
  } finally {
    await session.close();
  }
};

type Load = { readonly callers: number; readonly seconds: number };

/** Reads one table per call. */
const read = (input: Load & { readonly ids: readonly string[] }): Promise<Rate> => {
  let turn = 0;
  return measureRate(input.callers, input.seconds, async () => {
    turn += 1;
    const id = input.ids[turn % input.ids.length];
    const { records } = await runOnce('READ', READ, { id });
    if (records[0]?.toObject()['node'] === undefined) throw new Error(`${id} was not found`);
  });
};

/** Learns from a table that the service wrote what a table is made of. */
const learn = async ({ fqn }: { readonly fqn: string }): Promise<void> => {
  // Whole numbers must be written as what they were read as, so this one driver keeps them apart.
  const exact = await openDriver(use().home, false);
  use().template = await learnTemplate(exact, fqn);
  await exact.close();
};

const writeRows = async (names: readonly string[]): Promise<number> => {
  const { template } = use();
  if (!template) throw new Error('the raw worker has learnt nothing yet');
  const rows = names.map((name) => copyOf(template, name));
  const started = performance.now();
  const { summary } = await runOnce('WRITE', writeStatement(template), { rows });
  if (summary.counters.updates().nodesCreated === 0) throw new Error('nothing was written');
  return performance.now() - started;
};

/** Writes one table per call, each with all its columns. */
const write = (input: Load & { readonly prefix: string }): Promise<Rate> => {
  let turn = 0;
  return measureRate(input.callers, input.seconds, async () => {
    turn += 1;
    await writeRows([`${input.prefix}_${turn}`]);
  });
};

/** Writes many tables by one statement; answers how long the database took. */
const writeBatch = (input: { readonly prefix: string; readonly rows: number }): Promise<number> =>
  writeRows(Array.from({ length: input.rows }, (_, index) => `${input.prefix}_${index}`));

/** Rows of any question the parent has about the graph. */
const ask = async ({ text, params }: { readonly text: string; readonly params: Record<string, unknown> }) =>
  (await runOnce('READ', text, params)).records.map((record) => record.toObject() as Record<string, unknown>);

const jobs = { connect, disconnect, learn, read, write, writeBatch, ask };

export type RawJobs = typeof jobs;

serveJobs(jobs);
