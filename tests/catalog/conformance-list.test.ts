import * as assert from 'uvu/assert';
import type { JsonObject } from '../../src/model/json.ts';
import type { Kind } from '../../src/model/kind/kind.ts';
import { everyKind, type KindFixture } from '../support/every-kind.ts';
import { expectList, expectNoGated, expectRecord, expectRefused, ok } from '../support/expect.ts';
import { type CreatedRecord, parentPointer } from '../support/samples.ts';
import { type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that lists of every kind follow the contract. */

const test = suite('catalog: lists of every kind');
const each = everyKind(test);

const COUNT = 5;

type Row = { readonly id: string; readonly name: string };

const cursorBefore = (name: string): string => Buffer.from(JSON.stringify({ name, id: '' })).toString('base64url');

/** Some records of one kind side by side, and the cursor after which they come. */
const someRecords = async ({ samples, kind }: KindFixture): Promise<{ rows: Row[]; after: string; prefix: string }> => {
  const prefix = uniqueName('list');
  const rows: Row[] = [];
  for (const letter of ['c', 'a', 'e', 'b', 'd']) {
    rows.push(await samples.create(kind, { name: `${prefix}_${letter}` }));
  }
  rows.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { rows, after: cursorBefore(prefix), prefix };
};

const totalOf = async ({ service, kind }: Pick<KindFixture, 'service' | 'kind'>, where: string): Promise<number> => {
  const [row] = await service.graph.query(`MATCH (n:${kind.label}) WHERE ${where} RETURN count(n) AS total`);
  return row?.['total'] as number;
};

const names = (list: { data: readonly Row[] }): string[] => list.data.map((row) => row.name);

each('a list is paged forward and backward by name', async (bench) => {
  const { service, kind, path } = bench;
  const { rows, after } = await someRecords(bench);
  const wanted = rows.map((row) => row.name);
  const seen: string[] = [];
  let cursor: string | undefined = after;
  const edges: { before: string; after: string }[] = [];
  while (cursor !== undefined && seen.length < COUNT) {
    const page: { data: Row[]; paging: { before: string; after?: string } } = expectList(
      await service.admin.get(`${path}?limit=2&after=${cursor}`),
    );
    for (const row of page.data) {
      expectRecord(kind, row);
      expectNoGated(kind, row);
    }
    seen.push(...names(page));
    edges.push({ before: page.paging.before, after: page.paging.after ?? '' });
    cursor = page.paging.after;
    if (cursor !== undefined) assert.match(cursor, /^[\w-]+$/);
  }
  assert.equal(seen.slice(0, COUNT), wanted);
  const back = expectList(await service.admin.get(`${path}?limit=2&before=${edges[1]?.before}`));
  assert.equal(names(back), wanted.slice(0, 2));
  const again = expectList(await service.admin.get(`${path}?limit=2&after=${back.paging.after}`));
  assert.equal(names(again), wanted.slice(2, 4));
});

each('the first page has no before, the last no after, and the total counts all records', async (bench) => {
  const { service, samples, kind, path } = bench;
  await samples.create(kind);
  const live = await totalOf(bench, 'n.deleted = false');
  const first = expectList(await service.admin.get(`${path}?limit=1`));
  assert.is('before' in first.paging, false);
  assert.is(first.paging.total, live);
  assert.is('after' in first.paging, live > 1);
  const whole = expectList(await service.admin.get(`${path}?limit=1000000`));
  assert.is(whole.data.length, live);
  assert.is(whole.paging.total, live);
  assert.is('before' in whole.paging, false);
  assert.is('after' in whole.paging, false);
  const sorted = [...whole.data].sort((a: Row, b: Row) =>
    Buffer.compare(Buffer.from(`${a.name}\u0001${a.id}`), Buffer.from(`${b.name}\u0001${b.id}`)),
  );
  assert.equal(names(whole), names({ data: sorted }));
});

each('the limit may be 0, has a default and a maximum, and any other value is refused', async (bench) => {
  const { service, kind, path } = bench;
  await someRecords(bench);
  const live = await totalOf(bench, 'n.deleted = false');
  const none = expectList(await service.admin.get(`${path}?limit=0`));
  assert.equal(none, { data: [], paging: { total: live } });
  const usual = kind.connectionSteps ? 1000 : 10;
  assert.is(expectList(await service.admin.get(path)).data.length, Math.min(usual, live));
  assert.is(expectList(await service.admin.get(`${path}?limit=`)).data.length, Math.min(usual, live));
  const beyond = '[limit must be less than or equal to 1000000]';
  expectRefused(await service.admin.get(`${path}?limit=1000001`), 400, beyond);
  expectRefused(await service.admin.get(`${path}?limit=-1`), 400, '[limit must be greater than or equal to 0]');
  for (const limit of ['x', '1.5', '1e3', '99999999999999999999']) {
    expectRefused(await service.admin.get(`${path}?limit=${limit}`), 400);
  }
});

each('a bad cursor, or both cursors together, is refused with 400', async ({ service, path }) => {
  const cursor = cursorBefore('a');
  const both = await service.admin.get(`${path}?before=${cursor}&after=${cursor}`);
  expectRefused(both, 400, 'Only one of before or after query parameter allowed');
  const bad = ['!', 'abc', Buffer.from('[]').toString('base64url'), Buffer.from('{"name":1}').toString('base64url')];
  for (const text of bad) {
    expectRefused(await service.admin.get(`${path}?after=${encodeURIComponent(text)}`), 400);
    expectRefused(await service.admin.get(`${path}?before=${encodeURIComponent(text)}`), 400);
  }
});

each('unknown parameters and repeated & are ignored', async ({ service, path }) => {
  const list = expectList(await service.admin.get(`${path}?&&limit=1&&&nonsense=1&`));
  assert.ok(list.data.length <= 1);
});

each('include selects existing, deleted or all records', async (bench) => {
  const { service, kind, path } = bench;
  const { rows, after } = await someRecords(bench);
  const [gone] = rows;
  assert.ok(gone);
  ok(await service.admin.delete(`${path}/${gone.id}`));
  const at = `${path}?limit=2&after=${after}`;
  assert.equal(
    names(expectList(await service.admin.get(at))),
    rows.slice(1, 3).map((row) => row.name),
  );
  if (!kind.softDeletable) return;
  const all = expectList(await service.admin.get(`${at}&include=all`));
  assert.equal(
    names(all),
    rows.slice(0, 2).map((row) => row.name),
  );
  const dead = expectList(await service.admin.get(`${at}&include=deleted`));
  assert.is(dead.data[0].id, gone.id);
  assert.is(dead.data[0].deleted, true);
  const [living, deleted] = [await totalOf(bench, 'n.deleted = false'), await totalOf(bench, 'n.deleted = true')];
  assert.is(all.paging.total, living + deleted);
  assert.is(dead.paging.total, deleted);
});

each('fields fill the same members in lists as in single reads', async (bench) => {
  const { service, kind, path } = bench;
  const { rows, after } = await someRecords(bench);
  const list = expectList(await service.admin.get(`${path}?limit=2&fields=*&after=${after}`));
  for (const row of list.data) {
    expectRecord(kind, row);
    assert.equal(row, ok(await service.admin.get(`${path}/${row.id}?fields=*`)));
  }
  assert.is(list.data[0].id, rows[0]?.id);
});

const scopeOf = (kind: Kind) => kind.parents.find((parent) => kind.filters[parent.field]?.by === 'scope');
/** A scope that requests name; of another they only say that they want it. */
const isScope = (filter: Kind['filters'][string]): boolean => filter.by === 'scope' && filter.flag === undefined;
const hasScope = (kind: Kind): boolean => Object.values(kind.filters).some(isScope);

each(
  'a list below an ancestor matches whole name parts and has the total of the filtered set',
  async ({ service, samples, kind, path }) => {
    const filter = Object.entries(kind.filters).find(([, { by }]) => by === 'scope')?.[0] ?? '';
    const declared = kind.parents.at(-1);
    const parentKind = service.registry.byType.get(declared?.kind ?? '');
    assert.ok(parentKind && declared);
    const below = (above: CreatedRecord) => ({ [declared.field]: parentPointer(declared, above.fullyQualifiedName) });
    const name = uniqueName('scope');
    const parent = await samples.create(parentKind, { name });
    const twin = await samples.create(parentKind, { name: `${name}2` });
    const mine = await samples.create(kind, below(parent));
    const other = await samples.create(kind, below(twin));
    const scope = `${filter}=${encodeURIComponent(parent.fullyQualifiedName)}`;
    const list = expectList(await service.admin.get(`${path}?${scope}`));
    assert.equal(
      list.data.map((row: Row) => row.id),
      [mine.id],
    );
    assert.is(list.paging.total, 1);
    assert.is(expectList(await service.admin.get(`${path}?${scope}&limit=0`)).paging.total, 1);
    ok(await service.admin.delete(`${path}/${mine.id}`));
    assert.equal(expectList(await service.admin.get(`${path}?${scope}`)), { data: [], paging: { total: 0 } });
    if (kind.softDeletable) {
      const dead = expectList(await service.admin.get(`${path}?${scope}&include=deleted`));
      assert.equal(
        dead.data.map((row: Row) => row.id),
        [mine.id],
      );
      assert.is(dead.paging.total, 1);
    }
    assert.is(ok(await service.admin.get(`${path}/${other.id}`)).id, other.id);
  },
  (kind) => hasScope(kind) && kind.parents.length > 0,
);

type Step = { readonly kind: Kind; readonly field: string };

/** The kinds of the records above one, the outermost first; the nearest is the one that a member names. */
const stepsTo = (service: Service, kind: Kind, field?: string): Step[] => {
  const usual = kind.parents.findLast((parent) => parent.required || parent.kind !== kind.entityType);
  const nearest = kind.parents.find((parent) => parent.field === (field ?? usual?.field));
  const above = nearest && service.registry.byType.get(nearest.kind);
  return above ? [...stepsTo(service, above), { kind: above, field: nearest.field }] : [];
};

const scopesOf = (kind: Kind): string[] =>
  Object.entries(kind.filters).flatMap(([name, filter]) => (isScope(filter) ? [name] : []));

/** The members by which a record is placed below the last of some records. */
const placeBelow = (kind: Kind, steps: readonly Step[], above: readonly CreatedRecord[]): JsonObject => {
  const nearest = steps.at(-1)?.field;
  const named = kind.parents.filter((parent) => parent.required || parent.field === nearest);
  return Object.fromEntries(
    named.flatMap((parent) => {
      const at = steps.findLastIndex((step) => step.kind.entityType === parent.kind);
      const record = above[at];
      return record ? [[parent.field, parentPointer(parent, record.fullyQualifiedName)]] : [];
    }),
  );
};

/** New records for all steps but the first few, and one of the kind below them. */
const lineBelow = async ({ samples, kind }: KindFixture, steps: readonly Step[], shared: readonly CreatedRecord[]) => {
  const above = [...shared];
  for (const [at, step] of steps.entries()) {
    if (at < shared.length) continue;
    above.push(await samples.create(step.kind, placeBelow(step.kind, steps.slice(0, at), above)));
  }
  return { above, record: await samples.create(kind, placeBelow(kind, steps, above)) };
};

each(
  'every scope filter returns the descendants of that ancestor and nothing else',
  async (bench) => {
    const { service, kind, path } = bench;
    for (const scope of scopesOf(kind)) {
      // The test suite of a pipeline is named by the member for its service, and has a test of its own.
      if (kind.entityType === 'ingestionPipeline' && scope === 'testSuite') continue;
      const usual = stepsTo(service, kind);
      const steps = usual.some(({ field }) => field === scope) ? usual : stepsTo(service, kind, scope);
      const level = steps.findIndex(({ field }) => field === scope);
      const { above, record } = await lineBelow(bench, steps, []);
      const others: Row[] = [];
      for (const at of steps.keys()) others.push((await lineBelow(bench, steps, above.slice(0, at))).record);
      const ancestor = above[level];
      assert.ok(ancestor, `${scope} is no ancestor of ${kind.entityType}`);
      const list = expectList(
        await service.admin.get(`${path}?limit=100&${scope}=${encodeURIComponent(ancestor.fullyQualifiedName)}`),
      );
      const wanted = [record, ...others.slice(level + 1)].map(({ id }) => id);
      assert.equal(list.data.map(({ id }: Row) => id).sort(), wanted.sort(), scope);
      assert.is(list.paging.total, wanted.length, scope);
    }
  },
  hasScope,
);

each(
  'a domain filter matches own and inherited domains, and combines with other filters',
  async ({ service, samples, kind, path }) => {
    const domainKind = service.registry.byType.get('domain');
    assert.ok(domainKind);
    const domain = await samples.create(domainKind);
    const mine = await samples.create(kind, { domains: [domain.fullyQualifiedName] });
    await samples.create(kind);
    const filter = `domain=${encodeURIComponent(domain.fullyQualifiedName)}`;
    const list = expectList(await service.admin.get(`${path}?${filter}&fields=domains`));
    assert.equal(
      list.data.map((row: Row) => row.id),
      [mine.id],
    );
    assert.is(list.paging.total, 1);
    assert.is(list.data[0].domains[0].id, domain.id);
    const parent = scopeOf(kind);
    if (!parent) return;
    const nowhere = `${parent.field}=${uniqueName('nowhere')}`;
    assert.is(expectList(await service.admin.get(`${path}?${filter}&${nowhere}`)).paging.total, 0);
  },
  (kind) => Object.values(kind.filters).some((filter) => filter.by === 'domain'),
);

each(
  'boolean parameters are true or false in any case, and nothing else',
  async (bench) => {
    const { service, samples, kind, path } = bench;
    await samples.create(kind);
    for (const [name, filter] of Object.entries(kind.filters)) {
      if (filter.by !== 'flag') continue;
      const on = await totalOf(bench, `n.deleted = false AND n.${filter.property} = true`);
      const off = await totalOf(bench, `n.deleted = false AND n.${filter.property} = false`);
      assert.is(expectList(await service.admin.get(`${path}?${name}=true`)).paging.total, on, `${name}=true`);
      assert.is(expectList(await service.admin.get(`${path}?${name}=False`)).paging.total, off, `${name}=False`);
      expectRefused(await service.admin.get(`${path}?${name}=perhaps`), 400);
    }
  },
  (kind) => Object.values(kind.filters).some((filter) => filter.by === 'flag'),
);

test.run();
