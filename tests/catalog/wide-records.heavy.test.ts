import * as assert from 'uvu/assert';
import { deleteAbandonedStages } from '../../src/catalog/write/staging.ts';
import { plantSchema, writeBesideGiant } from '../support/beside-giant.ts';
import { ok } from '../support/expect.ts';
import {
  closeServiceAt,
  openService,
  openServiceAt,
  placeOfRun,
  type Service,
  uniqueName,
} from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that assets beyond the size of one transaction behave like any other. */

const test = suite('catalog: wide records');

/** Wide enough for columns to be staged. */
const STAGED = 2500;

let service: Service;
let schema: string;

test.before(async () => {
  service = await openService();
  schema = await plantSchema(service);
});

const bodyOf = (name: string, count: number) => ({
  name,
  databaseSchema: schema,
  columns: Array.from({ length: count }, (_, at) => ({ name: `column_${at}`, dataType: 'INT' })),
});

/** Nodes that are staged, and columns of this schema that hang on no record. */
const leftovers = async (): Promise<unknown> => {
  const [row] = await service.graph.query(
    `RETURN COUNT { (n:Staged) } AS staged,
       COUNT { MATCH (c:Column) WHERE c.fullyQualifiedName STARTS WITH $prefix AND NOT (:Entity)-[:HAS_COLUMN*1..2]->(c) } AS strays`,
    { prefix: `${schema}.` },
  );
  return row;
};

const NOTHING = { staged: 0, strays: 0 };

test('a very wide record behaves like any other', async () => {
  const name = uniqueName('t');
  const body = bodyOf(name, STAGED);
  const columns = body.columns.map((column, at) =>
    at === 7
      ? {
          ...column,
          dataType: 'STRUCT',
          tags: [{ tagFQN: 'PII.Sensitive' }],
          children: [{ name: 'inner', dataType: 'INT' }],
        }
      : column,
  );
  const made = ok(await service.admin.post('/v1/tables', { ...body, columns }), 201);
  const read = ok(await service.admin.get(`/v1/tables/${made.id}?fields=*`));
  assert.is(read.columns.length, STAGED);
  assert.is(read.columns[7].children[0].fullyQualifiedName, `${schema}.${name}.column_7.inner`);
  assert.is(read.columns[7].tags[0].tagFQN, 'PII.Sensitive');
  const [row] = await service.graph.query(
    `MATCH (n:Table:Entity:LiveTable {id: $id})
     RETURN properties(n).stageId AS stageId, properties(n).pieces AS pieces,
       COUNT { (n)-[:HAS_COLUMN]->(:Column) } AS columns, COUNT { (n)<-[:CONTAINS]-() } AS parents,
       COUNT { (n)<-[:ABOUT]-(:ChangeEvent {eventType: 'entityCreated'}) } AS events,
       COUNT { (:SearchDoc {id: n.id}) } AS documents`,
    { id: made.id },
  );
  assert.equal(row, { stageId: null, pieces: null, columns: STAGED, parents: 1, events: 1, documents: 1 });
  assert.equal(await leftovers(), NOTHING);
  ok(await service.admin.delete(`/v1/tables/${made.id}?hardDelete=true`));
  assert.equal(await leftovers(), NOTHING);
});

test('of two concurrent creates of one name one succeeds, and the other leaves nothing', async () => {
  const other = await openServiceAt(placeOfRun());
  const body = bodyOf(uniqueName('t'), STAGED);
  const answers = await Promise.all(
    [service, other, service, other].map(({ admin }) => admin.post('/v1/tables', body)),
  );
  await closeServiceAt(other);
  assert.equal(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  assert.equal(await leftovers(), NOTHING);
});

test('staged rows of a dead process are removed', async () => {
  await service.graph.query(
    `CREATE (n:Staged {stageId: randomUUID(), pieces: 1, at: timestamp() - 7200000}) WITH n
     UNWIND range(1, 2500) AS at CREATE (n)-[:HAS_COLUMN {position: at}]->(:Column {key: n.stageId + at, fullyQualifiedName: $prefix + at})`,
    { prefix: `${schema}.gone.` },
  );
  await deleteAbandonedStages(service.graph);
  assert.equal(await leftovers(), NOTHING);
});

/** Two writers that had to wait for the giant would be answered at most once each before it is over. */
const MANY = 10;

test('small writes are answered while 20,000 columns are created below the same schema', async () => {
  const { sentWhileStaged } = await writeBesideGiant(service, schema, 'create');
  assert.ok(sentWhileStaged >= MANY, `${sentWhileStaged} small writes were answered before the giant`);
});

test('small writes are answered while 2,000 of 20,000 columns are patched', async () => {
  const { waitsMs } = await writeBesideGiant(service, schema, 'patch');
  assert.ok(waitsMs.length >= MANY, `${waitsMs.length} small writes were answered before the giant`);
});

test.run();
