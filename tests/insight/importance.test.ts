import * as assert from 'uvu/assert';
import { type Made, openWorld, type World } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { expectRef, expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { compareAgain } from './compare-again.ts';
import { plantAssets, type Row, readRows } from './importance-fixture.ts';

/**
 * How importance is answered, whatever else the store holds. `importance.heavy.test.ts` compares the scores with a slow
 * computation, on a database of its own.
 */

const test = suite('insight: importance');

let world: World;
let rights: RightsFactory;
let tables: readonly Made[];

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  tables = await plantAssets(world, 5, 16);
  await compareAgain(world.admin);
});

test.after(() => rights.clear());

test('the highest score comes first, and who may not see an asset is not told of it', async () => {
  const rows = await readRows(world.admin);
  assert.is(rows[0]?.score, 1);
  assert.equal(
    rows.map(({ rank }) => rank),
    rows.map((_, at) => at + 1),
  );
  for (const { entity } of rows.slice(0, 10)) expectRef(entity);
  const person = await rights.person([HIDING]);
  const seen = await readRows(person, `&scope=${world.schemaFqn}`);
  const isHidden = (at: number) => at % 7 === 3;
  assert.equal(
    seen.map(({ entity }) => entity.id).sort(),
    tables
      .filter((_, at) => !isHidden(at))
      .map(({ id }) => id)
      .sort(),
  );
});

test('the parts explain the score', async () => {
  const rows = await readRows(world.admin);
  const products = rows.map(({ parts }) => parts.lineage * parts.usage * parts.contracts * parts.tier);
  const most = Math.max(...products);
  for (const [at, { score }] of rows.entries()) assert.ok(Math.abs(score - (products[at] ?? 0) / most) < 1e-5);
  assert.ok(rows.every(({ parts }) => parts.usage >= 1 && parts.usage <= 1.5));
  for (const name of ['usage', 'contracts', 'tier'] as const)
    assert.ok(
      rows.some(({ parts }) => parts[name] > 1),
      name,
    );
});

test('type and scope choose rows and leave scores and ranks as they are', async () => {
  const all = await readRows(world.admin);
  const ofType = await readRows(world.admin, '&type=table');
  assert.equal(
    ofType,
    all.filter(({ entity }) => (entity as Made & { type: string }).type === 'table'),
  );
  const below = await readRows(world.admin, `&scope=${world.schemaFqn}`);
  assert.equal(
    below,
    all.filter(({ entity }) => entity.fullyQualifiedName.startsWith(`${world.schemaFqn}.`)),
  );
  const one = tables[0]?.fullyQualifiedName ?? '';
  assert.is((await readRows(world.admin, `&scope=${one}`)).length, 1);
  assert.is((await readRows(world.admin, `&scope=${world.serviceFqn}&type=topic`)).length, 0);
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const path = `/v1/insight/importance?scope=${world.schemaFqn}`;
  const all = await readRows(world.admin, `&scope=${world.schemaFqn}`);
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging, computedAt } = ok(await world.admin.get(`${path}&limit=10${after}`));
    assert.ok(data.length <= 10 && paging.total === all.length && computedAt <= Date.now());
    rows.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(rows, all);
  const reply = await world.admin.get(`${path}&limit=1000`, { accept: 'text/csv' });
  const lines = reply.text.trim().split(/\r?\n/);
  assert.is(lines[0], 'rank,score,entityType,entity,lineage,usage,contracts,tier');
  const cells = all.map(({ entity, score, rank, parts: { lineage, usage, contracts, tier } }) =>
    [rank, score, 'table', entity.fullyQualifiedName, lineage, usage, contracts, tier].join(),
  );
  assert.equal(lines.slice(1), cells);
});

test('bad requests are refused', async () => {
  const get = (query: string) => world.admin.get(`/v1/insight/importance?${query}`);
  expectRefused(await get('type=nothing'), 400);
  expectRefused(await get('limit=0'), 400);
  expectRefused(await get('limit=1001'), 400);
  expectRefused(await get('after=x'), 400);
  expectRefused(await get('depth=3'), 400);
  expectRefused(await get('scope=no.such.thing'), 404);
  const person = await rights.person([HIDING]);
  const hidden = tables[3]?.fullyQualifiedName ?? '';
  expectRefused(await person.get(`/v1/insight/importance?scope=${hidden}`), 404);
  expectRefused(await anonymous(world.service).get('/v1/insight/importance'), 401);
});

test.run();
