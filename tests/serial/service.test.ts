import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';

/** The whole service as a user runs it: one process, started and ended from outside. */
const service = suite('service');

let home: string;
let running: Running | undefined;

type Running = { readonly child: ChildProcess; readonly address: string; readonly output: () => string };

const START_WITHIN_MS = 120_000;

const launch = (args: readonly string[]): { child: ChildProcess; output: () => string } => {
  const env = { ...process.env, TRIBUTARY_HOME: home, PORT: '0', NEO4J_URI: '', NEO4J_HEAP: '512m' };
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli.ts', ...args], { env });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (chunk) => chunks.push(chunk));
  return { child, output: () => chunks.join('') };
};

const start = async (): Promise<Running> => {
  const { child, output } = launch(['serve']);
  const deadline = Date.now() + START_WITHIN_MS;
  for (;;) {
    const address = /ready at (\S+)/.exec(output())?.[1];
    if (address) return { child, address, output };
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`the service did not start: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const end = async ({ child }: Running, signal: NodeJS.Signals): Promise<number | null> => {
  const closed = once(child, 'close');
  child.kill(signal);
  await closed;
  return child.exitCode;
};

const ask = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const token = (await readFile(join(home, 'admin.token'), 'utf8')).trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return fetch(`${running?.address}${path}`, { ...init, headers });
};

service.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-service-'));
  running = await start();
});

service.after(async () => {
  if (running && running.child.exitCode === null && running.child.signalCode === null) await end(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

const domain = { name: 'Sales', description: 'What is sold, to whom.', domainType: 'Aggregate' };

service('serves both prefixes, and its administrator token is for its owner only', async () => {
  for (const prefix of ['', '/api']) {
    assert.is((await fetch(`${running?.address}${prefix}/v1/system/version`)).status, 200);
  }
  assert.is((await stat(join(home, 'admin.token'))).mode & 0o777, 0o600);
  assert.is((await stat(home)).mode & 0o777, 0o700);
  assert.is((await ask('/v1/domains', { method: 'POST', body: JSON.stringify(domain) })).status, 201);
});

service('a token from the command line is accepted, and nothing else is printed', async () => {
  const { child, output } = launch(['token', 'issue', '--user', 'admin', '--ttl', '5m']);
  await once(child, 'close');
  assert.is(child.exitCode, 0, output());
  assert.match(output(), /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  const headers = { authorization: `Bearer ${output().trim()}` };
  assert.is((await fetch(`${running?.address}/v1/users/loggedInUser`, { headers })).status, 200);
});

service('a second process on the same home says who holds it, and ends', async () => {
  const { child, output } = launch(['serve']);
  await once(child, 'close');
  assert.is(child.exitCode, 1);
  assert.ok(output().includes(String(running?.child.pid)), output());
});

service('killed without warning, it starts again and has lost nothing', async () => {
  if (running) await end(running, 'SIGKILL');
  running = await start();
  assert.is((await ask('/v1/domains/name/Sales')).status, 200);
});

service('asked to stop, it ends cleanly', async () => {
  assert.ok(running);
  if (running) assert.is(await end(running, 'SIGTERM'), 0, running.output());
});

service.run();
