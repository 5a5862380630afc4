import * as assert from 'uvu/assert';
import { expectRefused, ok } from '../support/expect.ts';
import { suite } from '../support/suite.ts';
import { queryAt } from './schema-fixture.ts';
import { ORDERS, openSortingFixture, type SortingFixture } from './sorting-fixture.ts';

/** Shows that search_after returns every hit on exactly one page (search.md 3.4). */

const test = suite('search: search_after');

let grove: SortingFixture;

test.before(async () => {
  grove = await openSortingFixture('behind');
});

/** All there is, a page of some size after the other; a page that is empty is the end. */
const leafThrough = async (field: string, order: string, size: number): Promise<readonly string[]> => {
  const names: string[] = [];
  for (let after: readonly string[] = []; ; ) {
    const page = await grove.sorted(field, order, { size: String(size), search_after: after });
    assert.equal(page.total, { value: 4, relation: 'eq' }, 'every page knows how many there are, the empty one too');
    names.push(...page.names);
    const last = page.sorts.at(-1);
    if (!last) return names;
    after = last.map(String);
  }
};

for (const [field, ascending, descending, missing = []] of ORDERS) {
  test(`by ${field} every hit is on exactly one page`, async () => {
    assert.equal(await leafThrough(field, 'asc', 1), [...ascending, ...missing], 'upwards');
    assert.equal(await leafThrough(field, 'desc', 1), [...descending, ...missing], 'downwards');
  });
}

test('a page that starts among hits with a value continues with hits without one', async () => {
  for (const order of ['asc', 'desc']) {
    const { names } = await grove.sorted('tier.tagFQN', order);
    assert.equal(await leafThrough('tier.tagFQN', order, 3), names);
  }
});

test('by id every hit is on exactly one page', async () => {
  const { names } = await grove.sorted('id', 'asc');
  assert.equal(await leafThrough('id', 'asc', 1), names);
  assert.equal(await leafThrough('id', 'desc', 3), [...names].reverse());
});

/** What says that there is no value: what answers say, and what clients make of it. */
const NOTHING = ['', 'null', 'None'];

for (const field of ['tier.tagFQN', 'owners.displayName', 'certification.appliedDate']) {
  test(`after a hit without ${field} come the others without it, in every notation`, async () => {
    for (const order of ['asc', 'desc']) {
      const { names, sorts } = await grove.sorted(field, order);
      const [, name = '', id = ''] = (sorts[2] ?? []).map(String);
      for (const nothing of NOTHING) {
        const behind = await grove.sorted(field, order, { search_after: [nothing, name, id] });
        assert.equal(behind.names, names.slice(3), `${order} behind «${nothing}»`);
        const joined = await grove.sorted(field, order, { search_after: [nothing, name, id].join() });
        assert.equal(joined.names, names.slice(3), `${order} behind «${nothing}», in one value`);
      }
    }
  });
}

test('one comma-separated parameter means the same as several', async () => {
  for (const field of ['name', 'displayName', 'totalVotes', 'version', 'updatedAt', 'tableType', 'id']) {
    const { names, sorts } = await grove.sorted(field, 'asc');
    for (const [at, sort] of sorts.entries()) {
      const behind = await grove.sorted(field, 'asc', { search_after: sort.join() });
      assert.equal(behind.names, names.slice(at + 1), `${field} behind ${sort.join()}`);
    }
  }
});

test('a name with commas works in separate parameters and is ambiguous in one', async () => {
  const { id } = await grove.table('amber, old');
  const [first, second, third] = (await grove.sorted('name', 'asc')).names;
  assert.equal([first, second, third], ['amber', 'amber, old', 'birch']);
  const after = ['amber, old', id];
  assert.is((await grove.sorted('name', 'asc', { search_after: after })).names[0], 'birch');
  const query = { sort_field: 'name', search_after: after.join(), query_filter: grove.here };
  expectRefused(await grove.admin.get(queryAt('query', query)), 400);
  ok(await grove.admin.delete(`/v1/tables/${id}?hardDelete=true`));
});

test('a boolean is read in the notation of clients', async () => {
  const { names, sorts } = await grove.sorted('deleted', 'asc');
  const [, name = '', id = ''] = (sorts[1] ?? []).map(String);
  for (const no of ['false', 'False']) {
    for (const order of ['asc', 'desc']) {
      const behind = await grove.sorted('deleted', order, { search_after: [no, name, id] });
      assert.equal(behind.names, names.slice(2), `${order} behind ${no}`);
    }
  }
});

test('a position between two hits is valid', async () => {
  const nobody = '00000000-0000-4000-8000-000000000000';
  assert.equal((await grove.sorted('name', 'asc', { search_after: ['b', nobody] })).names, [
    'birch',
    'cedar',
    'Dogwood',
  ]);
  assert.equal((await grove.sorted('totalVotes', 'desc', { search_after: ['1.5', 'x', nobody] })).names, [
    'amber',
    'cedar',
    'Dogwood',
  ]);
  assert.equal((await grove.sorted('name', 'asc', { search_after: ['c', nobody], from: '0' })).names, [
    'cedar',
    'Dogwood',
  ]);
});

test('an empty value means the first page', async () => {
  const { names } = await grove.sorted('name', 'asc');
  assert.equal((await grove.sorted('name', 'asc', { search_after: '' })).names, names);
});

const BAD: readonly (readonly [field: string, ...after: readonly string[]])[] = [
  ['name', 'amber'],
  ['name', 'amber', 'amber', 'x'],
  ['name', 'amber,amber,x'],
  ['version', '0.1', 'amber'],
  ['version', '0.1,amber'],
  ['version', '0.1', 'amber', 'x', 'y'],
  ['version', 'many', 'amber', 'x'],
  ['totalVotes', 'NaN', 'amber', 'x'],
  ['updatedAt', 'yesterday', 'amber', 'x'],
  ['certification.appliedDate', 'soon', 'amber', 'x'],
  ['_score', 'high', 'amber', 'x'],
];

for (const [sort_field, ...search_after] of BAD) {
  test(`«${search_after.join(' | ')}» is an invalid position by ${sort_field}: 400`, async () => {
    expectRefused(await grove.admin.get(queryAt('query', { sort_field, search_after })), 400);
  });
}

test('search_after together with from is refused with 400', async () => {
  const query = { sort_field: 'name', search_after: ['amber', 'x'], from: '1' };
  expectRefused(await grove.admin.get(queryAt('query', query)), 400);
});

test.run();
