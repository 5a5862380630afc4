import { parse } from 'csv-parse/sync';
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, feed, type Made, mapping, openWorld, pipelineIn, type World } from '../lineage/fixture.ts';
import { HIDING, SENSITIVE, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { CASES, entityLinkOf } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { strayId } from '../support/samples.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows what changed in an asset or below a name, from versions, edges and results, to whoever may see it. */

const test = suite('insight: changes');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

/** Events have a place in time, by which they are found, a moment after they happened. */
const ask = async (query: string, client: Client = world.admin): Promise<Answer> => {
  await waitForSequencing(world.service);
  return ok(await client.get(`/v1/changes?${query}`));
};

const changesOf = async ({ id }: Pick<Made, 'id'>, query = '', client = world.admin): Promise<Answer[]> =>
  (await ask(`id=${id}&sort=time${query}`, client)).data;

/** The changes of an asset, the oldest first and without its creation. */
const listOf = async (asset: Pick<Made, 'id'>, query = ''): Promise<Answer[]> =>
  (await changesOf(asset, query)).filter(({ change }) => change !== 'created').reverse();

const named = (rows: readonly Answer[]): string[] => rows.map(({ change }) => change);

const patch = async (path: string, { id }: Pick<Made, 'id'>, body: unknown, client = world.admin): Promise<Made> =>
  ok(await client.patch(`/v1/${path}/${id}`, body));

const replace = (path: string, value: unknown) => ({ op: 'replace', path, value });

test('a row says who changed what, when, from what to what, and by which event', async () => {
  const { admin } = world;
  const table = await world.table('told');
  const person = await rights.person([{ operations: ['EditAll'] }]);
  const { version, updatedAt } = (await patch('tables', table, { description: 'Orders' }, person)) as Answer;
  const [row, first, ...others] = await changesOf(table);
  assert.equal(others, []);
  expectRef(row.entity);
  const { entity, eventId, ...rest } = row;
  assert.is(entity.fullyQualifiedName, table.fullyQualifiedName);
  assert.equal(rest, {
    at: updatedAt,
    by: person.name,
    kind: 'description',
    change: 'described',
    before: null,
    after: 'Orders',
    breaking: false,
    version,
  });
  const events = ok(await admin.get(`/v1/events?entityId=${table.id}&timestamp=0`)).data;
  assert.is(eventId, events.find(({ eventType }: Answer) => eventType === 'entityUpdated').id);
  assert.equal(
    [first.kind, first.change, first.before, first.after, first.version],
    ['lifecycle', 'created', null, null, 0.1],
  );
  assert.is(first.eventId, events.find(({ eventType }: Answer) => eventType === 'entityCreated').id);
});

test('changes of columns are told apart, and those that break are marked', async () => {
  const table = await world.table('columns', [
    column('a', { dataType: 'BIGINT' }),
    column('b', { dataType: 'INT' }),
    column('c', { dataType: 'VARCHAR', dataLength: 20 }),
    column('d', { dataType: 'STRUCT', children: [column('e'), column('f')] }),
  ]);
  const at = (index: number, name: string) => `/columns/${index}/${name}`;
  await patch('tables', table, [replace(at(0, 'dataType'), 'INT')]);
  await patch('tables', table, [replace(at(1, 'dataType'), 'BIGINT')]);
  await patch('tables', table, [replace(at(2, 'dataLength'), 10)]);
  await patch('tables', table, [replace(at(2, 'name'), 'z')]);
  await patch('tables', table, [{ op: 'add', path: at(1, 'constraint'), value: 'NOT_NULL' }]);
  await patch('tables', table, [{ op: 'remove', path: '/columns/3/children/1' }]);
  await patch('tables', table, [{ op: 'add', path: '/columns/-', value: column('n') }]);
  await patch('tables', table, [{ op: 'remove', path: '/columns/0' }]);
  await patch('tables', table, [{ op: 'add', path: at(0, 'description'), value: 'Text' }]);
  await patch('tables', table, [{ op: 'add', path: at(0, 'tags/-'), value: SENSITIVE }]);
  const rows = await listOf(table);
  const name = (path: string) => `${table.fullyQualifiedName}.${path}`;
  assert.equal(
    rows
      .map(({ change, column: one, before, after, breaking }) => [
        change,
        one?.fullyQualifiedName,
        before,
        after,
        breaking,
      ])
      .slice(0, 9),
    [
      ['columnRetyped', name('a'), { dataType: 'BIGINT' }, { dataType: 'INT' }, true],
      ['columnRetyped', name('b'), { dataType: 'INT' }, { dataType: 'BIGINT' }, false],
      ['columnRetyped', name('c'), { dataLength: 20 }, { dataLength: 10 }, true],
      ['columnRenamed', name('z'), 'c', 'z', true],
      ['constraintChanged', name('b'), null, 'NOT_NULL', false],
      ['columnRemoved', name('d.f'), { dataType: 'STRING' }, null, true],
      ['columnAdded', name('n'), null, { dataType: 'STRING' }, false],
      ['columnRemoved', name('a'), { dataType: 'BIGINT' }, null, true],
      ['described', name('b'), null, 'Text', false],
    ].map((row) =>
      row[0] === 'columnRemoved' && row[1] === name('a') ? [row[0], row[1], { dataType: 'INT' }, null, true] : row,
    ),
  );
  const label = rows.at(-1);
  assert.equal(
    [label.kind, label.change, label.column.name, label.after.tagFQN],
    ['tags', 'tagAdded', 'b', 'PII.Sensitive'],
  );
  for (const { column: one } of rows) expectRef(one.entity);
  assert.is(rows[0].column.entity.id, table.id);
});

test('owners, tags, domains and the life of an asset are told', async () => {
  const { admin } = world;
  const table = await world.table('governed');
  const [one, other] = [await rights.person(), await rights.person()];
  const domains = await Promise.all(
    ['first', 'second'].map((name) =>
      world.make('domains', { name: uniqueName(name), description: name, domainType: 'Aggregate' }),
    ),
  );
  await patch('tables', table, { owners: [{ id: one.id, type: 'user' }] });
  await patch('tables', table, { owners: [{ id: other.id, type: 'user' }] });
  await patch('tables', table, { tags: [SENSITIVE] });
  await patch('tables', table, { tags: [] });
  for (const { fullyQualifiedName } of domains) await patch('tables', table, { domains: [fullyQualifiedName] });
  ok(await admin.delete(`/v1/tables/${table.id}`));
  ok(await admin.put('/v1/tables/restore', { id: table.id }));
  const rows = await listOf(table);
  assert.equal(named(rows), [
    'ownerAdded',
    'ownerRemoved',
    'ownerAdded',
    'tagAdded',
    'tagRemoved',
    'moved',
    'moved',
    'deleted',
    'restored',
  ]);
  assert.equal([rows[1].before.id, rows[2].after.id], [one.id, other.id]);
  assert.is(rows[4].before.tagFQN, 'PII.Sensitive');
  assert.equal([rows[5].kind, rows[5].before, rows[5].after.id], ['domains', null, domains[0]?.id]);
  assert.equal([rows[6].before.id, rows[6].after.id], [domains[0]?.id, domains[1]?.id]);
  assert.equal(
    rows.map(({ breaking }) => breaking),
    rows.map(({ change }) => change === 'deleted'),
  );
});

test('follows, votes and usage are no changes', async () => {
  const { admin } = world;
  const table = await world.table('noisy');
  const person = await rights.person();
  ok(await admin.put(`/v1/tables/${table.id}/followers`, person.id));
  ok(await person.put(`/v1/tables/${table.id}/vote`, { updatedVoteType: 'votedUp' }));
  ok(await admin.put(`/v1/usage/table/${table.id}`, { date: '2026-01-01', count: 3 }));
  assert.equal(named(await changesOf(table)), ['created']);
});

test('an edge is listed once: at its target in the scope, or else at its source', async () => {
  const { a, b, c } = await tablesOf(world, 'a', 'b', 'c');
  const pipeline = await pipelineIn(world, 'loads');
  const { admin } = world;
  ok(await feed(admin, a, b, { sqlQuery: 'select 1' }));
  ok(await feed(admin, a, b, { sqlQuery: 'select 1' }));
  const details = { columnsLineage: [mapping(a, ['a'], b, 'b')], pipeline: { id: pipeline.id, type: 'pipeline' } };
  ok(await feed(admin, a, b, details));
  ok(await feed(admin, a, c, { source: 'QueryLineage' }));
  ok(await admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  const rows = await listOf(b);
  assert.equal(named(rows), ['edgeAdded', 'edgeChanged', 'edgeRemoved']);
  assert.equal(
    rows.map(({ entity, kind, breaking, version }) => [entity.id, kind, breaking, version]),
    [
      [b.id, 'lineage', false, null],
      [b.id, 'lineage', false, null],
      [b.id, 'lineage', true, null],
    ],
  );
  const [added, changed, removed] = rows;
  assert.equal(
    [added.before, added.after.lineageDetails.sqlQuery, added.after.sources],
    [null, 'select 1', ['Manual']],
  );
  assert.equal([added.after.fromEntity.id, added.after.toEntity.id], [a.id, b.id]);
  assert.is(changed.before.lineageDetails.sqlQuery, 'select 1');
  assert.equal(changed.after.lineageDetails.columnsLineage, details.columnsLineage);
  assert.is(changed.after.lineageDetails.pipeline.id, pipeline.id);
  assert.equal([removed.before, removed.after], [changed.after, null]);
  for (const { eventId } of rows) assert.type(eventId, 'string');
  for (const { by } of rows) assert.is(by, 'admin');
  assert.equal(
    (await listOf(a)).map(({ change, entity }) => [change, entity.id]),
    [
      ['edgeAdded', a.id],
      ['edgeChanged', a.id],
      ['edgeAdded', a.id],
      ['edgeRemoved', a.id],
    ],
  );
  const both = await ask(`scope=${encodeURIComponent(world.schemaFqn)}&kinds=lineage&limit=1000`);
  const ids = new Set([a.id, b.id, c.id]);
  assert.equal(
    both.data.filter(({ entity }: Answer) => ids.has(entity.id)).map(({ entity }: Answer) => entity.id === a.id),
    [false, false, false, false],
  );
});

const store = async (name: string, statuses: readonly string[], from: number): Promise<void> => {
  const path = `${CASES}/testCaseResults/${encodeURIComponent(name)}`;
  for (const [at, testCaseStatus] of statuses.entries())
    ok(await world.admin.post(path, { timestamp: from + at * 1000, testCaseStatus }), 201);
};

const promise = async (table: Made): Promise<Made> =>
  world.make('dataContracts', { name: uniqueName('promise'), entity: { id: table.id, type: 'table' } });

test('tests and contracts are told when their outcome changes, and not again while it stays', async () => {
  const { admin } = world;
  const table = await world.table('tested');
  const body = {
    name: uniqueName('check'),
    entityLink: entityLinkOf(table, 'a'),
    testDefinition: 'columnValuesToBeNotNull',
  };
  const check: Made = ok(await admin.post(CASES, body), 201);
  const from = Date.now() - 3_600_000;
  await store(check.fullyQualifiedName, ['Success', 'Failed', 'Failed', 'Aborted', 'Failed', 'Success'], from);
  const contract = await promise(table);
  for (const [at, contractExecutionStatus] of ['Success', 'Running', 'PartialSuccess', 'Failed', 'Success'].entries())
    ok(
      await admin.put(`/v1/dataContracts/${contract.id}/results`, {
        timestamp: from + at * 1000,
        contractExecutionStatus,
      }),
    );
  const rows = await listOf(table, `&kinds=tests,contracts&from=${from - 1}`);
  const told = (kind: string) =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ at, change, before, after, breaking }) => [at - from, change, before, after, breaking]);
  assert.equal(told('tests'), [
    [0, 'testPassed', null, 'Success', false],
    [1000, 'testFailed', 'Success', 'Failed', false],
    [5000, 'testPassed', 'Failed', 'Success', false],
  ]);
  assert.equal(told('contracts'), [
    [0, 'contractPassed', null, 'Success', false],
    [2000, 'contractFailed', 'Success', 'PartialSuccess', true],
    [4000, 'contractPassed', 'Failed', 'Success', false],
  ]);
  for (const { eventId } of rows) assert.type(eventId, 'string');
  const [first] = rows.filter(({ kind }) => kind === 'tests');
  assert.equal([first.entity.id, first.column.fullyQualifiedName], [check.id, `${table.fullyQualifiedName}.a`]);
  // What came before the window counts as the outcome before.
  const later = await listOf(table, `&kinds=tests&from=${from + 1500}`);
  assert.equal(named(later), ['testPassed']);
});

test('a contract that promises something else is one change', async () => {
  const table = await world.table('promised');
  const contract = await promise(table);
  await patch('dataContracts', contract, { schema: [column('a')], description: 'More' });
  const rows = (await listOf(table)).filter(({ entity }) => entity.id === contract.id);
  assert.equal(named(rows), ['contractChanged', 'described'].sort().reverse().reverse());
  const changed = rows.find(({ change }) => change === 'contractChanged');
  assert.equal([changed.kind, changed.before, changed.after.schema[0].name], ['contracts', {}, 'a']);
});

test('what is renamed is told, and so is what is gone for good, but not what merely bears another name now', async () => {
  const { admin } = world;
  const glossary = await world.make('glossaries', { name: uniqueName('words'), description: 'Words' });
  const term = await world.make('glossaryTerms', {
    name: 'revenue',
    glossary: glossary.fullyQualifiedName,
    description: 'Money',
  });
  const renamed = await patch('glossaries', glossary, { name: uniqueName('renamed') });
  const rows = await listOf(glossary);
  assert.equal(
    rows.map(({ change, before, after }) => [change, before, after]),
    [['renamed', glossary.name, renamed.name]],
  );
  const [created, ...others] = await changesOf(term);
  assert.equal([created.change, others.length], ['created', 0]);
  assert.ok(created.at < rows[0].at);
  await patch('glossaryTerms', term, { displayName: 'Revenue' });
  assert.equal(
    (await changesOf(term)).map(({ change, at }) => [change, at === created.at]),
    [
      ['described', false],
      ['created', true],
    ],
  );
  const table = await world.table('gone');
  ok(await admin.delete(`/v1/tables/${table.id}?hardDelete=true`));
  const scope = encodeURIComponent(world.schemaFqn);
  const { data } = await ask(`scope=${scope}&kinds=lifecycle&breaking=true`);
  const gone = data.filter(({ entity }: Answer) => entity.id === table.id);
  assert.equal(named(gone), ['deleted']);
  assert.equal(
    [gone[0].entity.fullyQualifiedName, gone[0].by, gone[0].breaking],
    [table.fullyQualifiedName, 'admin', true],
  );
  assert.type(gone[0].eventId, 'string');
});

test('the window, the kinds and what breaks narrow the list, and the summary counts the whole window', async () => {
  const schema = await world.make('databaseSchemas', {
    name: uniqueName('narrow'),
    database: `${world.serviceFqn}.db`,
  });
  const table = await world.make('tables', {
    name: 't',
    databaseSchema: schema.fullyQualifiedName,
    columns: [column('a'), column('b')],
  });
  await patch('tables', table, { description: 'One' });
  const removed = (await patch('tables', table, [{ op: 'remove', path: '/columns/1' }])) as Answer;
  await patch('tables', table, { description: 'Two' });
  const scope = `scope=${encodeURIComponent(schema.fullyQualifiedName)}`;
  const all = await ask(scope);
  assert.equal(named(all.data)[0], 'columnRemoved');
  assert.equal(all.paging, { total: 5 });
  assert.equal(all.summary, {
    byKind: {
      schema: 1,
      lineage: 0,
      owners: 0,
      tags: 0,
      domains: 0,
      contracts: 0,
      tests: 0,
      description: 2,
      lifecycle: 2,
    },
    breaking: 1,
  });
  assert.equal(named((await ask(`${scope}&sort=time`)).data)[0], 'described');
  const breaking = await ask(`${scope}&breaking=true`);
  assert.equal([named(breaking.data), breaking.paging.total, breaking.summary], [['columnRemoved'], 1, all.summary]);
  assert.is((await ask(`${scope}&breaking=false`)).paging.total, 4);
  assert.equal(named((await ask(`${scope}&kinds=description,schema&sort=time`)).data), [
    'described',
    'columnRemoved',
    'described',
  ]);
  assert.equal(named((await ask(`${scope}&from=${removed.updatedAt}&to=${removed.updatedAt}`)).data), [
    'columnRemoved',
  ]);
  assert.is((await ask(`${scope}&from=2020-01-01&to=2020-01-08T00:00:00Z`)).paging.total, 0);
  assert.equal(
    (await ask(`type=table&fqn=${encodeURIComponent(table.fullyQualifiedName)}`)).data,
    (await ask(`id=${table.id}`)).data,
  );
  ok(await world.admin.delete(`/v1/tables/${table.id}`));
  assert.equal(named((await ask(`id=${table.id}&sort=time`)).data)[0], 'deleted');
  assert.equal(
    named((await ask(`scope=${encodeURIComponent(table.fullyQualifiedName)}&sort=time`)).data)[0],
    'deleted',
  );
});

test('pages follow each other to the end, and CSV holds what JSON holds', async () => {
  const { admin } = world;
  const table = await world.table('paged');
  for (const description of ['1', '2', '3', '=4']) await patch('tables', table, { description });
  const owner = await rights.team();
  await patch('tables', table, { owners: [{ id: owner.id, type: 'team' }], tags: [SENSITIVE] });
  const all = await ask(`id=${table.id}`);
  const rows: Answer[] = [];
  for (let after = ''; ; ) {
    const page = await ask(`id=${table.id}&limit=2${after && `&after=${after}`}`);
    assert.is(page.paging.total, all.data.length);
    rows.push(...page.data);
    after = page.paging.after ?? '';
    if (!after) break;
  }
  assert.equal(rows, all.data);
  const reply = await admin.get(`/v1/changes?id=${table.id}`, { accept: 'text/csv' });
  assert.match(reply.headers.get('content-type') ?? '', /^text\/csv/);
  const cells: Record<string, string>[] = parse(reply.text, { columns: true });
  const text = (value: unknown): string =>
    value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
  const guarded = (value: string): string => (/^[=+\-@\t\r']/.test(value) ? `'${value}` : value);
  assert.equal(
    cells,
    all.data.map((row: Answer) => ({
      at: String(row.at),
      by: row.by,
      entityType: 'table',
      entity: table.fullyQualifiedName,
      kind: row.kind,
      change: row.change,
      column: '',
      before: guarded(text(row.before)),
      after: guarded(text(row.after)),
      breaking: String(row.breaking),
      version: String(row.version),
      eventId: row.eventId,
    })),
  );
});

test('hidden assets are neither listed nor counted nor named', async () => {
  const { admin } = world;
  const schema = await world.make('databaseSchemas', {
    name: uniqueName('secret'),
    database: `${world.serviceFqn}.db`,
  });
  const make = (name: string, more: JsonObject = {}) =>
    world.make('tables', {
      name: uniqueName(name),
      databaseSchema: schema.fullyQualifiedName,
      columns: [column('a')],
      ...more,
    });
  const [open, hidden] = [await make('open'), await make('hidden', { tags: [SENSITIVE] })];
  ok(await feed(admin, hidden, open));
  ok(await feed(admin, open, hidden));
  await patch('tables', hidden, { description: 'Secret' });
  const body = {
    name: uniqueName('check'),
    entityLink: entityLinkOf(hidden, 'a'),
    testDefinition: 'columnValuesToBeNotNull',
  };
  const check: Made = ok(await admin.post(CASES, body), 201);
  await store(check.fullyQualifiedName, ['Failed'], Date.now());
  await promise(hidden);
  const passing: Made = ok(await admin.post(CASES, { ...body, name: uniqueName('gone') }), 201);
  ok(await admin.delete(`${CASES}/${passing.id}?hardDelete=true`));
  const caller = await rights.person([HIDING]);
  const scope = `scope=${encodeURIComponent(schema.fullyQualifiedName)}&sort=time`;
  const seen = await ask(scope, caller);
  assert.equal(
    seen.data.map(({ change, entity }: Answer) => [change, entity.id]),
    [
      ['created', open.id],
      ['created', schema.id],
    ],
  );
  assert.equal([seen.paging.total, seen.summary.byKind.lineage, seen.summary.byKind.tests], [2, 0, 0]);
  assert.ok((await ask(scope)).paging.total > 7);
  assert.not.match(JSON.stringify(seen), hidden.name);
  expectRefused(await caller.get(`/v1/changes?id=${hidden.id}`), 403);
  expectRefused(await caller.get(`/v1/changes?scope=${encodeURIComponent(hidden.fullyQualifiedName)}`), 404);
});

test('hidden owners and tags are not told, in CSV either', async () => {
  const table = await world.table('owned');
  const team = await rights.team();
  await patch('tables', table, { owners: [{ id: team.id, type: 'team' }] });
  await patch('tables', table, { owners: [] });
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['team'] }]);
  assert.equal(named(await changesOf(table, '', blind)), ['created']);
  const csv = await blind.get(`/v1/changes?id=${table.id}`, { accept: 'text/csv' });
  assert.not.match(csv.text, team.name);
  assert.equal(named(await changesOf(table)), ['ownerRemoved', 'ownerAdded', 'created']);
});

test('what cannot be answered is refused', async () => {
  const { admin } = world;
  const table = await world.table('refused');
  for (const [query, message] of [
    [
      'kinds=lineage,colour',
      '[kinds must be some of schema, lineage, owners, tags, domains, contracts, tests, description, lifecycle]',
    ],
    ['breaking=perhaps', '[breaking must be true or false]'],
    ['sort=name', /^\[sort must be one of severity, time\]/],
    ['from=2&to=1', '[from must not be after to]'],
    ['from=yesterday', /^\[from must be milliseconds/],
    ['limit=0', /^\[limit must be/],
    ['limit=1001', /^\[limit must be/],
    ['after=x', 'Invalid cursor'],
    ['type=table', '[id, or type and fqn, must be given]'],
    [`id=${table.id}&scope=x`, '[scope must not be given beside id, or type and fqn]'],
    ['window=7d', /window/],
  ] as const)
    expectRefused(await admin.get(`/v1/changes?${query}`), 400, message);
  expectRefused(await admin.get('/v1/changes?scope=nowhere.to.be.found'), 404);
  expectRefused(await admin.get(`/v1/changes?id=${strayId()}`), 404);
  expectRefused(await anonymous(world.service).get('/v1/changes'), 401);
});

test.run();
