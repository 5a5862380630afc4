import * as assert from 'uvu/assert';
import { parseWords, tokenizeText } from '../../src/search-documents/tokens.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { suite } from '../support/suite.ts';

/** Shows that texts are split into the right tokens, also hostile ones. */

const test = suite('search: tokens');

const WORDS: readonly (readonly [text: string, ...words: readonly string[]])[] = [
  ['dim_customer', 'dim_customer dimcustomer dim customer'],
  ['DimCustomer', 'dimcustomer dimcustomer dim customer'],
  ['dimcustomer', 'dimcustomer dimcustomer dimcustomer'],
  ['HTTPServer2', 'httpserver2 httpserver2 http server 2'],
  ['a-b.c/d:e', 'a-b.c/d:e abcde a b c d e'],
  ["it's 100% done!", "it's its it s", '100 100 100', 'done done done'],
  ['[draft] (v2)', 'draft draft draft', 'v2 v2 v 2'],
  ['ada@example.com', 'ada@example.com adaexamplecom ada example com'],
  ['Größe ИмяТаблицы', 'größe größe größe', 'имятаблицы имятаблицы имя таблицы'],
  ['顧客 マスタ', '顧客 顧客 顧客', 'マスタ マスタ マスタ'],
  ['... --- !!!'],
  [''],
];

for (const [text, ...words] of WORDS) {
  test(`«${text}» is split into tokens`, () => {
    assert.equal(
      parseWords(text).map(({ whole, joined, parts }) => [whole, joined, ...parts].join(' ')),
      words,
    );
  });
}

test('a text has its words in every form and its parts in order', () => {
  const { tokens, parts, joined } = tokenizeText('fct_Orders by Day');
  assert.equal([...tokens].sort(), ['by', 'day', 'fct', 'fct_orders', 'fctorders', 'orders']);
  assert.equal(parts, ['fct', 'orders', 'by', 'day']);
  assert.equal(joined, ['fctorders', 'by', 'day']);
});

test('hostile texts are split without going back over them, which would not end for hours', () => {
  // What a pattern does cannot be counted, but a billion steps a second make more than an hour for each of these squares.
  for (const text of [`a${'-'.repeat(4_000_000)}b`, 'A'.repeat(4_000_000), '_'.repeat(4_000_000)]) {
    assert.ok(tokenizeText(text).parts.length <= 2);
  }
});

test('a word of many parts is split in work that grows as their number', () => {
  expectLinearCalls(
    500,
    (size) => 'A1'.repeat(size),
    (text) => tokenizeText(text),
  );
});

test.run();
