/** The measure of all rows: the same reads and writes by the bare driver, from a process of its own. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import neo4j, { type Driver } from 'neo4j-driver';
import { freshEnds } from './lineage-dataset.ts';
import { measureRate, type Rate } from './measure.ts';
import {
  aboutColumn,
  type EdgeEnds,
  type EdgeTemplate,
  edgeParameters,
  edgeStatement,
  learnEdge,
} from './raw-lineage.ts';
import { ANCESTORS } from './raw-read.ts';
import { copyOf, learnTemplate, type Template, writeStatement } from './raw-template.ts';
import { serveJobs } from './worker.ts';

type Open = { readonly driver: Driver; readonly home: string; template?: Template; edge?: EdgeTemplate };

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
  ${ANCESTORS}`;

/** Writers that have locked each other out begin again, as any script has to. */
const runOnce = async (mode: 'READ' | 'WRITE', text: string, params: object) => {
  for (;;) {
    const session = use().driver.session({ database: 'neo4j', defaultAccessMode: mode });
    try {
      return await session.run(text, params);
    } catch (failure) {
      if (!neo4j.isRetryableError(failure)) throw failure;
    } finally {
      await session.close();
    }
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

/** Writes rows in one transaction; answers how long it took. */
const writeMany = async ({
  text,
  rows,
}: {
  readonly text: string;
  readonly rows: readonly object[];
}): Promise<number> => {
  const started = performance.now();
  await runOnce('WRITE', text, { rows });
  return performance.now() - started;
};

type Asked = { readonly text: string; readonly params: readonly Record<string, unknown>[] };

/** Asks one question after the other, from the beginning again when all were asked. */
const askMany = (input: Load & Asked): Promise<Rate> => {
  let turn = 0;
  return measureRate(input.callers, input.seconds, async () => {
    turn += 1;
    const { records } = await runOnce('READ', input.text, input.params[turn % input.params.length] ?? {});
    if (records.length === 0) throw new Error('the database answered nothing');
  });
};

/** Learns from an edge that the service wrote what an edge is made of. */
const learnFeeds = async ({ ends }: { readonly ends: EdgeEnds }): Promise<void> => {
  const exact = await openDriver(use().home, false);
  use().edge = await learnEdge(exact, ends);
  await exact.close();
};

const knownEdge = (): EdgeTemplate => {
  const { edge } = use();
  if (!edge) throw new Error('the raw worker has learnt of no edge yet');
  return edge;
};

const writeEdges = async (template: EdgeTemplate, all: readonly EdgeEnds[], told: boolean): Promise<number> => {
  const params = edgeParameters(template, all, told);
  const started = performance.now();
  const { summary } = await runOnce('WRITE', edgeStatement(told), params);
  const { nodesCreated, relationshipsCreated } = summary.counters.updates();
  if (nodesCreated === 0 || relationshipsCreated === 0) throw new Error('nothing was written');
  return performance.now() - started;
};

/** Fills the graph with edges of one pair of columns; nobody is told of them. */
const loadFeeds = (input: { readonly ends: readonly EdgeEnds[]; readonly column: string }): Promise<number> =>
  writeEdges(aboutColumn(knownEdge(), input.column), input.ends, false);

/** Many new edges by one statement; answers how long the database took. */
const writeFeeds = (input: { readonly ends: readonly EdgeEnds[] }): Promise<number> =>
  writeEdges(knownEdge(), input.ends, true);

let feedTurns = 0;

/** Writes one edge per call, each with all its pairs of columns, between ends that no earlier call joined. */
const feed = (input: Load & { readonly ids: readonly string[] }): Promise<Rate> =>
  measureRate(input.callers, input.seconds, async () => {
    feedTurns += 1;
    const [from, to] = freshEnds(input.ids, feedTurns);
    // Against the direction of the service, so that neither finds an edge of the other's.
    await writeEdges(knownEdge(), [[to, from]], true);
  });

/** Writes an edge between each of these ends, one after the other; answers how long each took. */
const feedEach = async (input: { readonly ends: readonly EdgeEnds[] }): Promise<number[]> => {
  const took: number[] = [];
  for (const ends of input.ends) {
    const started = performance.now();
    await writeEdges(knownEdge(), [ends], true);
    took.push(performance.now() - started);
  }
  return took;
};

const jobs = {
  connect,
  disconnect,
  learn,
  read,
  write,
  writeBatch,
  ask,
  askMany,
  writeMany,
  learnFeeds,
  loadFeeds,
  writeFeeds,
  feed,
  feedEach,
};

export type RawJobs = typeof jobs;

serveJobs(jobs);
