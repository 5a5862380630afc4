/**
 * The test command: starts one Neo4j for the whole run (or uses the one NEO4J_URI names), runs every test file in one
 * process against it, and ends with the line `N passed, N failed`. Arguments narrow the run to matching file names.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startEmbedded } from '../../src/graph/embedded/server.ts';

// The package exports its modules but not its command, which lies beside the folder of the first.
const uvu = join(dirname(createRequire(import.meta.url).resolve('uvu')), '..', 'bin.js');
const threads = new URL('./threads.mjs', import.meta.url).href;
const escapes = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');

const count = (output: string, label: string): number | undefined => {
  const found = new RegExp(`^\\s*${label}:\\s+(\\d+)`, 'm').exec(output.replace(escapes, ''));
  return found ? Number(found[1]) : undefined;
};

/** The cases that failed, told once more at the end, where whoever reads only the end of a long run finds them. */
const failedCases = (output: string): string[] =>
  output
    .replace(escapes, '')
    .split('\n')
    .filter((line) => /^\s*FAIL\s/.test(line))
    .map((line) => line.trim());

const runFiles = (pattern: string, env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', '--import', threads, uvu, 'tests', pattern], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const chunks: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      chunks.push(chunk);
      process.stdout.write(chunk);
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 1, output: chunks.join('') }));
  });

/** The file that closes what the others share; without it the process would never end. */
const CLOSING = 'zz-close';

const patternFrom = (names: readonly string[]): string =>
  names.length === 0 ? '\\.test\\.ts$' : `(${[...names, CLOSING].join('|')}).*\\.test\\.ts$`;

const main = async (): Promise<number> => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-test-'));
  const external = process.env['NEO4J_URI'];
  const server = external
    ? undefined
    : await startEmbedded({ home, heap: '1g', pagecache: '256m', report: (line) => console.log(line) });
  try {
    const { code, output } = await runFiles(patternFrom(process.argv.slice(2)), {
      ...process.env,
      TEST_HOME: home,
      TEST_NEO4J_URI: server?.uri ?? external,
      TEST_NEO4J_USER: server?.user ?? process.env['NEO4J_USER'] ?? 'neo4j',
      TEST_NEO4J_PASSWORD: server?.password ?? process.env['NEO4J_PASSWORD'] ?? '',
    });
    const total = count(output, 'Total') ?? 0;
    const passed = count(output, 'Passed') ?? 0;
    // A run that ended before its summary, or that ran nothing, is a failure even when no case failed.
    const failed = Math.max(total - passed, code === 0 && total > 0 ? 0 : 1);
    const skipped = count(output, 'Skipped') ?? 0;
    if (skipped > 0) console.log(`${skipped} skipped; each is named above with its reason`);
    for (const line of failedCases(output)) console.log(line);
    console.log(`${passed} passed, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await server?.stop();
    await rm(home, { recursive: true, force: true });
  }
};

process.exitCode = await main();
