import * as assert from 'uvu/assert';
import { evaluateExpression, parseRule } from '../../../src/contracts/validation/logic/evaluate.ts';
import type { Json } from '../../../src/model/json.ts';
import { countCalls } from '../../support/count-calls.ts';
import { HOSTILE_FACTS, HOSTILE_RULES } from '../../support/hostile-input.ts';
import { refusal } from '../../support/refusal.ts';
import { suite } from '../../support/suite.ts';

/** Shows that rules are evaluated within their limits. */

const test = suite('contracts/validation: limits');

const context = { members: new Map() };
const value = (expression: Json, facts: Json = {}): Json => evaluateExpression(expression, facts, context);
const refused = (expression: Json, facts: Json = {}): string => refusal(() => value(expression, facts));

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

test('depth: 64 levels are allowed', () => {
  const deep = (levels: number): Json => (levels === 0 ? true : { '!!': [deep(levels - 1)] });
  assert.is(value(deep(64)), true);
  assert.match(refused(deep(65)), /nested more than 64 levels/);
  assert.is(value(parseRule(JSON.stringify(deep(64)))), true);
  const lists = (levels: number): Json => (levels === 0 ? 1 : [lists(levels - 1)]);
  assert.is(refused(lists(64)), 'accepted');
  assert.match(refused(lists(65)), /nested more than 64 levels/);
});

test('visits: 10,000 are allowed, in whatever form', () => {
  const wide = (nodes: number): Json => ({ and: times(nodes - 1, true) });
  assert.is(value(wide(10_000)), true);
  assert.match(refused(wide(10_001)), /stopped after 10000 node visits/);
  // The operator, the list, its path, and then each item once.
  const all = { all: [{ var: 'list' }, true] };
  assert.is(value(all, { list: times(9_997, 1) }), true);
  assert.match(refused(all, { list: times(9_998, 1) }), /node visits/);
  const facts = { list: times(30, { list: times(30, { list: times(30, {}) }) }) };
  const nested = { all: [{ var: 'list' }, { all: [{ var: 'list' }, { all: [{ var: 'list' }, true] }] }] };
  assert.match(refused(nested, facts), /node visits/);
});

/** A rule may look at a million values, with at most ten calls for each. */
const MOST_CALLS = 10_000_000;

for (const [name, expression, wanted] of HOSTILE_RULES) {
  test(`bounded: ${name}`, () => {
    const calls = countCalls(() => assert.match(refused(expression, HOSTILE_FACTS), wanted));
    assert.ok(calls < MOST_CALLS, `${calls} calls`);
  });
}

const NAMES =
  'var missing missing_some if ?: == === != !== ! !! and or < <= > >= max min + - * / % map filter reduce all some none ' +
  'merge in cat substr log length isOwner isReviewer isChanged isUpdatedBefore isUpdatedAfter contains nonsense ' +
  'multipleUsersOrSingleTeamOwnership filterReferenceByType filterTagsBySource tableColumnValues __proto__';

test('property: any expression has a value or a reason', () => {
  let seed = 5;
  const next = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const operators = NAMES.split(' ');
  const plain: Json[] = [
    null,
    true,
    false,
    0,
    -1,
    1.5,
    1e300,
    '',
    'a',
    '3',
    'columns',
    'columns.name',
    '.',
    '..',
    'long',
  ];
  const paths: Json[] = ['', 'columns', 'accumulator', 'current', 'name', 'deep', 'o', '__proto__', 'constructor'];
  const made = (depth: number): Json => {
    const kind = next(10);
    if (depth === 0 || kind < 2) return plain[next(plain.length)] ?? null;
    if (kind < 4) return { var: paths[next(paths.length)] ?? null };
    const inner = Array.from({ length: next(4) }, () => made(depth - 1));
    if (kind === 4) return inner;
    return JSON.parse(`{${JSON.stringify(operators[next(operators.length)])}:${JSON.stringify(inner)}}`) as Json;
  };
  const facts = {
    columns: [{ name: 'a', tags: [1] }, { name: 'b' }, 7, null, []],
    deep: [[[[1]]]],
    o: { a: { b: null } },
    owners: [null, 1, { type: 'team', id: 3 }, { type: 'user' }],
    changeDescription: { fieldsAdded: [{}, null], fieldsUpdated: 3 },
    updatedAt: 'never',
  };
  let values = 0;
  for (let round = 0; round < 5_000; round += 1) if (refused(made(5), facts) === 'accepted') values += 1;
  assert.ok(values > 1_000 && values < 5_000, `${values} have a value`);
});

test.run();
