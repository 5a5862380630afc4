import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';
import { StartupError } from './errors.ts';
import { packageRoot } from './graph/package-root.ts';

/** How the seeds reach a service; `fetch` itself, or in tests the application without a socket. */
export type Send = (address: string, init: RequestInit) => Promise<Response>;

export type Service = { readonly server: string; readonly token: string };

type SeedOptions = Service & { readonly send: Send; readonly report: (line: string) => void };

type Body = Readonly<Record<string, unknown>>;

/** One file of seeds. `ids` says which members hold names where the API asks for ids, and of which collection. */
type SeedFile = {
  readonly collection: string;
  readonly ids?: Readonly<Record<string, string>>;
  readonly records: readonly Body[];
};

export type Tally = { readonly created: number; readonly updated: number; readonly unchanged: number };

const SEEDS = join(packageRoot, 'seeds', 'company');

const OUTCOMES: Readonly<Record<string, keyof Tally>> = {
  entityCreated: 'created',
  entityUpdated: 'updated',
  entityRestored: 'updated',
  entityNoChange: 'unchanged',
};

/** The files in the order of their numbers, which puts parents before children. */
const readSeeds = async (): Promise<{ name: string; file: SeedFile }[]> => {
  const names = (await readdir(SEEDS)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    names.map(async (name) => ({ name, file: JSON.parse(await readFile(join(SEEDS, name), 'utf8')) as SeedFile })),
  );
};

const messageOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 200);
  }
};

/** Sends one request; throws a StartupError in plain words when nobody answers or the answer is a refusal. */
const caller = ({ server, token, send }: SeedOptions) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (method: string, path: string, body?: Body): Promise<Response> => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await send(`${server}/v1/${path}`, init).catch((cause: unknown) => {
      throw new StartupError(
        `No service answers at ${server}. Start one with "npm start", or name another with --server URL --token T.`,
        { cause },
      );
    });
    if (response.ok) return response;
    const named = typeof body?.['name'] === 'string' ? ` (${body['name']})` : '';
    throw new StartupError(
      `${server} answered ${response.status} to ${method} /v1/${path}${named}: ${await messageOf(response)}`,
    );
  };
};

type Call = ReturnType<typeof caller>;

const idOf = async (call: Call, collection: string, name: string): Promise<string> => {
  const found = await call('GET', `${collection}/name/${encodeURIComponent(name)}`);
  return ((await found.json()) as { id: string }).id;
};

/** The record as the API takes it: names replaced by ids where it asks for ids. */
const withIds = async (call: Call, record: Body, ids: SeedFile['ids'] = {}): Promise<Body> => {
  const resolved = Object.entries(ids).map(async ([member, collection]): Promise<[string, unknown]> => {
    const names = (record[member] ?? []) as readonly string[];
    return [member, await Promise.all(names.map((name) => idOf(call, collection, name)))];
  });
  return { ...record, ...Object.fromEntries(await Promise.all(resolved)) };
};

/** One record after another: a later one may hang below an earlier one of the same file. */
const loadFile = async (call: Call, { collection, ids, records }: SeedFile): Promise<Tally> => {
  const tally = { created: 0, updated: 0, unchanged: 0 };
  for (const record of records) {
    const response = await call('PUT', collection, await withIds(call, record, ids));
    await response.arrayBuffer();
    const outcome = OUTCOMES[response.headers.get('x-openmetadata-change') ?? ''] ?? 'updated';
    tally[outcome] += 1;
  }
  return tally;
};

const tell = ({ created, updated, unchanged }: Tally): string =>
  `${created} created, ${updated} updated, ${unchanged} unchanged`;

/** Loads the sample company through the public API. Safe to repeat: what is there already stays as it is. */
export const loadSeeds = async (options: SeedOptions): Promise<Tally> => {
  const call = caller(options);
  let total: Tally = { created: 0, updated: 0, unchanged: 0 };
  for (const { name, file } of await readSeeds()) {
    const tally = await loadFile(call, file);
    options.report(`${name.padEnd(34)} ${tell(tally)}`);
    total = {
      created: total.created + tally.created,
      updated: total.updated + tally.updated,
      unchanged: total.unchanged + tally.unchanged,
    };
  }
  options.report(`${options.server}: ${tell(total)}`);
  return total;
};

/** The address that a service on this home has noted, or else the one it would use. */
const localAddress = async ({ home, port }: Config): Promise<string> => {
  const lock = await readFile(join(home, 'lock'), 'utf8').catch(() => '{}');
  try {
    const { note } = JSON.parse(lock) as { note?: unknown };
    if (typeof note === 'string') return note;
  } catch {
    // A lock that cannot be read belongs to nobody.
  }
  return `http://127.0.0.1:${port}`;
};

/** The service of this machine: its address from the home's lock, its token from the file it writes at every start. */
export const findLocalService = async (config: Config): Promise<Service> => {
  const path = join(config.home, 'admin.token');
  const token = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new StartupError(
      `There is no admin token at ${path}. Start the service with "npm start", set TRIBUTARY_HOME to its folder, or give --server URL --token T.`,
      { cause },
    );
  });
  return { server: await localAddress(config), token: token.trim() };
};
