import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, namesIn, openCorpus, queryAt } from './schema-fixture.ts';

/** Shows that names are found in the form in which people type them. */

const test = suite('search: typed names');

let corpus: Corpus;

/** Names that are no errors when they are typed as they are. */
const AS_THEY_ARE = [
  "it's 100% done!",
  'a/b:c',
  '[draft]',
  'jane.doe@example.com',
  '/data/landing/2024-01-01/part-0.parquet',
  's3://bucket/key with blanks',
  'C:\\Users\\jane',
  'C++',
  'c#',
  'R&D',
  'AT&T',
  'x = y + 1',
  'now - then',
  '50% off, today; really',
  '#hashtag $money',
  '<tag>',
  'a|b',
  '~approximately',
  'naïve café',
  '日本語の表',
  '🦊 foxes',
  'v1.5.2-rc.1',
  "O'Reilly & Sons",
  'dash--dash',
  '+plus',
  'semi;colon',
  'under_score__twice',
  'AND',
  'https://example.com/a?b=c&d=1',
];

/** Names that say something else as a query, or that something is missing, unless they stand in quotes. */
const IN_QUOTES = ['what? why', '-minus', 'NOT null', '(open', 'close)', '{curly', 'half [bracket', 'a OR', 'caret^'];

test.before(async () => {
  corpus = await openCorpus('typed');
  for (const name of [...AS_THEY_ARE, ...IN_QUOTES]) await corpus.table(name);
});

const quoted = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

const isFound = async (q: string, name: string): Promise<void> => {
  const names = namesIn(await corpus.search(q, { size: '50' }));
  assert.ok(names.includes(name), `«${q}» finds ${names.join(' ')}`);
};

for (const name of AS_THEY_ARE) {
  test(`«${name}» finds its record, in quotes as well`, async () => {
    const reply = await corpus.admin.get(queryAt('query', { q: name, query_filter: corpus.here }));
    // What is no query is told so, and then it is in quotes that it is found.
    if (reply.status === 400) expectRefused(reply, 400, /character \d+/);
    else await isFound(name, name);
    await isFound(quoted(name), name);
  });
}

test('the name of the reported issue is found first as typed', async () => {
  for (const name of AS_THEY_ARE.slice(0, 5)) {
    assert.is(namesIn(await corpus.search(name))[0], name, name);
  }
});

for (const name of IN_QUOTES) {
  test(`«${name}» finds its record in quotes, and never fails`, async () => {
    const { status } = await corpus.admin.get(queryAt('query', { q: name, query_filter: corpus.here }));
    assert.ok(status === 200 || status === 400, `${status}`);
    await isFound(quoted(name), name);
  });
}

test('names are found as free text and as prefixes too', async () => {
  for (const name of AS_THEY_ARE) {
    const parameters = { q: name, query_filter: corpus.here, size: '50' };
    const { hits } = ok(await corpus.admin.get(queryAt('nlq/query', parameters)));
    assert.ok(namesIn({ hits }).includes(name), `free text: ${name}`);
    const answer = ok(await corpus.admin.get(queryAt('suggest', { q: name, size: '1000' })));
    const texts = answer['metadata-suggest'][0].options.map(({ text }: { readonly text: string }) => text);
    assert.ok(texts.includes(name), `completed: ${name}`);
  }
});

test.run();
