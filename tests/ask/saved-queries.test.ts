import * as assert from 'uvu/assert';
import { SYSTEM_PRINCIPAL } from '../../src/access/service-identity.ts';
import { createMetricReader } from '../../src/ask/metric-queries.ts';
import { createQueryRunner } from '../../src/ask/run-query.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { createRightsFactory, type Person, type RightsFactory } from '../support/rights.ts';
import { anonymous, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows how queries are kept by name, run with the rights of whoever runs them, and become metrics. */

const test = suite('ask: saved queries');

const BASE = '/v1/graph/queries';

let service: Service;
let rights: RightsFactory;
let author: Person;
let other: Person;

test.before(async () => {
  service = await openService();
  rights = createRightsFactory(service);
  author = await rights.person();
  other = await rights.person();
});

test.after(() => rights.clear());

const newName = (): string => uniqueName('q').replaceAll(/[^A-Za-z0-9_]/g, '_');

test('a query is saved, listed, run with other parameters, replaced and deleted', async () => {
  const name = newName();
  const body = {
    name,
    description: 'Counts',
    query: 'UNWIND range(1, $n) AS x RETURN count(*) AS n',
    parameters: { n: 3 },
  };
  const saved = ok(await author.post(BASE, body), 201);
  assert.equal(saved, {
    ...body,
    asMetric: false,
    createdBy: author.name,
    updatedBy: author.name,
    updatedAt: saved.updatedAt,
  });
  assert.equal(ok(await other.get(`${BASE}/${name}`)), saved);
  assert.equal(ok(await other.post(`${BASE}/${name}/run`, {})).rows, [[3]]);
  assert.equal(ok(await other.post(`${BASE}/${name}/run`, { parameters: { n: 5 } })).rows, [[5]]);
  assert.equal(ok(await other.post(`${BASE}/${name}/run`, { limit: 1 })).columns, ['n']);
  expectRefused(await other.post(`${BASE}/${name}/run`, { parameters: { m: 5 } }), 400, /no parameter m/);
  expectRefused(await other.post(`${BASE}/${name}/run`, { query: 'RETURN 1' }), 400, /query/);
  const changed = { name, query: 'RETURN 1 AS one' };
  const replaced = ok(await author.put(`${BASE}/${name}`, changed));
  assert.equal([replaced.query, replaced.parameters, 'description' in replaced], ['RETURN 1 AS one', {}, false]);
  assert.equal(ok(await author.delete(`${BASE}/${name}`), 204), undefined);
  for (const path of [`${BASE}/${name}`, `${BASE}/${name}/run`]) {
    expectRefused(path.endsWith('run') ? await author.post(path, {}) : await author.get(path), 404, /no saved query/);
  }
});

test('the list is in the order of names, in pages', async () => {
  const names = ['b', 'a', 'c'].map((letter) => `${letter}_${newName()}`);
  for (const name of names) ok(await author.post(BASE, { name, query: 'RETURN 1' }), 201);
  const seen: string[] = [];
  let after: string | undefined;
  do {
    const page = ok(await author.get(`${BASE}?limit=2${after ? `&after=${encodeURIComponent(after)}` : ''}`));
    assert.ok(page.data.length <= 2);
    seen.push(...page.data.map((one: { name: string }) => one.name));
    assert.ok(page.paging.total >= 3);
    after = page.paging.after;
  } while (after !== undefined);
  assert.equal(seen, [...seen].sort());
  for (const name of names) assert.ok(seen.includes(name));
  for (const name of names) ok(await author.delete(`${BASE}/${name}`), 204);
  expectRefused(await author.get(`${BASE}?limit=0`), 400);
  expectRefused(await author.get(`${BASE}?page=2`), 400);
});

test('only the author and administrators change a query, and only administrators make it a metric', async () => {
  const name = newName();
  const body = { name, query: 'RETURN 1' };
  ok(await author.post(BASE, body), 201);
  expectRefused(await other.put(`${BASE}/${name}`, body), 403);
  expectRefused(await other.delete(`${BASE}/${name}`), 403);
  expectRefused(await author.put(`${BASE}/${name}`, { ...body, asMetric: true }), 403);
  expectRefused(await author.post(BASE, { name: newName(), query: 'RETURN 1', asMetric: true }), 403);
  assert.is(ok(await author.get(`${BASE}/${name}`)).asMetric, false);
  assert.is(ok(await service.admin.put(`${BASE}/${name}`, { ...body, asMetric: true })).createdBy, author.name);
  ok(await service.admin.delete(`${BASE}/${name}`), 204);
});

test('what could not run is not saved', async () => {
  const bodies: readonly (readonly [object, RegExp])[] = [
    [{ query: 'CREATE (n) RETURN n' }, /line 1, column 1/],
    [{ query: 'MATCH (n:Token) RETURN n' }, /no label Token/],
    [{ query: 'RETURN $x' }, /the parameter x has no value/],
    [{ query: 'RETURN 1', parameters: { x: 1 } }, /no parameter x/],
    [{ query: 'RETURN 1', name: 'no spaces' }, /name/],
    [{ query: 'RETURN 1', name: '' }, /name/],
    [{ query: '' }, /query/],
    [{}, /query/],
    [{ query: 'RETURN 1', owner: 'x' }, /owner/],
  ];
  for (const [body, words] of bodies) {
    expectRefused(await author.post(BASE, { name: newName(), ...body }), 400, words);
  }
  const name = newName();
  ok(await author.post(BASE, { name, query: 'RETURN 1' }), 201);
  expectRefused(await author.post(BASE, { name, query: 'RETURN 2' }), 409);
  expectRefused(await author.put(`${BASE}/${name}`, { name: newName(), query: 'RETURN 2' }), 400, /address/);
  expectRefused(await author.put(`${BASE}/none`, { name: 'none', query: 'RETURN 2' }), 404);
  assert.is(ok(await author.get(`${BASE}/${name}`)).query, 'RETURN 1');
  const twins = await Promise.all([1, 2, 3, 4].map(() => author.post(BASE, { name: `${name}_t`, query: 'RETURN 1' })));
  assert.equal(twins.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  for (const one of [name, `${name}_t`]) ok(await author.delete(`${BASE}/${one}`), 204);
  expectRefused(await anonymous(service).get(BASE), 401);
});

test('a saved query runs with the rights of whoever runs it', async () => {
  const blind = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['user'] }]);
  const name = newName();
  ok(await author.post(BASE, { name, query: 'MATCH (u:User) RETURN count(*) AS n' }), 201);
  assert.ok(ok(await author.post(`${BASE}/${name}/run`, {})).rows[0][0] > 0);
  assert.equal(ok(await blind.post(`${BASE}/${name}/run`, {})).rows, [[0]]);
  ok(await author.delete(`${BASE}/${name}`), 204);
});

test('the rows of queries that are metrics are values of one gauge, and a query that fails leaves a gap and is told', async () => {
  const [good, bad, plain] = [newName(), newName(), newName()];
  const query = "UNWIND [1, 2] AS x RETURN 'key ' + toString(x) AS key, 10 * x AS n";
  ok(await service.admin.post(BASE, { name: good, query, asMetric: true }), 201);
  ok(await service.admin.post(BASE, { name: bad, query: 'RETURN 1 / 0', asMetric: true }), 201);
  ok(await service.admin.post(BASE, { name: plain, query: 'RETURN 1' }), 201);
  const { engine } = service.app;
  const failed: string[] = [];
  const metrics = createMetrics();
  metrics.savedQueries(
    createMetricReader({
      engine,
      runner: createQueryRunner(engine),
      principal: SYSTEM_PRINCIPAL,
      onFailure: (name) => failed.push(name),
    }),
  );
  try {
    // A scrape waits two seconds for a new reading and shows the one before otherwise.
    const scrape = async () => (await metrics.render()).split('\n').filter((line) => line.includes(good));
    const lines = await waitFor(scrape, ({ length }) => length > 0 && failed.includes(bad), 'both queries were read');
    assert.equal(lines, [
      `tributary_graph_query{query="${good}",key="key 1"} 10`,
      `tributary_graph_query{query="${good}",key="key 2"} 20`,
    ]);
    const text = await metrics.render();
    for (const name of [bad, plain]) assert.not.ok(text.includes(name), name);
    assert.ok(failed.includes(bad));
  } finally {
    metrics.close();
    for (const name of [good, bad, plain]) ok(await service.admin.delete(`${BASE}/${name}`), 204);
  }
});

test.run();
