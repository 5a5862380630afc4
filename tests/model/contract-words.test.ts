import * as assert from 'uvu/assert';
import {
  isDraftState,
  isTimezone,
  odcsStatus,
  offsetOf,
  specStatus,
  statusOf,
  statusWords,
  TIMEZONES,
  timezoneAt,
} from '../../src/model/contract-words.ts';
import { suite } from '../support/suite.ts';

const test = suite('model/contract-words');

test('each state in the three vocabularies', () => {
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
    assert.is(specStatus(state), word, state);
    assert.is(odcsStatus(state), odcs, state);
    assert.is(isDraftState(state), word === 'Draft', state);
    assert.is(statusOf(state.toUpperCase()), state);
  }
});

test('a word of either vocabulary, in any case; no other', () => {
  assert.is(statusOf('active'), 'Approved');
  assert.is(statusOf('ACTIVE'), 'Approved');
  assert.is(statusOf('draft'), 'Draft');
  assert.is(statusOf('in review'), 'In Review');
  for (const word of ['', 'production', 'retired', 'toString', ' draft']) assert.is(statusOf(word), undefined, word);
});

test('lists find a state by its own word and by the one that stands for several', () => {
  assert.equal(statusWords('In Review'), ['in review', 'draft']);
  assert.equal(statusWords('Approved'), ['approved', 'active']);
  assert.equal(statusWords('Draft'), ['draft']);
  assert.equal(statusWords('Deprecated'), ['deprecated']);
});

test('labels of time zones: as many as the contract lists, each once, found by their offsets', () => {
  assert.is(TIMEZONES.length, 36);
  assert.is(new Set(TIMEZONES).size, 36);
  for (const label of TIMEZONES) {
    assert.match(label, /^GMT[+-]\d\d:\d\d \([A-Za-z]+\/[A-Za-z_ ]+\)$/);
    assert.is(isTimezone(label), true);
    assert.is(offsetOf(timezoneAt(offsetOf(label)) ?? ''), offsetOf(label));
  }
  assert.is(timezoneAt('-08:00'), 'GMT-08:00 (America/Los Angeles)');
  assert.is(timezoneAt('+03:00'), 'GMT+03:00 (Europe/Moscow)');
  assert.is(timezoneAt('+09:00'), 'GMT+09:00 (Asia/Tokyo)');
  assert.is(timezoneAt('-03:30'), undefined);
  assert.is(isTimezone('Europe/Paris'), false);
});

test.run();
