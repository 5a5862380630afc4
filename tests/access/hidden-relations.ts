import type { Json, JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import type { Reply, Service } from '../support/service.ts';
import { get, type HiddenWorld, merge, refTo } from './hidden-world.ts';

/**
 * Creates the relations that no create body and no ordinary field makes: lineage, votes, tests, contracts, usage,
 * history.
 */

type World = HiddenWorld;

/** Types of the hidden records downstream of the visible table. */
const FED_TYPES = [
  'topic',
  'container',
  'dashboard',
  'chart',
  'mlmodel',
  'searchIndex',
  'apiEndpoint',
  'storedProcedure',
  'dashboardDataModel',
  'metric',
  'directory',
  'file',
];

/** Types of the hidden records that are nodes of lineage, whose IDs lineage may show. */
export const LINEAGE_TYPES: readonly string[] = ['table', ...FED_TYPES];

/** Steps that answer anything but a success are told of together, so that all of them can be mended at once. */
const createSteps = () => {
  const failures: string[] = [];
  const step = async (what: string, reply: Promise<Reply>): Promise<Reply> => {
    const answer = await reply;
    if (answer.status >= 300) failures.push(`${what}: ${answer.status} ${answer.text.slice(0, 300)}`);
    return answer;
  };
  const end = (): void => {
    if (failures.length > 0) throw new Error(`relations that could not be made:\n${failures.join('\n')}`);
  };
  return { step, end };
};

export const createHiddenRelations = async (service: Service, world: World): Promise<void> => {
  const { admin } = service;
  const { hidden, visible, below, caller } = world;
  const h = (type: string) => get(hidden, type);
  const v = (type: string) => get(visible, type);
  const { step, end } = createSteps();
  const path = (type: string, { id }: { id: string }) => `/v1/${service.registry.byType.get(type)?.path}/${id}`;
  const patch = (type: string, body: JsonObject) =>
    step(`${type} ${Object.keys(body)}`, merge(admin, path(type, v(type)), body));
  const label = (type: string, source: string) => ({
    tagFQN: h(type).fullyQualifiedName,
    source,
    labelType: 'Manual',
    state: 'Confirmed',
  });
  const tags = [label('tag', 'Classification'), label('glossaryTerm', 'Glossary')];
  const hiddenUser = await service.as(h('user').name);
  const owner = refTo(h('user'), 'user');
  const hiddenColumn = `${h('table').fullyQualifiedName}.id`;

  // What tables say of each other.
  const columns = [
    { name: 'id', dataType: 'INT', tags },
    { name: 'other', dataType: 'INT' },
  ];
  await patch('table', { columns });
  await patch('table', {
    tableConstraints: [{ constraintType: 'FOREIGN_KEY', columns: ['other'], referredColumns: [hiddenColumn] }],
    lifeCycle: { created: { timestamp: 1, accessedBy: owner } },
  });
  await step(
    'joins',
    admin.put(`${path('table', v('table'))}/joins`, {
      startDate: new Date().toISOString().slice(0, 10),
      dayCount: 1,
      directTableJoins: [{ fullyQualifiedName: h('table').fullyQualifiedName, joinCount: 3 }],
      columnJoins: [{ columnName: 'id', joinedWith: [{ fullyQualifiedName: hiddenColumn, joinCount: 2 }] }],
    }),
  );
  await step(
    'dataModel',
    admin.put(`${path('table', v('table'))}/dataModel`, {
      modelType: 'DBT',
      upstream: [h('table').fullyQualifiedName],
      owners: [owner],
      columns: [{ name: 'id', dataType: 'INT', tags }],
    }),
  );
  await step(
    'observability',
    admin.put(`${path('table', v('table'))}/pipelineObservability`, [{ pipeline: refTo(h('pipeline'), 'pipeline') }]),
  );
  await patch('pipeline', { tasks: [{ name: 'one', owners: [owner], tags }] });
  await patch('mlmodel', {
    mlFeatures: [
      {
        name: 'feature',
        dataType: 'numerical',
        tags,
        featureSources: [{ name: 'source', dataType: 'number', dataSource: refTo(h('table'), 'table') }],
      },
    ],
  });
  await patch('glossaryTerm', { relatedTerms: [refTo(h('glossaryTerm'), 'glossaryTerm')] });
  const [fields, labelled] = [[{ name: 'field', dataType: 'INT', tags }], [{ name: 'part', dataType: 'INT', tags }]];
  await patch('topic', { messageSchema: { schemaType: 'JSON', schemaFields: fields } });
  await patch('apiEndpoint', { responseSchema: { schemaType: 'JSON', schemaFields: fields } });
  await patch('searchIndex', { fields: [{ name: 'field', dataType: 'TEXT', tags }] });
  await patch('container', { dataModel: { columns: labelled } });
  for (const type of ['dashboardDataModel', 'file']) await patch(type, { columns: labelled });
  await patch('policy', {
    rules: [
      {
        name: 'look',
        effect: 'allow',
        operations: ['ViewUsage'],
        resources: ['table'],
        condition: `matchAnyTag('${h('tag').fullyQualifiedName}') || inAnyTeam('${h('team').name}') || hasAnyRole('${h('role').name}')`,
      },
    ],
  });

  // Who follows, votes, uses and edits.
  for (const type of ['table', 'dashboard', 'topic', 'glossaryTerm', 'domain', 'pipeline']) {
    const one = path(type, v(type));
    const kind = service.registry.byType.get(type);
    if (kind?.votable) await step(`${type} vote`, hiddenUser.put(`${one}/vote`, { updatedVoteType: 'votedUp' }));
    if (!kind?.followable) continue;
    await step(`${type} follow`, admin.raw('PUT', `${one}/followers`, `"${h('user').id}"`));
    await step(`${type} follow`, admin.raw('PUT', `${one}/followers`, `"${caller.id}"`));
  }
  const { id: adminId } = ok(await admin.get('/v1/users/name/admin'));
  for (const id of [caller.id, adminId])
    await step('follow hidden', admin.raw('PUT', `${path('table', h('table'))}/followers`, `"${id}"`));
  await step(
    'query in table',
    admin.patch(path('query', h('query')), [
      { op: 'add', path: '/queryUsedIn', value: [refTo(v('table'), 'table'), refTo(h('table'), 'table')] },
    ]),
  );
  await step('used by', admin.put(`${path('query', v('query'))}/usedBy`, [h('user').name]));
  for (const type of ['table', 'pipeline', 'dashboard']) {
    await step(
      `${type} used`,
      admin.put(`/v1/usage/${type}/${v(type).id}`, { date: new Date().toISOString().slice(0, 10), count: 3 }),
    );
    await step(
      `${type} used`,
      admin.put(`/v1/usage/${type}/${h(type).id}`, { date: new Date().toISOString().slice(0, 10), count: 3 }),
    );
  }

  // Lineage: through hidden records, carried by hidden pipelines, between columns.
  const edge = (fromType: string, from: { id: string }, toType: string, to: { id: string }, details: JsonObject = {}) =>
    step(
      `${fromType} feeds ${toType}`,
      admin.put('/v1/lineage', {
        edge: {
          fromEntity: { id: from.id, type: fromType },
          toEntity: { id: to.id, type: toType },
          lineageDetails: { pipeline: refTo(h('pipeline'), 'pipeline'), ...details },
        },
      }),
    );
  const columnsLineage = (from: string, to: string): JsonObject => ({
    columnsLineage: [{ fromColumns: [`${from}.id`], toColumn: `${to}.id` }],
  });
  await edge(
    'table',
    h('table'),
    'table',
    v('table'),
    columnsLineage(h('table').fullyQualifiedName, v('table').fullyQualifiedName),
  );
  await edge('topic', v('topic'), 'table', h('table'));
  await edge(
    'table',
    v('table'),
    'table',
    get(below, 'table'),
    columnsLineage(v('table').fullyQualifiedName, get(below, 'table').fullyQualifiedName),
  );
  for (const type of FED_TYPES) await edge('table', v('table'), type, h(type));
  for (const type of ['dashboard', 'mlmodel', 'container']) await edge('table', v('table'), type, v(type));

  // Domains and data products.
  const assets = (types: readonly string[]) => ({
    assets: types.flatMap((type) => [refTo(h(type), type), refTo(v(type), type)]),
  });
  const product = `/v1/dataProducts/${encodeURIComponent(v('dataProduct').name)}`;
  const domain = refTo(v('domain'), 'domain');
  for (const type of ['table', 'topic', 'dashboard'])
    await step(
      `${type} in domain`,
      admin.patch(path(type, h(type)), [{ op: 'add', path: '/domains', value: [domain] }]),
    );
  await step('assets', admin.put(`${product}/assets/add`, assets(['table', 'dashboard'])));
  await step('inputs', admin.put(`${product}/inputPorts/add`, assets(['topic'])));
  await step('outputs', admin.put(`${product}/outputPorts/add`, assets(['table'])));

  // What visible tags, terms, people and teams are joined to.
  const at = (where: string, value: Json) => ({ op: 'add', path: where, value });
  const visibleLabel = (type: string, source: string) => ({
    ...label(type, source),
    tagFQN: v(type).fullyQualifiedName,
  });
  await step(
    'labels of hidden',
    admin.patch(path('table', h('table')), [
      at('/tags/-', visibleLabel('tag', 'Classification')),
      at('/tags/-', visibleLabel('glossaryTerm', 'Glossary')),
      at('/owners', [refTo(v('user'), 'user'), owner]),
    ]),
  );
  await step('owner of hidden', admin.patch(path('topic', h('topic')), [at('/owners', [refTo(v('team'), 'team')])]));
  for (const table of [h('table'), v('table')])
    await step(
      'profile',
      admin.put(`${path('table', table)}/tableProfile`, { tableProfile: { timestamp: Date.now(), rowCount: 1 } }),
    );

  // Tests and contracts.
  const result = (at: number, status: string): JsonObject => ({ timestamp: at, testCaseStatus: status, result: 'x' });
  const resultsOf = (fqn: string) => `/v1/dataQuality/testCases/testCaseResults/${encodeURIComponent(fqn)}`;
  await step('result', hiddenUser.post(resultsOf(v('testCase').fullyQualifiedName), result(Date.now(), 'Failed')));
  await step('result', admin.post(resultsOf(h('testCase').fullyQualifiedName), result(Date.now(), 'Failed')));
  await step(
    'logical',
    admin.put('/v1/dataQuality/testCases/logicalTestCases', {
      testSuiteId: v('testSuite').id,
      testCaseIds: [h('testCase').id, v('testCase').id],
    }),
  );
  await step(
    'logical',
    admin.put('/v1/dataQuality/testCases/logicalTestCases', {
      testSuiteId: h('testSuite').id,
      testCaseIds: [v('testCase').id],
    }),
  );
  await step('validate', hiddenUser.post(`/v1/dataContracts/${v('dataContract').id}/validate`, {}));

  // History: what was there and is there no more, and who changed it.
  await patch('table', { owners: [refTo(v('user'), 'user')], tags: [], domains: [refTo(v('domain'), 'domain')] });
  await patch('table', { owners: [owner, refTo(v('user'), 'user')], tags });
  await patch('dashboard', { charts: [refTo(v('chart'), 'chart')] });
  await patch('dashboard', { charts: [refTo(h('chart'), 'chart'), refTo(v('chart'), 'chart')] });
  await step(
    'edited',
    hiddenUser.patch(path('table', v('table')), [{ op: 'add', path: '/displayName', value: 'edited' }]),
  );
  await step(
    'edited hidden',
    hiddenUser.patch(path('table', h('table')), [at('/displayName', `${world.marker} edited`)]),
  );
  await step(
    'edited hidden',
    admin.patch(path('table', h('table')), [{ op: 'add', path: '/sourceUrl', value: 'https://example.com/x' }]),
  );
  end();
  const isTold = async (client: Pick<typeof admin, 'get'>): Promise<boolean> =>
    ok(await client.get('/v1/notifications?limit=1')).paging.total > 0;
  await waitUntil(async () => (await isTold(caller)) && (await isTold(admin)), 'the followers are told');
};
