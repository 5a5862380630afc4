import { badRequest, recordNotFound } from '../../errors.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine, Writer } from '../engine.ts';
import { eventBeside } from '../plan/beside.ts';
import { planEdge } from '../plan/record.ts';
import type { RefNode } from '../queries.ts';
import { permit } from '../read/facts.ts';
import { writeFields } from '../read/fields.ts';
import { renderRef, type View } from '../read/render.ts';
import type { Snapshot } from '../read/snapshot.ts';

/** A record that people follow and vote on; deleted records have neither. */
const findTarget = async (engine: Engine, { kind, spend }: Writer, id: string): Promise<Snapshot> => {
  const record = await engine.store.record(kind, { id }, writeFields(kind));
  if (!record || record.deleted) throw recordNotFound(kind.entityType, id);
  spend?.(record.weight);
  return record;
};

const findPerson = async (engine: Engine, id: string): Promise<RefNode> => {
  const node = await engine.store.referenceById(id);
  if (!node || node.deleted || node.entityType !== 'user') throw recordNotFound('user', id);
  return node;
};

const told = (view: View, name: string, node: RefNode): Json => [
  { name, newValue: JSON.stringify([renderRef(node, view)]) },
];
const untold = (view: View, name: string, node: RefNode): Json => [
  { name, oldValue: JSON.stringify([renderRef(node, view)]) },
];

/** Following for oneself needs only sight of the record; for somebody else it needs the right to edit it. */
const authorizeFor = (engine: Engine, { principal }: Writer, record: Snapshot, person: RefNode): Promise<void> =>
  permit(engine, principal, person.id === principal.id ? ['ViewBasic'] : ['ViewBasic', 'EditAll'], record);

type Following = { readonly recordId: string; readonly userId: string; readonly view: View };

const changeFollowing = async (
  engine: Engine,
  writer: Writer,
  { recordId, userId, view }: Following,
  follows: boolean,
): Promise<JsonObject> => {
  const record = await findTarget(engine, writer, recordId);
  const person = await findPerson(engine, userId);
  await authorizeFor(engine, writer, record, person);
  const already = (record.followers ?? []).some((node) => node.id === userId);
  if (already === follows) return eventBeside(engine, writer.principal, record, {});
  const change = follows
    ? { fieldsAdded: told(view, 'followers', person) }
    : { fieldsDeleted: untold(view, 'followers', person) };
  const followers = (record.followers ?? []).filter((node) => node.id !== userId);
  const after = { ...record, followers: follows ? [...followers, person] : followers };
  const event = eventBeside(engine, writer.principal, after, change);
  await engine.commit(planEdge('FOLLOWS', person, record, follows ? {} : undefined, event));
  return event;
};

export const follow = (engine: Engine, writer: Writer, following: Following) =>
  engine.serial(`${writer.kind.label} ${following.recordId}`, () => changeFollowing(engine, writer, following, true));

export const unfollow = (engine: Engine, writer: Writer, following: Following) =>
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
    const record = await findTarget(engine, writer, recordId);
    const person = await findPerson(engine, writer.principal.id);
    await permit(engine, writer.principal, ['ViewBasic'], record);
    const stored = (record.voters ?? []).find((node) => node.id === person.id)?.vote ?? 'unVoted';
    if (stored === vote) return eventBeside(engine, writer.principal, record, {});
    const others = (record.voters ?? []).filter((node) => node.id !== person.id);
    const voters = vote === 'unVoted' ? others : [...others, { ...person, vote }];
    const change =
      vote === 'unVoted'
        ? { fieldsDeleted: untold(view, 'votes', person) }
        : { fieldsAdded: told(view, 'votes', person) };
    const event = eventBeside(engine, writer.principal, { ...record, voters }, change);
    await engine.commit(planEdge('VOTED', person, record, vote === 'unVoted' ? undefined : { type: vote }, event));
    return event;
  });
