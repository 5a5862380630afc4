import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import { ok } from '../support/expect.ts';
import { chooseFew } from '../support/representatives.ts';
import { openService, type Reply, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that words and patterns too long for the automaton of the index can be searched. */

const test = suite('search: long words and patterns');

const AT_ONCE = 6;

const LETTERS = uniqueName('qx').replace(/[^a-f]/g, 'w');
/** Longer than a term of the index: its end is replaced by a checksum there. */
const WORD = `${LETTERS}${'k'.repeat(400)}`;
const OTHER = `${WORD.slice(0, 300)}m${'k'.repeat(99)}`;

const words = (length: number): string => 'a'.repeat(length);

const TEXTS: Readonly<Record<string, string>> = {
  'a word of 1,001 letters': words(1001),
  'a word of 5,000 letters': words(5000),
  'a word of 600 characters beyond ASCII': '한'.repeat(600),
  'a word of 600 characters of two units': '𝒳'.repeat(600),
  'a prefix of 1,001 letters': `${words(1001)}*`,
  'a prefix in a field': `name:${words(1001)}*`,
  'a word with a typo': `${words(1001)}~`,
  'a word with a typo in a field': `name:${words(1001)}~2`,
  'a wildcard at the beginning': `*${words(1001)}`,
  'a wildcard in a field': `displayName:*${words(300)}*b*`,
  'letters behind a wildcard that repeat': `*${words(300)}`,
  'many places for one letter': `*a${'?'.repeat(60)}`,
  'many places for one letter in a field': `name:*a${'?'.repeat(60)}`,
  'many wildcards in a field': `name:*${'a*b?'.repeat(100)}`,
  'wildcards and letters beyond ASCII': `*한${'?'.repeat(20)}*𝒳${'?'.repeat(20)}`,
  'many patterns': Array.from({ length: 40 }, (_, at) => `*a${at}${'?'.repeat(20)}`).join(' OR '),
  'a phrase of a long word': `"${words(1001)} b"`,
  'a range with a long end': `name:[a TO ${words(1001)}]`,
  'an expression': `name:/.*a${'.'.repeat(60)}/`,
};

let service: Service;
const named = new Map<string, string>();

test.before(async () => {
  service = await openService();
  const make = async (path: string, body: object) => ok(await service.admin.post(`/v1/${path}`, body), 201);
  const root = await make('services/databaseServices', { name: uniqueName('long'), serviceType: 'Mysql' });
  const database = await make('databases', { name: 'db', service: root.fullyQualifiedName });
  for (const [name, word] of Object.entries({ one: WORD, other: OTHER })) {
    const { id } = await make('databaseSchemas', {
      name: uniqueName(name),
      description: `holds ${word} and more`,
      database: database.fullyQualifiedName,
    });
    named.set(id, name);
  }
});

/** No failure, and no answer without the shared error body. */
const survived = (reply: Reply, what: string): void => {
  assert.ok(reply.status < 500, `${what}: ${reply.status} ${reply.text.slice(0, 300)}`);
  if (reply.status !== 200) assert.is(reply.json?.code, reply.status, `${what}: ${reply.text.slice(0, 300)}`);
};

const leaves = (text: string): object[] => [
  { prefix: { name: text } },
  { prefix: { 'name.keyword': text } },
  { wildcard: { name: `*${text}` } },
  { wildcard: { 'fullyQualifiedName.keyword': text } },
  { wildcard: { description: { value: text } } },
  { fuzzy: { name: text } },
  { fuzzy: { 'name.keyword': { value: text, fuzziness: 2 } } },
  { regexp: { name: text } },
  { match: { name: { query: text, fuzziness: 'AUTO' } } },
  { match_phrase: { description: text } },
  { match_phrase_prefix: { description: text } },
  { multi_match: { query: text, fields: ['name', 'description'], type: 'phrase_prefix' } },
  { term: { name: text } },
  { query_string: { query: text } },
  { query_string: { query: text, fields: ['name^3', 'owners.name'], fuzziness: 2 } },
  { simple_query_string: { query: text } },
];

const GETS: readonly ((text: string) => string)[] = [
  (text) => `query?q=${text}`,
  (text) => `query?q=${text}&index=table&include_aggregations=true&explain=true`,
  (text) => `query?q=${text}&sort_field=name`,
  (text) => `nlq/query?q=${text}`,
  (text) => `suggest?q=${text}`,
  (text) => `fieldQuery?fieldName=name&fieldValue=${text}`,
  (text) => `fieldQuery?fieldName=fullyQualifiedName&fieldValue=*${text}*`,
  (text) => `sourceUrl?sourceUrl=${text}`,
  (text) => `entityTypeCounts?q=${text}`,
  (text) => `aggregate?index=table&field=name.keyword&value=${text}`,
  (text) => `aggregate?index=table&field=owners.name&q=${text}&value=.*${text}.*`,
  (text) => `export?q=${text}`,
];

/** Each text is sent to so many of the operations, and stands in so many of the filters. */
const OPERATIONS_PER_TEXT = 4;
const FILTERS_PER_TEXT = 5;

/** Those of several forms that a text chooses. */
const chosen = <T>(what: string, forms: readonly T[], few: number): readonly T[] => {
  const places = chooseFew(what, [...forms.keys()].map(String), few);
  return forms.filter((_, at) => places.has(String(at)));
};

for (const [what, text] of Object.entries(TEXTS)) {
  test(`${what}: in the operations of search`, async () => {
    await mapConcurrently(chosen(what, GETS, OPERATIONS_PER_TEXT), AT_ONCE, async (get) => {
      const path = `/v1/search/${get(encodeURIComponent(text))}`;
      survived(await service.admin.get(path), `${path.slice(0, 60)}…`);
    });
    const preview = { query: text, index: 'table', entityType: 'table', searchSettings: {} };
    survived(await service.admin.post('/v1/search/preview', preview), 'preview');
    const aggregate = { index: 'table', fieldName: 'name.keyword', fieldValue: text, query: text, size: 3 };
    survived(await service.admin.post('/v1/search/aggregate', aggregate), 'aggregate');
    await mapConcurrently(chosen(what, leaves(text), FILTERS_PER_TEXT), AT_ONCE, async (leaf) => {
      const filter = encodeURIComponent(JSON.stringify({ query: leaf }));
      const path = `/v1/search/query?q=*&include_aggregations=false&query_filter=${filter}`;
      survived(await service.admin.get(path), Object.keys(leaf).join());
    });
  });
}

const ids = async (query: string): Promise<string[]> => {
  const { hits } = ok(
    await service.admin.get(`/v1/search/query?${new URLSearchParams({ q: query, index: 'databaseSchema' })}`),
  );
  const found = (hits.hits as { readonly _id: string }[]).flatMap(({ _id }) => named.get(_id) ?? []);
  return found.sort();
};

test('long words are distinguished by their ends', async () => {
  assert.equal(await ids(WORD), ['one']);
  assert.equal(await ids(OTHER), ['other']);
});

test('prefixes and patterns of long words match correctly', async () => {
  assert.equal(await ids(`description:${WORD.slice(0, 250)}*`), ['one', 'other']);
  assert.equal(await ids(`description:${OTHER.slice(0, 310)}*`), ['other']);
  assert.equal(await ids(`description:${'?'.repeat(20)}${WORD.slice(20, 310)}*`), ['one']);
});

test.run();
