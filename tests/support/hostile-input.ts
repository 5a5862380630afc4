import type { ColumnChange } from '../../src/contracts/validation/column-changes.ts';
import type { Json, JsonObject } from '../../src/model/json.ts';

/** Input that is made to take long. Tests show what becomes of it, and `npm run bench` how long that takes. */

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

/** Texts of so many characters that are no type of a column. */
export const hostileTypes = (length: number): readonly string[] => [
  ' '.repeat(length),
  '('.repeat(length),
  `a${' '.repeat(length)}(`,
  'x '.repeat(length / 2),
];

const columns = times(1000, { name: 'column', text: 'x'.repeat(100) });

/** What the rules below look at. */
export const HOSTILE_FACTS: JsonObject = { columns, long: 'x'.repeat(100_000), deep: times(1_200, 1) };

const doubled = (operator: string, start: Json): Json => ({
  reduce: [{ var: 'columns' }, { [operator]: [{ var: 'accumulator' }, { var: 'accumulator' }] }, start],
});

/** A value of thousands of levels, in few visits. */
const DEEP: Json = { reduce: [{ var: 'deep' }, [[[[[{ var: 'accumulator' }]]]]], 1] };

/** Rules that would take very long without limits, and why they are refused. */
export const HOSTILE_RULES: readonly (readonly [string, Json, RegExp])[] = [
  ['a text that doubles', doubled('cat', 'x'), /characters of text/],
  ['a list that doubles', doubled('merge', [1]), /100000 items/],
  ['a list in itself, as text', { cat: [doubled('merge', [[1]])] }, /100000 items/],
  ['the same long text', { cat: times(20, { var: 'long' }) }, /characters of text/],
  ['lists as texts', { cat: times(200, [{ var: 'columns' }]) }, /characters of text|looking at/],
  ['parts of long texts', { substr: [{ cat: times(11, { var: 'long' }) }, 0] }, /characters of text/],
  ['looking in long texts', { and: times(3_000, { '!': { in: ['y', { var: 'long' }] } }) }, /looking at/],
  ['looking in lists', { or: times(2_000, { in: ['x', { var: 'columns' }] }) }, /looking at/],
  ['comparing lists', { and: times(1_600, { '==': [{ var: 'columns' }, { var: 'columns' }] }) }, /looking at/],
  ['comparing texts', { and: times(1_600, { '==': [{ var: 'long' }, { var: 'long' }] }) }, /looking at/],
  ['numbers of texts', { or: times(1_600, { '<': [{ var: 'long' }, 1] }) }, /looking at/],
  ['long paths', { or: times(20, { var: `columns${'.x'.repeat(50_000)}` }) }, /looking at/],
  ['values at paths', { and: times(2_000, { tableColumnValues: 'columns.name' }) }, /looking at|items/],
  ['owners in loops', { or: times(3_000, { multipleUsersOrSingleTeamOwnership: [{ var: 'columns' }] }) }, /looking at/],
  ['deep values compared', { '==': [DEEP, [1]] }, /nested more than 256 levels/],
  ['deep values looked for', { in: [DEEP, [1]] }, /nested more than 256 levels/],
  ['deep values as texts', { cat: [DEEP] }, /nested more than 256 levels/],
  ['deep values as numbers', { '+': [DEEP] }, /nested more than 256 levels/],
  ['deep values walked', { map: [[DEEP], { tableColumnValues: '' }] }, /nested more than 256 levels/],
];

/** Documents that begin like this and hold up whoever parses them: long lists, comments, nesting and JSON. */
export const hostileDocuments = (root: string): readonly string[] => [
  `${root}x: [${'a,'.repeat(700_000)}]\n`,
  root + '#\n'.repeat(700_000),
  `${root}x: ${'{a: '.repeat(200_000)}`,
  `{"x": [${'"a",'.repeat(600_000)}1]}`,
];

/** A contract about so many columns, and changes of all of them. */
export const hostileContract = (columns: number) => {
  const names = Array.from({ length: columns }, (_, index) => `column_${index}`);
  const texts = Array.from({ length: (columns * 2) / 5 }, (_, index) => `a.b.c.d.${'x.'.repeat(100)}column_${index}`);
  const rule = JSON.stringify({ in: [{ var: 'columns.name' }, texts] });
  const contract = {
    schema: names.map((name) => ({ name, dataType: 'INT' })),
    semantics: [{ name: 'rule', rule, enabled: true }],
    odcsQualityRules: names.map((name) => ({ id: name, query: `select ${name} ${' '.repeat(200)}`, column: name })),
    sla: { columnName: '".'.repeat(columns) },
  };
  const drop = (column: string): ColumnChange => ({ column, change: 'dropped', before: 'INT' });
  const changes: readonly ColumnChange[] = [
    ...names.map(drop),
    ...names.map((name) => drop(`${name}.column_1`)),
    { column: 'column_1', change: 'retyped', before: `A${' '.repeat(20 * columns)}(`, after: 'INT' },
  ];
  return { contract, changes };
};

/** A JSON document of so many bytes in a few long texts. */
export const bulkyDocument = (bytes: number): string => {
  const members = Array.from({ length: 10 }, (_, index) => `"x-${index}":"${'a'.repeat(Math.floor(bytes / 11))}"`);
  const start = `{"apiVersion":"v3.1.0","kind":"DataContract","id":"one","version":"1","status":"active",${members.join(',')},"x":"`;
  return `${start}${'b'.repeat(bytes - start.length - 2)}"}`;
};

/** A document of so many keys. */
export const manyKeys = (count: number): string =>
  Array.from({ length: count }, (_, index) => `k${index}: 1`).join('\n');
