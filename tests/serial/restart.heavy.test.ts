import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { providePassword } from '../../src/graph/embedded/password.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
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
import { openTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

/** Shows that the service recovers when the database restarts. The server stops and starts at one address. */

const restart = suite('serial: restart of the database');

let folder: string;
let door: TcpProxy;
let server: EmbeddedServer | undefined;
let running: ServiceProcess | undefined;

const databaseHome = (): string => join(folder, 'database');
const serviceHome = (): string => join(folder, 'service');

/** Makes a home for each of the two, as they are after a first start where this run has such a home. */
const makeHomes = async (): Promise<{ readonly user: string; readonly password: string }> => {
  await copyPreparedHome(databaseHome());
  const keys = join(databaseHome(), 'keys');
  if (existsSync(keys)) await cp(keys, join(serviceHome(), 'keys'), { recursive: true });
  const neo4j = join(databaseHome(), 'neo4j');
  await mkdir(neo4j, { recursive: true, mode: 0o700 });
  return providePassword(neo4j);
};

const startServer = async (): Promise<EmbeddedServer> => {
  const options = { home: databaseHome(), heap: '512m', pagecache: '64m', report: () => {} };
  const started = await startEmbeddedServer(options);
  door.setTarget(started.uri);
  return started;
};

const stopServer = async () => {
  await server?.stop();
  server = undefined;
  door.setTarget(undefined);
};

restart.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-restart-'));
  door = await openTcpProxy();
});

restart.after(async () => {
  if (running) await stopServiceProcess(running, 'SIGTERM');
  await stopServer();
  door.close();
  await rm(folder, { recursive: true, force: true });
});

const post = async (name: string): Promise<number> => {
  const body = JSON.stringify({ name, description: 'Written while the database restarts.', domainType: 'Aggregate' });
  const answer = await running?.ask('/v1/domains', { method: 'POST', body });
  await answer?.text();
  return answer?.status ?? 0;
};

restart('the service waits for a database that is not running yet', async () => {
  const { user, password } = await makeHomes();
  const home = serviceHome();
  const launched = launchService(home, ['serve'], {
    NEO4J_URI: `bolt://127.0.0.1:${door.port}`,
    NEO4J_USER: user,
    NEO4J_PASSWORD: password,
  });
  await waitForOutput(launched, /Waiting for Neo4j/);
  server = await startServer();
  running = await waitUntilReady(home, launched);
  assert.is(await post('before'), 201);
});

restart('while the database is down requests get 503, and afterwards all acknowledged data is present', async () => {
  const acknowledged: string[] = [];
  const statuses = new Set<number>();
  let isOver = false;
  const write = async (writer: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      const name = `domain_${writer}_${turn}`;
      const status = await post(name);
      statuses.add(status);
      if (status === 201) acknowledged.push(name);
      else await sleep(50);
    }
  };
  const writers = Promise.all([1, 2, 3, 4].map(write));
  const written = () => acknowledged.length;
  try {
    await waitFor(written, (count) => count >= 20, 'writes are acknowledged');
    await stopServer();
    const away = await running?.ask('/v1/domains/name/before');
    assert.is(away?.status, 503);
    assert.ok(Number(away?.headers.get('retry-after')) > 0);
    assert.match((await away?.text()) ?? '', /The database does not answer/);
    assert.is((await running?.ask('/v1/system/health'))?.status, 503);
    const before = acknowledged.length;
    server = await startServer();
    await waitFor(written, (count) => count >= before + 20, `writes go on after the first ${before}`);
  } finally {
    isOver = true;
    await writers;
  }
  // A write that waits until the database is back need not be refused; nothing else may happen to it.
  statuses.delete(503);
  assert.equal([...statuses], [201]);
  const lost: string[] = [];
  for (const name of acknowledged) {
    if ((await running?.ask(`/v1/domains/name/${name}`))?.status !== 200) lost.push(name);
  }
  assert.equal(lost, []);
});

/** How many domains a query finds. */
const found = async (query: string): Promise<number> => {
  const answer = await running?.ask(`/v1/search/query?q=${encodeURIComponent(query)}&index=domain&size=0`);
  if (answer?.status !== 200) return -1;
  const { hits } = (await answer.json()) as { hits: { total: { value: number } } };
  return hits.total.value;
};

/** The index follows its commits, so whatever it had not heard of when it was killed it must hear of afterwards. */
restart('data acknowledged before the database was killed is found by a search afterwards', async () => {
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async (writer: number) => {
    for (let turn = 0; !isOver; turn += 1) {
      const name = `killed_${writer}_${turn}`;
      const body = JSON.stringify({ name, description: 'Zephyrine.', domainType: 'Aggregate' });
      const answer = await running?.ask('/v1/domains', { method: 'POST', body }).catch(() => undefined);
      if (answer?.status === 201) acknowledged.push(name);
      await answer?.text().catch(() => '');
    }
  };
  const writers = Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(write));
  try {
    await waitFor(
      () => acknowledged.length,
      (count) => count >= 100,
      'enough writes are acknowledged',
    );
    process.kill(server?.pid ?? 0, 'SIGKILL');
    await server?.exited;
  } finally {
    isOver = true;
    door.setTarget(undefined);
    await writers;
  }
  const before = acknowledged.length;
  await stopServer();
  server = await startServer();
  // Whatever was committed without an answer may be there as well; each of the others must be.
  const there = await waitFor(
    () => found('Zephyrine'),
    (count) => count >= 0,
    'searches are answered again',
  );
  assert.ok(there >= before && there <= before + 16, `${there} of ${before} are found`);
  assert.is(await found(`name.keyword:${acknowledged.at(-1)}`), 1);
  assert.is(await post('afterwards'), 201);
  assert.is(await found('name.keyword:afterwards'), 1);
});

restart('a write whose response was lost is applied once, and its caller is told so', async () => {
  const ask = async (path: string, method: string, sent?: unknown) => {
    const type = { 'content-type': method === 'PATCH' ? 'application/json-patch+json' : 'application/json' };
    const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
    const lost = door.loseAnswer();
    const answer = await running?.ask(path, { method, headers: type, ...body });
    assert.is(lost(), 1, `${method} ${path}: the answer was not lost`);
    return { status: answer?.status, body: (await answer?.json()) as { id: string; version: number } };
  };
  const created = await ask('/v1/domains', 'POST', { name: 'once', description: 'Once.', domainType: 'Aggregate' });
  assert.is(created.status, 201);
  const { id } = created.body;
  const test = [
    { op: 'test', path: '/description', value: 'Once.' },
    { op: 'replace', path: '/description', value: 'Twice.' },
  ];
  const patched = await ask(`/v1/domains/${id}`, 'PATCH', test);
  assert.is(patched.status, 200);
  assert.is(patched.body.version, 0.2);
  const versions = (await (await running?.ask(`/v1/domains/${id}/versions`))?.json()) as { versions: string[] };
  assert.is(versions.versions.length, 2);
  assert.is((await ask(`/v1/domains/${id}?hardDelete=true`, 'DELETE')).status, 200);
  assert.is((await running?.ask(`/v1/domains/${id}`))?.status, 404);
});

restart.run();
