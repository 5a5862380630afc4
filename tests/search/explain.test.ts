import * as assert from 'uvu/assert';
import { suite } from '../support/suite.ts';
import { label, ownWord } from './domain-fixture.ts';
import { type Corpus, openCorpus } from './schema-fixture.ts';

/** Shows that an explanation names the engine, the fields and the weights of a hit (search.md 1). */

const test = suite('search: explanations');

let corpus: Corpus;
let word: string;

test.before(async () => {
  corpus = await openCorpus('explain');
  word = ownWord();
  await corpus.table(word, { description: `${word} is described`, tags: [label('Tier.Tier1')] });
  await corpus.table('plain', { description: `${word} is only described` });
});

type Explanation = { readonly value: number; readonly description: string; readonly details: readonly Explanation[] };
type Hit = { readonly _score: number; readonly _source: { readonly name: string }; readonly _explanation: Explanation };

const explained = async (q: string): Promise<readonly Hit[]> =>
  (await corpus.search(q, { explain: 'true', include_source_fields: 'name' })).hits.hits;

const QUERIES: readonly (readonly [what: string, query: (word: string) => string])[] = [
  ['words', (one) => one],
  ['a query', (one) => `+${one}`],
  ['a field', (one) => `description:${one}`],
];

/** An explanation consists of explanations. */
const isExplanation = ({ value, description, details, ...rest }: Explanation): void => {
  assert.type(value, 'number');
  assert.ok(description.length > 0);
  assert.equal(rest, {});
  details.forEach(isExplanation);
};

for (const [what, query] of QUERIES) {
  test(`for ${what}, the explanation of a hit equals its score`, async () => {
    const hits = await explained(query(word));
    assert.is(hits.length, 2);
    for (const { _score, _explanation } of hits) {
      isExplanation(_explanation);
      assert.ok(Math.abs(_explanation.value - _score) < 1e-6 * _score, `${_explanation.value} beside ${_score}`);
    }
  });
}

test('the explanation names the engine', async () => {
  for (const { _explanation } of await explained(word)) assert.match(JSON.stringify(_explanation), /Neo4j/i);
});

/** Whether it is said that a field counted, and how much. */
const says = (explanation: Explanation, field: string, weight: number): boolean =>
  explanation.details.some(
    (detail) => new RegExp(`\\b${field}\\b`).test(detail.description) && detail.value === weight,
  );

test('the explanation names the fields in which the words were found, with their weights', async () => {
  const [named, described] = (await explained(word)).map(({ _explanation }) => _explanation);
  if (!named || !described) throw new Error('one of the tables is not found');
  assert.ok(says(named, 'name', 10) && says(named, 'displayName', 10) && says(named, 'description', 2));
  assert.ok(says(described, 'description', 2));
  assert.is(described.details.length, 1, 'nothing is said of a field that has none of the words');
});

test('a condition on one field is explained by that field alone', async () => {
  const [first] = await explained(`description:${word}`);
  assert.is(first?._explanation.details.length, 1);
  assert.ok(first && says(first._explanation, 'description', 2));
});

test('there is no explanation unless requested', async () => {
  for (const more of [{}, { explain: 'false' }, { explain: '' }]) {
    const { hits } = (await corpus.search(word, more)).hits;
    for (const hit of hits) assert.is('_explanation' in hit, false);
  }
});

test.run();
