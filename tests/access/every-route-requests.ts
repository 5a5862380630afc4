import type { CsvLayoutName } from '../../src/csv/layout.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { formatFile } from '../support/csv-files.ts';
import { ok } from '../support/expect.ts';
import { waitForJobEnd } from '../support/job.ts';
import { createMailSubscription, endMailsTo, mailEndingToken } from '../support/mail-subscriptions.ts';
import { waitFor } from '../support/patience.ts';
import { createSamples } from '../support/samples.ts';
import { type Service, uniqueName } from '../support/service.ts';
import { CONTRACT_REQUESTS } from './contract-requests.ts';

/** Valid requests for every route, for the table of every route and every caller. */

/** The query and body of a request. The path is that of the route with its parameters filled in. */
export type Request = {
  readonly path: string;
  readonly body?: unknown;
  /** A body that is no JSON. */
  readonly file?: string;
  readonly endless?: boolean;
};

/** Somebody in whose name requests are made. */
export type UserRef = { readonly id: string; readonly name: string };

// biome-ignore lint/suspicious/noExplicitAny: records of every kind, and an absent member must fail what reads it.
type Made = { readonly body: JsonObject; readonly record: any };

/** Adds to the body of a record that requests are about. */
export type Decorate = (kind: Kind, body: JsonObject) => JsonObject;

/** The records that requests are about, made when they are first needed. */
const createWorld = (service: Service, decorate: Decorate) => {
  const { admin, registry } = service;
  const samples = createSamples(service);
  const made = new Map<string, Promise<unknown>>();

  const once = <T>(name: string, make: () => Promise<T>): Promise<T> => {
    const known = (made.get(name) as Promise<T> | undefined) ?? make();
    made.set(name, known);
    return known;
  };

  const kindAt = (path: string): Kind => {
    const kind = [...registry.kinds].find((one) => path === `/v1/${one.path}` || path.startsWith(`/v1/${one.path}/`));
    if (!kind) throw new Error(`no kind has the path ${path}`);
    return kind;
  };

  const fresh = async (kind: Kind): Promise<Made> => {
    const body = decorate(kind, await samples.body(kind));
    return { body, record: ok(await admin.post(`/v1/${kind.path}`, body), 201) };
  };
  const shared = (kind: Kind): Promise<Made> => once(kind.entityType, () => fresh(kind));
  const sharedOf = (entityType: string): Promise<Made> => {
    const kind = registry.byType.get(entityType);
    if (!kind) throw new Error(`no kind is called ${entityType}`);
    return shared(kind);
  };

  /** A job of an administrator that is over. */
  const job = (): Promise<string> =>
    once('job', async () => {
      const jobId = (await admin.put('/v1/databases/bulk?async=true', [])).headers.get('x-job-id') ?? '';
      await waitForJobEnd(admin, jobId);
      return jobId;
    });

  /** A notification of the administrator: of a record that he follows and that somebody else has changed. */
  const notification = async (): Promise<string> => {
    const kind = registry.byType.get('database');
    if (!kind) throw new Error('there are no databases');
    const { record } = await fresh(kind);
    const path = `/v1/${kind.path}/${record.id}`;
    const { id } = ok(await admin.get('/v1/users/loggedInUser'));
    ok(await admin.raw('PUT', `${path}/followers`, `"${id}"`));
    const { name } = await once('describer', async () =>
      ok(await admin.post('/v1/users', { name: uniqueName('usr'), email: `${uniqueName('u')}@example.com` }), 201),
    );
    ok(await (await service.as(name)).patch(path, { description: uniqueName('text') }));
    const findOwn = async (): Promise<JsonObject | undefined> => {
      const newest: readonly JsonObject[] = ok(await admin.get('/v1/notifications?limit=50')).data;
      return newest.find(({ entityRef }) => (entityRef as JsonObject | undefined)?.['id'] === record.id);
    };
    const own = await waitFor(findOwn, (found) => found !== undefined, 'the follower is told');
    return own?.['id'] as string;
  };

  const textType = (): Promise<string> =>
    once('text type', async () => ok(await admin.get('/v1/metadata/types/name/string')).id);

  return { service, samples, kindAt, fresh, shared, sharedOf, job, once, notification, textType };
};

export type World = ReturnType<typeof createWorld>;

/** One request in the making. `succeeds` tells whether the answer is to be a success, which may use a record up. */
export type Case = {
  readonly world: World;
  readonly path: string;
  readonly caller: UserRef;
  readonly succeeds: boolean;
};

export type Prepare = (given: Case) => Promise<{
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: unknown;
  readonly file?: string;
  /** The answer goes on for as long as somebody listens. */
  readonly endless?: boolean;
}>;

const byRecord = ({ record }: Made): Record<string, string> => ({
  id: record.id,
  fqn: record.fullyQualifiedName,
  name: record.fullyQualifiedName,
  version: '0.1',
});

const ofShared: Prepare = async ({ world, path }) => ({
  params: byRecord(await world.shared(world.kindAt(path))),
});

/** A request about the shared record of the kind, with a body of its own. */
const withBody =
  (body: unknown): Prepare =>
  async (given) => ({ ...(await ofShared(given)), body });

/** Only a removal that is to succeed uses a record up. */
const ofExpendable: Prepare = async ({ world, path, succeeds }) => {
  const kind = world.kindAt(path);
  return { params: byRecord(await (succeeds ? world.fresh(kind) : world.shared(kind))) };
};

const newBody: Prepare = async ({ world, path }) => ({ body: await world.samples.body(world.kindAt(path)) });

const newRow: Prepare = async (given) => ({ body: [(await newBody(given)).body] });

const sameBody: Prepare = async ({ world, path }) => {
  const { body } = await world.shared(world.kindAt(path));
  return { body: { ...body, description: uniqueName('text') } };
};

const restoring: Prepare = async ({ world, path }) => ({
  body: { id: (await world.shared(world.kindAt(path))).record.id },
});

const staleBelow: Prepare = async ({ world }) => {
  const { record } = await world.sharedOf('databaseService');
  const scope = { scopeFqn: record.fullyQualifiedName, scopeEntityType: 'databaseService' };
  return { body: { ...scope, seenFqns: [], dryRun: true } };
};

const followingSelf: Prepare = async (given) => {
  const { params } = await ofShared(given);
  const { id } = given.caller;
  return { params: { ...params, userId: id }, body: id };
};

const sampleOf: Prepare = async (given) => {
  const isMessages = /topics|searchIndexes/.test(given.path);
  return { ...(await ofShared(given)), body: isMessages ? { messages: [] } : { columns: [], rows: [] } };
};

const METRIC = { name: 'rows', expression: 'SELECT 1' };
const COLUMN_METRIC = { ...METRIC, columnName: 'id' };
const RUN_ID = 'run';
const INGESTION_RUN = { runId: RUN_ID, timestamp: 1, pipelineState: 'success' };
const PROGRESS = { runId: RUN_ID, timestamp: 1, updateType: 'PROCESSING' };

const RUN = { timestamp: 1, executionStatus: 'Successful' };

/** A request about a run of the shared record. */
const ofRun =
  (body: unknown): Prepare =>
  async (given) => {
    const prepared = await ofShared(given);
    return { ...prepared, params: { ...prepared.params, runId: RUN_ID }, ...(body === undefined ? {} : { body }) };
  };

const MEASURED_AT = 1_700_000_000_000;
const REPORT = { tableProfile: { timestamp: MEASURED_AT } };

/** Something that is there to be removed: an administrator puts it there first. */
const afterPut =
  (tail: (params: Readonly<Record<string, string>>) => string, body: unknown, more: Record<string, string>): Prepare =>
  async (given) => {
    const { world, path, succeeds } = given;
    const { params = {} } = await ofShared(given);
    if (succeeds) ok(await world.service.admin.put(`/v1/${world.kindAt(path).path}/${tail(params)}`, body));
    return { params: { ...params, ...more } };
  };

const TEST_RUN = { timestamp: 1, testCaseStatus: 'Success' };
const FAILED_ROWS = { columns: ['id'], rows: [] };

const resultOf = (fqn = ''): string => `testCaseResults/${encodeURIComponent(fqn)}`;

/** The suite of a table that has none yet where one is to be made, else that of a table that has one. */
const suiteOfTable: Prepare = async ({ world, path, succeeds }) => {
  const table = world.service.registry.byType.get('table');
  if (!table) throw new Error('there are no tables');
  const make = async () => (await world.fresh(table)).record;
  const body = ({ fullyQualifiedName }: { fullyQualifiedName: string }) => ({
    name: 'suite',
    basicEntityReference: fullyQualifiedName,
  });
  const known = await world.once('tested table', async () => {
    const record = await make();
    const suite = await world.service.admin.put('/v1/dataQuality/testSuites/basic', body(record));
    return { ...record, suiteId: ok(suite, 201).id };
  });
  if (path.endsWith('{id}')) {
    const fresh = succeeds
      ? await world.service.admin.put('/v1/dataQuality/testSuites/basic', body(await make()))
      : undefined;
    return { params: { id: fresh ? ok(fresh, 201).id : known.suiteId } };
  }
  return { body: body(known) };
};

const newSuiteOfTable: Prepare = async ({ world }) => {
  const table = world.service.registry.byType.get('table');
  if (!table) throw new Error('there are no tables');
  return { body: { name: 'suite', basicEntityReference: (await world.fresh(table)).record.fullyQualifiedName } };
};

/** A result that is there to be changed or removed. */
const afterRun =
  (body: unknown): Prepare =>
  async (given) => {
    const { params = {} } = await ofShared(given);
    const path = `/v1/${given.world.kindAt(given.path).path}/${resultOf(params['fqn'])}`;
    if (given.succeeds) ok(await given.world.service.admin.post(path, TEST_RUN), 201);
    return { params: { ...params, timestamp: String(TEST_RUN.timestamp) }, body };
  };

/** A chosen suite with a test in it, put there before it is to be taken out. */
const membership: Prepare = async ({ world, path, succeeds }) => {
  const [{ record: suite }, { record: one }] = [await world.sharedOf('testSuite'), await world.sharedOf('testCase')];
  const body = { testSuiteId: suite.id, testCaseIds: [one.id] };
  const isRemoval = path.endsWith('{id}');
  if (isRemoval && succeeds) ok(await world.service.admin.put('/v1/dataQuality/testCases/logicalTestCases', body));
  return { params: { testSuiteId: suite.id, id: one.id }, body };
};

const metricOf = (id = ''): string => `${id}/customMetric`;

const customProperty: Prepare = async (given) => {
  const propertyType = { id: await given.world.textType(), type: 'type' };
  const property = { name: uniqueName('prop'), description: 'x', propertyType };
  return { ...(await ofShared(given)), body: property };
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** A path below `/v1/usage/` names the type of a record instead of its collection. */
const usage: Prepare = async ({ world, path }) => {
  const { record } = await world.sharedOf(
    path.split('/').find((part) => world.service.registry.byType.has(part)) ?? '',
  );
  return { params: { ...byRecord({ body: {}, record }), date: today() }, body: { date: today(), count: 1 } };
};

const permission: Prepare = async ({ world }) => {
  const [table, policy] = [await world.sharedOf('table'), await world.sharedOf('policy')];
  return { params: { ...byRecord(table), resource: 'table' }, query: `?ids=${policy.record.id}` };
};

const job: Prepare = async ({ world }) => ({ params: { jobId: await world.job() } });

const notification: Prepare = async ({ world, succeeds }) => ({
  params: { id: await (succeeds ? world.notification() : world.once('notification', world.notification)) },
});

/** A mail subscription of the caller. */
const mailSubscription: Prepare = async ({ world, caller }) => ({
  params: { id: await createMailSubscription(world.service, caller.id) },
});

/** An event subscription that mails the caller no more. */
const mailOptOut: Prepare = async ({ world, caller }) => {
  const { id } = (await world.sharedOf('eventsubscription')).record;
  await endMailsTo(world.service, caller.id, id);
  return { params: { id } };
};

const mailEnding: Prepare = async ({ world }) => ({ query: `?token=${mailEndingToken(world.service)}` });

const botUser = async (world: World): Promise<Record<string, string>> => {
  const user = world.service.registry.byType.get('user');
  if (!user) throw new Error('there are no users');
  const body = { ...(await world.samples.body(user)), isBot: true };
  return byRecord({ body, record: ok(await world.service.admin.post('/v1/users', body), 201) });
};

/** Somebody who is signed in, and the session. */
const signedIn = async ({ service: { admin } }: World): Promise<Record<string, string>> => {
  const name = uniqueName('signed_in');
  const [email, password] = [`${name}@example.com`, 'Right-Pass-1'];
  const { id } = ok(await admin.post('/v1/users', { name, email, password }), 201);
  ok(await admin.post('/v1/users/login', { email, password }));
  const { data } = ok(await admin.get(`/v1/users/${id}/sessions`));
  return { id, sessionId: data[0].id };
};

const ofSession: Prepare = async ({ world }) => ({
  params: await world.once('signed in', () => signedIn(world)),
});

/** Each needs two hashes of a password, a third of a second each, so only a removal that is to succeed uses one up. */
const ofExpendableSession: Prepare = async (given) =>
  given.succeeds ? { params: await signedIn(given.world) } : ofSession(given);

const wrongLogin: Prepare = async () => {
  const password = 'Wrong-Pass-1';
  return { body: { email: `${uniqueName('nobody')}@example.com`, password } };
};

const INBOX = { category: 'Followers', type: 'ActivityFeed', enabled: false };

const withDestination: Prepare = async ({ world, path }) => {
  const kind = world.kindAt(path);
  const body = await world.samples.body(kind, { destinations: [INBOX] });
  const record = await world.once('destination', async () =>
    ok(await world.service.admin.post(`/v1/${kind.path}`, body), 201),
  );
  return { params: { ...byRecord({ body, record }), destinationId: record.destinations[0].id } };
};

/** Two tables, the first of which feeds the second. */
const lineage = async ({ world, path }: Case, method: string) => {
  const [from, to] = await Promise.all([
    world.sharedOf('table'),
    world.once('fed table', async () => {
      const kind = world.service.registry.byType.get('table');
      if (!kind) throw new Error('there are no tables');
      return world.fresh(kind);
    }),
  ]);
  const edge = {
    fromEntity: { id: from.record.id, type: 'table' },
    toEntity: { id: to.record.id, type: 'table' },
    lineageDetails: { description: uniqueName('text') },
  };
  if (method !== 'PUT') ok(await world.service.admin.put('/v1/lineage', { edge }));
  const params = {
    fromType: 'table',
    fromId: from.record.id,
    fromFQN: from.record.fullyQualifiedName,
    toType: 'table',
    toId: to.record.id,
    toFQN: to.record.fullyQualifiedName,
    type: 'table',
    ...byRecord(to),
    source: 'Manual',
    direction: 'Upstream',
  };
  if (path === '/v1/lineage/agreement') return {};
  if (path.startsWith('/v1/lineage/agreement/'))
    return { body: { edges: [{ from: from.record.id, to: to.record.id }], dryRun: true } };
  if (path === '/v1/lineage/graph' && method === 'POST') return { body: { ids: [from.record.id, to.record.id] } };
  if (path === '/v1/lineage/hydrate') return { body: { entities: [edge.toEntity] } };
  if (/getLineage$|getLineage\/|getLineageBy|getPagination|getDataQuality|export/.test(path)) {
    const fqn = encodeURIComponent(to.record.fullyQualifiedName);
    return { params, query: `?fqn=${fqn}&type=table&direction=Upstream` };
  }
  if (method === 'PATCH') return { params, body: [{ op: 'add', path: '/description', value: uniqueName('text') }] };
  if (path === '/v1/lineage/paths') return { query: `?from=${from.record.id}&to=${to.record.id}` };
  if (path.endsWith('/unmatched')) return {};
  if (path === '/v1/lineage/openlineage/namespaces') {
    const { id } = (await world.sharedOf('databaseService')).record;
    const assigned = { namespace: 'somewhere else', entity: { id, type: 'databaseService' } };
    if (method === 'DELETE') ok(await world.service.admin.put(path, assigned));
    return method === 'GET' ? {} : { body: assigned, query: method === 'PUT' ? '' : '?namespace=somewhere%20else' };
  }
  if (path.endsWith('/adopt')) {
    const namespace = uniqueName('unknown');
    const dataset = { namespace, name: 'database.schema.table' };
    ok(await world.service.admin.post('/v1/lineage/openlineage', { dataset }));
    const entity = { id: (await world.sharedOf('databaseService')).record.id, type: 'databaseService' };
    ok(await world.service.admin.put('/v1/lineage/openlineage/namespaces', { namespace, entity }));
    return { body: { namespace, dryRun: true } };
  }
  if (path === '/v1/lineage/neighbours') return { query: `?id=${from.record.id}&side=downstream` };
  if (path === '/v1/lineage/diff') return { query: `?id=${from.record.id}&from=1&to=2` };
  if (path === '/v1/lineage/health') return {};
  if (path === '/v1/lineage/propagation/apply') return { body: { tag: 'PII.Sensitive', columns: [], dryRun: true } };
  if (path === '/v1/lineage/propagation' || path === '/v1/lineage/flows') return { query: '?tag=PII.Sensitive' };
  if (path === '/v1/lineage/what-if') {
    const change = { op: 'putEdge', from: edge.fromEntity, to: edge.toEntity };
    return { body: { changes: [change], ask: ['impact', 'contracts'], id: from.record.id } };
  }
  if (path === '/v1/lineage/sql') {
    const { fullyQualifiedName } = (await world.sharedOf('databaseService')).record;
    return { body: { service: fullyQualifiedName, text: 'select 1' } };
  }
  if (!path.includes('{') && method === 'GET') return { query: `?id=${from.record.id}` };
  if (path.includes('/openlineage') || (EVENT_PATHS.has(path) && method === 'POST')) {
    const dataset = ({ record }: typeof from) => ({ namespace: 'somewhere', name: record.fullyQualifiedName });
    const [namespace, name] = (await world.sharedOf('pipeline')).record.fullyQualifiedName.split('.');
    const event = { inputs: [dataset(from)], outputs: [dataset(to)], job: { namespace, name } };
    return { params, body: path.endsWith('/batch') ? [event] : event };
  }
  if (method !== 'PUT') return { params };
  const bodies: Readonly<Record<string, unknown>> = {
    '/v1/lineage': { edge },
    '/v1/lineage/bulk': [edge],
    '/v1/lineage/scope': { source: 'Manual', scopeFqn: to.record.fullyQualifiedName, edges: [edge] },
  };
  return { params, body: bodies[path] ?? edge.lineageDetails };
};

/** The addresses that clients of OpenLineage have built in. */
const EVENT_PATHS: ReadonlySet<string> = new Set(['/v1/lineage', '/v1/lineage/batch']);

/** A file without rows, of the layout that a record of that type may have. */
const emptyFile =
  (layout: CsvLayoutName, entityType?: string): Prepare =>
  async (given) => ({
    ...(entityType ? { params: byRecord(await given.world.sharedOf(entityType)) } : await ofShared(given)),
    file: formatFile(layout, []),
  });

/** Pages of the explorer are the same whatever their addresses name. */
const explorerPage: Prepare = async () => ({ params: { type: 'table', fqn: 'a.b.c.d', file: 'missing.js' } });

/** A query of an administrator, saved anew for each caller. */
const savedQuery: Prepare = async ({ world }) => {
  const body = { name: uniqueName('saved').replaceAll(/\W/g, '_'), query: 'RETURN 1 AS one' };
  ok(await world.service.admin.post('/v1/graph/queries', body), 201);
  return { params: { name: body.name }, body };
};

/** Which of the operations need more than a path to have nothing wrong with them. */
const PREPARE: Readonly<Record<string, Prepare>> = {
  'GET /v1/{collection}/history': async () => ({ query: '?limit=1' }),
  'POST /v1/{collection}': newBody,
  'PUT /v1/{collection}': sameBody,
  'PUT /v1/{collection}/bulk': newRow,
  'PUT /v1/{collection}/restore': restoring,
  // Each time another name: a merge patch of what is there already touches nothing.
  'PATCH /v1/{collection}/{id}': async (given) => ({
    ...(await ofShared(given)),
    body: { displayName: uniqueName('display') },
  }),
  'PATCH /v1/{collection}/name/{fqn}': async (given) => ({
    ...(await ofShared(given)),
    body: [{ op: 'add', path: '/displayName', value: uniqueName('display') }],
  }),
  'DELETE /v1/{collection}/{id}': ofExpendable,
  'DELETE /v1/{collection}/name/{fqn}': ofExpendable,
  'DELETE /v1/{collection}/async/{id}': ofExpendable,
  'DELETE /v1/{collection}/deleteStale': staleBelow,
  'PUT /v1/{collection}/{id}/followers': followingSelf,
  'DELETE /v1/{collection}/{id}/followers/{userId}': followingSelf,
  'PUT /v1/{collection}/{id}/vote': withBody({ updatedVoteType: 'votedUp' }),
  'PUT /v1/{collection}/{id}/sampleData': sampleOf,
  'PUT /v1/{collection}/{id}/testConnectionResult': withBody({ status: 'Successful', steps: [] }),
  'PUT /v1/{collection}/{id}/joins': withBody({ startDate: '2024-01-01', dayCount: 1 }),
  'PUT /v1/{collection}/{id}/pipelineObservability': withBody([]),
  'PUT /v1/{collection}/{id}/pipelineObservability/{pipelineFqn}': async (given) => {
    const [{ params = {} }, { record }] = await Promise.all([ofShared(given), given.world.sharedOf('pipeline')]);
    return { params: { ...params, pipelineFqn: record.fullyQualifiedName }, body: {} };
  },
  'PUT /v1/{collection}/{id}/dataModel': withBody({ modelType: 'DBT' }),
  'PUT /v1/{collection}/{id}/customMetric': withBody(METRIC),
  'DELETE /v1/{collection}/{id}/customMetric/{name}': afterPut(({ id }) => metricOf(id), METRIC, { name: METRIC.name }),
  'DELETE /v1/{collection}/{id}/customMetric/{column}/{name}': afterPut(({ id }) => metricOf(id), COLUMN_METRIC, {
    name: METRIC.name,
    column: COLUMN_METRIC.columnName,
  }),
  'GET /v1/{collection}/{id}/profilerConfig': async (given) => {
    const prepared = await ofShared(given);
    ok(await given.world.service.admin.put(`/v1/tables/${prepared.params?.['id']}/profilerConfig`, {}));
    return prepared;
  },
  'PUT /v1/{collection}/{id}/profilerConfig': withBody({ profileSample: 10 }),
  'DELETE /v1/{collection}/{id}/profilerConfig': afterPut(({ id = '' }) => `${id}/profilerConfig`, {}, {}),
  'PUT /v1/{collection}/{id}/tableProfilerConfig': withBody({ profileSample: 10 }),
  'PUT /v1/{collection}/{id}/tableProfile': withBody(REPORT),
  'DELETE /v1/{collection}/{id}/{sort}/{timestamp}/profile': afterPut(({ id = '' }) => `${id}/tableProfile`, REPORT, {
    sort: 'table',
    timestamp: String(MEASURED_AT),
  }),
  ...Object.fromEntries(
    ['basic', 'executable'].flatMap((name) => [
      [`POST /v1/{collection}/${name}`, newSuiteOfTable],
      [`PUT /v1/{collection}/${name}`, suiteOfTable],
      [`DELETE /v1/{collection}/${name}/{id}`, suiteOfTable],
    ]),
  ),
  'PUT /v1/{collection}/logicalTestCases': membership,
  'DELETE /v1/{collection}/logicalTestCases/{testSuiteId}/{id}': membership,
  'POST /v1/{collection}/testCaseResults/{fqn}': withBody(TEST_RUN),
  'PUT /v1/{collection}/{fqn}/testCaseResult': withBody(TEST_RUN),
  'PUT /v1/{collection}/testCaseResults/bulk': async ({ world }) => ({
    body: [{ ...TEST_RUN, testCaseFQN: (await world.sharedOf('testCase')).record.fullyQualifiedName }],
  }),
  'DELETE /v1/{collection}/testCaseResults/{fqn}/{timestamp}': afterRun({}),
  'PATCH /v1/{collection}/testCaseResults/{fqn}/{timestamp}': afterRun({ result: 'right' }),
  'PUT /v1/{collection}/{id}/failedRowsSample': withBody(FAILED_ROWS),
  'GET /v1/{collection}/{id}/failedRowsSample': afterPut(({ id }) => `${id}/failedRowsSample`, FAILED_ROWS, {}),
  'PUT /v1/{collection}/{id}/inspectionQuery': withBody('SELECT 1'),
  'PUT /v1/{collection}/{id}/usage': withBody([]),
  'DELETE /v1/{collection}/{id}/usage': withBody([]),
  'PUT /v1/{collection}/{id}/users': withBody([]),
  'PUT /v1/{collection}/{id}/usedBy': withBody([]),
  'PUT /v1/{collection}/{id}': customProperty,
  'PUT /v1/{collection}/{fqn}/status': withBody(RUN),
  'PUT /v1/{collection}/{fqn}/status/bulk': withBody([RUN]),
  'DELETE /v1/{collection}/{fqn}/status/{timestamp}': afterPut(
    ({ fqn = '' }) => `${encodeURIComponent(fqn)}/status`,
    RUN,
    { timestamp: String(RUN.timestamp) },
  ),
  'PUT /v1/{collection}/{fqn}/pipelineStatus': withBody(INGESTION_RUN),
  'GET /v1/{collection}/{fqn}/pipelineStatus/{runId}': afterPut(
    ({ fqn = '' }) => `${encodeURIComponent(fqn)}/pipelineStatus`,
    INGESTION_RUN,
    { runId: RUN_ID },
  ),
  'PUT /v1/{collection}/progress/{fqn}/{runId}': ofRun(PROGRESS),
  'GET /v1/{collection}/progress/{fqn}/{runId}': afterPut(
    ({ fqn = '' }) => `progress/${encodeURIComponent(fqn)}/${RUN_ID}`,
    PROGRESS,
    { runId: RUN_ID },
  ),
  'POST /v1/{collection}/logs/{fqn}/{runId}': ofRun({ logs: 'done' }),
  'POST /v1/{collection}/logs/{fqn}/{runId}/close': ofRun({}),
  'GET /v1/{collection}/logs/{fqn}/{runId}': ofRun(undefined),
  ...Object.fromEntries(
    ['assets', 'inputPorts', 'outputPorts'].flatMap((part) =>
      ['add', 'remove'].map((change) => [`PUT /v1/{collection}/{name}/${part}/${change}`, withBody({ assets: [] })]),
    ),
  ),
  ...CONTRACT_REQUESTS,
  ...Object.fromEntries(
    ['import', 'importAsync'].map((operation): [string, Prepare] => [
      `PUT /v1/{collection}/name/{fqn}/${operation}`,
      (given) => emptyFile(given.path.includes('/tables/') ? 'table' : 'recursive')(given),
    ]),
  ),
  'GET /v1/{collection}/hierarchy': async () => ({}),
  'GET /v1/{collection}/{id}/status/{destinationId}': withDestination,
  'POST /v1/{collection}/testDestination': async () => ({ body: { destinations: [INBOX] } }),
  'GET /v1/{collection}/loggedInUser': async () => ({}),
  'POST /v1/{collection}/login': wrongLogin,
  'POST /v1/{collection}/session': wrongLogin,
  'POST /v1/{collection}/refresh': async () => ({ body: { refreshToken: 'unknown' } }),
  'POST /v1/{collection}/signup': async () => ({
    body: { email: 'new@example.com', password: 'Right-Pass-1', firstName: 'A', lastName: 'B' },
  }),
  // Of two tokens the one that is not used here is given up.
  'POST /v1/{collection}/logout': async ({ world, caller }) => ({
    body: caller.name === 'ingestion-bot' ? {} : { token: await world.service.token(caller.name, { ttlSeconds: 90 }) },
  }),
  'PUT /v1/{collection}/generateToken/{id}': async ({ world }) => ({ params: await botUser(world), body: {} }),
  'PUT /v1/{collection}/revokeToken': async ({ world }) => {
    const { id } = await botUser(world);
    return { body: { id } };
  },
  'PUT /v1/{collection}/security/token': async () => ({ body: { tokenName: uniqueName('token') } }),
  'GET /v1/{collection}/security/token': async () => ({}),
  'PUT /v1/{collection}/security/token/revoke': async () => ({ body: { tokenIds: [] } }),
  'GET /v1/{collection}/{id}/tokens': ofSession,
  'DELETE /v1/{collection}/{id}/tokens': ofExpendableSession,
  'DELETE /v1/{collection}/{id}/tokens/{tokenId}': async ({ world }) => {
    const { id = '' } = await botUser(world);
    ok(await world.service.admin.put(`/v1/users/generateToken/${id}`, {}));
    const { data } = ok(await world.service.admin.get(`/v1/users/${id}/tokens`));
    return { params: { id, tokenId: data[0].id } };
  },
  'GET /v1/{collection}/{id}/identities': ofSession,
  'DELETE /v1/{collection}/{id}/identities': ofExpendableSession,
  'GET /v1/{collection}/{id}/sessions': ofSession,
  'DELETE /v1/{collection}/{id}/sessions': ofExpendableSession,
  'DELETE /v1/{collection}/{id}/sessions/{sessionId}': ofExpendableSession,
};

/** The same for operations that are about no record of a kind. */
const PREPARE_OTHER: Readonly<Record<string, Prepare>> = {
  'GET /v1/csv/documentation/{entityType}': async () => ({ params: { entityType: 'table' } }),
  'GET /v1/events/stream': async () => ({ endless: true }),
  'PUT /v1/notifications/preferences': async () => ({ body: { enabled: true } }),
  'PUT /v1/notifications/read': async () => ({ body: { before: 1 } }),
  'GET /v1/notifications/{id}': notification,
  'PUT /v1/notifications/{id}/read': async (given) => ({ ...(await notification(given)), body: { read: true } }),
  'DELETE /v1/notifications/{id}': notification,
  'POST /v1/notifications/subscriptions': async () => ({ body: { name: 'mine' } }),
  'GET /v1/notifications/subscriptions/{id}': mailSubscription,
  'PUT /v1/notifications/subscriptions/{id}': async (given) => ({
    ...(await mailSubscription(given)),
    body: { name: 'mine' },
  }),
  'DELETE /v1/notifications/subscriptions/{id}': mailSubscription,
  'DELETE /v1/notifications/mailOptOuts/{id}': mailOptOut,
  'GET /v1/notifications/unsubscribe': mailEnding,
  'POST /v1/notifications/unsubscribe': mailEnding,
  'GET /v1/services/testConnectionDefinitions/{id}': async ({ world }) => ({
    params: { id: ok(await world.service.admin.get('/v1/services/testConnectionDefinitions?limit=1')).data[0].id },
  }),
  'GET /v1/services/testConnectionDefinitions/name/{fqn}': async () => ({ params: { fqn: 'Postgres' } }),
  'POST /v1/graph/query': async () => ({ body: { query: 'MATCH (t:Table) RETURN count(t)' } }),
  'GET /v1/graph/schema': async () => ({}),
  'GET /v1/graph/queries': async () => ({}),
  'POST /v1/graph/queries': async () => ({
    body: { name: uniqueName('saved').replaceAll(/\W/g, '_'), query: 'RETURN 1 AS one' },
  }),
  'GET /v1/graph/queries/{name}': savedQuery,
  'PUT /v1/graph/queries/{name}': savedQuery,
  'DELETE /v1/graph/queries/{name}': savedQuery,
  'POST /v1/graph/queries/{name}/run': async (given) => ({ ...(await savedQuery(given)), body: {} }),
  'GET /v1/queryCostRecord': async ({ world }) => ({
    query: `?queryId=${(await world.sharedOf('query')).record.id}`,
  }),
  'POST /v1/queryCostRecord': async ({ world }) => ({
    body: {
      timestamp: 1,
      queryReference: { id: (await world.sharedOf('query')).record.id, type: 'query' },
      cost: 1,
      count: 1,
    },
  }),
  'GET /v1/search/fieldQuery': async () => ({ query: '?fieldName=name&fieldValue=x*' }),
  'GET /v1/search/sourceUrl': async () => ({ query: '?sourceUrl=https://example.com/' }),
  'POST /v1/search/aggregate': async () => ({ body: { fieldName: 'name' } }),
  'POST /v1/search/reindex': async () => ({ body: { entities: ['apiService'] } }),
  'POST /v1/search/reindex/{entityType}': async () => ({ params: { entityType: 'apiCollection' }, body: {} }),
  'POST /v1/search/reindexEntities': async ({ world }) => ({
    body: [{ id: (await world.sharedOf('table')).record.id, type: 'table' }],
  }),
  'POST /mcp': async () => ({ body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
  'POST /v1/search/drift/repair': async () => ({ body: {} }),
  'POST /v1/apps/trigger/{name}': async () => ({
    params: { name: 'SearchIndexingApplication' },
    body: { entities: ['apiService'] },
  }),
  'GET /v1/apps/name/{name}/status': async () => ({ params: { name: 'SearchIndexingApplication' } }),
  'GET /v1/entity/profiles/{entityType}': async () => ({ params: { entityType: 'table' }, query: '?limit=1' }),
  'POST /v1/search/preview': async () => ({ body: { query: '*', index: 'table', searchSettings: {} } }),
  'GET /v1/insight/promises': async ({ world }) => ({
    query: `?id=${(await world.sharedOf('table')).record.id}`,
  }),
  'GET /v1/search/get/{index}/doc/{id}': async ({ world }) => ({
    params: { index: 'table', id: (await world.sharedOf('table')).record.id },
  }),
};

const prepareOther = (method: string, path: string): Prepare => {
  const known = PREPARE_OTHER[`${method} ${path}`];
  if (known) return known;
  if (!path.startsWith('/v1/')) return explorerPage;
  if (path.startsWith('/v1/usage/')) return usage;
  if (path.startsWith('/v1/databaseServices/')) return emptyFile('recursive', 'databaseService');
  if (/^\/v1\/(?:openlineage\/)?lineage/.test(path)) return (given) => lineage(given, method);
  if (path.startsWith('/v1/permissions')) return permission;
  if (path.includes('{jobId}')) return job;
  return async () => ({ params: { name: 'any' } });
};

const prepareOf = ({ world, path }: Case, method: string): Prepare => {
  const kind = world.service.registry.kinds.find((one) => `${path}/`.startsWith(`/v1/${one.path}/`));
  if (!kind) return prepareOther(method, path);
  return PREPARE[`${method} ${path.replace(`/v1/${kind.path}`, '/v1/{collection}')}`] ?? ofShared;
};

const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`nothing to fill in for ${name} of ${path}`);
    return encodeURIComponent(value);
  });

/** Makes requests for routes, each with nothing wrong with it but, perhaps, who sends it. */
export const createRequests = (service: Service, decorate: Decorate = (_kind, body) => body) => {
  const world = createWorld(service, decorate);
  return async (method: string, path: string, caller: UserRef, succeeds: boolean): Promise<Request> => {
    const given = { world, path, caller, succeeds };
    const { params = {}, query = '', body, file, endless = false } = await prepareOf(given, method)(given);
    const request = { path: fill(path, params) + query, endless };
    if (method === 'GET') return request;
    return { ...request, ...(body === undefined ? {} : { body }), ...(file === undefined ? {} : { file }) };
  };
};
