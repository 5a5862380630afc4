import * as assert from 'uvu/assert';
import { formatInline, formatMarkdownTable, formatQuotation } from '../../src/context/markdown.ts';
import { suite } from '../support/suite.ts';

/** Shows that texts of users are escaped and cut for Markdown. */

const test = suite('context: Markdown escaping');

test('a short text becomes one line without any markup', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['plain text, with: marks.', 'plain text, with: marks.'],
    ['dim_customer_v2', 'dim_customer_v2'],
    ['_private and _this_', '\\_private and \\_this\\_'],
    ['a | b', 'a \\| b'],
    ['a \\| b', 'a \\\\\\| b'],
    ['# no heading', '\\# no heading'],
    ['two\nlines\r\n\r\n# and more', 'two lines \\# and more'],
    ['line\u2028separator\u0085next', 'line separator next'],
    ['`code` **bold** [link](x) ![image](y)', '\\`code\\` \\*\\*bold\\*\\* \\[link\\](x) !\\[image\\](y)'],
    ['<script>alert(1)</script> <!--', '\\<script\\>alert(1)\\</script\\> \\<!--'],
    ['a &amp; b ~~gone~~ $x$', 'a \\&amp; b \\~\\~gone\\~\\~ \\$x\\$'],
    ['  spaces \t around  ', 'spaces around'],
    ['', ''],
  ];
  for (const [text, expected] of cases) assert.is(formatInline(text, 1000), expected);
});

test('texts are cut between whole characters', () => {
  assert.is(formatInline('abcdef', 3), 'abc…');
  assert.is(formatInline('abc', 3), 'abc');
  assert.is(formatInline('😀😀😀', 3), '😀😀😀');
  assert.is(formatInline('😀😀😀😀', 3), '😀😀😀…');
  assert.is(formatQuotation('x'.repeat(100), 10), `> ${'x'.repeat(10)}…`);
});

test('a longer text becomes a quotation that it cannot leave', () => {
  const text =
    'First\r\n\r\n## Owners\r- nobody\n```\nfence left open\n<!-- comment left open\n</blockquote>\u2028# x\n\n\n';
  assert.equal(formatQuotation(text, 1000).split('\n'), [
    '> First',
    '>',
    '> ## Owners',
    '> - nobody',
    '> ```',
    '> fence left open',
    '> \\<!-- comment left open',
    '> \\</blockquote> # x',
  ]);
  assert.is(formatQuotation('a < b and x<3', 100), '> a < b and x<3');
});

test('every row of a table has as many cells as its header, whatever they contain', () => {
  const cells = ['a|b', 'a\\|b', '\\', '|', '||\\\\|'].map((text) => formatInline(text, 100));
  const [head = '', rule = '', row = ''] = formatMarkdownTable(['1', '2', '3', '4', '5'], [cells]).split('\n');
  const bars = (line: string) => line.replace(/\\[\\|]/g, '').match(/\|/g)?.length;
  assert.equal([bars(head), bars(rule), bars(row)], [6, 6, 6]);
});

test.run();
