import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import type { Route } from '../../src/http/route.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createRequests, type UserRef } from './every-route-requests.ts';
import { representativeRoutes } from './routes-of-kinds.ts';

/**
 * Shows that lookups by a caller's text do not find names that every plain object inherits: the response is that for
 * any unknown name, never a failure of the service.
 */
const test = suite('access: inherited property names');

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', '__defineGetter__'];
const SHAPES = [
  (name: string) => name,
  (name: string) => `${name}.keyword`,
  (name: string) => `name,${name}`,
  (name: string) => `${name}:${name}`,
  (name: string) => JSON.stringify({ [name]: { [name]: name } }),
  (name: string) => `{"query":{"${name}":{"${name}":"x"}}}`,
  (name: string) => `{"query":{"term":{"${name}":"x"}}}`,
  (name: string) => `tags.${name}`,
];

const AT_ONCE = 8;
const WORST_STATUS = 500;

let service: Service;
let requestFor: ReturnType<typeof createRequests>;
let caller: UserRef;
let routes: readonly Route[];

test.before(async () => {
  service = await openService();
  requestFor = createRequests(service);
  const { id, name } = ok(await service.admin.get('/v1/users/name/admin'));
  caller = { id, name };
  const reading = service.app.routes.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.startsWith('/v1/notifications/'),
  );
  routes = representativeRoutes(service, reading);
});

const withParameter = (path: string, name: string, value: string): string => {
  const [base = '', query = ''] = path.split('?');
  const parameters = new URLSearchParams(query);
  parameters.set(name, value);
  return `${base}?${parameters}`;
};

const ask = async (path: string): Promise<string[]> => {
  const { status, text } = await service.admin.begin(path);
  return status >= WORST_STATUS ? [`GET ${path} answers ${status}: ${text.slice(0, 200)}`] : [];
};

/** One of many values for each place, so that all places together see all values. */
const turns = (values: readonly string[]) => {
  let at = 0;
  return (count: number): string[] => Array.from({ length: count }, () => values[at++ % values.length] ?? '');
};

test('as a query parameter they make no route fail', async () => {
  const next = turns(NAMES.flatMap((name) => SHAPES.map((shape) => shape(name))));
  const failures = await mapConcurrently(routes, AT_ONCE, async ({ path, query = [] }) => {
    const request = await requestFor('GET', path, caller, true);
    const found: string[] = [];
    for (const { name } of query) {
      for (const value of next(1)) found.push(...(await ask(withParameter(request.path, name, value))));
    }
    found.push(...(await ask(withParameter(request.path, '__proto__', 'x'))));
    return found;
  });
  assert.is(failures.flat().join('\n'), '');
});

test('as a field they are refused with 400 like any unknown name', async () => {
  for (const name of NAMES) {
    for (const path of [
      `search/query?q=*&sort_field=${name}`,
      `search/fieldQuery?fieldName=name&fieldValue=x&sort_field=${name}.keyword`,
      `tables?fields=${name}`,
      `tables?fields=owners,${name}`,
      `tables?include=${name}`,
    ]) {
      expectRefused(await service.admin.get(`/v1/${path}`), 400);
    }
    expectRefused(await service.admin.get(`/v1/${name}`), 404);
  }
});

/** The smallest bodies of the searches that have one; they find one record, whatever else there is. */
const AGGREGATE = { fieldName: 'name.keyword', index: 'user', size: 1, queryText: 'name.keyword:admin' };
const PREVIEW = { query: 'name.keyword:admin', index: 'user', size: 0, searchSettings: {} };

test('as a sort field they are refused with 400 like any unknown name', async () => {
  const post = (path: string, body: object) => service.admin.post(`/v1/search/${path}`, body);
  for (const name of [...NAMES, 'nosuchfield']) {
    for (const field of [name, `${name}.keyword`, `tags.${name}`]) {
      expectRefused(await post('preview', { ...PREVIEW, sortField: field }), 400);
      expectRefused(await post('aggregate', { ...AGGREGATE, topHits: { sortField: field } }), 400);
    }
    expectRefused(await service.admin.raw('POST', '/v1/search/aggregate', withMember(AGGREGATE, name)), 400);
    expectRefused(await service.admin.raw('POST', '/v1/search/preview', withMember(PREVIEW, name)), 400);
  }
});

/** The same body with one more member, which may have any name. */
const withMember = (body: object, name: string): string =>
  `${JSON.stringify(body).slice(0, -1)},${JSON.stringify(name)}:{"x":"y"}}`;

const UNKNOWN = 'nosuchfield';

/** What is asked for by the name of a field that there need not be: nothing is found by it. */
const asField = (name: string): readonly (readonly [string, object])[] => {
  const term = JSON.stringify({ query: { term: { [name]: 'x' } } });
  const termBoosts = [{ field: name, value: 'x', boost: 2 }];
  const fieldValueBoosts = [{ field: name, factor: 2 }];
  const weights = { searchFields: [{ field: name, boost: 2 }], termBoosts, fieldValueBoosts, highlightFields: [name] };
  const exists = JSON.stringify({ query: { exists: { field: name } } });
  return [
    ...[name, `${name}.keyword`, `tags.${name}`].map(
      (field) => ['aggregate', { ...AGGREGATE, fieldName: field }] as const,
    ),
    ['aggregate', { ...AGGREGATE, query: term }],
    ['aggregate', { ...AGGREGATE, query: `{"query":{"terms":{${JSON.stringify(name)}:["x"]}}}` }],
    ['aggregate', { ...AGGREGATE, queryText: `name.keyword:admin AND NOT ${name}.keyword:nowhere` }],
    ['aggregate', { ...AGGREGATE, sourceFields: [name] }],
    ['preview', { ...PREVIEW, queryFilter: term }],
    ['preview', { ...PREVIEW, queryFilter: exists }],
    ['preview', { ...PREVIEW, postFilter: `{"query":{"range":{${JSON.stringify(name)}:{"gte":1}}}}` }],
    ['preview', { ...PREVIEW, query: `name.keyword:admin AND NOT ${name}.keyword:nowhere` }],
    ['preview', { ...PREVIEW, size: 1, includeSourceFields: [name] }],
    ['preview', { ...PREVIEW, searchSettings: { assetTypeConfigurations: [{ assetType: 'user', ...weights }] } }],
    ['preview', { ...PREVIEW, searchSettings: { globalSettings: { termBoosts, fieldValueBoosts } } }],
    ['preview', { ...PREVIEW, searchSettings: { assetTypeConfigurations: [{ ...weights, assetType: name }] } }],
  ];
};

test('as a counted, searched or returned field they are treated like any unknown name', async () => {
  const asked = asField(UNKNOWN);
  const expected = await mapConcurrently(asked, AT_ONCE, ([path, body]) =>
    service.admin.post(`/v1/search/${path}`, body),
  );
  for (const name of NAMES) {
    const answers = await mapConcurrently(asField(name), AT_ONCE, ([path, body]) =>
      service.admin.post(`/v1/search/${path}`, body),
    );
    for (const [at, { status, text }] of answers.entries()) {
      const what = JSON.stringify(asField(name)[at]);
      assert.is(status, expected[at]?.status, what);
      assert.is(withoutMeasures(text.replaceAll(name, UNKNOWN)), withoutMeasures(expected[at]?.text ?? ''), what);
    }
  }
});

/** Times differ, and scores go by what else there is. */
const withoutMeasures = (text: string): string => text.replace(/"(?:took|_score|max_score)":[\d.]+/g, '');

test('as a path segment or body member of a write they make no route fail', async () => {
  const next = turns(NAMES);
  const writing = service.app.routes.filter(({ method, path }) => method !== 'GET' && path.includes('{'));
  const writes = representativeRoutes(service, writing);
  const failures = await mapConcurrently(writes, AT_ONCE, async ({ method, path }) => {
    const [name = ''] = next(1);
    const filled = path.replace(/\{\w+\}/g, name);
    const { status, text } = await service.admin.raw(method, filled, `{"${name}":{"${name}":"x"}}`);
    return status >= WORST_STATUS ? [`${method} ${filled} answers ${status}: ${text.slice(0, 200)}`] : [];
  });
  assert.is(failures.flat().join('\n'), '');
});

test('as a path segment they make no route fail', async () => {
  const next = turns(NAMES);
  const failures = await mapConcurrently(routes, AT_ONCE, async ({ path }) => {
    const parts = path.split('/');
    const found: string[] = [];
    for (const [place, part] of parts.entries()) {
      if (!part.startsWith('{')) continue;
      const [name = ''] = next(1);
      const filled = parts.map((other, at) => (at === place ? name : other.startsWith('{') ? 'constructor' : other));
      found.push(...(await ask(filled.join('/'))));
    }
    return found;
  });
  assert.is(failures.flat().join('\n'), '');
});

test.run();
