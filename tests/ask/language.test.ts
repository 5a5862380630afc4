import * as assert from 'uvu/assert';
import { parseGraphQuery } from '../../src/ask/language/parse-query.ts';
import { bindVisibleNodes, type QueryRights, SEES_ALL } from '../../src/ask/translate/visible-nodes.ts';
import { writeQuery } from '../../src/ask/translate/write-query.ts';
import { buildGraphView } from '../../src/ask/view.ts';
import { loadKinds } from '../../src/catalog/registry.ts';
import { CatalogError } from '../../src/errors.ts';
import { expectLinearCalls } from '../support/count-calls.ts';
import { createRandom } from '../support/random.ts';
import { suite } from '../support/suite.ts';

/** Shows what queries may say, where they are refused, and what is written of them. */

const test = suite('ask: the language of queries');

const view = buildGraphView(await loadKinds());

const write = (text: string, rights: QueryRights = SEES_ALL, given: Readonly<Record<string, unknown>> = {}) =>
  writeQuery({
    text,
    query: parseGraphQuery(text),
    given,
    view,
    visible: bindVisibleNodes(view, rights, false),
    most: 11,
  });

const refusalOf = (text: string, given: Readonly<Record<string, unknown>> = {}): string => {
  try {
    write(text, SEES_ALL, given);
  } catch (failure) {
    if (failure instanceof CatalogError && failure.code === 'bad_request') return failure.message;
    throw failure;
  }
  return assert.unreachable(`accepted: ${text}`) as never;
};

const REFUSED: readonly (readonly [query: string, place: string, words: RegExp])[] = [
  ['CREATE (n) RETURN n', '1, column 1', /CREATE is not allowed/],
  ['MATCH (n:Table) SET n.name = "x" RETURN n', '1, column 17', /SET is not allowed/],
  ['MATCH (n:Table) DETACH DELETE n', '1, column 17', /DETACH is not allowed/],
  ['MATCH (n:Table) REMOVE n.name', '1, column 17', /REMOVE is not allowed/],
  ['MERGE (n:Table) RETURN n', '1, column 1', /MERGE is not allowed/],
  ['CALL db.labels() YIELD label RETURN label', '1, column 1', /CALL is not allowed/],
  ['MATCH (t:Table) CALL { RETURN 1 AS x } RETURN x', '1, column 17', /CALL is not allowed/],
  ['LOAD CSV FROM "file:///etc/passwd" AS l RETURN l', '1, column 1', /LOAD is not allowed/],
  ['USE system MATCH (n) RETURN n', '1, column 1', /USE is not allowed/],
  ['FOREACH (x IN [1] | CREATE ())', '1, column 1', /FOREACH is not allowed/],
  ['EXPLAIN MATCH (n) RETURN n', '1, column 1', /EXPLAIN is not allowed/],
  ['SHOW USERS', '1, column 1', /SHOW is not allowed/],
  ['MATCH (n:Tabel) RETURN n', '1, column 10', /there is no label Tabel. Did you mean Table\?/],
  ['MATCH (n:Token) RETURN n', '1, column 10', /there is no label Token/],
  ['MATCH (n:SearchDoc) RETURN n', '1, column 10', /there is no label SearchDoc/],
  ['MATCH (n:LiveTable) RETURN n', '1, column 10', /there is no label LiveTable/],
  ['MATCH (n:Entity) RETURN n', '1, column 10', /there is no label Entity/],
  ['MATCH (n)-[:HAS_VERSION]->(v) RETURN v', '1, column 13', /there is no edge HAS_VERSION/],
  ['MATCH (n)-[:HAS_SESSION]->(v) RETURN v', '1, column 13', /there is no edge HAS_SESSION/],
  ['MATCH (n:Table)\nRETURN n.nam', '2, column 10', /there is no property nam/],
  ['MATCH (n:User) RETURN n.password', '1, column 25', /there is no property password/],
  ['MATCH (n) RETURN n.connectionJson', '1, column 20', /there is no property connectionJson/],
  ['MATCH (n {tokenDigest: "x"}) RETURN n', '1, column 11', /there is no property tokenDigest/],
  ['MATCH (n) RETURN properties({a: n}).a.password', '1, column 39', /there is no property password/],
  ['MATCH (n) WITH properties({a: {b: [n]}}) AS m RETURN m.a.b[0].sortKey', '1, column 63', /there is no property/],
  ['MATCH (n) RETURN n["password"]', '1, column 18', /name the property/],
  ['MATCH (n:TestCase) RETURN n.entityLink', '1, column 29', /there is no property entityLink/],
  ['MATCH (n:TestCase {entityFQN: "a.b.c.d"}) RETURN n', '1, column 20', /there is no property entityFQN/],
  ['MATCH (n:Query) RETURN n.usedBy', '1, column 26', /there is no property usedBy/],
  ['MATCH (n) RETURN n.updatedBy', '1, column 20', /there is no property updatedBy/],
  ['MATCH ()-[e:TAGGED]->() RETURN e.appliedBy', '1, column 34', /there is no property appliedBy/],
  ['MATCH (n)-[:FEEDS*]->(m) RETURN m', '1, column 18', /must be bounded/],
  ['MATCH (n)-[:FEEDS*3..]->(m) RETURN m', '1, column 18', /must be bounded/],
  ['MATCH (n)-[:FEEDS*1..21]->(m) RETURN m', '1, column 18', /at most 20/],
  ['MATCH (n)-[:FEEDS]->+(m) RETURN m', '1, column 21', /must be bounded/],
  ['MATCH (n)-[:FEEDS*3..2]->(m) RETURN m', '1, column 18', /from 3 to 2/],
  ['MATCH p = shortestPath((a)-[:FEEDS*1..3]->(b)) RETURN p', '1, column 11', /shortestPath is not allowed/],
  ['MATCH (n) WHERE n.name =~ ".*" RETURN n', '1, column 24', /=~ is not allowed/],
  ['MATCH (n) RETURN apoc.text.join([], "")', '1, column 18', /there is no function apoc.text.join/],
  ['MATCH (n) RETURN id(n)', '1, column 18', /there is no function id/],
  ['MATCH (n) RETURN elementId(n)', '1, column 18', /there is no function elementId/],
  ['MATCH (n) RETURN toString(n)', '1, column 27', /takes values, not nodes/],
  ['MATCH (n) RETURN [n, 1]', '1, column 18', /either nodes or values/],
  ['MATCH (n) RETURN n + 1', '1, column 18', /takes values/],
  ['MATCH (n) RETURN m', '1, column 18', /there is no variable m/],
  ['MATCH (n) WITH n.name AS x RETURN n', '1, column 35', /there is no variable n/],
  ['MATCH (n) WITH n.name RETURN 1', '1, column 16', /WITH needs a name/],
  ['RETURN $x', '1, column 8', /the parameter x has no value/],
  ['RETURN 1 AS a, 2 AS a', '1, column 8', /two columns have the name a/],
  ['RETURN 1 AS a UNION RETURN 2 AS b', '1, column 21', /the same columns/],
  ['RETURN 1 AS a UNION RETURN 2 AS a UNION ALL RETURN 3 AS a', '1, column 41', /UNION and UNION ALL/],
  ['RETURN 1 LIMIT 1 + 1', '1, column 16', /LIMIT takes a whole number/],
  ['RETURN 9007199254740992', '1, column 8', /a number is at most 9007199254740991/],
  [`RETURN ${'9'.repeat(400)}`, '1, column 8', /a number is at most/],
  ['RETURN 1e400', '1, column 8', /a number is at most/],
  [`WITH 1 AS a RETURN ${'a + '.repeat(300)}a`, '1, column', /at most 200 operators/],
  [`WITH 1 AS a RETURN 1 AS b ORDER BY ${'a + '.repeat(4000)}a`, '1, column', /at most 200 operators/],
  [`WITH 1 AS a RETURN a${' < a'.repeat(4000)}`, '1, column', /at most 200 operators/],
  [`WITH 1 AS a RETURN a${' IS NULL'.repeat(2000)}`, '1, column', /at most 200 operators/],
  [`WITH 1 AS a RETURN a${'[0]'.repeat(6000)}`, '1, column', /at most 20 dots and brackets/],
  [`MATCH (a)${'--()'.repeat(30)} RETURN a`, '1, column 104', /at most 24 nodes/],
  [`MATCH (a) ${'OPTIONAL MATCH (a)--() '.repeat(30)} RETURN a`, '1, column', /at most 24 nodes/],
  ['RETURN "abc', '1, column 8', /has no end/],
  ['RETURN "\\x"', '1, column 9', /no such escape/],
  ['MATCH (n)', '1, column 10', /expected RETURN/],
  ['', '1, column 1', /expected MATCH/],
  ['MACTH (n) RETURN n', '1, column 1', /Did you mean MATCH\?/],
  ['RETURN 1; RETURN 2', '1, column 11', /expected the end/],
  ['RETURN reduce(s = "", x IN ["a"] | s + s)', '1, column 17', /sums up numbers/],
  ['RETURN reduce(s = 0, x IN [1] | s + size([y IN [1] WHERE y = x]))', '1, column 33', /plain arithmetic/],
  ['MATCH (n) RETURN [x IN [1] | count(x)]', '1, column 30', /cannot stand in a list/],
  ['MATCH (n)-[r:FEEDS*1..2 WHERE r.since > 1]->(m) RETURN m', '1, column 10', /has no WHERE/],
  [`WITH "${'a'.repeat(50)}" AS s ${'WITH s + s AS s '.repeat(8)} RETURN s`, '1, column', /more than a query may/],
  [`RETURN ${'('.repeat(60)}1${')'.repeat(60)}`, '1, column', /may stand in one another/],
  [`RETURN ${'1+'.repeat(12_000)}1`, '1, column 20001', /at most 20000 characters/],
];

for (const [query, place, words] of REFUSED) {
  test(`refused: ${query.slice(0, 70)}`, () => {
    const message = refusalOf(query);
    assert.ok(message.startsWith(`[query line ${place}`), message);
    assert.match(message, words);
  });
}

test('nothing of the text of a query is in the statement: names, texts and keys are replaced', () => {
  const { text, values } = write(
    "MATCH (canary:Table {name: 'canary'})-[canary2:FEEDS]->(canary3) WHERE canary3.name STARTS WITH $canary4 WITH canary, collect(canary3) AS canary5 RETURN canary.name AS canary6, [canary7 IN canary5 | canary7.name + 'canary']",
    SEES_ALL,
    { canary4: 'canary' },
  );
  assert.not.match(text, /canary/i);
  assert.match(JSON.stringify(Object.values(values).map(String)), /canary/);
});

test('every node of a pattern is bound to what the caller may see, named or not, also inside rows and subqueries', () => {
  const rights = { hidden: ['User'], judged: ['Table'] };
  const queries = [
    'MATCH () RETURN count(*) AS n',
    'MATCH ()-[:FEEDS]->()<-[:OWNS]-() RETURN count(*) AS n',
    'MATCH ()-[:FEEDS*0..3]->() RETURN count(*) AS n',
    'MATCH (a:Table) WHERE EXISTS { (a)--() } RETURN COUNT { (a)-->() } AS n',
    'MATCH (a:Table) RETURN [(a)-->(b) | b.name] AS n',
    'OPTIONAL MATCH (a:Asset) RETURN a',
    'MATCH (a:Table) WHERE (a)-->() RETURN 1 AS n',
  ];
  for (const query of queries) {
    const { text } = write(query, rights);
    const found = [...text.matchAll(/\((v\d+)(?=:)/g)].map(([, name]) => name ?? '');
    assert.ok(found.length > 0, text);
    for (const name of found) assert.ok(text.includes(`${name}.deleted = false`), `${name} in ${text}`);
    for (const name of found) assert.ok(text.includes(`${name}.id IN $seen`), `${name} in ${text}`);
    assert.not.match(text.replaceAll('(()', ''), /\(\)/, 'no node without a name');
  }
});

test('what can fail waits for the conditions on the nodes, where some may be hidden', () => {
  const query = "MATCH (u:User)-[:OWNS]->(t:Table) WHERE 1 / size(u.name) > 0 AND t.name = 'x' RETURN count(*) AS n";
  assert.not.match(write(query).text, /CASE/);
  assert.match(
    write(query, { hidden: [], judged: ['User'] }).text,
    /WITH \*, [^{]*id IN \$seen[^{]* AS (v\d+) WHERE CASE WHEN \1 THEN \(\(\$p\d+ \/ size/,
  );
  const inner = 'MATCH (u:User) WHERE EXISTS { MATCH (u)-[:OWNS]->(t) WHERE date(t.name) = date() } RETURN u.name AS n';
  assert.match(write(inner, { hidden: [], judged: ['User'] }).text, /CASE WHEN v\d+ THEN EXISTS \{/);
  const optional = 'OPTIONAL MATCH (u:User) WHERE 1 / size(u.name) > 0 RETURN u.name AS n';
  assert.match(
    write(optional, { hidden: [], judged: ['User'] }).text,
    /^OPTIONAL CALL \(\*\) \{ MATCH .* RETURN v\d+ \}/,
  );
  const behind = 'MATCH (u:User) WITH u WHERE 1 / size(u.name) > 0 RETURN u.name AS n';
  assert.match(write(behind, { hidden: [], judged: ['User'] }).text, /WITH v\d+ WHERE CASE WHEN /);
});

test('a statement leaves few choices of labels open, which the planner weighs in every combination', () => {
  const nodes = Array.from({ length: 12 }, (_, at) => `(a${at})--(b${at}:Asset)`);
  const where = nodes.map((_, at) => `a${at}:Table|Topic`).join(' AND ');
  const { text } = write(`MATCH ${nodes.join(', ')} WHERE ${where} MATCH (a1:Table|Topic) RETURN count(*) AS n`);
  const open = text.replace(/CASE WHEN \w+:[\w|]+/g, '').match(/:\(?\w+\|/g) ?? [];
  assert.ok(open.filter((one) => !/^:[A-Z]+(_[A-Z]+)*\|$/.test(one)).length <= 4, text);
});

/** Words of which random queries are made. */
const WORDS = [
  ...['MATCH', 'WITH', 'RETURN', 'WHERE', 'UNWIND', 'OPTIONAL', 'UNION', 'ORDER BY', 'LIMIT', 'AS', 'IN', 'NOT', 'AND'],
  ...[
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '-',
    '->',
    '<-',
    ':',
    '|',
    ',',
    '.',
    '..',
    '*',
    '+',
    '=',
    '<',
    '$p',
    '1',
    "'t'",
    '2.5',
  ],
  ...[
    'a',
    'b',
    'Table',
    'Column',
    'FEEDS',
    'name',
    'count',
    'collect',
    'size',
    'EXISTS',
    'COUNT',
    'CASE',
    'WHEN',
    'END',
  ],
  ...[
    '`x',
    '\\u0060',
    '"',
    '//',
    '/*',
    '*/',
    '\u0000',
    'é',
    '🙂',
    ';',
    'IS',
    'NULL',
    'range',
    'reduce',
    'all',
    'DISTINCT',
  ],
];

test('whatever a query consists of, it is understood or refused with its place', () => {
  const random = createRandom(20_261_128);
  const seeds = [
    'MATCH (a:Table)-[r:FEEDS*1..3]->(b) WHERE a.name IN [1, 2] AND NOT (b)-->() RETURN a.name AS x, count(*) ORDER BY x LIMIT 3',
    'MATCH (a) WITH a, [x IN range(1, 3) WHERE x > 1 | x + 1] AS l UNWIND l AS y RETURN {a: a.name, y: y}[$p] AS z',
    'MATCH p = (a:Asset)<-[:DERIVES]-(b) RETURN [n IN nodes(p) | n{.name, k: 1}], CASE WHEN a:Table THEN 1 ELSE 2 END',
  ];
  for (let round = 0; round < 6000; round += 1) {
    const tokens = (seeds[random(seeds.length)] ?? '').split(' ');
    for (let change = random(4); change >= 0; change -= 1) {
      const at = random(tokens.length);
      const word = WORDS[random(WORDS.length)] ?? '';
      if (random(3) === 0) tokens.splice(at, 1);
      else if (random(2) === 0) tokens[at] = word;
      else tokens.splice(at, 0, word);
    }
    const query = tokens.join(random(5) === 0 ? '' : ' ');
    try {
      assert.not.match(write(query, SEES_ALL, { p: 'k' }).text, /["\\]|`x/, query);
    } catch (failure) {
      if (!(failure instanceof CatalogError)) throw new Error(`${query}: ${failure}`);
      assert.match(failure.message, /^\[query line \d+, column \d+: /, query);
    }
  }
});

test('forms that are read on trial are read once at each level', () => {
  for (const [open, close] of [
    ['[(a {x: ', '})]'],
    ['(a WHERE (', '))'],
    ['[(a)-->(b) | ', ']'],
    ['[(a {x: [(b WHERE (', '))]})]'],
    ['((', '))'],
  ] as const) {
    const nested = (levels: number) => `MATCH (a) RETURN ${open.repeat(levels)}1${close.repeat(levels)}]`;
    expectLinearCalls(4, nested, (query) => refusalOf(query), open);
  }
});

test('what was read on trial is the same as what is read at once', () => {
  const textOf = (expression: string) => write(`MATCH (a:Table) RETURN ${expression} AS x`).text;
  assert.is(textOf('(((a.name + (1 + (2 * 3)))))'), textOf('a.name + (1 + (2 * 3))'));
  const sumOf = (operators: number) => `((${Array.from({ length: operators + 1 }, () => '1').join(' + ')}))`;
  textOf(sumOf(200));
  assert.match(refusalOf(`MATCH (a) RETURN ${sumOf(201)}`), /at most 200 operators/);
});

test.run();
