import * as assert from 'uvu/assert';
import { everyKind } from '../support/every-kind.ts';
import { createPerson, expectList, expectRefused, listQueryFor, ok, pathByName } from '../support/expect.ts';
import { type Client, openService, type Service, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that includeRelations selects deleted or existing references per relation. */

const test = suite('catalog: includeRelations');
const each = everyKind(test);

type Person = Client & { readonly id: string; readonly name: string };
type Ref = { readonly id: string; readonly deleted: boolean };

let service: Service;
let present: Person;
let left: Person;

test.before(async () => {
  service = await openService();
  present = await createPerson(service, uniqueName('present'));
  left = await createPerson(service, uniqueName('left'));
});

/** Who is shown, in the two words of this table. */
const shown = (refs: readonly Ref[]): string =>
  refs
    .map((ref) => {
      assert.is(ref.deleted, ref.id === left.id);
      return ref.id === present.id ? 'present' : 'left';
    })
    .sort()
    .join(' ');

/** What follows what: `include` where a relation is not named, and the relation's own word where it is. */
const TABLE: readonly (readonly [query: string, owners: string, followers: string])[] = [
  ['', 'present', 'present'],
  ['&include=all', 'left present', 'left present'],
  ['&includeRelations=', 'present', 'present'],
  ['&includeRelations=owners:all', 'left present', 'present'],
  ['&includeRelations=owners:deleted,followers:all', 'left', 'left present'],
  ['&includeRelations=%20owners%20:%20all%20,', 'left present', 'present'],
  ['&include=all&includeRelations=owners:non-deleted', 'present', 'left present'],
  ['&include=all&includeRelations=owners:non-deleted,followers:deleted', 'present', 'left'],
];

each(
  'single reads and lists return the selected references of each relation',
  async ({ samples, kind, path }) => {
    if (left.id && ok(await service.admin.get(`/v1/users/${left.id}?include=all`)).deleted) {
      ok(await service.admin.put('/v1/users/restore', { id: left.id }));
    }
    const owners = [present, left].map(({ id }) => ({ id, type: 'user' }));
    const made = await samples.create(kind, { owners });
    if (kind.followable)
      for (const { id } of [present, left]) ok(await service.admin.put(`${path}/${made.id}/followers`, id));
    ok(await service.admin.delete(`/v1/users/${left.id}`));
    const fields = kind.followable ? 'owners,followers' : 'owners';
    for (const [query, owned, followed] of TABLE) {
      if (!kind.followable && query.includes('followers')) continue;
      const listed = expectList(
        await service.admin.get(`${path}?fields=${fields}&${listQueryFor(made.name)}${query}`),
      ).data;
      const records = [
        ok(await service.admin.get(`${path}/${made.id}?fields=${fields}${query}`)),
        ok(await service.admin.get(pathByName(kind, made.fullyQualifiedName, `?fields=${fields}${query}`))),
        listed[0],
      ];
      for (const record of records) {
        assert.is(record.id, made.id);
        assert.is(shown(record.owners), owned, `owners with ${query}`);
        if (kind.followable) assert.is(shown(record.followers), followed, `followers with ${query}`);
      }
    }
  },
  (kind) => kind.create.includes('owners'),
);

each('reading a deleted record returns its existing relations', async ({ samples, kind, path }) => {
  if (!kind.softDeletable || !kind.create.includes('owners')) return;
  const made = await samples.create(kind, { owners: [{ id: present.id, type: 'user' }] });
  ok(await service.admin.delete(`${path}/${made.id}`));
  const read = ok(await service.admin.get(`${path}/${made.id}?include=deleted&fields=owners`));
  assert.equal(shown(read.owners), 'present');
});

each('invalid values are refused', async ({ samples, kind, path }) => {
  const made = await samples.create(kind);
  for (const at of [`${path}/${made.id}`, pathByName(kind, made.fullyQualifiedName), path]) {
    const ask = (text: string) => service.admin.get(`${at}?includeRelations=${text}`);
    expectRefused(await ask('nonsense:all'), 400, 'Invalid field name nonsense');
    expectRefused(await ask(`${[...kind.fieldNames][0]}:some`), 400, /^\[include must be one of/);
    expectRefused(await ask([...kind.fieldNames][0] ?? ''), 400, /^\[includeRelations /);
    expectRefused(await ask(`${[...kind.fieldNames][0]}:all:all`), 400, /^\[includeRelations /);
  }
});

test.run();
