import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { pickMembers, waitForJobEnd } from '../support/job.ts';
import { createRightsFactory } from '../support/rights.ts';
import type { Client } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Corpus, namesIn, openCorpus, queryAt } from './schema-fixture.ts';

/** Shows that a search can be exported as CSV, at once or as a job. */

const test = suite('search: exports');

const HEADER =
  'Entity Type,Service Name,Service Type,FQN,Name,Display Name,Description,Owners,Tags,Glossary Terms,Domains,Tier';

let corpus: Corpus;

test.before(async () => {
  corpus = await openCorpus('export');
  const label = (tagFQN: string) => ({ tagFQN, source: 'Classification' });
  const me = ok(await corpus.admin.get('/v1/users/loggedInUser'));
  await corpus.table('alpha', {
    description: 'says "so",\ntwice',
    tags: [label('PII.Sensitive'), label('Tier.Tier2')],
  });
  await corpus.table('beta', { displayName: '=1+1', owners: [{ id: me.id, type: 'user' }] });
  await corpus.table('gamma', { tags: [label('Certification.Gold'), label('PII.None')] });
});

const parameters = (more: Readonly<Record<string, string>> = {}) => ({
  query_filter: corpus.here,
  sort_field: 'name',
  sort_order: 'asc',
  ...more,
});

const exported = async (more: Readonly<Record<string, string>> = {}, client: Client = corpus.admin) => {
  const reply = await client.get(queryAt('export', parameters(more)));
  ok(reply);
  return reply;
};

const lines = (text: string): string[] => text.split('\r\n').slice(0, -1);

const bare = (name: string, shown = name): string =>
  `table,${corpus.root},Mysql,${corpus.schema}.${name},${name},${shown}`;

test('a CSV export has one line per hit, in their order', async () => {
  const reply = await exported();
  assert.is(reply.headers.get('content-type'), 'text/plain; charset=UTF-8');
  assert.is(reply.headers.get('content-disposition'), 'attachment; filename="search.csv"');
  assert.is(reply.headers.get('x-content-type-options'), 'nosniff');
  assert.equal(lines(reply.text), [
    HEADER,
    `${bare('alpha')},"says ""so"",\ntwice",,PII.Sensitive,,,Tier.Tier2`,
    `${bare('beta', "'=1+1")},,admin,,,,`,
    `${bare('gamma')},,,Certification.Gold|PII.None,,,`,
  ]);
  const asCsv = await corpus.admin.get(queryAt('export', parameters()), { accept: 'text/csv' });
  assert.is(asCsv.headers.get('content-type'), 'text/csv; charset=UTF-8');
});

const namesOf = (text: string): string[] =>
  lines(text)
    .slice(1)
    .map((line) => line.split(',')[4] ?? '');

test('an export accepts the parameters of a search', async () => {
  assert.equal(namesOf((await exported({ q: 'name:gamma OR name:beta' })).text), ['beta', 'gamma']);
  assert.equal(namesOf((await exported({ size: '2' })).text).slice(0, 1), ['alpha']);
  assert.equal(namesOf((await exported({ from: '1', size: '1' })).text), ['beta']);
  assert.equal(namesOf((await exported({ from: '2' })).text), ['gamma']);
  assert.equal(lines((await exported({ size: '0' })).text), [HEADER]);
  assert.equal(lines((await exported({ q: 'name:nothinglikethis' })).text), [HEADER]);
  const post_filter = JSON.stringify({ term: { 'name.keyword': 'beta' } });
  assert.equal(namesOf((await exported({ post_filter })).text), ['beta']);
  const safe = await exported({ q: 'name:beta' });
  assert.match(safe.text, ",'=1+1,");
  assert.match((await exported({ q: 'name:beta', safeCsv: 'false' })).text, ',=1+1,');
});

test('an export beyond one batch is complete', async () => {
  const many = 1203;
  const tables = Array.from({ length: many }, (_, at) => ({
    name: `many_${String(at).padStart(4, '0')}`,
    databaseSchema: corpus.schema,
    columns: [],
  }));
  ok(await corpus.admin.put('/v1/tables/bulk', tables));
  const found = namesOf((await exported({ q: 'name:many' })).text);
  assert.equal(
    found,
    tables.map(({ name }) => name),
  );
  const byScore = namesOf((await exported({ q: 'many', sort_field: '_score', sort_order: 'desc' })).text);
  assert.is(new Set(byScore).size, many);
});

test('a job exports the same text', async () => {
  const query = parameters({ q: 'many OR alpha', safeCsv: 'true' });
  const { jobId, message } = ok(await corpus.admin.get(queryAt('export/async', query)), 202);
  assert.is(message, 'Export initiated successfully.');
  const job = await waitForJobEnd(corpus.admin, jobId);
  assert.equal(pickMembers(job, 'operation', 'entityType', 'targetFqn', 'status', 'error'), [
    'EXPORT',
    '*',
    '*',
    'COMPLETED',
    undefined,
  ]);
  assert.equal(pickMembers(job, 'progress', 'total'), [1204, 1204]);
  const result = await corpus.admin.get(`/v1/csvAsyncJobs/${jobId}/result`);
  ok(result);
  assert.is(result.headers.get('content-type'), 'text/csv; charset=UTF-8');
  assert.is(result.text, (await exported({ q: 'many OR alpha', safeCsv: 'true' })).text);
});

test('an export contains what the caller may see, also by a job', async () => {
  const rights = createRightsFactory(corpus.service);
  const caller = await rights.person([
    { effect: 'deny', operations: ['ViewAll'], resources: ['table'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
  assert.equal(namesOf((await exported({ q: 'alpha OR beta' }, caller)).text), ['beta']);
  const { jobId } = ok(await caller.get(queryAt('export/async', parameters({ q: 'alpha OR beta' }))), 202);
  await waitForJobEnd(caller, jobId);
  assert.equal(namesOf((await caller.get(`/v1/jobs/${jobId}/result`)).text), ['beta']);
  assert.equal(namesIn(await corpus.search('alpha', {}, caller)), []);
  const blind = await rights.person([{ effect: 'deny', operations: ['All'], resources: ['table'] }]);
  for (const path of ['export', 'export/async']) expectRefused(await blind.get(queryAt(path, {})), 403);
  await rights.clear();
});

test('bad input is refused with 400', async () => {
  for (const path of ['export', 'export/async']) {
    for (const [name, value] of [
      ['q', '(a'],
      ['index', 'nowhere'],
      ['size', '-1'],
      ['size', '200001'],
      ['from', 'x'],
      ['sort_field', 'nothing'],
      ['safeCsv', 'maybe'],
      ['query_filter', '{'],
      ['search_after', 'x'],
    ] as const) {
      expectRefused(await corpus.admin.get(queryAt(path, { [name]: value })), 400);
    }
  }
});

test.run();
