import * as assert from 'uvu/assert';
import { contractOutcome, runOutcome, testOutcome } from '../../src/explorer/parts/outcome.ts';
import { suite } from '../support/suite.ts';

const test = suite('outcomes in words');

const READ = { contractOutcome, testOutcome, runOutcome };

test('every state of a contract, a test and a run has one word and one colour', () => {
  const say = (of: keyof typeof READ, states: readonly string[]) =>
    states.map((state) => `${READ[of](state).words} (${READ[of](state).tone})`).join(', ');
  assert.is(
    say('contractOutcome', ['Success', 'PartialSuccess', 'Failed', 'Aborted', 'Running', 'Queued']),
    'holds (good), holds in part (warn), broken (bad), aborted (bad), running (plain), queued (plain)',
  );
  assert.is(
    say('testOutcome', ['Success', 'Failed', 'Aborted', 'Queued']),
    'passes (good), fails (bad), aborted (bad), queued (plain)',
  );
  assert.is(
    say('runOutcome', ['Successful', 'Failed', 'Pending', 'Skipped']),
    'succeeded (good), failed (bad), pending (plain), skipped (plain)',
  );
});

test('what has no state or one of a later version is said as such', () => {
  assert.equal(contractOutcome(undefined), { words: 'never judged', tone: 'plain' });
  assert.equal(testOutcome(undefined), { words: 'never run', tone: 'plain' });
  assert.equal(testOutcome('Paused'), { words: 'paused', tone: 'plain' });
  assert.equal(testOutcome('constructor'), { words: 'constructor', tone: 'plain' });
});

test.run();
