import * as assert from 'uvu/assert';
import { everyKind } from '../support/every-kind.ts';
import {
  CHANGE_HEADER_NAME,
  createPerson,
  expectRef,
  expectRefused,
  expectUnchanged,
  ok,
  readStored,
} from '../support/expect.ts';
import { strayId } from '../support/samples.ts';
import { openService, uniqueName } from '../support/service.ts';
import { suite } from '../support/suite.ts';

/** Shows that followers and votes of every kind follow the contract. */

const test = suite('catalog: followers and votes of every kind');
const each = everyKind(test);

type Person = Awaited<ReturnType<typeof createPerson>>;
let ann: Person;
let ben: Person;

test.before(async () => {
  const service = await openService();
  ann = await createPerson(service, uniqueName('ann'));
  ben = await createPerson(service, uniqueName('ben'));
});

const EVENT = new Set([
  'id',
  'eventType',
  'entityType',
  'entityId',
  'entityFullyQualifiedName',
  'domains',
  'previousVersion',
  'currentVersion',
  'userName',
  'impersonatedBy',
  'timestamp',
  'changeDescription',
  'incrementalChangeDescription',
  'recursive',
  'entity',
]);

each(
  'following is idempotent, publishes a change event and creates no version',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const at = `${path}/${made.id}/followers`;
    const reply = await service.admin.put(at, ann.id);
    const event = ok(reply);
    for (const name of Object.keys(event)) assert.ok(EVENT.has(name), `an event has the unknown member ${name}`);
    assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityFieldsChanged');
    assert.equal([event.eventType, event.entityType, event.entityId], ['entityUpdated', kind.entityType, made.id]);
    assert.equal([event.previousVersion, event.currentVersion], [0.1, 0.1]);
    assert.equal(
      event.changeDescription.fieldsAdded.map((field: { name: string }) => field.name),
      ['followers'],
    );
    const before = await readStored(service, made.id);
    assert.equal([before?.events, before?.versions, before?.properties['revision']], [2, 0, 2]);
    ok(await expectUnchanged(service, made.id, () => service.admin.put(at, ann.id)));
    ok(await ben.raw('PUT', at, ben.id, { 'content-type': 'application/json' }));
    const read = ok(await service.admin.get(`${path}/${made.id}?fields=followers`));
    assert.equal(read.followers.map((ref: { id: string }) => ref.id).sort(), [ann.id, ben.id].sort());
    for (const ref of read.followers) expectRef(ref);
    assert.is(read.version, 0.1);
    assert.is(read.updatedAt, ok(await service.admin.get(`${path}/${made.id}`)).updatedAt);
    ok(await ann.delete(`${at}/${ann.id}`));
    ok(await expectUnchanged(service, made.id, () => ann.delete(`${at}/${ann.id}`)));
    const left = ok(await service.admin.get(`${path}/${made.id}?fields=followers`)).followers;
    assert.equal(
      left.map((ref: { id: string }) => ref.id),
      [ben.id],
    );
  },
  (kind) => kind.followable,
);

each(
  'user and record must exist, and following for others needs the right to edit',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const at = `${path}/${made.id}/followers`;
    const stray = strayId();
    const nobody = `user instance for ${stray} not found`;
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(at, stray)), 404, nobody);
    expectRefused(await service.admin.delete(`${at}/${stray}`), 404, nobody);
    const missing = `${kind.entityType} instance for ${stray} not found`;
    expectRefused(await service.admin.put(`${path}/${stray}/followers`, ann.id), 404, missing);
    expectRefused(await service.admin.delete(`${path}/${stray}/followers/${ann.id}`), 404, missing);
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(at, 'x')), 400);
    expectRefused(await expectUnchanged(service, made.id, () => service.admin.put(at, { id: ann.id })), 400);
    expectRefused(await expectUnchanged(service, made.id, () => ann.put(at, ben.id)), 403);
    ok(await service.admin.put(at, ben.id));
    expectRefused(await expectUnchanged(service, made.id, () => ann.delete(`${at}/${ben.id}`)), 403);
    if (!kind.softDeletable) return;
    ok(await service.admin.delete(`${path}/${made.id}`));
    expectRefused(await service.admin.put(at, ann.id), 404);
  },
  (kind) => kind.followable,
);

each(
  'a user has one vote, which can be up, down or withdrawn',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    const at = `${path}/${made.id}/vote`;
    const votes = async () => ok(await service.admin.get(`${path}/${made.id}?fields=votes`)).votes;
    const reply = await ann.put(at, { updatedVoteType: 'votedUp' });
    assert.is(reply.headers.get(CHANGE_HEADER_NAME), 'entityFieldsChanged');
    assert.equal(
      [ok(reply).eventType, reply.json.currentVersion, reply.json.userName],
      ['entityUpdated', 0.1, ann.name],
    );
    ok(await ben.put(at, 'votedDown'));
    const both = await votes();
    assert.equal([both.upVotes, both.downVotes], [1, 1]);
    assert.equal([both.upVoters[0].id, both.downVoters[0].id], [ann.id, ben.id]);
    expectRef(both.upVoters[0]);
    ok(await expectUnchanged(service, made.id, () => ann.put(at, { updatedVoteType: 'votedUp' })));
    ok(await ann.put(at, { updatedVoteType: 'votedDown' }));
    const turned = await votes();
    assert.equal([turned.upVotes, turned.downVotes], [0, 2]);
    ok(await ann.put(at, { updatedVoteType: 'unVoted' }));
    assert.equal((await votes()).downVotes, 1);
    const kept = await readStored(service, made.id);
    assert.equal([kept?.properties['version'], kept?.versions], [0.1, 0]);
    for (const bad of [{ updatedVoteType: 'x' }, {}, 'votedSideways', 1, []]) {
      expectRefused(await expectUnchanged(service, made.id, () => ann.put(at, bad)), 400);
    }
    const stray = strayId();
    expectRefused(
      await ann.put(`${path}/${stray}/vote`, 'votedUp'),
      404,
      `${kind.entityType} instance for ${stray} not found`,
    );
  },
  (kind) => kind.votable,
);

each(
  'kinds without followers or votes have no such routes',
  async ({ service, samples, kind, path }) => {
    const made = await samples.create(kind);
    if (!kind.followable) expectRefused(await service.admin.put(`${path}/${made.id}/followers`, ann.id), 404);
    if (!kind.votable) expectRefused(await service.admin.put(`${path}/${made.id}/vote`, 'votedUp'), 404);
  },
  (kind) => !kind.followable || !kind.votable,
);

test.run();
