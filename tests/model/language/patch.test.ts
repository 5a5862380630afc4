import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
} from '../../../src/model/json.ts';
import { applyPatch, membersUsedByPatch, parsePatch, pathsWrittenByPatch } from '../../../src/model/language/patch.ts';
import { expectLinearCalls } from '../../support/count-calls.ts';
import { suite } from '../../support/suite.ts';

/** Shows that JSON Patch and JSON Merge Patch are applied by their RFCs. */

const test = suite('model: patches');

const parse = (text: string) => JSON.parse(text);
const patched = (document: JsonObject, body: unknown): JsonObject => applyPatch(document, parsePatch(body));

const failureOf = (document: JsonObject, body: unknown): string => {
  const before = JSON.stringify(document);
  try {
    patched(document, body);
  } catch (failure) {
    assert.instance(failure, CatalogError, String(failure));
    assert.is((failure as CatalogError).code, 'bad_request');
    assert.is(JSON.stringify(document), before);
    return (failure as CatalogError).message;
  }
  return assert.unreachable(`${JSON.stringify(body).slice(0, 200)} should have failed`) ?? '';
};

/** The examples of RFC 6902, appendix A: title, document, patch, result (absent when it fails). */
const RFC_6902: readonly (readonly [string, JsonObject, Json, JsonObject?])[] = [
  ['A.1 adding a member', { foo: 'bar' }, [{ op: 'add', path: '/baz', value: 'qux' }], { baz: 'qux', foo: 'bar' }],
  [
    'A.2 adding an element',
    { foo: ['bar', 'baz'] },
    [{ op: 'add', path: '/foo/1', value: 'qux' }],
    { foo: ['bar', 'qux', 'baz'] },
  ],
  ['A.3 removing a member', { baz: 'qux', foo: 'bar' }, [{ op: 'remove', path: '/baz' }], { foo: 'bar' }],
  [
    'A.4 removing an element',
    { foo: ['bar', 'qux', 'baz'] },
    [{ op: 'remove', path: '/foo/1' }],
    { foo: ['bar', 'baz'] },
  ],
  [
    'A.5 replacing',
    { baz: 'qux', foo: 'bar' },
    [{ op: 'replace', path: '/baz', value: 'boo' }],
    { baz: 'boo', foo: 'bar' },
  ],
  [
    'A.6 moving a value',
    { foo: { bar: 'baz', waldo: 'fred' }, qux: { corge: 'grault' } },
    [{ op: 'move', from: '/foo/waldo', path: '/qux/thud' }],
    { foo: { bar: 'baz' }, qux: { corge: 'grault', thud: 'fred' } },
  ],
  [
    'A.7 moving an element',
    { foo: ['all', 'grass', 'cows', 'eat'] },
    [{ op: 'move', from: '/foo/1', path: '/foo/3' }],
    { foo: ['all', 'cows', 'eat', 'grass'] },
  ],
  [
    'A.8 testing: success',
    { baz: 'qux', foo: ['a', 2, 'c'] },
    [
      { op: 'test', path: '/baz', value: 'qux' },
      { op: 'test', path: '/foo/1', value: 2 },
    ],
    { baz: 'qux', foo: ['a', 2, 'c'] },
  ],
  ['A.9 testing: error', { baz: 'qux' }, [{ op: 'test', path: '/baz', value: 'bar' }]],
  [
    'A.10 adding a nested object',
    { foo: 'bar' },
    [{ op: 'add', path: '/child', value: { grandchild: {} } }],
    { foo: 'bar', child: { grandchild: {} } },
  ],
  [
    'A.11 ignoring unknown members',
    { foo: 'bar' },
    [{ op: 'add', path: '/baz', value: 'qux', xyz: 123 }],
    { foo: 'bar', baz: 'qux' },
  ],
  ['A.12 adding below nothing', { foo: 'bar' }, [{ op: 'add', path: '/baz/bat', value: 'qux' }]],
  ['A.14 escapes', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: 10 }], { '/': 9, '~1': 10 }],
  ['A.15 comparing strings and numbers', { '/': 9, '~1': 10 }, [{ op: 'test', path: '/~01', value: '10' }]],
  [
    'A.16 adding an array',
    { foo: ['bar'] },
    [{ op: 'add', path: '/foo/-', value: ['abc', 'def'] }],
    { foo: ['bar', ['abc', 'def']] },
  ],
];

for (const [title, document, patch, result] of RFC_6902) {
  test(`RFC 6902: ${title}`, () => {
    if (result === undefined) failureOf(document, patch);
    else assert.equal(patched(document, patch), result);
  });
}

/** The examples of RFC 7396, appendix A, where both sides are objects: document, patch, result. */
const RFC_7396: readonly (readonly [JsonObject, JsonObject, JsonObject])[] = [
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

for (const [document, patch, result] of RFC_7396) {
  test(`RFC 7396: ${JSON.stringify(document)} with ${JSON.stringify(patch)}`, () => {
    const before = structuredClone(document);
    assert.equal(patched(document, patch), result);
    assert.equal(document, before);
  });
}

const TABLE = {
  id: '1',
  name: 'orders',
  description: 'x',
  owners: [{ id: 'u1', type: 'user', name: 'ann' }],
  tags: [] as Json[],
  columns: [
    { name: 'a', dataType: 'INT', tags: [{ tagFQN: 'PII.None', source: 'Classification' }] },
    { name: 'b', dataType: 'INT', description: 'old', tags: [] },
  ],
} satisfies JsonObject;

test('the paths of the contract resolve', () => {
  const result = patched(TABLE, [
    { op: 'test', path: '/owners/0/id', value: 'u1' },
    { op: 'replace', path: '/columns/1/description', value: 'new' },
    { op: 'add', path: '/tags/0', value: { tagFQN: 'Tier.Tier1' } },
    { op: 'add', path: '/tags/-', value: { tagFQN: 'PII.None' } },
    { op: 'add', path: '/extension/cost', value: 5 },
    { op: 'add', path: '/columns/0/extension/x', value: 1 },
    { op: 'remove', path: '/owners' },
  ]);
  assert.equal(result, {
    id: '1',
    name: 'orders',
    description: 'x',
    tags: [{ tagFQN: 'Tier.Tier1' }, { tagFQN: 'PII.None' }],
    columns: [
      { ...TABLE.columns[0], extension: { x: 1 } },
      { ...TABLE.columns[1], description: 'new' },
    ],
    extension: { cost: 5 },
  });
  assert.equal(TABLE.tags, []);
});

test('untouched parts are shared, and touched ones are copied once', () => {
  const result = patched(TABLE, [{ op: 'replace', path: '/columns/1/description', value: 'new' }]);
  assert.is(result['owners'], TABLE.owners);
  assert.is((result['columns'] as Json[])[0], TABLE.columns[0]);
  assert.is(TABLE.columns[1]?.description, 'old');
});

test('remove succeeds on an absent member of a reference or tag label', () => {
  for (const path of ['/owners/0/displayName', '/columns/0/tags/0/style', '/columns/0/tags/0/style/color']) {
    assert.equal(patched(TABLE, [{ op: 'remove', path }]), TABLE, path);
  }
});

test('remove fails on any other absent member, also where the record itself resembles a reference', () => {
  for (const path of ['/displayName', '/owners/1', '/columns/1/displayName', '/tags/0', '/tags/-', '/nothing/at/all']) {
    assert.is(failureOf(TABLE, [{ op: 'remove', path }]), `Patch operation remove ${path}: there is nothing to remove`);
  }
  failureOf({ id: '1', type: 'x' }, [{ op: 'remove', path: '/name' }]);
  failureOf(TABLE, [{ op: 'move', from: '/owners/0/displayName', path: '/x' }]);
});

test('add replaces an existing member, and replace fails on an absent one', () => {
  assert.equal(patched({ a: 1 }, [{ op: 'add', path: '/a', value: 2 }]), { a: 2 });
  assert.equal(patched(TABLE, [{ op: 'add', path: '/owners/0/name', value: 'bob' }])['owners'], [
    { id: 'u1', type: 'user', name: 'bob' },
  ]);
  assert.is(
    failureOf({ a: 1 }, [{ op: 'replace', path: '/b', value: 2 }]),
    'Patch operation replace /b: there is nothing to replace',
  );
  failureOf({ a: 1 }, [{ op: 'replace', path: '/a/b', value: 2 }]);
});

test('only extension is created implicitly, one level deep and never in place of a value', () => {
  failureOf({}, [{ op: 'add', path: '/style/color', value: 1 }]);
  failureOf({}, [{ op: 'add', path: '/extension/a/b', value: 1 }]);
  failureOf({ extension: 'text' }, [{ op: 'add', path: '/extension/a', value: 1 }]);
  failureOf({}, [{ op: 'replace', path: '/extension/a', value: 1 }]);
  failureOf({ list: [] }, [{ op: 'add', path: '/list/extension/a', value: 1 }]);
});

test('null is a value', () => {
  assert.equal(patched({ a: 1 }, [{ op: 'add', path: '/b', value: null }]), { a: 1, b: null });
  assert.equal(patched({ a: null }, [{ op: 'remove', path: '/a' }]), {});
  assert.equal(patched({ a: null }, [{ op: 'test', path: '/a', value: null }]), { a: null });
  failureOf({}, [{ op: 'test', path: '/a', value: null }]);
});

test('array indexes follow RFC 6901', () => {
  const list = { list: [1, 2, 3] };
  assert.equal(patched(list, [{ op: 'add', path: '/list/3', value: 4 }]), { list: [1, 2, 3, 4] });
  for (const index of ['4', '-1', '01', '1e0', '1.0', ' 1', '', 'length', '__proto__', '99999999999', '4294967296']) {
    for (const op of ['add', 'replace', 'test', 'remove']) failureOf(list, [{ op, path: `/list/${index}`, value: 4 }]);
  }
  for (const op of ['replace', 'test', 'remove']) failureOf(list, [{ op, path: '/list/-', value: 4 }]);
  failureOf({ text: 'abc' }, [{ op: 'test', path: '/text/0', value: 'a' }]);
  failureOf({ text: 'abc' }, [{ op: 'test', path: '/text/length', value: 3 }]);
});

test('the empty pointer is the document, and the document stays an object', () => {
  assert.equal(patched({ a: 1 }, [{ op: 'replace', path: '', value: { b: 2 } }]), { b: 2 });
  assert.equal(patched({ a: 1 }, [{ op: 'copy', from: '', path: '/b' }]), { a: 1, b: { a: 1 } });
  assert.equal(patched({ a: { b: 2 } }, [{ op: 'move', from: '/a', path: '' }]), { b: 2 });
  failureOf({ a: 1 }, [{ op: 'add', path: '', value: [] }]);
  failureOf({ a: 1 }, [{ op: 'remove', path: '' }]);
  failureOf({ a: 1 }, [{ op: 'move', from: '', path: '/a' }]);
  assert.equal(patched({ '': { '': 1 } }, [{ op: 'remove', path: '//' }]), { '': {} });
});

test('a value is moved anywhere but into itself', () => {
  assert.equal(patched({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a' }]), { a: { b: 1 } });
  assert.equal(patched({ a: { b: 1 } }, [{ op: 'move', from: '/a/b', path: '/a' }]), { a: 1 });
  assert.equal(patched({ a: 1 }, [{ op: 'move', from: '/a', path: '/ab' }]), { ab: 1 });
  failureOf({ a: { b: 1 } }, [{ op: 'move', from: '/a', path: '/a/b' }]);
  failureOf({ a: 1 }, [{ op: 'move', from: '/b', path: '/b' }]);
});

test('copies do not share later changes', () => {
  const result = patched({ a: { list: [1] } }, [
    { op: 'add', path: '/a/list/-', value: 2 },
    { op: 'copy', from: '/a', path: '/b' },
    { op: 'add', path: '/a/list/-', value: 3 },
    { op: 'replace', path: '/b/list/0', value: 9 },
  ]);
  assert.equal(result, { a: { list: [1, 2, 3] }, b: { list: [9, 2] } });
});

test('the patch itself is not modified', () => {
  const value = { list: [1] };
  const patch = parsePatch([
    { op: 'add', path: '/a', value },
    { op: 'add', path: '/a/list/-', value: 2 },
  ]);
  for (let round = 0; round < 2; round += 1) assert.equal(applyPatch({}, patch), { a: { list: [1, 2] } });
  assert.equal(value, { list: [1] });
});

test('an invalid patch is refused with 400', () => {
  for (const body of [null, 'x', 1, true, undefined, [1], [null], [[]], [{}], [{ op: 'add' }], [{ path: '/a' }]]) {
    failureOf({ a: 1 }, body);
  }
  for (const operation of [
    { op: 'spam', path: '/a', value: 1 },
    { op: 'Add', path: '/a', value: 1 },
    { op: 'add', path: 'a', value: 1 },
    { op: 'add', path: 1, value: 1 },
    { op: 'add', path: '/a~', value: 1 },
    { op: 'add', path: '/a~2', value: 1 },
    { op: 'add', path: '/b' },
    { op: 'replace', path: '/a' },
    { op: 'test', path: '/a' },
    { op: 'copy', path: '/b' },
    { op: 'move', path: '/b', from: null },
    { op: { toString: 1 }, path: '/a' },
    { op: 'add', path: { toString: 1 }, value: 1 },
    { op: 'copy', path: '/b', from: { toString: 1 } },
    { op: 'constructor', path: '/a' },
  ]) {
    failureOf({ a: 1 }, [operation]);
  }
});

test('messages contain operation and path, cut to a readable length', () => {
  assert.is(failureOf({}, [{ op: 'copy', from: '/a', path: '/b' }]), 'Patch operation copy /b: there is nothing at /a');
  assert.is(failureOf({}, [{ op: 'spam', path: '/b' }]), 'Patch operation spam /b: op is unknown');
  assert.is(
    failureOf({ a: 1 }, [{ op: 'test', path: '/a', value: 2 }]),
    'Patch operation test /a: the value is a different one',
  );
  assert.ok(failureOf({}, [{ op: 'x'.repeat(9_999), path: `/${'y'.repeat(9_999)}` }]).length < 300);
});

test('built-in member names are plain data', () => {
  const result = patched({ a: {} }, [
    { op: 'add', path: '/__proto__', value: { admin: true } },
    { op: 'add', path: '/a/__proto__', value: { admin: true } },
    { op: 'add', path: '/constructor', value: 1 },
  ]);
  assert.is(JSON.stringify(result), '{"a":{"__proto__":{"admin":true}},"__proto__":{"admin":true},"constructor":1}');
  assert.is(result['admin'], undefined);
  const deeper = patched(result, [{ op: 'replace', path: '/__proto__/admin', value: false }]);
  assert.is(JSON.stringify(deeper['a']), '{"__proto__":{"admin":true}}');
  assert.is(JSON.stringify(deeper).includes('"admin":false'), true);
  for (const path of ['/__proto__/polluted', '/constructor/prototype/polluted', '/a/toString/x']) {
    failureOf({ a: {} }, [{ op: 'add', path, value: 1 }]);
  }
  failureOf({}, [{ op: 'copy', from: '/toString', path: '/x' }]);
  failureOf({}, [{ op: 'test', path: '/__proto__', value: {} }]);
  assert.is(({} as MutableJsonObject)['polluted'], undefined);
});

test('a merge patch cannot modify a prototype', () => {
  const result = patched({ a: 1 }, parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {"p": 1}}}'));
  assert.is(JSON.stringify(result), '{"a":1,"__proto__":{"polluted":true},"constructor":{"prototype":{"p":1}}}');
  assert.is(({} as MutableJsonObject)['polluted'], undefined);
  assert.is(({} as MutableJsonObject)['p'], undefined);
  assert.is(JSON.stringify(patched(result, parse('{"__proto__": null, "constructor": null}'))), '{"a":1}');
});

test('operations, pointers, copies and depth are limited', () => {
  const many = (count: number) => Array.from({ length: count }, () => ({ op: 'add', path: '/a', value: 1 }));
  assert.is(parsePatch(many(2000)).form, 'operations');
  try {
    parsePatch(many(2001));
    assert.unreachable('2,001 operations should have been refused');
  } catch (failure) {
    assert.is((failure as CatalogError).code, 'payload_too_large');
  }
  failureOf({}, [{ op: 'add', path: '/'.repeat(40_000), value: 1 }]);
  const doubling = Array.from({ length: 90 }, (_, round) => ({ op: 'copy', from: '', path: `/c${round}` }));
  assert.match(failureOf({ text: 'x'.repeat(100) }, doubling), /moves or copies too much/);
  const growing = Array.from({ length: 2_000 }, () => ({ op: 'copy', from: '/a', path: '/a/-' }));
  assert.ok(failureOf({ a: [[]] }, growing));
  const deeper = Array.from({ length: 2_000 }, () => ({ op: 'copy', from: '/a', path: '/a/a' }));
  assert.match(failureOf({ a: { a: {} } }, deeper), /nested too deeply/);
  const deepest = Array.from({ length: 101 }, (_, depth) => ({ op: 'add', path: '/a'.repeat(depth + 1), value: {} }));
  assert.match(failureOf({}, deepest), /nested too deeply/);
  const names = [{ op: 'add', path: `/${'n'.repeat(30_000)}`, value: 1 }, ...doubling];
  assert.match(failureOf({}, names), /too much/);
});

test('the work of many operations on many columns is linear', () => {
  const prepare = (size: number) => ({
    columns: Array.from({ length: size }, (_, index) => ({ name: `c${index}`, tags: [] as Json[] })),
    operations: Array.from({ length: 2 * size }, (_, index) => ({
      op: 'add',
      path: `/columns/${index % size}/description`,
      value: `d${index}`,
    })),
  });
  const apply = ({ columns, operations }: ReturnType<typeof prepare>) => patched({ columns }, operations);
  const result = apply(prepare(1000));
  assert.equal((result['columns'] as Json[])[999], { name: 'c999', tags: [], description: 'd1999' });
  expectLinearCalls(250, prepare, apply);
});

test('the touched paths of operations are listed', () => {
  const patch = parsePatch([
    { op: 'test', path: '/name', value: 'orders' },
    { op: 'add', path: '/columns/1/tags/0', value: { tagFQN: 'PII.None' } },
    { op: 'move', from: '/description', path: '/displayName' },
    { op: 'copy', from: '/name', path: '/displayName' },
    { op: 'replace', path: '/a~1b', value: 1 },
  ]);
  assert.equal(pathsWrittenByPatch(TABLE, patch), ['/columns/1/tags/0', '/description', '/displayName', '/a~1b']);
});

test('the touched paths of a merge patch are listed by changed member', () => {
  const document = { name: 'a', style: { color: 'red', icon: 'x' }, tags: [], extension: { a: 1 } };
  const touched = (body: JsonObject) => pathsWrittenByPatch(document, parsePatch(body));
  assert.equal(touched({ name: 'a', tags: [], missing: null }), []);
  assert.equal(touched({ name: 'b', description: 'x' }), ['/name', '/description']);
  assert.equal(touched({ style: { color: 'blue', icon: 'x' } }), ['/style/color']);
  assert.equal(touched({ style: null, extension: { b: { c: 1 } } }), ['/style', '/extension/b']);
  assert.equal(touched({ style: 'red', tags: [1] }), ['/style', '/tags']);
  assert.equal(touched({ 'a/b~c': 1 }), ['/a~1b~0c']);
  assert.equal(touched({ owners: {} }), ['/owners']);
});

test('the members that a patch writes, tests, moves or copies are listed', () => {
  const patch = parsePatch([
    { op: 'test', path: '/usageSummary/dailyStats/count', value: 1 },
    { op: 'copy', from: '/name', path: '/displayName' },
    { op: 'move', from: '/tags/0', path: '/a~1b' },
    { op: 'add', path: '/tags/-', value: 1 },
  ]);
  assert.equal(membersUsedByPatch(patch), ['usageSummary', 'displayName', 'name', 'a/b', 'tags']);
  assert.equal(membersUsedByPatch(parsePatch({ owners: null, name: 'x' })), ['owners', 'name']);
  assert.equal(membersUsedByPatch(parsePatch([{ op: 'test', path: '', value: {} }])), []);
});

/** A small linear congruential generator: the same numbers on every run. */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const NAMES = ['a', 'b/c', '~d', '__proto__', '', 'extension', '0'];

const randomValue = (random: (below: number) => number, depth: number): Json => {
  const kind = random(depth > 0 ? 5 : 3);
  if (kind < 3) return [random(3), `t${random(3)}`, random(2) === 0][kind] ?? 0;
  if (kind === 3) return Array.from({ length: random(4) }, () => randomValue(random, depth - 1));
  return randomObject(random, depth - 1);
};

const randomObject = (random: (below: number) => number, depth: number): JsonObject =>
  Object.fromEntries(
    Array.from({ length: random(5) }, () => [NAMES[random(NAMES.length)] ?? '', randomValue(random, depth)]),
  );

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** The operations that lead from one value to another, in the way client libraries write them. */
const difference = (before: Json | undefined, after: Json | undefined, path: string): JsonObject[] => {
  if (equalJson(before, after)) return [];
  if (after === undefined) return [{ op: 'remove', path }];
  if (before === undefined) return [{ op: 'add', path, value: after }];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    const own = (object: JsonObject, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);
    return names.flatMap((name) => difference(own(before, name), own(after, name), `${path}/${escaped(name)}`));
  }
  if (!isArray(before) || !isArray(after)) return [{ op: 'replace', path, value: after }];
  const shared = Math.min(before.length, after.length);
  return [
    ...before.slice(0, shared).flatMap((value, index) => difference(value, after[index], `${path}/${index}`)),
    ...before.slice(shared).map(() => ({ op: 'remove', path: `${path}/${shared}` })),
    ...after.slice(shared).map((value) => ({ op: 'add', path: `${path}/-`, value })),
  ];
};

const mergeDifference = (before: JsonObject, after: JsonObject): JsonObject => {
  const entries = [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name): [string, Json][] => {
    const old = Object.hasOwn(before, name) ? before[name] : undefined;
    const value = Object.hasOwn(after, name) ? after[name] : undefined;
    if (value === undefined) return [[name, null]];
    if (equalJson(old, value)) return [];
    return [[name, isObject(old) && isObject(value) ? mergeDifference(old, value) : value]];
  });
  return Object.fromEntries(entries);
};

test('property: the difference of two documents patches the first into the second', () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 2_000; round += 1) {
    const before = randomObject(random, 4);
    const after = randomObject(random, 4);
    const text = JSON.stringify(before);
    const operations = difference(before, after, '');
    const note = JSON.stringify({ before, after, operations });
    assert.ok(equalJson(patched(before, operations), after), note);
    assert.ok(equalJson(patched(before, mergeDifference(before, after)), after), note);
    assert.is(JSON.stringify(before), text);
    const back = patched(patched(before, operations), difference(after, before, ''));
    assert.ok(equalJson(back, before), note);
  }
});

test('property: random operations never modify the input and fail only with 400', () => {
  const random = randomNumbers(13);
  const ops = ['add', 'remove', 'replace', 'move', 'copy', 'test'];
  const parts = [...NAMES, '1', '-', 'toString', 'length'];
  const pointer = () =>
    Array.from({ length: random(4) }, () => `/${escaped(parts[random(parts.length)] ?? '')}`).join('');
  for (let round = 0; round < 5_000; round += 1) {
    const document = randomObject(random, 4);
    const text = JSON.stringify(document);
    const body = Array.from({ length: 1 + random(6) }, () => ({
      op: ops[random(ops.length)] ?? '',
      path: pointer(),
      from: pointer(),
      value: randomValue(random, 2),
    }));
    try {
      patched(document, body);
    } catch (failure) {
      assert.instance(failure, CatalogError, `${text} ${JSON.stringify(body)} ${failure}`);
    }
    assert.is(JSON.stringify(document), text);
  }
});

test.run();
