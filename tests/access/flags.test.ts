import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import type { Route } from '../../src/http/route.ts';
import { ok } from '../support/expect.ts';
import { openService, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createRequests, type UserRef } from './every-route-requests.ts';

/** Shows that boolean query parameters are read in any letter case on every route. */

const test = suite('access: boolean parameters');

const SPELLINGS = ['True', 'FALSE', 'tRuE', 'False'];
const AT_ONCE = 8;

let service: Service;
let requestFor: ReturnType<typeof createRequests>;
let caller: UserRef;

const flagsOf = ({ query = [] }: Route): string[] =>
  query.filter(({ schema }) => schema.type === 'boolean').map(({ name }) => name);

test.before(async () => {
  service = await openService();
  requestFor = createRequests(service);
  const { id, name } = ok(await service.admin.get('/v1/users/name/admin'));
  caller = { id, name };
});

/** What a request with all flags of a route spelled like this is answered when the spelling is refused. */
const refusal = async (route: Route, spelling: string): Promise<string[]> => {
  const { method, path } = route;
  const { path: filled, body, file } = await requestFor(method, path, caller, false);
  const flags = flagsOf(route).map((name) => `${name}=${spelling}`);
  const target = `${filled}${filled.includes('?') ? '&' : '?'}${flags.join('&')}`;
  const sent = file ?? (body === undefined ? undefined : JSON.stringify(body));
  const type = file === undefined ? {} : { 'content-type': 'text/csv' };
  const { status, text } = await service.admin.raw(method, target, sent, type);
  return /must be true or false/.test(text) || status >= 500 ? [`${method} ${target}: ${status} ${text}`] : [];
};

test('every route reads booleans in any letter case', async () => {
  // What removes is left alone: with other spellings it would do what the tests of other files look at.
  const routes = service.app.routes.filter(
    (route) => route.method !== 'DELETE' && !/notifications|stream/.test(route.path) && flagsOf(route).length > 0,
  );
  assert.ok(routes.some(({ query = [] }) => query.some(({ name }) => name === 'dryRun')));
  const turns = routes.map((route, at) => ({ route, spelling: SPELLINGS[at % SPELLINGS.length] ?? '' }));
  const failures = await mapConcurrently(turns, AT_ONCE, ({ route, spelling }) => refusal(route, spelling));
  assert.is(failures.flat().join('\n'), '');
});

test.run();
