import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { rotateSealingKey } from '../../src/access/secret-box.ts';
import { RESEAL_OPERATION } from '../../src/system/reseal.ts';
import { ok } from '../support/expect.ts';
import { expireJobLeases, startJobProcess, waitUntilHeld } from '../support/job-process.ts';
import { waitFor } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, placeOfRun, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that stored secrets are sealed again after a key rotation. */

const test = suite('system: resealing');

/** Tokens are sealed anew by 100 to a transaction. */
const TOKENS = 250;
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
  await waitFor(
    () => twin.fingerprint,
    (fingerprint) => fingerprint.startsWith(id),
    'the twin takes the new key',
  );
  const sealed = twin.seal({ token: 'after' });
  assert.match(sealed.token, new RegExp(`^tributary-sealed:2:${id}:`));
  assert.equal(box().open(sealed), { token: 'after' });
  assert.equal([twin.open(former), box().open(former)], [{ token: 'before' }, { token: 'before' }]);
});

test('a killed reseal job is continued, and in the end everything is sealed with the new key', async () => {
  // What the rotation of the other case began is over first.
  await waitFor(
    newestJob,
    (job) => job?.status === 'COMPLETED' && job.input['key'] === box().fingerprint,
    'the former job ends',
  );
  const body = {
    name: uniqueName('db'),
    serviceType: 'Postgres',
    connection: { config: { hostPort: 'db.example.com:5432', username: 'u', password: 'hunter2' } },
  };
  const made = ok(await service.admin.post('/v1/services/databaseServices', body), 201);
  // They come before all other tokens of the store, because they are taken in the order of their ids.
  const tokens = Array.from({ length: TOKENS }, (_, at) => ({
    id: `0000-${String(at).padStart(4, '0')}-${randomUUID()}`,
    digest: randomUUID(),
    sealed: box().seal({ token: `token ${at}` }).token,
    expiry: MARK,
  }));
  // One that no key opens stays as it is, and keeps nothing from its end.
  const lost = `tributary-sealed:2:AAAAAAAA:${'A'.repeat(60)}`;
  tokens.push({ id: randomUUID(), digest: randomUUID(), sealed: lost, expiry: MARK });
  await service.graph.query('UNWIND $tokens AS token CREATE (n:IssuedToken) SET n = token', { tokens });
  await service.app.runner.stop();
  const victim = await startJobProcess({}, { step: 2, statement: 'system/update_sealed_tokens' });
  let id = '';
  try {
    id = await rotate();
    await waitUntilHeld(victim);
  } finally {
    await victim.kill();
  }
  assert.is(await sealedBy(id), 200);
  const killed = await newestJob();
  assert.equal([killed?.status, killed?.input['key']], ['RUNNING', box().fingerprint]);
  await expireJobLeases(service);
  service.app.runner.start();
  await waitFor(newestJob, (job) => job?.status === 'COMPLETED', 'the job is carried to its end');
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
