import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory } from '../support/rights.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, openCorpus, queryAt } from './schema-fixture.ts';

/** Shows that the suggest operation completes names. */

const test = suite('search: suggestions');

let corpus: Corpus;
/** Begins every name here, so that nothing of other suites is completed. */
let word: string;

test.before(async () => {
  corpus = await openCorpus('suggest');
  word = uniqueName('quill').replace('_', '');
  await corpus.table(`${word}_orders`);
  await corpus.table(`fct_${word}_daily`, { displayName: 'Daily facts' });
  await corpus.table('ledger', { displayName: `${word.toUpperCase()} of accounts`, description: 'shown' });
  await corpus.table(`${word}_secret`, { tags: [{ tagFQN: 'PII.Sensitive', source: 'Classification' }] });
  const { id } = await corpus.table(`${word}_gone`);
  ok(await corpus.admin.delete(`/v1/tables/${id}`));
});

const suggest = async (parameters: Readonly<Record<string, string>>, client: Client = corpus.admin) =>
  ok(await client.get(queryAt('suggest', parameters)));

type Suggested = { readonly 'metadata-suggest': readonly { readonly options: readonly { readonly text: string }[] }[] };

const texts = (answer: Suggested): string[] => answer['metadata-suggest'][0]?.options.map(({ text }) => text) ?? [];

test('a suggestion has the members of the contract', async () => {
  const q = `${word}_ord`;
  const answer = await suggest({ q });
  assert.equal(Object.keys(answer), ['metadata-suggest']);
  const [{ options, ...rest }, ...others] = answer['metadata-suggest'];
  assert.equal([rest, others], [{ text: q, offset: 0, length: q.length }, []]);
  const [option] = options;
  assert.equal(Object.keys(option).sort(), ['_id', '_index', '_score', '_source', 'text']);
  assert.equal([option.text, option._index], [`${word}_orders`, 'table_search_index']);
  assert.is(option._id, option._source.id);
  assert.type(option._score, 'number');
});

test('names that start with the text come before names with such a word', async () => {
  const found = texts(await suggest({ q: word.slice(0, -1) }));
  assert.is(found.length, 4);
  assert.is(found.at(-1), 'Daily facts');
  assert.ok(found.includes(`${word.toUpperCase()} of accounts`));
  assert.equal(texts(await suggest({ q: `${word} acc` })), [`${word.toUpperCase()} of accounts`]);
  assert.equal(texts(await suggest({ q: `${word}_DA` })), ['Daily facts']);
  assert.equal(texts(await suggest({ q: `${word}or` })), [`${word}_orders`]);
  assert.equal(texts(await suggest({ q: `${word} nothing` })), []);
});

test('size, index and deleted select the suggestions', async () => {
  assert.is(texts(await suggest({ q: word, size: '2' })).length, 2);
  assert.equal(texts(await suggest({ q: word, index: 'topic_search_index' })), []);
  assert.is(texts(await suggest({ q: word, index: 'all' })).length, 4);
  assert.ok(!texts(await suggest({ q: word })).includes(`${word}_gone`));
  assert.ok(texts(await suggest({ q: word, deleted: 'true' })).includes(`${word}_gone`));
});

test('a source filter selects the members of the documents', async () => {
  const [bare] = (await suggest({ q: `${word}_ord`, fetch_source: 'false' }))['metadata-suggest'][0].options;
  assert.is('_source' in bare, false);
  const [some] = (await suggest({ q: `${word}_ord`, include_source_fields: 'name,deleted' }))['metadata-suggest'][0]
    .options;
  assert.equal(some._source, { name: `${word}_orders`, deleted: false });
});

test('typed text is a name and has no operators', async () => {
  for (const q of [
    '(',
    '"',
    'a:b',
    '[draft]',
    "it's 100% done!",
    '*',
    '',
    'x@y.example',
    '/a/b',
    '\\',
    '\u0000',
    '-',
    '~1',
  ]) {
    assert.ok(Array.isArray(texts(await suggest({ q }))), q);
  }
});

test('hidden records are not suggested', async () => {
  const rights = createRightsFactory(corpus.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  assert.ok(texts(await suggest({ q: word })).includes(`${word}_secret`));
  assert.not(texts(await suggest({ q: word }, caller)).includes(`${word}_secret`));
  const blind = await rights.person([{ effect: 'deny', operations: ['All'], resources: ['table'] }]);
  expectRefused(await blind.get(queryAt('suggest', { q: word })), 403);
  await rights.clear();
});

test('bad input is refused with 400', async () => {
  const bad = [
    ['size', '-1'],
    ['size', '1001'],
    ['size', 'x'],
    ['index', 'nowhere'],
    ['deleted', 'maybe'],
    ['fetch_source', 'x'],
    ['field', 'nowhere'],
    ['q', 'x'.repeat(1025)],
  ] as const;
  for (const [name, value] of bad)
    expectRefused(await corpus.admin.get(queryAt('suggest', { q: 'a', [name]: value })), 400);
});

test.run();
