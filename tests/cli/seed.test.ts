import * as assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { describeSeeds, loadSeeds } from '../../src/cli/seed.ts';
import { giveDemoLogin } from '../../src/cli/seed-login.ts';
import { dateOf, newestDay, SEED_DAY_MS } from '../../src/cli/seed-moments.ts';
import { findLocalService, type SendRequest } from '../../src/cli/service-client.ts';
import { readConfig } from '../../src/config.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that the sample company is seeded completely and only once. */

const test = suite('cli: sample company');
const server = 'http://catalog.example';

/** All dates are counted from here, so that a midnight between the two loads changes nothing. */
const now = Date.now();
const newest = newestDay(now);

/** The services that the company's lineage leads from. */
const SOURCES = [
  'airflow',
  'events_bigquery',
  'lake_s3',
  'metabase',
  'mlflow',
  'shop_api',
  'shop_postgres',
  'shop_search',
  'stores_mysql',
  'streams_kafka',
  'warehouse_snowflake',
];

let service: Service;
let first: number;
let second: number;
let changes: { readonly afterFirst: unknown; readonly afterSecond: unknown };
const told: string[] = [];
/** How many lines of those the first load has told. */
let toldFirst = 0;
const ended: string[] = [];

const send: SendRequest = async (address, init) => service.app.hono.request(address, init);

/** What every write leaves behind: records and their revisions, kept versions, events. */
const written = async (): Promise<unknown> => {
  const [row] = await service.graph.query(
    `MATCH (n:Entity) WITH count(n) AS records, sum(n.revision) AS revisions, max(n.updatedAt) AS newest
     RETURN records, revisions, newest, COUNT { (:Version) } AS versions, COUNT { (:ChangeEvent) } AS events`,
    {},
  );
  return row;
};

const load = async (folder?: string): Promise<number> => {
  const token = await service.token(SYSTEM_PRINCIPAL.name);
  const report = (line: string) => told.push(line);
  const loaded = await loadSeeds({ server, token, send, report, now, ...(folder ? { folder } : {}) });
  ended.push(describeSeeds(loaded));
  return loaded.records;
};

test.before(async () => {
  service = await openService();
  first = await load();
  toldFirst = told.length;
  const afterFirst = await written();
  second = await load();
  changes = { afterFirst, afterSecond: await written() };
});

test('seeding creates every record and reports them', () => {
  assert.ok(first >= 200, String(first));
  assert.match(ended[0] ?? '', /^http:\/\/catalog\.example: \d+ records in place after \d+\.\d s$/);
});

test('each step is reported before it runs, with its position', () => {
  const steps = told.slice(1, toldFirst);
  assert.match(told[0] ?? '', new RegExp(`^Loading ${first} records in ${steps.length} steps into `));
  for (const [at, line] of steps.entries())
    assert.ok(line.startsWith(`[${String(at + 1).padStart(2)}/${steps.length}] `), line);
});

test('one person can sign in with a password that only this load tells', async () => {
  const give = async (by: string) => giveDemoLogin({ server, token: await service.token(by), send });
  const { email, password: first = '' } = (await give(SYSTEM_PRINCIPAL.name)) ?? {};
  const { password: second = '' } = (await give(SYSTEM_PRINCIPAL.name)) ?? {};
  assert.notEqual(first, second);
  const signIn = (password: string) => service.admin.post('/v1/users/login', { email: email ?? '', password });
  assert.equal((await signIn(first)).status, 401);
  const { json, status } = await signIn(second);
  assert.equal(status, 200);
  const me = await send(`${server}/v1/users/loggedInUser?fields=owns`, {
    headers: { authorization: `Bearer ${json.accessToken}` },
  });
  const { name, owns } = (await me.json()) as { name: string; owns: readonly unknown[] };
  assert.ok(name === 'hannah' && owns.length > 0, name);
  assert.equal(await give('mei'), undefined);
});

test('what failed last night is found from the figures down to its cause', async () => {
  const table = (await service.admin.get('/v1/tables/name/warehouse_snowflake.ANALYTICS.MARTS.REVENUE_DAILY')).json;
  const path = `/v1/lineage/getDataQualityLineage?fqn=${table.fullyQualifiedName}&type=table&upstreamDepth=10`;
  const { status, text } = await service.admin.get(path);
  assert.equal(status, 200, text);
  assert.ok(text.includes('shop_postgres.shop.sales.orders'), text.slice(0, 500));
});

test('seeding again writes nothing', () => {
  assert.equal(second, first);
  assert.deepEqual(changes.afterSecond, changes.afterFirst);
});

test('the second load says which history is already there', () => {
  const history = told.filter((line) => line.includes('82-history'));
  assert.equal(history.length, 12);
  assert.deepEqual(
    history.map((line) => line.endsWith('already there')),
    [...Array(6).fill(false), ...Array(6).fill(true)],
  );
});

const MARTS = 'warehouse_snowflake.ANALYTICS.MARTS';
const RESULTS = `${MARTS}.CAMPAIGN_RESULTS`;

test('people changed the results of campaigns one after another, each under their own name', async () => {
  const { json } = await service.admin.get(`/v1/tables/name/${RESULTS}?fields=owners,tags`);
  assert.deepEqual(
    json.owners.map(({ name }: { name: string }) => name),
    ['ben', 'yuki'],
  );
  const { json: history } = await service.admin.get(`/v1/tables/${json.id}/versions`);
  const versions = history.versions.map((text: string) => JSON.parse(text));
  assert.deepEqual(
    versions.map(({ updatedBy, impersonatedBy }: { updatedBy: string; impersonatedBy?: string }) => [
      updatedBy,
      impersonatedBy,
    ]),
    [
      ...['jonas', 'ana', 'mei', 'ben', 'ben', 'ana', 'yuki'].map((name) => [name, 'lumen-history']),
      ['admin', undefined],
    ],
  );
  assert.equal(versions.at(-1).columns[5].name, 'REVENUE_EUR');
  assert.equal(json.columns[5].name, 'NET_EUR');
});

test('the bot that brought history has no token any more', async () => {
  const bot = (await service.admin.get('/v1/users/name/lumen-history')).json;
  const { json, status } = await service.admin.get(`/v1/users/auth-mechanism/${bot.id}`);
  assert.deepEqual([status, json.config?.JWTToken], [200, undefined]);
});

test('lineage as of the renamed column is the old one, and a diff shows what replaced it', async () => {
  const { json: table } = await service.admin.get(`/v1/tables/name/${RESULTS}`);
  const root = `type=table&fqn=${RESULTS}`;
  const upstream = async (asOf: number): Promise<string[]> => {
    const { json } = await service.admin.get(`/v1/lineage/graph?${root}&downstreamDepth=0&asOf=${asOf}`);
    const nodes = json.nodes as { depth: number; fullyQualifiedName: string }[];
    return nodes
      .filter(({ depth }) => depth < 0)
      .map(({ fullyQualifiedName }) => fullyQualifiedName)
      .sort();
  };
  const before = [
    'events_bigquery.lumen-events.email.deliveries',
    'events_bigquery.lumen-events.email.reactions',
    'shop_postgres.shop.sales.orders',
  ];
  const after = ['FCT_MAILINGS', 'FCT_SALES', 'FCT_VISITS'].map((name) => `warehouse_snowflake.ANALYTICS.CORE.${name}`);
  assert.deepEqual([await upstream(table.updatedAt), await upstream(Date.now())], [before, after]);
  const { json: diff } = await service.admin.get(`/v1/lineage/diff?${root}&from=${table.updatedAt}&to=${Date.now()}`);
  assert.deepEqual([diff.added.edges.length, diff.removed.edges.length, diff.changed.length], [3, 3, 1]);
});

test('three weeks of lineage show how the daily revenue came to be without tax', async () => {
  const core = 'warehouse_snowflake.ANALYTICS.CORE';
  const root = `type=table&fqn=${MARTS}.REVENUE_DAILY&upstreamDepth=1&downstreamDepth=0&columns=true`;
  const sourcesOf = async (days: number): Promise<string[]> => {
    const asOf = newest + days * SEED_DAY_MS + SEED_DAY_MS / 2;
    const { json } = await service.admin.get(`/v1/lineage/graph?${root}&asOf=${asOf}`);
    const edges = json.columnEdges as { fromColumn: string; toColumn: string }[];
    return edges
      .filter(({ toColumn }) => toColumn === `${MARTS}.REVENUE_DAILY.NET_EUR`)
      .map(({ fromColumn }) => fromColumn)
      .sort();
  };
  assert.deepEqual(await sourcesOf(-23), []);
  assert.deepEqual(await sourcesOf(-18), [`${core}.FCT_SALES.GROSS_EUR`]);
  assert.deepEqual(await sourcesOf(-12), [`${core}.FCT_SALES.GROSS_EUR`, `${core}.FCT_STORE_SALES.NET_EUR`]);
  assert.deepEqual(await sourcesOf(-1), [`${core}.FCT_SALES.NET_EUR`, `${core}.FCT_STORE_SALES.NET_EUR`]);
});

test('usage of the last thirty days tells what is read and what is not', async () => {
  const { json } = await service.admin.get(
    `/v1/usage/table/name/${MARTS}.REVENUE_DAILY?date=${dateOf(newest)}&days=30`,
  );
  const days = json.usage as { date: string; dailyStats: { count: number } }[];
  assert.deepEqual([days.length, days[0]?.date], [29, dateOf(newest - SEED_DAY_MS)]);
  assert.ok(
    days.every(({ date, dailyStats }) => dailyStats.count > 60 === ![0, 6].includes(new Date(date).getUTCDay())),
  );
  const { json: marts } = await service.admin.get(`/v1/tables?databaseSchema=${MARTS}&fields=usageSummary`);
  const unused = marts.data.filter(
    (table: { usageSummary: { monthlyStats: { count: number } } }) => table.usageSummary.monthlyStats.count === 0,
  );
  assert.deepEqual(
    unused.map(({ name }: { name: string }) => name),
    ['STOCK_COVER'],
  );
  const { json: dashboard } = await service.admin.get('/v1/dashboards/name/metabase.campaigns?fields=usageSummary');
  assert.ok(dashboard.usageSummary.date < dateOf(newest - 12 * SEED_DAY_MS), dashboard.usageSummary.date);
});

test('the contract of the daily revenue has been broken for two nights', async () => {
  const fqn = `${MARTS}.REVENUE_DAILY.dataContract_revenue`;
  const { json: contract } = await service.admin.get(`/v1/dataContracts/name/${fqn}`);
  const { json: results } = await service.admin.get(`/v1/dataContracts/${contract.id}/results`);
  assert.deepEqual(
    results.data.map(({ contractExecutionStatus }: { contractExecutionStatus: string }) => contractExecutionStatus),
    ['PartialSuccess', 'PartialSuccess', 'Success', 'Success', 'Success', 'Success'],
  );
});

test('every record has a description', async () => {
  const kinds = [
    'tables',
    'dashboards',
    'charts',
    'pipelines',
    'apiEndpoints',
    'topics',
    'containers',
    'dataQuality/testCases',
  ];
  const lists = kinds.map(async (kind) => (await service.admin.get(`/v1/${kind}?limit=1000`)).json.data);
  const records = (await Promise.all(lists)).flat() as { fullyQualifiedName: string; description?: string }[];
  const own = records.filter(({ fullyQualifiedName }) =>
    SOURCES.some((name) => fullyQualifiedName.startsWith(`${name}.`)),
  );
  assert.ok(own.length > 120, String(own.length));
  assert.deepEqual(
    own.filter(({ description }) => !description).map(({ fullyQualifiedName }) => fullyQualifiedName),
    [],
  );
});

test('the company has records of every kind', async () => {
  const counts: Readonly<Record<string, number>> = {
    'tables?service=shop_postgres': 20,
    'tables?service=warehouse_snowflake': 98,
    'tables?service=events_bigquery': 7,
    'tables?service=stores_mysql': 14,
    'topics?service=streams_kafka': 5,
    'containers?service=lake_s3': 5,
    'pipelines?service=airflow': 5,
    'dashboards?service=metabase': 3,
    'charts?service=metabase': 6,
    'dashboard/datamodels?service=metabase': 1,
    'mlmodels?service=mlflow': 2,
    'searchIndexes?service=shop_search': 1,
    'apiCollections?service=shop_api': 2,
    'apiEndpoints?service=shop_api': 3,
    'storedProcedures?service=warehouse_snowflake': 2,
    'queries?service=shop_postgres': 1,
    'glossaryTerms?glossary=Bookselling': 7,
    'glossaryTerms?glossary=Figures': 4,
    'domains?parent=Commerce': 2,
    'dataProducts?domain=Insight': 1,
    'users?team=data-platform': 3,
    'teams?parentTeam=lumen-books': 4,
  };
  const found = Object.keys(counts).map(async (list): Promise<[string, number]> => {
    const { json } = await service.admin.get(`/v1/${list}&limit=0`);
    return [list, json.paging?.total];
  });
  assert.deepEqual(Object.fromEntries(await Promise.all(found)), counts);
});

test('terms on columns, custom values, followers and data products are stored', async () => {
  const sales = 'warehouse_snowflake.ANALYTICS.CORE.FCT_SALES';
  const { json } = await service.admin.get(`/v1/tables/name/${sales}?fields=tags,extension,followers,dataProducts`);
  const net = json.columns.find((column: { name: string }) => column.name === 'NET_EUR');
  assert.deepEqual([net.tags[0].tagFQN, net.tags[0].source], ['Figures.Revenue.NetRevenue', 'Glossary']);
  assert.deepEqual(json.extension, { loadWindow: '02:00–03:30', retentionDays: 3650 });
  assert.deepEqual([json.followers[0].name, json.dataProducts[0].name], ['hannah', 'sales-figures']);
});

test('the newest run of a pipeline has a status', async () => {
  const { json } = await service.admin.get('/v1/pipelines/name/airflow.build_warehouse?fields=pipelineStatus');
  assert.equal(json.pipelineStatus.executionId, `nightly_${dateOf(newest)}`);
  const runs = await service.admin.get('/v1/pipelines/airflow.build_warehouse/status');
  assert.equal(runs.json.paging.total, 14);
  const statuses = runs.json.data.map(({ executionStatus }: { executionStatus: string }) => executionStatus);
  assert.deepEqual(statuses.slice(0, 3), ['Successful', 'Failed', 'Successful']);
});

test('the main tables have thirty days of test results and profiles', async () => {
  const orders = 'shop_postgres.shop.sales.orders';
  const path = `/v1/dataQuality/testCases/testCaseResults/${orders}.status.known-status`;
  const results = (await service.admin.get(path)).json;
  assert.equal(results.paging.total, 30);
  assert.equal(results.data[0].testCaseStatus, 'Failed');
  assert.ok(results.data[0].timestamp > now - 2 * SEED_DAY_MS && results.data[0].timestamp < now);
  const suite = (await service.admin.get('/v1/dataQuality/testSuites/name/money-is-right?fields=tests,summary')).json;
  assert.deepEqual(
    suite.tests.map(({ name }: { name: string }) => name),
    ['captured-once', 'not-negative'],
  );
  assert.deepEqual([suite.summary.failed, suite.summary.success, suite.summary.total], [1, 1, 2]);
  const table = (await service.admin.get(`/v1/tables/name/${orders}?fields=profile`)).json;
  assert.equal(table.profile.rowCount, 184_200 + 29 * 412);
  const profiles = await service.admin.get(`/v1/tables/${orders}/tableProfile`);
  assert.equal(profiles.json.paging.total, 30);
});

test('contracts include own, broken and inherited ones', async () => {
  const contracts = '/v1/dataContracts';
  const named = async (fqn: string) => (await service.admin.get(`${contracts}/name/${encodeURIComponent(fqn)}`)).json;
  const orders = await named('shop_postgres.shop.sales.orders.dataContract_orders');
  assert.equal(orders.latestResult.status, 'PartialSuccess');
  assert.equal(orders.qualityExpectations.length, 2);
  const { json: results } = await service.admin.get(`${contracts}/${orders.id}/results`);
  assert.equal(results.paging.total, 2);
  const stores = 'warehouse_snowflake.ANALYTICS.CORE.FCT_STORE_SALES';
  const { json: table } = await service.admin.get(`/v1/tables/name/${stores}`);
  const { json: effective } = await service.admin.get(`${contracts}/entity?entityId=${table.id}&entityType=table`);
  assert.deepEqual([effective.name, effective.inherited, effective.sla.inherited], ['figures', true, true]);
  const sales = await named('warehouse_snowflake.ANALYTICS.CORE.FCT_SALES.dataContract_sales-lines');
  const { json: own } = await service.admin.get(`${contracts}/entity?entityId=${sales.entity.id}&entityType=table`);
  assert.deepEqual([own.id, own.semantics.length, own.termsOfUse.inherited], [sales.id, 2, true]);
});

test('lineage has several layers with columns', async () => {
  const [counted] = await service.graph.query(
    `MATCH (n:Entity)-[e:FEEDS]->(:Entity)
     WHERE split(n.fullyQualifiedName, '.')[0] IN $services
     RETURN count(e) AS edges, sum(COUNT { ()-[:DERIVES {edgeId: e.id}]->() }) AS pairs`,
    { services: SOURCES },
  );
  const { edges, pairs } = counted as { edges: number; pairs: number };
  assert.ok(edges >= 150 && pairs >= 600, `${edges} edges and ${pairs} pairs of columns`);
  const path = `/v1/lineage/table/name/${MARTS}.READER_LIFETIME?upstreamDepth=10&downstreamDepth=10`;
  const { json } = await service.admin.get(path);
  const names = new Set(json.nodes.map(({ fullyQualifiedName }: { fullyQualifiedName: string }) => fullyQualifiedName));
  assert.ok(names.has('shop_postgres.shop.readers.accounts') && names.has('metabase.campaigns'));
});

test('lineage has a cycle that the health report finds', async () => {
  const { json } = await service.admin.get('/v1/lineage/health?limit=1000');
  const circles: readonly (readonly { fullyQualifiedName: string }[])[] = json.cycles;
  const named = circles.map((circle) => new Set(circle.map(({ fullyQualifiedName }) => fullyQualifiedName)));
  const own = named.filter((names) => names.has('shop_postgres.shop.readers.accounts'));
  assert.deepEqual([own.length, own[0]?.has(`${MARTS}.READER_LIFETIME`)], [1, true]);
  const scoped = await service.admin.get('/v1/lineage/health?scope=metabase');
  assert.deepEqual([scoped.status, scoped.json.cycles], [200, []]);
});

test('an edge has two sources, and the newest is shown first', async () => {
  const from = encodeURIComponent('warehouse_snowflake.ANALYTICS.CORE.FCT_SALES');
  const to = `${MARTS}.REVENUE_DAILY`;
  const { json } = await service.admin.get(`/v1/lineage/getLineageEdge/table/name/${from}/table/name/${to}`);
  assert.equal(json.edge.source, 'QueryLineage');
  assert.match(json.edge.sqlQuery, /core\.fct_sales/);
  const said = await service.graph.query(
    `MATCH (:Entity {fullyQualifiedName: $from})-[e:FEEDS]->(:Entity {fullyQualifiedName: $to})
     MATCH (s:Assertion {edgeId: e.id}) WHERE s.until IS NULL
     RETURN s.source AS source ORDER BY source`,
    { from: decodeURIComponent(from), to },
  );
  assert.deepEqual(
    said.map(({ source }) => source),
    ['DbtLineage', 'QueryLineage'],
  );
});

test('a table is stored below its schema, with owners, domain, tags and constraints', async () => {
  const path = '/v1/tables/name/shop_postgres.shop.sales.orders?fields=owners,domains,tags,tableConstraints';
  const { status, json } = await service.admin.get(path);
  assert.equal(status, 200);
  assert.equal(json.version, 0.1);
  assert.equal(json.databaseSchema.fullyQualifiedName, 'shop_postgres.shop.sales');
  assert.equal(json.service.name, 'shop_postgres');
  assert.deepEqual(
    json.owners.map((owner: { name: string }) => owner.name),
    ['lucy', 'omar'],
  );
  assert.deepEqual(
    json.domains.map((domain: { fullyQualifiedName: string }) => domain.fullyQualifiedName),
    ['Commerce.Orders'],
  );
  assert.deepEqual(
    json.tags.map((tag: { tagFQN: string }) => tag.tagFQN),
    ['Freshness.Live', 'Retention.Years10', 'Tier.Tier1'],
  );
  assert.equal(json.tableConstraints[0].constraintType, 'FOREIGN_KEY');
});

test('nested columns keep their tags', async () => {
  const { json } = await service.admin.get('/v1/tables/name/shop_postgres.shop.sales.orders?fields=tags');
  const address = json.columns.find((column: { name: string }) => column.name === 'shipping_address');
  const street = address.children.find((column: { name: string }) => column.name === 'street');
  assert.equal(street.fullyQualifiedName, 'shop_postgres.shop.sales.orders.shipping_address.street');
  assert.equal(street.tags[0].tagFQN, 'PII.Sensitive');
});

test('owners and domains are inherited', async () => {
  const path = '/v1/tables/name/events_bigquery.lumen-events.web.searches?fields=owners,domains';
  const { json } = await service.admin.get(path);
  assert.equal(json.owners[0].name, 'growth');
  assert.equal(json.owners[0].inherited, true);
  assert.equal(json.domains[0].name, 'Engagement');
});

test('users belong to teams, and teams to parent teams', async () => {
  const person = await service.admin.get('/v1/users/name/mei?fields=teams');
  assert.deepEqual(
    person.json.teams.map((team: { name: string }) => team.name),
    ['data-platform', 'finance-analytics'],
  );
  const team = await service.admin.get('/v1/teams/name/data-platform?fields=parents');
  assert.equal(team.json.parents[0].name, 'technology');
});

test('an unreachable service is reported in one sentence', async () => {
  const nobody: SendRequest = () => Promise.reject(new TypeError('fetch failed'));
  const refused = loadSeeds({ server, token: 't', send: nobody, report: () => {} });
  await assert.rejects(refused, /^StartupError: No service answers at http:\/\/catalog\.example\. Start one/);
});

test('a refusal by the service is reported', async () => {
  const refused = loadSeeds({ server, token: 'wrong', send, report: () => {} });
  await assert.rejects(refused, /answered 401 to .*: Not Authorized! Invalid Token/);
});

const broken: readonly (readonly [what: string, text: string, message: RegExp])[] = [
  ['YAML that cannot be read', 'collection: tags\nrecords: [\n', /^StartupError: 10-broken\.yaml line \d: ./],
  ['a document without records', 'collection: tags\n', /^StartupError: 10-broken\.yaml line 1: records: ./],
  [
    'a record that is no record',
    'collection: tags\nrecords:\n  - { name: a }\n  - 7\n',
    /^StartupError: 10-broken\.yaml line 4: records\.1: ./,
  ],
  [
    'a row of a bulk operation that is refused',
    'collection: domains\nrecords:\n  - name: Unheard\n    domainType: Nonsense\n    description: x\n',
    /^StartupError: 10-broken\.yaml line 3 \(Unheard\): .*domainType/,
  ],
  [
    'a name that nobody bears',
    'collection: users\nids: { teams: teams }\nrecords:\n  - { name: a, email: a@b.example, teams: [nobody] }\n',
    /^StartupError: 10-broken\.yaml line 4: .* 404 .*team instance for nobody not found/,
  ],
  [
    'a change by a person without a bot',
    'collection: tables\npatch: "{id}"\nrecords:\n  - { of: shop_postgres.shop.sales.orders, by: mei, send: [] }\n',
    /^StartupError: 10-broken\.yaml: records name "mei" in "by", but their document names no bot/,
  ],
  [
    'a detail that is refused',
    'collection: tables\nput: "{id}/followers"\nrecords:\n  - { of: shop_postgres.shop.sales.orders, send: 7 }\n',
    /^StartupError: 10-broken\.yaml line 4 \(shop_postgres\.shop\.sales\.orders\): .* answered 40/,
  ],
];

for (const [what, text, message] of broken) {
  test(`file and line of a fault are reported: ${what}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-seed-'));
    try {
      await writeFile(join(folder, '10-broken.yaml'), text);
      await assert.rejects(load(folder), message);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
}

test('the local service is found by its home folder, and a missing one is reported', async () => {
  const home = await mkdtemp(join(tmpdir(), 'tributary-seed-'));
  try {
    const config = readConfig({ TRIBUTARY_HOME: home, PORT: '8600' });
    await assert.rejects(findLocalService(config), /There is no admin token/);
    await writeFile(join(home, 'admin.token'), 'abc\n');
    assert.deepEqual(await findLocalService(config), { server: 'http://127.0.0.1:8600', token: 'abc' });
    await writeFile(join(home, 'lock'), JSON.stringify({ note: 'http://127.0.0.1:40000' }));
    assert.deepEqual(await findLocalService(config), { server: 'http://127.0.0.1:40000', token: 'abc' });
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});

test.run();
