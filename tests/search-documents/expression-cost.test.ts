import * as assert from 'uvu/assert';
import { loadKinds } from '../../src/catalog/registry.ts';
import { CatalogError } from '../../src/errors.ts';
import { readMapFilter } from '../../src/lineage/read/map/map-request.ts';
import type { JsonObject } from '../../src/model/json.ts';
import { createMatchBudget, ExpressionTooExpensive, MAX_MATCH_STEPS } from '../../src/model/language/match-budget.ts';
import { buildHighlights } from '../../src/search/answer/highlight.ts';
import { createDocumentMatcher } from '../../src/search-documents/filter/match-document.ts';
import type { SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { hasPhrase, isWithinTypos } from '../../src/search-documents/filter/typos.ts';
import { matchesWildcard, parseWildcard } from '../../src/search-documents/filter/wildcard.ts';
import { parseWords, tokenizeText } from '../../src/search-documents/tokens.ts';
import { suite } from '../support/suite.ts';

/** Shows that patterns, typing mistakes and phrases of searches pay for their comparisons and stop within a text. */

const test = suite('search documents: cost of expressions');

const registry = await loadKinds();

const isTooExpensive = (failure: unknown): boolean => failure instanceof ExpressionTooExpensive;

/** Does work with a budget, and answers the steps it took. */
const stepsOf = (work: (spend: (steps: number) => void) => unknown): number => {
  const budget = createMatchBudget();
  work(budget.spend);
  return budget.spent();
};

const expectStopped = (work: (spend: (steps: number) => void) => unknown): void => {
  const budget = createMatchBudget();
  assert.throws(() => work(budget.spend), isTooExpensive);
  assert.ok(budget.spent() < MAX_MATCH_STEPS / 4, `${budget.spent()} steps`);
};

test('a pattern with wildcards pays for going back', () => {
  const [pattern, text] = [parseWildcard(`*${'a'.repeat(4000)}b*`), 'a'.repeat(100_000)];
  expectStopped((spend) => matchesWildcard(pattern, text, spend));
  assert.ok(stepsOf((spend) => matchesWildcard(parseWildcard('*orders*'), 'all_orders_of_shops', spend)) < 20);
});

test('typing mistakes pay for each letter that is compared', () => {
  expectStopped((spend) => isWithinTypos('a'.repeat(20_000), `${'a'.repeat(20_000)}b`, 2, spend));
  assert.ok(stepsOf((spend) => isWithinTypos('orders', 'custom', 2, spend)) < 40);
});

test('a phrase pays for the positions of its words', () => {
  const [words, text] = [parseWords('a '.repeat(2000)), tokenizeText(`b ${'a '.repeat(1990)}b ${'a '.repeat(40_000)}`)];
  expectStopped((spend) => hasPhrase({ ...text, joined: [] }, [...words, ...parseWords('b')], 5, spend));
  const short = tokenizeText('the orders of all shops');
  assert.ok(stepsOf((spend) => hasPhrase(short, parseWords('orders shops'), 3, spend)) < 500);
});

const DOCUMENT: JsonObject = { id: '1', entityType: 'table', name: 'a', description: 'a'.repeat(100_000) };

const COSTLY: SearchFilter = {
  is: 'wildcard',
  field: 'description',
  pattern: parseWildcard(`*${'a'.repeat(4000)}b*`),
  anyCase: false,
};

test('a document that costs too much is left, and the next one has a share of its own', () => {
  const budget = createMatchBudget();
  const matches = createDocumentMatcher(COSTLY, registry.byType, 0, budget);
  assert.throws(() => matches(DOCUMENT), isTooExpensive);
  assert.is(matches({ ...DOCUMENT, description: 'orders' }), false);
  assert.ok(budget.spent() < MAX_MATCH_STEPS / 4);
});

test('a filter of lineage that costs too much is refused with the name of its parameter', () => {
  const filter = { wildcard: { description: { value: `*${'a'.repeat(4000)}b*` } } };
  const query = new URLSearchParams({ query_filter: JSON.stringify(filter) });
  const wanted = readMapFilter({ query }, registry, 0);
  assert.throws(
    () => wanted.document?.(DOCUMENT),
    (failure: unknown) =>
      failure instanceof CatalogError &&
      failure.status === 400 &&
      failure.message === '[query_filter: the expression is too expensive]',
  );
  assert.is(wanted.document?.({ ...DOCUMENT, description: 'orders' }), false);
});

test('a text that costs too much is not highlighted, and the others are', () => {
  const table = registry.byType.get('table');
  if (!table) throw new Error('there are tables');
  const either: SearchFilter = {
    is: 'some',
    least: 1,
    of: [COSTLY, { is: 'words', field: 'name', text: 'orders', least: 1, typos: 0 }] as readonly SearchFilter[],
  } as SearchFilter;
  const shown = buildHighlights(table, either, { ...DOCUMENT, name: 'orders' });
  assert.is(shown?.['description'], undefined);
  assert.ok(shown?.['name']);
});

test.run();
