import { badRequest, recordNotFound } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine, Writer } from '../engine.ts';
import { planPersonalEdge } from '../plan/record.ts';
import { buildUnversionedEvent } from '../plan/unversioned-event.ts';
import type { RefNode } from '../queries.ts';
import { authorizeRecord } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import { renderRef, type View } from '../read/render.ts';
import type { Snapshot } from '../read/snapshot.ts';

/** Finds a record to follow or vote on, which must not be deleted. */
const findLiveRecord = async (engine: Engine, { kind, countWork }: Writer, id: string): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
  countWork?.(record.weight);
  return record;
};

const findPerson = async (engine: Engine, id: string): Promise<RefNode> => {
  const node = await engine.store.referenceById(id);
  if (!node || node.deleted || node.entityType !== 'user') throw recordNotFound('user', id);
  return node;
};

const addedChange = (view: View, name: string, node: RefNode): Json => [
  { name, newValue: JSON.stringify([renderRef(node, view)]) },
];
const removedChange = (view: View, name: string, node: RefNode): Json => [
  { name, oldValue: JSON.stringify([renderRef(node, view)]) },
];

/**
 * Authorizes following: for oneself the caller needs only the right to view the record, for another person the right to
 * edit it.
 */
const authorizeFollowing = (engine: Engine, { principal }: Writer, record: Snapshot, person: RefNode): Promise<void> =>
  authorizeRecord(engine, principal, person.id === principal.id ? ['ViewBasic'] : ['ViewBasic', 'EditAll'], record);

type FollowRequest = { readonly recordId: string; readonly userId: string; readonly view: View };

const changeFollowing = async (
  engine: Engine,
  writer: Writer,
  { recordId, userId, view }: FollowRequest,
  follows: boolean,
): Promise<JsonObject> => {
  const record = await findLiveRecord(engine, writer, recordId);
  const person = await findPerson(engine, userId);
  await authorizeFollowing(engine, writer, record, person);
  const isFollowing = (record.followers ?? []).some((node) => node.id === userId);
  if (isFollowing === follows) return buildUnversionedEvent(engine, writer.principal, record, {});
  const change = follows
    ? { fieldsAdded: addedChange(view, 'followers', person) }
    : { fieldsDeleted: removedChange(view, 'followers', person) };
  const followers = (record.followers ?? []).filter((node) => node.id !== userId);
  const after = { ...record, followers: follows ? [...followers, person] : followers };
  const event = buildUnversionedEvent(engine, writer.principal, after, change);
  await engine.commit(planPersonalEdge('FOLLOWS', person, record, follows ? {} : undefined, event));
  return event;
};

export const followRecord = (engine: Engine, writer: Writer, following: FollowRequest) =>
  engine.serial(`${writer.kind.label} ${following.recordId}`, () => changeFollowing(engine, writer, following, true));

export const unfollowRecord = (engine: Engine, writer: Writer, following: FollowRequest) =>
  engine.serial(`${writer.kind.label} ${following.recordId}`, () => changeFollowing(engine, writer, following, false));

const VOTES = ['votedUp', 'votedDown', 'unVoted'] as const;
export type Vote = (typeof VOTES)[number];

export const parseVote = (text: unknown): Vote => {
  const vote = VOTES.find((known) => known === text);
  if (!vote) throw badRequest(`[updatedVoteType must be one of ${VOTES.join(', ')}]`);
  return vote;
};

/** Casts, changes or withdraws the caller's vote on a record. */
export const castVote = (
  engine: Engine,
  writer: Writer,
  recordId: string,
  vote: Vote,
  view: View,
): Promise<JsonObject> =>
  engine.serial(`${writer.kind.label} ${recordId}`, async () => {
    const record = await findLiveRecord(engine, writer, recordId);
    const person = await findPerson(engine, writer.principal.id);
    await authorizeRecord(engine, writer.principal, ['ViewBasic'], record);
    const stored = (record.voters ?? []).find((node) => node.id === person.id)?.vote ?? 'unVoted';
    if (stored === vote) return buildUnversionedEvent(engine, writer.principal, record, {});
    const others = (record.voters ?? []).filter((node) => node.id !== person.id);
    const voters = vote === 'unVoted' ? others : [...others, { ...person, vote }];
    const change =
      vote === 'unVoted'
        ? { fieldsDeleted: removedChange(view, 'votes', person) }
        : { fieldsAdded: addedChange(view, 'votes', person) };
    const event = buildUnversionedEvent(engine, writer.principal, { ...record, voters }, change);
    await engine.commit(
      planPersonalEdge('VOTED', person, record, vote === 'unVoted' ? undefined : { type: vote }, event),
    );
    return event;
  });
