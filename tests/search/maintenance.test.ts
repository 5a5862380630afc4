import * as assert from 'uvu/assert';
import { markDocumentsStale } from '../../src/catalog/queries.ts';
import { requestReindex } from '../../src/cli/reindex.ts';
import { deleteMarks, lockMarks, readMarks } from '../../src/search/maintenance/queries.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that search documents can be rebuilt and compared with their assets. */

const test = suite('search: maintenance');

let service: Service;

test.before(async () => {
  service = await openService();
});

const query = (text: string, params: Record<string, unknown>) => service.graph.query(text, params);

type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

/** Records that are not marked any more, as if somebody had looked after them. */
const domains = async (count: number): Promise<Made[]> => {
  const made: Made[] = [];
  for (let at = 0; at < count; at += 1) {
    const body = { name: uniqueName('upkeep'), description: 'x', domainType: 'Aggregate' };
    made.push(ok(await service.admin.post('/v1/domains', body), 201));
  }
  await query('UNWIND $ids AS id MATCH (mark:Dirty {entityId: id}) DELETE mark', { ids: made.map(({ id }) => id) });
  return made;
};

const isFound = async ({ id, name }: Made): Promise<boolean> => {
  const { hits } = ok(await service.admin.get(`/v1/search/query?index=domain&q=${name}&fetch_source=false`)).hits;
  return hits.some((hit: { _id: string }) => hit._id === id);
};

const drop = ({ id }: Made) => query('MATCH (doc:SearchDoc {id: $id}) DELETE doc', { id });

const end = async (reply: { readonly jobId: string }) => {
  const job = await waitForJobEnd(service.admin, reply.jobId);
  assert.equal(pickMembers(job, 'operation', 'status', 'error'), ['REINDEX', 'COMPLETED', undefined]);
  return job;
};

test('all documents of a type are rebuilt', async () => {
  const made = await domains(3);
  for (const one of made) await drop(one);
  const [first] = made as [Made];
  assert.is(await isFound(first), false);
  const job = await end(ok(await service.admin.post('/v1/search/reindex/domain', {}), 202));
  assert.equal(pickMembers(job, 'entityType', 'createdBy'), ['domain', 'admin']);
  assert.ok(job.progress >= 3 && job.progress === job.total, `${job.progress} of ${job.total}`);
  assert.match(job.message, /^\d+ documents written/);
  for (const one of made) assert.is(await isFound(one), true);
});

test('types are selected by names of indexes and aliases too', async () => {
  const [made] = (await domains(1)) as [Made];
  for (const entities of [['domain_search_index'], ['apiCollection', 'domain']]) {
    await drop(made);
    await end(ok(await service.admin.post('/v1/search/reindex', { entities, recreateIndex: true }), 202));
    assert.is(await isFound(made), true);
  }
});

test('documents of single records are rebuilt', async () => {
  const [one, other, third] = (await domains(3)) as [Made, Made, Made];
  for (const each of [one, other, third]) await drop(each);
  const refs = [
    { id: one.id, type: 'domain' },
    { type: 'domain', fullyQualifiedName: other.fullyQualifiedName },
    { id: one.id, type: 'domain' },
  ];
  const job = await end(ok(await service.admin.post('/v1/search/reindexEntities', refs), 202));
  assert.equal(pickMembers(job, 'progress', 'total', 'message'), [2, 2, '2 documents written']);
  assert.equal([await isFound(one), await isFound(other), await isFound(third)], [true, true, false]);
});

test('invalid requests are refused and start no job', async () => {
  const count = async () => ok(await service.admin.get('/v1/apps/name/SearchIndexingApplication/status')).data[0];
  const before = await count();
  expectRefused(await service.admin.post('/v1/search/reindex/nothing', {}), 400, '[index nothing is not known]');
  expectRefused(await service.admin.post('/v1/search/reindex', { entities: ['domain', 'nothing'] }), 400);
  expectRefused(
    await service.admin.post('/v1/search/reindex', { entities: 'domain' }),
    400,
    '[entities must be a list]',
  );
  expectRefused(await service.admin.post('/v1/search/reindex', []), 400);
  expectRefused(await service.admin.post('/v1/search/reindexEntities', {}), 400);
  expectRefused(await service.admin.post('/v1/search/reindexEntities', [{ type: 'domain' }]), 400);
  expectRefused(await service.admin.post('/v1/search/reindexEntities', [{ id: 'x', type: 'domain' }]), 400);
  const id = '00000000-0000-4000-8000-000000000000';
  expectRefused(await service.admin.post('/v1/search/reindexEntities', [{ id, type: 'nothing' }]), 400);
  expectRefused(await service.admin.post('/v1/search/reindexEntities', [{ id, type: 'domain' }]), 404);
  for (const path of ['reindex/failures?limit=1001', 'reindex/failures?offset=-1', 'drift?limit=x']) {
    expectRefused(await service.admin.get(`/v1/search/${path}`), 400);
  }
  expectRefused(await service.admin.get('/v1/search/drift?entityType=nothing'), 400);
  expectRefused(await service.admin.get('/v1/search/reindex/failures?entityType=nothing'), 400);
  expectRefused(await service.admin.post('/v1/apps/trigger/Another', {}), 404, 'app instance for Another not found');
  expectRefused(await service.admin.get('/v1/apps/name/Another/status'), 404);
  assert.equal(await count(), before);
});

/** An index that a former version of the program has left. */
const FORMER = 'search_documents_00000000';

const drift = async (more = '') => ok(await service.admin.get(`/v1/search/drift?limit=1000${more}`));

type Found = { readonly id: string; readonly reason: string };

test('differing documents are reported and repaired alone', async () => {
  const [missing, behind, marked, right] = (await domains(4)) as [Made, Made, Made, Made];
  const orphan = '00000000-0000-4000-8000-0000000000ff';
  await drop(missing);
  await query('MATCH (doc:SearchDoc {id: $id}) SET doc.revision = doc.revision - 1', behind);
  await query(
    "MATCH (doc:SearchDoc {id: $id}) SET doc.revision = 0 CREATE (:Dirty {entityId: $id, entityType: 'domain'})",
    marked,
  );
  await query('MATCH (doc:SearchDoc {id: $id}) SET doc.popularity = 4711.0', right);
  await query("CREATE (:SearchDoc {id: $id, entityType: 'domain', form: 1})", { id: orphan });
  await service.graph.runSchemaCommand(
    `CREATE FULLTEXT INDEX ${FORMER} IF NOT EXISTS FOR (doc:SearchDoc) ON EACH [doc.terms]`,
  );
  const orphans = async () =>
    ok(await service.admin.get('/v1/search/stats')).orphanIndexes.map(({ name }: Made) => name);
  assert.equal(await orphans(), [FORMER]);
  const report = await drift('&entityType=domain');
  const mine = new Map((report.found as Found[]).map((one) => [one.id, one]));
  assert.equal(mine.get(missing.id), {
    id: missing.id,
    reason: 'missing',
    entityType: 'domain',
    fullyQualifiedName: missing.fullyQualifiedName,
    revision: 1,
  });
  assert.equal(mine.get(behind.id), {
    id: behind.id,
    reason: 'behind',
    entityType: 'domain',
    fullyQualifiedName: behind.fullyQualifiedName,
    revision: 1,
    documentRevision: 0,
  });
  assert.equal(mine.get(orphan), { id: orphan, reason: 'orphaned' });
  assert.equal([mine.has(marked.id), mine.has(right.id)], [false, false]);
  assert.is(report.isTrue, false);
  assert.equal(report.indexes.length, 1);
  const [counts] = report.indexes;
  assert.ok(counts.missing >= 1 && counts.behind >= 1 && counts.pending >= 1 && report.orphaned >= 1);
  assert.is(counts.records - counts.documents >= 1, true);

  const job = await end(ok(await service.admin.post('/v1/search/drift/repair', {}), 202));
  assert.match(job.message, /removed$/);
  assert.equal(await orphans(), []);
  const after = new Set(((await drift()).found as Found[]).map(({ id }) => id));
  for (const id of [missing.id, behind.id, orphan]) assert.is(after.has(id), false);
  assert.is(await isFound(missing), true);
  const [kept] = await query('MATCH (doc:SearchDoc {id: $id}) RETURN doc.popularity AS popularity', right);
  assert.is(kept?.['popularity'], 4711);
});

test('every write gives record and document one revision, or marks the record', async () => {
  const [made] = (await domains(1)) as [Made];
  ok(await service.admin.patch(`/v1/domains/${made.id}`, { displayName: 'Another' }));
  const [one] = await query(
    'MATCH (n:Entity {id: $id}), (doc:SearchDoc {id: $id}) RETURN n.revision = doc.revision AS same, n.revision AS revision',
    made,
  );
  assert.equal(one, { same: true, revision: 2 });
});

test('a mark set while another one is cleared is kept', async () => {
  const [{ id }] = (await domains(1)) as [Made];
  const { graph } = service;
  const mark = () => graph.write((other) => other.run(markDocumentsStale, { rows: [{ entityId: id, at: 0 }] }));
  await mark();
  const [first] = await graph.read(readMarks, { ids: [id] });
  const isMarkBlocked = async () => {
    const rows = await graph.query('SHOW TRANSACTIONS YIELD status, currentQuery RETURN status, currentQuery AS text');
    return rows.some(({ status, text }) => /^Blocked/.test(String(status)) && String(text).includes(':Dirty'));
  };
  const waiting = await graph.write(async (transaction) => {
    assert.is((await transaction.run(lockMarks, { ids: [id] })).length, 1);
    const marked = mark();
    await waitUntil(isMarkBlocked, 'the other one waits for the mark');
    await transaction.run(deleteMarks, { rows: [{ id, face: first?.face ?? null }] });
    return { marked };
  });
  await waiting.marked;
  assert.is((await graph.read(readMarks, { ids: [id] })).length, 1);
});

test('statistics of the index are returned', async () => {
  await domains(1);
  const stats = ok(await service.admin.get('/v1/search/stats'));
  assert.equal([stats.clusterHealth, stats.totalReplicaShards], ['GREEN', 0]);
  assert.is(stats.totalIndexes, stats.indexes.length);
  type Index = { name: string; documents: number; sizeInBytes: number; sizeFormatted: string; aliases: string[] };
  const index = stats.indexes.find(({ name }: Index) => name === 'domain_search_index') as Index;
  const [counted] = await query("MATCH (doc:SearchDoc {entityType: 'domain'}) RETURN count(doc) AS count", {});
  assert.is(index.documents, counted?.['count']);
  assert.ok(index.sizeInBytes > 0);
  assert.match(index.sizeFormatted, /^[\d.]+ [KM]?B$/);
  assert.ok(index.aliases.includes('domain'));
  const sum = stats.indexes.reduce((all: number, { documents }: Index) => all + documents, 0);
  assert.is(stats.totalDocuments, sum);
});

test('a rebuild is triggered as an application', async () => {
  const [made] = (await domains(1)) as [Made];
  await drop(made);
  const body = { entities: ['domain'], batchSize: 100 };
  const { jobId } = ok(await service.admin.post('/v1/apps/trigger/SearchIndexingApplication', body), 202);
  const job = await end({ jobId });
  const { data, paging } = ok(await service.admin.get('/v1/apps/name/SearchIndexingApplication/status'));
  assert.is(paging.total, data.length);
  const { executionTime, timestamp, successContext, ...run } = data[0];
  assert.equal(run, {
    appName: 'SearchIndexingApplication',
    status: 'success',
    runType: 'OnDemand',
    startTime: job.createdAt,
    endTime: job.completedAt,
  });
  assert.equal(successContext, { message: job.message });
  assert.is(executionTime, job.completedAt - job.createdAt);
  assert.ok(timestamp >= job.createdAt);
  assert.is(await isFound(made), true);
});

test('a rebuild is started from the command line', async () => {
  const [made] = (await domains(1)) as [Made];
  await drop(made);
  const lines: string[] = [];
  const options = {
    server: 'http://127.0.0.1',
    token: await service.token('admin'),
    send: async (address: string, init: RequestInit) => service.app.hono.request(address, init),
    report: (line: string) => lines.push(line),
    pollMs: 20,
  };
  const { message } = await requestReindex({ ...options, types: ['domain'] });
  assert.match(message, /^\d+ documents written/);
  assert.match(lines[0] ?? '', /^http:\/\/127\.0\.0\.1: job /);
  assert.is(await isFound(made), true);
  let said = '';
  await requestReindex({ ...options, types: ['nothing'] }).catch((failure: Error) => {
    said = failure.message;
  });
  assert.match(said, /answered 400/);
});

test.run();
