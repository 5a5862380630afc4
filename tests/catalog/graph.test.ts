import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { everyKind } from '../support/every-kind.ts';
import { ok, readStored } from '../support/expect.ts';
import { createSamples, type Samples } from '../support/samples.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the graph contains the nodes and edges of the vocabulary, and nothing that contradicts them. */

const test = suite('catalog: graph contents');
const each = everyKind(test);
const { byType } = await loadKinds();

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const kindOf = (entityType: string) => {
  const kind = byType.get(entityType);
  if (!kind) throw new Error(`no kind ${entityType}`);
  return kind;
};

const one = async (text: string, params: Record<string, unknown>) => (await service.graph.query(text, params))[0];

type Event = {
  eventType: string;
  json: string;
  timestamp: number;
  entityId: string;
  entityType: string;
  userName: string;
};

const eventsOf = async (id: string): Promise<Event[]> =>
  (
    await service.graph.query(
      'MATCH (e:ChangeEvent {entityId: $id}) RETURN e{.*} AS event ORDER BY e.timestamp, e.json CONTAINS "entityDeleted"',
      { id },
    )
  ).map((row) => row['event'] as Event);

const dirty = async (id: string) =>
  one('MATCH (d:Dirty {entityId: $id}) RETURN d.revision AS revision, d.entityType AS entityType', { id });

each('every write stores labels, revision, version, event and mark', async ({ kind, path }) => {
  const made = await samples.create(kind, { description: 'one' });
  const id = made.id;
  const state = async () => {
    const kept = await readStored(service, id);
    const mark = await dirty(id);
    return [kept?.properties['revision'], kept?.versions, kept?.events, mark?.['revision'], mark?.['entityType']];
  };
  const type = kind.entityType;
  assert.equal(await state(), [1, 0, 1, 1, type]);
  ok(await service.admin.patch(`${path}/${id}`, { description: 'two' }));
  assert.equal(await state(), [2, 1, 2, 2, type]);
  ok(await service.admin.patch(`${path}/${id}`, { description: 'two' }));
  assert.equal(await state(), [2, 1, 2, 2, type]);
  if (kind.softDeletable) {
    ok(await service.admin.delete(`${path}/${id}`));
    assert.equal(await state(), [3, 2, 3, 3, type]);
    ok(await service.admin.put(`${path}/restore`, { id }));
    assert.equal(await state(), [4, 3, 4, 4, type]);
  }
  ok(await service.admin.delete(`${path}/${id}?hardDelete=true`));
  assert.is(await readStored(service, id), undefined);
  assert.is((await dirty(id))?.['entityType'], type, 'the search index hears of the end');
  const types = (await eventsOf(id)).map((event) => event.eventType);
  const life = kind.softDeletable ? ['entitySoftDeleted', 'entityRestored'] : [];
  assert.equal([...types].sort(), ['entityCreated', 'entityUpdated', ...life, 'entityDeleted'].sort());
});

const EVENT_MEMBERS = new Set([
  'id',
  'eventType',
  'entityType',
  'entityId',
  'entityFullyQualifiedName',
  'domains',
  'previousVersion',
  'currentVersion',
  'userName',
  'timestamp',
  'changeDescription',
  'incrementalChangeDescription',
  'recursive',
  'entity',
]);

each('an event is the change event of the contract, with the record and without hrefs', async ({ kind, path }) => {
  const made = await samples.create(kind, { description: 'one' });
  const patched = ok(await service.admin.patch(`${path}/${made.id}`, { description: 'two' }));
  const events = (await eventsOf(made.id)).map((event) => ({ ...event, told: JSON.parse(event.json) }));
  const created = events.find((event) => event.eventType === 'entityCreated')?.told;
  const updated = events.find((event) => event.eventType === 'entityUpdated')?.told;
  for (const told of [created, updated]) {
    for (const name of Object.keys(told)) assert.ok(EVENT_MEMBERS.has(name), name);
    assert.equal([told.entityType, told.entityId, told.userName], [kind.entityType, made.id, 'admin']);
    assert.is(JSON.stringify(told.entity).includes('"href"'), false);
    for (const name of Object.keys(told.entity)) assert.ok(kind.fieldNames.has(name), name);
  }
  assert.is('changeDescription' in created, false);
  assert.equal([created.currentVersion, created.entity.description], [0.1, 'one']);
  assert.equal([updated.previousVersion, updated.currentVersion, updated.entity.description], [0.1, 0.2, 'two']);
  assert.equal(updated.changeDescription, patched.changeDescription);
  assert.is(updated.timestamp, patched.updatedAt);
});

each('the version node contains the previous state', async ({ kind, path }) => {
  const made = await samples.create(kind, { description: 'one' });
  ok(await service.admin.patch(`${path}/${made.id}`, { description: 'two' }));
  const row = await one('MATCH (:Entity {id: $id})-[:HAS_VERSION]->(v:Version) RETURN v{.*} AS state', { id: made.id });
  const state = row?.['state'] as { version: number; at: number; json: string };
  assert.is(state.version, 0.1);
  const kept = JSON.parse(state.json);
  assert.equal([kept.id, kept.version, kept.description, kept.updatedAt], [made.id, 0.1, 'one', state.at]);
});

each('a record is connected to its parent by its declared edge', async ({ kind }) => {
  const made = await samples.create(kind);
  const about = (made['entity'] as JsonObject | undefined)?.['type'];
  const row = await one(
    'MATCH (n:Entity {id: $id}) RETURN COLLECT { MATCH (n)<-[e:CONTAINS]-(p) RETURN p.entityType } AS parents',
    {
      id: made.id,
    },
  );
  const wanted = Object.keys(await samples.parents(kind)).map(
    (field) => kind.parents.find((parent) => parent.field === field)?.kind,
  );
  // What a record hangs below may also follow from what it is about.
  const implied = kind.parents.flatMap(({ setByOperation, required, kind: above }) =>
    setByOperation && (required || above === about) ? [above] : [],
  );
  assert.equal(row?.['parents'], [...wanted, ...implied]);
});

test('scope properties name every ancestor of a record', async () => {
  const table = await samples.create(kindOf('table'));
  const properties = (await readStored(service, table.id))?.properties;
  const parts = table.fullyQualifiedName.split('.');
  assert.equal(
    [properties?.['scope1'], properties?.['scope2'], properties?.['scope3']],
    [1, 2, 3].map((depth) => parts.slice(0, depth).join('.')),
  );
});

test('followers and votes step the revision and set the mark, and create no version', async () => {
  const table = await samples.create(kindOf('table'));
  const user = await samples.create(kindOf('user'));
  ok(await service.admin.put(`/v1/tables/${table.id}/followers`, user.id));
  ok(await service.admin.put(`/v1/tables/${table.id}/vote`, 'votedUp'));
  const kept = await readStored(service, table.id);
  assert.equal([kept?.properties['revision'], kept?.properties['version'], kept?.events], [3, 0.1, 3]);
  assert.is((await dirty(table.id))?.['revision'], 3);
  const edges = await one(
    'RETURN COUNT { (:User {id: $user})-[:FOLLOWS]->(:Table {id: $id}) } AS follows, COUNT { (:User)-[:VOTED {type: "votedUp"}]->(:Table {id: $id}) } AS votes',
    { user: user.id, id: table.id },
  );
  assert.equal(edges, { follows: 1, votes: 1 });
});

test('owners, domains and tags are edges with the name and direction of the vocabulary', async () => {
  const [user, domain, tag] = [
    await samples.create(kindOf('user')),
    await samples.create(kindOf('domain')),
    await samples.create(kindOf('tag')),
  ];
  const labels = [{ tagFQN: tag.fullyQualifiedName }];
  const table = await samples.create(kindOf('table'), {
    owners: [{ id: user.id, type: 'user' }],
    domains: [domain.fullyQualifiedName],
    tags: labels,
    columns: [{ name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT', tags: labels }] }],
  });
  const text = `MATCH (t:Table {id: $id}) RETURN
    COUNT { (t)<-[:OWNS]-(:User {id: $user}) } AS owns,
    COUNT { (t)-[:IN_DOMAIN]->(:Domain {id: $domain}) } AS domains,
    COUNT { (t)-[:TAGGED]->(:Tag {id: $tag}) } AS tags,
    COUNT { (t)-[:HAS_COLUMN {position: 0}]->(:Column)-[:HAS_COLUMN {position: 0}]->(:Column)-[:TAGGED]->(:Tag {id: $tag}) } AS deep`;
  const ids = { id: table.id, user: user.id, domain: domain.id, tag: tag.id };
  assert.equal(await one(text, ids), { owns: 1, domains: 1, tags: 1, deep: 1 });
  ok(await service.admin.patch(`/v1/tables/${table.id}`, { owners: null, domains: null, tags: null, columns: [] }));
  assert.equal(await one(text, ids), { owns: 0, domains: 0, tags: 0, deep: 0 });
});

test('hard deletion of a tree leaves no record, column, version or edge', async () => {
  const root = await samples.create(kindOf('databaseService'));
  const database = await samples.create(kindOf('database'), { service: root.fullyQualifiedName });
  const schema = await samples.create(kindOf('databaseSchema'), { database: database.fullyQualifiedName });
  const columns = [{ name: 'a', dataType: 'STRUCT', children: [{ name: 'b', dataType: 'INT' }] }];
  const tables = [];
  for (let at = 0; at < 3; at += 1) {
    tables.push(await samples.create(kindOf('table'), { databaseSchema: schema.fullyQualifiedName, columns }));
  }
  for (const table of tables) ok(await service.admin.patch(`/v1/tables/${table.id}`, { description: 'x' }));
  const ids = [root, database, schema, ...tables].map((record) => record.id);
  const before = await one('MATCH (v:Version) RETURN count(v) AS versions', {});
  ok(await service.admin.delete(`/v1/services/databaseServices/${root.id}?hardDelete=true&recursive=true`));
  const left = await one(
    `RETURN COUNT { (n:Entity) WHERE n.id IN $ids } AS records,
       COUNT { (c:Column) WHERE any(id IN $ids WHERE c.key STARTS WITH id) } AS columns,
       COUNT { (e:ChangeEvent {eventType: 'entityDeleted'}) WHERE e.entityId IN $ids } AS farewells,
       COUNT { (v:Version) WHERE NOT (v)<-[:HAS_VERSION]-() } AS strays`,
    { ids },
  );
  assert.equal(left, { records: 0, columns: 0, farewells: 6, strays: 0 });
  const after = await one('MATCH (v:Version) RETURN count(v) AS versions', {});
  assert.is(after?.['versions'], (before?.['versions'] as number) - 3);
  const told = JSON.parse(
    (await eventsOf(tables[0]?.id ?? '')).find((event) => event.eventType === 'entityDeleted')?.json ?? '{}',
  );
  assert.equal([told.recursive, told.entity.description], [true, 'x']);
});

test('the graph is consistent', async () => {
  const broken = await one(
    `RETURN
       COUNT { (n:Entity) WHERE n.deleted AND any(l IN labels(n) WHERE l STARTS WITH 'Live') } AS liveButDeleted,
       COUNT { (n:Entity) WHERE NOT n.deleted AND none(l IN labels(n) WHERE l STARTS WITH 'Live') } AS livingUnlabelled,
       COUNT { (c:Column) WHERE NOT (c)<-[:HAS_COLUMN]-() } AS strayColumns,
       COUNT { (v:Version) WHERE NOT (v)<-[:HAS_VERSION]-() } AS strayVersions,
       COUNT { (n:Naming) WHERE NOT (n)<-[:REFERENCES_NAME]-(:Entity) } AS strayNamings,
       COUNT { (n:Entity) WHERE NOT (n)<-[:ABOUT]-(:ChangeEvent) } AS untold,
       COUNT { (n:Table) WHERE NOT (n)<-[:CONTAINS]-(:DatabaseSchema) } AS orphans`,
    {},
  );
  assert.equal(broken, {
    liveButDeleted: 0,
    livingUnlabelled: 0,
    strayColumns: 0,
    strayVersions: 0,
    strayNamings: 0,
    untold: 0,
    orphans: 0,
  });
});

test.run();
