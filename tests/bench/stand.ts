import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BareJobs } from './bare-worker.ts';
import { containers, SPARE_SCHEMA, tableBody } from './dataset.ts';
import type { LoadJobs } from './load-worker.ts';
import type { Options, RowName } from './options.ts';
import { processorSeconds } from './processes.ts';
import type { RawJobs } from './raw-worker.ts';
import { program, type Service, startService } from './service.ts';
import { startWorker, type Worker } from './worker.ts';

/** What a row measured. Figures are for the JSON; `raw` and `service` for the reader of the table. */
export type Result = {
  readonly row: RowName;
  readonly work: string;
  readonly raw: string;
  readonly service: string;
  readonly reached: string;
  readonly target: string;
  readonly ok: boolean;
  readonly figures: Readonly<Record<string, unknown>>;
};

/** Everything a run works with. The service may be started again on the way. */
export type Stand = {
  readonly options: Options;
  readonly folder: string;
  readonly load: Worker<LoadJobs>;
  readonly raw: Worker<RawJobs>;
  service: Service;
  say(line: string): void;
};

export const target = ({ service }: Stand) => ({ address: service.address, token: service.token });

const runProgram = promisify(execFile);

/** Makes somebody who is nobody in particular, and answers their token. */
export const personToken = async (stand: Stand, name: string): Promise<string> => {
  const body = { name, email: `${name}@example.com` };
  await stand.load.run('putOne', { ...target(stand), path: '/v1/users', body });
  const env = { ...process.env, TRIBUTARY_HOME: stand.service.home };
  const issued = await runProgram(process.execPath, [program, 'token', 'issue', '--user', name], { env });
  return issued.stdout.trim();
};

/** Fills what every row needs: the places tables hang below, and one table as the model for the raw writer. */
export const prepare = async (stand: Stand): Promise<void> => {
  for (const { path, body } of containers()) await stand.load.run('putOne', { ...target(stand), path, body });
  const body = tableBody('model_table', SPARE_SCHEMA);
  await stand.load.run('putOne', { ...target(stand), path: '/v1/tables', body });
  await stand.raw.run('connect', { home: stand.service.home });
  await stand.raw.run('learn', { fqn: `${SPARE_SCHEMA}.model_table` });
  await checkSameWork(stand);
};

type Size = { readonly nodes: number; readonly edges: number };

const sizeOf = async (stand: Stand): Promise<Size> => {
  // Marks are taken away again by the service, sooner or later, whoever has made them.
  const text = 'RETURN COUNT { (n) } - COUNT { (:Dirty) } AS nodes, COUNT { ()-->() } AS edges';
  const [size] = await stand.raw.run('ask', { text, params: {} });
  return { nodes: Number(size?.['nodes']), edges: Number(size?.['edges']) };
};

/** A ratio means nothing when one side writes less, so a table of each is counted first. */
const checkSameWork = async (stand: Stand): Promise<void> => {
  const grown = async (work: () => Promise<unknown>) => {
    const before = await sizeOf(stand);
    await work();
    const after = await sizeOf(stand);
    return `${after.nodes - before.nodes} nodes and ${after.edges - before.edges} edges`;
  };
  const body = tableBody(`counted_${randomUUID()}`, SPARE_SCHEMA);
  const byService = await grown(() => stand.load.run('putOne', { ...target(stand), path: '/v1/tables', body }));
  const byRaw = await grown(() => stand.raw.run('writeBatch', { prefix: `counted_${randomUUID()}`, rows: 1 }));
  if (byService !== byRaw) throw new Error(`the service writes ${byService} per table, the raw writer ${byRaw}`);
  stand.say(`one table is ${byRaw}, by either side`);
};

/** Processor time of each process while some work is under way, in seconds. */
export const processorDuring = async <T>(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ result: T; spent: Record<string, number> }> => {
  const read = () => Object.entries(pids).map(([name, pid]) => [name, processorSeconds(pid)] as const);
  const before = new Map(read());
  const result = await work();
  const spent = Object.fromEntries(read().map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]));
  return { result, spent };
};

/** What the load generator reaches against a server that does nothing: many callers, and one, whose answers are as long as a table. */
export type Reach = { readonly perSecond: number; readonly aloneMs: number };

export const calibrate = async (stand: Stand): Promise<Reach> => {
  const bare = startWorker<BareJobs>(new URL('bare-worker.ts', import.meta.url));
  try {
    const address = await bare.run('listen', { bytes: 4000 });
    const load = { address, token: 'none', paths: ['/'] };
    await stand.load.run('getPaths', { ...load, callers: 64, seconds: 1 });
    const { perSecond } = await stand.load.run('getPaths', { ...load, callers: 64, seconds: 2 });
    const { medianMs } = await stand.load.run('getPaths', { ...load, callers: 1, seconds: 2 });
    return { perSecond, aloneMs: medianMs };
  } finally {
    await bare.close();
  }
};

/** Fills the store with something, unless an earlier run did that to a store that was kept. */
export const fillOnce = async ({ folder }: Stand, what: string, fill: () => Promise<void>): Promise<void> => {
  const mark = join(folder, `${what}.filled`);
  if (await stat(mark).catch(() => undefined)) return;
  await fill();
  await writeFile(mark, '');
};

/** The environment of the service that the options ask for. */
export const settingsOf = ({ workers, heap, pagecache }: Options): Record<string, string> => ({
  WORKERS: String(workers),
  ...(heap ? { NEO4J_HEAP: heap } : {}),
  ...(pagecache ? { NEO4J_PAGECACHE: pagecache } : {}),
});

/**
 * Opens a stand, does the work, and leaves no process behind, and no store unless the options name its folder. What
 * `folder` holds besides stays.
 */
export const withStand = async <T>(options: Options, work: (stand: Stand) => Promise<T>): Promise<T> => {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'tributary-bench-')));
  await mkdir(folder, { recursive: true });
  const home = join(folder, 'home');
  const service = await startService(home, settingsOf(options));
  const stand: Stand = {
    options,
    folder,
    load: startWorker<LoadJobs>(new URL('load-worker.ts', import.meta.url)),
    raw: startWorker<RawJobs>(new URL('raw-worker.ts', import.meta.url)),
    service,
    say: (line) => console.error(line),
  };
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    await Promise.all([stand.load.close(), stand.raw.close()]);
    await stand.service.stop();
    if (!options.folder) await rm(home, { recursive: true, force: true });
  };
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  process.once('SIGINT', () => void close().then(() => process.exit(130)));
  try {
    return await work(stand);
  } finally {
    await close();
  }
};
