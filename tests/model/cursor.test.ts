import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import { decodeCursor, encodeCursor, sortKeyOf } from '../../src/model/cursor.ts';
import { suite } from '../support/suite.ts';

/** Shows that cursors encode the sort key of a page and reject anything else. */

const test = suite('model: cursors');

const ID = '3f0c1e1a-0000-4000-8000-000000000001';

test('a cursor is unpadded base64url of name and id', () => {
  const cursor = encodeCursor(sortKeyOf('orders', ID));
  assert.is(Buffer.from(cursor, 'base64url').toString(), `{"name":"orders","id":"${ID}"}`);
  assert.match(cursor, /^[A-Za-z0-9_-]+$/);
});

test('a cursor is decoded to its sort key', () => {
  for (const name of ['orders', '', '名前', '😀'.repeat(256), '{"id":"x"}', 'a"b\\', '???>>>', '__proto__']) {
    const sortKey = sortKeyOf(name, ID);
    assert.is(decodeCursor(encodeCursor(sortKey)), sortKey);
  }
});

test('a padded cursor is accepted too', () => {
  const padded = Buffer.from(`{"name":"a?","id":"${ID}"}`).toString('base64').replaceAll('+', '-').replaceAll('/', '_');
  assert.is(decodeCursor(padded), sortKeyOf('a?', ID));
});

test('a shorter name sorts first, whatever the ids', () => {
  const keys = [sortKeyOf('a b', '0'), sortKeyOf('ab', '0'), sortKeyOf('a', 'f'), sortKeyOf('a', '0')];
  assert.equal(keys.sort(), [sortKeyOf('a', '0'), sortKeyOf('a', 'f'), sortKeyOf('a b', '0'), sortKeyOf('ab', '0')]);
});

test('anything else is refused with 400', () => {
  const encode = (text: string) => Buffer.from(text).toString('base64url');
  const bad = [
    '',
    'orders!',
    'a b',
    encode('nonsense'),
    encode('[]'),
    encode('null'),
    encode('"x"'),
    encode('{"name":"a"}'),
    encode('{"name":1,"id":"b"}'),
    encode('{"name":"a","id":null}'),
    encode('{"__proto__":{"name":"a","id":"b"}}'),
    'A'.repeat(1_000_000),
  ];
  for (const cursor of bad) {
    assert.throws(
      () => decodeCursor(cursor),
      (failure: unknown) => failure instanceof CatalogError && failure.code === 'bad_request',
      cursor.slice(0, 40),
    );
  }
});

test.run();
