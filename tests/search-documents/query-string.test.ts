import * as assert from 'uvu/assert';
import { CatalogError } from '../../src/errors.ts';
import type { SearchFilter } from '../../src/search-documents/filter/search-filter.ts';
import { parseSearchQuery } from '../../src/search-documents/query-string/parse-query.ts';
import { found, isField, NAMES } from '../support/documents.ts';
import { HOSTILE_QUERIES } from '../support/hostile-texts.ts';
import { suite } from '../support/suite.ts';

/** Shows that query strings are parsed, matched and refused with a position. */

const test = suite('search: query strings');

const read = (text: string): SearchFilter => parseSearchQuery(text, { name: 'q', isField });

const [CUSTOMER = '', ORDERS = '', ADA = '', LOAD = ''] = NAMES;

type Case = readonly [query: string, ...names: readonly string[]];

const CASES: readonly Case[] = [
  // Everything.
  ['', ...NAMES],
  ['*', ...NAMES],
  ['**', ...NAMES],
  ['*:*', ...NAMES],
  ['(*)', ...NAMES],

  // Simple text: all words, with typos, the last one perhaps unfinished.
  ['customer', CUSTOMER, ORDERS, LOAD],
  ['CUSTOMER', CUSTOMER, ORDERS, LOAD],
  ['custmer', CUSTOMER, ORDERS, LOAD],
  ['cust', CUSTOMER, ORDERS, LOAD],
  ['cust night'],
  ['nigth book', CUSTOMER],
  ['night boo', CUSTOMER],
  ['boo night'],
  ['dim_customer', CUSTOMER, LOAD],
  ['dimcustomer', CUSTOMER, LOAD],
  ['DimCustomer', CUSTOMER, LOAD],
  ['fct orders', ORDERS],
  ['fct_orders', ORDERS],
  ['nightly load', LOAD],
  ['shop.sales.public.dim_customer', CUSTOMER],
  ['Sales EU'],
  ['%%%'],

  // What people type is text wherever it means nothing else.
  ['[dim_customer]', CUSTOMER, LOAD],
  ['dim-customer', CUSTOMER, LOAD],
  ['dim/customer', CUSTOMER, LOAD],
  ['dim:customer', CUSTOMER, LOAD],
  ['customer!', CUSTOMER, ORDERS, LOAD],
  ["night's book", CUSTOMER],
  ['night - book', CUSTOMER],
  ['night & book', CUSTOMER],
  ['night | book', CUSTOMER],
  ['/customer/', CUSTOMER, ORDERS, LOAD],
  ['customer++', CUSTOMER, ORDERS, LOAD],
  ['a^book', CUSTOMER],
  ['night and book'],
  ['http://shop.sales'],

  // Operators.
  ['night AND book', CUSTOMER],
  ['night && book', CUSTOMER],
  ['book OR airflow', CUSTOMER, LOAD],
  ['book || airflow', CUSTOMER, LOAD],
  ['customer NOT book', ORDERS, LOAD],
  ['customer AND NOT book', ORDERS, LOAD],
  ['customer !book', ORDERS, LOAD],
  ['customer -book', ORDERS, LOAD],
  ['NOT customer', ADA],
  ['-customer', ADA],
  ['NOT NOT customer', CUSTOMER, ORDERS, LOAD],
  ['+customer +book', CUSTOMER],
  ['customer -"a book"', ORDERS, LOAD],
  ['customer -(book OR airflow)', ORDERS],
  ['customer -deleted:true', CUSTOMER, LOAD],
  ['ada OR night AND book', CUSTOMER, ADA],
  ['ada OR NOT customer', ADA],
  ['airflow OR -customer', ADA, LOAD],
  ['-customer OR airflow', ADA, LOAD],
  ['(ada OR night) AND book', CUSTOMER],
  ['((ada)) OR ((airflow))', ADA, LOAD],
  ['customer (book OR airflow)', CUSTOMER, LOAD],
  ['"night" ... customer', CUSTOMER, LOAD],
  ['NOT %%'],
  ['customer AND %%', CUSTOMER, ORDERS, LOAD],

  // Phrases.
  ['"one row"', CUSTOMER],
  ['"row one"'],
  ['"bought book"'],
  ['"bought book"~1', CUSTOMER],
  ['"dim customer and"', LOAD],
  ['"a \\"b"'],
  ['"custmer"'],
  ['"[dim_customer]"', CUSTOMER, LOAD],
  ['"one row" night', CUSTOMER],
  ['night"one row"', CUSTOMER],
  ['""'],

  // Wildcards.
  ['custo*', CUSTOMER, ORDERS, LOAD],
  ['*stome*', CUSTOMER, ORDERS, LOAD],
  ['b?ok', CUSTOMER],
  ['boo? night', CUSTOMER],
  ['b??'],
  ['dim_*', CUSTOMER, LOAD],
  ['email.keyword:*', ADA],
  ['tier:*', CUSTOMER],
  ['name.keyword:dim*', CUSTOMER],
  ['name:cust*', CUSTOMER],
  ['columnNames:ADD*'],
  ['custo\\*'],

  // Typos.
  ['custmer~', CUSTOMER, ORDERS, LOAD],
  ['custmr~1'],
  ['custmr~2', CUSTOMER, ORDERS, LOAD],
  ['customer~0', CUSTOMER, ORDERS, LOAD],
  ['name:fctordres~1', ORDERS],
  ['serviceType:postgers~1', CUSTOMER, ORDERS],

  // Boosts count only among what is found.
  ['customer^2.5 book', CUSTOMER],
  ['"one row"^3', CUSTOMER],
  ['(book OR airflow)^2', CUSTOMER, LOAD],
  ['customer\\^2'],
  ['custmer~1^2', CUSTOMER, ORDERS, LOAD],
  ['version:[0.25 TO 0.35]^2', CUSTOMER],
  ['version:>=0.25^2 AND version:<"0.35"^3', CUSTOMER],
  ['version:>=0.25\\^2'],

  // Fields.
  ['deleted:true', ORDERS],
  ['tableType:view', ORDERS],
  ['tableType: view', ORDERS],
  ['name:customer', CUSTOMER],
  ['name:"dim customer"', CUSTOMER],
  ['name:(dim OR fct)', CUSTOMER, ORDERS],
  ['name:(dim customer)', CUSTOMER],
  ['name:(dim OR displayName:ada)', CUSTOMER, ADA],
  ['name:dim OR fct', CUSTOMER, ORDERS],
  ['NOT name:dim', ORDERS, ADA, LOAD],
  ['-name:dim -name:ada', ORDERS, LOAD],
  ['fullyQualifiedName:shop.sales.public.fctorders', ORDERS],
  ['tags.tagFQN:PII.Sensitive', CUSTOMER],
  ['columns.tags.tagFQN:PII.Sensitive AND serviceType:Postgres', CUSTOMER, ORDERS],
  ['service.type:databaseService AND version:0.3', CUSTOMER],
  ['tableConstraints.constraintType.keyword:PRIMARY_KEY AND NOT tier.tagFQN:Tier.Tier2', CUSTOMER],
  ['tableConstraints.constraintType.keyword:PRIMARY_KEY AND NOT tier.tagFQN:Tier.Tier1'],
  ['columnNames:address', CUSTOMER],
  ['owners.displayName.keyword:ada'],
  ['owners.displayName.keyword:"ada lovelace"', CUSTOMER],
  ['owners.displayName.keyword:Sales\\ EU', CUSTOMER],
  ['owners.name:ada', CUSTOMER],
  ['version:abc'],
  ['state:OR'],
  ['email.keyword:ada+books@example.com', ADA],
  ['email.keyword:ada books@example.com', ADA],
  ['email.keyword:"ada books@example.com"', ADA],
  ['extension.color:blue', CUSTOMER],
  ['extension.size:7', CUSTOMER],
  ['_exists_:email', ADA],
  ['*:airflow', LOAD],

  // Ranges.
  ['totalVotes:[2 TO 5]', CUSTOMER, LOAD],
  ['totalVotes:{2 TO 5]', CUSTOMER],
  ['totalVotes:[2 TO 5}', LOAD],
  ['totalVotes:{2 TO 5}'],
  ['totalVotes:[* TO 2]', ORDERS, ADA, LOAD],
  ['totalVotes:[3 TO *]', CUSTOMER],
  ['totalVotes:[* TO *]', ...NAMES],
  ['totalVotes:>=5', CUSTOMER],
  ['totalVotes:> 2', CUSTOMER],
  ['totalVotes:<=2', ORDERS, ADA, LOAD],
  ['totalVotes:<2', ORDERS, ADA],
  ['updatedAt:[now-7d TO now]', CUSTOMER, ADA],
  ['updatedAt:["2026-01-01" TO "2026-02-01"]', LOAD],
  ['updatedAt:[2026-01-31T23:00:00Z TO 2026-02-01]', LOAD],
  ['name.keyword:[b TO e}', CUSTOMER],
  ['deleted:[a TO b]'],
];

for (const [query, ...names] of CASES) {
  test(`«${query}» finds ${names.length === NAMES.length ? 'everything' : names.join(', ') || 'nothing'}`, () => {
    assert.equal(found(read(query)), names);
  });
}

const REFUSED: readonly (readonly [query: string, problem: string, at?: number])[] = [
  ['a "b', 'unclosed quote', 3],
  ['a (b', 'unclosed (', 3],
  ['a) b', 'unmatched )', 2],
  ['[draft', 'unclosed [', 1],
  ['draft]', 'unmatched ]', 6],
  ['{a)', 'unmatched )', 3],
  ['(a]', 'unmatched ]', 3],
  ['a()', 'empty group', 2],
  ['name:()', 'empty group', 6],
  ['AND', 'misplaced operator', 1],
  ['OR a', 'misplaced operator', 1],
  ['a AND', 'operator without an operand', 3],
  ['a OR', 'operator without an operand', 3],
  ['NOT', 'operator without an operand', 1],
  ['a AND OR b', 'misplaced operator', 7],
  ['(a OR) b', 'operator without an operand', 4],
  ['name:', 'field without a value', 1],
  ['(name:)', 'field without a value', 2],
  ['name:>', '> without a value', 6],
  ['version:[1 2]', 'malformed range', 9],
  ['version:[1 TO]', 'malformed range', 9],
  ['version:[TO 2]', 'malformed range', 9],
  ['version:[1 to 2]', 'malformed range', 9],
  ['version:[]', 'malformed range', 9],
  ['version:[1 TO 2 3]', 'malformed range', 9],
  ['customer~3', 'edit distance of more than 2', 9],
  ['"a b"~11', 'a distance of more than 10 words', 6],
  [`"${'a '.repeat(33)}"~1`, 'a distance after a phrase of more than 32 words', 1],
  [`${'('.repeat(21)}a${')'.repeat(21)}`, 'groups nested more than 20 levels deep', 21],
  ['a* '.repeat(1025), 'more than 1024 clauses'],
  ['a '.repeat(1025), 'more than 1024 clauses'],
];

const told = (query: string): string => {
  try {
    read(query);
  } catch (failure) {
    assert.instance(failure, CatalogError);
    assert.is((failure as CatalogError).code, 'bad_request');
    return (failure as CatalogError).message;
  }
  return 'it was read';
};

for (const [query, problem, at] of REFUSED) {
  test(`«${query.slice(0, 40)}» is refused: ${problem}`, () => {
    assert.is(told(query), at === undefined ? `[q: ${problem}]` : `[q: ${problem} at character ${at}]`);
  });
}

test('a query of 4,096 characters is read and a longer one refused', () => {
  read('a'.repeat(4096));
  assert.is(told('a'.repeat(4097)), '[q must be at most 4096 characters long]');
});

test('simple text is distinguished from a query with operators, and both keep their meaning for engines', () => {
  assert.equal(read('Dim customer'), { is: 'simple', text: 'Dim customer' });
  assert.equal(read('dim customer^2'), {
    is: 'every',
    of: [
      { is: 'phrase', field: undefined, text: 'dim', slop: 0 },
      { is: 'boosted', of: { is: 'phrase', field: undefined, text: 'customer', slop: 0 }, by: 2 },
    ],
  });
  assert.equal(read('name:d?m*'), {
    is: 'wildcard',
    field: 'name',
    pattern: [{ literal: 'd' }, 'one', { literal: 'm' }, 'run'],
    anyCase: false,
  });
  assert.equal(read('version:[1 TO 2}'), {
    is: 'range',
    field: 'version',
    bounds: [
      { is: 'gte', value: '1' },
      { is: 'lt', value: '2' },
    ],
    unit: 'ms',
  });
});

/** Repeatable, so that a failure can be looked at again. */
const randomly = (seed: number) => () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return seed / 2 ** 32;
};

const PIECES = [
  ...['a', 'B', '7', ' ', ' ', '*', '?', '(', ')', '"', '[', ']', '{', '}', '+', '-', '~', '^', '\\', '!', '&&', '||'],
  ...[
    ':',
    '/',
    '.',
    '_',
    'AND',
    'OR',
    'NOT',
    ' TO ',
    'name:',
    'deleted:true',
    'updatedAt:',
    'now-7d',
    '>=',
    '<',
    '2',
    '@',
  ],
  ...['é', '顧', '😀', '\t', "'", '%', ',', ';', '=', '$', '\u0000', '\ud800'],
];

test('paths and URLs are no operators', () => {
  assert.equal(read('C:\\Users\\jane'), { is: 'simple', text: 'C:\\Users\\jane' });
  assert.equal(read('"C:\\data"'), { is: 'phrase', field: undefined, text: 'C:\\data', slop: 0 });
  const address = 'https://example.com/a?b=c&d=1';
  assert.equal(read(address), { is: 'phrase', field: undefined, text: address, slop: 0 });
  assert.is((read('name:a?b=c') as { is: string }).is, 'wildcard');
  assert.is((read('a?b') as { is: string }).is, 'wildcard');
});

const some = <T>(next: () => number, all: readonly T[]): T => all[Math.floor(next() * all.length)] as T;

/** Any character there is, halves of some included. */
const anyCharacter = (next: () => number): string =>
  next() < 0.5 ? String.fromCharCode(32 + Math.floor(next() * 95)) : String.fromCharCode(Math.floor(next() * 0x10000));

const SEED = 7;

test('any text is parsed or refused in the defined way', () => {
  const next = randomly(SEED);
  const counts = { read: 0, refused: 0 };
  for (let round = 0; round < 100_000; round += 1) {
    const isAny = round % 4 === 3;
    const text = Array.from({ length: Math.floor(next() * 12) }, () =>
      isAny ? anyCharacter(next) : some(next, PIECES),
    ).join('');
    try {
      found(read(text), []);
      counts.read += 1;
    } catch (failure) {
      if (!(failure instanceof CatalogError) || failure.code !== 'bad_request') {
        throw new Error(`«${text}» failed otherwise, in round ${round} from the seed ${SEED}`, { cause: failure });
      }
      counts.refused += 1;
    }
  }
  assert.ok(counts.read > 10_000 && counts.refused > 10_000, JSON.stringify(counts));
});

test('the same text in quotes is always parsed', () => {
  const next = randomly(11);
  for (let round = 0; round < 20_000; round += 1) {
    const length = Math.floor(next() * 12);
    let text = '';
    for (let at = 0; at < length; at += 1) text += PIECES[Math.floor(next() * PIECES.length)];
    read(`"${text.replace(/["\\]/g, '\\$&')}"`);
  }
});

test('queries that invite backtracking are parsed or refused', () => {
  for (const text of HOSTILE_QUERIES.texts) {
    try {
      found(read(text));
    } catch (failure) {
      assert.instance(failure, CatalogError);
    }
  }
});

test.run();
