import * as assert from 'uvu/assert';
import { loadKinds, requireKind } from '../../src/catalog/registry.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { buildHighlights } from '../../src/search/answer/highlight.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import { andFilter, notFilter, orFilter, type SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { parseWildcard } from '../../src/search-documents/filter/wildcard.ts';
import { parseSearchQuery } from '../../src/search-documents/query-string/parse-query.ts';
import { locateWords, parseIndexedWords } from '../../src/search-documents/tokens.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { isField } from '../support/documents.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';

/** Shows that matching words are highlighted in the fields that were searched. */

const test = suite('search: highlights');
const registry = await loadKinds();

const MARK = /<span class="text-highlighter">(.*?)<\/span>/g;

/** Short marks for readable cases. */
const short = (text: string): string => text.replace(MARK, '‹$1›');

const shown = (filter: SearchFilter, document: JsonObject, type = 'table'): Record<string, string[]> | undefined => {
  const found = buildHighlights(requireKind(registry, type), filter, document);
  return found && Object.fromEntries(Object.entries(found).map(([name, texts]) => [name, texts.map(short)]));
};

const simple = (text: string): SearchFilter => ({ is: 'simple', text });
const query = (text: string): SearchFilter => parseSearchQuery(text, { name: 'q', isField });
const words = (text: string, more: Partial<Extract<SearchFilter, { is: 'words' }>> = {}): SearchFilter => ({
  ...{ is: 'words', field: undefined, text, least: 1, typos: 0 },
  ...more,
});
const phrase = (text: string, slop = 0, field?: string): SearchFilter => ({ is: 'phrase', field, text, slop });

/** What is marked in a name, for a filter that looks for it. */
const IN_NAMES: readonly (readonly [what: string, filter: SearchFilter, name: string, marked: string | undefined])[] = [
  ['a word', simple('customer'), 'the customer', 'the ‹customer›'],
  ['a part of a word', simple('customer'), 'dim_customer', 'dim_‹customer›'],
  ['a part in any case', simple('CUSTOMER'), 'DimCustomerOld', 'Dim‹Customer›Old'],
  ['the joined form', simple('dimcustomer'), 'x dim_customer', 'x ‹dim_customer›'],
  ['the whole form', simple('dim_customer'), '(dim_customer)', '(‹dim_customer›)'],
  ['the joined form of what is sought', simple('dim_customer'), 'DimCustomer', '‹DimCustomer›'],
  ['all parts', simple('customer dim'), 'dim_customer', '‹dim_customer›'],
  ['parts apart', simple('a_b'), 'a_x_b', '‹a›_x_‹b›'],
  ['parts that touch', words('customer 2'), 'dim_customer2', 'dim_‹customer2›'],
  ['a typo', simple('custmoer'), 'dim_customer', 'dim_‹customer›'],
  ['too short for a typo', simple('dmi'), 'dim_customer', undefined],
  ['the last word, unfinished', simple('dim cust'), 'old dim_customer_x', 'old ‹dim›_‹customer›_x'],
  ['another word, unfinished', simple('cust dim'), 'old customer dim', 'old customer ‹dim›'],
  ['an unfinished word of parts', simple('dimcus'), 'dim_customer', '‹dim_customer›'],
  ['a beginning of a part rather than of all', simple('dim'), 'dim_customer', '‹dim›_customer'],
  ['a part rather than nearly all', simple('customer'), 'customer_id', '‹customer›_id'],
  ['all, nearly', simple('dimcustmer'), 'dim_customer', '‹dim_customer›'],
  ['nothing', simple('orders'), 'dim_customer', undefined],
  ['punctuation', simple('...'), 'dim ... customer', undefined],
  ['words', words('orders customer'), 'dim_customer', 'dim_‹customer›'],
  ['words without typos', words('custmoer'), 'dim_customer', undefined],
  ['words with typos', words('custmoer', { typos: 'auto' }), 'dim_customer', 'dim_‹customer›'],
  ['words of this field', words('customer', { field: 'name' }), 'dim_customer', 'dim_‹customer›'],
  ['words of a variant of it', words('customer', { field: 'name.ngram' }), 'dim_customer', 'dim_‹customer›'],
  ['words of another field', words('customer', { field: 'description' }), 'dim_customer', undefined],
  ['a value as a whole', words('customer', { field: 'name.keyword' }), 'customer', undefined],
  ['a phrase', phrase('dim customer'), 'a dim customer, dim', 'a ‹dim› ‹customer›, dim'],
  ['a phrase in one word', phrase('dim customer'), 'dim_customer_old', '‹dim›_‹customer›_old'],
  ['a phrase that is one word', phrase('dim customer'), 'dim_customer', '‹dim_customer›'],
  ['a phrase by joined words', phrase('dim_customer old'), 'dimcustomer old', '‹dimcustomer› ‹old›'],
  ['a phrase out of order', phrase('customer dim'), 'dim customer', undefined],
  ['a phrase of one word', phrase('customer'), 'dim_customers customer', 'dim_customers ‹customer›'],
  ['a phrase of repeated words', phrase('a a b'), 'a a a b a', 'a ‹a› ‹a› ‹b› a'],
  ['a phrase with slop', phrase('customer dim', 2), 'dim customer', '‹dim› ‹customer›'],
  ['a phrase with too little slop', phrase('dim customer', 1), 'dim a b customer', undefined],
  ['a beginning', { is: 'prefix', field: 'name', text: 'CUST', anyCase: false }, 'dim_customer', 'dim_‹customer›'],
  ['an empty beginning', { is: 'prefix', field: 'name', text: '', anyCase: false }, 'dim_customer', undefined],
  ['a pattern', query('*stom*'), 'dim_customer', 'dim_‹customer›'],
  ['a pattern over parts', query('dim?cust*'), 'dim_customer x', '‹dim_customer› x'],
  [
    'a pattern of anything',
    { is: 'wildcard', field: 'name', pattern: parseWildcard('??*'), anyCase: true },
    'abc',
    undefined,
  ],
  ['a near word', query('custoner~1'), 'dim_customer', 'dim_‹customer›'],
  ['a boost', query('customer^3'), 'dim_customer', 'dim_‹customer›'],
  ['either', query('orders OR customer'), 'dim_customer', 'dim_‹customer›'],
  ['what must not be', andFilter([simple('dim'), notFilter(simple('customer'))]), 'dim_customer', '‹dim›_customer'],
  ['only what must not be', notFilter(simple('customer')), 'customer', undefined],
  ['within a list', { is: 'nested', path: 'columns', of: simple('customer') }, 'customer', '‹customer›'],
  ['a term', { is: 'term', field: 'name', values: ['customer'], anyCase: false }, 'customer', undefined],
  ['all', { is: 'all' }, 'customer', undefined],
  ['signs of HTML', simple('b'), `<a> & "b" 'c'`, '&lt;a&gt; &amp; &quot;‹b›&quot; &#39;c&#39;'],
  ['signs of HTML in what is marked', simple("it's"), "it's", '‹it&#39;s›'],
  ['other scripts', simple('таблицы'), 'ИмяТаблицы', 'Имя‹Таблицы›'],
  ['behind what grows in lower case', simple('customer'), 'İİİ customer', 'İİİ ‹customer›'],
  ['behind characters of two halves', simple('customer'), '😀𝒳 customer', '😀𝒳 ‹customer›'],
];

for (const [what, filter, name, marked] of IN_NAMES) {
  test(`a match in a name is highlighted: ${what}`, () => {
    assert.equal(shown(filter, { name }), marked === undefined ? undefined : { name: [marked] });
  });
}

test('every searched text of a kind is highlighted, and no other', () => {
  const table = {
    name: 'a customer',
    displayName: 'Customer',
    description: 'One customer per row',
    fullyQualifiedName: 'shop.customer',
    fqnParts: ['shop', 'customer'],
    columns: [
      { name: 'customer', displayName: 'The customer', description: 'customer', children: [{ name: 'customer_id' }] },
      { name: 'other' },
    ],
    columnNamesFuzzy: 'customer other',
    tags: [{ tagFQN: 'customer' }],
  };
  assert.equal(shown(simple('customer'), table), {
    name: ['a ‹customer›'],
    displayName: ['‹Customer›'],
    description: ['One ‹customer› per row'],
    'columns.name': ['‹customer›'],
    'columns.displayName': ['The ‹customer›'],
    'columns.children.name': ['‹customer›_id'],
  });
  const pipeline = { name: 'p', tasks: [{ name: 'load customer', description: 'Loads' }, { name: 'x' }], charts: [{}] };
  assert.equal(shown(simple('customer loads'), pipeline, 'pipeline'), {
    'tasks.name': ['‹load› ‹customer›'],
    'tasks.description': ['‹Loads›'],
  });
  const dashboard = { charts: [{ name: 'customer', description: 'of customers' }] };
  assert.equal(shown(query('"customer"'), dashboard, 'dashboard'), { 'charts.name': ['‹customer›'] });
  assert.equal(shown(query('select'), { query: 'SELECT 1' }, 'query'), { query: ['‹SELECT› 1'] });
});

test('a condition on one field is highlighted in that field alone', () => {
  const document = { name: 'customer', description: 'customer', columns: [{ name: 'customer' }] };
  assert.equal(shown(query('description:customer'), document), { description: ['‹customer›'] });
  assert.equal(shown(query('columns.name:customer AND name:x'), document), { 'columns.name': ['‹customer›'] });
  assert.is(shown(query('owners.name:customer'), document), undefined);
});

test('a description tolerates one wrong letter, a name two', () => {
  const document = { name: 'customer', description: 'customer' };
  assert.equal(Object.keys(shown(simple('custmr'), document) ?? {}), []);
  assert.equal(Object.keys(shown(simple('kustoner x'), document) ?? {}), ['name']);
  assert.equal(Object.keys(shown(simple('custoner x'), document) ?? {}), ['name', 'description']);
});

test('one filter is highlighted in documents of several kinds, each in its own fields', () => {
  const filter = simple('load');
  assert.equal(shown(filter, { name: 'load', tasks: [{ name: 'load' }] }, 'table'), { name: ['‹load›'] });
  assert.equal(shown(filter, { tasks: [{ name: 'load' }] }, 'pipeline'), { 'tasks.name': ['‹load›'] });
  assert.equal(shown(filter, { name: 'load' }, 'table'), { name: ['‹load›'] });
});

test('at most five different elements of a list are shown', () => {
  const columns = [...Array(20)].map((_, at) => ({ name: `${at % 2 ? 'x' : 'id'}_${at >> 2}` }));
  const entries = shown(query('id'), { columns })?.['columns.name'];
  assert.equal(entries, ['‹id›_0', '‹id›_1', '‹id›_2', '‹id›_3', '‹id›_4']);
});

const raw = (filter: SearchFilter, document: JsonObject): readonly string[] =>
  buildHighlights(requireKind(registry, 'table'), filter, document)?.['description'] ?? [];

const plain = (fragment: string): string => fragment.replace(MARK, '$1');

const FILLER = 'lorem ipsum dolor sit amet consectetur '.repeat(20);

test('a short description is shown in full', () => {
  const description = `${FILLER.slice(0, 140)} customer ${FILLER.slice(0, 140)}`;
  assert.equal(raw(simple('customer'), { description }).map(plain), [description]);
});

test('a long description is cut around the match and between words', () => {
  const description = `${FILLER}customer ${FILLER}`;
  const fragments = raw(simple('customer'), { description });
  assert.is(fragments.length, 1);
  const [fragment = ''] = fragments.map(plain);
  assert.ok(description.includes(` ${fragment} `), fragment);
  assert.ok(fragment.length >= 120 && fragment.length <= 210, String(fragment.length));
  const at = fragment.indexOf('customer');
  assert.ok(at > 50 && at < 110, 'it stands in the middle');
});

test('a long name is shown in full', () => {
  const name = `${FILLER}customer`;
  assert.equal(shown(simple('customer'), { name }), { name: [`${FILLER}‹customer›`] });
});

test('there are at most three fragments without overlap', () => {
  const description = [1, 2, 3, 4, 5].map((at) => `customer ${at} ${FILLER}`).join('');
  const fragments = raw(simple('customer'), { description });
  assert.is(fragments.length, 3);
  let from = 0;
  for (const fragment of fragments) {
    const at = description.indexOf(plain(fragment), from);
    assert.ok(at >= from, 'it lies behind the one before');
    from = at + plain(fragment).length;
    assert.is(fragment.match(MARK)?.length, 1);
  }
});

test('close matches are shown in one fragment', () => {
  const description = `${FILLER} customer of a customer, dim_customer ${FILLER}`;
  const fragments = raw(simple('customer'), { description }).map(short);
  assert.is(fragments.length, 1);
  assert.match(fragments[0] ?? '', ' ‹customer› of a ‹customer›, dim_‹customer› ');
});

test('a text without spaces is cut between whole characters', () => {
  for (const lead of ['', 'x', 'xy']) {
    const description = `${lead}${'😀'.repeat(300)}customer${'😀'.repeat(300)}`;
    const [fragment = ''] = raw(simple('customer'), { description });
    assert.match(short(fragment), /^😀{20,}/u);
    assert.match(short(fragment), /‹customer›(😀){20,}$/u);
    assert.not.match(fragment, /\p{Cs}/u);
  }
});

test('a fragment is always a part of its text', () => {
  let seed = 7;
  const next = (most: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  const pieces = [
    'customer',
    'dim_customer',
    ' ',
    ' ',
    '\n',
    '😀',
    'lorem',
    '-',
    'ipsumdolorsitametconsectetur'.repeat(4),
  ];
  for (let round = 0; round < 400; round += 1) {
    const description = [...Array(next(300))].map(() => pieces[next(pieces.length)]).join('');
    const fragments = raw(simple('customer'), { description });
    assert.ok(fragments.length <= 3);
    let from = 0;
    for (const fragment of fragments) {
      const at = description.indexOf(plain(fragment), from);
      assert.ok(at >= 0, 'it is a piece of the text, behind the one before');
      from = at + plain(fragment).length;
      const marked = [...fragment.matchAll(MARK)].map(([, inner = '']) => inner);
      for (const one of marked) assert.match(one, /customer/);
      assert.not.match(fragment, /\p{Cs}/u);
      // Only what is found can be longer than a fragment.
      assert.ok(plain(fragment).length <= 300 + Math.max(...marked.map(({ length }) => length)));
    }
  }
});

test('whatever a name is found by is highlighted in it', () => {
  let seed = 11;
  const next = (most: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * most);
  };
  const text = (longest: number) =>
    [...Array(1 + next(longest))].map(() => ['dim', 'Dim', '_', ' ', 'custom', 'fact', '2'][next(7)]).join('');
  let count = 0;
  for (let round = 0; round < 5000; round += 1) {
    const name = text(6);
    const sought = text(3);
    const field = 'name';
    const filters: readonly SearchFilter[] = [
      words(sought, { field, typos: next(2) as 0 | 1 }),
      phrase(sought, next(3), field),
      { is: 'prefix', field, text: sought, anyCase: false },
      { is: 'fuzzy', field, text: sought, typos: 1 },
      { is: 'wildcard', field, pattern: parseWildcard(`*${sought}*`), anyCase: false },
      simple(sought),
    ];
    const filter = orFilter([filters[round % filters.length] ?? simple(sought)]);
    const document = { entityType: 'table', name };
    if (!createDocumentMatcher(filter, registry.byType, 0)(document)) continue;
    count += 1;
    assert.ok(shown(filter, document), `${filter.is} ${sought} in ${name}`);
  }
  assert.ok(count > 500, String(count));
});

test('matches are located where they stand', () => {
  for (const text of ['dim_customer, (DimCustomer2) it\'s "x"', '... a-b.c 顧客 😀 İx', '', 'x'.repeat(1000)]) {
    const placed = locateWords(text);
    assert.equal(
      placed.map(({ whole, joined, parts }) => ({ whole, joined, parts })),
      parseIndexedWords(text),
    );
    for (const { start, end, whole, partSpans, parts } of placed) {
      assert.is(text.slice(start, end).toLowerCase(), whole);
      assert.equal(
        partSpans.map((place) => text.slice(place.start, place.end).toLowerCase()),
        parts,
      );
    }
  }
});

test('only so many matches are located', () => {
  for (const text of ['a '.repeat(60_000), 'a_b '.repeat(40_000), `${'a_'.repeat(60_000)} b`]) {
    assert.is(locateWords(text).length, parseIndexedWords(text).length);
  }
});

type Hostile = (size: number) => readonly [filter: SearchFilter, document: JsonObject];

const list = <T>(count: number, made: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => made(at));
const manyWords = (count: number) => list(count, (at) => `word${at.toString(36)}`).join(' ');
const sought = (count: number) => list(count, (at) => `wort${at.toString(36)}x`).join(' ');

/** Both what is sought and the document grow with the size, so that comparing each with each grows as its square. */
const HOSTILE: Readonly<Record<string, Hostile>> = {
  typos: (size) => [simple(sought(64 * size)), { description: manyWords(4_000 * size) }],
  'more typos': (size) => [words(sought(64 * size), { typos: 2 }), { description: manyWords(4_000 * size) }],
  slop: (size) => [
    orFilter(list(64 * size, (at) => phrase(`a b${at}`, 3))),
    { description: 'a b1 '.repeat(2_500 * size) },
  ],
  patterns: (size) => [
    orFilter(list(64 * size, (at) => query(`*a*b*${at}`))),
    { description: manyWords(4_000 * size) },
  ],
  'one long word': (size) => [simple('a'), { description: 'a'.repeat(10_000 * size) }],
  'one word of many parts': (size) => [simple('a'), { description: 'a_'.repeat(10_000 * size) }],
  'many marks': (size) => [simple('a'), { description: 'a '.repeat(10_000 * size) }],
  'many texts': (size) => [simple('a'), { columns: list(4_000 * size, (at) => ({ name: `b${at}` })) }],
};

for (const [what, hostile] of Object.entries(HOSTILE)) {
  test(`hostile input is highlighted in work that grows as it does: ${what}`, async () => {
    expectLinearCalls(1, Number, (size) => shown(...hostile(size)));
    const [few, many] = [
      await countTextWork(() => shown(...hostile(1))),
      await countTextWork(() => shown(...hostile(4))),
    ];
    assert.ok(many <= 6 * few, `${few} characters became ${many}`);
  });
}

test('a long phrase is compared at so many places only', () => {
  const phraseOf = (count: number) => `${'a '.repeat(count)}b`;
  const description = phraseOf(40_000);
  assert.equal(shown(phrase(phraseOf(2)), { description })?.['description']?.length, 1);
  assert.is(shown(phrase(phraseOf(1000)), { description }), undefined);
});

test('the budget limits comparisons of misspelled words, not exact matches', () => {
  const far = list(500, (at) => `zzzz${String.fromCharCode(97 + (at % 26), 97 + Math.floor(at / 26))}`).join(' ');
  const description = `neeedle ${manyWords(11_000)} needlee ${FILLER}needle`;
  const fragments = raw(words(`${far} needle`, { typos: 2 }), { description }).map(short);
  assert.is(fragments.length, 2);
  assert.match(fragments[0] ?? '', /^‹neeedle›/);
  assert.match(fragments[1] ?? '', /‹needle›$/);
});

test.run();
