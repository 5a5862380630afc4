import * as assert from 'uvu/assert';
import {
  etagOfVersion,
  FIRST_VERSION,
  formatVersion,
  matchesIfMatch,
  matchesIfNoneMatch,
  nextVersion,
  parseVersion,
  roundVersion,
} from '../../src/model/version.ts';
import { HOSTILE_TAGS } from '../support/hostile-texts.ts';
import { suite } from '../support/suite.ts';

/** Shows that versions step, compare and render without rounding errors. */

const test = suite('model: versions');

const current = { id: '3f0c1e1a-0000-4000-8000-000000000001', version: 1, updatedAt: 1763719200000 };

test('versions step by one decimal or by one', () => {
  assert.is(roundVersion(0.1 + 0.2), 0.3);
  assert.is(nextVersion(FIRST_VERSION, 'minor'), 0.2);
  assert.is(nextVersion(0.9, 'minor'), 1);
  assert.is(nextVersion(0.3, 'major'), 1.3);
});

test('a thousand steps have no rounding error', () => {
  let version = FIRST_VERSION;
  for (let step = 0; step < 1_000; step += 1) version = nextVersion(version, 'minor');
  assert.is(version, 100.1);
});

test('versions are shown with one decimal and compared as numbers', () => {
  assert.is(formatVersion(1), '1.0');
  assert.is(formatVersion(0.1), '0.1');
  assert.is(parseVersion('1'), 1);
  assert.is(parseVersion('1.0'), 1);
  assert.is(parseVersion('0.1'), 0.1);
  for (const text of ['', 'x', '1.', '.1', '-1', '1e3', 'NaN', 'Infinity', ' 1', '0x1', '1.0.0', '9'.repeat(400)]) {
    assert.is(parseVersion(text), undefined, text);
  }
});

test('the strong entity tag contains id, version and time', () => {
  assert.is(etagOfVersion(current.id, current.version, current.updatedAt), '"3f0c1e1a-1.0-1763719200000"');
});

test('If-Match accepts strong, weak, listed and any tags', () => {
  const strong = etagOfVersion(current.id, current.version, current.updatedAt);
  const matching = [
    undefined,
    '*',
    ' * ',
    strong,
    `W/${strong}`,
    'W/"1"',
    'W/"1.0"',
    `"x", ${strong}`,
    `W/"0.1",W/"1.0"`,
  ];
  for (const header of matching) assert.ok(matchesIfMatch(header, current), header);
  const others = [
    '',
    'x',
    '1.0',
    '"1.0"',
    'W/"1.1"',
    'W/"0.1"',
    'W/""',
    '"*"',
    '"3f0c1e1a-1.0-1"',
    '"',
    ',',
    `"a${strong}b"`,
  ];
  for (const header of others) assert.not.ok(matchesIfMatch(header, current), header);
});

test('If-None-Match matches only the tag of the current state', () => {
  const strong = etagOfVersion(current.id, current.version, current.updatedAt);
  for (const header of ['*', strong, `W/${strong}`, 'W/"1"', `"x", ${strong}`]) {
    assert.ok(matchesIfNoneMatch(header, current), header);
  }
  for (const header of [undefined, '', '"x"', 'W/"1.1"']) assert.not.ok(matchesIfNoneMatch(header, current), header);
});

test('a long header of quotes matches nothing', () => {
  for (const text of HOSTILE_TAGS.texts) assert.not.ok(matchesIfMatch(text, current));
});

test.run();
