import * as assert from 'uvu/assert';
import { sideBySide } from '../../src/graph/side-by-side.ts';
import type { Route } from '../../src/http/route.ts';
import { ok, refused } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createRequests, type Somebody } from './every-route-requests.ts';

/**
 * Names that every plain object has without anybody having put them there. A look-up by a name that the caller chose must
 * not find them: the answer is that of any other unknown name, never a failure of the service.
 */
const test = suite('access: names of Object.prototype in requests');

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
let caller: Somebody;
let routes: readonly Route[];

test.before(async () => {
  service = await openService();
  requestFor = createRequests(service);
  const { id, name } = ok(await service.admin.get('/v1/users/name/admin'));
  caller = { id, name };
  // Collections are served by the same code; every route is asked all the same, since kinds declare their own members.
  routes = service.app.routes.filter(
    ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.startsWith('/v1/notifications/'),
  );
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

test('as a query parameter: no route fails', async () => {
  const next = turns(NAMES.flatMap((name) => SHAPES.map((shape) => shape(name))));
  const failures = await sideBySide(routes, AT_ONCE, async ({ path, query = [] }) => {
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

test('as the name of a field: 400 like any other unknown name', async () => {
  for (const name of NAMES) {
    for (const path of [
      `search/query?q=*&sort_field=${name}`,
      `search/fieldQuery?fieldName=name&fieldValue=x&sort_field=${name}.keyword`,
      `tables?fields=${name}`,
      `tables?fields=owners,${name}`,
      `tables?include=${name}`,
    ]) {
      refused(await service.admin.get(`/v1/${path}`), 400);
    }
    refused(await service.admin.get(`/v1/${name}`), 404);
  }
});

test('as a part of the path: no route fails', async () => {
  const next = turns(NAMES);
  const failures = await sideBySide(routes, AT_ONCE, async ({ path }) => {
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
