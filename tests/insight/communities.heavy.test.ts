import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { type EmbeddedServer, startEmbeddedServer } from '../../src/graph/embedded/server.ts';
import { feed, type Made, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { expectRef, ok } from '../support/expect.ts';
import { waitFor } from '../support/patience.ts';
import { copyPreparedHome } from '../support/prepared-home.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { closeServiceAt, openServiceAt, placeOfRun } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { type Planted, plantSchemas, type Row, readRows } from './communities-fixture.ts';
import { compareAgain } from './compare-again.ts';
import type { Arc } from './random-graphs.ts';
import { slowCommunities } from './slow-communities.ts';

/**
 * Compares communities with those of the slow method on what the store holds. They depend on the whole store, so it has a
 * database of its own, to which nobody else writes.
 */

const test = suite('insight: how communities are found');

let home: string;
let server: EmbeddedServer;
let world: World;
let rights: RightsFactory;

test.before(async () => {
  home = await mkdtemp(join(tmpdir(), 'tributary-communities-'));
  await copyPreparedHome(home);
  server = await startEmbeddedServer({ home, heap: '512m', pagecache: '128m', report: () => {} });
  const { uri, user, password } = server;
  world = await openWorld(await openServiceAt({ ...placeOfRun(), uri, user, password }));
  rights = createRightsFactory(world.service);
});

test.after(async () => {
  await closeServiceAt(world.service);
  await server.stop();
  await rm(home, { recursive: true, force: true });
});

const freshAgain = () => compareAgain(world.admin);

let planted: Planted;

/** The tables that a caller may see, numbered in the order of their IDs, and the edges between those numbers. */
const seenWithout = ({ tables, arcs }: Planted, hidden: ReadonlySet<number>) => {
  const seen = tables
    .map((table, at) => ({ table, at }))
    .filter(({ at }) => !hidden.has(at))
    .sort((one, other) => (one.table.id < other.table.id ? -1 : 1));
  const numberOf = new Map(seen.map(({ at }, number) => [at, number]));
  const between = arcs.flatMap(([from, to]): Arc[] => {
    const [one, other] = [numberOf.get(from), numberOf.get(to)];
    return one === undefined || other === undefined ? [] : [[one, other]];
  });
  return { seen, arcs: between };
};

/** A community as one text: its members, the edges that leave, and the most frequent domain with its number of members. */
const slowRows = (hidden: ReadonlySet<number>, least: number): string[] => {
  const { seen, arcs } = seenWithout(planted, hidden);
  return slowCommunities(seen.length, arcs)
    .filter(({ length }) => length >= least)
    .map((nodes) => {
      const crossing = arcs.filter(([from, to]) => nodes.includes(from) !== nodes.includes(to)).length;
      const own = nodes.map((node) => planted.domainOf[seen[node]?.at ?? -1]);
      const counts = ['Care', 'Sales'].map((name) => own.filter((domain) => domain === name).length);
      const most = Math.max(...counts);
      const domain = most === 0 ? 'none' : ['Care', 'Sales'][counts.indexOf(most)];
      const ids = nodes.map((node) => seen[node]?.table.id);
      return [ids[0], nodes.length, crossing, domain, (most / nodes.length).toFixed(3), ...ids].join();
    })
    .sort();
};

const textsOf = (rows: readonly Row[]): string[] =>
  rows
    .map(({ id, size, crossing, domain, agreement, members }) =>
      [id, size, crossing, domain?.fullyQualifiedName ?? 'none', agreement.toFixed(3)]
        .concat(members.map((member) => member.id).sort())
        .join(),
    )
    .sort();

test('communities are those of the slow method, with and without what is hidden', async () => {
  planted = await plantSchemas(world, 36, ['Care', 'Sales']);
  await freshAgain();
  const person = await rights.person([HIDING]);
  for (const [client, hidden] of [[world.admin, new Set<number>()] as const, [person, planted.hidden] as const]) {
    for (const least of [1, 3]) {
      assert.equal(textsOf(await readRows(client, `&minSize=${least}`)), slowRows(hidden, least), String(least));
    }
  }
  assert.equal(await readRows(world.admin), await readRows(world.admin, '&minSize=3'), 'the least size by default');
});

test('the largest come first, with their best connected members first', async () => {
  const rows = await readRows(world.admin);
  const sizes = rows.map(({ size }) => size);
  assert.equal(
    sizes,
    [...sizes].sort((one, other) => other - one),
  );
  assert.ok(rows.length > 2 && rows.some(({ crossing }) => crossing > 0));
  const at = new Map(planted.tables.map(({ id }, number) => [id, number]));
  for (const { members } of rows) {
    const own = new Set(members.map(({ id }) => at.get(id)));
    const edges = members.map(
      ({ id }) =>
        planted.arcs.filter(([from, to]) => [from, to].includes(at.get(id) ?? -1) && own.has(from) && own.has(to))
          .length,
    );
    assert.equal(
      edges,
      [...edges].sort((one, other) => other - one),
    );
    for (const member of members) expectRef(member);
  }
});

/** Makes tables of a schema that feed each other and no others. */
const plantApart = async (
  schema: string,
  names: readonly string[],
  own: readonly string[],
): Promise<readonly Made[]> => {
  const home = `${world.serviceFqn}.db.${schema}`;
  const made: Made[] = [];
  for (const name of names) {
    const columns = [{ name: 'a', dataType: 'INT' }];
    made.push(await world.make('tables', { name, databaseSchema: home, columns, domains: own }));
  }
  for (const [from, to] of [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [0, 2],
  ] as const)
    ok(await feed(world.admin, made[from] as Made, made[to] as Made));
  return made;
};

test('a community that a domain tells from the rest has its name, and others that of what they have in common', async () => {
  // Which of the random tables belong together depends on their IDs; these have nothing to do with any other.
  await world.make('databaseSchemas', { name: 'archive', database: `${world.serviceFqn}.db` });
  const archive = await plantApart('archive', ['t90', 't91', 't92', 't93'], []);
  const clinic = await world.make('domains', { name: 'Clinic', description: 'x', domainType: 'Aggregate' });
  const ward = await plantApart('misc', ['nurses', 'beds', 'doses', 'visits'], [clinic.fullyQualifiedName]);
  await freshAgain();
  const rows = await readRows(world.admin);
  const rowWith = (table: Made | undefined) => rows.find(({ members }) => members.some(({ id }) => id === table?.id));
  const [old, told] = [rowWith(archive[0]), rowWith(ward[0])];
  assert.equal([old?.size, old?.suggestedName, old?.domain], [archive.length, 'Archive', null]);
  assert.equal([told?.size, told?.suggestedName, told?.domain?.id], [ward.length, 'Clinic', clinic.id]);
});

test('an answer follows domains and edges within seconds', async () => {
  const [care, sales] = planted.domains;
  const schema = ok(await world.admin.get(`/v1/databaseSchemas/name/${world.serviceFqn}.db.tickets?fields=domains`));
  const change = (domain: Made | undefined) =>
    world.admin.patch(`/v1/databaseSchemas/${schema.id}`, {
      domains: domain ? [domain.fullyQualifiedName] : [],
    });
  const isCare = ({ domain }: Row) => domain?.id === care?.id;
  const follows = (isThere: boolean) =>
    waitFor(
      () => readRows(world.admin),
      (rows) => rows.some(isCare) === isThere,
      `the domain is ${isThere ? '' : 'not '}named`,
      { pauseMs: 200 },
    );
  ok(await change(sales));
  await follows(false);
  ok(await change(care));
  await follows(true);
});

test('a community of more than 100 members names the best connected', async () => {
  const hub = await world.table('hub');
  const leaves = await Promise.all(Array.from({ length: 110 }, (_, at) => world.table(`leaf${at}`)));
  const edges = leaves.map(({ id }) => ({
    fromEntity: { id: hub.id, type: 'table' },
    toEntity: { id, type: 'table' },
  }));
  ok(await world.admin.put('/v1/lineage/bulk', edges));
  await freshAgain();
  const [first] = await readRows(world.admin);
  assert.equal([first?.size, first?.members.length, first?.members[0]?.id, first?.crossing], [111, 100, hub.id, 0]);
});

test.run();
