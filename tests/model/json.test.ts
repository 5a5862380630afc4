import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import {
  assertJsonDepth,
  canonicalJson,
  equalJson,
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
  withoutMember,
} from '../../src/model/json.ts';
import { suite } from '../support/suite.ts';
import { countTextWork } from '../support/text-work.ts';

/** Shows that JSON values are compared, measured and read without inherited members. */

const test = suite('model: JSON');

const parse = (text: string): JsonObject => JSON.parse(text);

test('equal: the order of members is ignored, and that of elements is not', () => {
  assert.ok(equalJson({ a: 1, b: [{ c: null, d: 'x' }] }, { b: [{ d: 'x', c: null }], a: 1 }));
  assert.not.ok(equalJson([1, 2], [2, 1]));
  assert.not.ok(equalJson([1], [1, 2]));
  assert.not.ok(equalJson({ a: 1 }, { a: 1, b: 2 }));
  assert.not.ok(equalJson({ a: 1, c: 2 }, { a: 1, b: 2 }));
});

test('equal: values of different types differ', () => {
  for (const [a, b] of [
    [1, '1'],
    [0, false],
    [null, {}],
    [[], {}],
    [{}, []],
    [{ 0: 'a' }, ['a']],
    [undefined, null],
  ] as const) {
    assert.not.ok(equalJson(a, b), `${JSON.stringify(a)} against ${JSON.stringify(b)}`);
  }
});

test('equal: inherited names are not members', () => {
  assert.not.ok(equalJson({ constructor: 1 }, { other: 1 }));
  assert.not.ok(equalJson(parse('{"__proto__": {}}'), { other: {} }));
  assert.ok(equalJson(parse('{"__proto__": {"a": 1}}'), parse('{"__proto__": {"a": 1}}')));
  assert.not.ok(equalJson(parse('{"__proto__": {"a": 1}}'), parse('{"__proto__": {"a": 2}}')));
});

test('built-in member names are plain data', () => {
  assert.is(member({}, 'constructor'), undefined);
  assert.is(member({}, '__proto__'), undefined);
  assert.equal(member(parse('{"__proto__": {"admin": true}}'), '__proto__'), { admin: true });
  const target: MutableJsonObject = {};
  setMember(target, '__proto__', { admin: true });
  setMember(target, 'constructor', 1);
  assert.is(member(target, 'admin'), undefined);
  assert.is(target['admin'], undefined);
  assert.is(JSON.stringify(target), '{"__proto__":{"admin":true},"constructor":1}');
});

test('copies with and without a member leave the original unchanged', () => {
  const original = { a: 1, b: 2 };
  assert.equal(withMember(original, 'a', 3), { a: 3, b: 2 });
  assert.equal(withoutMember(original, 'a'), { b: 2 });
  assert.equal(original, { a: 1, b: 2 });
  const odd = withMember(parse('{"__proto__": 1}'), '__proto__', 2);
  assert.is(JSON.stringify(odd), '{"__proto__":2}');
  assert.is(JSON.stringify(withoutMember(odd, '__proto__')), '{}');
});

test('objects, arrays and null are distinguished', () => {
  assert.equal([isObject({}), isObject([]), isObject(null), isObject('a')], [true, false, false, false]);
  assert.equal([isArray([]), isArray({}), isArray(null)], [true, false, false]);
});

test('canonical text is the same for equal values', () => {
  const text = canonicalJson({ b: [1, { d: null, c: 'ü"' }], a: true });
  assert.is(text, '{"a":true,"b":[1,{"c":"ü\\"","d":null}]}');
  assert.is(canonicalJson({ a: true, b: [1, { c: 'ü"', d: null }] }), text);
});

const depthFailure = (text: string, max: number): unknown => {
  try {
    assertJsonDepth(text, max);
    return undefined;
  } catch (failure) {
    return failure;
  }
};

test('depth: a document at the limit passes, and one level more is refused with 400', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  assert.is(depthFailure(nested(100), 100), undefined);
  const failure = depthFailure(nested(101), 100);
  assert.instance(failure, CatalogError);
  assert.is((failure as CatalogError).status, 400);
  assert.is((failure as CatalogError).message, 'JSON is nested more than 100 levels deep');
});

test('depth: siblings do not add up, and brackets in strings do not count', () => {
  assert.is(depthFailure(`[${'{"a":[]},'.repeat(1000)}1]`, 3), undefined);
  assert.is(depthFailure('{"[[[[":"{{{{ \\" [[[[ \\\\"}', 1), undefined);
  assert.is(depthFailure('{"a\\\\":[1]}', 2), undefined);
  assert.ok(depthFailure('{"a\\\\":[[1]]}', 2));
});

test('depth: malformed text is left to the parser', () => {
  for (const text of ['', '"unfinished', '"unfinished\\', ']]]]', '{"a']) assert.is(depthFailure(text, 1), undefined);
});

test('depth: each of many brackets and backslashes is looked at a few times only', async () => {
  for (const text of ['['.repeat(10_000), `["${'\\\\'.repeat(5_000)}"]`, `["${'\\"'.repeat(5_000)}"]`]) {
    const looked = await countTextWork(() => assert.is(depthFailure(text, text.length), undefined));
    assert.ok(looked <= 3 * text.length, `${looked} looks at ${text.length} characters`);
  }
});

test.run();
