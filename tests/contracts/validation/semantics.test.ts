import * as assert from 'uvu/assert';
import { validateSemantics } from '../../../src/contracts/validation/semantics.ts';
import type { JsonObject } from '../../../src/model/json.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { suite } from '../../support/suite.ts';

/** Shows that semantic rules are evaluated. */

const test = suite('contracts/validation: semantics');

const context = { members: new Map([['t1', new Set(['ada'])]]) };
const FACTS: JsonObject = {
  name: 'orders',
  columns: [{ name: 'id' }],
  owners: [{ id: 't1', type: 'team', name: 'data' }],
};

const rule = (text: unknown, more: JsonObject = {}): JsonObject => ({
  name: 'rule',
  description: 'says why',
  rule: typeof text === 'string' ? text : JSON.stringify(text),
  enabled: true,
  ...more,
});

const judge = (...rules: JsonObject[]) => validateSemantics(rules, 'table', FACTS, context);
const reasonOf = (one: JsonObject) => judge(one).failedRules?.[0]?.reason;

test('a contract without rules counts nothing', () => {
  assert.equal(judge(), { passed: 0, failed: 0, total: 0 });
});

test('a rule passes when it is true', () => {
  assert.equal(judge(rule({ '==': [{ var: 'name' }, 'orders'] }), rule({ isOwner: 'ada' })), {
    passed: 2,
    failed: 0,
    total: 2,
  });
});

test('a rule with any other value than true fails with its description, even a truthy one', () => {
  for (const text of [{ '==': [1, 2] }, { var: 'name' }, 1, 'true ', { '!!': [0] }, { var: 'columns' }, [true], null]) {
    assert.is(
      reasonOf(rule(text === 'true ' ? '"true"' : text)),
      text === 'true ' ? undefined : 'says why',
      JSON.stringify(text),
    );
  }
  assert.is(reasonOf(rule('true')), undefined);
  assert.is(reasonOf(rule(JSON.stringify(JSON.stringify(JSON.stringify(true))))), 'says why', 'unwrapped once');
});

test('a rule that cannot be evaluated fails with the reason', () => {
  assert.match(String(reasonOf(rule('{"=='))), /no JSON/);
  assert.match(String(reasonOf(rule({ eval: 'process.exit()' }))), /unknown operator "eval"/);
  assert.match(String(reasonOf(rule({ and: Array.from({ length: 10_000 }, () => true) }))), /10000 node visits/);
  assert.match(String(reasonOf({ name: 'rule', description: 'd', enabled: true })), /no JSON/);
});

test('failed rules are listed in order, and the others still count', () => {
  const judged = judge(rule('false', { name: 'a' }), rule('true'), rule('{"no":1}', { name: 'b' }));
  assert.equal(judged, {
    passed: 1,
    failed: 2,
    total: 3,
    failedRules: [
      { ruleName: 'a', reason: 'says why' },
      { ruleName: 'b', reason: 'unknown operator "no"' },
    ],
  });
});

test('a rule for other kinds passes', () => {
  const cases: readonly (readonly [JsonObject, boolean])[] = [
    [{ enabled: false }, true],
    [{ entityType: 'topic' }, true],
    [{ entityType: 'table' }, false],
    [{ ignoredEntities: ['topic', 'table'] }, true],
    [{ ignoredEntities: ['topic'] }, false],
    [{ ignoredEntities: [] }, false],
    [{ entityType: 'table', ignoredEntities: ['table'] }, true],
  ];
  for (const [more, passes] of cases) {
    assert.is(judge(rule('false', more)).failed, passes ? 0 : 1, JSON.stringify(more));
    assert.is(judge(rule('false', more)).total, 1);
  }
});

const factsOf = (columns: number): JsonObject => ({
  ...FACTS,
  columns: Array.from({ length: columns }, (_, index) => ({
    name: `column_${index}`,
    dataType: 'INT',
    description: 'what it is',
    tags: [{ tagFQN: 'PII.None', source: 'Classification' }],
  })),
});

test('fifty rules are evaluated with work that grows with the number of columns', () => {
  const rules = Array.from({ length: 50 }, (_, index) =>
    rule(
      index % 2 === 0
        ? {
            all: [
              { var: 'columns' },
              { and: [{ '!!': { var: 'description' } }, { '<': [{ length: { var: 'tags' } }, 2] }] },
            ],
          }
        : { '!': { in: [`column_${index}x`, { tableColumnValues: 'columns.name' }] } },
    ),
  );
  expectLinearCalls(125, factsOf, (facts) => assert.is(validateSemantics(rules, 'table', facts, context).failed, 0));
});

test.run();
