import type { Client } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { connectMcp, toolAnswer, toolRefusal } from '../support/mcp-client.ts';
import { createRightsFactory } from '../support/rights.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows what the writing tools of MCP change, for whom, and when they refuse. */

const test = suite('mcp: writing');

const ON = { 'x-tributary-mcp-write': 'on' };

let service: Service;
let schema: string;
let writer: Client;
let steward: string;

const createTable = async (name = uniqueName('table')) =>
  ok(
    await service.admin.post('/v1/tables', {
      name,
      databaseSchema: schema,
      description: 'As it was.',
      columns: [
        { name: 'id', dataType: 'INT' },
        { name: 'address', dataType: 'STRUCT', children: [{ name: 'city', dataType: 'STRING' }] },
      ],
    }),
    201,
  );

const readTable = async (id: string) => ok(await service.admin.get(`/v1/tables/${id}?fields=owners,tags,columns`));

const tagNames = (tags: readonly { tagFQN: string }[]) => tags.map(({ tagFQN }) => tagFQN);

/** Runs a tool dry and then for good, and answers what it said each time. */
const write = async (name: string, given: Record<string, unknown>) => {
  const dry = await toolAnswer(writer, name, given);
  const done = await toolAnswer(writer, name, { ...given, dryRun: false, revision: dry.revision });
  return { dry, done };
};

test.before(async () => {
  service = await openService();
  const name = uniqueName('mcpwrite');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
  steward = uniqueName('steward').toLowerCase();
  ok(await service.admin.post('/v1/users', { name: steward, email: `${steward}@example.com` }), 201);
  writer = await connectMcp(service, await service.token('admin'), ON);
});

test.after(() => writer.close());

test('writing tools are offered only to connections that are configured to write', async () => {
  const reader = await connectMcp(service, await service.token('admin'));
  const table = await createTable();
  const offered = (await writer.listTools()).tools.filter(({ annotations }) => annotations?.readOnlyHint === false);
  assert.equal(
    offered.map(({ name }) => name),
    ['describe', 'tag', 'assign', 'add_edge'],
  );
  assert.match(writer.getInstructions() ?? '', /unless dryRun is false/);
  assert.ok((await reader.listTools()).tools.every(({ annotations }) => annotations?.readOnlyHint === true));
  const given = { fqn: table.fullyQualifiedName, description: 'New.', dryRun: false, revision: '*' };
  assert.match(await toolRefusal(reader, 'describe', given), /only reads.*X-Tributary-Mcp-Write: on/);
  assert.is((await readTable(table.id)).description, 'As it was.');
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
  expectRefused(await service.admin.post('/mcp', ping, { 'x-tributary-mcp-write': 'yes' }), 400, /must be on or off/);
  await reader.close();
});

test('a description is shown before and after, and written only when that is asked for', async () => {
  const table = await createTable();
  const given = { fqn: table.fullyQualifiedName, description: 'Line one.\nLine two.' };
  const dry = await toolAnswer(writer, 'describe', given);
  assert.equal([dry.before, dry.after], [['As it was.'], ['Line one.', 'Line two.']]);
  assert.ok(dry.dryRun);
  assert.is((await readTable(table.id)).version, 0.1);
  assert.match(await toolRefusal(writer, 'describe', { ...given, dryRun: false }), /revision must be given/);
  await toolAnswer(writer, 'describe', { ...given, dryRun: false, revision: dry.revision });
  const { description, version, changeDescription } = await readTable(table.id);
  assert.equal([description, version], [given.description, 0.2]);
  assert.is(changeDescription.changeSummary.description.changeSource, 'Automated');
  assert.match((await toolAnswer(writer, 'describe', given)).outcome, /Nothing to change/);
});

test('columns at any depth are described and tagged', async () => {
  const table = await createTable();
  const column = 'address.city';
  await write('describe', { fqn: table.fullyQualifiedName, column, description: 'Where.' });
  await write('tag', { fqn: table.fullyQualifiedName, column, tag: 'PII.Sensitive' });
  const [city] = (await readTable(table.id)).columns[1].children;
  assert.equal([city.description, tagNames(city.tags)], ['Where.', ['PII.Sensitive']]);
  const absent = { fqn: table.fullyQualifiedName, column: 'absent', description: 'x' };
  assert.match(await toolRefusal(writer, 'describe', absent), /column instance for .*absent not found/);
});

test('a tag joins the others, and an unknown one is told with what is like it', async () => {
  const table = await createTable();
  const fqn = table.fullyQualifiedName;
  await write('tag', { fqn, tag: 'PII.NonSensitive' }).then(({ dry }) =>
    assert.equal([dry.before, dry.after], [[], ['PII.NonSensitive']]),
  );
  const { dry } = await write('tag', { fqn, tag: 'Tier.Tier2' });
  assert.equal(dry.after, ['PII.NonSensitive', 'Tier.Tier2']);
  const { tags } = await readTable(table.id);
  assert.equal(tagNames(tags), ['PII.NonSensitive', 'Tier.Tier2']);
  assert.is(tags[1].labelType, 'Generated');
  assert.match(
    await toolRefusal(writer, 'tag', { fqn, tag: 'PII.Sensitiv' }),
    /not found\nPII has the tags .*PII\.Sensitive/,
  );
});

test('an owner is added or replaces the present ones', async () => {
  const table = await createTable();
  const fqn = table.fullyQualifiedName;
  await write('assign', { fqn, owner: 'admin', mode: 'add' });
  const { dry } = await write('assign', { fqn, owner: steward, mode: 'add' });
  assert.equal([dry.before.length, dry.after.length], [1, 2]);
  const ownersOf = async () => (await readTable(table.id)).owners.map(({ name }: { name: string }) => name).sort();
  assert.equal(await ownersOf(), ['admin', steward].sort());
  await write('assign', { fqn, owner: steward, mode: 'replace' });
  assert.equal(await ownersOf(), [steward]);
  assert.match(await toolRefusal(writer, 'assign', { fqn, owner: 'nobody-at-all', mode: 'add' }), /user or team/);
});

test('an edge is added with its columns, and later ones join them', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const given = {
    from: from.fullyQualifiedName,
    to: to.fullyQualifiedName,
    columns: [{ from: 'id', to: 'id' }],
    description: 'Nightly copy.',
  };
  const edge = `/v1/lineage/getLineageEdge/${from.id}/${to.id}`;
  const dry = await toolAnswer(writer, 'add_edge', given);
  assert.equal([dry.isNew, dry.before, dry.after.length], [true, [], 2]);
  expectRefused(await service.admin.get(edge), 404);
  await toolAnswer(writer, 'add_edge', { ...given, dryRun: false, revision: dry.revision });
  const stale = { ...given, columns: [], dryRun: false, revision: dry.revision };
  assert.match(await toolRefusal(writer, 'add_edge', stale), /changed since the dry run/);
  await write('add_edge', { ...given, columns: [{ from: 'address.city', to: 'address.city' }] });
  const { description, columnsLineage, source } = ok(await service.admin.get(edge)).edge;
  assert.equal([description, columnsLineage.length, source], ['Nightly copy.', 2, 'Manual']);
  assert.match((await toolAnswer(writer, 'add_edge', given)).outcome, /Nothing to change/);
  const wrong = { ...given, columns: [{ from: 'id', to: 'absent' }] };
  assert.match(await toolRefusal(writer, 'add_edge', wrong), /absent/);
  assert.match(await toolRefusal(writer, 'add_edge', { ...given, to: given.from }), /upstream of itself/);
});

test('columns that are added to an edge of another source belong to neither it nor its next run', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const details = { source: 'DbtLineage', description: 'By dbt.' };
  const ends = { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } };
  ok(await service.admin.put('/v1/lineage', { edge: { ...ends, lineageDetails: details } }));
  const columns = [{ from: 'id', to: 'id' }];
  await write('add_edge', { from: from.fullyQualifiedName, to: to.fullyQualifiedName, columns });
  ok(await service.admin.put('/v1/lineage', { edge: { ...ends, lineageDetails: details } }));
  const { edge } = ok(await service.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}`));
  assert.equal([edge.columnsLineage.length, edge.description], [1, 'By dbt.']);
});

test('an edge that must be new is refused when there is one', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const path = `/v1/lineage/table/name/${from.fullyQualifiedName}/table/name/${to.fullyQualifiedName}`;
  ok(await service.admin.put(path, { description: 'First.' }, { 'if-none-match': '*' }));
  expectRefused(await service.admin.put(path, { description: 'Second.' }, { 'if-none-match': '*' }), 412);
  expectRefused(await service.admin.put(path, {}, { 'if-none-match': '"x"' }), 400);
  const { edge } = ok(await service.admin.get(`/v1/lineage/getLineageEdge/${from.id}/${to.id}`));
  assert.is(edge.description, 'First.');
});

test('a write is refused when the asset has changed since the dry run', async () => {
  const table = await createTable();
  const given = { fqn: table.fullyQualifiedName, description: 'Mine.' };
  const { revision } = await toolAnswer(writer, 'describe', given);
  ok(await service.admin.patch(`/v1/tables/${table.id}`, [{ op: 'add', path: '/description', value: 'Theirs.' }]));
  const refusal = await toolRefusal(writer, 'describe', { ...given, dryRun: false, revision });
  assert.match(refusal, /changed since the dry run/);
  assert.is((await readTable(table.id)).description, 'Theirs.');
});

test('a dry run foresees that the caller may not write, and names the rule', async () => {
  const [table, other] = [await createTable(), await createTable()];
  const { name } = await createRightsFactory(service).person([
    { effect: 'deny' as const, operations: ['EditAll', 'EditDescription', 'EditTags', 'EditOwners', 'EditLineage'] },
  ]);
  const reader = await connectMcp(service, await service.token(name), ON);
  const fqn = table.fullyQualifiedName;
  for (const [tool, given] of [
    ['describe', { fqn, description: 'x' }],
    ['describe', { fqn, column: 'address.city', description: 'x' }],
    ['tag', { fqn, tag: 'PII.Sensitive' }],
    ['assign', { fqn, owner: steward, mode: 'add' }],
    ['add_edge', { from: fqn, to: other.fullyQualifiedName }],
  ] as const) {
    const { revision } = await toolAnswer(writer, tool, given);
    for (const options of [{}, { dryRun: false, revision }]) {
      const refusal = await toolRefusal(reader, tool, { ...given, ...options });
      assert.match(refusal, /not allowed|operations/i, `${tool}: ${refusal}`);
      assert.match(refusal, /\n.*rule/i, `${tool}: ${refusal}`);
    }
  }
  const { version, tags, owners } = await readTable(table.id);
  assert.equal([version, tags, owners], [0.1, [], []]);
  await reader.close();
});

test('a dry run foresees that an edge which exists may not be changed', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const ends = { from: from.fullyQualifiedName, to: to.fullyQualifiedName };
  await write('add_edge', ends);
  const { name } = await createRightsFactory(service).person([
    { effect: 'deny' as const, operations: ['EditAll', 'EditLineage'] },
  ]);
  const reader = await connectMcp(service, await service.token(name), ON);
  assert.match(await toolRefusal(reader, 'add_edge', { ...ends, description: 'x' }), /not allowed|operations/i);
  const { outcome } = await toolAnswer(reader, 'add_edge', ends);
  assert.match(outcome, /Nothing to change/);
  await reader.close();
});

test('a dry run foresees what the write would refuse', async () => {
  const table = await createTable();
  const fqn = table.fullyQualifiedName;
  const team = uniqueName('team');
  ok(await service.admin.post('/v1/teams', { name: team, teamType: 'Group' }), 201);
  await write('assign', { fqn, owner: steward, mode: 'add' });
  const mixed = { fqn, owner: team, ownerType: 'team', mode: 'add' };
  const refusal = await toolRefusal(writer, 'assign', mixed);
  const { revision } = await toolAnswer(writer, 'assign', { ...mixed, mode: 'replace' });
  assert.is(await toolRefusal(writer, 'assign', { ...mixed, dryRun: false, revision }), refusal);
  assert.is((await readTable(table.id)).version, 0.2);
});

test.run();
