import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../errors.ts';
import { isRunning, listProcesses, ownIdentity, type ProcessIdentity, processStartOf } from '../../platform/process.ts';

/** Finds and ends a server whose parent process was killed. */

const HOME_MARK = 'tributary.home';
const PARENT_MARK = 'tributary.parent';
const GRACEFUL_STOP_MS = 20_000;

const homeMarkOf = (home: string): string => createHash('sha256').update(home).digest('hex').slice(0, 24);

/**
 * The marks on the server's command line that identify its home and parent. Only the process table records which
 * process runs what, because it cannot be out of date, whatever killed the parent.
 */
export const processMarksOf = (home: string): Record<string, string> => {
  const { pid, born } = ownIdentity();
  return { [HOME_MARK]: homeMarkOf(home), [PARENT_MARK]: `${pid}@${born}` };
};

/** Sends SIGTERM and waits for a clean end, which writes the store's checkpoint. Sends SIGKILL only after that. */
const stopProcess = async (target: ProcessIdentity): Promise<void> => {
  const signal = (name: NodeJS.Signals) => {
    if (isRunning(target)) process.kill(target.pid, name);
  };
  const deadline = performance.now() + GRACEFUL_STOP_MS;
  signal('SIGTERM');
  while (isRunning(target) && performance.now() < deadline) await sleep(50);
  signal('SIGKILL');
  while (isRunning(target)) await sleep(50);
};

const parentOfCommand = (command: string): ProcessIdentity | undefined => {
  const found = new RegExp(`-D${PARENT_MARK}=(\\d+)@(\\S*)`).exec(command);
  return found ? { pid: Number(found[1]), born: found[2] ?? '' } : undefined;
};

/** Ends the server that a killed process left on this home. Throws a StartupError when its parent is still running. */
export const stopOrphanedServers = async (home: string, report: (line: string) => void): Promise<void> => {
  const mark = `-D${HOME_MARK}=${homeMarkOf(home)} `;
  for (const { pid, command } of listProcesses().filter((running) => running.command.includes(mark))) {
    const born = processStartOf(pid);
    if (born === undefined) continue;
    const parent = parentOfCommand(command);
    if (parent && isRunning(parent)) {
      throw new StartupError(`The embedded Neo4j of ${home} belongs to process ${parent.pid}, which is still running.`);
    }
    report(`stopping the Neo4j (process ${pid}) that an earlier run left behind`);
    await stopProcess({ pid, born });
  }
};
