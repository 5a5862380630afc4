import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that a caller who writes back what they read does not remove what was redacted from it. */

const test = suite('access: writes by restricted callers');

type Made = { readonly id: string; readonly name: string; readonly fullyQualifiedName: string };

let service: Service;
let rights: RightsFactory;
let caller: Person;
let zone: Made;
let hiddenTag: Made;
let openTag: Made;
let users: { readonly hidden: Made; readonly open: Made };
let schema: Made;

const ref = ({ id }: { readonly id: string }, type: string): JsonObject => ({ id, type });
const label = ({ fullyQualifiedName }: Made): JsonObject => ({ tagFQN: fullyQualifiedName, source: 'Classification' });

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  const { admin } = service;
  zone = await rights.make('domains', 'zone', { description: 'x', domainType: 'Aggregate' });
  const classification = await rights.make('classifications', 'class', { description: 'x' });
  const tag = (more: JsonObject) =>
    rights.make('tags', 'tag', { classification: classification.name, description: 'x', ...more });
  hiddenTag = await tag({ domains: [zone.fullyQualifiedName] });
  openTag = await tag({});
  const user = async (more: JsonObject): Promise<Made> => {
    const name = uniqueName('usr');
    return ok(await admin.post('/v1/users', { name, email: `${name}@example.com`, ...more }), 201);
  };
  users = { hidden: await user({ domains: [zone.fullyQualifiedName] }), open: await user({}) };
  caller = await rights.person(
    [
      {
        effect: 'deny',
        operations: ['ViewAll'],
        resources: ['user', 'tag', 'dashboard', 'chart'],
        condition: 'hasDomain()',
      },
      { operations: ['EditAll', 'ViewAll'] },
    ],
    { domains: [zone.fullyQualifiedName] },
  );
  const root = await rights.make('services/databaseServices', 'svc', { serviceType: 'Postgres' });
  const database = await rights.make('databases', 'db', { service: root.fullyQualifiedName });
  schema = await rights.make('databaseSchemas', 'sch', { database: database.fullyQualifiedName });
});

const makeTable = (): Promise<Made> =>
  rights.make('tables', 'tab', {
    databaseSchema: schema.fullyQualifiedName,
    owners: [ref(users.hidden, 'user'), ref(users.open, 'user')],
    tags: [label(hiddenTag), label(openTag)],
    columns: [{ name: 'a', dataType: 'INT', tags: [label(hiddenTag), label(openTag)] }],
    dataModel: { modelType: 'DBT', owners: [ref(users.hidden, 'user'), ref(users.open, 'user')] },
  });

const FIELDS = 'fields=owners,tags,columns,dataModel,votes,followers';

const idsIn = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id).sort();
const tagsIn = (list: readonly { readonly tagFQN: string }[]): string[] => list.map(({ tagFQN }) => tagFQN).sort();

/** What an administrator sees of a table. */
const wholeOf = async ({ id }: Made) => ok(await service.admin.get(`/v1/tables/${id}?${FIELDS}`));

const bothOwners = () => [users.hidden.id, users.open.id].sort();
const bothTags = () => [hiddenTag.fullyQualifiedName, openTag.fullyQualifiedName].sort();

test('a patch by index refers to what the caller sees', async () => {
  const table = await makeTable();
  const path = `/v1/tables/${table.id}`;
  const seen = ok(await caller.get(`${path}?${FIELDS}`));
  assert.equal(idsIn(seen.owners), [users.open.id]);
  assert.equal(tagsIn(seen.tags), [openTag.fullyQualifiedName]);
  const answer = ok(
    await caller.patch(path, [
      { op: 'test', path: '/owners/0/id', value: users.open.id },
      { op: 'remove', path: '/owners/0' },
      { op: 'remove', path: '/columns/0/tags/0' },
      { op: 'remove', path: '/tags/0' },
    ]),
  );
  assert.not.match(JSON.stringify(answer), users.hidden.id);
  assert.not.match(JSON.stringify(answer), hiddenTag.name);
  const whole = await wholeOf(table);
  assert.equal(idsIn(whole.owners), [users.hidden.id]);
  assert.equal(tagsIn(whole.tags), [hiddenTag.fullyQualifiedName]);
  assert.equal(tagsIn(whole.columns[0].tags), [hiddenTag.fullyQualifiedName]);
  assert.equal(idsIn(whole.dataModel.owners), bothOwners());
});

test('a merge patch of a list replaces only its visible items', async () => {
  const table = await makeTable();
  const other = await rights.person([]);
  ok(
    await caller.patch(
      `/v1/tables/${table.id}`,
      { owners: [ref(other, 'user')], description: 'new' },
      { 'content-type': 'application/merge-patch+json' },
    ),
  );
  const whole = await wholeOf(table);
  assert.equal(idsIn(whole.owners), [users.hidden.id, other.id].sort());
  assert.equal(tagsIn(whole.tags), bothTags());
  assert.equal(tagsIn(whole.columns[0].tags), bothTags());
});

test('a patch of another member keeps everything hidden', async () => {
  const table = await makeTable();
  const before = await wholeOf(table);
  ok(await caller.patch(`/v1/tables/${table.id}`, [{ op: 'add', path: '/description', value: 'new' }]));
  const after = await wholeOf(table);
  assert.equal([after.owners, after.tags, after.dataModel], [before.owners, before.tags, before.dataModel]);
  const names = after.changeDescription.fieldsAdded.map(({ name }: { name: string }) => name);
  assert.equal([names, after.changeDescription.fieldsDeleted], [['description'], []]);
});

test('a PUT of a list replaces only its visible items', async () => {
  const table = await makeTable();
  const other = await rights.person([]);
  ok(
    await caller.put('/v1/tables', {
      name: table.name,
      databaseSchema: schema.fullyQualifiedName,
      owners: [ref(other, 'user')],
      columns: [{ name: 'a', dataType: 'INT' }],
      dataModel: { modelType: 'DBT', owners: [ref(other, 'user')] },
    }),
  );
  const whole = await wholeOf(table);
  assert.equal(idsIn(whole.owners), [users.hidden.id, other.id].sort());
  assert.equal(tagsIn(whole.tags), bothTags());
  assert.equal(tagsIn(whole.columns[0].tags), bothTags());
  assert.ok(idsIn(whole.dataModel.owners).includes(users.hidden.id));
});

test('relations of special kinds are kept too', async () => {
  const root = await rights.make('services/dashboardServices', 'svc', { serviceType: 'Superset' });
  const chart = (more: JsonObject) => rights.make('charts', 'chart', { service: root.fullyQualifiedName, ...more });
  const [hidden, open] = [await chart({ domains: [zone.fullyQualifiedName] }), await chart({})];
  const charts = [hidden.fullyQualifiedName, open.fullyQualifiedName];
  const board = await rights.make('dashboards', 'board', { service: root.fullyQualifiedName, charts });
  const path = `/v1/dashboards/${board.id}`;
  assert.equal(idsIn(ok(await caller.get(`${path}?fields=charts`)).charts), [open.id]);
  const shown = async () => idsIn(ok(await service.admin.get(`${path}?fields=charts`)).charts);
  ok(await caller.patch(path, [{ op: 'remove', path: '/charts/0' }]));
  assert.equal(await shown(), [hidden.id]);
  ok(
    await caller.put('/v1/dashboards', {
      name: board.name,
      service: root.fullyQualifiedName,
      charts: [open.fullyQualifiedName],
    }),
  );
  assert.equal(await shown(), [hidden.id, open.id].sort());
});

test('responses to writes count visible items only', async () => {
  const table = await makeTable();
  const voter = await service.as(users.hidden.name);
  const path = `/v1/tables/${table.id}`;
  ok(await voter.put(`${path}/vote`, { updatedVoteType: 'votedUp' }));
  ok(await caller.put(`${path}/vote`, { updatedVoteType: 'votedUp' }));
  const { votes } = ok(await caller.get(`${path}?fields=votes`));
  assert.equal([votes.upVotes, idsIn(votes.upVoters)], [1, [caller.id]]);
  assert.is((await wholeOf(table)).votes.upVotes, 2);
});

test.run();
