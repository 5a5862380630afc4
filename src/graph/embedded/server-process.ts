import { type ChildProcess, spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { StartupError } from '../../errors.ts';
import type { EnvironmentVariables } from './java.ts';

/** Starts the server's process and ensures that it ends with its parent. */

/** A server process. `exited` resolves when it has ended for any reason. */
export type ServerProcess = {
  readonly pid: number;
  readonly exited: Promise<void>;
  hasExited(): boolean;
  stop(): Promise<void>;
};

export type ServerProcessPlan = {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly output: FileHandle;
  readonly env: EnvironmentVariables;
};

const GRACEFUL_STOP_MS = 20_000;

/**
 * Starts a shell that waits on a pipe which only this process holds. When this process ends in any way, SIGKILL
 * included, the pipe breaks and the shell ends the server. Otherwise a killed test run would leave its server running
 * for good, since nothing starts on that home again.
 */
const spawnParentWatcher = (pid: number): ChildProcess => {
  const script = 'trap "" INT TERM HUP; read -r line || kill -TERM "$1"';
  const keeper = spawn('/bin/sh', ['-c', script, 'keeper', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  // On a machine without such a shell, the next start still finds the orphaned server.
  keeper.once('error', () => {});
  keeper.unref();
  (keeper.stdin as Socket | null)?.unref();
  return keeper;
};

/** Asks the process to end cleanly, which writes the store's checkpoint, and kills it after a while. */
const stopServerProcess = async (child: ChildProcess, exited: Promise<void>): Promise<void> => {
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), GRACEFUL_STOP_MS);
  await exited;
  clearTimeout(timer);
};

/** Ends the server when this process ends for any reason. The listener and the watcher go when the server has ended. */
const stopWithParent = (child: ChildProcess, pid: number, exited: Promise<void>): void => {
  const terminate = () => child.kill('SIGTERM');
  process.on('exit', terminate);
  const keeper = spawnParentWatcher(pid);
  void exited.then(() => {
    process.off('exit', terminate);
    keeper.kill('SIGKILL');
  });
};

/**
 * Starts the server in its own process group, so that Ctrl-C in a terminal reaches only the parent, which then closes
 * it in order. It has no pipes, so that it can end cleanly when the parent was killed.
 */
export const spawnServerProcess = ({ program, args, folder, output, env }: ServerProcessPlan): ServerProcess => {
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    cwd: folder,
    // In a locale without UTF-8, Java cannot open a home whose name has letters beyond ASCII.
    env: process.platform === 'linux' ? { ...env, LC_ALL: 'C.UTF-8' } : { ...env },
  });
  let ended = false;
  const exited = new Promise<void>((resolve) => {
    const end = () => {
      ended = true;
      resolve();
    };
    child.once('exit', end).once('error', end);
  });
  if (child.pid === undefined) throw new StartupError(`${program} could not be started`);
  stopWithParent(child, child.pid, exited);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopServerProcess(child, exited);
    return stopping;
  };
  return { pid: child.pid, exited, hasExited: () => ended, stop };
};
