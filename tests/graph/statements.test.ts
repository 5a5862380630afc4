import neo4j, { type Driver, type Plan, type ProfiledPlan, type ResultSummary } from 'neo4j-driver';
import * as assert from 'uvu/assert';
import '../../src/backup/backup-store.ts';
import '../../src/backup/restore-store.ts';
import '../../src/catalog/cascade/queries.ts';
import '../../src/catalog/queries.ts';
import '../../src/catalog/read/facts-queries.ts';
import '../../src/contracts/queries.ts';
import '../../src/csv/queries.ts';
import '../../src/events/queries.ts';
import '../../src/graph/lease.ts';
import '../../src/insight/communities/queries.ts';
import '../../src/ask/queries.ts';
import '../../src/insight/flows/queries.ts';
import '../../src/insight/graph/queries.ts';
import '../../src/insight/promises/queries.ts';
import '../../src/insight/what-if/queries.ts';
import '../../src/jobs/queries.ts';
import '../../src/lineage/read/graph/queries.ts';
import '../../src/lineage/read/map/queries.ts';
import '../../src/lineage/queries.ts';
import '../../src/notifications/mail-opt-out-queries.ts';
import '../../src/notifications/mail-subscription-queries.ts';
import '../../src/notifications/queries.ts';
import '../../src/people/queries.ts';
import '../../src/permissions/queries.ts';
import '../../src/profiler/queries.ts';
import '../../src/quality/queries.ts';
import '../../src/search/find/queries.ts';
import '../../src/search/typesense/queries.ts';
import '../../src/search/maintenance/queries.ts';
import '../../src/subscriptions/queries.ts';
import '../../src/system/queries.ts';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import { declaredStatements, MAX_WALK_DEPTH } from '../../src/graph/statement.ts';
import { EDGE_TYPES } from '../../src/model/kind/edges.ts';
import { documentIndexName } from '../../src/search-documents/index/fulltext-index.ts';
import { chooseFew, manyOr } from '../support/representatives.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that every declared statement uses an index and is planned as intended. */

const statements = suite('graph: statement plans');

let service: Service;
let driver: Driver;

type Expansion = { readonly name: string; readonly text: string; readonly params: readonly string[] };

/** What the planner can know of a label or an edge type: the indexes that it has. */
const indexesByName = new Map<string, string[]>();

const readIndexes = async () => {
  const { records } = await run('SHOW INDEXES YIELD type, labelsOrTypes, properties, owningConstraint');
  for (const index of records.map((record) => record.toObject())) {
    for (const name of index['labelsOrTypes'] ?? []) {
      const said = JSON.stringify([index['type'], index['properties'], index['owningConstraint'] !== null]);
      indexesByName.set(name, [...(indexesByName.get(name) ?? []), said].sort());
    }
  }
};

/** One name of all that have the same indexes: the planner comes to the same plan for each of them. */
const unlike = (names: readonly string[]): string[] => [
  ...new Map(names.map((name) => [(indexesByName.get(name) ?? []).join(), name])).values(),
];

/** Some of the depths: the plan is the same at all of them, but for the steps that need none. */
const DEPTH = ['0', '1', '9', String(MAX_WALK_DEPTH - 1)].slice(0, manyOr(2, 4));

/** A statement that is sent for many labels or edge types is planned for so many of them. */
const NAMES_PER_STATEMENT = manyOr(1, 3);

/** Every statement as it will be sent: for labels or edge types that have indexes of their own. */
const expansions = (): Expansion[] => {
  const values = {
    LABEL: unlike(service.registry.kinds.map(({ label }) => label)),
    TYPE: unlike(Object.keys(EDGE_TYPES)),
    DEPTH,
  };
  const valuesFor = (name: string, placeholder: keyof typeof values) =>
    placeholder === 'DEPTH' ? DEPTH : [...chooseFew(name, values[placeholder], NAMES_PER_STATEMENT)];
  return [...declaredStatements()].flatMap(([name, { text, placeholder, params }]) =>
    placeholder
      ? valuesFor(name, placeholder).map((value) => ({
          name: `${name}:${value}`,
          text: text.replaceAll(`\${${placeholder}}`, value),
          params,
        }))
      : [{ name, text, params }],
  );
};

const run = async (text: string, params: Record<string, unknown> = {}) => {
  const session = driver.session();
  try {
    return await session.run(text, params);
  } finally {
    await session.close();
  }
};

/** The server warns of names it has never seen, so every label, edge and property is made known first. */
const createTokens = async () => {
  const labels = service.registry.kinds.flatMap((kind) => [kind.label, `Live${kind.label}`]);
  const others = [
    'Entity',
    'Column',
    'Version',
    'TextCopy',
    'Staged',
    'ChangeEvent',
    'Dirty',
    'SearchDoc',
    'SchemaStep',
    'Fingerprint',
  ].concat(
    'Job JobPiece Lease Intent UsageDay Unsequenced Sequence Naming Rights Notification Progress NotificationPreferences Delivery FailedDelivery Assertion'.split(
      ' ',
    ),
    'TestResult',
    'ContractResult',
    'ContractSource',
    'LinkedIdentity Session IssuedToken TokenUse LoggedOut FailedLogin KnownLogin Expiring Unsent Feeding'.split(' '),
    'Profile TableProfile ColumnProfile SystemProfile Spent SpentSeries'.split(' '),
    'WritePause',
    'Restore',
  );
  const properties = new Set(
    [...declaredStatements().values()].flatMap(({ text }) =>
      [...text.matchAll(/\.(\w+)/g)].map(([, name = '']) => name),
    ),
  );
  const create = (procedure: string, names: readonly string[]) =>
    run(`UNWIND $names AS name CALL ${procedure}(name) RETURN count(*)`, { names });
  await create('db.createLabel', [...labels, ...others]);
  await create('db.createRelationshipType', Object.keys(EDGE_TYPES));
  await create('db.createProperty', [...properties]);
};

const VALUES: Readonly<Record<string, unknown>> = {
  now: 0,
  leewayMs: 0,
  weight: 1,
  rows: [],
  sorts: [],
  userNames: ['x'],
  whats: [],
  byRecord: false,
  after: 0,
  first: 0,
  before: 0,
  last: 0,
  next: 0,
  step: 0,
  upTo: 0,
  until: 1,
  seq: 0,
  begun: 0,
  events: [],
  entityTypes: [],
  isRead: true,
  wishes: {},
  deletions: [false],
  isAdmin: true,
  userIds: [],
  values: {},
  ids: [],
  near: [],
  others: null,
  edgeIds: [],
  pairs: [],
  tagIds: ['x'],
  tagNames: [],
  withTerms: true,
  tagId: 'x',
  keys: [],
  names: [],
  at: 1,
  equals: {},
  items: {},
  start: 0,
  end: 0,
  beside: 0,
  kinds: ['tag'],
  prefixes: [],
  limit: 10,
  skip: 0,
  tag: 'x',
  forMs: 1,
  version: 0.1,
  operations: [],
  ageMs: 1000,
  kept: 5,
  most: 3,
  worth: {},
  replaces: true,
  queries: ['x'],
  each: 1,
  sign: 1,
  hiddenTypes: [],
  judgedTypes: ['table'],
  otherTypes: ['table'],
  least: 3,
  look: 10,
  carrierTypes: ['pipeline'],
  withIsolated: false,
  columns: [],
  texts: [],
  piece: 0,
  includeDeleted: false,
  owners: true,
  followers: true,
  admins: true,
  teams: [],
  counts: false,
  types: [],
  only: [],
  behind: { isMissing: false, key: 'x', name: 'x', id: 'x' },
  by: 'property',
  flat: false,
  folds: false,
  from: 0,
  size: 10,
  form: 1,
  statuses: [],
};

const paramsFor = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, name in VALUES ? VALUES[name] : name === 'deleted' ? false : 'x']));

statements.before(async () => {
  service = await openService();
  driver = neo4j.driver(
    process.env['TEST_NEO4J_URI'] ?? '',
    neo4j.auth.basic(process.env['TEST_NEO4J_USER'] ?? '', process.env['TEST_NEO4J_PASSWORD'] ?? ''),
    { disableLosslessIntegers: true },
  );
  await createTokens();
  await readIndexes();
});

statements.after(() => driver.close());

const explained = new Map<string, ResultSummary>();

const AT_ONCE = 4;

const explainAll = (language: '5' | '25') => {
  const plans = new Map<string, ResultSummary>();
  const explain = mapConcurrently(expansions(), AT_ONCE, async ({ name, text, params }) => {
    plans.set(name, (await run(`CYPHER ${language} EXPLAIN ${text}`, paramsFor(params))).summary);
  });
  return explain.then(() => plans);
};

const remarksOf = (plans: ReadonlyMap<string, ResultSummary>): readonly string[] =>
  [...plans].flatMap(([name, { notifications }]) =>
    (notifications ?? []).map(({ code, description }) => `${name}: ${code} ${description}`),
  );

statements('the server accepts every expansion without a notification', async () => {
  for (const [name, summary] of await explainAll('5')) explained.set(name, summary);
  assert.ok(explained.size > 100, `only ${explained.size} expansions`);
  assert.equal(remarksOf(explained), []);
});

/** Whether the server knows the language that follows the one in which statements are sent. */
const knowsCypher25 = async (): Promise<boolean> => {
  const { records } = await run(
    "CALL dbms.components() YIELD name, versions WHERE name = 'Cypher' RETURN versions",
    {},
  );
  const versions: readonly string[] = records[0]?.get('versions') ?? [];
  return versions.includes('25');
};

statements('every expansion means the same in Cypher 25', async () => {
  if (!(await knowsCypher25())) {
    console.log('SKIPPED Cypher 25: this server does not know it, `npm run test:neo4j-2026` starts one that does');
    return;
  }
  assert.equal(remarksOf(await explainAll('25')), []);
});

const operators = (plan: Plan | ProfiledPlan): string[] => [
  plan.operatorType.replace(/@.*/, ''),
  ...plan.children.flatMap(operators),
];

statements('no expansion scans all nodes or all nodes of a label', async () => {
  const slow: string[] = [];
  // What copies, looks at or removes a whole store has no narrower way, and of schema steps there are a dozen.
  const allowed = new Set([
    'graph/read_schema_steps',
    'graph/update_store_version',
    'backup/list_nodes',
    'backup/find_any',
    'backup/delete_restored',
  ]);
  // A job seals all texts of a kind anew.
  allowed.add('system/list_sealed');
  for (const [name, summary] of explained) {
    if (allowed.has(name.replace(/:.*/, ''))) continue;
    const found = summary.plan ? operators(summary.plan) : [];
    const bad = found.filter((operator) =>
      ['AllNodesScan', 'NodeByLabelScan', 'UnionNodeByLabelsScan'].includes(operator),
    );
    if (bad.length > 0) slow.push(`${name}: ${bad.join(', ')}`);
  }
  assert.equal(slow, []);
});

const totalHits = (plan: ProfiledPlan): number =>
  plan.dbHits + plan.children.reduce((sum, child) => sum + totalHits(child), 0);

/** A word of each case. */
let caseMark = '';

statements.beforeEach(() => {
  caseMark = uniqueName('case');
});

const profile = async (name: string, fill: string, params: Record<string, unknown>) => {
  const declared = declaredStatements().get(name);
  assert.ok(declared, `no statement ${name}`);
  const text = (declared?.text ?? '').replaceAll(/\$\{\w+\}/g, fill);
  // A plan made while the store was all but empty is kept for ten seconds, whatever has been planted since. The server
  // plans a text with another comment anew, and keeps the plans of everybody else.
  const { summary } = await run(`PROFILE ${text}\n// ${caseMark}`, params);
  assert.ok(summary.profile, 'no profile');
  return summary.profile;
};

const drawn = (plan: ProfiledPlan, depth = 0): string =>
  [
    `${'  '.repeat(depth)}${plan.operatorType} ${plan.dbHits} ${plan.arguments['Details'] ?? ''}`,
    ...plan.children.map((child) => drawn(child, depth + 1)),
  ].join('\n');

/** Fails with the plan, which says where the hits come from, when a statement touches more than it may. */
const touches = async (most: number, name: string, fill: string, params: Record<string, unknown>) => {
  const plan = await profile(name, fill, params);
  const hits = plan ? totalHits(plan) : 0;
  assert.ok(hits <= most, `${name}: ${hits} hits, at most ${most} wanted\n${plan ? drawn(plan) : ''}`);
};

const ROWS = 300;

let planted: Promise<string> | undefined;

/** A schema with so many tables that a scan would show in the hits. All cases share it. */
const plantTables = (): Promise<string> => {
  planted ??= createTables();
  return planted;
};

const createTables = async (): Promise<string> => {
  const root = uniqueName('plan');
  await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' });
  await service.admin.post('/v1/databases', { name: 'db', service: root });
  await service.admin.post('/v1/databaseSchemas', { name: 'public', database: `${root}.db` });
  const tables = Array.from({ length: ROWS }, (_, index) => ({
    name: `t${String(index).padStart(4, '0')}`,
    databaseSchema: `${root}.db.public`,
    columns: [{ name: 'id', dataType: 'INT' }],
  }));
  const reply = await service.admin.put('/v1/tables/bulk', tables);
  assert.is(reply.json.numberOfRowsPassed, ROWS, reply.text.slice(0, 500));
  return root;
};

const paging = (extra: Record<string, unknown>) => ({
  equals: {},
  items: {},
  prefixes: [],
  edge: '',
  limit: 11,
  deleted: false,
  entityType: 'table',
  ...extra,
});

statements('a page of a list reads little more than it returns', async () => {
  const root = await plantTables();
  await touches(100, 'catalog/list/list_page:ascending', '', paging({}));
  await touches(100, 'catalog/list/list_page:ascending', '', paging({ edge: 't0200' }));
  await touches(100, 'catalog/list/list_page:descending', '', paging({ edge: 't0200' }));
  const below = paging({ scope: `${root}.db.public`, edge: 't0200' });
  await touches(100, 'catalog/list/list_below:scope3:ascending', '', below);
});

statements('a page of a history reads what it returns, whatever exists of other times and kinds', async () => {
  const entityType = uniqueName('kind');
  await run(
    `UNWIND range(1, 2000) AS at
     CREATE (:Version {entityType: $entityType, at: at, entityId: 'x', version: 0.1, json: ''})
     CREATE (:Entity {entityType: $entityType, updatedAt: at, id: randomUUID(), version: 0.2})`,
    { entityType },
  );
  for (const state of ['current', 'former']) {
    const stretch = { entityType, from: 500, to: 1500, id: 'x', version: 0.1, limit: 11 };
    await touches(60, `catalog/version/list_${state}:descending`, '', { ...stretch, at: 1500 });
    await touches(60, `catalog/version/list_${state}:ascending`, '', { ...stretch, from: 700, at: 700 });
    await touches(5000, `catalog/version/count_${state}`, '', { entityType, from: 500, to: 1500 });
  }
  await run('MATCH (n:Version {entityType: $entityType}) DELETE n', { entityType });
  await run('MATCH (n:Entity {entityType: $entityType}) DELETE n', { entityType });
});

statements('lineage statements read what is requested and not the whole graph', async () => {
  const root = await plantTables();
  await run(
    `MATCH (t:Table)
     WHERE t.fullyQualifiedName STARTS WITH $below
     WITH t ORDER BY t.name
     WITH collect(t) AS tables
     UNWIND range(1, size(tables) - 1) AS at
     WITH tables[at - 1] AS from, tables[at] AS to
     CREATE (from)-[:FEEDS {id: randomUUID()}]->(to)`,
    { below: `${root}.db.` },
  );
  const { json } = await service.admin.post('/v1/services/databaseServices', {
    name: uniqueName('few'),
    serviceType: 'Postgres',
  });
  const beside = { ids: [json.id], hiddenTypes: [], judgedTypes: [], includeDeleted: false, limit: 1000 };
  await touches(30, 'lineage/count_around_services', '', { ...beside, carrierTypes: ['pipeline'] });
  await touches(30, 'lineage/count_around_domains', '', beside);
  await touches(30, 'lineage/count_around_products', '', beside);
  const some = { entityType: 'table', scope: `${root}.db`, look: 10, limit: 5 };
  await touches(300, 'lineage/graph/list_scope_orphans', '', { ...some, carrierTypes: ['pipeline'] });
  await touches(400, 'lineage/graph/list_scope_hubs', '', { ...some, least: 3 });
  // Whoever was joined by other tests may hang deep and have many owners, each of whom is looked at.
  const { records } = await run(
    `MATCH ()-[edge:FEEDS]->()
     WITH edge LIMIT 10
     UNWIND [startNode(edge), endNode(edge)] AS n
     WITH DISTINCT n
     MATCH (n)<-[:CONTAINS*0..50]-(holder)
     RETURN count(*) AS holders, sum(COUNT { (holder)<--() }) AS arriving`,
  );
  const around = (name: string) => Number(records[0]?.get(name));
  const most = 300 + 3 * (around('holders') + around('arriving'));
  await touches(most, 'lineage/graph/list_hubs', '', { look: 10, limit: 5, least: 3 });
  await touches(200, 'lineage/graph/list_edges', '', { limit: 5 });
  await touches(5, 'lineage/graph/count_edges', '', {});
});

statements('a read of descendants goes only as deep as requested', async () => {
  const root = await plantTables();
  const [row] = await run('MATCH (n:DatabaseService {name: $root}) RETURN n.id AS id', { root }).then(
    ({ records }) => records,
  );
  const part = { id: row?.get('id'), limit: 11 };
  for (const name of ['catalog/cascade/walk_descendants', 'catalog/cascade/list_live_descendants']) {
    await touches(150, name, '', part);
  }
});

statements('usage of a record is read by its days', async () => {
  const id = uniqueName('used');
  await run(
    `UNWIND range(0, 365) AS back
     WITH toString(date('2024-12-31') - duration({days: back})) AS date
     CREATE (:UsageDay {key: $id + ' ' + date, ownerId: $id, date: date, count: 1})`,
    { id },
  );
  const rows = [{ at: 0, id, from: '2024-12-02', to: '2024-12-31' }];
  await touches(400, 'catalog/record/read_usage_days', '', { rows });
  await run('MATCH (day:UsageDay {ownerId: $id}) DELETE day', { id });
});

statements('profiles are read by returned rows, however long their series', async () => {
  const [id, other] = [uniqueName('measured'), uniqueName('measured')];
  await run(
    `CREATE (t:Entity {id: $id})
     WITH t UNWIND range(1, 4) AS which
     CREATE (t)-[:HAS_COLUMN]->(c:Column {key: $id + which, profileSeries: $id + ' ' + which})
     WITH c UNWIND range(1, 1000) AS at
     CREATE (c)-[:HAS_PROFILE]->(:Profile:ColumnProfile {series: c.profileSeries, tableId: $id, json: '',
       place: 'c ' + toString(9007199254000000 + at) + ' ' + c.profileSeries})`,
    { id },
  );
  await run(
    `MATCH (t:Entity {id: $id})
     UNWIND range(1, 1000) AS at
     CREATE (t)-[:HAS_PROFILE]->(:Profile:TableProfile {series: 't ' + $id, tableId: $id, json: '',
       place: 't ' + toString(9007199254000000 + at) + ' ' + $id})
     CREATE (:Profile:TableProfile {series: 't ' + $other, tableId: $other, json: '',
       place: 't ' + toString(9007199254000000 + at) + ' ' + $other})`,
    { id, other },
  );
  const span = (sort: string, first: number, last: number) => ({
    from: `${sort} ${9007199254000000 + first} `,
    to: `${sort} ${9007199254000000 + last}!`,
  });
  const page = { limit: 11 };
  // Latest: one row of the table and one of each of its four columns.
  await touches(80, 'profiler/read_latest', '', { ids: [id] });
  for (const [from, to] of [
    [0, 2000],
    [500, 2000],
    [500, 505],
  ] as const) {
    await touches(60, 'profiler/list_series', '', { id: `t ${id}`, ...span('t', from, to), ...page });
    await touches(80, 'profiler/list_column', '', { id: `${id}1`, ...span('c', from, to), ...page });
    await touches(60, 'profiler/find_column_page', '', { id: `${id}1`, ...span('c', from, to), skip: 10 });
    await touches(120, 'profiler/list_columns', '', { id, ...span('c', from, to), ...page });
    await touches(100, 'profiler/list_all', '', { ...span('t', from, to), ...page });
    await touches(60, 'profiler/find_profiles_before', '', { ...span('t', from, to), ...page });
    await touches(60, 'profiler/find_series_page', '', { id: `t ${id}`, ...span('t', from, to), skip: 10 });
    await touches(60, 'profiler/find_columns_page', '', { id, ...span('c', from, to), skip: 10 });
  }
  await touches(60, 'profiler/count_columns_until', '', { id, ...span('c', -2, 0) });
  await touches(20, 'profiler/count_column_until', '', { id: `${id}1`, ...span('c', -2, 0) });
  await touches(60, 'profiler/count_columns', '', { id, ...span('c', 500, 502) });
  await touches(20, 'profiler/count_column', '', { id: `${id}1`, ...span('c', 500, 502) });
  // What is forgotten bit by bit is found bit by bit.
  const from = { edge: span('c', 900, 900).from, to: span('c', 900, 2000).to, limit: 10 };
  await touches(400, 'profiler/delete_old', '', from);
  await run('MATCH (p:Profile) WHERE p.tableId IN [$id, $other] DETACH DELETE p', { id, other });
  await run('MATCH (t:Entity {id: $id})-[:HAS_COLUMN]->(c) DETACH DELETE t, c', { id });
});

statements('events are found by number, position and subject, however many exist', async () => {
  const [mine, other] = [uniqueName('event'), uniqueName('event')];
  const base = 4_000_000_000_000;
  await run(
    `UNWIND range(1, 2000) AS at
     WITH at, CASE WHEN at % 2 = 0 THEN $mine ELSE $other END AS name
     CREATE (:ChangeEvent {id: randomUUID(), seq: $base + at, place: toString($base + at), entityType: name,
       eventType: 'entityCreated', entityId: name, userName: name, timestamp: 0, json: '', ends: []})`,
    { mine, other, base: neo4j.int(base) },
  );
  const page = { edge: String(base + 1000), limit: 11 };
  const sorts = [{ entityType: mine, eventType: 'entityCreated' }];
  const pages = {
    'events/list_events_after': { after: base + 1000, limit: 11 },
    'events/list_all': page,
    'events/list_sort': { ...page, sorts },
    'events/list_record': { ...page, ids: [mine], whats: null, userNames: null },
    'events/list_person': { ...page, userNames: [mine], whats: null },
  };
  for (const [name, params] of Object.entries(pages)) {
    await touches(150, name, '', params);
  }
  const set = { edge: String(base + 1000), byRecord: false };
  const counts = {
    'events/count_all': set,
    'events/count_sort': { ...set, sorts },
    'events/count_person': { ...set, userNames: [mine], whats: null },
  };
  for (const [name, params] of Object.entries(counts)) {
    await touches(2500, name, '', params);
  }
  await run('MATCH (e:ChangeEvent) WHERE e.userName IN [$mine, $other] DELETE e', { mine, other });
});

statements('unnumbered events are found without reading numbered ones', async () => {
  const entityId = uniqueName('untold');
  await run(
    `UNWIND range(1, 20) AS at
     CREATE (:ChangeEvent:Unsequenced {id: randomUUID(), entityId: $entityId, revision: at, timestamp: 0})`,
    { entityId },
  );
  await touches(400, 'events/list_unnumbered_events', '', { name: 'none', limit: 1000 });
  await run('MATCH (e:Unsequenced {entityId: $entityId}) DELETE e', { entityId });
});

statements(
  'conditions that name a record are found by its name, and so are those that name its descendants',
  async () => {
    const mark = uniqueName('named');
    await run(
      `UNWIND range(1, 500) AS at
     CREATE (:Entity {id: $mark + ' ' + at})-[:REFERENCES_NAME]->(:Naming {slot: 'x', target: 'tag ' + $mark + toString(at) + '.a'})`,
      { mark },
    );
    const targets = [1, 2, 3].map((at) => ({ at, target: `tag ${mark}${at}.a` }));
    await touches(60, 'catalog/rename/list_name_reference', '', { rows: targets, limit: 100 });
    await touches(60, 'catalog/rename/find_unreferenced_name', '', { rows: targets });
    const below = { id: 'x', entityType: 'tag', prefix: `tag ${mark}7.`, limit: 100 };
    await touches(60, 'catalog/rename/list_named_in_texts', 'Tag', below);
    await run('MATCH (n:Entity)-->(naming:Naming) WHERE naming.target STARTS WITH $prefix DETACH DELETE n, naming', {
      prefix: `tag ${mark}`,
    });
  },
);

statements('a page of hits holds its own rows alone, however many hits lie before it', async () => {
  const word = uniqueName('behind').toLowerCase();
  await run(
    `UNWIND range(1, 600) AS at
     CREATE (:SearchDoc {id: $word + ' ' + at, bag: $word, nameSort: toString(at), popularity: at, terms: ''})`,
    { word },
  );
  const found = { index: documentIndexName(service.registry.kinds), only: null, behind: null, from: 500, size: 50 };
  const [query, worth] = [`bag:${word}`, null];
  const sorted = { ...found, query, worth, by: 'property', member: 'nameSort', folds: false, flat: false };
  const pages = {
    'search/find_best': { ...found, query },
    'search/find_ranked': { ...found, queries: [query], each: 1, sign: 1, worth },
    'search/find_sorted:ascending': sorted,
    'search/find_sorted:descending': sorted,
  };
  for (const [name, params] of Object.entries(pages)) {
    const plan = await profile(name, '', params);
    assert.is(plan.rows, 50, name);
    const held = Number(plan.arguments['GlobalMemory']);
    assert.ok(held > 0 && held < 4_000_000, `${name} holds ${held} bytes\n${drawn(plan)}`);
  }
  await run('MATCH (doc:SearchDoc {bag: $word}) DELETE doc', { word });
});

statements('totals of a whole kind come from the count store', async () => {
  await touches(2, 'catalog/list/count_all', 'Table', {});
});

statements('a read of one record touches the record, its columns and its ancestors', async () => {
  const root = uniqueName('point');
  await service.admin.post('/v1/services/databaseServices', { name: root, serviceType: 'Postgres' });
  const { id } = (await service.admin.post('/v1/databases', { name: 'db', service: root })).json;
  const nothing = { owners: false, domains: false, dataProducts: false, followers: false, votes: false, tags: false };
  const rows = [{ at: 0, id, fqn: null, entityType: 'database', ...nothing }];
  await touches(60, 'catalog/record/read', '', { rows });
  await touches(30, 'catalog/record/read_reference', '', {
    rows: [{ at: 0, entityType: 'database', fqn: `${root}.db` }],
  });
});

statements.run();
