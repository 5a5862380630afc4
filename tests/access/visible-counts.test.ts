import * as assert from 'uvu/assert';
import { expectList, ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory, type RuleOptions } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that counts include only records that the caller may see. */

const test = suite('access: visible counts');

let service: Service;
let rights: RightsFactory;
let root: string;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  test.after(() => rights.clear());
});

test.beforeEach(async () => {
  root = uniqueName('vis');
  ok(await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' }), 201);
});

const hiding = (resource: string, condition: string): RuleOptions => ({
  effect: 'deny',
  operations: ['ViewAll'],
  resources: [resource],
  condition,
});

const ref = (id: string, type: string) => ({ id, type });

const createDatabase = async (more: object = {}) =>
  ok(await service.admin.post('/v1/databases', { name: 'db', service: root, ...more }), 201);

const USAGE = 'usageCount,termCount';

test('counts of teams, domains and terms include visible records only', async () => {
  const { admin } = service;
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const domains = [domain.fullyQualifiedName];
  const team = await rights.team({ teamType: 'Department', parents: [] });
  const parents = [team.id];
  await rights.team({ teamType: 'Department', parents });
  const hiddenTeam = await rights.team({ teamType: 'Department', parents, domains });
  const member = await rights.person([], { teams: [team.id] });
  await rights.person([], { teams: [team.id], domains });
  await rights.person([], { teams: [team.id], domains });
  const both = await rights.person([], { teams: [team.id, hiddenTeam.id] });
  await rights.person([], { teams: [hiddenTeam.id] });
  const narrow = await rights.person([hiding('user', '!noDomain()'), hiding('team', '!noDomain()')]);
  const blind = await rights.person(
    [
      { effect: 'deny', operations: ['ViewAll'], resources: ['user'] },
      hiding('domain', "matchAnyTag('PII.Sensitive')"),
    ],
    { teams: [team.id] },
  );
  const counts = async (who: Pick<Person, 'get'>) => {
    const shown = ok(await who.get(`/v1/teams/${team.id}?fields=userCount,childrenCount`));
    const named = ok(await who.get(`/v1/teams/name/${team.name}?fields=*`));
    assert.equal([named.userCount, named.childrenCount], [shown.userCount, shown.childrenCount]);
    return [shown.userCount, shown.childrenCount];
  };
  // The one who looks is a member as well.
  assert.equal(await counts(admin), [6, 2]);
  assert.equal(await counts(narrow), [3, 1], `${member.name} ${both.name} ${blind.name}`);
  assert.equal(await counts(blind), [1, 2]);
  const listedTeams = expectList(await narrow.get('/v1/teams?fields=userCount&limit=1000'));
  const row = listedTeams.data.find(({ id }: { id: string }) => id === team.id);
  assert.is(row.userCount, 3);

  const tags = [{ tagFQN: 'PII.Sensitive', source: 'Classification' }];
  const sub = { description: 'x', domainType: 'Aggregate', parent: domain.fullyQualifiedName };
  await rights.make('domains', 'sub', sub);
  await rights.make('domains', 'sub', { ...sub, tags });
  const children = async (who: Pick<Person, 'get'>) =>
    ok(await who.get(`/v1/domains/${domain.id}?fields=childrenCount`)).childrenCount;
  assert.equal([await children(admin), await children(blind)], [2, 1]);
  const glossary = await rights.make('glossaries', 'glo', { description: 'x' });
  const term = { description: 'x', glossary: glossary.name };
  const top = await rights.make('glossaryTerms', 'term', term);
  await rights.make('glossaryTerms', 'term', { ...term, parent: top.fullyQualifiedName });
  await rights.make('glossaryTerms', 'term', { ...term, parent: top.fullyQualifiedName, tags });
  const careful = await rights.person([hiding('glossaryTerm', "matchAnyTag('PII.Sensitive')")]);
  const terms = async (who: Pick<Person, 'get'>) => [
    ok(await who.get(`/v1/glossaries/${glossary.id}?fields=termCount`)).termCount,
    ok(await who.get(`/v1/glossaryTerms/${top.id}?fields=childrenCount`)).childrenCount,
  ];
  assert.equal(
    [await terms(admin), await terms(careful)],
    [
      [3, 2],
      [2, 1],
    ],
  );
});

test('tag usage and search counts include visible records only', async () => {
  const { admin } = service;
  const domain = await rights.make('domains', 'dom', { description: 'x', domainType: 'Aggregate' });
  const classification = await rights.make('classifications', 'cla', { description: 'x' });
  const tagNamed = (more: object = {}) =>
    rights.make('tags', 'tag', { description: 'x', classification: classification.name, ...more });
  const open = await tagNamed();
  const secret = await tagNamed({ domains: [domain.fullyQualifiedName] });
  const label = ({ fullyQualifiedName }: { fullyQualifiedName: string }) => ({
    tagFQN: fullyQualifiedName,
    source: 'Classification',
  });
  const caller = await rights.person([
    hiding('table', '!isOwner()'),
    hiding('tag', '!noDomain()'),
    hiding('query', '!isOwner()'),
  ]);
  const noTables = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['table'] }]);
  const owners = [ref(caller.id, 'user')];
  await createDatabase({ tags: [label(open)] });
  const { fullyQualifiedName: databaseSchema } = ok(
    await admin.post('/v1/databaseSchemas', { name: 's', database: `${root}.db` }),
    201,
  );
  const columns = [{ name: 'c', dataType: 'INT', tags: [label(open), label(secret)] }];
  const table = async (name: string, more: object = {}) =>
    ok(await admin.post('/v1/tables', { name, databaseSchema, columns, tags: [label(open)], ...more }), 201);
  const mine = await table('mine', { owners });
  await table('theirs');
  const used = async (who: Pick<Person, 'get'>) => {
    const all = ok(await who.get(`/v1/classifications/${classification.id}?fields=${USAGE}`));
    const one = ok(await who.get(`/v1/tags/${open.id}?fields=usageCount`));
    return [all.usageCount, all.termCount, one.usageCount];
  };
  assert.equal(await used(admin), [7, 2, 5]);
  assert.equal(await used(caller), [3, 1, 3]);
  assert.equal(await used(noTables), [1, 2, 1]);
  const tableRefs = [ref(mine.id, 'table')];
  for (const more of [{ owners }, {}]) {
    const query = { query: `SELECT '${uniqueName('q')}'`, service: root, queryUsedIn: tableRefs, ...more };
    ok(await admin.post('/v1/queries', query), 201);
  }
  const document = async (who: Pick<Person, 'get'>, index: string, id: string) =>
    ok(await who.get(`/v1/search/get/${index}/doc/${id}`))._source;
  const shown = async (who: Pick<Person, 'get'>) => [
    (await document(who, 'tag_search_index', open.id)).usageCount,
    (await document(who, 'table_search_index', mine.id)).queryCount,
  ];
  assert.equal(await shown(admin), [5, 2]);
  assert.equal(await shown(caller), [3, 1]);
});

test('test summaries of a suite include visible tests only', async () => {
  const { admin } = service;
  await createDatabase();
  const schema = ok(await admin.post('/v1/databaseSchemas', { name: 's', database: `${root}.db` }), 201);
  const body = { name: 't', databaseSchema: schema.fullyQualifiedName, columns: [{ name: 'c', dataType: 'INT' }] };
  const table = ok(await admin.post('/v1/tables', body), 201);
  const tags = [{ tagFQN: 'PII.Sensitive', source: 'Classification' }];
  for (const [name, more] of [
    ['open', {}],
    ['shut', { tags }],
    ['column', { tags, column: true }],
  ] as const) {
    const { column = false, ...rest } = more as { column?: boolean };
    const entityLink = `<#E::table::${table.fullyQualifiedName}${column ? '::columns::c' : ''}>`;
    const testDefinition = column ? 'columnValuesToBeUnique' : 'tableRowCountToEqual';
    const parameterValues = column ? [] : [{ name: 'value', value: '1' }];
    ok(
      await admin.post('/v1/dataQuality/testCases', { name, entityLink, testDefinition, parameterValues, ...rest }),
      201,
    );
  }
  const caller = await rights.person([hiding('testCase', "matchAnyTag('PII.Sensitive')")]);
  const suiteOf = async (who: Pick<Person, 'get'>) =>
    ok(await who.get(`/v1/dataQuality/testSuites/name/${table.fullyQualifiedName}.testSuite?fields=summary`)).summary;
  assert.equal([(await suiteOf(admin)).total, (await suiteOf(admin)).columnTestSummary.length], [3, 1]);
  assert.equal([(await suiteOf(caller)).total, (await suiteOf(caller)).columnTestSummary], [1, []]);
});

test.run();
