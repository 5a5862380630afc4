import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PATIENCE_MS, waitUntil } from './patience.ts';
import { TRIBUTARY } from './program.ts';

/** The whole service as a user runs it: one process, started and stopped from outside. */
export type ServiceProcess = {
  readonly child: ChildProcess;
  readonly address: string;
  readonly output: () => string;
  /** Sends a request with the administrator's token from the home. */
  ask(path: string, init?: RequestInit): Promise<Response>;
};

type LaunchedService = { readonly child: ChildProcess; readonly output: () => string };

/** Several services run at the same time. */
const FEW_RESOURCES = { WORKERS: '1', WARM_UP: 'false', NEO4J_HEAP: '512m' };

/** Runs the command line on a home. The database is the embedded one unless `env` names another. */
export const launchService = (
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): LaunchedService => {
  const child = spawn(process.execPath, [TRIBUTARY, ...args], {
    env: { ...process.env, ...FEW_RESOURCES, TRIBUTARY_HOME: home, PORT: '0', NEO4J_URI: '', ...env },
  });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
  return { child, output: () => chunks.join('') };
};

/** A service starts a database first, and on a new home it creates some hundred indexes. */
const START_MS = 2 * PATIENCE_MS;

/** Waits until the output of a process says what `pattern` looks for. Fails when the process ends before. */
export const waitForOutput = async ({ child, output }: LaunchedService, pattern: RegExp): Promise<RegExpExecArray> => {
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  // What an ended process has written may still be on its way.
  const isOver = () => hasEnded() && [child.stdout, child.stderr].every((stream) => stream?.closed !== false);
  const end = () => output().slice(-1000);
  await waitUntil(() => pattern.test(output()) || isOver(), `a process says ${pattern}`, end, { patienceMs: START_MS });
  const found = pattern.exec(output());
  if (!found) throw new Error(`the process ended and did not say ${pattern}: ${output()}`);
  return found;
};

const createRequester =
  (home: string, address: string) =>
  async (path: string, init: RequestInit = {}) => {
    const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    return fetch(`${address}${path}`, { ...init, headers });
  };

/** Waits for the ready line of a service that was launched on `home`. */
export const waitUntilReady = async (home: string, launched: LaunchedService): Promise<ServiceProcess> => {
  const address = (await waitForOutput(launched, /ready at (\S+)/))[1] ?? '';
  return { ...launched, address, ask: createRequester(home, address) };
};

export const startServiceProcess = (home: string, env?: Readonly<Record<string, string>>): Promise<ServiceProcess> =>
  waitUntilReady(home, launchService(home, ['serve'], env));

/** Ends a process by a signal; answers its exit code. */
export const stopServiceProcess = async (
  { child }: Pick<ServiceProcess, 'child'>,
  signal: NodeJS.Signals,
): Promise<number | null> => {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
  return child.exitCode;
};
