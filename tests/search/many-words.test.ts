import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that queries with many words and conditions are answered in parts. */

const test = suite('search: queries with many words');

/** Words that nothing else has: letters alone, so that none of them has parts. */
const LETTERS = 'abcdefghij';
const wordsOf = (mark: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => mark + [...String(at)].map((digit) => LETTERS[Number(digit)]).join('z'));

const LONG = [...wordsOf('qlong', 149), 'qultimate'];
const NAMES = wordsOf('qname', 12);

let service: Service;
let schema: string;

const make = async (path: string, body: object) => ok(await service.admin.post(`/v1/${path}`, body), 201);

const table = (name: string, description: string) =>
  make('tables', { name, description, databaseSchema: schema, columns: [{ name: 'id', dataType: 'INT' }] });

test.before(async () => {
  service = await openService();
  const root = await make('services/databaseServices', { name: uniqueName('many'), serviceType: 'Mysql' });
  const database = await make('databases', { name: 'db', service: root.fullyQualifiedName });
  ({ fullyQualifiedName: schema } = await make('databaseSchemas', {
    name: 'public',
    database: database.fullyQualifiedName,
  }));
  await table('whole', LONG.join(' '));
  await table('nearly', LONG.slice(0, -1).join(' '));
  await table('third', LONG.slice(0, 100).join(' '));
  for (const name of NAMES) await table(name, `one of ${name}`);
});

const search = (parameters: Readonly<Record<string, string>>) =>
  service.admin.get(`/v1/search/query?${new URLSearchParams({ index: 'table', size: '50', ...parameters })}`);

type Hit = { readonly _id: string; readonly _source: { readonly name: string }; readonly sort: readonly string[] };

const namesOf = (hits: readonly Hit[]): string[] => hits.map(({ _source }) => _source.name);

const found = async (parameters: Readonly<Record<string, string>>): Promise<string[]> =>
  namesOf(ok(await search(parameters)).hits.hits);

const filterOf = (query: object): string => JSON.stringify({ query });

const here = () => ({ term: { 'databaseSchema.fullyQualifiedName': schema } });

test('all of many words must match, the last one as a prefix too', async () => {
  const answer = ok(await search({ q: LONG.join(' ') }));
  assert.equal([namesOf(answer.hits.hits), answer.hits.total], [['whole'], { value: 1, relation: 'eq' }]);
  assert.equal(answer.aggregations['sterms#entityType'].buckets, [{ key: 'table', doc_count: 1 }]);
  assert.equal(await found({ q: `${LONG.slice(0, -1).join(' ')} ${LONG.at(-1)?.slice(0, -1)}` }), ['whole']);
  // Only the last of the words that were typed is taken for a beginning.
  const begun = [...LONG.slice(0, 60), 'qlon', ...LONG.slice(60, 99)];
  assert.is(ok(await search({ q: begun.join(' '), size: '0' })).hits.total.value, 3);
  assert.equal((await found({ q: LONG.slice(0, 100).join(' ') })).sort(), ['nearly', 'third', 'whole']);
});

test('when no document has all of many words, those with more of them come first', async () => {
  const q = [...LONG, 'qnobody'].join(' ');
  assert.equal(await found({ q }), ['whole', 'nearly', 'third']);
  assert.equal(await found({ q, sort_order: 'asc' }), ['third', 'nearly', 'whole']);
  const paged: string[] = [];
  let after: readonly string[] = [];
  for (let page = 0; page < 3; page += 1) {
    const query = new URLSearchParams({ index: 'table', size: '1', q });
    for (const value of after) query.append('search_after', value);
    const [hit] = ok(await service.admin.get(`/v1/search/query?${query}`)).hits.hits;
    paged.push(hit._source.name);
    after = hit.sort.map(String);
  }
  assert.equal(paged, ['whole', 'nearly', 'third']);
});

test('a hit with more words comes before one with a single better match', async () => {
  await table('qheron', 'nothing much');
  await table('plain', 'with a qwalrus and a qbadger in what is said of it');
  assert.equal(await found({ q: 'qheron qwalrus qbadger' }), ['plain', 'qheron']);
});

test('conditions with many values combine with AND, OR and NOT', async () => {
  const strangers = wordsOf('qstranger', 1024);
  const [first = '', second = '', third = ''] = NAMES;
  const terms = (values: readonly string[], field = 'name.keyword') => ({ terms: { [field]: values } });
  const both = {
    bool: {
      must: [
        terms([...strangers.slice(2), first, second]),
        terms([...strangers.slice(2), second, third], 'displayName.keyword'),
      ],
    },
  };
  assert.equal(await found({ query_filter: filterOf(both) }), [second]);
  const none = { bool: { must: here(), must_not: terms([...strangers.slice(1), first]) } };
  const rest = ok(await search({ query_filter: filterOf(none), sort_field: 'name', sort_order: 'asc' })).hits;
  assert.equal(
    [rest.total.value, namesOf(rest.hits).includes(first), namesOf(rest.hits).includes(second)],
    [16, false, true],
  );
  const alone = { bool: { must_not: terms([...strangers.slice(1), first]) } };
  assert.not((await found({ q: NAMES.join(' OR '), query_filter: filterOf(alone) })).includes(first));
});

test('any of many words may match', async () => {
  const q = [...wordsOf('qstranger', 200), ...NAMES].join(' OR ');
  const { hits } = ok(await search({ q }));
  assert.equal([...namesOf(hits.hits)].sort(), [...NAMES].sort());
  assert.ok(hits.max_score > 0);
  const both = `(${q}) AND NOT ${NAMES[0]}`;
  assert.is(ok(await search({ q: both })).hits.total.value, NAMES.length - 1);
});

test('a query beyond the limits is refused', async () => {
  const values = wordsOf('qstranger', 1025);
  expectRefused(await search({ query_filter: filterOf({ terms: { 'name.keyword': values } }) }), 400, /1024/);
  expectRefused(await search({ q: 'x'.repeat(4097) }), 400, /4096/);
});

test.run();
