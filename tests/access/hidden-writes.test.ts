import { randomUUID } from 'node:crypto';
import * as assert from 'uvu/assert';
import { mapConcurrently } from '../../src/graph/map-concurrently.ts';
import { isObject, type Json } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import { createRightsFactory, type Person } from '../support/rights.ts';
import { anonymous, openService, type Reply, type Service } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { createRequests, type Request } from './every-route-requests.ts';
import { type Expected, expectationsFor, representativesOf } from './every-route-table.ts';
import { OPEN_ROUTES, REFUSED_FIRST } from './hidden-open-routes.ts';

/**
 * Shows that no route that writes tells anything of a record that the caller may not see, or changes it, although the
 * caller may do everything else with every record.
 */

const test = suite('access: writes of hidden records');

/** What the texts of all hidden records begin with. */
const marker = `zqw${randomUUID().slice(0, 8)}`;

type Walked = Request & { readonly method: string; readonly route: string };

let service: Service;
let caller: Person;
let requests: readonly Walked[];
let hidden: readonly string[];

const METHODS = ['post', 'put', 'patch', 'delete'] as const;

const writingRoutes = async (): Promise<readonly Expected[]> => {
  const { paths } = ok(await anonymous(service).get('/openapi.json'));
  const routes = Object.entries(paths as Record<string, Record<string, unknown>>).flatMap(([path, operations]) =>
    METHODS.filter((method) => method in operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
  return representativesOf(expectationsFor(routes).expected);
};

/** Somebody who may do everything, and sees only what has a tag that nothing has. */
const createCaller = async (): Promise<Person> => {
  const rights = createRightsFactory(service);
  const classification = await rights.make('classifications', 'showing', { description: 'shows' });
  const tag = await rights.make('tags', 'show', {
    classification: classification.fullyQualifiedName,
    description: 'x',
  });
  return rights.person([
    { effect: 'deny', operations: ['ViewAll'], condition: `!matchAnyTag('${tag.fullyQualifiedName}')` },
    { operations: ['All'] },
  ]);
};

/** A body in the words of the caller. One that would only rehearse would change nothing anyway. */
const asSent = (body: unknown): unknown => {
  if (body === undefined) return undefined;
  const own = JSON.parse(JSON.stringify(body).replaceAll(marker, 'own')) as Json;
  return isObject(own) && Object.hasOwn(own, 'dryRun') ? { ...own, dryRun: false } : own;
};

const AT_ONCE = 4;

const isBulk = (path: string): boolean => service.registry.kinds.some((kind) => path === `/v1/${kind.path}/bulk`);

/** One request for each route, and besides, in place of new rows among many, one for what is there already. */
const prepare = async (routes: readonly Expected[]): Promise<readonly Walked[]> => {
  const requestFor = createRequests(service, (kind, body) => ({
    ...body,
    displayName: `${marker} shown`,
    ...(kind.entityType === 'user' ? {} : { description: `${marker} described` }),
  }));
  const prepared = await mapConcurrently(routes, AT_ONCE, async ({ method, path }): Promise<readonly Walked[]> => {
    const route = `${method} ${path}`;
    const request = await requestFor(method, path, caller, true);
    const own = { ...request, body: asSent(request.body), method, route };
    if (!isBulk(path)) return [own];
    const { body } = await requestFor(method, path.replace(/\/bulk$/, ''), caller, true);
    return [own, { ...own, body: asSent([body]), route: `${route} of what is there` }];
  });
  return prepared.flat();
};

test.before(async () => {
  service = await openService();
  caller = await createCaller();
  requests = await prepare(await writingRoutes());
  const rows = await service.graph.query(
    'MATCH (n:Entity) WHERE n.displayName STARTS WITH $marker RETURN n.id AS id ORDER BY id',
    { marker },
  );
  hidden = rows.map(({ id }) => id as string);
});

/**
 * What the store holds of the hidden records: themselves, what hangs on them and what they are joined to. How far deliveries
 * have come and what people are told comes in its own time.
 */
const readHidden = async (): Promise<ReadonlyMap<string, string>> => {
  const rows = await service.graph.query(
    `UNWIND $ids AS id MATCH (n:Entity {id: id})
     CALL (n) {
       MATCH (n)-[edge]-(other)
       WHERE NOT other:Notification AND NOT other:ChangeEvent AND NOT type(edge) IN ['HAS_DELIVERY', 'OPTED_OUT_OF']
         AND NOT (type(edge) IN ['CONTAINS', 'PARENT_OF'] AND startNode(edge) = n)
       WITH type(edge) AS type, coalesce(other.id, other.name, '') AS name,
         CASE WHEN other:Entity THEN null ELSE properties(other) END AS held
       ORDER BY type, name
       RETURN collect([type, name, held]) AS around
     }
     RETURN id, properties(n) AS properties, around, COUNT { (n)<-[:ABOUT]-(:ChangeEvent) } AS events`,
    { ids: hidden },
  );
  return new Map(rows.map(({ id, ...held }) => [id as string, JSON.stringify(held)]));
};

const send = ({ method, path, body, file }: Walked): Promise<Reply> =>
  caller.raw(
    method,
    path,
    file ?? (body === undefined ? undefined : JSON.stringify(body)),
    file === undefined ? {} : { 'content-type': 'text/csv' },
  );

/** Whether the request makes records that are about no other, which nothing hides from whoever makes them. */
const isMaking = ({ route }: Walked): boolean =>
  service.registry.kinds.some(
    ({ isAbout, path }) => !isAbout && [`POST /v1/${path}`, `PUT /v1/${path}/bulk`].includes(route),
  );

/** How many rows of an answer about several were accepted. */
const accepted = ({ json }: Reply): number =>
  (json?.numberOfRowsPassed ?? json?.summary?.successful ?? json?.successRequest?.length ?? 0) as number;

/** Whether an answer is about several rows. */
const isAboutRows = ({ json }: Reply): boolean =>
  (json?.numberOfRowsProcessed ?? json?.summary?.received) !== undefined;

/** What is wrong with an answer, beside what the store then holds. */
const faultOf = (request: Walked, reply: Reply): string | undefined => {
  const { route } = request;
  if (reply.text.includes(marker)) return `${route} tells of a hidden record: ${reply.text.slice(0, 200)}`;
  if (OPEN_ROUTES.has(route) || isMaking(request)) return undefined;
  if (reply.status < 300 && accepted(reply) === 0 && isAboutRows(reply)) return undefined;
  if (reply.status === 403 && (REFUSED_FIRST.has(route) || reply.text.includes('operations [ViewBasic]')))
    return undefined;
  return `${route} answers ${reply.status}: ${reply.text.slice(0, 200)}`;
};

test('what a caller does not see answers as a request to read it, tells nothing and stays as it is', async () => {
  assert.ok(hidden.length > 50, `${hidden.length} records`);
  const before = await readHidden();
  const faults: string[] = [];
  for (const request of requests)
    faults.push(...[faultOf(request, await send(request))].filter((one) => one !== undefined));
  const after = await readHidden();
  assert.equal(faults, []);
  for (const id of hidden) assert.is(after.get(id), before.get(id));
});

test.run();
