import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import { readEventStream, type StreamedEvent } from '../support/event-stream.ts';
import { ok } from '../support/expect.ts';
import { waitUntil } from '../support/patience.ts';
import { openService, type Service, uniqueName } from '../support/service.ts';
import { createDomain, updateDescription } from '../support/subscriptions.ts';
import { suite } from '../support/suite.ts';
import { waitForNotifications } from '../support/wait-for-events.ts';
import { createHiddenRelations, LINEAGE_TYPES } from './hidden-relations.ts';
import { requestsFor, type WalkRequest } from './hidden-requests.ts';
import { SILENT_ROUTES } from './hidden-silent-routes.ts';
import { type HiddenWorld, makeHiddenWorld } from './hidden-world.ts';

/** Shows that no GET route reveals a record that the caller may not see. */

const test = suite('access: hidden records');

let service: Service;
let world: HiddenWorld;
let requests: readonly WalkRequest[];
let unfilled: readonly string[];
let adminToken: string;
let callerToken: string;
/** What the last event and the last notification are about. */
let lastId: string;

test.before(async () => {
  service = await openService();
  world = await makeHiddenWorld(service);
  await createHiddenRelations(service, world);
  ({ requests, unfilled } = await requestsFor(service, world));
  lastId = await createDomain(service, uniqueName('last'));
  ok(await world.caller.put(`/v1/domains/${lastId}/followers`, world.caller.id));
  await updateDescription(service, lastId, 'Told of at the end.');
  await waitForNotifications(service);
  [adminToken, callerToken] = await Promise.all([service.token('admin'), service.token(world.caller.name)]);
});

/** Routes that another part of the service has to mend; the list must be empty. */
const KNOWN: ReadonlySet<string> = new Set([]);

const AT_ONCE = 4;

const isLast = ({ data }: StreamedEvent): boolean => (data.entityId ?? data.entityRef?.id) === lastId;

/** Listens to an endless answer up to its last event. */
const readEndless = async (response: Response): Promise<string> => {
  const { heard, isOver, leave } = readEventStream(response);
  await waitUntil(
    () => isOver() || heard.some(isLast),
    'the last event comes',
    () => heard.at(-1),
  );
  await leave();
  return heard.map((event) => JSON.stringify(event)).join('\n');
};

type Heard = { readonly status: number; readonly body: string; readonly text: string };

/** An answer as one text, with its headers. */
const askAs = async (token: string, { path, endless }: WalkRequest): Promise<Heard> => {
  const response = await service.app.hono.request(path, { headers: { authorization: `Bearer ${token}` } });
  const body = endless && response.ok ? await readEndless(response) : await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return { status: response.status, body, text: `${headers}\n\n${body}` };
};

/** What is written in base64, as cursors are. */
const decoded = (text: string): string =>
  [...text.matchAll(/"([\w-]{40,})"/g)]
    .map(([, code = '']) => Buffer.from(code, 'base64url').toString('latin1'))
    .join('\n');

const without = (text: string, strings: Iterable<string>): string => {
  let left = text;
  for (const one of strings) if (one !== '') left = left.replaceAll(one, '');
  return left;
};

/** Names that visible records have themselves, in all ways they are written; they may contain those of hidden parents. */
const ownNames = (): string[] =>
  [...world.below.values(), ...world.visible.values()]
    .map(({ fullyQualifiedName }) => fullyQualifiedName)
    .sort((a, b) => b.length - a.length)
    .flatMap((fqn) => [fqn, fqn.toLowerCase(), encodeURIComponent(fqn), JSON.stringify(fqn).slice(1, -1)]);

/** What the caller has said in the request. */
const ownWords = (path: string): string[] =>
  [...path.split(/[/?&=]/).map((part) => decodeURIComponent(part)), ...path.split(/[/?&=]/)].filter(
    (word) => word.length > 20,
  );

/** What marks words that were sought. */
const MARKED = /<\/?(?:em|span)[^>]*>/g;

/** The parts of a record's own name. */
const OWN_PARTS = /"fqnParts":\[[^\]]*\]/g;

const STUB = /\{"id":"([\w-]{36})","type":"\w+","hidden":true\}/g;

/** What a text tells of hidden records: each with the text around it. */
const leaksIn = (text: string, path: string): string[] => {
  const stubs = new Set([...text.matchAll(STUB)].map(([, id]) => id));
  const plain = without(text.replace(MARKED, '').replace(OWN_PARTS, '').replaceAll(`"text":"${world.marker}"`, ''), [
    ...ownNames(),
    ...ownWords(path),
  ]);
  const whole = `${plain}\n${without(decoded(plain), ownNames())}`;
  const around = (at: number) => whole.slice(Math.max(0, at - 90), at + 70).replace(/\s+/g, ' ');
  const names = [...whole.matchAll(new RegExp(world.marker, 'gi'))].map(({ index }) => around(index));
  const ids = [...world.hidden, ...world.about].flatMap(([type, { id }]) => {
    // In a drawing, the id of a hidden node is all that there is of it.
    const isDrawn = path.includes('format=') && LINEAGE_TYPES.includes(type);
    if (path.startsWith('/v1/lineage/') && (stubs.has(id) || isDrawn)) return [];
    const at = whole.indexOf(id);
    return at < 0 ? [] : [`id: ${around(at)}`];
  });
  return [...names, ...ids];
};

test('every GET route is visited', () => assert.equal(unfilled, []));

/** What is wrong with an answer beside what it may say of hidden records. */
const faultOf = ({ path, isRefused, hasNoRows, endless }: WalkRequest, { status, body }: Heard): string | undefined => {
  if (status >= 500) return `${status} ${path}`;
  if (isRefused && status < 400) return `${status} ${path}: a hidden record is answered`;
  if (hasNoRows && status < 400 && !body.startsWith('{"data":[]'))
    return `${path}: tells what a hidden record is joined to`;
  if (endless && status < 400 && body === '') return `${path}: no event came`;
  return undefined;
};

test('no response to a restricted caller names a hidden record', async () => {
  const offenders = new Map<string, string>();
  const failures: string[] = [];
  await mapConcurrently(requests, AT_ONCE, async (request) => {
    const heard = await askAs(callerToken, request);
    failures.push(...[faultOf(request, heard)].filter((fault) => fault !== undefined));
    const [leak] = leaksIn(heard.text, request.path);
    if (leak !== undefined && !offenders.has(request.route)) offenders.set(request.route, `${request.path}: ${leak}`);
  });
  const found = [...offenders].filter(([route]) => !KNOWN.has(route)).map(([route, leak]) => `${route}\n    ${leak}`);
  assert.is([...failures, ...found].sort().join('\n'), '');
});

test('an administrator sees the hidden records on every other route', async () => {
  const routes = new Map<string, WalkRequest[]>();
  // Requests for hidden records themselves would hide that nothing else is told.
  for (const request of requests.filter(({ isRefused, hasNoRows }) => !isRefused && !hasNoRows))
    routes.set(request.route, [...(routes.get(request.route) ?? []), request]);
  const silent = await mapConcurrently([...routes], AT_ONCE, async ([route, some]) => {
    for (const request of some) {
      const { text } = await askAs(adminToken, request);
      if (leaksIn(text, request.path).length > 0) return [];
    }
    return [route];
  });
  assert.equal(silent.flat().sort(), SILENT_ROUTES.filter((route) => routes.has(route)).sort());
});

test.run();
