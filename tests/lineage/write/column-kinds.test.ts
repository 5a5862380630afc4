/** Shows edges between columns of every kind that has columns, and how they follow renames (lineage.md 5). */
import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { ok } from '../../support/expect.ts';
import { uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, detailsOf, edgeBody, graphOf, type Made, mapping, openWorld, ref, type World } from '../fixture.ts';

const test = suite('lineage: columns of every kind');

let world: World;

test.before(async () => {
  world = await openWorld();
});

/** A kind with columns: how a record is made of columns, and where they lie in it. */
type Sort = {
  readonly type: string;
  readonly path: string;
  readonly service: readonly [path: string, serviceType: string];
  readonly columns: string;
  readonly make: (parent: string, columns: readonly JsonObject[]) => Promise<JsonObject> | JsonObject;
  readonly columnOf?: (name: string, children?: readonly JsonObject[]) => JsonObject;
  readonly isFlat?: boolean;
};

const record = (name: string, children?: readonly JsonObject[]): JsonObject => ({
  name,
  dataType: children ? 'RECORD' : 'STRING',
  ...(children ? { children } : {}),
});

const struct = (name: string, children?: readonly JsonObject[]): JsonObject =>
  column(name, children ? { dataType: 'STRUCT', children } : {});

const SORTS: readonly Sort[] = [
  {
    type: 'topic',
    path: 'topics',
    service: ['messagingServices', 'Kafka'],
    columns: '/messageSchema/schemaFields',
    columnOf: record,
    make: (service, schemaFields) => ({ service, partitions: 1, messageSchema: { schemaType: 'Avro', schemaFields } }),
  },
  {
    type: 'container',
    path: 'containers',
    service: ['storageServices', 'S3'],
    columns: '/dataModel/columns',
    make: (service, columns) => ({ service, dataModel: { isPartitioned: false, columns } }),
  },
  {
    type: 'searchIndex',
    path: 'searchIndexes',
    service: ['searchServices', 'ElasticSearch'],
    columns: '/fields',
    columnOf: (name, children) => ({
      name,
      dataType: children ? 'NESTED' : 'TEXT',
      ...(children ? { children } : {}),
    }),
    make: (service, fields) => ({ service, fields }),
  },
  {
    type: 'dashboardDataModel',
    path: 'dashboard/datamodels',
    service: ['dashboardServices', 'Looker'],
    columns: '/columns',
    make: (service, columns) => ({ service, dataModelType: 'LookMlView', columns }),
  },
  {
    type: 'file',
    path: 'drives/files',
    service: ['driveServices', 'GoogleDrive'],
    columns: '/columns',
    make: (service, columns) => ({ service, columns }),
  },
  {
    type: 'mlmodel',
    path: 'mlmodels',
    service: ['mlmodelServices', 'Mlflow'],
    columns: '/mlFeatures',
    isFlat: true,
    columnOf: (name) => ({ name, dataType: 'numerical' }),
    make: (service, mlFeatures) => ({ service, algorithm: 'trees', mlFeatures }),
  },
  ...(['requestSchema', 'responseSchema'] as const).map(
    (member): Sort => ({
      type: 'apiEndpoint',
      path: 'apiEndpoints',
      service: ['apiServices', 'Rest'],
      columns: `/${member}/schemaFields`,
      columnOf: record,
      make: async (service, schemaFields) => {
        const { fullyQualifiedName } = await world.make('apiCollections', {
          name: 'all',
          service,
          endpointURL: 'https://example.com',
        });
        const schema = { schemaType: 'JSON', schemaFields };
        return { apiCollection: fullyQualifiedName, endpointURL: 'https://example.com/one', [member]: schema };
      },
    }),
  ),
];

const makeOne = async ({ path, service: [services, serviceType], make, columnOf = struct, isFlat }: Sort) => {
  const service = await world.make(`services/${services}`, { name: uniqueName('cols'), serviceType });
  const inner = isFlat ? columnOf('wide') : columnOf('wide', [columnOf('inner')]);
  const body = await make(service.fullyQualifiedName, [inner, columnOf('plain')]);
  return world.make(path, { name: 'one', ...body });
};

for (const sort of SORTS) {
  const { type, path, columns, isFlat } = sort;

  test(`${type} ${columns}: columns are mapped both ways, renamed and removed`, async () => {
    const [made, source, sink] = [await makeOne(sort), await world.table('source'), await world.table('sink')];
    const deep = (name: string) => (isFlat ? name : `${name}.inner`);
    const put = async (
      from: Made,
      to: Made,
      types: readonly [string, string],
      columnsLineage: readonly JsonObject[],
    ) => {
      const { edge } = edgeBody(from, to, { columnsLineage });
      const ends = { fromEntity: ref(from, types[0]), toEntity: ref(to, types[1]) };
      ok(await world.admin.put('/v1/lineage', { edge: { ...edge, ...ends } }));
    };
    const lost = mapping(source, ['a'], made, 'nothing');
    await put(source, made, ['table', type], [mapping(source, ['a', 'b'], made, deep('wide')), lost]);
    await put(made, sink, [type, 'table'], [mapping(made, [deep('wide'), 'plain'], sink, 'c')]);
    const both = async () => [
      (await detailsOf(world.admin, source, made)).columnsLineage,
      (await detailsOf(world.admin, made, sink)).columnsLineage,
    ];
    const before = [
      [mapping(source, ['a', 'b'], made, deep('wide'))],
      [mapping(made, [deep('wide'), 'plain'], sink, 'c')],
    ];
    assert.equal(await both(), before);
    const graph = ok(
      await world.admin.get(`/v1/lineage/graph?id=${sink.id}&columns=true&upstreamDepth=2&downstreamDepth=0`),
    );
    assert.is(graph.columnEdges.length, 4, 'two pairs each');
    const rename = [{ op: 'replace', path: `${columns}/0/name`, value: 'broad' }];
    ok(await world.admin.patch(`/v1/${path}/${made.id}`, rename));
    assert.equal(await both(), [
      [mapping(source, ['a', 'b'], made, deep('broad'))],
      [mapping(made, [deep('broad'), 'plain'], sink, 'c')],
    ]);
    ok(await world.admin.patch(`/v1/${path}/${made.id}`, [{ op: 'remove', path: `${columns}/0` }]));
    assert.equal(await both(), [[], [mapping(made, ['plain'], sink, 'c')]]);
  });
}

test('edges run through a stored procedure as through a pipeline', async () => {
  const procedure = await world.make('storedProcedures', {
    name: uniqueName('load'),
    databaseSchema: world.schemaFqn,
    storedProcedureCode: { language: 'SQL', code: 'INSERT INTO b SELECT * FROM a' },
  });
  const [a, b] = [await world.table('a'), await world.table('b')];
  ok(await world.admin.put('/v1/lineage', edgeBody(a, b, { pipeline: ref(procedure, 'storedProcedure') })));
  const { pipeline } = await detailsOf(world.admin, a, b);
  assert.equal([pipeline.id, pipeline.type], [procedure.id, 'storedProcedure']);
  const around = await graphOf(world.admin, procedure, '', 'storedProcedure');
  assert.equal(
    [around.upstreamEdges, around.downstreamEdges]
      .flat()
      .map((edge: JsonObject) => [edge['fromEntity'], edge['toEntity']]),
    [
      [a.id, procedure.id],
      [procedure.id, b.id],
    ],
  );
  const map = ok(
    await world.admin.get(
      `/v1/lineage/getLineage?fqn=${encodeURIComponent(a.fullyQualifiedName)}&type=table&upstreamDepth=0&downstreamDepth=1`,
    ),
  );
  const [[docId, edge] = []] = Object.entries<JsonObject>(map.downstreamEdges);
  assert.is(docId, `${a.fullyQualifiedName}--->storedProcedure:${procedure.id}--->${b.fullyQualifiedName}`);
  assert.is(edge?.['pipelineEntityType'], 'storedProcedure');
  ok(await world.admin.delete(`/v1/storedProcedures/${procedure.id}?hardDelete=true`));
  assert.is((await detailsOf(world.admin, a, b)).pipeline, undefined);
});

test('edges show the new names of columns below a renamed ancestor', async () => {
  const glossary = await world.make('glossaries', { name: uniqueName('words'), description: 'x' });
  const term = await world.make('glossaryTerms', {
    name: 'one',
    glossary: glossary.fullyQualifiedName,
    description: 'x',
  });
  const b = await world.table('b');
  ok(
    await world.admin.put('/v1/lineage', {
      edge: { fromEntity: ref(term, 'glossaryTerm'), toEntity: ref(b), lineageDetails: { sqlQuery: 'q' } },
    }),
  );
  const name = uniqueName('terms');
  ok(await world.admin.patch(`/v1/glossaries/${glossary.id}`, [{ op: 'replace', path: '/name', value: name }]));
  const { nodes } = await graphOf(world.admin, b);
  assert.is(nodes[0].fullyQualifiedName, `${name}.one`);
  const path = `/v1/lineage/getLineageEdge/glossaryTerm/name/${name}.one/table/name/${b.fullyQualifiedName}`;
  assert.is(ok(await world.admin.get(path)).edge.sqlQuery, 'q');
});

test.run();
