import * as assert from 'uvu/assert';
import { openWorld, type World } from '../lineage/fixture.ts';
import { HIDING } from '../lineage/read/graph/fixture.ts';
import { expectRefused, ok } from '../support/expect.ts';
import { createRightsFactory, type RightsFactory } from '../support/rights.ts';
import { anonymous, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';
import { PATH, type Planted, plantSchemas, type Row, readRows } from './communities-fixture.ts';
import { compareAgain } from './compare-again.ts';

/**
 * How communities are answered, whatever else the store holds. `communities.heavy.test.ts` compares them with those of a slow
 * method, on a database of its own.
 */

const test = suite('insight: communities');

let world: World;
let rights: RightsFactory;
let planted: Planted;

test.before(async () => {
  world = await openWorld();
  rights = createRightsFactory(world.service);
  planted = await plantSchemas(world, 18, [uniqueName('Care'), uniqueName('Sales')]);
  await compareAgain(world.admin);
});

test.after(() => rights.clear());

test('a domain that a caller may not see is not named', async () => {
  const person = await rights.person([{ effect: 'deny', operations: ['ViewAll'], resources: ['domain'] }]);
  const rows = await readRows(person, `&scope=${world.serviceFqn}`);
  assert.ok(rows.length > 0);
  for (const { domain, agreement } of rows) assert.equal([domain, agreement], [null, 0]);
  const names = planted.domains.map(({ name }) => name);
  assert.is(
    rows.some(({ suggestedName }) => names.includes(suggestedName)),
    false,
  );
});

test('a scope chooses whole communities', async () => {
  const all = await readRows(world.admin, `&scope=${world.serviceFqn}`);
  for (const schema of ['tickets', 'shop', 'misc']) {
    const scope = `${world.serviceFqn}.db.${schema}`;
    const wanted = all.filter(({ members }) => members.some((one) => one.fullyQualifiedName.startsWith(`${scope}.`)));
    assert.equal(await readRows(world.admin, `&scope=${scope}`), wanted);
  }
  const { fullyQualifiedName = '', id } = planted.tables[0] ?? {};
  const [only, ...others] = await readRows(world.admin, `&minSize=1&scope=${fullyQualifiedName}`);
  assert.ok(only?.members.some((one) => one.id === id) && others.length === 0);
});

test('pages lead to the end, and CSV has the rows of JSON', async () => {
  const all = await readRows(world.admin, `&minSize=1&scope=${world.serviceFqn}`);
  const rows: Row[] = [];
  for (let after = ''; ; ) {
    const { data, paging } = ok(await world.admin.get(`${PATH}?minSize=1&limit=2&scope=${world.serviceFqn}${after}`));
    assert.is(paging.total, all.length);
    rows.push(...data);
    if (paging.after === undefined) break;
    after = `&after=${paging.after}`;
  }
  assert.equal(rows, all);
  const { text } = await world.admin.get(`${PATH}?limit=1000&minSize=1&scope=${world.serviceFqn}`, {
    accept: 'text/csv',
  });
  const [head, ...lines] = text.trim().split(/\r?\n/);
  assert.is(head, 'id,size,suggestedName,domain,agreement,crossing,members');
  const cells = all.map(({ id, size, suggestedName, domain, agreement, crossing, members }) =>
    [
      id,
      size,
      suggestedName,
      domain?.fullyQualifiedName,
      agreement,
      crossing,
      members.map(({ fullyQualifiedName }) => fullyQualifiedName).join('; '),
    ].join(),
  );
  assert.equal(lines, cells);
});

test('bad requests are refused', async () => {
  const get = (query: string) => world.admin.get(`${PATH}?${query}`);
  for (const query of ['limit=0', 'limit=1001', 'after=x', 'type=table', 'minSize=0', 'minSize=x', 'minSize=1000001']) {
    expectRefused(await get(query), 400);
  }
  expectRefused(await get('scope=no.such.thing'), 404);
  const person = await rights.person([HIDING]);
  const [hidden = -1] = planted.hidden;
  expectRefused(await person.get(`${PATH}?scope=${planted.tables[hidden]?.fullyQualifiedName}`), 404);
  expectRefused(await anonymous(world.service).get(PATH), 401);
});

test.run();
