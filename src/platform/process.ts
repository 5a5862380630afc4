import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Identifies running processes. */

/** A process id together with its start time, so that a later process with the same id is not mistaken for it. */
export type ProcessIdentity = { readonly pid: number; readonly born: string };

export type RunningProcess = { readonly pid: number; readonly command: string };

const readOptional = (path: string): string | undefined => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** Runs `ps`. Answers an empty text when it finds no such process (it then exits with 1). */
const ps = (...args: string[]): string => {
  try {
    return execFileSync('ps', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 << 20 });
  } catch {
    return '';
  }
};

const processStartOnLinux = (pid: number): string | undefined => {
  const stat = readOptional(`/proc/${pid}/stat`);
  // The name in brackets may hold spaces and brackets, so fields are counted from the last bracket on.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields?.[0];
  const ticks = fields?.[19];
  // A zombie has ended: it holds no file and no port, and only waits for its parent to collect it.
  if (ticks === undefined || state === 'Z' || state === 'X') return undefined;
  const boot = readOptional('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? '';
  return `${boot}-${ticks}`;
};

const processStartByPs = (pid: number): string | undefined => {
  const [state = '', ...started] = ps('-o', 'stat=,lstart=', '-p', String(pid)).trim().split(/\s+/);
  return started.length === 0 || state.startsWith('Z') ? undefined : started.join('_');
};

/**
 * Answers when a process started, as a text without spaces that is only for comparison. Undefined when it is not
 * running.
 */
export const processStartOf = (pid: number): string | undefined =>
  process.platform === 'linux' ? processStartOnLinux(pid) : processStartByPs(pid);

export const isRunning = ({ pid, born }: ProcessIdentity): boolean => processStartOf(pid) === born;

export const ownIdentity = (): ProcessIdentity => ({ pid: process.pid, born: processStartOf(process.pid) ?? '' });

/** Lists every process that this user can see, with its command line. */
export const listProcesses = (): RunningProcess[] => {
  if (process.platform !== 'linux') {
    return ps('-axww', '-o', 'pid=,command=')
      .split('\n')
      .map((line) => /^\s*(\d+) (.*)$/.exec(line))
      .flatMap((match) => (match ? [{ pid: Number(match[1]), command: match[2] ?? '' }] : []));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({
      pid: Number(name),
      command: (readOptional(`/proc/${name}/cmdline`) ?? '').replaceAll('\0', ' '),
    }));
};
