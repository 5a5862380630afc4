import * as assert from 'node:assert/strict';
import { readOdcs } from '../../../src/contracts/odcs/texts/documents.ts';
import { readYaml } from '../../../src/contracts/odcs/texts/yaml.ts';
import { countCalls, expectLinearCalls } from '../../support/count-calls.ts';
import { bulkyDocument, manyKeys } from '../../support/hostile-input.ts';
import { suite } from '../../support/suite.ts';
import { back, plain, ROOT, refusal, refusedWith, sameJson } from './fixture.ts';

/** Shows that YAML is read within its limits. */

const test = suite('contracts/odcs: YAML parser');

const MIB = 1024 * 1024;
const value = (text: string): unknown => plain(readYaml(text, new Set()));

/** More than refusing a text ever takes, and far fewer than it takes to look at a million parts of it. */
const MOST_CALLS = 20_000;

/** Expects that a text is refused without reading much of it. */
const refusedAtOnce = (text: string, reason: RegExp, message?: string): void => {
  const calls = countCalls(() => assert.match(refusal(text), reason, message));
  assert.ok(calls < MOST_CALLS, `${calls} calls`);
};

test('a body of 10 MiB is read, and a larger one is 413', () => {
  const whole = bulkyDocument(10 * MIB);
  assert.equal(Buffer.byteLength(whole), 10 * MIB);
  assert.equal(Object.keys(readOdcs(whole).source).length, 16);
  assert.match(refusal(`${whole} `, 'payload_too_large'), /larger than 10485760 bytes/);
  // Bytes count, not characters.
  assert.match(refusal('ä'.repeat(5 * MIB + 1), 'payload_too_large'), /larger/);
});

test('64 levels are read and 65 are refused, in both formats', () => {
  const nested = (levels: number, open: string, close: string) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  for (const extra of ['', ' # no JSON']) {
    sameJson(value(`{"a":${nested(63, '[', ']')}}${extra}`), JSON.parse(`{"a":${nested(63, '[', ']')}}`));
    assert.match(refusal(`{"a":${nested(64, '[', ']')}}${extra}`), /nested more than 64 levels deep/);
  }
  const block = (levels: number) => Array.from({ length: levels }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
  assert.ok(value(block(64)));
  assert.match(refusal(block(65)), /nested more than 64 levels deep/);
});

test('extreme nesting is refused at once', () => {
  for (const piece of ['[', '{', '- ', '? ', '{a: ', '[[{"a":', ': ']) {
    refusedAtOnce(piece.repeat(MIB / piece.length), /64 levels|Invalid YAML/, piece);
  }
});

test('more than 500 000 nodes are refused, in both formats', () => {
  const items = (count: number) => `{"a":[${'1,'.repeat(count - 1)}1]}`;
  assert.ok(value(items(499_998)));
  assert.match(refusal(items(500_000)), /more than 500000 nodes/);
  assert.match(refusal(`${items(500_001)} # no JSON`), /more than 500000 nodes/);
});

test('aliases are expanded a thousand times at most, and count their expanded nodes', () => {
  const list = (count: number) => `a: &a {b: 1}\nc: [${'*a, '.repeat(count)}]`;
  assert.deepEqual(value('a: &a {b: 1}\nc: *a'), { a: { b: 1 }, c: { b: 1 } });
  assert.equal((value(list(1_000)) as { c: unknown[] }).c.length, 1_000);
  assert.match(refusal(list(1_001)), /c\[1000\]: more than 1000 aliases/);
  const big = `a: &a [${'1, '.repeat(1_000)}]\nb: [${'*a, '.repeat(600)}]`;
  assert.match(refusal(big), /more than 500000 nodes/);
  const deep = `a: &a ${'['.repeat(40)}1${']'.repeat(40)}\nb: ${'['.repeat(40)}*a${']'.repeat(40)}`;
  assert.match(refusal(deep), /nested more than 64 levels deep/);
});

test('an alias bomb is refused at once', () => {
  const rows = Array.from({ length: 12 }, (_, row) => `a${row + 1}: &a${row + 1} [${`*a${row}, `.repeat(10)}]`);
  refusedAtOnce(`a0: &a0 [x, x]\n${rows.join('\n')}`, /more than 1000 aliases/);
});

test('recursive and unknown aliases are refused with their position', () => {
  refusedWith('a: &a\n  b: *a', 'Invalid YAML content: line 2, column 6: the alias a stands inside what it stands for');
  assert.match(refusal('a: *b'), /^Invalid YAML content: line 1, column 4: /);
});

test('a redefined anchor has its new value from then on, and earlier uses keep the former one', () => {
  assert.deepEqual(value('a: &x 1\nb: &y [*x]\nc: &x 2\nd: [*x, *y]'), { a: 1, b: [1], c: 2, d: [2, [1]] });
});

test('custom tags are refused, and those of the core schema are not', () => {
  for (const tag of [
    '!!js/function',
    '!!python/object:os.system',
    '!x',
    '!!binary',
    '!!timestamp',
    '!!set',
    '!!omap',
    '!<tag:example.org,2000:a>',
  ]) {
    assert.match(refusal(`a: ${tag} b`), /^Invalid YAML content: line 1, column \d+: .*tag/i, tag);
  }
  assert.match(refusal('%TAG !e! tag:example.org,2000:\n---\na: !e!b c'), /tag/);
  assert.deepEqual(value('a: !!str 1\nb: !!int "2"\nc: !!map {}\nd: !!seq []\ne: !!null ""'), {
    a: '1',
    b: 2,
    c: {},
    d: [],
    e: null,
  });
});

test('merge keys are plain keys', () => {
  assert.deepEqual(value('a: &a {b: 1}\nc:\n  <<: *a\n  d: 2'), { a: { b: 1 }, c: { '<<': { b: 1 }, d: 2 } });
});

test('a document that declares YAML 1.1 is read as 1.2', () => {
  assert.deepEqual(value('%YAML 1.1\n---\na: yes\nb: 010\nc: 2024-01-01\nd: 1:30'), {
    a: 'yes',
    b: 10,
    c: '2024-01-01',
    d: '1:30',
  });
});

test('words and times are read by the core schema', () => {
  assert.deepEqual(
    value('a: yes\nb: 2022-11-15 02:59:43\nc: 2022-10-03\nd: 0o17\ne: 0x1F\nf: ~\ng: 1e3\nh: No\ni: "1"'),
    {
      a: 'yes',
      b: '2022-11-15 02:59:43',
      c: '2022-10-03',
      d: 15,
      e: 31,
      f: null,
      g: 1000,
      h: 'No',
      i: '1',
    },
  );
});

test('duplicate keys are refused with their path and position, in both formats', () => {
  refusedWith('a:\n  b: 1\n  c: 2\n  b: 3', 'Invalid ODCS content: a.b: duplicate key at line 4, column 3');
  refusedWith(
    '{"a": [{"b": 1},\n {"b": 1, "b": 2}]}',
    'Invalid ODCS content: a[1].b: duplicate key at line 2, column 11',
  );
  refusedWith('{"a": 1, "\\u0061": 2}', 'Invalid ODCS content: a: duplicate key at line 1, column 10');
  refusedWith(
    '{"__proto__": 1, "__proto__": 2}',
    'Invalid ODCS content: __proto__: duplicate key at line 1, column 18',
  );
});

test('very many keys are checked with work that grows with their number', () => {
  expectLinearCalls(1_000, manyKeys, (text) => assert.match(refusal(text), /apiVersion/));
  assert.match(refusal(manyKeys(60_000)), /apiVersion/);
});

test('keys that are no text are refused', () => {
  for (const text of [
    '1: a',
    'true: a',
    'null: a',
    '? [a]\n: b',
    '? {a: b}\n: c',
    '~: a',
    ': a',
    'a: &k b\n*k : c',
    '1.5: a',
  ]) {
    assert.match(refusal(text), /^Invalid YAML content: line \d+, column \d+: /, text);
  }
  assert.deepEqual(value('"1": a\n"true": b'), { 1: 'a', true: 'b' });
});

test('numbers that JSON cannot represent are refused', () => {
  for (const text of ['a: .nan', 'a: .inf', 'a: -.inf', 'a: 1e999', '{"a": 1e999}']) {
    assert.match(refusal(text), /^Invalid ODCS content: a: must be a finite number/, text);
  }
});

test('a body has exactly one document', () => {
  assert.match(refusal('a: 1\n---\nb: 2'), /^Invalid YAML content: line \d, column \d: only one document is expected/);
  refusedAtOnce('---\n'.repeat(MIB / 4), /only one document/);
  refusedAtOnce('%a\n'.repeat(MIB / 3), /only one document/);
  refusedAtOnce('...\n'.repeat(MIB / 4), /only one document/);
  assert.equal(refusal(''), 'Invalid ODCS content: $: expected object, got null');
  assert.equal(refusal('---\n...\n'), 'Invalid ODCS content: $: expected object, got null');
  assert.deepEqual(value('--- # first\na: 1\n...\n'), { a: 1 });
  assert.deepEqual(value('\ufeffa: 1'), { a: 1 });
});

test('a text of 1 MiB is read and a longer one is refused, in every style', () => {
  const fits = 'a'.repeat(MIB);
  const over = `${fits}a`;
  assert.deepEqual(value(`a: ${fits}`), { a: fits });
  assert.deepEqual(value(`{"a": "${fits}"}`), { a: fits });
  for (const text of [
    `a: ${over}`,
    `a: "${over}"`,
    `a: '${over}'`,
    `a: |\n  ${over}`,
    `a: >\n  ${over}`,
    `{"a": "${over}"}`,
  ]) {
    assert.match(refusal(text), /^Invalid ODCS content: a: text longer than 1048576 characters/);
  }
  assert.match(refusal(`"${over}": 1`), /./);
});

test('syntax errors have a position', () => {
  assert.match(refusal('a: 1\nb: @c'), /^Invalid YAML content: line 2, column \d+: /);
  assert.match(refusal('a: "b'), /^Invalid YAML content: line 1, column \d+: /);
  assert.match(refusal('{"a": 1'), /^Invalid YAML content: line 1, column \d+: /);
  assert.match(refusal('a: @b'), /^Invalid YAML content: line 1, column \d+: /);
});

test('a root that is no object is refused', () => {
  refusedWith('- a', 'Invalid ODCS content: $: expected object, got array');
  refusedWith('[1]', 'Invalid ODCS content: $: expected object, got array');
  refusedWith('text', 'Invalid ODCS content: $: expected object, got string');
  refusedWith('12', 'Invalid ODCS content: $: expected object, got number');
});

test('built-in member names are plain keys and restored', () => {
  const text = `{"apiVersion":"v3.1.0","kind":"DataContract","id":"one","version":"1","status":"active",
    "__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"prototype":1,
    "schema":[{"name":"__proto__","properties":[{"name":"constructor","toString":"x"}],"__proto__":2}]}`;
  const document = readOdcs(text);
  assert.equal(Object.getPrototypeOf(document.source), null);
  assert.equal((Object.prototype as { polluted?: true }).polluted, undefined);
  assert.ok(Object.hasOwn(document.source, '__proto__'));
  assert.ok(Object.hasOwn(document.document, '__proto__'));
  const again = back(JSON.parse(text));
  assert.equal(JSON.stringify(again), JSON.stringify(plain(document.source)));
  assert.match(JSON.stringify(again), /"__proto__":\{"polluted":true\}.*"__proto__":2/);
});

test('a version number keeps its digits', () => {
  for (const text of [
    ROOT.replace('1.0.0', '1.10'),
    `{${ROOT.replace('1.0.0', '1.10')
      .trim()
      .replace(/^(\w+): (.*)$/gm, (_, key, rest) => `"${key}": ${rest === '1.10' ? rest : `"${rest}"`}`)
      .replace(/\n/g, ', ')}}`,
  ]) {
    const { source, document } = readOdcs(text);
    assert.equal(source['version'], '1.10', text);
    assert.equal(document['version'], '1.10');
  }
});

test('JSON is read as YAML', () => {
  const texts = [
    '{"a":{"b":[1,-2.5e3,"x\\n\\u00e9\\"",true,false,null,{}],"c":[]},"d":""}',
    ' \n{ "a" : "\\ud83d\\ude00" }\n ',
    '{"a":"tab\\tend\\\\"}',
    '{}',
  ];
  for (const text of texts) {
    assert.deepEqual(value(text), JSON.parse(text));
    assert.deepEqual(value(`${text} # YAML`), JSON.parse(text), 'the other reader');
  }
  // What only looks like JSON is YAML all the same.
  assert.deepEqual(value('{a: 1, "b": c}'), { a: 1, b: 'c' });
  assert.deepEqual(value('{"a": 01}'), { a: 1 });
  assert.deepEqual(value('{"a": [1,],}'), { a: [1] });
});

test.run();
