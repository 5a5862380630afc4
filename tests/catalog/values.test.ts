import * as assert from 'uvu/assert';
import type { Json, JsonObject } from '../../src/model/json.ts';
import { maskSecrets } from '../../src/model/secret-masking.ts';
import { countStored, expectRefused, expectUnchanged, ok } from '../support/expect.ts';
import { type CreatedRecord, createSamples, type Samples, strayId } from '../support/samples.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that nested values are validated and returned unchanged. */

const test = suite('catalog: nested values');

let service: Service;
let samples: Samples;
test.before(async () => {
  service = await openService();
  samples = createSamples(service);
});

const pathOf = (kind: string, { id }: Pick<CreatedRecord, 'id'>) => `/v1/${samples.kind(kind).path}/${id}`;
const read = async (kind: string, made: CreatedRecord) => ok(await service.admin.get(`${pathOf(kind, made)}?fields=*`));
const URL = 'https://example.com/x';

/** Values of one member, each kept exactly as it was sent, and others that nobody could read. */
type Values = {
  readonly kind: string;
  readonly member: string;
  readonly good: readonly Json[];
  readonly bad: readonly Json[];
};

const recognizer = (recognizerConfig: JsonObject, more: JsonObject = {}) => [{ name: 'r', recognizerConfig, ...more }];
const IBAN = { type: 'predefined', name: 'IbanRecognizer' };
const FLAGS = { dotAll: true, multiline: false, ignoreCase: true };
const TERMS = { type: 'exact_terms', exactTerms: ['x'], regexFlags: {}, supportedLanguage: 'any' };
const link = '<#E::table::shop.pg.public.orders::columns::iban>';

const profile = (kind: string): Values => ({
  kind,
  member: 'profile',
  good: [
    {
      images: {
        image: URL,
        image24: URL,
        image32: URL,
        image48: URL,
        image72: URL,
        image192: URL,
        image512: URL,
      },
    },
    {
      subscription: {
        slack: { endpoint: URL, httpMethod: 'PUT', receivers: ['ann'], headers: { a: 1 }, queryParams: { b: 'c' } },
        msTeams: { sendToAdmins: true, sendToOwners: false, sendToFollowers: true },
        gChat: { authType: { type: 'none' } },
        generic: { authType: { type: 'bearer', secretKey: 'k' } },
      },
    },
  ],
  bad: [
    { images: { image: 'no address' } },
    { images: { image1024: URL } },
    { images: URL },
    { subscription: { sms: { endpoint: URL } } },
    { subscription: { slack: { endpoint: 'no address' } } },
    { subscription: { slack: { httpMethod: 'GET' } } },
    { subscription: { slack: { colour: 'red' } } },
    { subscription: { slack: { headers: 'a: b' } } },
    { subscription: { slack: { authType: { type: 'basic' } } } },
    { subscription: { slack: { authType: { type: 'bearer' } } } },
    { colour: 'red' },
  ],
});

const VALUES: readonly Values[] = [
  {
    kind: 'classification',
    member: 'autoClassificationConfig',
    good: [
      { enabled: true, conflictResolution: 'highest_priority', minimumConfidence: 0.5, requireExplicitMatch: false },
      { minimumConfidence: 0 },
      { minimumConfidence: 1 },
    ],
    bad: [
      { conflictResolution: 'best' },
      { minimumConfidence: 1.01 },
      { minimumConfidence: -0.1 },
      { enabled: 'yes' },
      { colour: 'red' },
      'on',
    ],
  },
  {
    kind: 'tag',
    member: 'recognizers',
    good: [
      recognizer(IBAN),
      recognizer({ ...IBAN, supportedLanguage: 'is', context: ['bank'], supportedEntities: ['IBAN_CODE'] }),
      recognizer({
        type: 'pattern',
        patterns: [{ name: 'p', regex: '[A-Z]{2}', score: 0.7 }],
        regexFlags: FLAGS,
        context: [],
        supportedLanguage: 'en',
      }),
      recognizer(TERMS),
      recognizer({ type: 'context', contextWords: ['bank'], supportedLanguage: 'de', minScore: 0.1, maxScore: 1 }),
      recognizer({
        type: 'custom',
        validatorFunction: 'def valid(x): ...',
        config: { any: [1, null] },
        supportedLanguage: 'en',
      }),
      recognizer(IBAN, {
        id: strayId(),
        displayName: 'R',
        description: 'd',
        enabled: false,
        isSystemDefault: false,
        confidenceThreshold: 0.9,
        version: 0.3,
        updatedAt: 1,
        updatedBy: 'ann',
        target: 'column_name',
        exceptionList: [{ entityLink: link, reason: 'no IBAN', addedAt: 1 }],
      }),
    ],
    bad: [
      [{ recognizerConfig: IBAN }],
      [{ name: 'r' }],
      recognizer({}),
      recognizer({ type: 'magic' }),
      recognizer({ ...IBAN, name: 'Iban' }),
      recognizer({ ...IBAN, supportedLanguage: 'tlh' }),
      recognizer({ ...IBAN, supportedEntities: ['IBAN'] }),
      recognizer({ ...IBAN, exactTerms: ['x'] }),
      recognizer({ ...TERMS, exactTerms: [] }),
      recognizer({ type: 'exact_terms', exactTerms: ['x'], supportedLanguage: 'en' }),
      recognizer({ ...TERMS, regexFlags: { unicode: true } }),
      recognizer({ type: 'pattern', patterns: [{ name: 'p' }], regexFlags: {}, supportedLanguage: 'en' }),
      recognizer({
        type: 'pattern',
        patterns: [{ name: 'p', regex: 'x', score: 2 }],
        regexFlags: {},
        supportedLanguage: 'en',
      }),
      recognizer({ type: 'context', contextWords: [], supportedLanguage: 'en' }),
      recognizer({ type: 'custom', supportedLanguage: 'en' }),
      recognizer(IBAN, { confidenceThreshold: 1.5 }),
      recognizer(IBAN, { target: 'name' }),
      recognizer(IBAN, { version: 0.15 }),
      recognizer(IBAN, { exceptionList: [{ reason: 'no link' }] }),
      recognizer(IBAN, { exceptionList: [{ entityLink: 'orders' }] }),
      recognizer(IBAN, { colour: 'red' }),
      recognizer(IBAN, { name: '' }),
    ],
  },
  profile('user'),
  profile('team'),
];

/** What administrators see of a value: profiles keep secrets, and nobody sees those again. */
const shownFor = (member: string, value: Json): Json => (member === 'profile' ? maskSecrets(value) : value);

for (const { kind, member, good, bad } of VALUES) {
  test(`${kind}.${member}: valid values are stored as sent, and values that strict clients cannot read are refused`, async () => {
    const path = `/v1/${samples.kind(kind).path}`;
    const made = await samples.create(kind);
    for (const value of good) {
      ok(await service.admin.patch(pathOf(kind, made), { [member]: null }));
      ok(await service.admin.patch(pathOf(kind, made), { [member]: value }));
      assert.equal((await read(kind, made))[member], shownFor(member, value));
      const posted = ok(await service.admin.post(path, await samples.body(kind, { [member]: value })), 201);
      assert.equal((await read(kind, posted))[member], shownFor(member, value));
    }
    for (const value of bad) {
      const patch = [{ op: 'add', path: `/${member}`, value }];
      expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(pathOf(kind, made), patch)), 400);
      const body = await samples.body(kind);
      const before = await countStored(service);
      expectRefused(await service.admin.post(path, { ...body, [member]: value }), 400);
      assert.equal(await countStored(service), before);
    }
  });
}

test('a label names its recognizer in members that clients know', async () => {
  const recognizer = { recognizerId: strayId(), recognizerName: 'IBAN', score: 0.8 };
  const full = { ...recognizer, target: 'content', patterns: [{ name: 'p', regex: '[A-Z]{2}', score: 1 }] };
  const tagged = (metadata: Json) => [{ tagFQN: 'PII.Sensitive', labelType: 'Generated', metadata }];
  for (const metadata of [{ recognizer }, { recognizer: full, expiryDate: 1767225600000 }]) {
    const columns = [{ name: 'id', dataType: 'INT', tags: tagged(metadata) }];
    const made = await samples.create('table', { tags: tagged(metadata), columns });
    const shown = await read('table', made);
    assert.equal([shown.tags[0].metadata, shown.columns[0].tags[0].metadata], [metadata, metadata]);
  }
  const unset = await samples.create('table', { tags: tagged({ recognizer: { ...recognizer, target: null } }) });
  assert.equal((await read('table', unset)).tags[0].metadata, { recognizer });
  const bad: readonly Json[] = [
    { colour: 'red' },
    { recognizer: { recognizerName: 'IBAN', score: 0.8 } },
    { recognizer: { ...recognizer, score: 80 } },
    { recognizer: { ...recognizer, target: 'name' } },
    { recognizer: { ...recognizer, patterns: [{ name: 'p' }] } },
    { expiryDate: 'soon' },
    'IBAN',
  ];
  for (const metadata of bad) {
    const patch = { tags: tagged(metadata) };
    expectRefused(
      await expectUnchanged(service, unset.id, () => service.admin.patch(pathOf('table', unset), patch)),
      400,
    );
  }
});

test('the steps of a connection test have the statuses of the contract', async () => {
  const made = await samples.create('databaseService');
  const at = `${pathOf('databaseService', made)}/testConnectionResult`;
  const step = { name: 'connect', mandatory: true, passed: false };
  const put = (more: JsonObject) => service.admin.put(at, { steps: [{ ...step, ...more }] });
  const good: readonly JsonObject[] = [
    ...['Queued', 'Running', 'Passed', 'Failed', 'Skipped', 'Warning'].map((status) => ({ status })),
    ...['NotImplemented', 'ConnectionNotEstablished'].map((skipReason) => ({ status: 'Skipped', skipReason })),
    { diagnosis: { title: 'No route', remediation: 'Open the port.', docUrl: 'see the handbook' } },
    { message: 'm', errorLog: 'e', durationMs: 3, executedCommand: 'SELECT 1', resultSummary: 'one row' },
  ];
  for (const more of good) {
    assert.equal(ok(await put(more)).testConnectionResult, { steps: [{ ...step, ...more }] });
  }
  const bad: readonly JsonObject[] = [
    { status: 'Successful' },
    { status: 'passed' },
    { skipReason: 'Tired' },
    { diagnosis: 'No route' },
    { diagnosis: { cause: 'x' } },
    { durationMs: 1.5 },
  ];
  for (const more of bad) expectRefused(await expectUnchanged(service, made.id, () => put(more)), 400);
});

test('a join without a duration counts one day', async () => {
  const made = await samples.create('table');
  const at = `${pathOf('table', made)}/joins`;
  const joins = { startDate: '2026-01-01', columnJoins: [], directTableJoins: [] };
  assert.equal(ok(await service.admin.put(at, joins)).joins, { ...joins, dayCount: 1 });
  assert.is(ok(await service.admin.put(at, { ...joins, dayCount: 7 })).joins.dayCount, 7);
  assert.is((await read('table', made)).joins.dayCount, 7);
});

const samplingBy = (config: JsonObject, sampleConfigType = 'STATIC') => ({
  profileSampleConfig: { sampleConfigType, config },
});
const SAMPLINGS: readonly JsonObject[] = [
  samplingBy({ profileSample: 15, profileSampleType: 'PERCENTAGE', samplingMethodType: 'BERNOULLI' }),
  samplingBy({ profileSample: 1000, profileSampleType: 'ROWS', samplingMethodType: 'SYSTEM' }),
  samplingBy({ smartSampling: false, thresholds: [{ rowCountThreshold: 1000, profileSample: 10 }] }, 'DYNAMIC'),
  { sampleDataStorageConfig: { config: { bucketName: 'b', any: [1, 'thing'] } } },
];
const NO_SAMPLINGS: readonly JsonObject[] = [
  { sampleDataCount: 'many' },
  { colour: 'red' },
  { sampleDataStorageConfig: { bucketName: 'b' } },
  { profileSampleConfig: { profileSample: 15 } },
  { profileSampleConfig: { sampleConfigType: 'SOMETIMES' } },
  samplingBy({ profileSample: 'most' }),
  samplingBy({ profileSampleType: 'SHARE' }),
  samplingBy({ samplingMethodType: 'LUCK' }),
  samplingBy({ thresholds: [{ rowCountThreshold: 0, profileSample: 10 }] }, 'DYNAMIC'),
  samplingBy({ thresholds: [{ rowCountThreshold: 10 }] }, 'DYNAMIC'),
];

for (const [kind, member] of [
  ['database', 'databaseProfilerConfig'],
  ['databaseSchema', 'databaseSchemaProfilerConfig'],
] as const) {
  test(`${member}: has defaults, is set by a patch, and steps no version`, async () => {
    const made = await samples.create(kind);
    const patch = async (value: JsonObject) => ok(await service.admin.patch(pathOf(kind, made), { [member]: value }));
    assert.is((await patch({ sampleDataCount: 7 })).version, 0.1);
    const shown = await read(kind, made);
    assert.equal([shown[member], shown.version], [{ sampleDataCount: 7, randomizedSample: true }, 0.1]);
    const sampling = { profileSampleConfig: { sampleConfigType: 'DYNAMIC' } };
    await patch({ ...sampling, sampleDataCount: null, randomizedSample: false });
    assert.equal((await read(kind, made))[member], { ...sampling, sampleDataCount: 50, randomizedSample: false });
    const [row] = await service.graph.query('MATCH (:Entity {id: $id})-[:HAS_VERSION]->(v) RETURN count(v) AS count', {
      id: made.id,
    });
    assert.is(row?.['count'], 0);
    const defaults = { sampleDataCount: 50, randomizedSample: true };
    for (const value of SAMPLINGS) {
      await patch({ profileSampleConfig: null, sampleDataStorageConfig: null });
      await patch(value);
      assert.equal((await read(kind, made))[member], { ...defaults, ...value, randomizedSample: false });
    }
    for (const value of NO_SAMPLINGS) {
      expectRefused(await service.admin.patch(pathOf(kind, made), { [member]: value }), 400);
    }
    const body = await samples.body(kind);
    expectRefused(await service.admin.post(`/v1/${samples.kind(kind).path}`, { ...body, [member]: {} }), 400);
  });
}

test('a database is inside a container, which only a patch sets', async () => {
  const container = await samples.create('container');
  const body = await samples.body('database');
  const location = { id: container.id, type: 'container' };
  expectRefused(
    await service.admin.post('/v1/databases', { ...body, location }),
    400,
    '[location is not a known property]',
  );
  expectRefused(
    await service.admin.put('/v1/databases', { ...body, location }),
    400,
    '[location is not a known property]',
  );
  const made = ok(await service.admin.post('/v1/databases', body), 201);
  const at = pathOf('database', made);
  const placed = ok(await service.admin.patch(at, { location }));
  assert.equal([placed.version, placed.location.id], [0.2, container.id]);
  ok(await expectUnchanged(service, made.id, () => service.admin.put('/v1/databases', body)));
  assert.is((await read('database', made)).location.fullyQualifiedName, container.fullyQualifiedName);
  const table = await samples.create('table');
  for (const wrong of [
    { id: strayId(), type: 'container' },
    { id: table.id, type: 'table' },
  ]) {
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, { location: wrong })), 404);
  }
  const [row] = await service.graph.query(
    'MATCH (:Database {id: $id})-[:USES]->(c:Container) RETURN collect(c.id) AS ids',
    { id: made.id },
  );
  assert.equal(row?.['ids'], [container.id]);
  const freed = ok(await service.admin.patch(at, [{ op: 'remove', path: '/location' }]));
  assert.equal([freed.version, 'location' in freed], [0.3, false]);
});

/** Members that no create body has: set by a patch, kept by a PUT, cleared by a patch; and values they cannot have. */
const PATCHED: readonly (readonly [kind: string, member: string, value: Json, bad: Json])[] = [
  ['table', 'compressionEnabled', true, 'yes'],
  ['table', 'compressionCodec', 'zstd', 7],
  [
    'table',
    'compressionStrategy',
    { compressionType: 'MANUAL', segmentColumns: ['id'], orderColumns: ['id'], compressionLevel: 3 },
    { compressionLevel: 'high' },
  ],
  ['storedProcedure', 'code', 'SELECT 1', 7],
  ['pipeline', 'endDate', '2026-01-31T12:00:00Z', 'soon'],
  ['container', 'retentionPeriod', 'P30D', 'a month'],
  ['tag', 'deprecated', true, 'yes'],
  ['glossary', 'disabled', true, 'yes'],
  ['dataProduct', 'sla', { tier: 'GOLD', availability: 99.9, responseTime: 3, dataFreshness: 60 }, { tier: 'TIN' }],
];

for (const [kind, member, value, bad] of PATCHED) {
  test(`${kind}.${member}: only a patch sets and clears it`, async () => {
    const body = await samples.body(kind);
    const path = `/v1/${samples.kind(kind).path}`;
    expectRefused(
      await service.admin.post(path, { ...body, [member]: value }),
      400,
      `[${member} is not a known property]`,
    );
    const made = ok(await service.admin.post(path, body), 201);
    const at = pathOf(kind, made);
    const initial = (await read(kind, made))[member];
    const set = ok(await service.admin.patch(at, [{ op: 'add', path: `/${member}`, value }]));
    assert.equal([set[member], set.version], [value, 0.2]);
    const [change] = [...set.changeDescription.fieldsAdded, ...set.changeDescription.fieldsUpdated];
    assert.is(change.name.split('.')[0], member);
    ok(await expectUnchanged(service, made.id, () => service.admin.put(path, body)));
    assert.equal(ok(await service.admin.get(at))[member], value);
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, { [member]: bad })), 400);
    ok(await service.admin.patch(at, { [member]: null }));
    assert.equal((await read(kind, made))[member], initial);
  });
}

test('a constraint returns its referred columns by full name', async () => {
  const other = await samples.create('table');
  const referredColumns = [`${other.fullyQualifiedName}.id`];
  const tableConstraints = [{ constraintType: 'FOREIGN_KEY', columns: ['id'], referredColumns }];
  const made = await samples.create('table', { tableConstraints });
  assert.equal((await read('table', made)).tableConstraints, tableConstraints);
  const at = pathOf('table', made);
  const two = [...referredColumns, `${other.fullyQualifiedName}.of`];
  const patch = [{ op: 'add', path: '/tableConstraints/0/referredColumns/-', value: two[1] ?? '' }];
  const patched = ok(await service.admin.patch(at, patch));
  assert.equal([patched.tableConstraints[0].referredColumns, patched.version], [two, 0.2]);
  for (const bad of ['id', [7], ['']]) {
    const wrong = [{ op: 'replace', path: '/tableConstraints/0/referredColumns', value: bad }];
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.patch(at, wrong)), 400);
  }
});

test('nested names have up to 256 code points', async () => {
  const cases = [
    ['mlmodel', 'target', (name: string) => name],
    ['glossaryTerm', 'synonyms', (name: string) => [name]],
  ] as const;
  for (const [kind, member, wish] of cases) {
    for (const name of ['x'.repeat(256), '🦊'.repeat(256), 'a "quoted" one']) {
      assert.equal((await samples.create(kind, { [member]: wish(name) }))[member], wish(name));
    }
    const body = await samples.body(kind);
    const before = await countStored(service);
    for (const name of ['', 'x'.repeat(257), '🦊'.repeat(257), 'x'.repeat(512)]) {
      const reply = await service.admin.post(`/v1/${samples.kind(kind).path}`, { ...body, [member]: wish(name) });
      expectRefused(reply, 400, /size must be between 1 and 256/);
    }
    assert.equal(await countStored(service), before);
  }
  const body = { name: uniqueName('r'), policies: ['x'.repeat(257)] };
  expectRefused(await service.admin.post('/v1/roles', body), 400, /size must be between 1 and 256/);
});

test('features of an ML model and their sources need names', async () => {
  for (const feature of [{}, { name: 'f', featureSources: [{ dataType: 'string' }] }]) {
    const body = await samples.body('mlmodel');
    const reply = await service.admin.post('/v1/mlmodels', { ...body, mlFeatures: [feature] });
    expectRefused(reply, 400, /name must not be null/);
  }
});

test('runs of pipelines and tasks have the statuses and transformations of the contract', async () => {
  const made = await samples.create('pipeline', { tasks: [{ name: 't' }] });
  const at = `/v1/pipelines/${made.fullyQualifiedName}/status`;
  const run = (more: JsonObject, task: JsonObject = {}) => ({
    timestamp: 1,
    executionStatus: 'Pending',
    taskStatus: [{ name: 't', executionStatus: 'Pending', ...task }],
    ...more,
  });
  const statuses = ['Successful', 'Failed', 'Pending', 'Skipped'];
  const good = [
    ...statuses.map((executionStatus) => run({ executionStatus })),
    ...statuses.map((executionStatus) => run({}, { executionStatus })),
    ...['filter', 'aggregate', 'join', 'pivot', 'custom', 'extract', 'load'].map((transformationType) =>
      run({}, { transformationType }),
    ),
  ];
  for (const status of good) {
    const { executionStatus, taskStatus } = ok(await service.admin.put(at, status)).pipelineStatus;
    assert.equal([executionStatus, taskStatus], [status.executionStatus, status.taskStatus]);
  }
  const bad = [
    run({ executionStatus: 'Running' }),
    run({}, { executionStatus: 'successful' }),
    run({}, { transformationType: 'Filter' }),
    run({}, { transformationType: 'sort' }),
  ];
  for (const status of bad) expectRefused(await service.admin.put(at, status), 400, /must be one of/);
});

test('a collection may list existing endpoints, which stay in their place', async () => {
  const path = '/v1/apiCollections';
  const body = await samples.body('apiCollection');
  const elsewhere = await samples.create('apiEndpoint');
  const before = await countStored(service);
  for (const apiEndpoints of [['no.where'], [elsewhere.fullyQualifiedName, 'no.where.either']]) {
    expectRefused(
      await service.admin.post(path, { ...body, apiEndpoints }),
      404,
      /^apiEndpoint instance for no\.where/,
    );
  }
  expectRefused(await service.admin.post(path, { ...body, apiEndpoints: 'x' }), 400);
  assert.equal(await countStored(service), before);
  const made = ok(await service.admin.post(path, { ...body, apiEndpoints: [elsewhere.fullyQualifiedName] }), 201);
  const own = await samples.create('apiEndpoint', { apiCollection: made.fullyQualifiedName });
  const { length } = own.fullyQualifiedName.split('.');
  assert.is(length, 3);
  const put = (apiEndpoints: string[]) => service.admin.put(path, { ...body, apiEndpoints });
  for (const named of [[own.fullyQualifiedName], [elsewhere.fullyQualifiedName], []]) {
    ok(await expectUnchanged(service, made.id, () => put(named)));
  }
  expectRefused(await expectUnchanged(service, made.id, () => put(['no.where'])), 404);
  assert.equal(
    (await read('apiCollection', made)).apiEndpoints.map(({ id }: CreatedRecord) => id),
    [own.id],
  );
  ok(await service.admin.delete(pathOf('apiEndpoint', elsewhere)));
  expectRefused(await expectUnchanged(service, made.id, () => put([elsewhere.fullyQualifiedName])), 404);
});

test.run();
