import * as assert from 'uvu/assert';
import { kindWords } from '../../../src/model/kind/kind-words.ts';
import { suite } from '../../support/suite.ts';

/** Shows that texts of the API name the assets of a kind in singular and plural. */

const test = suite('model: words for kinds');

for (const [title, one, a] of [
  ['Tables', 'table', 'a table'],
  ['API collections', 'API collection', 'an API collection'],
  ['ML models', 'ML model', 'an ML model'],
  ['Glossaries', 'glossary', 'a glossary'],
  ['Search indexes', 'search index', 'a search index'],
  ['Databases', 'database', 'a database'],
  ['Event subscriptions', 'event subscription', 'an event subscription'],
  ['Users', 'user', 'a user'],
] as const) {
  test(`${title} is the plural, ${a} the singular`, () => {
    const words = kindWords({ title });
    assert.is(words.one, one);
    assert.is(words.a, a);
  });
}

test('the plural is the lower-case title, except for abbreviations', () => {
  assert.is(kindWords({ title: 'API collections' }).many, 'API collections');
  assert.is(kindWords({ title: 'Test cases' }).many, 'test cases');
});

test.run();
