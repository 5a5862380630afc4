import * as assert from 'uvu/assert';
import { createStore } from '../../src/catalog/read/store.ts';
import { requireKind } from '../../src/catalog/registry.ts';
import type { Graph } from '../../src/graph/client.ts';
import type { JsonObject } from '../../src/model/json.ts';
import {
  CHANGE_HEADER_NAME,
  countStored,
  createPerson,
  expectRecord,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
  readStored,
} from '../support/expect.ts';
import { createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that references and labels in nested values are resolved, validated and rendered. */

const test = suite('catalog: references and labels inside nested values');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const TABLES = '/v1/tables';
const table = () => requireKind(service.registry, 'table');
const read = async (id: string, fields: string) => ok(await service.admin.get(`${TABLES}/${id}?fields=${fields}`));

const keptIn = async (id: string, property: string) =>
  JSON.parse((await readStored(service, id))?.properties[property] as string);

test('life cycle users are stored by id and returned in full', async () => {
  const ann = await createPerson(service, uniqueName('ann'));
  const lifeCycle = {
    created: { timestamp: 1, accessedBy: { id: ann.id, type: 'user', name: 'nonsense' } },
    accessed: { timestamp: 2, accessedBy: { type: 'user', fullyQualifiedName: ann.name } },
    updated: { timestamp: 3, accessedByAProcess: 'etl' },
  };
  const body = await samples.body(table(), { lifeCycle });
  const made = ok(await service.admin.post(TABLES, body), 201);
  for (const record of [made, await read(made.id, 'lifeCycle')]) {
    expectRecord(table(), record);
    for (const part of ['created', 'accessed']) {
      const { accessedBy, timestamp } = record.lifeCycle[part];
      expectRef(accessedBy);
      assert.equal([accessedBy.id, accessedBy.name, accessedBy.deleted], [ann.id, ann.name, false]);
      assert.type(timestamp, 'number');
    }
    assert.equal(record.lifeCycle.updated, { timestamp: 3, accessedByAProcess: 'etl' });
  }
  const kept = await keptIn(made.id, 'lifeCycleJson');
  assert.equal(kept.created.accessedBy, { id: ann.id, type: 'user' });
  assert.equal(kept.accessed.accessedBy, { id: ann.id, type: 'user' });
  assert.is('lifeCycle' in (await read(made.id, 'owners')), false);
  const again = await expectUnchanged(service, made.id, () => service.admin.put(TABLES, body));
  assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const listed = ok(
    await service.admin.get(
      `${TABLES}?databaseSchema=${encodeURIComponent(body['databaseSchema'] as string)}&fields=lifeCycle`,
    ),
  );
  const row = listed.data.find((record: JsonObject) => record['id'] === made.id);
  assert.is(row.lifeCycle.created.accessedBy.name, ann.name);
  const [event] = await service.graph.query('MATCH (e:ChangeEvent {entityId: $id}) RETURN e.json AS json', {
    id: made.id,
  });
  const told = JSON.parse(event?.['json'] as string).entity.lifeCycle.created.accessedBy;
  expectRef(told, false);
  assert.is('href' in told, false);
});

test('an unknown reference is 404, an incomplete one is 400, and nothing is stored', async () => {
  const stray = strayId();
  const before = await countStored(service);
  const post = async (accessedBy: JsonObject) =>
    service.admin.post(TABLES, await samples.body(table(), { lifeCycle: { created: { timestamp: 1, accessedBy } } }));
  expectRefused(await post({ id: stray, type: 'user' }), 404, `user instance for ${stray} not found`);
  expectRefused(await post({ type: 'user', fullyQualifiedName: 'nobody' }), 404, 'user instance for nobody not found');
  expectRefused(await post({ type: 'user' }), 400);
  expectRefused(await post({ id: 'x', type: 'user' }), 400);
  expectRefused(await post({ id: stray, type: 'user', more: 1 }), 400);
  assert.equal(await countStored(service), before);
  const made = await samples.create(table());
  const patch = { dataModel: { modelType: 'DBT', owners: [{ id: stray, type: 'user' }] } };
  expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(`${TABLES}/${made.id}`, patch)), 404);
});

test('a patch sees full references, may send them back and may change one', async () => {
  const [ann, ben] = [await createPerson(service, uniqueName('ann')), await createPerson(service, uniqueName('ben'))];
  const lifeCycle = { created: { timestamp: 1, accessedBy: { id: ann.id, type: 'user' } } };
  const made = await samples.create(table(), { lifeCycle });
  const at = `${TABLES}/${made.id}`;
  const shown = (await read(made.id, '*')).lifeCycle;
  const back = [
    { op: 'test', path: '/lifeCycle', value: shown },
    { op: 'replace', path: '/lifeCycle', value: shown },
  ];
  const same = await expectUnchanged(service, made.id, () => service.admin.patch(at, back));
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const id = ok(
    await service.admin.patch(at, [{ op: 'replace', path: '/lifeCycle/created/accessedBy/id', value: ben.id }]),
  );
  assert.equal([id.version, id.lifeCycle.created.accessedBy.name], [0.2, ben.name]);
  const [updated] = id.changeDescription.fieldsUpdated;
  assert.equal([updated.name, JSON.parse(updated.newValue).created.accessedBy.name], ['lifeCycle', ben.name]);
  const former = ok(await service.admin.get(`${at}/versions/0.1`));
  assert.is(former.lifeCycle.created.accessedBy.name, ann.name);
  const off = ok(await service.admin.patch(at, [{ op: 'remove', path: '/lifeCycle/created/accessedBy' }]));
  assert.equal(off.lifeCycle, { created: { timestamp: 1 } });
});

test('a reference to a soft-deleted record stays, and one to a hard-deleted record does not', async () => {
  const [ann, ben] = [await createPerson(service, uniqueName('ann')), await createPerson(service, uniqueName('ben'))];
  const dataModel = {
    modelType: 'DBT',
    owners: [
      { id: ann.id, type: 'user' },
      { id: ben.id, type: 'user' },
    ],
  };
  const lifeCycle = { created: { timestamp: 1, accessedBy: { id: ann.id, type: 'user' } } };
  const made = await samples.create(table(), { dataModel, lifeCycle });
  const at = `${TABLES}/${made.id}`;
  ok(await service.admin.delete(`/v1/users/${ann.id}`));
  const hidden = await read(made.id, 'dataModel,lifeCycle');
  assert.equal([hidden.lifeCycle.created.accessedBy.deleted, hidden.dataModel.owners.length], [true, 2]);
  assert.is(ok(await service.admin.patch(at, { description: 'Told' })).lifeCycle.created.accessedBy.id, ann.id);
  const other = await samples.create(table());
  expectRefused(await service.admin.patch(`${TABLES}/${other.id}`, { lifeCycle: hidden.lifeCycle }), 404);
  ok(await service.admin.delete(`/v1/users/${ann.id}?hardDelete=true`));
  const gone = await read(made.id, 'dataModel,lifeCycle');
  assert.equal(gone.lifeCycle, { created: { timestamp: 1 } });
  assert.equal(
    gone.dataModel.owners.map((ref: JsonObject) => ref['id']),
    [ben.id],
  );
  const same = await expectUnchanged(service, made.id, () => service.admin.patch(at, { dataModel: gone.dataModel }));
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
});

test('data models have owners and labels at every depth', async () => {
  const ann = await createPerson(service, uniqueName('ann'));
  const dataModel = {
    modelType: 'DBT',
    sql: 'SELECT 1',
    owners: [{ id: ann.id, type: 'user' }],
    tags: [{ tagFQN: 'PII.None', reason: 'looked at' }],
    columns: [
      {
        name: 'a',
        dataType: 'STRUCT',
        tags: [{ tagFQN: 'Tier.Tier1' }],
        children: [{ name: 'b', dataType: 'INT', tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] }],
      },
    ],
  };
  const body = await samples.body(table(), { dataModel });
  const made = ok(await service.admin.post(TABLES, body), 201);
  expectRecord(table(), made);
  const shown = (await read(made.id, 'dataModel')).dataModel;
  assert.equal(shown, made.dataModel);
  const [label] = shown.tags;
  assert.equal(
    [label.tagFQN, label.name, label.source, label.labelType, label.state, label.reason, label.appliedBy],
    ['PII.None', 'None', 'Classification', 'Manual', 'Confirmed', 'looked at', 'admin'],
  );
  assert.ok(label.href.includes('/v1/tags/'), label.href);
  assert.is(shown.columns[0].tags[0].name, 'Tier1');
  assert.is(shown.columns[0].children[0].tags[0].name, 'Sensitive');
  const again = await expectUnchanged(service, made.id, () => service.admin.put(TABLES, body));
  assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const back = await expectUnchanged(service, made.id, () =>
    service.admin.patch(`${TABLES}/${made.id}`, { dataModel: shown }),
  );
  assert.is(back.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const put = ok(
    await service.admin.put(`${TABLES}/${made.id}/dataModel`, {
      modelType: 'DDL',
      owners: [{ id: ann.id, type: 'user' }],
    }),
  );
  assert.equal(
    [put.dataModel.modelType, put.dataModel.owners[0].name, put.dataModel.tags],
    ['DDL', ann.name, undefined],
  );
});

test('labels in data models follow the rules for labels', async () => {
  const post = async (tags: readonly JsonObject[]) =>
    service.admin.post(TABLES, await samples.body(table(), { dataModel: { modelType: 'DBT', tags } }));
  const before = await countStored(service);
  expectRefused(await post([{ tagFQN: 'No.Such' }]), 404, 'tag instance for No.Such not found');
  expectRefused(await post([{ tagFQN: 'Tier.Tier1' }, { tagFQN: 'Tier.Tier2' }]), 400, /mutually exclusive/);
  expectRefused(await post([{ tagFQN: 'Tier.Tier1', source: 'Elsewhere' }]), 400);
  assert.equal(await countStored(service), before);
});

const DATES = { appliedDate: 1700000000000, expiryDate: 1800000000000 };

test('PATCH sets, changes and clears the certification, which has a full label', async () => {
  const made = await samples.create(table());
  const at = `${TABLES}/${made.id}`;
  const value = { tagLabel: { tagFQN: 'Certification.Gold' }, ...DATES };
  const set = ok(await service.admin.patch(at, [{ op: 'add', path: '/certification', value }]));
  expectRecord(table(), set);
  assert.equal(
    [set.version, set.certification.appliedDate, set.certification.expiryDate],
    [0.2, DATES.appliedDate, DATES.expiryDate],
  );
  const { tagLabel } = (await read(made.id, 'certification')).certification;
  assert.equal(
    [tagLabel.tagFQN, tagLabel.name, tagLabel.source, tagLabel.labelType, tagLabel.state],
    ['Certification.Gold', 'Gold', 'Classification', 'Manual', 'Confirmed'],
  );
  assert.type(tagLabel.description, 'string');
  assert.is('certification' in ok(await service.admin.get(at)), false);
  const same = await expectUnchanged(service, made.id, () =>
    service.admin.patch(at, { certification: set.certification }),
  );
  assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
  const silver = ok(
    await service.admin.patch(at, [
      { op: 'replace', path: '/certification/tagLabel/tagFQN', value: 'Certification.Silver' },
    ]),
  );
  assert.equal([silver.version, silver.certification.tagLabel.name], [0.3, 'Silver']);
  const cleared = ok(await service.admin.patch(at, { certification: null }));
  assert.equal([cleared.version, 'certification' in cleared], [0.4, false]);
  assert.is(ok(await service.admin.get(`${at}/versions/0.2`)).certification.tagLabel.name, 'Gold');
});

test('an unknown or incomplete certification is refused', async () => {
  const made = await samples.create(table());
  const patch = (certification: JsonObject) =>
    expectUnchanged(service, made.id, () => service.admin.patch(`${TABLES}/${made.id}`, { certification }));
  expectRefused(await patch({ tagLabel: { tagFQN: 'No.Such' }, ...DATES }), 404, 'tag instance for No.Such not found');
  expectRefused(await patch({ tagLabel: { tagFQN: 'Certification.Gold' } }), 400, /appliedDate/);
  expectRefused(await patch({ ...DATES }), 400, /tagLabel/);
  expectRefused(await patch({ tagLabel: { tagFQN: 'Certification.Gold' }, ...DATES, more: 1 }), 400, /more/);
  const body = await samples.body(table(), { certification: { tagLabel: { tagFQN: 'Certification.Gold' }, ...DATES } });
  expectRefused(await service.admin.post(TABLES, body), 400, '[certification is not a known property]');
});

test('certification is removed with its tag', async () => {
  const classification = await samples.create(requireKind(service.registry, 'classification'), { description: 'x' });
  const tag = await samples.create(requireKind(service.registry, 'tag'), {
    classification: classification.fullyQualifiedName,
  });
  const made = await samples.create(table());
  const at = `${TABLES}/${made.id}`;
  const certification = { tagLabel: { tagFQN: tag.fullyQualifiedName }, ...DATES };
  ok(await service.admin.patch(at, { certification }));
  ok(await service.admin.delete(`/v1/tags/${tag.id}`));
  assert.is('certification' in (await read(made.id, 'certification')), false);
  const other = await samples.create(table());
  expectRefused(await service.admin.patch(`${TABLES}/${other.id}`, { certification }), 404);
  ok(await service.admin.put('/v1/tags/restore', { id: tag.id }));
  assert.is((await read(made.id, 'certification')).certification.tagLabel.name, tag.name);
  ok(await service.admin.delete(`/v1/tags/${tag.id}?hardDelete=true`));
  assert.is('certification' in (await read(made.id, 'certification')), false);
});

test('owners of a measurement are returned in their current state', async () => {
  const ann = await createPerson(service, uniqueName('ann'));
  const made = await samples.create(table());
  const metric = { name: 'rows', expression: 'count(*)', owners: [{ id: ann.id, type: 'user' }] };
  const put = ok(await service.admin.put(`${TABLES}/${made.id}/customMetric`, metric));
  expectRef(put.customMetrics[0].owners[0]);
  ok(await service.admin.patch(`/v1/users/${ann.id}`, { displayName: 'Ann' }));
  assert.is((await read(made.id, 'customMetrics')).customMetrics[0].owners[0].displayName, 'Ann');
});

/** What a kind keeps somewhere inside of it, with one reference in it, and how that is found in an answer. */
const PLACES: readonly (readonly [
  entityType: string,
  fields: string,
  more: (ref: JsonObject) => JsonObject,
  at: (record: never) => JsonObject | undefined,
])[] = [
  [
    'pipeline',
    'tasks',
    (ref) => ({ tasks: [{ name: 'load' }, { name: 'clean', owners: [ref] }] }),
    ({ tasks }: { tasks: { owners: JsonObject[] }[] }) => tasks[1]?.owners[0],
  ],
  [
    'mlmodel',
    '',
    (ref) => ({ mlFeatures: [{ name: 'age', featureSources: [{ name: 'birth', dataSource: ref }] }] }),
    ({ mlFeatures }: { mlFeatures: { featureSources: { dataSource: JsonObject }[] }[] }) =>
      mlFeatures[0]?.featureSources[0]?.dataSource,
  ],
  [
    'query',
    '',
    (ref) => ({ query: `SELECT '${uniqueName('x')}'`, triggeredBy: ref }),
    ({ triggeredBy }: { triggeredBy: JsonObject }) => triggeredBy,
  ],
];

for (const [entityType, fields, more, at] of PLACES) {
  test(`${entityType}: a deeply nested reference is resolved, stored by id and returned in full`, async () => {
    const kind = samples.kind(entityType);
    const path = `/v1/${kind.path}`;
    const ann = await createPerson(service, uniqueName('ann'));
    const find = at as (record: unknown) => JsonObject | undefined;
    const body = await samples.body(kind, more({ type: 'user', fullyQualifiedName: ann.name }));
    const made = ok(await service.admin.post(path, body), 201);
    ok(await service.admin.patch(`/v1/users/${ann.id}`, { displayName: 'Ann' }));
    const url = `${path}/${made.id}?fields=${fields}`;
    const read = ok(await service.admin.get(url));
    for (const record of [made, read]) {
      const ref = find(record);
      assert.ok(ref, JSON.stringify(record));
      expectRef(ref);
      assert.equal([ref['id'], ref['name']], [ann.id, ann.name]);
    }
    assert.is(find(read)?.['displayName'], 'Ann');
    const again = await expectUnchanged(service, made.id, () => service.admin.put(path, body));
    assert.is(again.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
    const back = ok(await service.admin.get(`${path}/${made.id}?fields=*`));
    const same = await expectUnchanged(service, made.id, () => service.admin.patch(`${path}/${made.id}`, back));
    assert.is(same.headers.get(CHANGE_HEADER_NAME), 'entityNoChange');
    const stray = strayId();
    const wrong = { ...(await samples.body(kind, more({ id: stray, type: 'user' }))) };
    expectRefused(await service.admin.post(path, wrong), 404, `user instance for ${stray} not found`);
    ok(await service.admin.delete(`/v1/users/${ann.id}?hardDelete=true`));
    assert.is(find(ok(await service.admin.get(url))), undefined);
  });
}

test('the user who ran a pipeline is stored by id and shown in the current state', async () => {
  const ann = await createPerson(service, uniqueName('ann'));
  const pipeline = await samples.create('pipeline', { tasks: [{ name: 'load' }] });
  const at = `/v1/pipelines/${encodeURIComponent(pipeline.fullyQualifiedName)}/status`;
  const run = (timestamp: number, executedBy: JsonObject) => ({ timestamp, executionStatus: 'Successful', executedBy });
  const stray = strayId();
  expectRefused(
    await service.admin.put(at, run(1, { id: stray, type: 'user' })),
    404,
    `user instance for ${stray} not found`,
  );
  ok(await service.admin.put(at, run(1, { id: ann.id, type: 'user' })));
  const put = ok(await service.admin.put(at, run(2, { type: 'user', fullyQualifiedName: ann.name })));
  expectRef(put.pipelineStatus.executedBy);
  assert.is(put.pipelineStatus.executedBy.name, ann.name);
  ok(await service.admin.patch(`/v1/users/${ann.id}`, { displayName: 'Ann' }));
  const listed = ok(await service.admin.get(`${at}?startTs=0&endTs=10`)).data;
  const shown = ok(await service.admin.get(`/v1/pipelines/${pipeline.id}?fields=pipelineStatus`)).pipelineStatus;
  for (const { executedBy } of [...listed, shown]) {
    expectRef(executedBy);
    assert.equal([executedBy.id, executedBy.displayName], [ann.id, 'Ann']);
  }
  assert.is(listed.length, 2);
  ok(await service.admin.delete(`/v1/users/${ann.id}?hardDelete=true`));
  const gone = ok(await service.admin.get(`/v1/pipelines/${pipeline.id}?fields=pipelineStatus`)).pipelineStatus;
  assert.equal(['executedBy' in gone, gone.timestamp], [false, 2]);
});

test('run statuses are deleted with their pipeline', async () => {
  const pipeline = await samples.create('pipeline');
  const made = await samples.create(table());
  const at = `${TABLES}/${made.id}`;
  const seen = [{ pipeline: { id: pipeline.id, type: 'pipeline' }, lastRunStatus: 'Successful' }];
  ok(await service.admin.put(`${at}/pipelineObservability`, seen));
  const [kept] = (await read(made.id, 'pipelineObservability')).pipelineObservability;
  expectRef(kept.pipeline);
  assert.equal([kept.pipeline.name, kept.lastRunStatus], [pipeline.name, 'Successful']);
  ok(await service.admin.delete(`/v1/pipelines/${pipeline.id}?hardDelete=true`));
  assert.equal((await read(made.id, 'pipelineObservability')).pipelineObservability, []);
});

test('a record without nested references needs no extra query, and one with them needs one', async () => {
  const ann = await createPerson(service, uniqueName('ann'));
  const plain = await samples.create(table(), { lifeCycle: { created: { timestamp: 1 } } });
  const accessedBy = { id: ann.id, type: 'user' };
  const linked = await samples.create(table(), { lifeCycle: { created: { timestamp: 1, accessedBy } } });
  let queries = 0;
  const read: Graph['read'] = (statement, params) => {
    queries += 1;
    return service.graph.read(statement, params);
  };
  const store = createStore({ ...service.graph, read }, service.registry);
  const cost = async (id: string, fields: readonly string[]) => {
    queries = 0;
    await store.record(table(), { id }, new Set(fields));
    return queries;
  };
  assert.is(await cost(plain.id, []), 1);
  assert.is(await cost(plain.id, ['lifeCycle']), 1);
  assert.is(await cost(linked.id, []), 1);
  assert.is(await cost(linked.id, ['lifeCycle']), 2);
  queries = 0;
  const [one, two] = [linked.id, plain.id];
  await store.records(table(), [one, two, one, one], new Set(['lifeCycle']));
  assert.is(queries, 2);
});

test.run();
