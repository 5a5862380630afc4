import { readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { ok } from '../../../support/expect.ts';
import { createRandom } from '../../../support/random.ts';
import { createRightsFactory, type Person } from '../../../support/rights.ts';
import {
  type Client,
  closeServiceAt,
  openServiceAt,
  placeOfRun,
  type Reply,
  type Service,
  uniqueName,
} from '../../../support/service.ts';
import { suite } from '../../../support/suite.ts';
import { column, edgeBody, feed, type Made, openWorld, pipelineIn, ref, type World } from '../../fixture.ts';

/**
 * Shows that the edges between services, domains and data products, which are counted as edges change, are those that a
 * caller finds whose edges are counted on every read.
 */

const test = suite('lineage: counts of derived edges');

let world: World;
/** Somebody who sees all of these records, but whom no count that was kept may serve. */
let judged: Person;

/** Another process on the same store. */
let other: Service;

test.before(async () => {
  world = await openWorld();
  other = await openServiceAt(placeOfRun());
  judged = await createRightsFactory(world.service).person([
    { effect: 'deny', operations: ['All'], resources: ['all'], condition: "matchAnyTag('PII.Sensitive')" },
  ]);
});

test.after(() => closeServiceAt(other));

type Pool = {
  readonly services: readonly Made[];
  readonly schemas: readonly Made[];
  readonly tables: Made[];
  readonly pipelines: Made[];
  readonly domains: Made[];
  readonly products: readonly Made[];
};

const makeDomain = (): Promise<Made> =>
  world.make('domains', { name: uniqueName('sum'), description: 'x', domainType: 'Aggregate' });

const makeTable = ({ fullyQualifiedName: databaseSchema }: Made): Promise<Made> =>
  world.make('tables', { name: uniqueName('t'), databaseSchema, columns: [column('a')] });

const make = <T>(count: number, one: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => one(at)));

const fillPool = async (): Promise<Pool> => {
  const services = await make(3, () =>
    world.make('services/databaseServices', { name: uniqueName('sum'), serviceType: 'Mysql' }),
  );
  const schemas = await Promise.all(
    services.flatMap(({ fullyQualifiedName: service }) =>
      ['one', 'two'].map(async (name) => {
        const { fullyQualifiedName: database } = await world.make('databases', { name, service });
        return world.make('databaseSchemas', { name: 'public', database });
      }),
    ),
  );
  const domains = await make(3, makeDomain);
  const group = domains.map(({ fullyQualifiedName }) => fullyQualifiedName).slice(0, 1);
  return {
    services,
    schemas,
    domains,
    tables: (await Promise.all(schemas.map((schema) => make(2, () => makeTable(schema))))).flat(),
    pipelines: await make(3, () => pipelineIn(world, uniqueName('flow'))),
    products: await make(2, () =>
      world.make('dataProducts', { name: uniqueName('sum'), description: 'x', domains: group }),
    ),
  };
};

const LABELS = { service: 'services', domain: 'domains', dataProduct: 'products' } as const;

/** The derived edges between some records, as their ends and counts. */
const countsBetween = async (client: Client, view: string, wanted: ReadonlySet<string>, more = '') => {
  const address = `/v1/lineage/getPlatformLineage?view=${view}&size=10000${more}`;
  type Drawn = { fromEntity: { id: string }; toEntity: { id: string }; assetEdges: number };
  const edges: readonly Drawn[] = Object.values(ok(await client.get(address)).upstreamEdges);
  return edges
    .filter(({ fromEntity, toEntity }) => wanted.has(fromEntity.id) && wanted.has(toEntity.id))
    .map(({ fromEntity, toEntity, assetEdges }) => `${fromEntity.id} ${toEntity.id} ${assetEdges}`)
    .sort();
};

const carriersOf = async ({ pipelines }: Pool): Promise<readonly string[]> =>
  Promise.all(pipelines.map(async ({ id }) => ok(await world.admin.get(`/v1/pipelines/${id}?include=all`)).service.id));

const expectAgreement = async (pool: Pool, after: string): Promise<number> => {
  const ids = [...pool.services, ...pool.domains, ...pool.products].map(({ id }) => id);
  const wanted = new Set([...ids, ...(await carriersOf(pool))]);
  let found = 0;
  for (const view of Object.keys(LABELS)) {
    for (const more of ['', '&includeDeleted=true']) {
      const [kept, counted] = await Promise.all(
        [world.admin, judged].map((client) => countsBetween(client, view, wanted, more)),
      );
      assert.equal(kept, counted, `${view}${more} after ${after}`);
      found += kept?.length ?? 0;
    }
  }
  return found;
};

let turns = 0;

/** Writes go to both processes by turns. */
const writer = (): Client => {
  turns += 1;
  return turns % 2 === 0 ? world.admin : other.admin;
};

/** How many derived edges an administrator finds between the services of a pool. */
const countKept = async ({ services }: Pool): Promise<number> =>
  (await countsBetween(world.admin, 'service', new Set(services.map(({ id }) => id)))).length;

type Act = (pool: Pool, pick: <T>(of: readonly T[]) => T) => Promise<Reply | undefined>;

const setMember = (path: string, { id }: Made, member: string, type: string, of: readonly Made[]) =>
  writer().patch(`/v1/${path}/${id}`, [{ op: 'add', path: `/${member}`, value: of.map((one) => ref(one, type)) }]);

const replace = async (pool: Made[], gone: Made | undefined, path: string, next: () => Promise<Made>) => {
  if (!gone) return;
  const made = await next();
  pool.splice(pool.indexOf(gone), 1, made);
  return writer().delete(`/v1/${path}/${gone.id}?hardDelete=true&recursive=true`);
};

/** What changes edges, or what they count for. Some of it is refused, because others do it at the same time. */
const ACTS: Readonly<Record<string, Act>> = {
  'an edge': ({ tables }, pick) => writer().put('/v1/lineage', edgeBody(pick(tables), pick(tables))),
  'an edge through a pipeline': ({ tables, pipelines }, pick) =>
    writer().put('/v1/lineage', edgeBody(pick(tables), pick(tables), { pipeline: ref(pick(pipelines), 'pipeline') })),
  'the end of an edge': ({ tables }, pick) =>
    writer().delete(`/v1/lineage/table/${pick(tables).id}/table/${pick(tables).id}`),
  'a deletion': ({ tables }, pick) => writer().delete(`/v1/tables/${pick(tables).id}`),
  'a restoration': ({ tables }, pick) => writer().put('/v1/tables/restore', { id: pick(tables).id }),
  'a removal': async ({ tables, schemas }, pick) => {
    const [gone, home] = [pick(tables), pick(schemas)];
    const isThere = (await writer().get(`/v1/databaseSchemas/${home.id}`)).status === 200;
    return isThere ? replace(tables, gone, 'tables', () => makeTable(home)) : undefined;
  },
  'the deletion of a pipeline': ({ pipelines }, pick) => writer().delete(`/v1/pipelines/${pick(pipelines).id}`),
  'the restoration of a pipeline': ({ pipelines }, pick) =>
    writer().put('/v1/pipelines/restore', { id: pick(pipelines).id }),
  'the removal of a pipeline': ({ pipelines }, pick) =>
    replace(pipelines, pick(pipelines), 'pipelines', () => pipelineIn(world, uniqueName('flow'))),
  'a domain of a table': ({ tables, domains }, pick) =>
    setMember('tables', pick(tables), 'domains', 'domain', pick([[], [pick(domains)], domains.slice(0, 2)])),
  'a domain of a schema': ({ schemas, domains }, pick) =>
    setMember('databaseSchemas', pick(schemas), 'domains', 'domain', pick([[], [pick(domains)]])),
  'a domain of a service': ({ services, domains }, pick) =>
    setMember('services/databaseServices', pick(services), 'domains', 'domain', pick([[], [pick(domains)]])),
  'the removal of a domain': ({ domains }) => replace(domains, domains[2], 'domains', makeDomain),
  'a product of a table': ({ tables, domains, products }, pick) => {
    const value = (type: string, of: readonly (Made | undefined)[]) => of.flatMap((one) => (one ? ref(one, type) : []));
    return writer().patch(`/v1/tables/${pick(tables).id}`, [
      { op: 'add', path: '/domains', value: value('domain', [domains[0]]) },
      { op: 'add', path: '/dataProducts', value: value('dataProduct', pick([[], [pick(products)], products])) },
    ]);
  },
  'assets of a product': ({ tables, products }, pick) =>
    writer().put(
      `/v1/dataProducts/${encodeURIComponent(pick(products).fullyQualifiedName)}/assets/${pick(['add', 'remove'])}`,
      { assets: [ref(pick(tables)), ref(pick(tables))] },
    ),
  'the deletion of a schema': ({ schemas }) => writer().delete(`/v1/databaseSchemas/${schemas[0]?.id}?recursive=true`),
  'the restoration of a schema': ({ schemas }) => writer().put('/v1/databaseSchemas/restore', { id: schemas[0]?.id }),
};

/** What comes more often than what takes it away. */
const OFTEN = ['an edge', 'an edge through a pipeline', 'the end of an edge', 'a restoration', 'a product of a table'];

test('whatever changes, and at the same time, the counts are those of the edges that there are', async () => {
  const pool = await fillPool();
  const random = createRandom(41);
  const pick = <T>(of: readonly T[]): T => of[random(of.length)] as T;
  let found = 0;
  for (let round = 0; round < 6; round += 1) {
    const names = Array.from({ length: 10 }, () => pick([...Object.keys(ACTS), ...OFTEN, ...OFTEN, ...OFTEN]));
    const replies = await Promise.all(names.map((name) => ACTS[name]?.(pool, pick)));
    assert.equal(
      replies.filter((reply) => reply && reply.status >= 500),
      [],
    );
    found += await expectAgreement(pool, `round ${round}: ${names.join(', ')}`);
  }
  assert.ok(found > 60, `there is something to count: ${found}`);
});

test('processes that count edges between the same services at once lose none', async () => {
  const pool = await fillPool();
  const [here, there] = [0, 2].map((at) => pool.schemas[at]) as [Made, Made];
  const [origins, targets] = await Promise.all([here, there].map((schema) => make(8, () => makeTable(schema))));
  const pairs = (origins ?? []).flatMap((from) => (targets ?? []).map((to) => [from, to] as const));
  const [one, two] = pool.services.map(({ id }) => id);
  const wanted = new Set([one, two].map(String));
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(pairs.map(([from, to]) => writer().put('/v1/lineage', edgeBody(from, to))));
    assert.equal(await countsBetween(world.admin, 'service', wanted), [`${one} ${two} ${pairs.length}`]);
    await Promise.all(pairs.map(([from, to]) => writer().delete(`/v1/lineage/table/${from.id}/table/${to.id}`)));
    assert.equal(await countsBetween(world.admin, 'service', wanted), []);
  }
});

const readStep = (name: string): string =>
  readFileSync(new URL(`../../../../cypher/schema/${name}.cypher`, import.meta.url), 'utf8');

test('edges that an older program made are counted before a store is served', async () => {
  const { graph } = world.service;
  const pool = await fillPool();
  const [a, b, c] = pool.tables.filter((_, at) => at % 4 === 0);
  const [pipeline] = pool.pipelines;
  if (!(a && b && c && pipeline)) throw new Error('there are three tables of different services');
  const [domain, , other] = pool.domains;
  for (const [table, of] of [[a, domain] as const, [b, other] as const])
    ok(await setMember('tables', table, 'domains', 'domain', of ? [of] : []));
  ok(await feed(world.admin, a, b, { pipeline: ref(pipeline, 'pipeline') }));
  ok(await feed(world.admin, b, c));
  ok(await feed(world.admin, c, a));
  ok(await world.admin.delete(`/v1/tables/${c.id}`));
  const before = await expectAgreement(pool, 'the edges');
  const ids = [a, b, c].map(({ id }) => id);
  await graph.query('MATCH (n:Entity)-[edge:FEEDS]->() WHERE n.id IN $ids SET edge.isCounted = null', { ids });
  const above = [...pool.services, ...pool.schemas, ...pool.tables, ...pool.products].map(({ id }) => id);
  await graph.query('MATCH (n:Entity)-[supplies:SUPPLIES]-() WHERE n.id IN $above DELETE supplies', { above });
  assert.is(await countKept(pool), 0);
  await graph.query('MATCH (n:Entity) WHERE n.id IN $above SET n.determinesDomains = null', { above });
  for (const name of ['208_determines_domains', '209_feeds_uncounted']) await graph.runSchemaCommand(readStep(name));
  for (let changed = 1; changed > 0; ) {
    const [row] = await graph.query(readStep('210_feeds_counted'));
    changed = Number(row?.['changed']);
  }
  assert.is(await expectAgreement(pool, 'the migration'), before);
  ok(await world.admin.delete(`/v1/lineage/table/${a.id}/table/${b.id}`));
  await expectAgreement(pool, 'the end of a migrated edge');
});

test.run();
