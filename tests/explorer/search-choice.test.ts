import * as assert from 'uvu/assert';
import { beginningsOf } from '../../src/explorer/search/beginnings.ts';
import {
  listChosen,
  plainWords,
  readSearchChoice,
  toggleValue,
  writeSearchChoice,
} from '../../src/explorer/search/choice.ts';
import { addSavedSearch, MOST_SEARCHES, readSavedSearches } from '../../src/explorer/search/saved-searches.ts';
import { suite } from '../support/suite.ts';

/** Shows that the address of a search holds all of it, and that saved searches survive whatever stands in the storage. */

const test = suite('explorer: searches');

const read = (text: string) => readSearchChoice(new URLSearchParams(text));

test('a search is the same after its address was shared', () => {
  const text = 'q=order+lines&entityType=table&entityType=topic&owners=ana+brandt&tags=pii.sensitive&sort=used';
  assert.is(writeSearchChoice(read(text)).toString(), text);
});

test('what no page would have written is left out, and every value is there once', () => {
  assert.is(writeSearchChoice(read('sort=toString&owners=&owners=a&owners=a&color=red')).toString(), 'owners=a');
  assert.is(read('sort=constructor').sort, 'relevance');
});

test('a value is chosen and dropped again, beside others of its facet', () => {
  const one = toggleValue(read('q=x&owners=ana'), 'owners', 'ben');
  assert.equal(one.chosen.owners, ['ana', 'ben']);
  assert.equal(listChosen(toggleValue(one, 'owners', 'ana').chosen), [{ name: 'owners', value: 'ben' }]);
});

test('plain words have nothing that the grammar of queries gives a meaning to', () => {
  assert.is(plainWords('"order lines" AND -name:foo* (bar)'), 'order lines name foo bar');
  assert.is(plainWords('data-set'), 'data-set');
  assert.is(plainWords('ORDER_ID'), 'ORDER_ID');
});

test('ever shorter beginnings of the longest word are tried, and never the word itself', () => {
  assert.equal(beginningsOf('a revenxxxx'), ['revenxx', 'reven', 'rev']);
  assert.equal(beginningsOf('abcd'), ['abc']);
  assert.equal(beginningsOf('ab'), []);
});

test('saved searches are read from whatever is stored', () => {
  assert.equal(readSavedSearches(null), []);
  assert.equal(readSavedSearches('{not json'), []);
  assert.equal(readSavedSearches('{"name":"a"}'), []);
  const stored = JSON.stringify([
    { name: 'a', query: 'q=1', other: 2 },
    { name: '', query: 'q' },
    { name: 'b' },
    null,
    7,
  ]);
  assert.equal(readSavedSearches(stored), [{ name: 'a', query: 'q=1' }]);
});

test('a search saved under the same name takes the place of the former, and there is a bound', () => {
  const two = [
    { name: 'a', query: 'q=1' },
    { name: 'b', query: 'q=2' },
  ];
  assert.equal(addSavedSearch(two, { name: ' b ', query: 'q=3' }), [
    { name: 'b', query: 'q=3' },
    { name: 'a', query: 'q=1' },
  ]);
  assert.is(addSavedSearch(two, { name: '  ', query: 'q=3' }), undefined);
  const full = Array.from({ length: MOST_SEARCHES }, (_, index) => ({ name: `s${index}`, query: '' }));
  assert.is(addSavedSearch(full, { name: 'one more', query: '' }), undefined);
  assert.is(addSavedSearch(full, { name: 's3', query: 'q=new' })?.length, MOST_SEARCHES);
});

test.run();
