import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import type { JsonObject } from '../../model/json.ts';
import { markForDeletion } from '../cascade-queries.ts';
import * as query from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { accessRevisionSteps } from './access-revision.ts';
import { lastAdministratorSteps } from './administrators.ts';
import { eventRow, eventStep } from './change-event.ts';
import { formerStateRow } from './former-state.ts';
import { createStep, descendantsChangedError, STEP_ORDER, staleStateError } from './step.ts';
import { planRecount } from './supplies.ts';

const lifecycleRow = (record: Snapshot, version: number, after: { deleted: boolean; deletedWith: string | null }) => ({
  id: record.id,
  version: record.version,
  changes: { ...after, version },
});

export type LifecycleWrite = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly formerJson: string;
  readonly event: JsonObject;
};

/**
 * Plans the soft deletion or restoration of one record of a cascade; `root` is the record that the request addressed.
 */
export const planLifecycleChange = (
  { before, after, formerJson, event }: LifecycleWrite,
  root: string,
): WriteStep[] => {
  const flip = after.deleted ? query.softDeleteRecords : query.restoreRecords;
  const onConflict = before.id === root ? staleStateError : descendantsChangedError;
  const row = lifecycleRow(before, after.version, { deleted: after.deleted, deletedWith: after.deleted ? root : null });
  const authorship = {
    updatedAt: encodeProperty(after.updatedAt),
    updatedBy: after.updatedBy,
    impersonatedBy: after.impersonatedBy ?? null,
    changeDescriptionJson: after.changeDescription ?? null,
  };
  return [
    createStep(
      query.updateRecords,
      STEP_ORDER.lock,
      [{ ...row, changes: { ...row.changes, ...authorship } }],
      onConflict,
    ),
    ...planRecount([before.id]),
    createStep(flip, STEP_ORDER.changeColumns, [{ id: before.id, label: before.kind.label }]),
    createStep(query.createVersions, STEP_ORDER.saveVersion, [formerStateRow(before, formerJson)]),
    eventStep(event),
    ...accessRevisionSteps(before.kind),
    ...lastAdministratorSteps(before, after),
  ];
};

/**
 * Plans the hard deletion of one record of a cascade; within a transaction, records farther from the root go first. All
 * deletion events are written before any deletion, because their recipients are read from edges that the deletion
 * removes.
 */
export const planDeletion = (record: Snapshot, event: JsonObject, distance = 0): WriteStep[] => [
  ...planRecount([record.id]),
  createStep(query.deleteRecords, STEP_ORDER.lock - distance / 100, [{ id: record.id }], descendantsChangedError),
  createStep(query.createDeletionEvents, STEP_ORDER.deletionEvent, [eventRow(event)]),
  ...accessRevisionSteps(record.kind),
  ...lastAdministratorSteps(record),
];

/** Makes a record invisible to every reader at once; the node itself is removed after its descendants. */
export const planMarkForDeletion = (record: Snapshot, event: JsonObject): WriteStep[] => [
  ...planRecount([record.id]),
  createStep(
    markForDeletion,
    STEP_ORDER.lock,
    [{ id: record.id, label: record.kind.label, version: record.version }],
    staleStateError,
  ),
  createStep(query.createDeletionEvents, STEP_ORDER.deletionEvent, [eventRow(event)]),
  ...accessRevisionSteps(record.kind),
  ...lastAdministratorSteps(record),
];
