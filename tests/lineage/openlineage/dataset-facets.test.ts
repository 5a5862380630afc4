import * as assert from 'uvu/assert';
import type { JsonObject } from '../../../src/model/json.ts';
import { countStored, ok } from '../../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../../support/rights.ts';
import { type Client, uniqueName } from '../../support/service.ts';
import { suite } from '../../support/suite.ts';
import { column, type Made, openWorld, type World } from '../fixture.ts';

/** Shows what becomes of the facets of datasets in OpenLineage events. */

const test = suite('lineage: OpenLineage facets of datasets');

let world: World;
let rights: RightsFactory;
let classification: Made;
let tags: readonly Made[];

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  classification = await world.make('classifications', { name: uniqueName('Cls'), description: 'For tests.' });
  const makeTag = (name: string) =>
    world.make('tags', { name, classification: classification.name, description: 'For tests.' });
  tags = await Promise.all([makeTag('Cold'), makeTag('Hot')]);
});

test.after(() => rights.clear());

const TIME = '2025-03-01T10:00:00.000Z';
const AT = Date.parse(TIME);

type Told = { readonly of: string; readonly name?: string; readonly facet: string; readonly reason: string };

/** Sends an event of a run that writes the table, with facets in any of their three places. */
const tell = async (
  table: Made,
  dataset: JsonObject,
  client: Client = world.admin,
  more: JsonObject = {},
): Promise<readonly Told[]> => {
  const answer = ok(
    await client.post('/v1/lineage/openlineage', {
      eventType: 'COMPLETE',
      eventTime: TIME,
      inputs: [],
      outputs: [{ namespace: 'anywhere', name: table.fullyQualifiedName, ...dataset }],
      job: { namespace: 'jobs', name: 'facets' },
      ...more,
    }),
  );
  return (answer['unappliedFacets'] ?? []) as unknown as readonly Told[];
};

const facets = (members: JsonObject): JsonObject => ({ facets: members });

const read = async (table: Made, fields = 'owners,tags,columns'): Promise<JsonObject> =>
  ok(await world.admin.get(`/v1/tables/${table.id}?fields=${fields}`));

const columnsIn = ({ columns }: JsonObject): readonly JsonObject[] => columns as unknown as readonly JsonObject[];

const labelsIn = ({ tags }: JsonObject): readonly string[] =>
  ((tags ?? []) as unknown as readonly JsonObject[]).map(({ tagFQN }) => String(tagFQN));

const listIds = (refs: unknown): readonly unknown[] => ((refs ?? []) as readonly JsonObject[]).map(({ id }) => id);

test('an event describes what nobody has described, and only its own words later', async () => {
  const table = await world.table('t', [column('a'), column('b', { description: 'By hand.' })]);
  const describing = (text: string) =>
    facets({
      documentation: { description: text },
      schema: {
        fields: [
          { name: 'A', type: 'string', description: `${text} of a` },
          { name: 'b', type: 'string', description: `${text} of b` },
        ],
      },
    });
  assert.equal(await tell(table, describing('First')), []);
  assert.equal(await tell(table, describing('Second')), []);
  const second = await read(table);
  assert.is(second['description'], 'Second');
  assert.equal(
    columnsIn(second).map(({ description }) => description),
    ['Second of a', 'By hand.'],
  );
  ok(
    await world.admin.patch(`/v1/tables/${table.id}`, [
      { op: 'replace', path: '/description', value: 'By a person.' },
      { op: 'replace', path: '/columns/0/description', value: 'By a person too.' },
    ]),
  );
  assert.equal(
    (await tell(table, describing('Third'))).map(({ facet, reason }) => [facet, reason]),
    [['documentation', 'described already']],
  );
  const third = await read(table);
  assert.equal([third['description'], columnsIn(third)[0]?.['description']], ['By a person.', 'By a person too.']);
});

test('owners are found by name, e-mail and form, and are given to tables without owners', async () => {
  const [ada, ben] = await Promise.all([rights.person(), rights.person()]);
  const team = await rights.team();
  const [people, grouped] = await Promise.all([world.table('p'), world.table('g')]);
  const owners = (...names: readonly string[]) =>
    facets({ ownership: { owners: names.map((name) => ({ name, type: 'OWNER' })) } });
  const told = await tell(
    people,
    owners(`user:${ada.name}`, `${ben.name}@example.com`, `team:${team.name}`, 'application:shop'),
  );
  assert.equal(
    told.map(({ facet, reason }) => [facet, reason]),
    [
      ['ownership', 'no user or team application:shop'],
      ['ownership', `owners are users or one team, so team:${team.name} is left out`],
    ],
  );
  const ownersOf = async (table: Made) =>
    ((await read(table))['owners'] as unknown as readonly JsonObject[]).map(({ id }) => id).sort();
  assert.equal(await ownersOf(people), [ada.id, ben.id].sort());
  assert.equal(await tell(grouped, owners(team.name)), []);
  assert.equal(await ownersOf(grouped), [team.id]);
  assert.equal(await tell(grouped, owners(ada.name)), []);
  assert.equal(await ownersOf(grouped), [team.id], 'owners that a table has stay');
});

test('tags that exist are added to tables and columns, and none is removed', async () => {
  const [cold = '', hot = ''] = tags.map(({ fullyQualifiedName }) => fullyQualifiedName);
  const table = await world.table('t');
  ok(await world.admin.patch(`/v1/tables/${table.id}`, [{ op: 'add', path: '/tags/-', value: { tagFQN: cold } }]));
  const tagging = facets({
    tags: {
      tags: [
        { key: classification.name, value: 'Hot', source: 'CONFIG' },
        { key: hot, value: 'true', field: 'b' },
        { key: 'nightly', value: 'nightly' },
        { key: hot, value: 'true', field: 'nope' },
      ],
    },
  });
  const expected = [
    ['tags', 'no tag nightly'],
    ['tags', 'no column nope'],
  ];
  assert.equal(
    (await tell(table, tagging)).map(({ facet, reason }) => [facet, reason]),
    expected,
  );
  const once = await read(table);
  assert.equal([...labelsIn(once)].sort(), [cold, hot]);
  assert.equal(columnsIn(once).map(labelsIn), [[], [hot], []]);
  await tell(table, tagging);
  assert.is((await read(table))['version'], once['version'], 'a replay changes nothing');
});

test('measurements become a profile of the table, its columns and the write', async () => {
  const table = await world.table('t');
  const told = await tell(table, {
    inputFacets: {
      dataQualityMetrics: {
        rowCount: 12,
        bytes: 345,
        fileCount: 2,
        columnMetrics: {
          a: {
            nullCount: 1,
            distinctCount: 9,
            count: 12,
            sum: 60,
            min: 1,
            max: 10,
            quantiles: { '0.25': 2, '0.50': 5 },
          },
          gone: { nullCount: 1 },
        },
      },
    },
    outputFacets: { outputStatistics: { rowCount: 7, size: 100 } },
  });
  assert.equal(
    told.map(({ facet, reason }) => [facet, reason]),
    [['dataQualityMetrics', 'no column gone']],
  );
  const profiles = async (kind: string) =>
    ok(await world.admin.get(`/v1/tables/${table.id}/${kind}?startTs=0&endTs=${AT}`))['data'];
  assert.equal(await profiles('tableProfile'), [
    { timestamp: AT, rowCount: 12, sizeInByte: 345, customMetrics: [{ name: 'fileCount', value: 2 }] },
  ]);
  assert.equal(await profiles('columnProfile'), [
    {
      name: 'a',
      timestamp: AT,
      valuesCount: 12,
      nullCount: 1,
      distinctCount: 9,
      min: 1,
      max: 10,
      sum: 60,
      firstQuartile: 2,
      median: 5,
    },
  ]);
  assert.equal(await profiles('systemProfile'), [{ timestamp: AT, operation: 'WRITE', rowsAffected: 7 }]);
});

test('what a run wrote is all of a table only where it replaced the table', async () => {
  const [whole, more] = await Promise.all([world.table('w'), world.table('m')]);
  const outputFacets = { outputStatistics: { rowCount: 7, size: 100 } };
  await tell(whole, { outputFacets, facets: { lifecycleStateChange: { lifecycleStateChange: 'OVERWRITE' } } });
  await tell(more, { outputFacets });
  const profileOf = async ({ id }: Made) => ok(await world.admin.get(`/v1/tables/${id}/tableProfile`))['data'];
  assert.equal(await profileOf(whole), [{ timestamp: AT, rowCount: 7, sizeInByte: 100 }]);
  assert.equal(await profileOf(more), []);
});

test('assertions become tests with results, also those of a failed run, and are not repeated', async () => {
  const table = await world.table('t');
  const checking = {
    inputFacets: {
      dataQualityAssertions: {
        assertions: [
          { assertion: 'not_null', success: true, column: 'a' },
          {
            assertion: 'accepted_values',
            success: false,
            column: 'A',
            expected: 'x, y',
            actual: 'z',
            severity: 'warn',
          },
          { assertion: 'row_count', name: 'enough rows', success: true },
          { assertion: 'unique', success: true, column: 'nope' },
        ],
      },
    },
  };
  const sendFailed = () => tell(table, checking, world.admin, { eventType: 'FAIL' });
  assert.equal(
    (await sendFailed()).map(({ facet, reason }) => [facet, reason]),
    [['dataQualityAssertions', 'no column nope']],
  );
  const before = await countStored(world.service);
  await sendFailed();
  assert.equal(await countStored(world.service), before, 'a replay changes nothing');
  const { data } = ok(
    await world.admin.get(
      `/v1/dataQuality/testCases?includeAllTests=true&limit=100&entityFQN=${encodeURIComponent(table.fullyQualifiedName)}`,
    ),
  );
  const tests = (data as readonly JsonObject[]).map(({ fullyQualifiedName, testDefinition, testCaseResult }) => [
    String(fullyQualifiedName).slice(table.fullyQualifiedName.length + 1),
    (testDefinition as JsonObject)['name'],
    (testCaseResult as JsonObject)['testCaseStatus'],
    (testCaseResult as JsonObject)['timestamp'],
    (testCaseResult as JsonObject)['testResultValue'],
  ]);
  const measured = [
    { name: 'severity', value: 'warn' },
    { name: 'expected', value: 'x, y' },
    { name: 'actual', value: 'z' },
  ];
  assert.equal(tests.sort(), [
    ['a.accepted_values', 'openLineageColumnAssertion', 'Failed', AT, measured],
    ['a.not_null', 'columnValuesToBeNotNull', 'Success', AT, undefined],
    ['enough rows', 'openLineageTableAssertion', 'Success', AT, undefined],
  ]);
});

test('what an assertion runs is told as not kept, and its result is', async () => {
  const table = await world.table('t');
  const assertion = { assertion: 'custom_sql', name: 'none', success: true, content: 'select 1', contentType: 'sql' };
  const told = await tell(table, { inputFacets: { dataQualityAssertions: { assertions: [assertion] } } });
  assert.equal(
    told.map(({ facet, reason }) => [facet, reason]),
    [['dataQualityAssertions', 'the content and parameters of assertions are not kept']],
  );
  const fqn = `${table.fullyQualifiedName}.none`;
  const made = ok(
    await world.admin.get(`/v1/dataQuality/testCases/name/${encodeURIComponent(fqn)}?fields=testCaseResult`),
  );
  assert.is(made['testCaseResult']['testCaseStatus'], 'Success');
});

test('a table without a type gets that of its dataset, and a temporary one is transient', async () => {
  const typed = async (datasetType: JsonObject, before?: string): Promise<readonly unknown[]> => {
    const table = await world.table('t');
    if (before)
      ok(await world.admin.patch(`/v1/tables/${table.id}`, [{ op: 'add', path: '/tableType', value: before }]));
    const told = await tell(table, facets({ datasetType }));
    return [(await read(table))['tableType'], ...told.map(({ facet, reason }) => `${facet}: ${reason}`)];
  };
  assert.equal(await typed({ datasetType: 'VIEW', subType: 'MATERIALIZED' }), ['MaterializedView']);
  assert.equal(await typed({ datasetType: 'TABLE' }), ['Regular']);
  assert.equal(await typed({ datasetType: 'JOB_OUTPUT', subType: 'TEMPORARY' }), ['Transient']);
  assert.equal(await typed({ datasetType: 'VIEW' }, 'Iceberg'), ['Iceberg'], 'a type that a table has stays');
  assert.equal(await typed({ datasetType: 'MODEL' }), [undefined, 'datasetType: a table has no type MODEL']);
});

test('a hierarchy is told where it is not the place of the record', async () => {
  const table = await world.table('t');
  const levels = (...names: readonly string[]) =>
    facets({ hierarchy: { hierarchy: names.map((name) => ({ type: 'LEVEL', name })) } });
  assert.equal(await tell(table, levels('DB', 'public', table.name)), []);
  assert.equal(
    (await tell(table, levels('other', 'public', table.name))).map(({ facet, reason }) => [facet, reason]),
    [['hierarchy', 'the place of a dataset is that of its name']],
  );
});

test('facets that nobody knows or that have another shape are told, and the rest is applied', async () => {
  const table = await world.table('t');
  const told = await tell(
    table,
    facets({
      documentation: { description: 'Understood.' },
      ownership: { owners: 'ada' },
      storage: { storageLayer: 'delta' },
      invented: { by: 'us' },
      tags: { _deleted: true },
    }),
  );
  assert.equal(
    told.map(({ of, facet, reason }) => [of, facet, reason.split(':')[0]]),
    [
      ['dataset', 'storage', 'how datasets are stored is not kept'],
      ['dataset', 'invented', 'not known'],
      ['dataset', 'ownership', 'not understood'],
    ],
  );
  assert.is((await read(table))['description'], 'Understood.');
});

/** What an event says of each member that facets change together. */
const rich = (owner: string, text: string): JsonObject =>
  facets({
    documentation: { description: text },
    schema: { fields: [{ name: 'a', description: `${text} of a` }] },
    ownership: { owners: [{ name: owner }] },
    tags: { tags: [{ key: tags[0]?.fullyQualifiedName ?? '', value: 'true' }] },
  });

const changesOf = async ({ id }: Made): Promise<readonly JsonObject[]> =>
  (
    await world.service.graph.query(
      'MATCH (event:ChangeEvent {entityId: $id}) WHERE event.eventType = $type RETURN event.json AS json',
      { id, type: 'entityUpdated' },
    )
  ).map(({ json }) => JSON.parse(json as string) as JsonObject);

test('all facets of a dataset are one change of its record, and one event tells it', async () => {
  const ada = await rights.person();
  const table = await world.table('t');
  const { version } = await read(table);
  assert.equal(await tell(table, rich(ada.name, 'Whole')), []);
  const after = await read(table);
  assert.equal(
    [after['description'], columnsIn(after)[0]?.['description'], labelsIn(after), listIds(after['owners'])],
    ['Whole', 'Whole of a', [tags[0]?.fullyQualifiedName], [ada.id]],
  );
  assert.is(after['version'], Number(version) + 0.1);
  assert.is((await changesOf(table)).length, 1);
});

test('a facet that is refused is named, and the others are still one change', async () => {
  const ada = await rights.person();
  const table = await world.table('t');
  const caller = await rights.person([
    { operations: ['EditLineage', 'ViewAll', 'EditDescription', 'EditTags', 'Create'] },
    { effect: 'deny', operations: ['EditOwners'], resources: ['table'] },
  ]);
  const { version } = await read(table);
  const told = await tell(table, rich(ada.name, 'Partly'), caller);
  assert.equal(
    told.map(({ facet, reason }) => [facet, reason]),
    [['ownership', 'not allowed']],
  );
  const after = await read(table);
  assert.equal(
    [after['description'], labelsIn(after), listIds(after['owners'])],
    ['Partly', [tags[0]?.fullyQualifiedName], []],
  );
  assert.is(after['version'], Number(version) + 0.1);
});

test('a caller who may only edit lineage changes nothing else by events', async () => {
  const ada = await rights.person();
  const table = await world.table('t');
  const caller = await rights.person([
    { operations: ['EditLineage', 'Create'], resources: ['table', 'pipeline', 'pipelineService', 'lineage'] },
    {
      effect: 'deny',
      operations: ['EditDescription', 'EditOwners', 'EditTags', 'EditTests', 'EditDataProfile', 'CreateTests'],
      resources: ['table', 'testCase'],
    },
  ]);
  const state = await read(table);
  const told = await tell(
    table,
    {
      facets: {
        documentation: { description: 'Not mine to say.' },
        ownership: { owners: [{ name: ada.name }] },
        tags: { tags: [{ key: tags[0]?.fullyQualifiedName ?? '', value: 'true' }] },
      },
      inputFacets: {
        dataQualityMetrics: { rowCount: 1 },
        dataQualityAssertions: { assertions: [{ assertion: 'not_null', success: true, column: 'a' }] },
      },
    },
    caller,
  );
  assert.equal(
    told.map(({ facet, reason }) => [facet, reason]),
    ['documentation', 'ownership', 'tags', 'dataQualityMetrics', 'dataQualityAssertions'].map((facet) => [
      facet,
      'not allowed',
    ]),
  );
  assert.equal(await read(table), state);
  const [left] = await world.service.graph.query(
    'MATCH (table:Table {id: $id}) RETURN COUNT { (table)-[:CONTAINS]->(:TestCase) } AS tests, COUNT { (table)-[:HAS_PROFILE]->() } AS profiles',
    { id: table.id },
  );
  assert.equal(left, { tests: 0, profiles: 0 });
});

test.run();
