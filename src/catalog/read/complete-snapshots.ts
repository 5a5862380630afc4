import { firstUsageDay } from '../../model/schemas/usage/usage-summary.ts';
import type { TargetNode } from '../queries.ts';
import { collectMentions, readMentions } from './mentions.ts';
import type { UsageLookup } from './record-lookups.ts';
import { hasComputedValues, type InheritedReader, type ReadRelated, withRelated } from './related.ts';
import type { Snapshot } from './snapshot.ts';

/** What completes a snapshot beyond the row of its record. */
export type SnapshotReaders = {
  readonly related: ReadRelated;
  readonly inherited: InheritedReader;
  readonly usage: UsageLookup;
  readonly referenceById: (id: string) => Promise<TargetNode | undefined>;
};

/** Whether to read usage: a record that was never used skips the query. */
const wantsUsage = ({ usedOn }: Snapshot, fields: ReadonlySet<string>): boolean =>
  usedOn !== undefined && fields.has('usageSummary');

/** Adds the daily counts from which the usage of the last day is summed up. */
const withUsage = async (read: UsageLookup, snapshot: Snapshot): Promise<Snapshot> => {
  const { id, usedOn = '' } = snapshot;
  return { ...snapshot, usage: await read({ id, from: firstUsageDay(usedOn), to: usedOn }) };
};

const withInherited = async (
  { related, inherited }: SnapshotReaders,
  snapshot: Snapshot,
  fields: ReadonlySet<string>,
): Promise<Snapshot> => {
  const [whole, inheritedMembers] = await Promise.all([
    withRelated(related, snapshot, fields),
    inherited(snapshot.kind, snapshot.id, fields),
  ]);
  return inheritedMembers ? { ...whole, inheritedMembers } : whole;
};

const completeSnapshot = (
  readers: SnapshotReaders,
  snapshot: Snapshot,
  fields: ReadonlySet<string>,
): Promise<Snapshot> => {
  const whole = snapshot.kind.inherits
    ? withInherited(readers, snapshot, fields)
    : withRelated(readers.related, snapshot, fields);
  return wantsUsage(snapshot, fields) ? whole.then((record) => withUsage(readers.usage, record)) : whole;
};

/** Adds everything that the requested members need beyond the records' own rows. */
export const completeSnapshots = async (
  readers: SnapshotReaders,
  snapshots: readonly Snapshot[],
  fields: ReadonlySet<string>,
): Promise<Snapshot[]> => {
  const ids = collectMentions(snapshots, fields);
  const [records, mentioned] = await Promise.all([
    Promise.all(snapshots.map((snapshot) => completeSnapshot(readers, snapshot, fields))),
    readMentions(readers.referenceById, ids),
  ]);
  // Computed values may mention further records.
  const all = records.some(hasComputedValues) ? collectMentions(records, fields) : ids;
  const nodes = all.size > ids.size ? await readMentions(readers.referenceById, all) : mentioned;
  return nodes.size === 0 ? records : records.map((record) => ({ ...record, mentioned: nodes }));
};
