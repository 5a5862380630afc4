import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { columnsFromFields } from '../../../src/lineage/openlineage/columns.ts';
import { openLineageNameKey } from '../../../src/lineage/openlineage/event.ts';
import { fieldMappingsTo } from '../../../src/lineage/openlineage/flows.ts';
import { parseOpenLineageEvent } from '../../../src/lineage/openlineage/parse-event.ts';
import type { Json } from '../../../src/model/json.ts';
import { suite } from '../../support/suite.ts';

/** Shows how OpenLineage events are parsed. */

const test = suite('lineage: OpenLineage parser');

const job = { namespace: 'airflow', name: 'nightly.load' };
const orders = { namespace: 'postgres://db', name: 'shop.public.orders' };
const daily = { namespace: 'snowflake://wh', name: 'wh.mart.daily' };

const refusedFor = (body: unknown, message: RegExp) =>
  assert.throws(
    () => parseOpenLineageEvent(body as Json),
    (failure: unknown) => failure instanceof CatalogError && failure.status === 400 && message.test(failure.message),
  );

test('a run event yields its job, SQL, inputs and outputs, and other members are ignored', () => {
  const event = parseOpenLineageEvent({
    eventType: 'COMPLETE',
    eventTime: '2025-03-01T10:00:00.000Z',
    run: { runId: '5b1d6d0e-7a5f-4f0c-9a44-1f1f4b0e6a10', facets: { nominalTime: { _producer: 'x' } } },
    job: { ...job, facets: { sql: { query: 'insert into daily select * from orders' }, ownership: { owners: [] } } },
    inputs: [
      {
        ...orders,
        inputFacets: { dataQualityMetrics: { rowCount: 2 } },
        facets: { schema: { fields: [{ name: 'id', type: 'bigint', unknown: 1 }] } },
      },
    ],
    outputs: [{ ...daily, facets: { somethingNew: [1] } }],
    producer: 'https://producer.example',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    invented: null,
  });
  const input = {
    ...orders,
    fields: [{ name: 'id', type: 'bigint' }],
    facets: { schema: { fields: [{ name: 'id', type: 'bigint', unknown: 1 }] }, dataQualityMetrics: { rowCount: 2 } },
  };
  const output = { ...daily, facets: { somethingNew: [1] } };
  assert.equal(event, {
    eventType: 'COMPLETE',
    time: Date.parse('2025-03-01T10:00:00.000Z'),
    runId: '5b1d6d0e-7a5f-4f0c-9a44-1f1f4b0e6a10',
    run: { nominalTime: { _producer: 'x' } },
    parent: undefined,
    root: undefined,
    job: {
      ...job,
      facets: { sql: { query: 'insert into daily select * from orders' }, ownership: { owners: [] } },
    },
    sql: 'insert into daily select * from orders',
    inputs: [input],
    outputs: [output],
    datasets: [input, output],
    tested: [],
    declares: undefined,
    flows: [{ from: { is: 'dataset', ...orders }, to: { is: 'dataset', ...daily } }],
  });
});

test('fields that only lineage names are added to those of the schema', () => {
  const inputFields = [
    { ...orders, field: 'Id' },
    { ...orders, field: 'address.city' },
    { ...orders, field: 'email' },
  ];
  const listed = [{ name: 'id', type: 'bigint' }, { name: 'address' }];
  const { inputs } = parseOpenLineageEvent({
    job,
    inputs: [{ ...orders, facets: { schema: { fields: listed } } }],
    outputs: [{ ...daily, facets: { columnLineage: { fields: { total: { inputFields } } } } }],
  });
  assert.equal(
    inputs.map(({ fields }) => fields),
    [[...listed, { name: 'email' }]],
  );
});

test('a job event has no run, and a dataset event has no job', () => {
  const [ofJob, ofDataset] = [
    parseOpenLineageEvent({ job, inputs: [orders] }),
    parseOpenLineageEvent({ dataset: daily }),
  ];
  assert.equal([ofJob.job?.name, ofJob.runId, ofJob.time], [job.name, undefined, undefined]);
  assert.equal([ofJob.inputs, ofJob.outputs, ofJob.flows], [[{ ...orders, facets: {} }], [], []]);
  assert.equal([ofDataset.job, ofDataset.outputs, ofDataset.flows], [undefined, [{ ...daily, facets: {} }], []]);
});

test('a run without data has no datasets but those that it tested when it failed, and deleted facets count as absent', () => {
  const tested = { ...orders, inputFacets: { dataQualityAssertions: { assertions: [] }, dataQualityMetrics: {} } };
  const parse = (eventType: string) => parseOpenLineageEvent({ eventType, job, inputs: [tested], outputs: [daily] });
  const namesOf = ({ inputs, outputs, datasets, tested: known, flows }: ReturnType<typeof parse>) => [
    ...[inputs, outputs, datasets, flows].map((list) => list.length),
    known,
  ];
  const { dataQualityAssertions } = tested.inputFacets;
  assert.equal(namesOf(parse('start')), [0, 0, 0, 0, []]);
  assert.equal(namesOf(parse('Fail')), [0, 0, 0, 0, [{ ...orders, facets: { dataQualityAssertions } }]]);
  assert.equal(namesOf(parse('COMPLETE')), [1, 1, 2, 1, []]);
  const deleted = { lineage: { _deleted: true }, tags: { _deleted: true } };
  const event = parseOpenLineageEvent({
    job: { ...job, facets: { ...deleted, documentation: { description: 'd' } } },
    inputs: [{ ...orders, facets: deleted }],
    outputs: [daily],
  });
  assert.equal([event.job?.facets, event.inputs[0]?.facets], [{ documentation: { description: 'd' } }, {}]);
  assert.is(event.flows.length, 1, 'without its lineage facet an event says what its inputs and outputs imply');
});

test('an event without a run declares all lineage of its job or dataset, unless it says nothing of lineage', () => {
  const declared = (event: object) => parseOpenLineageEvent(event as Json).declares;
  const ofJob = { of: 'job', ...job };
  const withFacets = (owner: object, facets: object) => ({ ...owner, facets });
  assert.equal(declared({ job, inputs: [orders] }), ofJob);
  assert.equal(declared({ job, outputs: [daily] }), ofJob);
  assert.equal(declared({ job: withFacets(job, { lineage: { entries: [] } }) }), ofJob);
  assert.equal(declared({ job: withFacets(job, { lineage: { _deleted: true } }), inputs: [], outputs: [] }), ofJob);
  assert.is(declared({ job: withFacets(job, { ownership: {} }), inputs: [], outputs: [] }), undefined);
  assert.is(declared({ job, run: { runId: 'r' }, inputs: [orders] }), undefined);
  assert.is(declared({ job, eventType: 'COMPLETE', inputs: [orders] }), undefined);
  const ofDataset = { of: 'dataset', ...daily };
  assert.equal(declared({ dataset: withFacets(daily, { lineage: {} }) }), ofDataset);
  assert.equal(declared({ dataset: withFacets(daily, { columnLineage: { fields: {} } }) }), ofDataset);
  assert.is(declared({ dataset: withFacets(daily, { ownership: {} }) }), undefined);
});

test('column mappings are grouped by dataset, and datasets mentioned only there become inputs', () => {
  const rates = { namespace: 'files', name: '/rates.csv' };
  const event = parseOpenLineageEvent({
    job,
    inputs: [orders],
    outputs: [
      {
        ...daily,
        facets: {
          columnLineage: {
            fields: {
              total: {
                inputFields: [
                  { ...orders, field: 'amount', transformations: [{ type: 'DIRECT', description: 'amount * rate' }] },
                  { ...orders, field: 'amount' },
                  { ...rates, field: 'rate' },
                ],
              },
              day: { inputFields: [{ ...orders, field: 'created' }], transformationDescription: 'date(created)' },
            },
          },
        },
      },
    ],
  });
  assert.equal(
    event.datasets.map(({ name }) => name),
    [orders.name, rates.name, daily.name],
  );
  const [output] = event.outputs;
  if (!output) throw new Error('no output');
  const mappings = fieldMappingsTo(output);
  assert.equal(mappings?.get(openLineageNameKey(orders)), [
    { from: ['amount'], to: 'total', how: 'amount * rate' },
    { from: ['created'], to: 'day', how: 'date(created)' },
  ]);
  assert.equal(mappings?.get(openLineageNameKey(rates)), [{ from: ['rate'], to: 'total' }]);
  assert.is(mappings?.get(openLineageNameKey(daily)), undefined);
  assert.is(fieldMappingsTo({}), undefined, 'what is not said is not said to be nothing');
});

test('an invalid event is refused with the name of the wrong member', () => {
  refusedFor('text', /event must be an object/);
  refusedFor([], /event must be an object/);
  refusedFor({}, /must have a job or a dataset/);
  refusedFor({ job: { namespace: 'n' } }, /job\.name/);
  refusedFor({ job: { namespace: '', name: 'n' } }, /job\.namespace must not be empty/);
  refusedFor({ job, inputs: {} }, /inputs must be a list/);
  refusedFor({ job, inputs: [{ name: 'n' }] }, /inputs\.0\.namespace/);
  refusedFor({ job, eventTime: 'yesterday' }, /eventTime must be a date-time/);
  refusedFor(
    { job, outputs: [{ ...daily, facets: { columnLineage: { fields: { a: { inputFields: 'b' } } } } }] },
    /inputFields/,
  );
  const many = Array.from({ length: 101 }, (_, at) => ({ namespace: 'n', name: `t${at}` }));
  refusedFor({ job, inputs: many, outputs: many }, /at most 10000 edges/);
});

test('fields become columns by the first word of their type, with children, and fields without a valid name are omitted', () => {
  assert.equal(
    columnsFromFields([
      { name: 'id', type: 'BIGINT', description: 'the key' },
      { name: 'name', type: 'varchar(20)' },
      { name: 'price', type: 'decimal(10,2)' },
      { name: 'tags', type: 'array<string>' },
      { name: 'geo', type: 'struct<lat:double>', fields: [{ name: 'lat', type: 'double' }, { name: 'o"dd' }] },
      { name: 'odd', type: 'constructor' },
      { name: 'shape', type: 'geography' },
      { name: 'long', type: 'long' },
      { name: 'ID', type: 'int' },
      { name: 'x::y' },
    ]),
    [
      { name: 'id', dataType: 'BIGINT', dataTypeDisplay: 'BIGINT', description: 'the key' },
      { name: 'name', dataType: 'VARCHAR', dataLength: 20, dataTypeDisplay: 'varchar(20)' },
      { name: 'price', dataType: 'DECIMAL', dataTypeDisplay: 'decimal(10,2)' },
      { name: 'tags', dataType: 'ARRAY', arrayDataType: 'UNKNOWN', dataTypeDisplay: 'array<string>' },
      {
        name: 'geo',
        dataType: 'STRUCT',
        dataTypeDisplay: 'struct<lat:double>',
        children: [{ name: 'lat', dataType: 'DOUBLE', dataTypeDisplay: 'double' }],
      },
      { name: 'odd', dataType: 'UNKNOWN', dataTypeDisplay: 'constructor' },
      { name: 'shape', dataType: 'GEOGRAPHY', dataTypeDisplay: 'geography' },
      { name: 'long', dataType: 'BIGINT', dataTypeDisplay: 'long' },
    ],
  );
});

test.run();
