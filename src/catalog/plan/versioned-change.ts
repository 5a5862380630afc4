import type { Principal } from '../../access/principal.ts';
import type { WriteRequest } from '../../graph/group-commit.ts';
import type { ChangeDescription, ChangeSource } from '../../model/change-description.ts';
import type { Json } from '../../model/json.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { storedSnapshot } from '../read/stored-snapshot.ts';
import { withChangeSummary } from '../resolve/change-summary.ts';
import type { WriteContext } from '../resolve/write-context.ts';
import { buildChangeEvent } from './change-event.ts';
import { planUpdate } from './record.ts';

/** Two states of a record, the later one with its new version, and the difference between them. */
export type SnapshotChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly description: ChangeDescription;
  /** The source of the change, if the caller names one. */
  readonly source?: ChangeSource | undefined;
};

/**
 * Plans a change that creates a new version, and returns the record as it is afterwards. `lost` creates the error for a
 * record that another writer changed meanwhile.
 */
export const planVersionedChange = (
  context: WriteContext,
  principal: Principal,
  { before, after, description, source }: SnapshotChange,
  onConflict?: () => unknown,
): { readonly record: Snapshot; readonly plan: WriteRequest } => {
  const change = withChangeSummary(description, before, after, source);
  const record: Snapshot = { ...after, changeDescription: JSON.stringify(change) };
  const event = buildChangeEvent({
    eventType: 'entityUpdated',
    record,
    previousVersion: before.version,
    entity: storedSnapshot(context, record),
    principal,
    change: change as unknown as Json,
  });
  const formerJson = JSON.stringify(storedSnapshot(context, before));
  const update = { before, after: record, change: change as unknown as Json, formerJson, event };
  return { record, plan: planUpdate(update, onConflict) };
};
