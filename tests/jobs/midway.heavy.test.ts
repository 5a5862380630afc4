import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import type { Graph } from '../../src/graph/client.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createSignal, withHoldPoint } from '../support/hold-point.ts';
import { pickMembers } from '../support/job.ts';
import { expireJobLeases, startJobProcess, waitUntilHeld } from '../support/job-process.ts';
import { waitFor, waitUntil } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import {
  countDeletionEvents,
  countIntents,
  countTables,
  createWideSchema,
  type TableTally,
  type WideSchema,
} from '../support/wide-schema.ts';

/** Shows that a cascade that is killed within its request is completed by another process (DESIGN 5). */

const test = suite('jobs: cascades within a request');

/** So few records to a transaction that a change of some more needs several, and is yet done before the answer. */
const BOUNDS = { batchRows: 50, jobs: { pollMs: 50, idlePollMs: 100 } };
/** The schema is a batch of its own, before the batches of its tables or after them. */
const TABLES = 120;

let service: Service;
/** What another process answers, and what it does. */
let client: Client;
let app: App;
/** One database goes through all that is done below: each case finds it as the last one has left it. */
let wide: WideSchema;

test.before(async () => {
  service = await openService();
  ({ client, app } = await openSecondProcessWith(service, BOUNDS));
  wide = await createWideSchema(client, TABLES);
});

const look = (eventType = 'entityUpdated'): Promise<TableTally> => countTables(service, wide.schema, eventType);

/** Whether some of the tables are done and others are not. */
const isHalf = async (): Promise<boolean> => {
  const [row] = await service.graph.query(
    `MATCH (:DatabaseSchema {fullyQualifiedName: $schema})-[:CONTAINS]->(n)
     RETURN count(n) AS kept, count(CASE WHEN n.deleted THEN 1 END) AS hidden`,
    { schema: wide.schema },
  );
  return ['kept', 'hidden'].some((name) => Number(row?.[name]) > 0 && Number(row?.[name]) < TABLES);
};

/** What is to be there when all tables have turned so often. */
const turned = (times: number) => ({
  alive: times % 2 === 0 ? TABLES : 0,
  hidden: times % 2 === 0 ? 0 : TABLES,
  versions: [(1 + times) / 10],
  kept: [times],
  events: Math.ceil(times / 2) * TABLES,
});

const path = () => `/v1/databases/${wide.database.id}`;

/** While `work` is under way, other processes do jobs as well. */
const amongOthers = async <T>(work: (neighbour: Client) => Promise<T>): Promise<T> => {
  const neighbour = await openSecondProcessWith(service, BOUNDS);
  app.runner.start();
  neighbour.app.runner.start();
  try {
    return await work(neighbour.client);
  } finally {
    await Promise.all([app.runner.stop(), neighbour.app.runner.stop()]);
  }
};

type Request = { readonly method: string; readonly path: string; readonly body?: object };

/** Has another process answer a request, and kills it when some of the tables are done. */
const killWithin = async (request: Request): Promise<void> => {
  const victim = await startJobProcess(BOUNDS, { step: 2 });
  try {
    victim.process.stdin?.write(`${JSON.stringify(request)}\n`);
    await waitUntilHeld(victim);
  } finally {
    await victim.kill();
  }
  assert.not.ok(victim.lines.includes('answered 200'));
  assert.ok(await isHalf(), 'some tables are done and others are not');
};

/** Kills the process that answers a request, and lets another one go on. */
const takeOver = async (request: Request, whileHalf: () => Promise<void>): Promise<void> => {
  // Nobody but the victim may carry it on before it is dead.
  await service.app.runner.stop();
  try {
    await killWithin(request);
    await whileHalf();
    await expireJobLeases(service);
    await amongOthers(async () => {
      await waitUntil(async () => !(await isHalf()), 'it is carried to its end', look);
      await waitFor(
        () => countIntents(service),
        (left) => left === 0,
        'no intent is left behind',
      );
    });
  } finally {
    service.app.runner.start();
  }
};

test('a killed soft deletion is completed', async () => {
  await takeOver({ method: 'DELETE', path: `${path()}?recursive=true` }, async () => {
    expectRefused(await client.get(path()), 404);
    expectRefused(await client.post('/v1/databaseSchemas', { name: 'late', database: `${wide.service}.db` }), 404);
  });
  assert.equal(await look('entitySoftDeleted'), turned(1));
  expectRefused(await client.get(path()), 404);
  expectRefused(await client.get(`/v1/databaseSchemas/name/${wide.schema}`), 404);
  assert.is(ok(await client.get(`/v1/tables?databaseSchema=${wide.schema}&limit=0`)).paging.total, 0);
});

test('a killed restore is completed', async () => {
  const request = { method: 'PUT', path: '/v1/databases/restore', body: { id: wide.database.id } };
  await takeOver(request, async () => {
    assert.is(ok(await client.get(path())).version, 0.3);
  });
  assert.equal(await look('entityRestored'), turned(2));
  assert.is(ok(await client.get(path())).version, 0.3);
  assert.is(ok(await client.get(`/v1/databaseSchemas/name/${wide.schema}`)).version, 0.3);
});

test('a live cascade completes before its response, and no other process takes part', async () => {
  await amongOthers(async () => ok(await client.delete(`${path()}?recursive=true`)));
  assert.equal(await look('entitySoftDeleted'), turned(3));
  const [job] = ok(await client.get('/v1/jobs?limit=1')).data;
  assert.equal(pickMembers(job, 'operation', 'status', 'targetFqn', 'progress'), [
    'DELETE',
    'COMPLETED',
    `${wide.service}.db`,
    TABLES + 1,
  ]);
  assert.is(job.logs.length, 1, 'nobody has let go of it');
});

test('a killed PUT with the name of a deleted record restores everything', async () => {
  const body = { name: 'db', service: wide.service, description: 'Anew.' };
  await takeOver({ method: 'PUT', path: '/v1/databases', body }, async () => {
    assert.is(ok(await client.get(path())).version, 0.5);
  });
  assert.equal(await look('entityRestored'), turned(4));
});

test('a killed job restores everything', async () => {
  await amongOthers(async () => ok(await client.delete(`${path()}?recursive=true`)));
  const body = { id: wide.database.id };
  await takeOver({ method: 'PUT', path: '/v1/databases/restore?async=true', body }, async () => {});
  assert.equal(await look('entityRestored'), turned(6));
});

test('after a restore by another process during a deletion everything exists', async () => {
  const [held, restored] = [createSignal(), createSignal()];
  const graph = withHoldPoint(service.graph, { step: 2 }, () => {
    held.give();
    return restored.given;
  });
  const deleter = await openSecondProcessWith({ ...service, graph }, BOUNDS);
  deleter.app.runner.start();
  try {
    await amongOthers(async () => {
      const deleting = deleter.client.delete(`${path()}?recursive=true`);
      await held.given;
      ok(await client.put('/v1/databases/restore', { id: wide.database.id }));
      restored.give();
      assert.is(ok(await deleting).deleted, true);
    });
  } finally {
    restored.give();
    await deleter.app.runner.stop();
  }
  const { alive, versions } = await look();
  assert.is(alive, TABLES);
  assert.equal([...versions].sort(), [0.7, 0.9], 'some had not been hidden');
  assert.is(ok(await client.get(path())).version, 0.9);
  assert.is(await countIntents(service), 0);
});

test('a killed hard deletion leaves nothing', async () => {
  await takeOver({ method: 'DELETE', path: `${path()}?recursive=true&hardDelete=true` }, async () => {
    expectRefused(await client.get(`${path()}?include=all`), 404);
    expectRefused(
      await client.post('/v1/databases', { name: 'db', service: wide.service }),
      409,
      'Entity already exists',
    );
  });
  assert.equal(await look(), { alive: 0, hidden: 0, versions: [], kept: [], events: 0 });
  assert.equal(await countDeletionEvents(service, wide.service), { events: TABLES + 2, records: TABLES + 2 });
  ok(await client.post('/v1/databases', { name: 'db', service: wide.service }), 201);
});

test('a change that fits one transaction needs one and no job', async () => {
  let writes = 0;
  const graph: Graph = {
    ...service.graph,
    // What is noted of the caller's token on the side is no part of the change.
    write: (work) =>
      service.graph.write((transaction) => {
        let isCounted = false;
        const run: typeof transaction.run = (statement, params) => {
          if (!isCounted && !/^(accounts|audit)\//.test(statement.name)) {
            isCounted = true;
            writes += 1;
          }
          return transaction.run(statement, params);
        };
        return work({ ...transaction, run });
      }),
  };
  const { client: counted } = await openSecondProcessWith({ ...service, graph }, {});
  const { schema, database } = await createWideSchema(client, 20);
  const at = `/v1/databases/${database.id}`;
  const newest = async () => ok(await client.get('/v1/jobs?limit=1')).data[0]?.jobId;
  const before = await newest();
  const writesOf = async (request: () => Promise<Reply>) => {
    writes = 0;
    ok(await request());
    const { alive, hidden } = await countTables(service, schema, 'x');
    return { writes, alive, hidden };
  };
  const soft = await writesOf(() => counted.delete(`${at}?recursive=true`));
  assert.equal(soft, { writes: 1, alive: 0, hidden: 20 });
  const back = await writesOf(() => counted.put('/v1/databases/restore', { id: database.id }));
  assert.equal(back, { writes: 1, alive: 20, hidden: 0 });
  const hard = await writesOf(() => counted.delete(`${at}?recursive=true&hardDelete=true`));
  assert.equal(hard, { writes: 1, alive: 0, hidden: 0 });
  assert.is(await newest(), before);
});

test('records under constant change do not prevent a small cascade from ending', async () => {
  const name = uniqueName('busy');
  const { id } = ok(await client.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  for (let at = 0; at < 8; at += 1) ok(await client.post('/v1/databases', { name: `d${at}`, service: name }), 201);
  let isOver = false;
  const writers = Array.from({ length: 8 }, async (_, index) => {
    for (let turn = 0; !isOver; turn += 1) {
      const reply = await client.patch(`/v1/databases/name/${name}.d${index}`, { description: `t${turn}` });
      assert.ok([200, 404, 409].includes(reply.status), reply.text);
      const made = await client.post('/v1/databases', { name: `l${index}_${turn}`, service: name });
      assert.ok([201, 404].includes(made.status), made.text);
    }
  });
  await sleep(200);
  ok(await service.admin.delete(`/v1/services/databaseServices/${id}?recursive=true`));
  isOver = true;
  await Promise.all(writers);
  const [row] = await service.graph.query(
    'MATCH (:DatabaseService {id: $id, deleted: true})-[:CONTAINS]->(n:LiveDatabase) RETURN count(n) AS living',
    { id },
  );
  assert.is(row?.['living'], 0);
});

test.run();
