import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import { formatEntityLink, parseEntityLink } from '../../../src/model/language/entity-link.ts';
import { HOSTILE_LINKS } from '../../support/hostile-texts.ts';
import { suite } from '../../support/suite.ts';

/** Shows that entity links are read and written, and anything else is refused. */

const test = suite('model: entity links');

const CASES = [
  ['<#E::table::shop.pg.public.orders>', { entityType: 'table', fqn: 'shop.pg.public.orders' }],
  ['<#E::table::a.b::description>', { entityType: 'table', fqn: 'a.b', field: 'description' }],
  ['<#E::table::a.b::columns::amount>', { entityType: 'table', fqn: 'a.b', field: 'columns', item: 'amount' }],
  [
    '<#E::table::a."b.c"::columns::x."y.z"::tags>',
    { entityType: 'table', fqn: 'a."b.c"', field: 'columns', item: 'x."y.z"', itemField: 'tags' },
  ],
  ["<#E::topic::k:1.名前 '😀'::messageSchema>", { entityType: 'topic', fqn: "k:1.名前 '😀'", field: 'messageSchema' }],
] as const;

for (const [text, link] of CASES) {
  test(`${text} is parsed and formatted`, () => {
    assert.equal(parseEntityLink(text), link);
    assert.is(formatEntityLink(link), text);
  });
}

const failsWith = (text: string, start: string) => {
  try {
    parseEntityLink(text);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).code, 'bad_request');
    assert.ok((failure as CatalogError).message.startsWith(start), (failure as CatalogError).message.slice(0, 80));
    return;
  }
  assert.unreachable(text);
};

test('a text that is no link, or more than one, is refused with 400', () => {
  const bad = [
    '',
    'table',
    '<#E>',
    '<#E::>',
    '<#E::table>',
    '<#E::table::>',
    '<#E::table::a::>',
    '<#E::table::a::::b>',
    '<#E::table::a:>',
    '<#E::table::a|b>',
    '<#E::table::a<b>',
    '<#E::ta-ble::a>',
    '<#E::table::a> ',
    ' <#E::table::a>',
    '<#E::table::a>\n',
    '<#E::table::a',
    '<#E::table::a::b::c::d::e>',
    '<#e::table::a>',
  ];
  for (const text of bad) failsWith(text, 'Invalid entity link: ');
  for (const text of bad) failsWith(text, `Invalid entity link: ${text}`);
});

test('two links in one text are refused with 400', () => {
  const start = 'Invalid entity link: more than one link in ';
  failsWith('<#E::table::a><#E::table::b>', start);
  failsWith('<#E::table::a> and <#E::table::b>', start);
});

test('a link of many megabytes is refused', () => {
  for (const text of HOSTILE_LINKS.texts) failsWith(text, 'Invalid');
});

test('members after an absent one are not written', () => {
  assert.is(formatEntityLink({ entityType: 'table', fqn: 'a', item: 'x' }), '<#E::table::a>');
});

test.run();
