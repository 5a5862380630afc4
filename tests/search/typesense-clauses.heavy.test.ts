import * as assert from 'uvu/assert';
import type { App } from '../../src/app.ts';
import { ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { openSecondProcessWith } from '../support/second-process.ts';
import { type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { clearTypesense, openTypesense, type TypesenseServer } from '../support/typesense.ts';
import { CLAUSE_CASES, makeTables } from './clause-cases.ts';
import { type Corpus, namesIn, openCorpus, type Query, queryAt } from './schema-fixture.ts';

/** Shows that filter clauses find the same assets with both engines (search.md 4, 7.1). */

const test = suite('search: filter clauses on both engines');

const given = await openTypesense();

let corpus: Corpus;
let app: App;
let client: Client;
let prefix: string;

type Found = { readonly engine: string | null; readonly names: readonly string[]; readonly total: number };

const found = async (more: Query): Promise<Found> => {
  const asked = { sort_field: 'name', sort_order: 'asc', include_source_fields: 'name', query_filter: corpus.here };
  const reply = await client.get(queryAt('query', { ...asked, ...more }));
  const { hits } = ok(reply);
  return { engine: reply.headers.get('x-search-engine'), names: namesIn({ hits }), total: hits.total.value };
};

const isBeside = ({ engine }: Found): boolean => engine === 'typesense';

/** So many of the clauses at least can be said in the words of the other engine, whatever it is able to do. */
const FEWEST_BESIDE = 20;

const withServer = (server: TypesenseServer) => {
  test.before(async () => {
    corpus = await openCorpus('beside');
    prefix = `${uniqueName('c')}_`;
    const env = { TYPESENSE_URL: server.url, TYPESENSE_API_KEY: server.apiKey, TYPESENSE_PREFIX: prefix };
    ({ client, app } = await openSecondProcessWith(
      corpus.service,
      { indexer: { maintainMs: 500, awayMs: 500 } },
      { env },
    ));
    await makeTables(corpus);
    app.refresher.start();
    app.indexer?.start();
    const isFilled = (answer: Found) => isBeside(answer) && answer.total === 3;
    await waitFor(() => found({}), isFilled, 'the other engine answers for all tables');
  });

  let besides = 0;

  for (const [what, clause, ...names] of CLAUSE_CASES) {
    test(`${what}: ${names.join(', ') || 'nothing is found'}`, async () => {
      const must = [JSON.parse(corpus.here).query, clause];
      const filtered = await found({ query_filter: JSON.stringify({ query: { bool: { must } } }) });
      const postFiltered = await found({ post_filter: JSON.stringify(clause) });
      for (const answer of [filtered, postFiltered]) {
        assert.equal([answer.names, answer.total], [names, names.length], `answered by ${answer.engine}`);
        if (isBeside(answer)) besides += 1;
      }
    });
  }

  test('Typesense answers many of these clauses', () => {
    assert.ok(besides >= 2 * FEWEST_BESIDE, `${besides} of ${2 * CLAUSE_CASES.length}`);
  });

  test.after(async () => {
    await app.indexer?.stop();
    await app.refresher.stop();
    await clearTypesense(corpus.service.graph, server, [prefix]);
  });
  test.after(() => server.close());
};

if ('missing' in given) test.skipped('all of it', given.missing);
else withServer(given);

test.run();
