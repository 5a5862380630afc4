import * as assert from 'uvu/assert';
import { buildFilter, readLabels } from '../../src/explorer/api/facets.ts';
import { splitTellingEnd } from '../../src/explorer/api/full-name.ts';
import { beginNearFound, markTyped, readPassage } from '../../src/explorer/api/highlight.ts';
import { columnOf, readHit, reasonOf } from '../../src/explorer/api/hit.ts';
import { suite } from '../support/suite.ts';

/** Shows how answers of the search are read: hits, marked passages, and facets. */

const test = suite('explorer: answers of the search');

const marked = (text: string): string => `<span class="text-highlighter">${text}</span>`;

test('a passage becomes parts of plain text', () => {
  assert.equal(readPassage(`One ${marked('order')} &amp; its ${marked('lines')}.`), [
    { text: 'One ', isFound: false },
    { text: 'order', isFound: true },
    { text: ' & its ', isFound: false },
    { text: 'lines', isFound: true },
    { text: '.', isFound: false },
  ]);
});

test('tags that are part of the text stay letters, also those that look like marks', () => {
  assert.equal(readPassage('&lt;img src=x onerror=alert(1)&gt; &lt;em&gt;'), [
    { text: '<img src=x onerror=alert(1)> <em>', isFound: false },
  ]);
  assert.equal(readPassage(`&lt;span class=&quot;text-highlighter&quot;&gt;${marked('a')}`), [
    { text: '<span class="text-highlighter">', isFound: false },
    { text: 'a', isFound: true },
  ]);
});

test('escapes are read once, and what is none stays as it is', () => {
  assert.equal(readPassage('&amp;lt; &#39; &#x27; &nosuch; &#9999999; &'), [
    { text: "&lt; ' ' &nosuch; &#9999999; &", isFound: false },
  ]);
  assert.equal(readPassage(''), []);
});

test('the name of a column that was found leads to the column, however deep it lies', () => {
  const hit = readHit({
    _source: {
      id: '1',
      entityType: 'table',
      fullyQualifiedName: 'a.b',
      columnNames: ['id', 'home', 'home."post.code"'],
    },
  });
  assert.is(columnOf(hit, { field: 'columns.name', text: marked('home') }), 'a.b.home');
  assert.is(columnOf(hit, { field: 'columns.name', text: `post.${marked('code')}` }), 'a.b.home."post.code"');
  assert.is(columnOf(hit, { field: 'columns.name', text: 'gone' }), undefined);
  assert.is(columnOf(hit, { field: 'columns.description', text: 'id' }), undefined, 'the words of a text are no name');
});

test('a hit has the name that it shows marked, and the passages of everything else', () => {
  const hit = readHit({
    _source: {
      id: '1',
      entityType: 'table',
      name: 'orders',
      displayName: 'Orders',
      fqnParts: ['shop', '"a.b"', 'orders'],
      tags: [{ tagFQN: 'PII.None' }, { tagFQN: 'Tier.Tier1' }],
      tier: { tagFQN: 'Tier.Tier1' },
    },
    highlight: { name: [marked('orders')], displayName: [marked('Orders')], 'columns.name': [`${marked('order')}_id`] },
  });
  assert.is(hit.markedName, marked('Orders'));
  assert.equal(hit.within, ['shop', 'a.b']);
  assert.equal(hit.tags, ['PII.None']);
  assert.is(hit.tier, 'Tier.Tier1');
  assert.equal(hit.passages, [{ field: 'columns.name', text: `${marked('order')}_id` }]);
});

const suggested = (highlight: Readonly<Record<string, readonly string[]>>) =>
  reasonOf(readHit({ _source: { id: '1', entityType: 'table', name: 'order_lines' }, highlight }));

test('the reason for a suggestion is what was found most of, unless the name tells as much', () => {
  const column = { 'columns.name': [marked('order_id')] };
  const description = { description: [`Lines of an ${marked('order')}.`] };
  const name = { name: [`${marked('order')}_lines`] };
  assert.equal(suggested({ ...name, ...description, ...column })?.field, 'columns.name');
  assert.equal(suggested(description)?.field, 'description');
  assert.is(suggested({ ...name, ...description }), undefined);
  assert.is(suggested({ name: [marked('order_lines')], ...column }), undefined);
  assert.is(suggested({}), undefined);
});

test('a line begins shortly before what was found, at a word', () => {
  const parts = beginNearFound(readPassage(`Nobody pays twice for what belongs to an ${marked('order')} here.`));
  assert.equal(parts, [
    { text: '… for what belongs to an ', isFound: false },
    { text: 'order', isFound: true },
    { text: ' here.', isFound: false },
  ]);
  for (const short of [`An ${marked('order')}`, `${marked('order')} of many`, 'none']) {
    assert.equal(beginNearFound(readPassage(short)), readPassage(short));
  }
});

test('what was typed is marked in a text in whatever case, and nothing else', () => {
  assert.equal(markTyped('a.ORDER_ID.b', ' order_id '), [
    { text: 'a.', isFound: false },
    { text: 'ORDER_ID', isFound: true },
    { text: '.b', isFound: false },
  ]);
  assert.equal(markTyped('orders', 'orders'), [{ text: 'orders', isFound: true }]);
  for (const typed of ['', ' ', 'lines'])
    assert.equal(markTyped('orders', typed), [{ text: 'orders', isFound: false }]);
});

test('the end of a full name that tells most is its last two parts', () => {
  assert.equal(splitTellingEnd('a.b.c.orders'), ['a.b.', 'c.orders']);
  assert.equal(splitTellingEnd('a.b."c.d"."o.p"'), ['a.b.', '"c.d"."o.p"']);
  assert.equal(splitTellingEnd('a.orders'), ['a.', 'orders']);
  for (const whole of ['orders', '"a.b"', '', 'Nobody. Here ']) assert.is(splitTellingEnd(whole).join(''), whole);
});

test('the counts of a facet leave out what is chosen in it', () => {
  const chosen = { entityType: ['table'], owners: ['ana', 'ben'] };
  assert.equal(JSON.parse(buildFilter(chosen) ?? ''), {
    query: {
      bool: {
        must: [{ terms: { entityType: ['table'] } }, { terms: { 'owners.displayName.keyword': ['ana', 'ben'] } }],
      },
    },
  });
  assert.equal(JSON.parse(buildFilter(chosen, 'owners') ?? ''), {
    query: { bool: { must: [{ terms: { entityType: ['table'] } }] } },
  });
  assert.is(buildFilter({ owners: ['ana'] }, 'owners'), undefined);
});

test('values are written as an asset that has them writes them', () => {
  const bucket = (key: string, owners: readonly object[]) => ({
    key,
    'top_hits#top': { hits: { hits: [{ _source: { owners } }] } },
  });
  const labels = readLabels('owners', [
    bucket('ana brandt', [
      { name: 'ben', displayName: 'Ben' },
      { name: 'ana', displayName: 'Ana Brandt' },
    ]),
    bucket('gone', [{ name: 'ben' }]),
    { key: 'without a hit' },
  ]);
  assert.equal([...labels], [['ana brandt', 'Ana Brandt']]);
});

test.run();
