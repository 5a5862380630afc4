import * as assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Runs the test command on files of its own, some of which fail once or always, on the server of this run. */

const RUN = fileURLToPath(new URL('../support/run.ts', import.meta.url));
const SUITE = new URL('../support/suite.ts', import.meta.url).href;
const AFTER_FILE = new URL('../support/after-file.ts', import.meta.url).href;

const test = suite('runner: second try');

let folder = '';

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-runner-'));
  await writeFile(join(folder, 'package.json'), '{"type": "module"}');
});

test.after(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A test file with one case. `first` is true in the first process that runs the file. */
const fileOf = (body: string, imports: string): string => `
import { existsSync, writeFileSync } from 'node:fs';
${imports}
import { suite } from '${SUITE}';
const test = suite('fixture');
test('its case', () => {
  const mark = import.meta.filename + '.ran';
  const first = !existsSync(mark);
  writeFileSync(mark, '');
  ${body}
});
test.run();
`;

/** What makes the runner take a file for one that needs a process. */
const OUTSIDE = "import 'node:child_process';";

type Ended = { readonly code: number; readonly lines: readonly string[]; readonly room: string };

const run = async (files: Readonly<Record<string, string>>, ...args: string[]): Promise<Ended> => {
  const room = await mkdtemp(join(folder, 'tests-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(room, 'room'), { recursive: true });
    await writeFile(join(room, 'room', name), text);
  }
  const { uri, user, password } = placeOfRun();
  const env = { ...process.env, NEO4J_URI: uri, NEO4J_USER: user, NEO4J_PASSWORD: password, TEST_FOLDER: room };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', RUN, ...args], { env }, (failure, printed) => {
      const lines = printed.trimEnd().split('\n');
      resolve({ code: Number(failure?.code ?? 0), lines, room });
    });
  });
};

const starting = ({ lines }: Ended, word: string): string[] => lines.filter((line) => line.startsWith(word));

test('a file that passes the second time has passed and is named with its first failure', async () => {
  const ended = await run({
    'steady.test.ts': fileOf('', OUTSIDE),
    'unsteady.test.ts': fileOf("if (first) throw new Error('too late\\nby a second');", OUTSIDE),
    'dying.test.ts': fileOf('if (first) process.exit(3);', OUTSIDE),
    'slow.heavy.test.ts': fileOf("throw new Error('this is not of the gate');", OUTSIDE),
  });
  assert.equal(ended.code, 0);
  assert.equal(ended.lines.at(-1), '3 passed, 0 failed');
  assert.deepEqual(starting(ended, 'UNSTEADY').sort(), [
    'UNSTEADY room/dying.test.ts: the process ended with code 3 (the process ended with code 3)',
    'UNSTEADY room/unsteady.test.ts: fixture: its case (too late)',
  ]);
  assert.deepEqual(starting(ended, 'FAIL'), []);
});

test('a file that fails twice has failed, and a pure file gets no second try', async () => {
  const ended = await run({
    'steady.test.ts': fileOf('', OUTSIDE),
    'wrong.test.ts': fileOf("throw new Error('wrong');", OUTSIDE),
    'pure.test.ts': fileOf("if (first) throw new Error('wrong once');", ''),
  });
  assert.equal(ended.code, 1);
  assert.equal(ended.lines.at(-1), '1 passed, 2 failed');
  assert.deepEqual(starting(ended, 'FAIL').sort(), [
    'FAIL  room/pure.test.ts: fixture: its case',
    'FAIL  room/wrong.test.ts: fixture: its case',
  ]);
  assert.deepEqual(starting(ended, 'UNSTEADY'), []);
});

test('what a file leaves behind is a failure of that file, also in the temporary folder', async () => {
  const imports = `${OUTSIDE}
    import { tmpdir } from 'node:os';
    import { checkAfterFile } from '${AFTER_FILE}';`;
  const body = `
    const found = ['left app.runner stopped'];
    checkAfterFile(async () => found.splice(0));
    writeFileSync(tmpdir() + '/forgotten', '');`;
  const files = { 'leaving.test.ts': fileOf(body, imports), 'next.test.ts': fileOf('', OUTSIDE) };
  const ended = await run(files, '--no-retry');
  assert.equal(ended.lines.at(-1), '2 passed, 2 failed');
  assert.deepEqual(starting(ended, 'FAIL'), [
    'FAIL  room/leaving.test.ts: left app.runner stopped',
    'FAIL  room/leaving.test.ts: left 1 in the temporary folder: forgotten',
  ]);
});

test('the second try can be switched off', async () => {
  const unsteady = fileOf("if (first) throw new Error('late');", OUTSIDE);
  const ended = await run({ 'unsteady.test.ts': unsteady }, '--no-retry');
  assert.equal(ended.code, 1);
  assert.equal(ended.lines.at(-1), '0 passed, 1 failed');
});

test('a run prints its plan and writes down how long its files took, and a bin can be run alone', async () => {
  const files = {
    'one.test.ts': fileOf('', OUTSIDE),
    'two.test.ts': fileOf('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1600);', OUTSIDE),
    'pure.test.ts': fileOf('', ''),
  };
  const whole = await run(files, '--weigh');
  assert.deepEqual(starting(whole, 'bin'), ['bin 1 (2 s): room/one room/two']);
  assert.equal(whole.lines.at(-1), '3 passed, 0 failed');
  const weights = JSON.parse(await readFile(join(whole.room, 'weights.json'), 'utf8'));
  assert.deepEqual(Object.keys(weights), ['room/one.test.ts', 'room/pure.test.ts', 'room/two.test.ts']);
  assert.ok(weights['room/two.test.ts'] >= 2, 'half seconds are rounded up');
  assert.equal((await run(files, '--bin', '1')).lines.at(-1), '2 passed, 0 failed');
});

test('a name that no file has is a failure', async () => {
  const ended = await run({ 'missing.test.ts': fileOf('', OUTSIDE) }, 'nothing has this name');
  assert.equal(ended.code, 1);
  assert.equal(ended.lines.at(-1), '0 passed, 1 failed');
});

test.run();
