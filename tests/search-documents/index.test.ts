import neo4j, { type Driver, type Session } from 'neo4j-driver';
import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { buildDocument } from '../../src/search-documents/document.ts';
import { createFieldNameTest } from '../../src/search-documents/fields.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import { readFilter } from '../../src/search-documents/filter/read-filter.ts';
import type { SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { isExactBounds } from '../../src/search-documents/index/bounds.ts';
import { indexedProperties } from '../../src/search-documents/index/fulltext-index.ts';
import { buildEntry } from '../../src/search-documents/index/index-entry.ts';
import { andQuery } from '../../src/search-documents/index/lucene.ts';
import { kindsQuery, translateFilter } from '../../src/search-documents/index/translate-filter.ts';
import { parseSearchQuery } from '../../src/search-documents/query-string/parse-query.ts';
import { manyOr } from '../support/representatives.ts';
import { suite } from '../support/suite.ts';

/** Shows that the full-text index is queried correctly for any filter and text. */

const test = suite('search: index queries');

const { byType } = await loadKinds();

const kindOf = (entityType: string): Kind => {
  const kind = byType.get(entityType);
  if (!kind) throw new Error(`no kind is called ${entityType}`);
  return kind;
};

const KINDS = ['table', 'topic', 'pipeline', 'user', 'dashboard', 'glossaryTerm'].map(kindOf);

/** Chance that is the same in every run. */
const SEED = 20_261_122;
let state = SEED;
const chance = (): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const upTo = (count: number): number => Math.floor(chance() * count);
const one = <T>(all: readonly T[]): T => all[upTo(all.length)] as T;
const some = <T>(most: number, make: () => T): T[] => Array.from({ length: upTo(most + 1) }, make);

const WORDS = [
  'dim_customer',
  'DimCustomer',
  'dimcustomer',
  'customer',
  'custmer',
  'dim',
  'Orders',
  'orders2',
  'fct.orders-daily',
  'e-mail',
  'Größe',
  'GRÖSSE',
  '日本語',
  '🦊',
  'a/b:c',
  'x',
  '100%',
  "it's",
  'C++',
  'AND',
  'a\tb',
  'PII.Sensitive',
  '42',
  'true',
];
const word = () => one(WORDS);
/** No character is cut in half. */
const start = (length: number) => [...word()].slice(0, length).join('');
const phrase = (most = 4) => [word(), ...some(most, word)].join(one([' ', ' ', ', ', ' - ']));
const LONG = `${'long words of a long text '.repeat(8)}end`;

const ref = (type: string, name = word()): JsonObject => ({
  id: crypto.randomUUID(),
  type,
  name,
  fullyQualifiedName: `up.${name}`,
  displayName: one([name, phrase()]),
  description: phrase(),
  deleted: false,
});

const label = (): JsonObject => {
  const tagFQN = one(['PII.Sensitive', 'PII.None', 'Tier.Tier1', 'Words.Größe']);
  return {
    tagFQN,
    name: tagFQN.slice(tagFQN.indexOf('.') + 1),
    description: phrase(),
    source: one(['Classification', 'Glossary']),
    labelType: 'Manual',
    state: 'Confirmed',
  };
};

const column = (depth = 0): JsonObject => ({
  name: word(),
  dataType: one(['INT', 'VARCHAR', 'STRUCT']),
  description: one(['', phrase()]),
  tags: some(1, label),
  fullyQualifiedName: `up.${word()}.${word()}`,
  ...(chance() < 0.3 ? { displayName: phrase() } : {}),
  ...(depth < 2 && chance() < 0.3 ? { children: some(2, () => column(depth + 1)) } : {}),
});

const OWN: Readonly<Record<string, () => JsonObject>> = {
  table: () => ({
    columns: some(3, column),
    tableType: one(['Regular', 'View']),
    service: ref('databaseService'),
    database: ref('database'),
    databaseSchema: ref('databaseSchema'),
    retentionPeriod: one(['P1D', 'P23D']),
    schemaDefinition: one([LONG, phrase(8)]),
    serviceType: 'Mysql',
    tableConstraints: some(2, () => ({ constraintType: one(['PRIMARY_KEY', 'UNIQUE']), columns: some(2, word) })),
  }),
  topic: () => ({
    partitions: upTo(5),
    service: ref('messagingService'),
    messageSchema: { schemaType: 'Avro', schemaFields: some(2, column) },
  }),
  pipeline: () => ({
    tasks: some(2, () => ({ name: word(), description: phrase(), taskType: 'Python' })),
    service: ref('pipelineService'),
  }),
  user: () => ({
    email: `${word().replace(/[^a-z]/g, 'x')}@example.com`,
    isBot: chance() < 0.5,
    teams: some(2, () => ref('team')),
  }),
  dashboard: () => ({ charts: some(2, () => ref('chart')), project: word() }),
  glossaryTerm: () => ({
    synonyms: some(2, word),
    glossary: ref('glossary'),
    entityStatus: one(['Approved', 'Draft']),
  }),
};

const documentFor = (kind: Kind): JsonObject => {
  const name = word();
  return buildDocument(kind, {
    id: crypto.randomUUID(),
    name,
    fullyQualifiedName: `up.${word()}.${name}`,
    version: one([0.1, 0.2, 1.3]),
    updatedAt: 1_700_000_000_000 + upTo(10) * 86_400_000,
    updatedBy: 'admin',
    deleted: chance() < 0.2,
    ...(chance() < 0.7 ? { description: one([phrase(8), LONG]) } : {}),
    ...(chance() < 0.5 ? { displayName: phrase() } : {}),
    owners: some(2, () => ref('user')),
    domains: some(1, () => ref('domain')),
    tags: some(2, label),
    votes: { upVotes: upTo(3), downVotes: 0 },
    extension: { kept: phrase(2), size: upTo(3), nested: { deep: word() } },
    ...(OWN[kind.entityType]?.() ?? {}),
  });
};

const FIELDS = [
  'name',
  'name.keyword',
  'displayName',
  'displayName.keyword',
  'displayName.actualCase',
  'description',
  'description.keyword',
  'fullyQualifiedName',
  'fullyQualifiedName.text',
  'fqnParts',
  'entityType',
  'owners.name',
  'owners.displayName.keyword',
  'owners.id',
  'tags.tagFQN',
  'tags.name',
  'tier.tagFQN',
  'columns.name',
  'columns.name.keyword',
  'columns.description',
  'columns.tags.tagFQN',
  'columns.dataType',
  'columns.fullyQualifiedName',
  'columns.children.name',
  'columnNames',
  'columnNamesFuzzy',
  'service.name.keyword',
  'service.name',
  'service.description',
  'database.displayName',
  'tableType',
  'version',
  'updatedAt',
  'deleted',
  'totalVotes',
  'tableConstraints.constraintType.keyword',
  'tableConstraints.columns',
  'extension.kept',
  'extension.kept.keyword',
  'extension.size',
  'extension.nested.deep',
  'tasks.name',
  'tasks.description',
  'isBot',
  'email',
  'synonyms',
  'schemaDefinition',
  'nowhere',
  'columns',
  'partitions',
  'domains.fullyQualifiedName',
  'messageSchema.schemaFields.name',
  'fqnDepth',
];
const field = () => one(FIELDS);
const value = () =>
  one([
    word(),
    word(),
    phrase(1),
    'table',
    'varchar',
    'VARCHAR',
    'Regular',
    'regular',
    'primary_key',
    true,
    false,
    0,
    1,
    0.1,
    2,
    '1',
    'P1D',
    'up',
    LONG,
    'user',
    '2023-11-16',
    1_700_000_000_000 + 86_400_000,
  ]);
const pattern = () => {
  const text = [...word()];
  const at = upTo(text.length + 1);
  const cut = (from: number, to?: number) => text.slice(from, to).join('');
  return one([`${cut(0, at)}*`, `*${cut(at)}`, `*${cut(1, at)}*`, `${cut(0, 1)}?${cut(2)}`, '*']);
};

const clause = (depth: number): JsonObject => {
  const leaves: (() => JsonObject)[] = [
    () => ({ term: { [field()]: { value: value(), case_insensitive: chance() < 0.3 } } }),
    () => ({ terms: { [field()]: [value(), value()] } }),
    () => ({
      match: {
        [field()]: {
          query: String(value()),
          operator: one(['and', 'or']),
          ...(chance() < 0.3 ? { fuzziness: one(['AUTO', 1]) } : {}),
        },
      },
    }),
    () => ({ match: { [field()]: { query: phrase(), minimum_should_match: 2 } } }),
    () => ({ match_phrase: { [field()]: { query: phrase(2), slop: one([0, 0, 2]) } } }),
    () => ({ prefix: { [field()]: { value: start(1 + upTo(4)), case_insensitive: chance() < 0.3 } } }),
    () => ({ wildcard: { [field()]: { value: pattern(), case_insensitive: chance() < 0.3 } } }),
    () => ({
      range: {
        [field()]: { [one(['gt', 'gte'])]: value(), ...(chance() < 0.5 ? { [one(['lt', 'lte'])]: value() } : {}) },
      },
    }),
    () => ({ exists: { field: field() } }),
    () => ({ multi_match: { query: phrase(1), fields: [field(), field()] } }),
    () => ({
      query_string: {
        query: one(['customer OR dim*', '"dim customer"', 'ordrs~1 -x', 'name:dim* AND NOT deleted:true', '+grösse']),
      },
    }),
  ];
  if (depth >= 3 || chance() < 0.6) return one(leaves)();
  const inner = () => some(3, () => clause(depth + 1));
  return one<() => JsonObject>([
    () => ({ bool: { must: inner(), should: inner(), must_not: inner() } }),
    () => ({ bool: { should: [clause(depth + 1), clause(depth + 1), clause(depth + 1)], minimum_should_match: 2 } }),
    () => ({ nested: { path: one(['columns', 'owners', 'tags', 'tasks']), query: clause(depth + 1) } }),
  ])();
};

let driver: Driver;
let session: Session;
const documents = KINDS.flatMap((kind) => Array.from({ length: 40 }, () => ({ kind, document: documentFor(kind) })));

test.before(async () => {
  driver = neo4j.driver(
    process.env['TEST_NEO4J_URI'] ?? '',
    neo4j.auth.basic(process.env['TEST_NEO4J_USER'] ?? '', process.env['TEST_NEO4J_PASSWORD'] ?? ''),
    { disableLosslessIntegers: true },
  );
  session = driver.session();
  const properties = indexedProperties(KINDS);
  await session.run(
    `CREATE FULLTEXT INDEX probe IF NOT EXISTS FOR (d:Probe) ON EACH [${properties.map((name) => `d.${name}`).join(', ')}]
     OPTIONS {indexConfig: {\`fulltext.analyzer\`: 'whitespace', \`fulltext.eventually_consistent\`: false}}`,
  );
  await session.run('CALL db.awaitIndexes(60)');
  const rows = documents.map(({ kind, document }) => {
    const { terms, bag, slots } = buildEntry(kind, document);
    return { id: document['id'], terms, bag, ...slots };
  });
  await session.run('UNWIND $rows AS row CREATE (d:Probe) SET d = row', { rows });
});

test.after(async () => {
  await session.run('MATCH (d:Probe) DELETE d');
  await session.run('DROP INDEX probe');
  await session.close();
  await driver.close();
});

const NOW = 1_700_500_000_000;

/** What each of some queries finds. */
const found = async (queries: readonly string[]): Promise<readonly ReadonlySet<string>[]> => {
  const { records } = await session.run(
    `UNWIND range(0, size($queries) - 1) AS at
     CALL (at) {
       CALL db.index.fulltext.queryNodes('probe', $queries[at]) YIELD node
       RETURN collect(node.id) AS ids
     }
     RETURN ids ORDER BY at`,
    { queries },
  );
  return records.map((record) => new Set(record.get('ids') as string[]));
};

let exact = 0;

/** A filter, what it is to find, and how the index is asked for that. */
const makeCheck = (filter: SearchFilter, what: string) => {
  const kinds = KINDS.filter(() => chance() < 0.8);
  const judge = createDocumentMatcher(filter, byType, NOW);
  const wanted = documents.flatMap(({ kind, document }) =>
    kinds.includes(kind) && judge(document) ? [document['id'] as string] : [],
  );
  const bounds = translateFilter(filter, kinds, NOW);
  const only = kindsQuery(kinds);
  const isExact = isExactBounds(bounds);
  return { what, wanted: new Set(wanted), bounds, isExact, possible: andQuery([only, bounds.possible]), only };
};

type Check = ReturnType<typeof makeCheck>;

/** What the index is sure of is so, and what is so it knows of. */
const expectFound = (
  { what, wanted, bounds, isExact }: Check,
  perhaps: ReadonlySet<string>,
  surely: ReadonlySet<string>,
): void => {
  const missed = [...wanted].filter((id) => !perhaps.has(id));
  const show = (id: string | undefined) =>
    JSON.stringify(documents.find(({ document }) => document['id'] === id)?.document);
  assert.is(missed.length, 0, `missed by ${what}\n${bounds.possible}\n${show(missed[0])}`);
  const wrong = [...surely].filter((id) => !wanted.has(id));
  assert.is(wrong.length, 0, `found wrongly by ${what}\n${bounds.certain}\n${show(wrong[0])}`);
  if (isExact) exact += 1;
};

const AT_ONCE = 50;

/** Asks for what many checks need at a time: a request for each would take longer than the search. */
const checkAll = async (count: number, make: (at: number) => Check): Promise<void> => {
  for (let from = 0; from < count; from += AT_ONCE) {
    const checks = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => make(from + at));
    const inexact = checks.filter(({ isExact }) => !isExact);
    const perhaps = await found(checks.map(({ possible }) => possible));
    const certain = await found(inexact.map(({ only, bounds }) => andQuery([only, bounds.certain])));
    const surely = new Map(inexact.map((check, at) => [check, certain[at] ?? new Set<string>()]));
    assert.equal([perhaps.length, certain.length], [checks.length, inexact.length]);
    for (const [at, check] of checks.entries()) {
      const some = perhaps[at] ?? new Set<string>();
      expectFound(check, some, surely.get(check) ?? some);
    }
  }
};

const isField = createFieldNameTest(KINDS);

test('filters of any form are translated', async () => {
  const count = manyOr(300, 1500);
  await checkAll(count, () => {
    const asked = clause(0);
    return makeCheck(readFilter(asked, { name: 'query_filter', isField }), JSON.stringify(asked));
  });
  assert.ok(exact > count / 2, `only ${exact} are exact`);
});

const QUERIES = [
  'dim_customer',
  'DimCustomer',
  'customer',
  'custmer',
  'custom',
  'orders dim',
  '"dim customer"',
  'größe',
  'a/b:c',
  'C++',
  "it's 100%",
  '日本語',
  'fct orders daily',
  '*',
  'dim* AND -orders',
  'name:dim* OR columns.name:e-mail',
  '(a OR b) customer',
  'customr~',
  'x^3 dim',
  'version:>=0.2',
  'email:x*',
  '🦊',
  'deleted:true',
  '[draft]',
  'ord?rs*',
];

test('queries that people write are translated', async () => {
  const each = 4;
  await checkAll(each * QUERIES.length, (at) => {
    const text = QUERIES[Math.floor(at / each)] ?? '';
    return makeCheck(parseSearchQuery(text, { name: 'q', isField }), text);
  });
});

const simpleOf = (text: string): SearchFilter => ({ is: 'simple', text });

test('words that people type are translated', async () => {
  await checkAll(manyOr(50, 150), () => {
    const text = one([phrase(2), start(4), `${word()} ${start(3)}`]);
    return makeCheck(simpleOf(text), text);
  });
});

const MARKS = [
  '"',
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  ':',
  '*',
  '?',
  '~',
  '^',
  '\\',
  '/',
  '+',
  '-',
  '!',
  '&&',
  '||',
  'AND',
  'OR',
  'NOT',
  ' ',
  ' ',
  ' TO ',
  '\\u0041',
  '\u0001',
  '\t',
  '2',
  '0.5',
  'name',
  '<',
  '>=',
];

/** Words and marks in any order. */
const gibberish = (): string =>
  Array.from({ length: 1 + upTo(12) }, () => (chance() < 0.4 ? word() : one(MARKS))).join('');

/** Sends many queries, and each by itself when one of them is not understood. */
const sendAll = async (queries: readonly string[]): Promise<void> => {
  const text = `UNWIND $queries AS query
    CALL (query) { CALL db.index.fulltext.queryNodes('probe', query, {limit: 1}) YIELD node RETURN count(node) AS count }
    RETURN sum(count) AS count`;
  try {
    await session.run(text, { queries });
  } catch {
    for (const query of queries) {
      await session.run(text, { queries: [query] }).catch((failure: unknown) => {
        assert.unreachable(`${query} is not understood, from the seed ${SEED}: ${failure}`);
      });
    }
    assert.unreachable(`only together they are not understood: ${queries.join(' and ')}`);
  }
};

test('the index parses whatever is translated from random text', async () => {
  const count = manyOr(250, 2000);
  let understood = 0;
  let queries = new Set<string>();
  const flush = async (): Promise<void> => {
    await sendAll([...queries]);
    queries = new Set();
  };
  for (let round = 0; understood < count && round < 50_000; round += 1) {
    const text = gibberish();
    let filter: SearchFilter;
    try {
      filter = parseSearchQuery(text, { name: 'q', isField });
    } catch (failure) {
      assert.is((failure as { code?: string }).code, 'bad_request', text);
      continue;
    }
    const { certain, possible } = translateFilter(filter, KINDS, NOW);
    queries.add(certain).add(possible);
    understood += 1;
    if (queries.size >= AT_ONCE) await flush();
  }
  await flush();
  assert.is(understood, count);
});

test.run();
