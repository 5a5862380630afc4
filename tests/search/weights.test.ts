import * as assert from 'uvu/assert';
import { ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { type DomainFixture, label, openDomainFixture, ownWord } from './domain-fixture.ts';
import type { Query } from './schema-fixture.ts';

/** Shows that a match in a field with a higher weight comes first (search.md 7.4). */

const test = suite('search: field weights');

let ground: DomainFixture;
let database: string;
/** The classification of all tags that are made here. */
let classification: string;

/** Common words make texts as long as those of the fields beside them: a short text counts for more. */
const FILLING = 'of what is kept here by us';
const OTHERS = 40;
/**
 * A word counts for more in a field that many documents have. Other tests make thousands of records with descriptions and
 * tags, so that the fields which only pipelines or only queries have need more documents to be compared with them.
 */
const OTHERS_ALONE = 300;

const column = (name: string, more: object = {}) => ({ name, dataType: 'INT', ...more });

/** Others of each kind, with all the fields that are compared. */
const fill = async (): Promise<void> => {
  const { bulk, root } = ground;
  const many = (body: (at: number) => object, length = OTHERS) => Array.from({ length }, (_, at) => body(at));
  await bulk(
    'tables',
    many((at) => ({
      name: `other_t${at}`,
      displayName: `Another ${at}`,
      databaseSchema: `${database}.plain`,
      description: FILLING,
      tags: [label('PII.None')],
      columns: [
        column(`filler_${at}`, { displayName: `Filler ${at}`, children: [column('inner')], dataType: 'STRUCT' }),
      ],
    })),
  );
  await bulk(
    'topics',
    many((at) => ({
      name: `other_m${at}`,
      service: root,
      partitions: 1,
      description: FILLING,
      messageSchema: { schemaType: 'JSON', schemaFields: [column(`filler_${at}`), column('second')] },
    })),
  );
  await bulk(
    'pipelines',
    many(
      (at) => ({
        name: `other_p${at}`,
        service: root,
        description: FILLING,
        tags: [label('PII.None')],
        tasks: [{ name: `filler_${at}`, description: FILLING }],
      }),
      OTHERS_ALONE,
    ),
  );
  await bulk(
    'charts',
    many((at) => ({ name: `other_c${at}`, service: root, description: FILLING })),
  );
  await bulk(
    'dashboards',
    many((at) => ({ name: `other_d${at}`, service: root, description: FILLING, charts: [`${root}.other_c${at}`] })),
  );
  await bulk(
    'queries',
    many(
      (at) => ({
        name: `other_q${at}`,
        service: root,
        description: FILLING,
        query: `SELECT filler FROM other_${at}`,
      }),
      OTHERS_ALONE,
    ),
  );
};

test.before(async () => {
  ground = await openDomainFixture('weights');
  const { make, serve, root } = ground;
  await serve('databaseServices', 'Mysql');
  await serve('messagingServices', 'Kafka');
  await serve('dashboardServices', 'Looker');
  await serve('pipelineServices', 'Airflow');
  ({ fullyQualifiedName: database } = await make('databases', { name: 'db', service: root }));
  await make('databaseSchemas', { name: 'plain', database });
  classification = ownWord();
  ok(await ground.admin.post('/v1/classifications', { name: classification, description: 'Labels' }), 201);
  await fill();
});

/** Makes the one record that has a word in the field in question. */
type Bearer = (name: string, word: string) => Promise<void>;

const table =
  (more: (word: string) => object): Bearer =>
  async (name, word) => {
    await ground.make('tables', { name, databaseSchema: `${database}.plain`, columns: [], ...more(word) });
  };

const other =
  (path: string, more: (word: string) => object): Bearer =>
  async (name, word) => {
    await ground.make(path, { name, service: ground.root, ...more(word) });
  };

const tagged = async (word: string): Promise<readonly object[]> => {
  ok(await ground.admin.post('/v1/tags', { name: word, classification, description: 'Label' }), 201);
  return [label(`${classification}.${word}`)];
};

const described = (word: string) => ({ description: `${word} ${FILLING}` });

/** What is called otherwise than it is named: where nothing is said, the name is what is shown as well. */
const NAMED = { displayName: 'Shown otherwise' };

/** A name that has the word as one of its words. */
const nameWith =
  (bearer: Bearer): Bearer =>
  (name, word) =>
    bearer(`${word}_${name}`, word);

const withTag =
  (bearer: (tags: readonly object[]) => Bearer): Bearer =>
  async (name, word) =>
    bearer(await tagged(word))(name, word);

const TABLES = {
  'the whole display name': table((word) => ({ displayName: word })),
  'a word of the name': nameWith(table(() => NAMED)),
  'a word of the display name': table((word) => ({ displayName: `${word} shown` })),
  'the full name': async (name, word) => {
    const { fullyQualifiedName } = await ground.make('databaseSchemas', { name: word, database });
    await ground.make('tables', { name, databaseSchema: fullyQualifiedName, columns: [] });
  },
  'a tag': withTag((tags) => table(() => ({ tags }))),
  'the description': table(described),
  'a column': table((word) => ({ columns: [column(`${word}_id`)] })),
  'the display name of a column': table((word) => ({ columns: [column('shown', { displayName: `${word} id` })] })),
  'a column in a column': table((word) => ({
    columns: [column('outer', { dataType: 'STRUCT', children: [column(`${word}_id`)] })],
  })),
} as const satisfies Readonly<Record<string, Bearer>>;

/** Of each text there is one query at most. */
const someQuery = (): string => `SELECT ${ownWord()} FROM somewhere`;

const withChart =
  (more: (word: string) => object): Bearer =>
  async (name, word) => {
    const chart = await ground.make('charts', { name: `${name}_chart`, service: ground.root, ...more(word) });
    await ground.make('dashboards', { name, service: ground.root, charts: [chart.fullyQualifiedName] });
  };

const OTHER_KINDS = {
  'the name of a pipeline': nameWith(other('pipelines', () => NAMED)),
  'a task': other('pipelines', (word) => ({ tasks: [{ name: `${word}_task` }] })),
  'a tag of a pipeline': withTag((tags) => other('pipelines', () => ({ tags }))),
  'the description of a pipeline': other('pipelines', described),
  'the description of a task': other('pipelines', (word) => ({ tasks: [{ name: 'step', ...described(word) }] })),
  'the name of a dashboard': nameWith(other('dashboards', () => NAMED)),
  'a tag of a dashboard': withTag((tags) => other('dashboards', () => ({ tags }))),
  'the name of a chart': withChart((word) => ({ name: `${word}_chart` })),
  'the description of a chart': withChart(described),
  'the name of a query': nameWith(other('queries', () => ({ ...NAMED, query: someQuery() }))),
  'the text of a query': other('queries', (word) => ({ query: `SELECT ${word} FROM somewhere` })),
  'the description of a query': other('queries', (word) => ({ query: someQuery(), ...described(word) })),
  'the name of a topic': nameWith(other('topics', () => ({ ...NAMED, partitions: 1 }))),
  'the description of a topic': other('topics', (word) => ({ partitions: 1, ...described(word) })),
  'a field of a topic': other('topics', (word) => ({
    partitions: 1,
    messageSchema: { schemaType: 'JSON', schemaFields: [column(word), column('second')] },
  })),
} as const satisfies Readonly<Record<string, Bearer>>;

const FIELDS: Readonly<Record<string, Bearer>> = { ...TABLES, ...OTHER_KINDS };

type Case = readonly [index: string, more: keyof typeof FIELDS, less: keyof typeof FIELDS];

const CASES: readonly Case[] = [
  ['table', 'the whole display name', 'a word of the name'],
  ['table', 'the whole display name', 'a word of the display name'],
  ['table', 'a word of the name', 'the full name'],
  ['table', 'a word of the name', 'a tag'],
  ['table', 'a word of the display name', 'the full name'],
  ['table', 'a word of the display name', 'a tag'],
  ['table', 'a word of the name', 'the description'],
  ['table', 'a word of the name', 'a column'],
  ['table', 'the full name', 'the description'],
  ['table', 'a tag', 'the description'],
  ['table', 'a tag', 'a column'],
  ['table', 'a tag', 'the display name of a column'],
  ['table', 'a column', 'a column in a column'],
  ['table', 'a column', 'the display name of a column'],
  ['pipeline', 'the name of a pipeline', 'a task'],
  ['pipeline', 'a task', 'a tag of a pipeline'],
  ['pipeline', 'a task', 'the description of a pipeline'],
  ['pipeline', 'a tag of a pipeline', 'the description of a pipeline'],
  ['pipeline', 'the description of a pipeline', 'the description of a task'],
  ['dashboard_search_index', 'the name of a dashboard', 'the name of a chart'],
  ['dashboard_search_index', 'a tag of a dashboard', 'the name of a chart'],
  ['dashboard_search_index', 'a tag of a dashboard', 'the description of a chart'],
  ['query', 'the name of a query', 'the text of a query'],
  ['query', 'the text of a query', 'the description of a query'],
  ['topic', 'the name of a topic', 'a field of a topic'],
  ['topic', 'the description of a topic', 'a field of a topic'],
];

const found = async (q: string, index: string, more: Query = {}): Promise<readonly string[]> => {
  const { hits } = await ground.search({ q, index, ...more });
  return hits.hits.map(({ _source }: { readonly _source: { readonly name: string } }) => _source.name);
};

for (const [at, [index, more, less]] of CASES.entries()) {
  test(`a match in ${more} ranks above one in ${less}`, async () => {
    const word = ownWord();
    const [first, second] = [`first${at}`, `second${at}`];
    // What was made later or is called otherwise is not to be what decides.
    await FIELDS[less]?.(second, word);
    await FIELDS[more]?.(first, word);
    const names = await found(word, index);
    assert.is(names.length, 2, names.join());
    assert.ok(names[0]?.endsWith(first), `${names[0]} comes first`);
    // Of a query nothing is said about whole names.
    if (!more.startsWith('the whole')) assert.equal(await found(`+${word}`, index), names, 'and in a query as well');
  });
}

test.run();
