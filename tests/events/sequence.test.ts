import * as assert from 'uvu/assert';
import { assignNumbers, timePlace, type UnnumberedEvent } from '../../src/events/sequence.ts';
import { suite } from '../support/suite.ts';

/** Shows that change events are numbered in the order of each asset. */

const test = suite('events: sequence numbers');

const event = (id: string, entityId: string, revision: number, timestamp: number): UnnumberedEvent => ({
  id,
  entityId,
  revision,
  timestamp,
});

const order = (...events: UnnumberedEvent[]): string =>
  assignNumbers(events, 0)
    .map(({ id }) => id)
    .join(' ');

test('events of different records are numbered by time', () => {
  assert.is(order(event('c', 'z', 1, 30), event('a', 'x', 1, 10), event('b', 'y', 1, 20)), 'a b c');
});

test('events of one record are numbered by revision, whatever their clocks said', () => {
  assert.is(
    order(event('second', 'x', 2, 10), event('other', 'y', 1, 15), event('first', 'x', 1, 20)),
    'first other second',
  );
  assert.is(order(event('b', 'x', 2, 10), event('c', 'x', 3, 10), event('a', 'x', 1, 10)), 'a b c');
});

test('the deletion event is numbered last', () => {
  const farewell = event('farewell', 'x', Number.MAX_SAFE_INTEGER, 10);
  assert.is(order(farewell, event('last', 'x', 7, 10)), 'last farewell');
});

test('numbers continue without gaps, and positions sort by time and then by number', () => {
  const events = [event('a', 'x', 1, 10), event('b', 'x', 2, 10), event('c', 'y', 1, 1_763_719_200_000)];
  const numbered = assignNumbers(events, 41);
  assert.equal(
    numbered.map(({ seq }) => seq),
    [42, 43, 44],
  );
  const places = numbered.map(({ place }) => place);
  assert.equal([...places].sort(), places);
  assert.ok(timePlace(10) < (places[0] ?? '') && (places[1] ?? '') < timePlace(11));
  assert.ok(timePlace(9_999) < timePlace(10_000));
});

test.run();
