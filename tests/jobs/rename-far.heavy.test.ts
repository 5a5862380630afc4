import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { expireJobLeases, killJobAt } from '../support/job-process.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a renaming beyond the limit of one request is completed when its process is killed. */

const test = suite('jobs: large renames');

/** A limit so low that some hundred terms are very many, and so few in a transaction that they need several. */
const BOUNDS = { cascadeRows: 100, batchRows: 100, jobs: { pollMs: 50, idlePollMs: 200 } };
const TERMS = 250;

let service: Service;
let client: Client;
let app: App;

test.before(async () => {
  service = await openService();
  await service.app.runner.stop();
  ({ client, app } = await openSecondProcessWith(service, BOUNDS));
});

test.after(async () => {
  await app.runner.stop();
  service.app.runner.start();
});

/** Copies of one term, written at once, because a request for each would take long. */
const plant = async (glossary: string): Promise<void> => {
  const first = ok(
    await client.post('/v1/glossaryTerms', { name: 'term_0', glossary, description: 'One of very many.' }),
    201,
  );
  await service.graph.query(
    `MATCH (first:GlossaryTerm {fullyQualifiedName: $fqn})<-[:CONTAINS]-(glossary)
     UNWIND range(1, $last) AS number
     CREATE (glossary)-[:CONTAINS]->(n:Entity:GlossaryTerm:LiveGlossaryTerm)
     WITH n, first, 'term_' + toString(number) AS name, randomUUID() AS id
     SET n = first{.*, id: id, name: name, fullyQualifiedName: $glossary + '.' + name, sortKey: name + ' ' + id}`,
    { fqn: first.fullyQualifiedName, glossary, last: TERMS - 1 },
  );
};

const named = async (prefix: string): Promise<number> => {
  const [row] = await service.graph.query(
    'MATCH (n:GlossaryTerm) WHERE n.fullyQualifiedName STARTS WITH $prefix RETURN count(n) AS total',
    { prefix: `${prefix}.` },
  );
  return row?.['total'] as number;
};

test(`a glossary of ${TERMS} terms is renamed without loss when its job is killed`, async () => {
  const [old, fresh] = [uniqueName('glossary'), uniqueName('renamed')];
  const glossary = ok(await client.post('/v1/glossaries', { name: old, description: 'Very many terms.' }), 201);
  await plant(old);
  assert.is(await named(old), TERMS);
  const renamed = ok(await client.patch(`/v1/glossaries/${glossary.id}`, { name: fresh }));
  assert.equal([renamed.name, renamed.fullyQualifiedName, renamed.version], [fresh, fresh, 0.2]);
  const [job] = ok(await client.get('/v1/jobs?limit=1')).data;
  assert.equal(pickMembers(job, 'status', 'progress'), ['QUEUED', 0], 'the request waits for the root alone');
  assert.is(await named(old), TERMS);
  // The second batch has its new names when the process dies, and nobody has seen them.
  const count = async () => ({ left: await named(old), gone: await named(fresh) });
  const half = { left: TERMS - BOUNDS.batchRows, gone: BOUNDS.batchRows };
  await killJobAt(BOUNDS, { jobId: job.jobId, step: 2, beforeCommit: true }, async () =>
    assert.equal(await count(), half),
  );
  await expireJobLeases(service);
  assert.equal(await count(), half);
  app.runner.start();
  const done = await waitForJobEnd(client, job.jobId);
  assert.equal([done.status, await named(old), await named(fresh)], ['COMPLETED', 0, TERMS]);
  const last = ok(await client.get(`/v1/glossaryTerms/name/${fresh}.term_${TERMS - 1}`));
  assert.equal([last.glossary.name, last.version], [fresh, 0.1]);
  expectRefused(await client.get(`/v1/glossaryTerms/name/${old}.term_1`), 404);
  const page = ok(await client.get(`/v1/glossaryTerms?glossary=${fresh}&limit=2`));
  assert.equal([page.data.length, page.paging.total], [2, TERMS]);
  await service.graph.query(
    'MATCH (n:GlossaryTerm) WHERE n.scope1 = $fresh CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 10000 ROWS',
    { fresh },
  );
});

test.run();
