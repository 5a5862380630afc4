import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import { column, edgeBody, feed, type Made, mapping, openWorld, pipelineIn, type World } from '../lineage/fixture.ts';
import { chain, HIDING, HIDING_CARRIERS, SENSITIVE, tablesOf } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { CASES, entityLinkOf } from '../support/quality-tests.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { strayId } from '../support/samples.ts';
import { anonymous, type Client, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { waitForSequencing } from '../support/wait-for-events.ts';
import { compareAgain } from './compare-again.ts';
import { type Arc, drawArcs, randomFrom, reachableFrom } from './random-graphs.ts';

/** Finds out why data is wrong, from failing tests and contracts and from what happened upstream before. */

const test = suite('insight: root causes');

let world: World;
let rights: RightsFactory;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
});

test.after(() => rights.clear());

// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
type Answer = any;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const freshAgain = () => compareAgain(world.admin);

const ask = async (query: string, client: Client = world.admin): Promise<Answer> =>
  ok(await client.get(`/v1/lineage/root-cause?${query}`));

/** A test of a table with results, the newest last: a failure or a success at each time. */
const testOf = async (table: Made, results: readonly (readonly [at: number, status: string])[], name?: string) => {
  const of = await world.make(CASES.slice('/v1/'.length), {
    name: uniqueName('check'),
    entityLink: entityLinkOf(table, name),
    ...(name === undefined
      ? { testDefinition: 'tableRowCountToEqual', parameterValues: [{ name: 'value', value: '1' }] }
      : { testDefinition: 'columnValuesToBeNotNull' }),
  });
  for (const [timestamp, testCaseStatus] of results) {
    const path = `${CASES}/testCaseResults/${encodeURIComponent(of.fullyQualifiedName)}`;
    ok(await world.admin.post(path, { timestamp, testCaseStatus }), 201);
  }
  return of;
};

const contractOf = async (
  table: Made,
  results: readonly (readonly [at: number, status: string])[],
  type = 'table',
): Promise<Made> => {
  const made = await world.make('dataContracts', { name: uniqueName('promise'), entity: { id: table.id, type } });
  for (const [timestamp, contractExecutionStatus] of results) {
    ok(await world.admin.put(`/v1/dataContracts/${made.id}/results`, { timestamp, contractExecutionStatus }));
  }
  return made;
};

const patch = async (table: Made, ...operations: readonly JsonObject[]): Promise<Answer> =>
  ok(await world.admin.patch(`/v1/tables/${table.id}`, operations as unknown as JsonObject));

const namesOf = (rows: readonly { readonly entity: Made }[]): string[] => rows.map(({ entity }) => entity.id);

const textsOf = ({ evidence }: Answer): string[] => evidence.map(({ text }: Answer) => text);

test('the nearest common upstream that changed before the first failure comes first', async () => {
  const tables = await tablesOf(world, 'raw', 'far', 'clean', 'left', 'right', 'other');
  const { raw, far, clean, left, right, other } = tables;
  await chain(world.admin, far, raw, clean, left);
  await chain(world.admin, clean, right);
  await chain(world.admin, raw, other);
  const { updatedAt } = await patch(clean, { op: 'remove', path: '/columns/2' });
  await patch(far, { op: 'remove', path: '/columns/2' });
  await patch(left, { op: 'add', path: '/description', value: 'Only words' });
  const [early, late] = [Date.now() + 1000, Date.now() + 2000];
  const ofLeft = await testOf(left, [
    [updatedAt - 1000, 'Failed'],
    [updatedAt - 500, 'Success'],
    [early, 'Failed'],
    [late, 'Failed'],
  ]);
  const ofRight = await contractOf(right, [[late, 'Failed']]);
  await testOf(other, [[late, 'Success']]);
  await freshAgain();
  await waitForSequencing(world.service);
  const answer = await ask(`id=${left.id}`);
  expectRef(answer.subject);
  assert.is(answer.subject.id, left.id);
  assert.equal(
    answer.failures.map(({ entity, ...rest }: Answer) => [entity.id, rest]),
    [
      [left.id, { kind: 'test', name: ofLeft.name, since: early }],
      [right.id, { kind: 'contract', name: ofRight.name, since: late }],
    ],
  );
  assert.is(answer.truncated, false);
  const [first, second] = answer.suspects;
  assert.equal(
    [first.entity.id, first.depth, first.covers, first.score, first.trail],
    [clean.id, 1, 2, 1, [clean.fullyQualifiedName, left.fullyQualifiedName]],
  );
  expectRef(first.entity);
  const [breaking, created] = first.evidence;
  assert.equal([breaking.kind, breaking.text, breaking.at], ['schema', 'Column c removed', updatedAt]);
  assert.equal(first.column.fullyQualifiedName, `${clean.fullyQualifiedName}.c`);
  assert.ok(created.text.startsWith('Created') || created.text.startsWith('Lineage from'));
  const events = ok(await world.admin.get(`/v1/events?entityId=${clean.id}&timestamp=0`)).data;
  assert.ok(events.some(({ id }: Answer) => id === breaking.eventId));
  assert.equal([second.entity.id, second.depth, second.score], [far.id, 3, 1], 'ties go to what is nearer');
  assert.equal(namesOf(answer.suspects).includes(right.id), false, 'what does not lie upstream is no suspect');
  const own = answer.suspects.find(({ entity }: Answer) => entity.id === left.id);
  assert.is(own.covers, 1);
  assert.ok(own.score < 0.5, 'what covers one of two comes behind all that covers both');
  const byPart = async (type: string, { fullyQualifiedName, id }: Made, asset: Made) => {
    for (const query of [`id=${id}`, `type=${type}&fqn=${encodeURIComponent(fullyQualifiedName)}`]) {
      const found = await ask(query);
      assert.equal([found.subject.id, found.subject.type], [id, type]);
      assert.equal(found.suspects[0].trail, [clean.fullyQualifiedName, asset.fullyQualifiedName]);
      assert.is(found.failures.length, 2);
    }
  };
  await byPart('testCase', ofLeft, left);
  await byPart('dataContract', ofRight, right);
});

test('what happened before the window, or after the failures, is no evidence', async () => {
  const { from, to } = await tablesOf(world, 'from', 'to');
  await chain(world.admin, from, to);
  const { updatedAt } = await patch(from, { op: 'remove', path: '/columns/2' });
  await testOf(to, [[updatedAt + 3 * HOUR_MS, 'Failed']]);
  await freshAgain();
  const suspects = async (window: string) => (await ask(`id=${to.id}&window=${window}`)).suspects;
  assert.equal(await suspects('2h'), []);
  assert.equal(textsOf((await suspects('4h'))[0])[0], 'Column c removed');
  const { since, until } = await tablesOf(world, 'since', 'until');
  await chain(world.admin, since, until);
  await testOf(until, [[Date.now() - DAY_MS, 'Failed']]);
  await patch(since, { op: 'remove', path: '/columns/2' });
  await freshAgain();
  const answer = await ask(`id=${until.id}`);
  assert.is(answer.failures.length, 1);
  assert.equal(answer.suspects, []);
});

test('changes are weighed: schema, failed contracts and edges before what was only added', async () => {
  const names = ['breaks', 'widens', 'fails', 'sql', 'new', 'end'] as const;
  const { breaks, widens, fails, sql, new: fresh, end } = await tablesOf(world, ...names);
  for (const table of [breaks, widens, fails, fresh]) ok(await feed(world.admin, table, end));
  const { below } = await tablesOf(world, 'below');
  ok(await feed(world.admin, below, sql, { sqlQuery: 'select 1' }));
  ok(await feed(world.admin, below, sql, { sqlQuery: 'select 2' }));
  ok(await feed(world.admin, sql, end));
  await patch(breaks, { op: 'replace', path: '/columns/0/name', value: 'z' });
  await patch(widens, { op: 'add', path: '/columns/-', value: column('more') });
  await contractOf(fails, [[Date.now(), 'Failed']]);
  await testOf(end, [[Date.now() + 1000, 'Failed']]);
  await freshAgain();
  const { suspects } = await ask(`id=${end.id}`);
  const weightiest = new Map(suspects.map((one: Answer) => [one.entity.id, textsOf(one)[0]]));
  assert.is(weightiest.get(breaks.id), 'Column a renamed to z');
  assert.is(weightiest.get(widens.id), 'Column more added as STRING');
  assert.is(weightiest.get(sql.id), `SQL of the lineage from ${below.fullyQualifiedName} changed`);
  assert.is(weightiest.get(fresh.id), 'Created');
  assert.ok(/^Contract promise.* failed$/.test(weightiest.get(fails.id) as string));
  const scoreOf = ({ id }: Made) => suspects.find(({ entity }: Answer) => entity.id === id).score;
  assert.ok(scoreOf(fails) > scoreOf(fresh), 'a failed contract explains what fails later');
  assert.ok(scoreOf(breaks) > scoreOf(widens) && scoreOf(widens) > scoreOf(sql) && scoreOf(sql) > scoreOf(fresh));
  const wanted = [...suspects].sort(
    (a: Answer, b: Answer) =>
      b.score - a.score || a.depth - b.depth || (a.entity.fullyQualifiedName < b.entity.fullyQualifiedName ? -1 : 1),
  );
  assert.equal(suspects, wanted, 'ties go to what is nearer, then by name');
});

test('a contract or a test that fails explains nothing of its own asset', async () => {
  const { alone, above } = await tablesOf(world, 'alone', 'above');
  await chain(world.admin, above, alone);
  const at = Date.now() - DAY_MS;
  await contractOf(alone, [[at, 'Failed']]);
  await testOf(alone, [[at + 1000, 'Failed']]);
  await freshAgain();
  assert.equal((await ask(`id=${alone.id}`)).suspects, []);
  await testOf(above, [[at - 1000, 'Failed']]);
  const { suspects, failures } = await ask(`id=${alone.id}`);
  assert.equal(namesOf(suspects), [above.id]);
  assert.equal([failures.length, suspects[0].covers, suspects[0].score > 0.5], [3, 3, true]);
});

const runsOf = async (pipeline: Made, runs: readonly (readonly [at: number, status: string])[]): Promise<void> => {
  for (const [timestamp, executionStatus] of runs) {
    const path = `/v1/pipelines/${encodeURIComponent(pipeline.fullyQualifiedName)}/status`;
    ok(await world.admin.put(path, { timestamp, executionStatus }));
  }
};

test('runs of pipelines that failed or did not come are evidence', async () => {
  const { from, middle, to } = await tablesOf(world, 'from', 'middle', 'to');
  const [failing, pausing] = [await pipelineIn(world, 'failing'), await pipelineIn(world, 'pausing')];
  ok(await world.admin.put('/v1/lineage', edgeBody(from, middle, { pipeline: { id: failing.id, type: 'pipeline' } })));
  ok(await world.admin.put('/v1/lineage', edgeBody(middle, to, { pipeline: { id: pausing.id, type: 'pipeline' } })));
  const first = Date.now() - HOUR_MS;
  await testOf(to, [[first, 'Failed']]);
  await runsOf(failing, [
    [first - DAY_MS, 'Successful'],
    [first - 1000, 'Failed'],
    [first + 1000, 'Failed'],
  ]);
  const last = first - 3 * DAY_MS;
  await runsOf(
    pausing,
    [0, 1, 2, 3].map((days) => [last - days * DAY_MS, 'Successful'] as const),
  );
  await freshAgain();
  const { suspects } = await ask(`id=${to.id}`);
  assert.equal(
    suspects.map(({ entity, depth, covers, trail, evidence }: Answer) => [
      entity.id,
      depth,
      covers,
      trail,
      evidence.map(({ at, kind, text }: Answer) => [at, kind, text]),
    ]),
    [
      [
        failing.id,
        2,
        1,
        [failing, middle, to].map(({ fullyQualifiedName }) => fullyQualifiedName),
        [[first - 1000, 'run', 'Run failed']],
      ],
      [
        pausing.id,
        1,
        1,
        [pausing, to].map(({ fullyQualifiedName }) => fullyQualifiedName),
        [[last + DAY_MS, 'run', 'No run came, although none was ever later than 24 h']],
      ],
    ],
  );
});

test('a column leaves out what does not lead to it, and may be doubted without a failure', async () => {
  const { a, b, c, d, end } = await tablesOf(world, 'a', 'b', 'c', 'd', 'end');
  const link = (from: Made, to: Made, fromColumn: string, toColumn: string) =>
    feed(world.admin, from, to, { columnsLineage: [mapping(from, [fromColumn], to, toColumn)] });
  ok(await link(a, b, 'a', 'a'));
  ok(await link(b, end, 'a', 'a'));
  ok(await link(c, end, 'b', 'b'));
  ok(await feed(world.admin, d, b));
  for (const table of [a, b, c, d]) await patch(table, { op: 'add', path: '/columns/-', value: column('more') });
  await freshAgain();
  const ofColumn = await ask(`id=${end.id}&column=a`);
  assert.equal(ofColumn.failures, []);
  assert.is(ofColumn.suspects[0].entity.id, b.id);
  const added = ofColumn.suspects.filter((one: Answer) => textsOf(one)[0] === 'Column more added as STRING');
  assert.equal(new Set(namesOf(added)), new Set([a.id, b.id, d.id]), 'an edge without columns may lead to any');
  assert.ok(ofColumn.suspects.every(({ covers }: Answer) => covers === 0));
  assert.equal((await ask(`id=${end.id}`)).suspects, [], 'without a failure there is nothing to explain');
  const [ofB] = [await testOf(end, [[Date.now() + 1000, 'Failed']], 'b')];
  const other = await ask(`id=${end.id}&column=b`);
  assert.equal([other.failures[0].name, other.suspects[0].entity.id], [ofB.name, c.id]);
  assert.equal((await ask(`id=${end.id}&column=a`)).failures, [], 'tests of other columns are not asked about');
  assert.is((await ask(`id=${end.id}&column=${end.fullyQualifiedName}.b`)).failures.length, 1);
});

test('what is hidden is neither named nor walked through nor counted', async () => {
  const {
    top,
    'secret!': secret,
    mid,
    'side!': side,
    end,
  } = await tablesOf(world, 'top', 'secret!', 'mid', 'side!', 'end');
  const { beyond } = await tablesOf(world, 'beyond');
  const pipeline = await pipelineIn(world, 'hidden', { tags: [SENSITIVE] });
  await chain(world.admin, top, secret, end);
  await chain(world.admin, beyond, mid);
  ok(await world.admin.put('/v1/lineage', edgeBody(mid, end, { pipeline: { id: pipeline.id, type: 'pipeline' } })));
  ok(await feed(world.admin, mid, side));
  await patch(top, { op: 'remove', path: '/columns/2' });
  await patch(secret, { op: 'remove', path: '/columns/2' });
  await patch(mid, { op: 'add', path: '/columns/-', value: column('more') });
  const at = Date.now() + 1000;
  await testOf(end, [[at, 'Failed']]);
  await testOf(side, [[at, 'Failed']]);
  await testOf(secret, [[at, 'Failed']]);
  await runsOf(pipeline, [[at - 10, 'Failed']]);
  await freshAgain();
  const all = await ask(`id=${end.id}`);
  assert.ok(all.failures.length === 3 && namesOf(all.suspects).includes(pipeline.id));
  const person = await rights.person([HIDING, HIDING_CARRIERS]);
  const some = await ask(`id=${end.id}`, person);
  assert.equal(namesOf(some.failures), [end.id]);
  assert.equal(new Set(namesOf(some.suspects)), new Set([mid.id, beyond.id, end.id]));
  assert.equal([some.suspects[0].entity.id, some.suspects[0].covers], [mid.id, 1]);
  const text = JSON.stringify(some);
  for (const { fullyQualifiedName } of [secret, side, pipeline, top]) assert.not.ok(text.includes(fullyQualifiedName));
  expectRefused(await person.get(`/v1/lineage/root-cause?id=${secret.id}`), 403);
  const [hiddenTest] = ok(
    await world.admin.get(`${CASES}?entityFQN=${encodeURIComponent(secret.fullyQualifiedName)}`),
  ).data;
  expectRefused(await person.get(`/v1/lineage/root-cause?id=${hiddenTest.id}`), 403);
});

type Planted = { readonly tables: readonly Made[]; readonly arcs: readonly Arc[]; readonly fails: ReadonlySet<number> };

/** Random lineage of tables, some hidden, some failing and some with a column removed before. */
const plant = async (seed: number, size: number): Promise<Planted & { readonly changed: ReadonlySet<number> }> => {
  const random = randomFrom(seed);
  const tables: Made[] = [];
  for (let at = 0; at < size; at += 1) {
    const name = at % 6 === 4 ? 'cause!' : 'cause';
    tables.push((await tablesOf(world, name))[name] as Made);
  }
  const arcs = drawArcs(random, size, Math.floor(size * 1.4));
  for (const [from, to] of arcs) ok(await feed(world.admin, tables[from] as Made, tables[to] as Made));
  const pick = (share: number) => new Set(tables.flatMap((_, at) => (random() < share ? [at] : [])));
  const [changed, fails] = [pick(0.4), pick(0.35)];
  for (const at of changed) await patch(tables[at] as Made, { op: 'remove', path: '/columns/2' });
  for (const at of fails) await testOf(tables[at] as Made, [[Date.now() + 1000, 'Failed']]);
  return { tables, arcs, fails, changed };
};

test('failures, covers, depths and order are those of the slow way, with and without what is hidden', async () => {
  const size = 18;
  const { tables, arcs, fails, changed } = await plant(11, size);
  await freshAgain();
  const person = await rights.person([HIDING]);
  for (const client of [world.admin, person]) {
    const isSeen = (node: number) => client === world.admin || node % 6 !== 4;
    const seen = arcs.filter(([from, to]) => isSeen(from) && isSeen(to));
    const sourcesOf = (node: number) =>
      reachableFrom(
        seen.map(([from, to]): Arc => [to, from]),
        node,
      );
    for (let subject = 0; subject < size; subject += 1) {
      if (!isSeen(subject)) continue;
      const upstream = sourcesOf(subject);
      const region = new Set([...upstream].flatMap((node) => [...reachableFrom(seen, node)]));
      const failing = [...fails].filter((node) => region.has(node));
      const answer = await ask(`id=${tables[subject]?.id}`, client);
      const numberOf = ({ id }: Made) => tables.findIndex((table) => table.id === id);
      const asNumbers = (rows: readonly { readonly entity: Made }[]) => rows.map(({ entity }) => numberOf(entity));
      const sorted = (nodes: readonly number[]) => [...nodes].sort((one, other) => one - other);
      assert.equal(sorted(asNumbers(answer.failures)), sorted(failing), `failures around ${subject}`);
      const suspects = [...upstream].filter((node) => failing.some((one) => sourcesOf(one).has(node)));
      assert.equal(sorted(asNumbers(answer.suspects)), sorted(suspects), `suspects of ${subject}`);
      const rows = answer.suspects.map((one: Answer) => {
        const node = numberOf(one.entity);
        assert.is(one.covers, failing.filter((failure) => sourcesOf(failure).has(node)).length);
        assert.equal([one.trail.length, one.trail[0]], [one.depth + 1, one.entity.fullyQualifiedName]);
        const way = one.trail.map((name: string) => tables.findIndex((table) => table.fullyQualifiedName === name));
        assert.is(way.at(-1), subject);
        for (const [step, from] of way.slice(0, -1).entries())
          assert.ok(seen.some((arc) => arc[0] === from && arc[1] === way[step + 1]));
        return { ...one, node, isFull: one.covers === failing.length && changed.has(node) };
      });
      const weak = rows.findIndex(({ isFull }: Answer) => !isFull);
      if (weak !== -1)
        assert.ok(
          rows.slice(weak).every(({ isFull }: Answer) => !isFull),
          `order for ${subject}`,
        );
    }
  }
});

test('bad requests are refused', async () => {
  const { table } = await tablesOf(world, 'table');
  const get = (query: string) => world.admin.get(`/v1/lineage/root-cause?${query}`);
  expectRefused(await get(''), 400);
  expectRefused(await get('type=table'), 400);
  expectRefused(await get('type=nothing&fqn=x'), 400);
  for (const window of ['14', '0d', 'd', '-1d', '401d', '1y', '99999999d'])
    expectRefused(await get(`id=${table.id}&window=${window}`), 400);
  expectRefused(await get(`id=${table.id}&depth=3`), 400);
  expectRefused(await get(`id=${strayId()}`), 404);
  expectRefused(await get('type=table&fqn=no.such.table.here'), 404);
  expectRefused(await get(`id=${table.id}&column=nothing`), 404);
  expectRefused(await anonymous(world.service).get(`/v1/lineage/root-cause?id=${table.id}`), 401);
  const { failures, suspects, truncated } = await ask(`id=${table.id}`);
  assert.equal({ failures, suspects, truncated }, { failures: [], suspects: [], truncated: false });
});

test.run();
