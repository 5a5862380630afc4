import * as assert from 'node:assert/strict';
import { chooseHeavyTests } from '../support/heavy-turn.ts';
import { suite } from '../support/suite.ts';
import { firstLineOf } from '../support/suite-outcome.ts';
import {
  chooseSecondTries,
  closingLines,
  type FileResult,
  isGreen,
  judge,
  MOST_UNSTEADY,
  missingResult,
} from '../support/verdict.ts';

/** Shows how the runner judges results, without running anything. */

const test = suite('runner: verdict');

const result = (file: string, ...errors: string[]): FileResult => ({
  file,
  passed: 2,
  skipped: 0,
  total: 2 + errors.length,
  failed: errors.map((error, at) => ({ title: `suite: case ${at}`, error })),
});

const named = (count: number): string[] => Array.from({ length: count }, (_, at) => `room/file_${at}.test.ts`);

const nothingIsPure = () => false;

test('files that failed get a second try unless they are pure', () => {
  const results = [result('a'), result('b', 'x'), result('pure', 'x'), missingResult('c', 'the process ended')];
  assert.deepEqual(
    chooseSecondTries(results, (file) => file === 'pure'),
    ['b', 'c'],
  );
});

test('a run in which very many files fail gets no second tries', () => {
  const failing = (count: number) => named(count).map((file) => result(file, 'x'));
  assert.equal(chooseSecondTries(failing(16), nothingIsPure).length, 16);
  assert.equal(chooseSecondTries(failing(17), nothingIsPure).length, 0);
});

test('the second result of a file counts in place of its first', () => {
  const verdict = judge([result('a'), result('b', 'late'), result('c', 'wrong')], [result('b'), result('c', 'wrong')]);
  assert.deepEqual(closingLines(verdict), [
    'FAIL  c: suite: case 0',
    'UNSTEADY b: suite: case 0 (late)',
    '6 passed, 1 failed',
  ]);
  assert.equal(isGreen(verdict), false);
});

test('eight unsteady files pass and nine fail the run', () => {
  const unsteady = (count: number) =>
    judge(
      named(count).map((file) => result(file, 'late')),
      named(count).map((file) => result(file)),
    );
  const few = unsteady(MOST_UNSTEADY);
  assert.ok(isGreen(few));
  assert.equal(closingLines(few).at(-1), '16 passed, 0 failed');
  const many = unsteady(MOST_UNSTEADY + 1);
  assert.ok(!isGreen(many));
  assert.equal(closingLines(many).at(-1), '18 passed, 1 failed');
});

test('the first line of a failure is its first line with words, without colours', () => {
  assert.equal(firstLineOf(new Error('\n  \u001b[31mred\u001b[39m \nmore')), 'red');
  assert.equal(firstLineOf('a text'), 'a text');
  assert.equal(firstLineOf(new Error('')), 'no message');
});

test('a week of heavy tests covers all of them, and each comes first once', () => {
  const files = named(45);
  const at = (day: number) => chooseHeavyTests(files, new Date(Date.UTC(2026, 0, 1 + day)));
  const week = Array.from({ length: 7 }, (_, day) => at(day)).flat();
  assert.deepEqual([...week].sort(), [...files].sort());
  const weeks = Array.from({ length: at(0).length }, (_, number) => at(number * 7)[0]);
  assert.deepEqual([...weeks].sort(), [...at(0)].sort());
  assert.deepEqual(chooseHeavyTests([], new Date(0)), []);
});

test.run();
