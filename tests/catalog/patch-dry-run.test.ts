import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { createPerson, expectRefused, ok } from '../support/expect.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';

/** Shows that a PATCH or a lineage write with `dryRun` checks what the write would, and changes nothing. */

const test = suite('catalog: dry runs of changes');

let service: Service;
let schema: string;

const createTable = async () =>
  ok(
    await service.admin.post('/v1/tables', {
      name: uniqueName('table'),
      databaseSchema: schema,
      columns: [{ name: 'id', dataType: 'INT' }],
    }),
    201,
  );

/** The events of a table, of which those just committed may have no number yet and are then not listed. */
const countEvents = async (id: string): Promise<number> => {
  await waitForSequencing(service);
  return ok(await service.admin.get(`/v1/events?timestamp=0&limit=200&entityId=${id}`)).data.length;
};

test.before(async () => {
  service = await openService();
  const name = uniqueName('dryrun');
  ok(await service.admin.post('/v1/services/databaseServices', { name, serviceType: 'Postgres' }), 201);
  ok(await service.admin.post('/v1/databases', { name: 'db', service: name }), 201);
  ok(await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${name}.db` }), 201);
  schema = `${name}.db.public`;
});

test('a PATCH answers the asset as it is and leaves neither a version nor an event', async () => {
  const table = await createTable();
  const patch = [{ op: 'add', path: '/description', value: 'New.' }];
  for (const path of [`/v1/tables/${table.id}`, `/v1/tables/name/${table.fullyQualifiedName}`]) {
    const reply = await service.admin.patch(`${path}?dryRun=true`, patch);
    const answer = ok(reply);
    assert.equal([answer.description, answer.version], [undefined, 0.1]);
    assert.is(reply.headers.get('x-openmetadata-change'), 'entityNoChange');
  }
  assert.is(ok(await service.admin.get(`/v1/tables/${table.id}`)).description, undefined);
  assert.is(await countEvents(table.id), 1);
  assert.is(ok(await service.admin.patch(`/v1/tables/${table.id}?dryRun=false`, patch)).description, 'New.');
});

test('a PATCH is refused as the write would be', async () => {
  const table = await createTable();
  const path = `/v1/tables/${table.id}?dryRun=true`;
  const patch = [{ op: 'add', path: '/description', value: 'New.' }];
  const reader = await createPerson(service, uniqueName('reader'));
  const unowned = [{ op: 'add', path: '/owners', value: [{ id: table.id, type: 'user' }] }];
  expectRefused(await reader.patch(`/v1/tables/${table.id}?dryRun=true`, [{ op: 'remove', path: '/columns/0' }]), 403);
  expectRefused(await service.admin.patch(path, unowned), 404);
  expectRefused(await service.admin.patch(path, [{ op: 'replace', path: '/columns/0/dataType', value: 'NONE' }]), 400);
  expectRefused(await service.admin.patch(path, patch, { 'if-match': '"0.9-x"' }), 412);
  expectRefused(await service.admin.patch(`/v1/tables/${table.id}?dryRun=maybe`, patch), 400);
  assert.is(ok(await service.admin.get(`/v1/tables/${table.id}`)).version, 0.1);
});

test('a cycle that a PATCH would close is refused', async () => {
  const make = async (rest: object) =>
    ok(await service.admin.post('/v1/teams', { name: uniqueName('team'), teamType: 'Department', ...rest }), 201);
  const above = await make({});
  const below = await make({ parents: [above.id] });
  const parents = [{ op: 'add', path: '/parents', value: [{ id: below.id, type: 'team' }] }];
  const refused = await service.admin.patch(`/v1/teams/${above.id}?dryRun=true`, parents);
  expectRefused(refused, 400);
  assert.is((await service.admin.patch(`/v1/teams/${above.id}`, parents)).json.message, refused.json.message);
});

/** What a write of a record leaves behind: revision and version, and how many of everything else. */
const tracesOf = async (id: string): Promise<JsonObject | undefined> => {
  const [traces] = await service.graph.query(
    `MATCH (n:Entity {id: $id})
     RETURN n.revision AS revision, n.version AS version, n.fullyQualifiedName AS name,
       COUNT { (n)-[:HAS_VERSION]->() } AS versions, COUNT { (:ChangeEvent)-[:ABOUT]->(n) } AS events,
       COUNT { (n)--() } AS edges, COUNT { MATCH (:AuditEntry {target: n.fullyQualifiedName}) } AS audited,
       COLLECT { MATCH (mark:Dirty {entityId: $id}) RETURN mark.revision } AS marks,
       COUNT { MATCH (job:Job) } AS jobs`,
    { id },
  );
  return traces as JsonObject | undefined;
};

/** Expects the dry run of a patch to be refused as the patch itself is, and both to leave nothing behind. */
const expectSameRefusal = async (path: string, id: string, patch: unknown, status: number): Promise<void> => {
  const before = await tracesOf(id);
  const dry = await service.admin.patch(`${path}/${id}?dryRun=true`, patch);
  assert.equal(await tracesOf(id), before);
  const written = await service.admin.patch(`${path}/${id}`, patch);
  expectRefused(written, status);
  assert.equal([dry.status, dry.json], [written.status, written.json]);
};

const createGlossary = async (name: string) =>
  ok(await service.admin.post('/v1/glossaries', { name, description: 'Words.' }), 201);

test('a name or an e-mail address that is taken is refused', async () => {
  const [glossary, other] = [await createGlossary(uniqueName('words')), await createGlossary(uniqueName('words'))];
  await expectSameRefusal('/v1/glossaries', glossary.id, { name: other.name }, 409);
  const [person, holder] = [
    await createPerson(service, uniqueName('person')),
    await createPerson(service, uniqueName('person')),
  ];
  await expectSameRefusal('/v1/users', person.id, { email: `${holder.name}@example.com` }, 409);
});

test('a name that makes a name below too long is refused', async () => {
  const create = async (name: string, parent?: string) =>
    ok(await service.admin.post('/v1/domains', { name, description: 'A part.', domainType: 'Aggregate', parent }), 201);
  const domain = await create(uniqueName('domain'));
  let parent = domain.fullyQualifiedName;
  for (let depth = 0; depth < 11; depth += 1) parent = (await create('x'.repeat(256), parent)).fullyQualifiedName;
  await expectSameRefusal('/v1/domains', domain.id, { name: 'y'.repeat(256) }, 400);
});

test('a rename that could be written leaves the names below as they are, and no job', async () => {
  const { client } = await openSecondProcessWith(service, { cascadeRows: 2 });
  const glossary = await createGlossary(uniqueName('words'));
  const terms = await Promise.all(
    ['one', 'two', 'three'].map(async (name) =>
      ok(await service.admin.post('/v1/glossaryTerms', { name, description: 'A word.', glossary: glossary.name }), 201),
    ),
  );
  const look = () => Promise.all([glossary, ...terms].map(({ id }) => tracesOf(id)));
  const before = await look();
  for (const caller of [service.admin, client]) {
    const name = uniqueName('renamed');
    assert.is(ok(await caller.patch(`/v1/glossaries/${glossary.id}?dryRun=true`, { name })).name, glossary.name);
    assert.equal(await look(), before);
  }
});

/** A table whose column is nested so deeply that the name of its test is nearly too long. */
const createDeepTable = async () => {
  let column: JsonObject = { name: 'leaf', dataType: 'INT' };
  let path = 'leaf';
  while (path.length < 2600) {
    const name = `c${path.length}`.padEnd(200, 'c');
    column = { name, dataType: 'STRUCT', children: [column] };
    path = `${name}.${path}`;
  }
  const body = { name: uniqueName('table'), databaseSchema: schema, columns: [column] };
  const table = ok(await service.admin.post('/v1/tables', body), 201);
  const leaf = `/columns/0${'/children/0'.repeat(path.split('.').length - 1)}/name`;
  return { table, path, leaf };
};

test('what tests of a renamed column refuse is refused, and what they take is not written', async () => {
  const { table, path, leaf } = await createDeepTable();
  const held = ok(
    await service.admin.post('/v1/dataQuality/testCases', {
      name: uniqueName('n'.repeat(240)),
      entityLink: `<#E::table::${table.fullyQualifiedName}::columns::${path}>`,
      testDefinition: 'columnValuesToBeNotNull',
    }),
    201,
  );
  const rename = (to: string) => [{ op: 'replace', path: leaf, value: to }];
  await expectSameRefusal('/v1/tables', table.id, rename('l'.repeat(200)), 400);
  const before = [await tracesOf(table.id), await tracesOf(held.id)];
  ok(await service.admin.patch(`/v1/tables/${table.id}?dryRun=true`, rename('other')));
  assert.equal([await tracesOf(table.id), await tracesOf(held.id)], before);
});

test('a contract gets no test suite', async () => {
  const table = await createTable();
  const contract = ok(
    await service.admin.post('/v1/dataContracts', {
      name: uniqueName('contract'),
      entity: { id: table.id, type: 'table' },
    }),
    201,
  );
  const held = ok(
    await service.admin.post('/v1/dataQuality/testCases', {
      name: uniqueName('check'),
      entityLink: `<#E::table::${table.fullyQualifiedName}>`,
      testDefinition: 'tableRowCountToBeBetween',
      parameterValues: [{ name: 'minValue', value: '1' }],
    }),
    201,
  );
  const before = [await tracesOf(contract.id), await tracesOf(held.id)];
  const patch = { qualityExpectations: [{ id: held.id, type: 'testCase' }] };
  ok(await service.admin.patch(`/v1/dataContracts/${contract.id}?dryRun=true`, patch));
  assert.equal([await tracesOf(contract.id), await tracesOf(held.id)], before);
  ok(await service.admin.patch(`/v1/dataContracts/${contract.id}`, patch));
  assert.ok(ok(await service.admin.get(`/v1/dataContracts/${contract.id}`)).testSuite);
});

test('an edge is checked and not written', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const path = `/v1/lineage/table/name/${from.fullyQualifiedName}/table/name/${to.fullyQualifiedName}`;
  const edge = `/v1/lineage/getLineageEdge/${from.id}/${to.id}`;
  const wrong = { columnsLineage: [{ fromColumns: [`${from.fullyQualifiedName}.absent`], toColumn: 'id' }] };
  const reader = await createPerson(service, uniqueName('reader'));
  ok(await service.admin.put(`${path}?dryRun=true`, { description: 'New.' }));
  expectRefused(await service.admin.put(`${path}?dryRun=true&strictColumns=true`, wrong), 400);
  expectRefused(await reader.put(`${path}?dryRun=true`, {}), 403);
  expectRefused(await service.admin.get(edge), 404);
  const body = {
    edge: { fromEntity: { id: from.id, type: 'table' }, toEntity: { id: to.id, type: 'table' } },
  };
  ok(await service.admin.put('/v1/lineage?dryRun=true', body));
  expectRefused(await service.admin.get(edge), 404);
  ok(await service.admin.put('/v1/lineage', body));
  expectRefused(await service.admin.put(`${path}?dryRun=true`, {}, { 'if-none-match': '*' }), 412);
});

test('a change of an edge is checked and not written', async () => {
  const [from, to] = [await createTable(), await createTable()];
  const path = `/v1/lineage/table/name/${from.fullyQualifiedName}/table/name/${to.fullyQualifiedName}`;
  ok(await service.admin.put(path, { description: 'Old.' }));
  const patch = [{ op: 'add', path: '/description', value: 'New.' }];
  const reader = await createPerson(service, uniqueName('reader'));
  assert.is(ok(await service.admin.patch(`${path}?dryRun=true`, patch)).description, 'Old.');
  expectRefused(
    await service.admin.patch(`${path}?dryRun=true`, [{ op: 'test', path: '/description', value: 'x' }]),
    400,
  );
  expectRefused(await reader.patch(`${path}?dryRun=true`, patch), 403);
  assert.is(ok(await service.admin.patch(`${path}?dryRun=false`, patch)).description, 'New.');
});

test.run();
