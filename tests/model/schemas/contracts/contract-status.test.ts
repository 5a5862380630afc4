import * as assert from 'uvu/assert';
import {
  isDraftStatus,
  isTimezone,
  odcsStatusOf,
  parseContractStatus,
  specStatusOf,
  statusSearchWords,
  TIMEZONES,
  timezoneOffset,
  timezoneWithOffset,
} from '../../../../src/model/schemas/contracts/contract-status.ts';
import { suite } from '../../../support/suite.ts';

/** Shows that contract statuses convert between the three vocabularies. */

const test = suite('model: contract statuses');

test('each status has a term in all three vocabularies', () => {
  const rows = [
    ['Draft', 'Draft', 'draft'],
    ['In Review', 'Draft', 'draft'],
    ['Rejected', 'Draft', 'draft'],
    ['Unprocessed', 'Draft', 'draft'],
    ['Approved', 'Active', 'active'],
    ['Deprecated', 'Deprecated', 'deprecated'],
    ['Archived', 'Deprecated', 'retired'],
  ] as const;
  for (const [state, word, odcs] of rows) {
    assert.is(specStatusOf(state), word, state);
    assert.is(odcsStatusOf(state), odcs, state);
    assert.is(isDraftStatus(state), word === 'Draft', state);
    assert.is(parseContractStatus(state.toUpperCase()), state);
  }
});

test('a term of either vocabulary is read in any case, and no other', () => {
  assert.is(parseContractStatus('active'), 'Approved');
  assert.is(parseContractStatus('ACTIVE'), 'Approved');
  assert.is(parseContractStatus('draft'), 'Draft');
  assert.is(parseContractStatus('in review'), 'In Review');
  for (const word of ['', 'production', 'retired', 'toString', ' draft'])
    assert.is(parseContractStatus(word), undefined, word);
});

test('lists find a status by its own term and by a shared one', () => {
  assert.equal(statusSearchWords('In Review'), ['in review', 'draft']);
  assert.equal(statusSearchWords('Approved'), ['approved', 'active']);
  assert.equal(statusSearchWords('Draft'), ['draft']);
  assert.equal(statusSearchWords('Deprecated'), ['deprecated']);
});

test('the time zone labels are those of the contract, each once, and found by offset', () => {
  assert.is(TIMEZONES.length, 36);
  assert.is(new Set(TIMEZONES).size, 36);
  for (const label of TIMEZONES) {
    assert.match(label, /^GMT[+-]\d\d:\d\d \([A-Za-z]+\/[A-Za-z_ ]+\)$/);
    assert.is(isTimezone(label), true);
    assert.is(timezoneOffset(timezoneWithOffset(timezoneOffset(label)) ?? ''), timezoneOffset(label));
  }
  assert.is(timezoneWithOffset('-08:00'), 'GMT-08:00 (America/Los Angeles)');
  assert.is(timezoneWithOffset('+03:00'), 'GMT+03:00 (Europe/Moscow)');
  assert.is(timezoneWithOffset('+09:00'), 'GMT+09:00 (Asia/Tokyo)');
  assert.is(timezoneWithOffset('-03:30'), undefined);
  assert.is(isTimezone('Europe/Paris'), false);
});

test.run();
