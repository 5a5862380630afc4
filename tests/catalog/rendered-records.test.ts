import * as assert from 'uvu/assert';
import { everyKindAtOnce } from '../support/every-kind.ts';
import { ok } from '../support/expect.ts';
import { confirmAnswers, expectAsInGraph, SOON } from '../support/kept-answers.ts';
import { waitFor } from '../support/patience.ts';
import type { CreatedRecord } from '../support/samples.ts';
import { openSecondProcess, openSecondProcessWith } from '../support/second-process.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/**
 * Shows that answers and search documents kept in memory are those that the graph gives, after every change of the record
 * itself and of all records whose data they contain.
 */

const test = suite('catalog: rendered records');
const each = everyKindAtOnce(test);

let service: Service;
/** Calls a service that confirms answers soon. */
let soon: Client;
test.before(async () => {
  service = await openService();
  soon = (await openSecondProcessWith(service, SOON)).client;
});

const confirm = (paths: readonly string[]) => confirmAnswers(service.admin, paths);

const expectAsKept = (paths: readonly string[], what: string) => expectAsInGraph(soon, paths, what);

const KEPT_FIELDS = ['owners', 'domains', 'dataProducts', 'followers', 'votes', 'tags'];

const pathsOf = (path: string, { id, fullyQualifiedName }: CreatedRecord, fields: readonly string[]) => {
  const named = `${path}/name/${encodeURIComponent(fullyQualifiedName)}`;
  const more = fields.join();
  return [`${path}/${id}`, named, `${path}/${id}?fields=${more}`, `${named}?fields=${more}`];
};

const patch = async (path: string, id: string, member: string, value: unknown): Promise<void> => {
  ok(await soon.patch(`${path}/${id}`, [{ op: 'add', path: `/${member}`, value }]));
};

/** The search document of a record, as a client reads it. */
const documentPath = ({ id }: CreatedRecord, index: string) => `/v1/search/get/${index}/doc/${id}`;

each('its answers follow its own changes', async ({ samples, kind, path }) => {
  const made = await samples.create(kind);
  const fields = KEPT_FIELDS.filter((name) => kind.gatedNames.has(name));
  const { index } = kind.search;
  const paths = [...pathsOf(path, made, fields), ...(index ? [documentPath(made, index)] : [])];
  await expectAsKept(paths, 'as created');
  await patch(path, made.id, 'description', 'described anew');
  await expectAsKept(paths, 'described');
  if (kind.gatedNames.has('followers')) {
    const { id: adminId } = ok(await soon.get('/v1/users/name/admin'));
    ok(await soon.put(`${path}/${made.id}/followers`, adminId));
    await expectAsKept(paths, 'followed');
  }
  if (kind.gatedNames.has('votes')) {
    ok(await soon.put(`${path}/${made.id}/vote`, { updatedVoteType: 'votedUp' }));
    await expectAsKept(paths, 'voted for');
  }
  if (kind.softDeletable) {
    ok(await soon.delete(`${path}/${made.id}?recursive=true`));
    await expectAsKept(paths, 'deleted');
    ok(await soon.put(`${path}/restore`, { id: made.id }));
    await expectAsKept(paths, 'restored');
  }
  ok(await soon.delete(`${path}/${made.id}?recursive=true&hardDelete=true`));
  await expectAsKept(paths, 'deleted for good');
});

const make = async (path: string, body: object): Promise<CreatedRecord> =>
  ok(await soon.post(path, { name: uniqueName('kept'), ...body }), 201);

const SERVICES = '/v1/services/databaseServices';

/** A table below a service, with everything that other records contribute to its answer. */
const makeRelatedTable = async () => {
  const person = await make('/v1/users', { email: `${uniqueName('kept')}@example.com` });
  const owner = { id: person.id, type: 'user' };
  const domain = await make('/v1/domains', { description: 'd', domainType: 'Aggregate' });
  const product = await make('/v1/dataProducts', { description: 'd', domains: [domain.fullyQualifiedName] });
  const classification = await make('/v1/classifications', { description: 'd' });
  const newTag = () => make('/v1/tags', { description: 'd', classification: classification.name });
  const [tag, columnTag] = [await newTag(), await newTag()];
  const above = await make(SERVICES, {
    serviceType: 'Mysql',
    owners: [owner],
    domains: [domain.fullyQualifiedName],
  });
  const database = await make('/v1/databases', { service: above.fullyQualifiedName });
  const schema = await make('/v1/databaseSchemas', { database: database.fullyQualifiedName });
  const table = await make('/v1/tables', {
    databaseSchema: schema.fullyQualifiedName,
    dataProducts: [product.fullyQualifiedName],
    tags: [{ tagFQN: tag.fullyQualifiedName, source: 'Classification' }],
    columns: [
      {
        name: 'id',
        dataType: 'INT',
        tags: [{ tagFQN: columnTag.fullyQualifiedName, source: 'Classification' }],
      },
    ],
  });
  ok(await soon.put(`/v1/tables/${table.id}/followers`, person.id));
  return { person, domain, product, classification, tag, columnTag, above, database, schema, table };
};

test('the answers of a table follow the changes of all records that they contain data of', async () => {
  const made = await makeRelatedTable();
  const { table, above, classification, tag, columnTag } = made;
  const list = `/v1/tables?service=${above.fullyQualifiedName}&fields=columns,tags,owners&limit=10`;
  const document = documentPath(table, 'table_search_index');
  const paths = [...pathsOf('/v1/tables', table, ['columns', ...KEPT_FIELDS]), list, document];
  const check = (what: string) => expectAsKept(paths, what);
  await check('as created');
  const today = new Date().toISOString().slice(0, 10);
  ok(await soon.post(`/v1/usage/table/${table.id}`, { date: today, count: 7 }));
  await check('used');
  assert.is(ok(await soon.get(document))._source.usageSummary.dailyStats.count, 7);
  const asked = await make('/v1/queries', {
    query: `SELECT '${table.id}'`,
    service: above.fullyQualifiedName,
    queryUsedIn: [{ id: table.id, type: 'table' }],
  });
  await check('mentioned by a query');
  assert.is(ok(await soon.get(document))._source.queryCount, 1);
  ok(await soon.delete(`/v1/queries/${asked.id}?hardDelete=true`));
  await check('no longer mentioned');
  const others: Readonly<Record<string, CreatedRecord>> = {
    [SERVICES]: above,
    '/v1/databases': made.database,
    '/v1/databaseSchemas': made.schema,
    '/v1/users': made.person,
    '/v1/domains': made.domain,
    '/v1/dataProducts': made.product,
    '/v1/tags': tag,
  };
  for (const [path, { id }] of Object.entries(others)) {
    await patch(path, id, 'displayName', `shown ${uniqueName('kept')}`);
    await check(`${path} shown under another name`);
    await patch(path, id, 'description', `described ${uniqueName('kept')}`);
    await check(`${path} described anew`);
  }
  await patch('/v1/tags', columnTag.id, 'displayName', 'another label');
  await check('the tag of a column shown under another name');
  for (const [path, { id }] of [
    ['/v1/tags', tag],
    ['/v1/tags', columnTag],
    ['/v1/users', made.person],
  ] as const) {
    ok(await soon.delete(`${path}/${id}`));
    await check(`${path} deleted`);
    ok(await soon.put(`${path}/restore`, { id }));
    await check(`${path} restored`);
  }
  await patch('/v1/classifications', classification.id, 'name', uniqueName('renamed'));
  await check('the classification renamed');
  ok(await soon.patch(`${SERVICES}/${above.id}`, [{ op: 'replace', path: '/owners', value: [] }]));
  await check('the inherited owner gone');
  await patch('/v1/domains', made.domain.id, 'name', uniqueName('renamed'));
  await check('the domain renamed');
  for (const [path, { id }] of [
    ['/v1/tags', tag],
    ['/v1/tags', columnTag],
    ['/v1/users', made.person],
    ['/v1/dataProducts', made.product],
  ] as const) {
    ok(await soon.delete(`${path}/${id}?hardDelete=true&recursive=true`));
    await check(`${path} deleted for good`);
  }
});

test('an answer is found by the name that an ancestor was given, and no longer by the former one', async () => {
  const domain = await make('/v1/domains', { description: 'd', domainType: 'Aggregate' });
  const below = await make('/v1/domains', {
    description: 'd',
    domainType: 'Aggregate',
    parent: domain.fullyQualifiedName,
  });
  const former = pathsOf('/v1/domains', below, ['owners']);
  await expectAsKept(former, 'as created');
  const name = uniqueName('renamed');
  await patch('/v1/domains', domain.id, 'name', name);
  await expectAsKept(former, 'asked for by the former name');
  const { fullyQualifiedName } = ok(await soon.get(`/v1/domains/${below.id}`));
  assert.is(fullyQualifiedName, `${name}.${below.name}`);
  await expectAsKept(pathsOf('/v1/domains', { ...below, fullyQualifiedName }, ['owners']), 'by its new name');
});

test('a kept answer costs at most one query of revisions, as does a page of them besides its own', async () => {
  const { table, above } = await makeRelatedTable();
  const paths = [
    `/v1/tables/${table.id}`,
    `/v1/tables/name/${table.fullyQualifiedName}?fields=owners,tags`,
    `/v1/tables?service=${above.fullyQualifiedName}&fields=tags`,
    documentPath(table, 'table_search_index'),
  ];
  const READERS = ['read', 'read_plain_by_id', 'read_plain_by_name'].map((name) => `catalog/record/${name}`);
  const sent = () => READERS.reduce((sum, name) => sum + service.sent(name), 0);
  for (const path of paths) {
    const readAgain = async () => {
      const looks = () => service.sent('catalog/record/read_revisions');
      const asked = () => service.sent('graph/read_bookmark');
      const [before, looked, askedBefore] = [sent(), looks(), asked()];
      ok(await service.admin.get(path));
      return { reads: sent() - before, looks: looks() - looked, asked: asked() - askedBefore };
    };
    // The first reads confirm the answer, and the service refreshes search documents meanwhile.
    const counted = await waitFor(readAgain, ({ reads }) => reads === 0, `${path} is answered from memory`);
    assert.ok(counted.looks <= 1, path);
    assert.ok(counted.looks + counted.asked >= 1, `${path} was never compared with the database`);
  }
});

test('pages that are read at the same time share the query of their total', async () => {
  const counting = 'catalog/list/count_all:LiveTable';
  const before = service.sent(counting);
  const PAGES = 20;
  const pages = await Promise.all(Array.from({ length: PAGES }, () => service.admin.get('/v1/tables?limit=1')));
  const totals = new Set(pages.map((page) => ok(page).paging.total));
  assert.is(totals.size, 1);
  const queries = service.sent(counting) - before;
  assert.ok(queries > 0 && queries < PAGES, `${queries} queries`);
});

test('what another process writes is seen at once', async () => {
  const { table, schema } = await makeRelatedTable();
  const other = await openSecondProcess(service);
  const at = `/v1/tables/${table.id}`;
  await confirm([at]);
  ok(await other.patch(at, [{ op: 'add', path: '/description', value: 'by the other process' }]));
  assert.is(ok(await service.admin.get(at)).description, 'by the other process');
  await confirm([at]);
  const value = 'by the other process as well';
  ok(await other.patch(`/v1/databaseSchemas/${schema.id}`, [{ op: 'add', path: '/displayName', value }]));
  assert.is(ok(await service.admin.get(at)).databaseSchema.displayName, value);
});

test('writers and readers of one record never see an older state than the last answered write', async () => {
  const { table } = await makeRelatedTable();
  const at = `/v1/tables/${table.id}`;
  await confirm([at]);
  let written = 0;
  const write = async () => {
    for (let number = 1; number <= 40; number += 1) {
      ok(await service.admin.patch(at, [{ op: 'add', path: '/description', value: String(number) }]));
      written = number;
    }
  };
  const writing = write();
  let isOver = false;
  void writing.finally(() => {
    isOver = true;
  });
  const read = async () => {
    while (!isOver) {
      const least = written;
      const { description } = ok(await service.admin.get(at));
      assert.ok(least === 0 || Number(description) >= least, `read ${description} after ${least} was written`);
    }
  };
  await Promise.all([writing, read(), read(), read()]);
});

test('callers who do not see every record never get an answer that was kept for others', async () => {
  const { table, person } = await makeRelatedTable();
  const at = `/v1/tables/${table.id}?fields=owners`;
  await confirm([at]);
  assert.is(ok(await service.admin.get(at)).owners.length, 1);
  const rule = { name: 'no-people', effect: 'deny', operations: ['ViewAll', 'ViewBasic'], resources: ['user'] };
  // The process that is asked makes the rules itself, because those of another one follow only within a second.
  const makeHere = async (path: string, body: object): Promise<CreatedRecord> =>
    ok(await service.admin.post(path, { name: uniqueName('kept'), ...body }), 201);
  const policy = await makeHere('/v1/policies', { rules: [rule] });
  const role = await makeHere('/v1/roles', { policies: [policy.fullyQualifiedName] });
  const name = uniqueName('kept');
  ok(await service.admin.post('/v1/users', { name, email: `${name}@example.com`, roles: [role.id] }), 201);
  const caller = await service.as(name);
  const seen = ok(await caller.get(at));
  assert.not.match(JSON.stringify(seen), new RegExp(person.id));
  assert.is(ok(await service.admin.get(at)).owners.length, 1);
});

test.run();
