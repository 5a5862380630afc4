import * as assert from 'uvu/assert';
import { everyKind, hasChildren } from '../support/every-kind.ts';
import {
  CHANGE_HEADER_NAME,
  expectRecord,
  expectRefused,
  expectUnchanged,
  ok,
  pathByName,
  readStored,
} from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { suite } from '../support/suite.ts';

/** Shows that assets of every kind can be deleted and restored by the contract. */

const test = suite('catalog: delete, restore and versions of every kind');
const each = everyKind(test);

each(
  'soft deletion hides a record and keeps its name, and restore brings it back',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind, { description: 'Told' });
    const reply = await service.admin.delete(`${path}/${made.id}`);
    const deleted = ok(reply);
    expectRecord(kind, deleted);
    assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entitySoftDeleted');
    assert.equal([deleted.deleted, deleted.version], [true, 0.2]);
    expectRefused(await service.admin.get(`${path}/${made.id}`), 404);
    expectRefused(await service.admin.get(pathByName(kind, made.fullyQualifiedName)), 404);
    expectRefused(await service.admin.delete(`${path}/${made.id}`), 404);
    for (const include of ['deleted', 'all']) {
      const read = ok(await service.admin.get(`${path}/${made.id}?include=${include}`));
      assert.equal([read.deleted, read.version, read.description], [true, 0.2, 'Told']);
    }
    const kept = await readStored(service, made.id);
    assert.is(kept?.labels.includes(`Live${kind.label}`), false);
    assert.equal([kept?.versions, kept?.events], [1, 2]);
    expectRefused(
      await service.admin.post(path, await samples.body(kind, samples.meaning(kind, made))),
      409,
      'Entity already exists',
    );
    const patch = await expectUnchanged(service, made.id, () =>
      service.admin.patch(`${path}/${made.id}`, { description: 'x' }),
    );
    expectRefused(patch, 404);
    const restored = await service.admin.put(`${path}/restore`, { id: made.id });
    expectRecord(kind, ok(restored));
    assert.is(restored.headers.get(CHANGE_HEADER_NAME), 'entityRestored');
    assert.equal([restored.json.deleted, restored.json.version], [false, 0.3]);
    assert.is(ok(await service.admin.get(`${path}/${made.id}`)).description, 'Told');
    assert.ok((await readStored(service, made.id))?.labels.includes(`Live${kind.label}`));
    const again = await expectUnchanged(service, made.id, () => service.admin.put(`${path}/restore`, { id: made.id }));
    assert.is(ok(again).version, 0.3);
  },
  (kind) => kind.softDeletable,
);

each(
  'an unknown or invalid restore is refused',
  async ({ service, path, kind }) => {
    const id = strayId();
    expectRefused(
      await service.admin.put(`${path}/restore`, { id }),
      404,
      `${kind.entityType} instance for ${id} not found`,
    );
    expectRefused(await service.admin.put(`${path}/restore`, {}), 400, '[id must not be null]');
    expectRefused(await service.admin.put(`${path}/restore`, { id: 'x' }), 400);
    expectRefused(await service.admin.put(`${path}/restore`, [id]), 400);
  },
  (kind) => kind.softDeletable,
);

each(
  'PUT with the name of a deleted record restores and updates it',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind, { description: 'Told' });
    ok(await service.admin.delete(`${path}/${made.id}`));
    const body = await samples.body(kind, { ...samples.meaning(kind, made), description: 'Told anew' });
    const put = ok(await service.admin.put(path, body));
    assert.equal([put.id, put.deleted, put.description], [made.id, false, 'Told anew']);
    assert.is(ok(await service.admin.get(`${path}/${made.id}`)).description, 'Told anew');
  },
  (kind) => kind.softDeletable,
);

each('hard deletion returns the last state and leaves nothing', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  ok(await service.admin.patch(`${path}/${made.id}`, { description: 'Changed' }));
  const reply = await service.admin.delete(`${path}/${made.id}?hardDelete=true`);
  const gone = ok(reply);
  expectRecord(kind, gone);
  assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityDeleted');
  assert.equal([gone.id, gone.version, gone.description], [made.id, 0.2, 'Changed']);
  assert.is(await readStored(service, made.id), undefined);
  const [left] = await service.graph.query(
    `RETURN COUNT { (c:Column) WHERE c.key STARTS WITH $id } AS columns,
       COUNT { (e:ChangeEvent {entityId: $id, eventType: 'entityDeleted'}) } AS farewells,
       COUNT { (e:ChangeEvent {entityId: $id}) } AS events`,
    { id: made.id },
  );
  assert.equal(left, { columns: 0, farewells: 1, events: 3 });
  expectRefused(await service.admin.get(`${path}/${made.id}?include=all`), 404);
  expectRefused(await service.admin.get(`${path}/${made.id}/versions`), 404);
  const again = ok(await service.admin.post(path, await samples.body(kind, samples.meaning(kind, made))), 201);
  assert.is.not(again.id, made.id);
  assert.is(again.version, 0.1);
});

each('a soft-deleted record is hard-deleted by name', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  ok(await service.admin.delete(`${path}/${made.id}`));
  const at = pathByName(kind, made.fullyQualifiedName, '?hardDelete=True');
  if (!kind.softDeletable) return expectRefused(await service.admin.delete(at), 404);
  ok(await service.admin.delete(at));
  assert.is(await readStored(service, made.id), undefined);
});

each(
  'a parent is deleted only with recursive, and its children are deleted and restored with it',
  async ({ service, samples, kind, path }) => {
    const child = samples.childOf(kind);
    assert.ok(child);
    const parent = await samples.create(kind);
    const below = await samples.create(child.kind, child.place(parent));
    const childPath = `/v1/${child.kind.path}/${below.id}`;
    for (const hard of ['', '&hardDelete=true']) {
      const reply = await expectUnchanged(service, parent.id, () =>
        service.admin.delete(`${path}/${parent.id}?recursive=false${hard}`),
      );
      expectRefused(reply, 400, `${kind.entityType} is not empty`);
    }
    if (kind.softDeletable) {
      ok(await service.admin.delete(`${path}/${parent.id}?recursive=true`));
      expectRefused(await service.admin.get(childPath), 404);
      assert.is(ok(await service.admin.get(`${childPath}?include=deleted`)).version, 0.2);
      ok(await service.admin.put(`${path}/restore`, { id: parent.id }));
      assert.equal(
        [ok(await service.admin.get(childPath)).deleted, (await readStored(service, below.id))?.events],
        [false, 3],
      );
    }
    ok(await service.admin.delete(`${path}/${parent.id}?recursive=true&hardDelete=true`));
    assert.is(await readStored(service, parent.id), undefined);
    assert.is(await readStored(service, below.id), undefined);
  },
  hasChildren,
);

each(
  'a child that was deleted separately stays deleted when its parent is restored, and does not block its deletion',
  async ({ service, samples, kind, path }) => {
    const child = samples.childOf(kind);
    assert.ok(child);
    const parent = await samples.create(kind);
    const below = await samples.create(child.kind, child.place(parent));
    const at = `/v1/${child.kind.path}/${below.id}`;
    ok(await service.admin.delete(at));
    ok(await service.admin.delete(`${path}/${parent.id}`));
    ok(await service.admin.put(`${path}/restore`, { id: parent.id }));
    expectRefused(await service.admin.get(at), 404);
    ok(await service.admin.put(`/v1/${child.kind.path}/restore`, { id: below.id }));
    ok(await service.admin.get(at));
  },
  (kind) => hasChildren(kind) && kind.softDeletable,
);

each('versions are listed newest first, each in its state', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind, { description: 'one' });
  ok(await service.admin.patch(`${path}/${made.id}`, { description: 'two' }));
  ok(await service.admin.patch(`${path}/${made.id}`, { description: 'three' }));
  const history = ok(await service.admin.get(`${path}/${made.id}/versions`));
  assert.equal(Object.keys(history).sort(), ['entityType', 'versions']);
  assert.is(history.entityType, kind.entityType);
  const states = history.versions.map((text: string) => JSON.parse(text));
  for (const state of states) expectRecord(kind, { href: `/v1/${kind.path}/${state.id}`, ...state }, { hrefs: false });
  const told = states.map((state: { version: number; description: string }) => [state.version, state.description]);
  assert.equal(told, [
    [0.3, 'three'],
    [0.2, 'two'],
    [0.1, 'one'],
  ]);
  for (const version of ['0.1', '0.2', '0.3', '0.30']) {
    const state = ok(await service.admin.get(`${path}/${made.id}/versions/${version}`));
    assert.is(state.version, Number(version));
  }
  const missing = `${kind.entityType} instance for ${made.id} and version 7.7 not found`;
  expectRefused(await service.admin.get(`${path}/${made.id}/versions/7.7`), 404, missing);
  expectRefused(await service.admin.get(`${path}/${made.id}/versions/x`), 404);
  if (!kind.softDeletable) return;
  ok(await service.admin.delete(`${path}/${made.id}`));
  assert.is(ok(await service.admin.get(`${path}/${made.id}/versions`)).versions.length, 4);
  assert.is(ok(await service.admin.get(`${path}/${made.id}/versions/0.1`)).description, 'one');
});

each('a system record cannot be deleted', async ({ service, path, kind, samples }) => {
  const { provider } = kind.members;
  if (!provider) return;
  const inBody = 'request' in provider && provider.request === true;
  const made = await samples.create(kind, inBody ? { provider: 'system' } : {});
  if (!inBody) ok(await service.admin.patch(`${path}/${made.id}`, { provider: 'system' }));
  const sentence = `System entity [${made.name}] of type ${kind.entityType} can not be deleted.`;
  for (const query of ['', '?hardDelete=true']) {
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.delete(`${path}/${made.id}${query}`)),
      400,
      sentence,
    );
  }
  // Nor can they be made somebody else's first.
  const patch = await expectUnchanged(service, made.id, () =>
    service.admin.patch(`${path}/${made.id}`, { provider: 'user' }),
  );
  expectRefused(patch, 400, `System entity [${made.name}] of type ${kind.entityType} can not be modified.`);
  const put = ok(await service.admin.put(path, { ...(await samples.body(kind, samples.meaning(kind, made))) }));
  assert.is(put.provider, 'system');
});

each('bad flags on delete are refused with 400, and the record stays', async ({ service, samples, kind, path }) => {
  const made = await samples.create(kind);
  for (const query of ['hardDelete=perhaps', 'recursive=1']) {
    expectRefused(
      await expectUnchanged(service, made.id, () => service.admin.delete(`${path}/${made.id}?${query}`)),
      400,
    );
  }
});

test.run();
