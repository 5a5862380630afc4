import * as assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupError } from '../../src/errors.ts';
import { lockHome } from '../../src/platform/home-lock.ts';
import { type Program, runProgram } from '../support/program.ts';
import { suite } from '../support/suite.ts';

/** Shows that only one process can use a home folder. */

const test = suite('platform: home lock');
const programs: Program[] = [];
let root = '';
let count = 0;

const newHome = () => {
  count += 1;
  return join(root, `home-${count}`);
};

const holdElsewhere = (home: string, note?: string): Program => {
  const program = runProgram('hold-home.ts', home, ...(note ? [note] : []));
  programs.push(program);
  return program;
};

/** The lock as its holder wrote it, with some members replaced. */
const writeLock = async (home: string, change: object): Promise<string> => {
  const held = await lockHome(home);
  const path = join(home, 'lock');
  const holder = JSON.parse(await readFile(path, 'utf8')) as object;
  await held.release();
  await writeFile(path, JSON.stringify({ ...holder, ...change }));
  return path;
};

const refusal = (home: string): Promise<string> =>
  lockHome(home).then(
    () => assert.fail('the home was held twice'),
    (failure) => {
      assert.ok(failure instanceof StartupError, String(failure));
      return failure.message;
    },
  );

test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'tributary-home-'));
});

test.after(async () => {
  await Promise.all(programs.map((program) => program.kill()));
  await rm(root, { recursive: true, force: true });
});

test('the folder is created for its owner only, and a released lock leaves nothing in it', async () => {
  const home = join(newHome(), 'below');
  const held = await lockHome(home);
  assert.equal((await stat(home)).mode & 0o777, 0o700);
  assert.deepEqual(await readdir(home), ['lock']);
  assert.equal((await stat(join(home, 'lock'))).mode & 0o777, 0o600);
  await held.note('somewhere');
  await held.release();
  assert.deepEqual(await readdir(home), []);
});

test('a second process is refused with the process id and address of the first', async () => {
  const home = newHome();
  const first = holdElsewhere(home, 'http://127.0.0.1:8585');
  await first.line('held');
  const message = await refusal(home);
  assert.match(message, new RegExp(`process ${first.process.pid} at http://127\\.0\\.0\\.1:8585 `));
  assert.ok(message.includes(home), message);
  first.process.stdin?.end();
  await first.exited;
  await (await lockHome(home)).release();
});

test('one process cannot lock a home twice', async () => {
  const home = newHome();
  const held = await lockHome(home);
  assert.match(await refusal(home), new RegExp(`process ${process.pid} `));
  await held.release();
  await held.release();
});

test('the lock of a killed process is replaced', async () => {
  const home = newHome();
  const first = holdElsewhere(home);
  await first.line('held');
  await first.kill();
  assert.deepEqual(await readdir(home), ['lock']);
  await (await lockHome(home)).release();
  assert.deepEqual(await readdir(home), []);
});

test('a reused process id does not block the home', async () => {
  const home = newHome();
  await writeLock(home, { born: 'earlier' });
  await (await lockHome(home)).release();
});

test('a damaged lock does not block the home', async () => {
  const home = newHome();
  const path = await writeLock(home, {});
  await writeFile(path, '');
  await (await lockHome(home)).release();
});

test('a release keeps the lock of the next holder', async () => {
  const home = newHome();
  const held = await lockHome(home);
  await rm(join(home, 'lock'));
  const path = await writeLock(home, { born: 'later' });
  await held.release();
  assert.match(await readFile(path, 'utf8'), /later/);
});

test('of many processes that find a stale lock exactly one gets it', async () => {
  for (let round = 0; round < 20; round += 1) {
    const home = newHome();
    const stale = await readFile(await writeLock(home, { born: 'earlier' }), 'utf8');
    // A guard left by a process that was killed while it replaced a lock.
    if (round % 2 === 0) await writeFile(join(home, 'lock.guard'), stale);
    const contenders = Array.from({ length: 20 }, async () => {
      await sleep(Math.random() * 10);
      return lockHome(home).catch(() => undefined);
    });
    const winners = (await Promise.all(contenders)).filter((held) => held !== undefined);
    assert.equal(winners.length, 1, `${winners.length} of 20 hold the home in round ${round}`);
    await winners[0]?.release();
    assert.deepEqual(await readdir(home), []);
  }
});

test('a lock from another host is valid while it is refreshed', async () => {
  const [living, gone] = [newHome(), newHome()];
  const place = { place: 'elsewhere pid:[1]', born: 'unknown here' };
  const path = await writeLock(living, place);
  await writeLock(gone, place);
  const heartbeat = setInterval(() => void utimes(path, new Date(), new Date()), 500);
  const [message, held] = await Promise.all([refusal(living), lockHome(gone)]);
  clearInterval(heartbeat);
  assert.match(message, /host elsewhere/);
  await held.release();
});

test.run();
