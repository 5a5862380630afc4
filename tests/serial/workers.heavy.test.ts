import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { listProcesses } from '../../src/platform/process.ts';
import { waitFor } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import {
  launchService,
  type ServiceProcess,
  stopServiceProcess,
  waitForOutput,
  waitUntilReady,
} from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that several workers serve one port as one service, and that one of them may die. */

const test = suite('serial: several workers');

const WORKERS = 2;
const PUBLIC_URL = 'https://catalog.example';

let home: string;
let running: ServiceProcess;

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-workers-'));
  await copyPreparedHome(home);
  const flags = ['--workers', String(WORKERS), '--public-url', PUBLIC_URL];
  running = await waitUntilReady(
    home,
    launchService(home, ['serve', ...flags], { PUBLIC_URL: 'https://other.example' }),
  );
});

test.after(async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await rm(home, { recursive: true, force: true });
});

/** The processes of the workers, oldest first. */
const workerPids = async (): Promise<number[]> => {
  const children = await readFile(`/proc/${running.child.pid}/task/${running.child.pid}/children`, 'utf8');
  const pids = new Set(children.trim().split(' ').map(Number));
  return listProcesses()
    .filter(({ pid, command }) => pids.has(pid) && /serve\/worker\.js/.test(command))
    .map(({ pid }) => pid)
    .sort((one, other) => one - other);
};

/** How many sockets a process has open. */
const socketsOf = async (pid: number): Promise<number> => {
  const folder = `/proc/${pid}/fd`;
  const links = await Promise.all((await readdir(folder)).map((file) => readlink(join(folder, file)).catch(() => '')));
  return links.filter((link) => link.startsWith('socket:')).length;
};

type Reply = { readonly status: number; readonly json: { readonly [name: string]: unknown } };

/** Sends a request over one of the client's connections, which the workers share. */
const send = async (method: string, path: string, body?: object): Promise<Reply> => {
  const answer = await running.ask(path, { method, ...(body ? { body: JSON.stringify(body) } : {}) });
  return { status: answer.status, json: (await answer.json()) as Reply['json'] };
};

const domain = (name: string) => ({ name, description: 'Shown by several workers.', domainType: 'Aggregate' });

/** Holds connections open, each of which has been answered once. */
const openConnections = async (count: number): Promise<Agent> => {
  const agent = new Agent({ keepAlive: true, maxSockets: count, maxFreeSockets: count });
  const { port } = new URL(running.address);
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request({ agent, port, host: '127.0.0.1', path: '/v1/system/health' }, (reply) => {
        reply.resume().once('end', resolve);
      });
      sent.once('error', reject).end();
    });
  await Promise.all(Array.from({ length: count }, ask));
  return agent;
};

const CONNECTIONS = 100;

test('connections are shared by all workers', async () => {
  const pids = await workerPids();
  assert.is(pids.length, WORKERS);
  const before = await Promise.all(pids.map(socketsOf));
  const agent = await openConnections(CONNECTIONS);
  const after = await Promise.all(pids.map(socketsOf));
  agent.destroy();
  for (const [at, count] of after.entries()) {
    const share = count - (before[at] ?? 0);
    assert.ok(share > CONNECTIONS / WORKERS / 2, `${before} and then ${after} sockets are open in the workers`);
  }
});

test('every worker has the flags of the first process, which go before the variables', async () => {
  const { json } = await send('POST', '/v1/domains', domain('flagged'));
  for (let reader = 0; reader < 2 * WORKERS; reader += 1) {
    const { json: read } = await send('GET', `/v1/domains/${json['id']}`);
    assert.is(read['href'], `${PUBLIC_URL}/v1/domains/${json['id']}`);
  }
});

test('what one worker has acknowledged every worker shows', async () => {
  for (let turn = 0; turn < 10; turn += 1) {
    const { status, json } = await send('POST', '/v1/domains', domain(`shown_${turn}`));
    assert.is(status, 201);
    for (let reader = 0; reader < WORKERS; reader += 1) {
      const { json: read } = await send('GET', `/v1/domains/${json['id']}?fields=owners`);
      assert.is(read['description'], 'Shown by several workers.');
    }
    const changed = { ...domain(`shown_${turn}`), description: `changed ${turn}` };
    assert.is((await send('PUT', '/v1/domains', changed)).status, 200);
    for (let reader = 0; reader < WORKERS; reader += 1) {
      assert.is((await send('GET', `/v1/domains/${json['id']}?fields=owners`)).json['description'], `changed ${turn}`);
    }
  }
});

test('metrics are those of all workers, whichever answers', async () => {
  const count = async (): Promise<number> => {
    const text = await (await running.ask('/metrics')).text();
    const line = /tributary_http_requests_total\{method="GET",route="\/v1\/system\/version",status="200"\} (\d+)/;
    return Number(line.exec(text)?.[1] ?? 0);
  };
  const before = await count();
  for (let turn = 0; turn < 7; turn += 1) assert.is((await send('GET', '/v1/system/version')).status, 200);
  assert.equal([await count(), await count()], [before + 7, before + 7]);
});

test('a worker that is killed is replaced, and nothing acknowledged is lost', async () => {
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      const name = `kept_${writer}_${turn}`;
      // The connection of a worker that dies is cut; its requests fail like those to any server that dies.
      const reply = await send('POST', '/v1/domains', domain(name)).catch(() => undefined);
      if (reply?.status === 201) acknowledged.push(name);
    }
  };
  const writers = Promise.all([1, 2, 3, 4].map(write));
  const [victim = 0] = await workerPids();
  try {
    const written = () => acknowledged.length;
    await waitFor(written, (count) => count >= 20, 'writes are acknowledged');
    process.kill(victim, 'SIGKILL');
    await waitForOutput(running, /A worker ended with SIGKILL; starting another one/);
    const areReplaced = (pids: readonly number[]) => pids.length === WORKERS && !pids.includes(victim);
    await waitFor(workerPids, areReplaced, 'another worker runs');
    const before = written();
    await waitFor(written, (count) => count >= before + 100, 'writes go on');
  } finally {
    isOver = true;
    await writers;
  }
  for (const name of acknowledged) assert.is((await send('GET', `/v1/domains/name/${name}`)).status, 200, name);
  const pids = await workerPids();
  assert.is(pids.length, WORKERS);
  assert.not.ok(pids.includes(victim));
});

/** What a process needs to share the database of the running service. */
const databaseEnvironment = async () => {
  const settings = await readFile(join(home, 'neo4j', 'conf', 'neo4j.conf'), 'utf8');
  const password = (await readFile(join(home, 'neo4j', 'password'), 'utf8')).trim();
  const place = /^server\.bolt\.listen_address=(.+)$/m.exec(settings)?.[1];
  return { NEO4J_URI: `bolt://${place}`, NEO4J_PASSWORD: password };
};

const expectRefusal = async (at: string, env: Readonly<Record<string, string>>, message: RegExp): Promise<void> => {
  const { child, output } = launchService(at, ['serve'], { WORKERS: '2', ...env });
  await once(child, 'close');
  assert.match(output(), message);
  assert.is(child.exitCode, 1, output());
};

test('a second service on the same home or port is refused, and the first one goes on', async () => {
  await expectRefusal(home, {}, /is in use by process/);
  const other = await mkdtemp(join(tmpdir(), 'tributary-workers-'));
  await cp(join(home, 'keys'), join(other, 'keys'), { recursive: true });
  const { port } = new URL(running.address);
  const env = { ...(await databaseEnvironment()), PORT: port };
  await expectRefusal(other, env, new RegExp(`Port ${port} on 127\\.0\\.0\\.1 is in use`));
  await rm(other, { recursive: true, force: true });
  assert.is((await send('GET', '/v1/system/version')).status, 200);
});

test('a number of workers that makes no sense is refused', async () => {
  await expectRefusal(home, { WORKERS: '0' }, /WORKERS is "0", expected a whole number from 1 to 64/);
});

test('a signal ends every worker after its requests', async () => {
  const pids = await workerPids();
  assert.is(await stopServiceProcess(running, 'SIGTERM'), 0);
  const left = listProcesses().filter(({ pid }) => pids.includes(pid));
  assert.equal(left, []);
});

test.run();
