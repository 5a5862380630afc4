import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { listProcesses } from '../../src/platform/process.ts';
import { waitFor } from '../support/patience.ts';
import { startService } from '../support/prepared-home.ts';
import { openReceiver, type Receiver } from '../support/receiver.ts';
import { type ServiceProcess, stopServiceProcess } from '../support/service-process.ts';
import { suite } from '../support/suite.ts';

/** Shows that no acknowledged change is lost or repeated when the embedded database is killed under load. */

const test = suite('faults: killed embedded database');

const PATCHERS = 4;

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answered = { readonly status: number; readonly retryAfter: string | null; readonly json: any };

let folder: string;
let running: ServiceProcess;
let receiver: Receiver;

const ask = async (method: string, path: string, sent?: unknown): Promise<Answered> => {
  const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
  const body = sent === undefined ? {} : { body: JSON.stringify(sent) };
  const answer = await running.ask(path, { method, headers: { 'content-type': type }, ...body });
  const text = await answer.text();
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    json: text === '' ? undefined : JSON.parse(text),
  };
};

const made = async (method: string, path: string, sent: unknown) => {
  const answer = await ask(method, path, sent);
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${JSON.stringify(answer.json)}`);
  return answer.json;
};

/** The database's process, found by the mark on its command line that names the service. */
const databasePid = (): number | undefined =>
  listProcesses().find(({ command }) => command.includes(`-Dtributary.parent=${running.child.pid}@`))?.pid;

/** What was asked for and what the service said to it: acknowledged, or told to come again. */
type Ledger = { readonly acknowledged: Set<string>; readonly refused: Set<string> };

const ledgers: Record<string, Ledger> = {};
const odd: string[] = [];

/** How a write may be put off: the database is away, or more jobs wait than are taken. */
const REFUSALS = new Map([
  [503, 'SERVICE_UNAVAILABLE'],
  [429, 'TOO_MANY_REQUESTS'],
]);

/** Writes one thing after the other, each under its own key, until `isOver`. */
const writer = async (name: string, isOver: () => boolean, write: (turn: number) => [string, Promise<Answered>]) => {
  const ledger: Ledger = { acknowledged: new Set(), refused: new Set() };
  ledgers[name] = ledger;
  for (let turn = 0; !isOver(); turn += 1) {
    const [key, sending] = write(turn);
    const { status, retryAfter, json } = await sending;
    if (status < 300) ledger.acknowledged.add(key);
    else if (Number(retryAfter) > 0 && REFUSALS.get(status) === json?.errorType) {
      ledger.refused.add(key);
      await sleep(100);
    } else odd.push(`${name} ${key}: ${status} ${JSON.stringify(json)}`);
  }
};

const ledgerOf = (name: string): Ledger => {
  const ledger = ledgers[name];
  if (!ledger) throw new Error(`nobody wrote as ${name}`);
  return ledger;
};

const table = { columns: [{ name: 'id', dataType: 'INT' }], description: 'begin' };
const tables: { id: string; fullyQualifiedName: string }[] = [];
let schema: string;

test.before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-killed-'));
  receiver = await openReceiver();
  running = await startService(join(folder, 'home'), { WEBHOOK_ALLOW_PRIVATE: 'true' });
  await made('POST', '/v1/services/databaseServices', { name: 'killed', serviceType: 'Mysql' });
  const database = await made('POST', '/v1/databases', { name: 'db', service: 'killed' });
  schema = (await made('POST', '/v1/databaseSchemas', { name: 'schema', database: database.fullyQualifiedName }))
    .fullyQualifiedName;
  for (let at = 0; at < PATCHERS + 1; at += 1) {
    tables.push(await made('POST', '/v1/tables', { ...table, name: `t${at}`, databaseSchema: schema }));
  }
  await made('POST', '/v1/events/subscriptions', {
    name: 'listener',
    alertType: 'Notification',
    destinations: [{ category: 'External', type: 'Webhook', config: { endpoint: `${receiver.address}/told` } }],
    input: { filters: [{ name: 'filterByFqn', arguments: [{ name: 'fqnList', input: [`${schema}.t0`] }] }] },
  });
});

test.after(async () => {
  await stopServiceProcess(running, 'SIGTERM');
  await receiver.down();
  await rm(folder, { recursive: true, force: true });
});

const startWriters = (isOver: () => boolean): Promise<unknown> => {
  const patchers = Array.from({ length: PATCHERS }, (_, at) =>
    writer(`patch t${at}`, isOver, (turn) => {
      const value = `t${at} says ${turn}`;
      const operations = [{ op: 'replace', path: '/description', value }];
      return [value, ask('PATCH', `/v1/tables/${tables[at]?.id}`, operations)];
    }),
  );
  const creators = [1, 2].map((at) =>
    writer(`create ${at}`, isOver, (turn) => {
      const name = `made_${at}_${turn}`;
      return [name, ask('POST', '/v1/domains', { name, description: 'Made.', domainType: 'Aggregate' })];
    }),
  );
  const joiner = writer('lineage', isOver, (turn) => {
    const [fromEntity, toEntity] = [tables[turn % 2], tables[2 + (turn % 2)]].map((end) => ({
      id: end?.id,
      type: 'table',
    }));
    const description = `joined in turn ${turn}`;
    return [description, ask('PUT', '/v1/lineage', { edge: { fromEntity, toEntity, description } })];
  });
  const counter = writer('usage', isOver, (turn) => [
    String(turn),
    ask('POST', `/v1/usage/table/${tables[PATCHERS]?.id}`, { date: '2026-01-05', count: 1 }),
  ]);
  const submitter = writer('bulk', isOver, (turn) => {
    const rows = [0, 1, 2].map((row) => ({ ...table, name: `bulk_${turn}_${row}`, databaseSchema: schema }));
    return [String(turn), ask('PUT', '/v1/tables/bulk?async=true', rows)];
  });
  return Promise.all([...patchers, ...creators, joiner, counter, submitter]);
};

const acknowledgedInAll = () => Object.values(ledgers).reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
const refusedInAll = () => Object.values(ledgers).reduce((sum, { refused }) => sum + refused.size, 0);

const timesBack = () => running.output().split('Neo4j is back').length - 1;

/** Holds a starting database until a write is refused: one that is back soon costs nobody a refusal. */
const holdUntilRefusal = async (pid: number): Promise<number> => {
  const heldMs = performance.now();
  process.kill(pid, 'SIGSTOP');
  try {
    await waitFor(refusedInAll, (count) => count > 0, 'some are told to come again');
    return performance.now() - heldMs;
  } finally {
    process.kill(pid, 'SIGCONT');
  }
};

/** Kills the database, and waits for acknowledged writes. Answers how long the database took to be back. */
const killAndWait = async (): Promise<number> => {
  const pid = databasePid();
  if (pid === undefined) throw new Error('there is no database to kill');
  const backBefore = timesBack();
  const killedMs = performance.now();
  process.kill(pid, 'SIGKILL');
  await waitFor(databasePid, (next) => ![undefined, pid].includes(next), 'another database runs');
  const heldMs = await holdUntilRefusal(databasePid() ?? 0);
  const health = await ask('GET', '/v1/system/health');
  assert.is(health.status, 503);
  assert.ok(Number(health.retryAfter) > 0);
  const before = acknowledgedInAll();
  await waitFor(timesBack, (count) => count > backBefore, 'Neo4j is back');
  const tookMs = performance.now() - killedMs - heldMs;
  await waitFor(acknowledgedInAll, (count) => count > before + 20, 'writes go on');
  return tookMs;
};

test('the service survives, restarts the database, and is unhealthy meanwhile', async () => {
  const { pid } = running.child;
  let isOver = false;
  const writing = startWriters(() => isOver);
  try {
    await waitFor(acknowledgedInAll, (count) => count > 60, 'writes are acknowledged');
    const tookMs = await killAndWait();
    console.log(`  the database was away for ${Math.round(tookMs)} ms`);
  } finally {
    isOver = true;
    await writing;
  }
  const logged = running
    .output()
    .split('\n')
    .filter((line) => /"level":"error"/.test(line));
  assert.equal(odd, [], `nothing but success, 503 and 429 is answered:\n${logged.slice(-5).join('\n')}`);
  assert.is(running.child.exitCode, null);
  assert.is(running.child.pid, pid);
  assert.match(running.output(), /Neo4j \(process \d+\) ended unexpectedly.*\n(.*\n)*Neo4j is back/);
});

test('no acknowledged change is missing or repeated', async () => {
  for (let at = 0; at < PATCHERS; at += 1) {
    const { acknowledged, refused } = ledgerOf(`patch t${at}`);
    const { versions } = await made('GET', `/v1/tables/${tables[at]?.id}/versions`, undefined);
    const told = versions.map((version: string) => JSON.parse(version).description as string);
    assert.is(new Set(told).size, told.length, `t${at} said something twice`);
    const missing = [...acknowledged].filter((text) => !told.includes(text));
    assert.equal(missing, [], `t${at} lost what was acknowledged`);
    const strange = told.filter((text: string) => text !== 'begin' && !acknowledged.has(text) && !refused.has(text));
    assert.equal(strange, []);
  }
});

test('no acknowledged record, edge or count is missing', async () => {
  for (const at of [1, 2]) {
    for (const name of ledgerOf(`create ${at}`).acknowledged) {
      const answer = await ask('GET', `/v1/domains/name/${name}`);
      assert.is(answer.status, 200, `${name} was acknowledged and is gone`);
      assert.is(answer.json.version, 0.1);
    }
  }
  const [last] = [...ledgerOf('lineage').acknowledged].slice(-1);
  const lineage = await made('GET', `/v1/lineage/table/${tables[0]?.id}?upstreamDepth=0&downstreamDepth=1`, undefined);
  const other = await made('GET', `/v1/lineage/table/${tables[1]?.id}?upstreamDepth=0&downstreamDepth=1`, undefined);
  const told = JSON.stringify([lineage, other]);
  const isLater = [...ledgerOf('lineage').refused].some((text) => told.includes(text));
  assert.ok(told.includes(last ?? '') || isLater, `the edges do not tell of "${last}": ${told}`);
  const { acknowledged, refused } = ledgerOf('usage');
  const usage = await made('GET', `/v1/usage/table/${tables[PATCHERS]?.id}?date=2026-01-05`, undefined);
  const { count } = usage.usage[0].dailyStats;
  const most = acknowledged.size + refused.size;
  assert.ok(count >= acknowledged.size && count <= most, `${count} counted, ${acknowledged.size} to ${most} reported`);
});

test('every acknowledged job ends', async () => {
  const open = async () => (await made('GET', '/v1/jobs?limit=100', undefined)).data as { status: string }[];
  await waitFor(open, (jobs) => jobs.every(({ status }) => status === 'COMPLETED'), 'all jobs are done');
  for (const turn of ledgerOf('bulk').acknowledged) {
    const answer = await ask('GET', `/v1/tables/name/${schema}.bulk_${turn}_2`);
    assert.is(answer.status, 200, `job ${turn} was acknowledged, and its tables are missing`);
  }
});

test('every event is numbered in order without a gap, and delivered', async () => {
  const { versions } = await made('GET', `/v1/tables/${tables[0]?.id}/versions`, undefined);
  const wanted = versions.map((version: string) => JSON.parse(version).description as string).reverse();
  const told = () =>
    receiver
      .at('/told')
      .filter(({ event }) => event.eventType === 'entityUpdated' && event.entityFullyQualifiedName.endsWith('.t0'))
      .map(({ event }) => event.entity.description as string);
  await waitFor(told, (texts) => texts.includes(wanted.at(-1)), 'all is delivered');
  // Repeated is what was on its way when the database was killed, and nothing else.
  const once = told().filter((text, at, all) => all.indexOf(text) === at && text !== 'begin');
  assert.equal(
    once,
    wanted.filter((text: string) => text !== 'begin'),
  );
});

test.run();
