import type { Principal } from '../../access/principal.ts';
import type { Write } from '../../graph/commit.ts';
import type { ChangeDescription, ChangeSource } from '../../model/change.ts';
import type { Json } from '../../model/json.ts';
import type { Desk } from '../desire/desk.ts';
import { withSummary } from '../desire/summary.ts';
import { keptForm } from '../read/kept.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { changeEvent } from './change-event.ts';
import { planUpdate } from './record.ts';

/** Two states of a record, the later one with its version, and what differs between them. */
export type Change = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly description: ChangeDescription;
  /** Where the caller says the change comes from. */
  readonly source?: ChangeSource | undefined;
};

/**
 * The steps of a change that a new version tells of, and the record as it is afterwards. `lost` is told when somebody else
 * changed the record meanwhile.
 */
export const planChange = (
  desk: Desk,
  principal: Principal,
  { before, after, description, source }: Change,
  lost?: () => unknown,
): { readonly record: Snapshot; readonly plan: Write } => {
  const change = withSummary(description, before, after, source);
  const record: Snapshot = { ...after, changeDescription: JSON.stringify(change) };
  const event = changeEvent({
    eventType: 'entityUpdated',
    record,
    previousVersion: before.version,
    entity: keptForm(desk, record),
    principal,
    change: change as unknown as Json,
  });
  const formerJson = JSON.stringify(keptForm(desk, before));
  const update = { before, after: record, change: change as unknown as Json, formerJson, event };
  return { record, plan: planUpdate(update, lost) };
};
