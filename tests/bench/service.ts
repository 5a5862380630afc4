import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { databaseOf } from './processes.ts';

/** The service as users run it: the built program in a process of its own, with its own database. */
export type Service = {
  readonly address: string;
  readonly token: string;
  readonly home: string;
  readonly pid: number;
  /** 0 when the database is that of another service. */
  readonly databasePid: number;
  /** From the start of the process to its ready line. */
  readonly readyMs: number;
  stop(): Promise<void>;
};

export const program = fileURLToPath(new URL('../../dist/cli/tributary.js', import.meta.url));

/** Only defaults are measured, so settings of the caller's shell stay out, apart from what finds Java and the jars. */
export const environmentOf = (home: string): NodeJS.ProcessEnv => {
  const kept = ['PATH', 'HOME', 'JAVA_HOME', 'XDG_CACHE_HOME', 'LANG', 'TMPDIR'];
  const inherited = kept.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]] as const],
  );
  return { ...Object.fromEntries(inherited), TRIBUTARY_HOME: home, PORT: '0' };
};

/** Waits for the ready line and answers the address in it. */
const untilReady = (child: ChildProcess, log: string): Promise<string> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the service ended with ${code} before it was ready; see ${log}`)));
    if (!child.stdout) return;
    createInterface(child.stdout).on('line', (line) => {
      const address = /is ready at (http:\S+)/.exec(line)?.[1];
      if (address) resolve(address);
    });
  });

const stopper = (child: ChildProcess): (() => Promise<void>) => {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return async () => {
    child.kill('SIGTERM');
    await ended;
  };
};

/** Starts the service on `home`. Its access log goes to a file, as an operator would send it. */
export const startService = async (home: string, env: Readonly<Record<string, string>> = {}): Promise<Service> => {
  const log = `${home}.log`;
  const output = openSync(log, 'a');
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'serve'], {
    env: { ...environmentOf(home), ...env },
    stdio: ['ignore', 'pipe', output],
    // Ctrl-C must reach it through `stop` only, once.
    detached: true,
  });
  closeSync(output);
  const stop = stopper(child);
  try {
    const address = await untilReady(child, log);
    const readyMs = performance.now() - started;
    const pid = child.pid ?? 0;
    const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
    return { address, token, home, pid, databasePid: env['NEO4J_URI'] ? 0 : await databaseOf(pid), readyMs, stop };
  } catch (failure) {
    if (child.exitCode === null) await stop();
    throw failure;
  }
};
