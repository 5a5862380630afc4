import type { RecordFacts } from '../../access/authorization.ts';
import type { Engine, Writer } from '../engine.ts';
import { ADOPTED } from '../read/facts-queries.ts';
import { filterNearest, filterOwnNodes, type Snapshot } from '../read/snapshot.ts';

/** Says who appoints the owners of a record, because who takes what has no owner is not trusted with masked values. */

const EDIT_OWNERS: readonly string[] = ['EditOwners'];

/** Stands for an owner who is nobody that the caller could be. */
const STRANGER = 'a stranger';

const isOwned = ({ owners }: Snapshot): boolean => filterNearest(owners ?? []).length > 0;

const hasNewOwner = (before: Snapshot, after: Snapshot): boolean => {
  const known = new Set(filterOwnNodes(before.owners).map(({ id }) => id));
  return filterOwnNodes(after.owners).some(({ id }) => !known.has(id));
};

const ownedByStranger = (facts: RecordFacts): RecordFacts => ({
  ...facts,
  ownerIds: [STRANGER],
  owningTeamIds: [],
  peoplesTeamIds: [],
});

/** Whether the caller may choose owners also of a record that somebody else owns. */
const mayAppoint = async (engine: Engine, { principal }: Writer, { id, kind }: Snapshot): Promise<boolean> => {
  const { authorizer, facts } = engine;
  const filter = authorizer.filter(principal, EDIT_OWNERS, kind.entityType);
  if (typeof filter === 'string') return filter === 'all';
  const found = await facts.read(id, authorizer.requiredFacts(principal, EDIT_OWNERS, kind.entityType));
  return found !== undefined && filter(ownedByStranger(found));
};

/** Names who appoints the owners that a change adds. Those of a record without an owner may only have been adopted. */
export const findAppointer = async (
  engine: Engine,
  writer: Writer,
  before: Snapshot,
  after: Snapshot,
): Promise<string> => {
  const { principal } = writer;
  if (principal.isAdmin || isOwned(before) || !hasNewOwner(before, after)) return principal.name;
  return (await mayAppoint(engine, writer, before)) ? principal.name : ADOPTED;
};
