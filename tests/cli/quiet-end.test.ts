import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { TRIBUTARY } from '../support/program.ts';
import { suite } from '../support/suite.ts';

/** Shows how commands end when their reader goes away, and when somebody presses Ctrl-C. */

const test = suite('cli: closed pipes and interrupts');

/** A server that answers as many requests with events as a case allows, and no others: what a slow service looks like. */
let slow: Server;
let answersLeft = 0;
let address: string;
let folder: string;
let waiting: () => void = () => {};

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-end-'));
  slow = createServer((request, response) => {
    const isAnswered = request.url?.includes('openlineage') === true && answersLeft > 0;
    if (isAnswered) {
      answersLeft -= 1;
      response.end('{}');
    } else waiting();
  });
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  address = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
});

test.after(async () => {
  slow.closeAllConnections();
  slow.close();
  await rm(folder, { recursive: true, force: true });
});

const toSlow = () => ['--server', address, '--token', 'none'];

/** Resolves when the server has a request that it does not answer. */
const untilStuck = () =>
  new Promise<void>((resolve) => {
    waiting = resolve;
  });

/** A program that has been started, what it has printed so far, and how it ends. */
const watch = (child: ChildProcessWithoutNullStreams) => {
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (printed += text));
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const fail = ended.then((end): never => {
    throw new Error(`the program ended early with ${end}: ${JSON.stringify(printed)}`);
  });
  // Whoever waits for nothing any more does not mind the end.
  fail.catch(() => {});
  return { printed: () => printed, ended, orEnd: <T>(wanted: Promise<T>): Promise<T> => Promise.race([wanted, fail]) };
};

const ESCAPE = '\u001b';
const TERMINAL = 'Ctrl-C ends long work on a terminal, which is left as it was';

const PROBE = ['--quiet', '--return', '--command', 'true', '/dev/null'];

if (spawnSync('script', PROBE, { stdio: 'ignore', timeout: 10_000 }).status === 0) {
  test(TERMINAL, async () => {
    const events = join(folder, 'events.jsonl');
    await writeFile(events, '{}\n'.repeat(201));
    const line = [process.execPath, TRIBUTARY, 'import', 'openlineage', events, ...toSlow()].join(' ');
    const env = { ...process.env, TERM: 'xterm' };
    answersLeft = 1;
    const stuck = untilStuck();
    const child = spawn('script', ['--quiet', '--return', '--command', line, '/dev/null'], { env });
    const { printed, ended, orEnd } = watch(child);
    await orEnd(stuck);
    while (!printed().includes('events sent')) await orEnd(once(child.stdout, 'data'));
    child.stdin.write('\u0003');
    const [code] = await ended;
    assert.is(code, 130);
    assert.ok(printed().endsWith(`\r${ESCAPE}[2K`), JSON.stringify(printed()));
  });
} else test.skipped(TERMINAL, 'the program «script» makes no terminal here');

test('an interrupted command that waits for a service ends with 130 and says nothing', async () => {
  const stuck = untilStuck();
  const child = spawn(process.execPath, [TRIBUTARY, 'status', ...toSlow()]);
  const { printed, ended, orEnd } = watch(child);
  await orEnd(stuck);
  child.kill('SIGINT');
  assert.equal([...(await ended), printed()], [130, null, '']);
});

test('a reader that goes away ends a command without a trace, and its exit code stays', async () => {
  for (const [args, expected] of [
    [['help'], 0],
    [['audit', 'verify', '--nonsense'], 2],
  ] as const) {
    const child = spawn(process.execPath, [TRIBUTARY, ...args]);
    // Nobody reads before the program has started.
    child.stdout.destroy();
    if (expected !== 0) child.stderr.destroy();
    let failures = '';
    child.stderr.on('data', (text) => (failures += text));
    const [code] = await once(child, 'close');
    assert.equal([code, failures], [expected, '']);
  }
});

test.run();
