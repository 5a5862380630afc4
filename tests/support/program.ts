import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';

/** Runs programs and shell commands in processes of their own and reads their output. */

/** Lets worker threads of the program run TypeScript sources too. */
const THREADS = new URL('threads.mjs', import.meta.url).href;

export type Program = {
  readonly process: ChildProcess;
  /** Every line printed so far. */
  readonly lines: readonly string[];
  /** The first line that starts with `word`, without it. Rejects when the program ends before it says so. */
  line(word: string): Promise<string>;
  /** Ends it without a chance to clean up. */
  kill(): Promise<void>;
  readonly exited: Promise<void>;
};

const follow = (name: string, child: ChildProcess & { readonly stdout: Readable }): Program => {
  const lines: string[] = [];
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const line = async (word: string): Promise<string> => {
    let found = lines.find((text) => text.startsWith(word));
    let ended = false;
    void exited.then(() => {
      ended = true;
    });
    while (found === undefined && !ended) {
      await Promise.race([new Promise((resolve) => output.once('line', resolve)), exited]);
      found = lines.find((text) => text.startsWith(word));
    }
    if (found === undefined) throw new Error(`${name} ended without "${word}":\n${lines.join('\n')}`);
    return found.slice(word.length).trim();
  };
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  return { process: child, lines, line, kill, exited };
};

/** The built program: the test command builds it first, and it starts in a third of the time that sources take. */
export const TRIBUTARY = fileURLToPath(new URL('../../dist/cli/tributary.js', import.meta.url));

const run = (name: string, args: readonly string[], env: NodeJS.ProcessEnv): Program =>
  follow(name, spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'], env }));

/** Runs a script of tests/support in a process of its own. */
export const runProgram = (name: string, ...args: string[]): Program => {
  const script = fileURLToPath(new URL(name, import.meta.url));
  return run(name, ['--import', 'tsx', '--import', THREADS, script, ...args], process.env);
};

/** Runs a command of the `tributary` program in a process of its own. */
export const runCommand = (args: readonly string[], env: NodeJS.ProcessEnv): Program =>
  run('tributary', [TRIBUTARY, ...args], { ...process.env, ...env });
