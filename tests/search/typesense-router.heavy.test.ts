import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { createTypesenseClient } from '../../src/search/typesense/client.ts';
import { ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { clearTypesense, openTypesense, type TypesenseServer } from '../support/typesense.ts';

/** Shows which engine answers each search, and that only a header of the answer tells them apart. */

const test = suite('search: choice of the engine');

const given = await openTypesense();

const ENGINE = 'x-search-engine';

let service: Service;
let client: Client;
let app: App;
let as: (name: string) => Promise<Client>;
let prefix: string;
let schema: string;

const at = (parameters: Readonly<Record<string, string>>, path = 'query') =>
  `/v1/search/${path}?${new URLSearchParams(parameters)}`;

const here = () => JSON.stringify({ query: { term: { 'databaseSchema.fullyQualifiedName': schema } } });

const ask = async (parameters: Readonly<Record<string, string>>, who = client) => {
  const reply = await who.get(at({ query_filter: here(), ...parameters }));
  // biome-ignore lint/suspicious/noExplicitAny: answers of searches are looked at in many ways.
  const hits: any[] = ok(reply).hits.hits;
  return { engine: reply.headers.get(ENGINE), names: hits.map(({ _source }) => _source.name), json: reply.json };
};

const UNSENT = 'MATCH (unsent:Unsent) RETURN unsent{.*, now: timestamp()} AS unsent LIMIT 3';

const until = async (what: string, isSo: () => Promise<boolean>, ms = 120_000) => {
  const deadline = Date.now() + ms;
  while (!(await isSo())) {
    if (Date.now() > deadline) {
      const waiting = JSON.stringify(await service.graph.query(UNSENT));
      throw new Error(`${what} did not come about; what waits to be sent: ${waiting}`);
    }
    await sleep(50);
  }
};

const createTable = async (name: string, more: object = {}) => {
  const columns = [{ name: 'id', dataType: 'INT' }];
  return ok(await client.post('/v1/tables', { name, databaseSchema: schema, columns, ...more }), 201);
};

const beside = async (parameters: Readonly<Record<string, string>> = {}) =>
  (await ask({ sort_field: 'name', sort_order: 'asc', ...parameters })).engine === 'typesense';

const withServer = (server: TypesenseServer) => {
  test.before(async () => {
    service = await openService();
    prefix = `${uniqueName('r')}_`;
    const env = { TYPESENSE_URL: server.url, TYPESENSE_API_KEY: server.apiKey, TYPESENSE_PREFIX: prefix };
    ({ client, app, as } = await openSecondProcessWith(
      service,
      { indexer: { maintainMs: 500, awayMs: 500 } },
      { env },
    ));
    const root = uniqueName('routed');
    ok(await client.post('/v1/services/databaseServices', { name: root, serviceType: 'Mysql' }), 201);
    ok(await client.post('/v1/databases', { name: 'db', service: root }), 201);
    ok(await client.post('/v1/databaseSchemas', { name: 'sc', database: `${root}.db` }), 201);
    schema = `${root}.db.sc`;
    await createTable('dim_customer', { tableType: 'Regular' });
    await createTable('customer', { tableType: 'View' });
    app.refresher.start();
    app.indexer?.start();
    await until('an answer beside the graph', beside);
  });

  test('Typesense answers searches that translate exactly, as the header says', async () => {
    const parameters = { sort_field: 'name', sort_order: 'desc', q: 'tableType:View OR name:dim' };
    const found = await ask(parameters);
    assert.is(found.engine, 'typesense');
    assert.equal(found.names, ['dim_customer', 'customer']);
    const { took: _, ...graph } = ok(await service.admin.get(at({ query_filter: here(), ...parameters })));
    const { took: __, ...other } = found.json;
    assert.equal(other, graph, 'but for how long it took it is the same answer');
  });

  test('Typesense ranks words with a score', async () => {
    const { engine, json } = await ask({ q: '+customer', explain: 'true' });
    assert.is(engine, 'typesense');
    assert.is(json.hits.hits.length, 2);
    assert.ok(json.hits.hits.every(({ _score }: { _score: number }) => _score > 0));
    assert.is(json.hits.max_score, json.hits.hits[0]._score);
    assert.match(json.hits.hits[0]._explanation.description, /Typesense/);
  });

  test('Typesense ranks typed text, with typos and prefixes', async () => {
    for (const q of ['customer', 'custmer', 'cust', 'customr', 'dim custo', 'DIM customer']) {
      const { engine, names } = await ask({ q });
      assert.equal([engine, names.includes('dim_customer')], ['typesense', true], q);
      assert.is(names.includes('customer'), !/dim/i.test(q), q);
      if (q === 'customer') assert.is(names[0], 'customer', 'who bears the name comes first');
    }
    const { engine, names, json } = await ask({ q: 'customer', post_filter: '{"term":{"tableType":"View"}}' });
    assert.equal([engine, names], ['typesense', ['customer']]);
    const counted = json.aggregations['sterms#tableType'].buckets;
    assert.equal(counted, [
      { key: 'regular', doc_count: 1 },
      { key: 'view', doc_count: 1 },
    ]);
  });

  test('the engine that ranked one page ranks the next', async () => {
    const first = await ask({ q: '+customer', size: '1' });
    assert.equal([first.engine, first.names.length], ['typesense', 1]);
    const query = new URLSearchParams({ query_filter: here(), q: '+customer', size: '1' });
    for (const value of first.json.hits.hits[0].sort) query.append('search_after', String(value));
    const reply = await client.get(`/v1/search/query?${query}`);
    assert.is(reply.headers.get(ENGINE), 'typesense');
    const [second, ...rest] = ok(reply).hits.hits;
    assert.equal([first.names[0], second._source.name].sort(), ['customer', 'dim_customer']);
    assert.equal([rest, reply.json.hits.total], [[], { value: 2, relation: 'eq' }]);
  });

  test('the graph answers searches that do not translate exactly', async () => {
    for (const parameters of [
      { q: 'dim_customer' },
      { q: 'cust*' },
      { q: '"dim customer"' },
      { q: 'customer mouse' },
    ]) {
      const { engine, names } = await ask(parameters);
      assert.is(engine, 'neo4j', parameters.q);
      assert.ok(names.includes('dim_customer'), parameters.q);
    }
    const after = await ask({ sort_field: 'name', sort_order: 'asc', search_after: 'customer,x' });
    assert.is(after.engine, 'neo4j');
    assert.is((await client.get(at({ field: 'tableType', index: 'table' }, 'aggregate'))).headers.get(ENGINE), 'neo4j');
  });

  test('the graph answers searches for users by e-mail, since it knows new users at once', async () => {
    for (const field of ['email', 'email.keyword']) {
      const email = `${uniqueName('new')}@example.com`;
      ok(await client.post('/v1/users', { name: email.split('@')[0], email }), 201);
      const parameters = {
        index: 'user',
        q: `${field}:${email}`,
        query_filter: '',
        sort_field: 'name',
        sort_order: 'asc',
      };
      const { engine, json } = await ask(parameters);
      assert.equal([engine, json.hits.total.value], ['neo4j', 1]);
    }
  });

  test('the graph answers callers who may see only some records of a kind', async () => {
    const { name } = await createRightsFactory(service).person([
      { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
    ]);
    const partial = await as(name);
    const { engine } = await ask({ sort_field: 'name', sort_order: 'asc' }, partial);
    assert.is(engine, 'neo4j');
  });

  test('a stale document is never returned', async () => {
    const table = await createTable('fct_late', { description: 'before' });
    const wanted = { q: 'name.keyword:fct_late AND descriptionStatus:COMPLETE', sort_field: 'name', sort_order: 'asc' };
    await until('the sending', async () => {
      const { engine, names } = await ask(wanted);
      return engine === 'typesense' && names.length === 1;
    });
    ok(
      await client.patch(`/v1/tables/${table.id}`, [{ op: 'remove', path: '/description' }], {
        'content-type': 'application/json-patch+json',
      }),
    );
    assert.equal((await ask(wanted)).names, [], 'the hit is not what is asked for any more');
    await until('the other engine to know', async () => {
      const { engine, names } = await ask(wanted);
      return engine === 'typesense' && names.length === 0;
    });
  });

  test('both engines are compared with the records, repaired and rebuilt together', async () => {
    const typesense = createTypesenseClient({ url: server.url, apiKey: server.apiKey });
    const serving = async () =>
      (await typesense.aliases()).find(({ name }) => name === `${prefix}table_search_index`)?.collection ?? '';
    const table = await createTable('lost');
    const find = () => ask({ q: 'name.keyword:lost', sort_field: 'name', sort_order: 'asc' });
    await until('the sending', async () => (await find()).engine === 'typesense' && (await find()).names.length === 1);
    await typesense.deleteDocuments(await serving(), [table.id]);
    assert.equal((await find()).names, []);
    const drift = async () => ok(await client.get('/v1/search/drift?entityType=table')).typesense;
    assert.equal(await drift(), { unserved: [], missing: 1, behind: 0, orphaned: 0 });
    const end = async (path: string) => {
      const { jobId } = ok(await client.post(`/v1/search/${path}`, {}), 202);
      assert.equal(pickMembers(await waitForJobEnd(client, jobId), 'status', 'error'), ['COMPLETED', undefined]);
    };
    // The other process knows of no other engine, and must not be the one that does it.
    await service.app.runner.stop();
    app.runner.start();
    await end('drift/repair');
    await until('the mending', async () => (await find()).names.length === 1);
    const before = await serving();
    await end('reindex/table');
    assert.is.not(await serving(), before);
    assert.equal((await find()).names, ['lost']);
    const { orphanIndexes } = ok(await client.get('/v1/search/stats'));
    assert.ok(
      orphanIndexes.some(({ name }: { name: string }) => name === before),
      'what served before is kept a while',
    );
    assert.is((await drift()).missing, 0);
    typesense.close();
  });

  const { halt, restart } = server;
  if (halt && restart) {
    test('the graph answers when Typesense is unreachable', async () => {
      await halt();
      const { engine, names } = await ask({ sort_field: 'name', sort_order: 'asc', q: 'tableType:View' });
      assert.is(engine, 'neo4j');
      assert.equal(names, ['customer']);
      await createTable('made_meanwhile', { tableType: 'View' });
      assert.equal((await ask({ sort_field: 'name', sort_order: 'asc', q: 'tableType:View' })).names, [
        'customer',
        'made_meanwhile',
      ]);
      const stats = ok(await client.get('/v1/search/stats'));
      assert.is(stats.clusterHealth, 'YELLOW');
      assert.ok(stats.totalDocuments > 0);
      const drift = ok(await client.get('/v1/search/drift?entityType=table'));
      assert.equal([drift.isTrue, drift.typesense.unserved], [false, ['table']]);
      const health = ok(await client.get('/v1/system/health'));
      assert.equal([health.status, health.search.backend], ['healthy', 'typesense']);
      await restart();
    });

    test('Typesense answers again when it is reachable, with the records created meanwhile', async () => {
      const wanted = { sort_field: 'name', sort_order: 'asc', q: 'tableType:View' };
      await until('an answer by the engine that came back', async () => {
        const { engine, names } = await ask(wanted);
        return engine === 'typesense' && names.includes('made_meanwhile');
      });
      const { engine, names } = await ask(wanted);
      assert.equal([engine, names], ['typesense', ['customer', 'made_meanwhile']]);
      assert.is(ok(await client.get('/v1/search/stats')).clusterHealth, 'GREEN');
      const drift = ok(await client.get('/v1/search/drift?entityType=table'));
      assert.equal([drift.typesense.unserved, drift.typesense.missing], [[], 0]);
    });
  } else test.skipped('its server goes and comes back', 'the server was given and is not stopped by tests');

  test.after(async () => {
    await app.runner.stop();
    service.app.runner.start();
    await app.indexer?.stop();
    await app.refresher.stop();
    await clearTypesense(service.graph, server, [prefix]);
  });
  test.after(() => server.close());
};

if ('missing' in given) test.skipped('all of it', given.missing);
else withServer(given);

test.run();
