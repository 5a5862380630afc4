import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { rotateSealingKey } from '../../src/access/secret-box.ts';
import { RESEAL_OPERATION } from '../../src/system/reseal.ts';
import { ok } from '../support/expect.ts';
import { runProgram } from '../support/program.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that stored secrets are sealed again after a key rotation. */

const test = suite('system: resealing');

const TOKENS = 4000;
const MARK = uniqueName('reseal');

let service: Service;
test.before(async () => {
  service = await openService();
  // A server that is used again knows the keys of an earlier run, which are gone.
  await service.graph.query("MATCH (n:Fingerprint) WHERE n.name IN ['signing key', 'secrets key'] DELETE n");
});
test.after(async () => {
  await service.graph.query('MATCH (n:IssuedToken {expiry: $mark}) DETACH DELETE n', { mark: MARK });
});

const until = async (what: string, is: () => Promise<boolean>, everyMs = 20): Promise<void> => {
  const deadline = Date.now() + 60_000;
  while (!(await is())) {
    if (Date.now() > deadline) assert.unreachable(what);
    await sleep(everyMs);
  }
};

const box = () => service.app.engine.secrets;
const rotate = () => rotateSealingKey({ home: placeOfRun().home, secretsKey: undefined });

/** How many of the tokens of this suite are sealed by the key of that id. */
const sealedBy = async (id: string): Promise<number> => {
  const [row] = await service.graph.query(
    'RETURN COUNT { (n:IssuedToken {expiry: $mark}) WHERE n.sealed STARTS WITH $start } AS sealed',
    { mark: MARK, start: `tributary-sealed:2:${id}:` },
  );
  return Number(row?.['sealed']);
};

const newestJob = async () => (await service.app.engine.jobs.listOf(RESEAL_OPERATION, 1))[0];

test('a process opens secrets that another one sealed with a newer key', async () => {
  const twin = (await openSecondProcessWith(service, {})).app.engine.secrets;
  const former = box().seal({ token: 'before' });
  const id = await rotate();
  await until('the twin never took the new key', async () => twin.fingerprint.startsWith(id));
  const sealed = twin.seal({ token: 'after' });
  assert.match(sealed.token, new RegExp(`^tributary-sealed:2:${id}:`));
  assert.equal(box().open(sealed), { token: 'after' });
  assert.equal([twin.open(former), box().open(former)], [{ token: 'before' }, { token: 'before' }]);
});

test('a killed reseal job is continued, and in the end everything is sealed with the new key', async () => {
  // What the rotation of the other case began is over first.
  await until('the former job never ended', async () => {
    const job = await newestJob();
    return job?.status === 'COMPLETED' && job.input['key'] === box().fingerprint;
  });
  const body = {
    name: uniqueName('db'),
    serviceType: 'Postgres',
    connection: { config: { hostPort: 'db.example.com:5432', username: 'u', password: 'hunter2' } },
  };
  const made = ok(await service.admin.post('/v1/services/databaseServices', body), 201);
  const tokens = Array.from({ length: TOKENS }, (_, at) => ({
    id: randomUUID(),
    digest: randomUUID(),
    sealed: box().seal({ token: `token ${at}` }).token,
    expiry: MARK,
  }));
  // One that no key opens stays as it is, and keeps nothing from its end.
  const lost = `tributary-sealed:2:AAAAAAAA:${'A'.repeat(60)}`;
  tokens.push({ id: randomUUID(), digest: randomUUID(), sealed: lost, expiry: MARK });
  await service.graph.query('UNWIND $tokens AS token CREATE (n:IssuedToken) SET n = token', { tokens });
  await service.app.runner.stop();
  const victim = runProgram('hold-jobs.ts', '{}');
  let id = '';
  try {
    await victim.line('ready');
    id = await rotate();
    await until('nothing was sealed anew', async () => (await sealedBy(id)) > 0, 5);
  } finally {
    await victim.kill();
  }
  await sleep(300);
  const half = await sealedBy(id);
  assert.ok(half > 0 && half < TOKENS, `${half} were sealed anew when it was killed`);
  const killed = await newestJob();
  assert.equal([killed?.status, killed?.input['key']], ['RUNNING', box().fingerprint]);
  await service.graph.query('MATCH (n:Job) WHERE n.open = true AND n.leaseUntil > 0 SET n.leaseUntil = 1');
  service.app.runner.start();
  await until('it was not carried to its end', async () => (await newestJob())?.status === 'COMPLETED', 100);
  assert.equal([await sealedBy(id), (await newestJob())?.jobId], [TOKENS, killed?.jobId]);
  const rows = await service.graph.query(
    'MATCH (n:IssuedToken {expiry: $mark}) RETURN n.id AS id, n.sealed AS sealed',
    { mark: MARK },
  );
  const stored = new Map(rows.map((row) => [row['id'], String(row['sealed'])]));
  for (const [at, token] of tokens.entries()) {
    const sealed = stored.get(token.id) ?? '';
    if (at === TOKENS) assert.is(sealed, lost);
    else assert.equal(box().open({ sealed }), { sealed: `token ${at}` });
  }
  const [row] = await service.graph.query('MATCH (n:Entity {id: $id}) RETURN n.connectionJson AS text', {
    id: made.id,
  });
  const connection = String(row?.['text']);
  assert.ok(connection.includes(`tributary-sealed:2:${id}:`), connection);
  assert.is(box().open(JSON.parse(connection)).config.password, 'hunter2');
});

test.run();
