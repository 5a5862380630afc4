import * as assert from 'uvu/assert';
import { summariseEvent } from '../../src/model/event-summary.ts';
import { suite } from '../support/suite.ts';

/** Shows that summaries describe a change in one line. */

const test = suite('notifications: summary');

const named = (...names: string[]) => names.map((name) => ({ name, newValue: 'x' }));

const change = (updated: string[], added: string[] = [], deleted: string[] = []) => ({
  previousVersion: 0.1,
  fieldsUpdated: named(...updated),
  fieldsAdded: named(...added),
  fieldsDeleted: named(...deleted),
});

test('a summary lists updated, added and removed members', () => {
  assert.is(summariseEvent('entityUpdated', change(['description'], ['tags'])), 'description changed; tags added');
  assert.is(
    summariseEvent('entityUpdated', change(['columns.amount.description'], ['owners'], ['owners'])),
    'columns.amount.description changed; owners added; owners removed',
  );
});

test('a summary says what happened to the whole record', () => {
  const hidden = change(['deleted']);
  assert.is(summariseEvent('entitySoftDeleted', hidden), 'deleted');
  assert.is(summariseEvent('entityRestored', hidden), 'restored');
  assert.is(summariseEvent('entityDeleted', undefined), 'deleted for good');
  assert.is(summariseEvent('entityLineageAdded', undefined), 'lineage added');
  assert.is(summariseEvent('entityUpdated', undefined), 'changed');
  assert.is(summariseEvent('entityUpdated', change([])), 'changed');
});

test('a summary stays one line whatever changed', () => {
  const names = Array.from({ length: 40 }, (_, at) => `columns.c${at}`);
  assert.is(
    summariseEvent('entityUpdated', change(names)),
    'columns.c0 changed; columns.c1 changed; columns.c2 changed; columns.c3 changed; columns.c4 changed; and 35 more',
  );
  assert.ok(summariseEvent('entityUpdated', change(['x'.repeat(5000)])).length < 120);
});

test('a malformed change description does not fail', () => {
  for (const odd of [{ fieldsUpdated: 'x' }, { fieldsUpdated: [1, null, { name: 7 }] }, { fieldsAdded: null }]) {
    assert.is(summariseEvent('entityUpdated', odd), 'changed');
  }
});

test.run();
