import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { startService } from './prepared-home.ts';
import { TRIBUTARY } from './program.ts';
import { type ServiceProcess, stopServiceProcess } from './service-process.ts';

/** A service of its own and the shell of a user who reaches it by its address and a token. */

type Shown = { readonly code: unknown; readonly stdout: string; readonly stderr: string };

export type Shell = {
  readonly service: ServiceProcess;
  /** A folder for files, which goes with the service. */
  readonly folder: string;
  /** The variables that the shell has. */
  variables(): Promise<NodeJS.ProcessEnv>;
  run(...args: string[]): Promise<Shown>;
  /** Runs a command that reads `input`. */
  pipe(input: string, ...args: string[]): Promise<Shown>;
  /** Sends a request of the administrator and expects success. */
  send(method: string, path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
};

export const openShell = async (): Promise<Shell> => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-cli-'));
  const home = join(folder, 'home');
  const service = await startService(home);
  const variables = async () => ({
    ...process.env,
    TRIBUTARY_HOME: join(folder, 'nothing'),
    TRIBUTARY_SERVER: service.address,
    TRIBUTARY_TOKEN: (await readFile(join(home, 'admin.token'), 'utf8')).trim(),
  });
  const execute = async (input: string, args: readonly string[]): Promise<Shown> => {
    const env = await variables();
    return new Promise((resolve) => {
      const child = execFile(process.execPath, [TRIBUTARY, ...args], { env, cwd: folder }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
      child.stdin?.end(input);
    });
  };
  return {
    service,
    folder,
    variables,
    run: (...args) => execute('', args),
    pipe: (input, ...args) => execute(input, args),
    send: async (method, path, body) => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const reply = await service.ask(`/v1/${path}`, init);
      const text = await reply.text();
      assert.ok(reply.ok, `${reply.status} ${text}`);
      return JSON.parse(text);
    },
    stop: async () => {
      await stopServiceProcess(service, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
};

/** The schema in which tests make their tables. */
export const SHOP_SCHEMA = 'shop_db.shop.public';

export const createShop = async ({ send }: Shell): Promise<void> => {
  await send('POST', 'services/databaseServices', { name: 'shop_db', serviceType: 'Postgres' });
  await send('POST', 'databases', { name: 'shop', service: 'shop_db' });
  await send('POST', 'databaseSchemas', { name: 'public', database: 'shop_db.shop' });
};
