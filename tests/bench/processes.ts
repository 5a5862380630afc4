import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

const CLOCK_TICKS = 100;
const hasProc = existsSync('/proc/self/status');

const readProc = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8');

/** Resident memory of a process in megabytes. */
export const residentMb = async (pid: number): Promise<number> => {
  if (hasProc) return Number(/^VmRSS:\s+(\d+)/m.exec(readProc(pid, 'status'))?.[1]) / 1024;
  const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
};

/** Processor time a process has used, in seconds; zero where the system does not tell it finely enough. */
export const processorSeconds = (pid: number): number => {
  if (!hasProc) return 0;
  // The second field is the program's name, which may hold spaces.
  const fields = readProc(pid, 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS;
};

/** The Java process that the service keeps as its child. */
export const databaseOf = async (servicePid: number): Promise<number> => {
  const { stdout } = await run('ps', ['-A', '-o', 'pid=,ppid=,comm=']);
  for (const line of stdout.split('\n')) {
    const [pid, parent, name = ''] = line.trim().split(/\s+/);
    if (Number(parent) === servicePid && name.endsWith('java')) return Number(pid);
  }
  throw new Error('the service has no database process');
};

const LOOK_EVERY_MS = 50;

/** The most memory a process holds while some work is under way, in megabytes. */
export const peakDuring = async <T>(pid: number, work: () => Promise<T>): Promise<{ peakMb: number; result: T }> => {
  let peakMb = await residentMb(pid);
  const timer = setInterval(() => {
    void residentMb(pid).then((now) => {
      peakMb = Math.max(peakMb, now);
    });
  }, LOOK_EVERY_MS);
  try {
    const result = await work();
    return { peakMb, result };
  } finally {
    clearInterval(timer);
  }
};
