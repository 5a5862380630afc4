import * as assert from 'uvu/assert';
import { CatalogError } from '../../../src/errors.ts';
import {
  type ConditionFunction,
  checkCondition,
  listNamedRecords,
  MAX_CONDITION_DEPTH,
  MAX_CONDITION_LENGTH,
  MAX_CONDITION_NAMES,
  type PolicyCondition,
  parseCondition,
  renameInCondition,
} from '../../../src/model/language/condition.ts';
import { suite } from '../../support/suite.ts';

/** Shows that conditions of policies are parsed, and anything else is refused with its position. */

const test = suite('model: conditions');

const call = (name: ConditionFunction, ...names: string[]): PolicyCondition => ({ op: 'call', name, names });
const all = (...of: PolicyCondition[]): PolicyCondition => ({ op: 'all', of });
const any = (...of: PolicyCondition[]): PolicyCondition => ({ op: 'any', of });
const not = (of: PolicyCondition): PolicyCondition => ({ op: 'not', of });

const refused = (
  text: string,
  message: string | RegExp,
  read: (text: string) => PolicyCondition = parseCondition,
): void => {
  try {
    read(text);
  } catch (failure) {
    assert.instance(failure, CatalogError, text.slice(0, 80));
    const { code, message: told } = failure as CatalogError;
    assert.is(code, 'bad_request');
    if (typeof message === 'string') assert.is(told, message, text.slice(0, 80));
    else assert.match(told, message, text.slice(0, 80));
    return;
  }
  assert.unreachable(`${text.slice(0, 80)} was read`);
};

test('every function of the contract is parsed with its arguments', () => {
  for (const name of ['isOwner', 'noOwner', 'hasDomain', 'noDomain', 'matchTeam'] as const) {
    assert.equal(parseCondition(`${name}()`), call(name));
    assert.equal(parseCondition(` ${name} ( ) `), call(name));
    refused(`${name}('x')`, `${name} takes no argument, but there is text at character ${name.length + 2}`);
  }
  const named = ['matchAllTags', 'matchAnyTag', 'matchAnyCertification', 'inAnyTeam', 'hasAnyRole'] as const;
  for (const name of named) {
    assert.equal(parseCondition(`${name}('a')`), call(name, 'a'));
    assert.equal(parseCondition(`${name}('a','b' , 'c')`), call(name, 'a', 'b', 'c'));
    refused(`${name}()`, `text in single quotes expected instead of ) at character ${name.length + 2}`);
    refused(`${name}('a',)`, /text in single quotes expected instead of \)/);
    refused(`${name}('a' 'b')`, /\) expected instead of text/);
  }
});

test('both spellings of the operators are parsed with their precedence', () => {
  const [a, b, c] = [call('isOwner'), call('noOwner'), call('hasDomain')];
  for (const or of ['||', 'or']) {
    for (const and of ['&&', 'and']) {
      for (const no of ['!', 'not ']) {
        const read = (text: string) =>
          parseCondition(text.replaceAll(' or ', ` ${or} `).replaceAll(' and ', ` ${and} `).replaceAll('not ', no));
        assert.equal(read('isOwner() or noOwner() and hasDomain()'), any(a, all(b, c)));
        assert.equal(read('isOwner() and noOwner() or hasDomain()'), any(all(a, b), c));
        assert.equal(read('(isOwner() or noOwner()) and hasDomain()'), all(any(a, b), c));
        assert.equal(read('not isOwner() and noOwner()'), all(not(a), b));
        assert.equal(read('not (isOwner() and noOwner())'), not(all(a, b)));
        assert.equal(read('not not isOwner()'), not(not(a)));
      }
    }
  }
  assert.equal(parseCondition('isOwner() || noOwner() or hasDomain()'), any(a, b, c));
  assert.equal(parseCondition('isOwner()&&noOwner()&&hasDomain()'), all(a, b, c));
  assert.equal(parseCondition('!isOwner()||!noOwner()'), any(not(a), not(b)));
  assert.equal(parseCondition('((isOwner()))'), a);
  assert.equal(parseCondition('not(isOwner())'), not(a));
  assert.equal(parseCondition('\tisOwner()\r\n&& noOwner()\n'), all(a, b));
});

test('names are normalized and listed once', () => {
  assert.equal(parseCondition(`matchAnyTag('PII.Sensitive', 'PII.Sensitive')`), call('matchAnyTag', 'PII.Sensitive'));
  assert.equal(parseCondition(`matchAnyTag('"PII"."None"')`), call('matchAnyTag', 'PII.None'));
  assert.equal(parseCondition(`matchAnyTag('PII."a.b"')`), call('matchAnyTag', 'PII."a.b"'));
  // The name of a team or a role is one part, whatever dots it has.
  for (const name of ['inAnyTeam', 'hasAnyRole'] as const) {
    assert.equal(parseCondition(`${name}('my.own')`), call(name, '"my.own"'));
    assert.equal(parseCondition(`${name}('"my.own"')`), call(name, '"my.own"'));
    assert.equal(parseCondition(`${name}('Zoë''s && (not) crew')`), call(name, "Zoë's && (not) crew"));
  }
  for (const name of ['', 'a..b', 'a"b', '.', 'a.']) {
    refused(`matchAnyTag('${name}')`, 'text that cannot be a name at character 13');
  }
  for (const name of ['', 'a"b']) refused(`inAnyTeam('${name}')`, 'text that cannot be a name at character 11');
});

test('anything else is refused', () => {
  const bad: readonly (readonly [string, string | RegExp])[] = [
    ['', 'a function expected instead of the end at character 1'],
    ['   ', 'a function expected instead of the end at character 4'],
    ['isOwner', '( expected instead of the end at character 8'],
    ['isOwner(', 'isOwner takes no argument, but there is the end at character 9'],
    ["inAnyTeam('a'", ') expected instead of the end at character 14'],
    ['isOwner())', 'an operator or the end expected instead of ) at character 10'],
    ['(isOwner()', ') expected instead of the end at character 11'],
    ['()', 'a function expected instead of ) at character 2'],
    ['isOwner() noOwner()', 'an operator or the end expected instead of noOwner at character 11'],
    ['isOwner() &&', 'a function expected instead of the end at character 13'],
    ['&& isOwner()', 'a function expected instead of && at character 1'],
    ['isOwner() && || noOwner()', 'a function expected instead of || at character 14'],
    ['isOwner() and or noOwner()', 'a function expected instead of or at character 15'],
    ['isOwner() & noOwner()', 'unexpected character at character 11'],
    ['isOwner() | noOwner()', 'unexpected character at character 11'],
    ['isOwner() !', 'an operator or the end expected instead of ! at character 11'],
    ['!', 'a function expected instead of the end at character 2'],
    ['isowner()', 'unknown function at character 1'],
    ['IsOwner()', 'unknown function at character 1'],
    ['isOwner() AND noOwner()', 'an operator or the end expected instead of AND at character 11'],
    ['NOT isOwner()', 'unknown function at character 1'],
    ['isOwner() xor noOwner()', 'an operator or the end expected instead of xor at character 11'],
    ["inAnyTeam('a)", 'text without a closing quote at character 11'],
    ["inAnyTeam('a'')", 'text without a closing quote at character 14'],
    ['inAnyTeam("a")', 'unexpected character at character 11'],
    ['inAnyTeam(a)', 'text in single quotes expected instead of a at character 11'],
    ['inAnyTeam(1)', 'unexpected character at character 11'],
    ["inAnyTeam(('a'))", 'text in single quotes expected instead of ( at character 11'],
    ["inAnyTeam(,'a')", 'text in single quotes expected instead of , at character 11'],
    ["inAnyTeam('a';'b')", 'unexpected character at character 14'],
    ["'a'", 'a function expected instead of text at character 1'],
    ["'and'('x')", 'a function expected instead of text at character 1'],
    ['true', 'unknown function at character 1'],
    ['true()', 'unknown function at character 1'],
    ['constructor()', 'unknown function at character 1'],
    ['__proto__()', 'unknown function at character 1'],
    ['toString()', 'unknown function at character 1'],
    ['this.isOwner()', 'unexpected character at character 5'],
    ['isOwner().valueOf()', 'unexpected character at character 10'],
    ["T(java.lang.Runtime).getRuntime().exec('id')", 'unexpected character at character 7'],
    ['isOwner()\u00a0', 'unexpected character at character 10'],
    ['isOwner() // all', 'unexpected character at character 11'],
    ['isOwner() == noOwner()', 'unexpected character at character 11'],
    ['isOwner() ? noOwner() : hasDomain()', 'unexpected character at character 11'],
    ['ısOwner()', 'unexpected character at character 1'],
  ];
  for (const [text, message] of bad) refused(text, message);
});

test('length, depth and names are limited', () => {
  const pad = (length: number) => `isOwner()${' '.repeat(length - 9)}`;
  assert.equal(checkCondition(pad(MAX_CONDITION_LENGTH)), call('isOwner'));
  refused(pad(MAX_CONDITION_LENGTH + 1), /^longer than 10000 characters/, checkCondition);
  refused('isOwner', /^\( expected/, checkCondition);
  // What is stored may have grown with a name, and is read all the same.
  assert.equal(parseCondition(pad(MAX_CONDITION_LENGTH + 1)), call('isOwner'));
  const nested = (depth: number) => `${'('.repeat(depth)}isOwner()${')'.repeat(depth)}`;
  assert.equal(parseCondition(nested(MAX_CONDITION_DEPTH)), call('isOwner'));
  refused(nested(MAX_CONDITION_DEPTH + 1), /^nesting deeper than 50 at character 52$/);
  refused(`${'!'.repeat(MAX_CONDITION_DEPTH + 1)}isOwner()`, /^nesting deeper than 50/);
  refused('('.repeat(MAX_CONDITION_LENGTH), /^nesting deeper than 50/);
  refused('!'.repeat(MAX_CONDITION_LENGTH), /^nesting deeper than 50/);
  refused(`${'not '.repeat(2_000)}isOwner()`, /^nesting deeper than 50/);
  const names = (count: number) => `inAnyTeam(${Array.from({ length: count }, (_, at) => `'t${at}'`).join(',')})`;
  assert.is(listNamedRecords(parseCondition(names(MAX_CONDITION_NAMES))).length, MAX_CONDITION_NAMES);
  refused(names(MAX_CONDITION_NAMES + 1), /^more than 100 names at character/);
  refused(`${names(60)} or ${names(41)}`, /^more than 100 names at character/);
  // A long chain is flat, so it is no deeper than one of its parts.
  const chain = Array.from({ length: 700 }, () => 'isOwner()').join('||');
  assert.equal(parseCondition(chain), any(...Array.from({ length: 700 }, () => call('isOwner'))));
  refused(`inAnyTeam('${"''".repeat(4_000)}`, /text without a closing quote/);
});

test('named records: each name is listed with its possible kinds', () => {
  const text = `!(matchAllTags('PII.None','T.b') or matchAnyTag('x')) and (matchAnyCertification('Certification.Gold')
    || inAnyTeam('crew') && hasAnyRole('a.b')) && isOwner()`;
  assert.equal(listNamedRecords(parseCondition(text)), [
    { kinds: ['tag', 'glossaryTerm'], fqn: 'PII.None' },
    { kinds: ['tag', 'glossaryTerm'], fqn: 'T.b' },
    { kinds: ['tag', 'glossaryTerm'], fqn: 'x' },
    { kinds: ['tag'], fqn: 'Certification.Gold' },
    { kinds: ['team'], fqn: 'crew' },
    { kinds: ['role'], fqn: '"a.b"' },
  ]);
  assert.equal(listNamedRecords(parseCondition('isOwner() or noDomain()')), []);
});

/** A text in which the names of a table are others. */
const renamedBy = (text: string, names: Readonly<Record<string, string>>): string =>
  renameInCondition(text, ({ fqn }) => names[fqn] ?? fqn);

test('renaming: the texts that name a record are rewritten, and nothing else', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
    [`matchAnyTag('PII.None')`, { 'PII.None': 'PII.No' }, `matchAnyTag('PII.No')`],
    // A name is what lies between the quotes, not a piece of it.
    [
      `matchAnyTag('PII.None', 'PII.None2','PII')  ||\n\tmatchAllTags ( 'xPII.None' )`,
      { 'PII.None': 'Q' },
      `matchAnyTag('Q', 'PII.None2','PII')  ||\n\tmatchAllTags ( 'xPII.None' )`,
    ],
    [`inAnyTeam('isOwner()') and isOwner()`, { 'isOwner()': 'b' }, `inAnyTeam('b') and isOwner()`],
    [
      `not ( inAnyTeam( 'a' ,'b','a') )or!noOwner( )`,
      { a: "it's" },
      `not ( inAnyTeam( 'it''s' ,'b','it''s') )or!noOwner( )`,
    ],
    [`inAnyTeam('it''s')`, { "it's": "''" }, `inAnyTeam('''''')`],
    [`inAnyTeam('it''s')&&hasAnyRole('it''s')`, {}, `inAnyTeam('it''s')&&hasAnyRole('it''s')`],
    // Other spellings of a name are the same name; one that stays is not put into normal form.
    [`matchAnyTag('"A"."B"', '"A"."C"')`, { 'A.B': 'A."b.c"' }, `matchAnyTag('A."b.c"', '"A"."C"')`],
    [`inAnyTeam('my.team','"my.team"')`, { '"my.team"': 'ours' }, `inAnyTeam('ours','ours')`],
    [`hasAnyRole('r')`, { r: '"$& $1 \\ ümläut 角色 🎈"' }, `hasAnyRole('"$& $1 \\ ümläut 角色 🎈"')`],
    // Two names may change places.
    [`inAnyTeam('a','b')`, { a: 'b', b: 'a' }, `inAnyTeam('b','a')`],
  ];
  for (const [text, names, wanted] of cases) assert.is(renamedBy(text, names), wanted);
});

test('renaming: a name is distinguished by its possible kinds', () => {
  const text = `matchAnyTag('a') or matchAnyCertification('a') or inAnyTeam('a') or hasAnyRole('a')`;
  const asked: string[] = [];
  const renamed = renameInCondition(text, ({ kinds, fqn }) => {
    asked.push(`${kinds.join(' ')}: ${fqn}`);
    return kinds.includes('role') ? 'b' : fqn;
  });
  assert.equal(asked, ['tag glossaryTerm: a', 'tag: a', 'team: a', 'role: a']);
  assert.is(renamed, `matchAnyTag('a') or matchAnyCertification('a') or inAnyTeam('a') or hasAnyRole('b')`);
});

/** Numbers that look random and are the same in every run. */
const randomNumbers = (seed: number) => {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Random = ReturnType<typeof randomNumbers>;

const NAMES = ['a', 'PII.None', 'T."x.y"', "it's", "''", ') or (', 'not', 'ü'];
const PLAIN: readonly ConditionFunction[] = ['isOwner', 'noOwner', 'hasDomain', 'noDomain', 'matchTeam'];
const NAMING: readonly ConditionFunction[] = ['matchAllTags', 'matchAnyTag', 'matchAnyCertification'];

const pick = <T>(random: Random, items: readonly T[]): T => {
  const item = items[random(items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

const randomTree = (random: Random, depth: number): PolicyCondition => {
  const choice = depth === 0 ? random(2) : random(5);
  if (choice === 0) return call(pick(random, PLAIN));
  if (choice === 1) {
    const names = new Set(Array.from({ length: 1 + random(3) }, () => pick(random, NAMES)));
    return call(pick(random, NAMING), ...names);
  }
  if (choice === 2) return not(randomTree(random, depth - 1));
  const parts = Array.from({ length: 2 + random(3) }, () => randomTree(random, depth - 1));
  return choice === 3 ? all(...parts) : any(...parts);
};

const spaces = (random: Random) => pick(random, ['', ' ', '  ', '\n', '\t ']);

/** One of the many ways to write a tree down: with and without parentheses that change nothing. */
const write = (random: Random, tree: PolicyCondition): string => {
  const gap = () => spaces(random);
  const wrap = (text: string) => `(${gap()}${text}${gap()})`;
  if (tree.op === 'call') {
    const names = tree.names.map((name) => `${gap()}'${name.replaceAll("'", "''")}'${gap()}`);
    return `${tree.name}${gap()}(${names.join(',')}${gap()})`;
  }
  if (tree.op === 'not') {
    const inner = write(random, tree.of);
    const isTight = tree.of.op === 'call' || tree.of.op === 'not';
    return `${pick(random, ['!', 'not '])}${gap()}${isTight && random(2) === 0 ? inner : wrap(inner)}`;
  }
  const sign = () => pick(random, tree.op === 'all' ? ['&&', ' and '] : ['||', ' or ']);
  const part = (item: PolicyCondition) => {
    const inner = write(random, item);
    // A chain inside a chain of its own kind keeps its parentheses, since the two would be one chain without.
    const isLoose = item.op === tree.op || (tree.op === 'all' && item.op === 'any');
    return isLoose || random(3) === 0 ? wrap(inner) : inner;
  };
  const [first = '', ...rest] = tree.of.map(part);
  return rest.reduce((text, item) => `${text}${gap()}${sign()}${gap()}${item}`, first);
};

test('property: every notation of a tree is parsed to the tree', () => {
  const random = randomNumbers(11);
  for (let round = 0; round < 2_000; round += 1) {
    const tree = randomTree(random, 4);
    const text = write(random, tree);
    if (listNamedRecords(tree).length > MAX_CONDITION_NAMES || text.length > MAX_CONDITION_LENGTH) continue;
    assert.equal(parseCondition(text), tree, text);
  }
});

const withNames = (tree: PolicyCondition, names: ReadonlyMap<string, string>): PolicyCondition => {
  if (tree.op === 'not') return not(withNames(tree.of, names));
  if (tree.op !== 'call') return { op: tree.op, of: tree.of.map((part) => withNames(part, names)) };
  return call(tree.name, ...new Set(tree.names.map((name) => names.get(name) ?? name)));
};

/** A text with a mark in the place of each of its names. */
const frame = (text: string): string => text.replace(/'(?:[^']|'')*'/g, '#');

test('property: a renamed text equals the renamed tree and keeps all other characters', () => {
  const random = randomNumbers(17);
  for (let round = 0; round < 2_000; round += 1) {
    const tree = randomTree(random, 4);
    const text = write(random, tree);
    if (listNamedRecords(tree).length > MAX_CONDITION_NAMES) continue;
    const names = new Map(NAMES.flatMap((name) => (random(2) === 0 ? [[name, pick(random, NAMES)] as const] : [])));
    const renamed = renameInCondition(text, ({ fqn }) => names.get(fqn) ?? fqn);
    assert.equal(parseCondition(renamed), withNames(tree, names), text);
    assert.is(frame(renamed), frame(text));
    assert.is(
      renameInCondition(text, ({ fqn }) => fqn),
      text,
    );
  }
});

test('property: any text is parsed or refused with 400, and never fails otherwise', () => {
  const random = randomNumbers(13);
  const pieces = [
    'isOwner',
    '(',
    ')',
    "'",
    "'a'",
    ',',
    '!',
    '&&',
    '||',
    ' and ',
    ' or ',
    'not ',
    'inAnyTeam',
    'x',
    '.',
  ];
  let read = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: random(9) }, () => pick(random, pieces)).join('');
    try {
      parseCondition(text);
      read += 1;
    } catch (failure) {
      assert.instance(failure, CatalogError, text);
      assert.match((failure as CatalogError).message, / at character \d+$/, text);
    }
  }
  assert.ok(read > 0, 'some of the texts are conditions');
});

test.run();
