import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import {
  fqnPart,
  fqnPrefixes,
  isFqnWithin,
  joinFqn,
  MAX_FQN_LENGTH,
  normaliseFqn,
  normaliseName,
  parentFqn,
  singlePartFqn,
  splitFqn,
} from '../../src/model/name.ts';
import { HOSTILE_NAMES } from '../support/hostile-texts.ts';
import { suite } from '../support/suite.ts';

/** Shows that names are validated and fully qualified names are split, joined and normalized. */

const test = suite('model: names');

const refuses = (body: () => unknown, message: string) =>
  assert.throws(body, (failure: unknown) => {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).code, 'bad_request');
    assert.is((failure as CatalogError).message, message);
    return true;
  });

test('a name is quoted if and only if it contains a dot', () => {
  assert.is(fqnPart('orders'), 'orders');
  assert.is(fqnPart('my.team'), '"my.team"');
  assert.is(joinFqn('shop.pg', 'orders'), 'shop.pg.orders');
  assert.is(joinFqn('shop.pg', 'orders.v2'), 'shop.pg."orders.v2"');
  assert.is(joinFqn(undefined, 'my.service'), '"my.service"');
  assert.is(joinFqn('', 'service'), 'service');
});

test('a fully qualified name splits into its names', () => {
  assert.equal(splitFqn('a'), ['a']);
  assert.equal(splitFqn('a.b.c'), ['a', 'b', 'c']);
  assert.equal(splitFqn('a."b.c".d'), ['a', 'b.c', 'd']);
  assert.equal(splitFqn('"a.b"'), ['a.b']);
  assert.equal(splitFqn('"a"."b"'), ['a', 'b']);
  assert.equal(splitFqn("o'brien.a b/%.ü"), ["o'brien", 'a b/%', 'ü']);
  assert.equal(splitFqn('"..".x'), ['..', 'x']);
});

test('an invalid fully qualified name is refused with 400', () => {
  const bad = [
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    '"',
    '""',
    '"a',
    'a"',
    'a"b',
    '"a"b',
    '"a"b.c',
    'a."b',
    '"a".',
    '"a"."',
    '"""',
  ];
  for (const fqn of bad) {
    refuses(() => splitFqn(fqn), `Invalid name ${fqn}`);
    refuses(() => normaliseFqn(fqn), `Invalid name ${fqn}`);
  }
});

test('quotes around a name without a dot are removed', () => {
  assert.is(normaliseFqn('"a"'), 'a');
  assert.is(normaliseFqn('"a"."b.c"."d"'), 'a."b.c".d');
  assert.is(normaliseFqn('a.b'), 'a.b');
});

test('single-part names are found quoted and unquoted', () => {
  assert.is(singlePartFqn('my.team'), '"my.team"');
  assert.is(singlePartFqn('"my.team"'), '"my.team"');
  assert.is(singlePartFqn('team'), 'team');
  assert.is(singlePartFqn('"team"'), 'team');
  assert.is(singlePartFqn('a..b.'), '"a..b."');
  for (const text of ['', '"', '""', 'a"b', '"a"b"', '"a']) refuses(() => singlePartFqn(text), `Invalid name ${text}`);
});

test('names: every printable character is preserved', () => {
  for (const name of [
    'a',
    "o'brien",
    'a:b',
    'a.b',
    '%2F/\\',
    '<b>|',
    ' ',
    'Ünï',
    '名前',
    '👩‍👩‍👧',
    '__proto__',
    '-',
    '*',
    'a\u2028b',
  ]) {
    assert.is(normaliseName(name), name);
  }
  assert.is(normaliseName('"a"'), 'a');
});

test('names: separators, quotes, control characters and lone surrogates are refused with 400', () => {
  const bad = [
    '',
    '""',
    '"',
    'a::b',
    '::',
    'a"b',
    '"a.b"',
    '"a',
    '""a""',
    'a\nb',
    'a\u0000',
    '\u0001',
    '\u007f',
    '\u0085',
    '\ud83d',
    'a\udc00',
  ];
  for (const name of bad) refuses(() => normaliseName(name), `Invalid name ${name}`);
});

test('names: the length is counted in code points', () => {
  assert.is(normaliseName('x'.repeat(256)).length, 256);
  assert.is(normaliseName('😀'.repeat(256)).length, 512);
  for (const name of ['x'.repeat(257), '😀'.repeat(257), `${'😀'.repeat(256)}x`, 'x'.repeat(100_000)]) {
    refuses(() => normaliseName(name), `Invalid name ${name}`);
  }
});

test('fully qualified names are limited to 3072 characters and the size of an index key', () => {
  const parent = 'p'.repeat(MAX_FQN_LENGTH - 2);
  assert.is(joinFqn(parent, 'x').length, MAX_FQN_LENGTH);
  const message = '[fullyQualifiedName must be at most 3072 characters and 7900 bytes long]';
  refuses(() => joinFqn(parent, 'xy'), message);
  assert.ok(joinFqn('😀'.repeat(1_900), 'x'));
  refuses(() => joinFqn('😀'.repeat(2_000), 'x'), message);
});

test('scopes are the proper prefixes of a name', () => {
  assert.equal(fqnPrefixes('a'), []);
  assert.equal(fqnPrefixes('a.b.c'), ['a', 'a.b']);
  assert.equal(fqnPrefixes('"a.b".c."d.e"'), ['"a.b"', '"a.b".c']);
  assert.is(parentFqn('a.b."c.d"'), 'a.b');
  assert.is(parentFqn('"a.b"'), undefined);
});

test('within: only whole name parts match', () => {
  assert.ok(isFqnWithin('svc.db.x', 'svc.db'));
  assert.ok(isFqnWithin('svc.db', 'svc.db'));
  assert.ok(isFqnWithin('svc."d.b".x', 'svc."d.b"'));
  assert.not.ok(isFqnWithin('svc.db2', 'svc.db'));
  assert.not.ok(isFqnWithin('svc', 'svc.db'));
  assert.not.ok(isFqnWithin('"svc.db".x', 'svc'));
  assert.not.ok(isFqnWithin('Svc.db', 'svc'));
});

/** A small linear congruential generator: the same numbers on every run. */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

test('property: join and split are inverse, and all look-ups in the tree agree', () => {
  const random = randomNumbers(7);
  const alphabet = ['a', 'B', '.', ' ', "'", ':', '😀', '%', '\\', 'é'];
  for (let round = 0; round < 3_000; round += 1) {
    const names = Array.from({ length: 1 + random(5) }, () => {
      const name = Array.from({ length: 1 + random(6) }, () => alphabet[random(alphabet.length)]).join('');
      return name.replaceAll('::', 'x');
    });
    const fqns: string[] = [];
    for (const name of names) fqns.push(joinFqn(fqns.at(-1), normaliseName(name)));
    const fqn = fqns.at(-1) ?? '';
    assert.equal(splitFqn(fqn), names);
    assert.is(normaliseFqn(fqn), fqn);
    assert.equal(fqnPrefixes(fqn), fqns.slice(0, -1));
    assert.is(parentFqn(fqn), fqns.at(-2));
    assert.ok(fqns.every((prefix) => isFqnWithin(fqn, prefix)));
    assert.not.ok(isFqnWithin(fqn, `${fqn}.x`));
    assert.is(normaliseFqn(names.map((name) => `"${name}"`).join('.')), fqn);
  }
});

test('hostile names are refused', () => {
  for (const fqn of HOSTILE_NAMES.texts) assert.throws(() => splitFqn(fqn));
});

test.run();
