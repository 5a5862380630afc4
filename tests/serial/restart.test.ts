import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startEmbedded } from '../../src/graph/embedded/server.ts';
import { suite } from '../support/suite.ts';
import { end, launch, type Running, untilReady, untilSaid } from '../support/whole.ts';

/** A database of its own, at an address that stays the same while the server behind it comes and goes. */
const restart = suite('restart of the database');

type Door = { readonly port: number; lead(uri: string | undefined): void; close(): void };

const openDoor = async (): Promise<Door> => {
  let target: number | undefined;
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const door = createServer((caller) => {
    if (target === undefined) return void caller.destroy();
    const server = connect(target, '127.0.0.1');
    for (const [socket, other] of [
      [caller, server],
      [server, caller],
    ] as const) {
      open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        open.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
  return {
    port: (door.address() as AddressInfo).port,
    lead: (uri) => {
      target = uri === undefined ? undefined : Number(new URL(uri).port);
      if (target === undefined) cut();
    },
    close: () => {
      cut();
      door.close();
    },
  };
};

let folder: string;
let door: Door;
let server: EmbeddedServer | undefined;
let running: Running | undefined;

const startServer = async (): Promise<EmbeddedServer> => {
  const options = { home: join(folder, 'database'), heap: '512m', pagecache: '64m', report: () => {} };
  const started = await startEmbedded(options);
  door.lead(started.uri);
  return started;
};

const stopServer = async () => {
  await server?.stop();
  server = undefined;
  door.lead(undefined);
};

restart.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-restart-'));
  door = await openDoor();
});

restart.after(async () => {
  if (running) await end(running, 'SIGTERM');
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

restart('a database that is not up yet is waited for', async () => {
  // The first server only makes the password that the service must be given.
  server = await startServer();
  const { user, password } = server;
  await stopServer();
  const home = join(folder, 'service');
  const launched = launch(home, ['serve'], {
    NEO4J_URI: `bolt://127.0.0.1:${door.port}`,
    NEO4J_USER: user,
    NEO4J_PASSWORD: password,
  });
  await untilSaid(launched, /Waiting for Neo4j/);
  server = await startServer();
  running = await untilReady(home, launched);
  assert.is(await post('before'), 201);
});

restart('while it is away callers are told so; afterwards all that was acknowledged is there', async () => {
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
  await sleep(500);
  await stopServer();
  const away = await running?.ask('/v1/domains/name/before');
  assert.is(away?.status, 503);
  assert.ok(Number(away?.headers.get('retry-after')) > 0);
  assert.match((await away?.text()) ?? '', /The database does not answer/);
  assert.is((await running?.ask('/v1/system/health'))?.status, 503);
  const before = acknowledged.length;
  server = await startServer();
  const deadline = Date.now() + 60_000;
  while (acknowledged.length < before + 20 && Date.now() < deadline) await sleep(50);
  isOver = true;
  await writers;
  assert.ok(acknowledged.length >= before + 20, `${before} before, ${acknowledged.length} in all`);
  assert.equal([...statuses].sort(), [201, 503]);
  const lost: string[] = [];
  for (const name of acknowledged) {
    if ((await running?.ask(`/v1/domains/name/${name}`))?.status !== 200) lost.push(name);
  }
  assert.equal(lost, []);
});

restart.run();
