import type { Step } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { JsonObject } from '../../model/json.ts';
import * as query from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { keepAdministratorSteps } from './administrators.ts';
import { eventRow, eventStep } from './change-event.ts';
import { governSteps } from './govern.ts';
import { leftBehind, ORDER, stale, step } from './step.ts';

const lifeChange = (record: Snapshot, version: number, after: { deleted: boolean; deletedWith: string | null }) => ({
  id: record.id,
  version: record.version,
  changes: { ...after, version },
});

export type LifeChange = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly formerJson: string;
  readonly event: JsonObject;
};

/** Hides or brings back one record of a cascade; `root` is the record that was addressed. */
export const planLifeChange = ({ before, after, formerJson, event }: LifeChange, root: string): Step[] => {
  const flip = after.deleted ? query.hideRecords : query.restoreRecords;
  const lost = before.id === root ? stale : leftBehind;
  const row = lifeChange(before, after.version, { deleted: after.deleted, deletedWith: after.deleted ? root : null });
  const who = {
    updatedAt: encodeProperty(after.updatedAt),
    updatedBy: after.updatedBy,
    impersonatedBy: after.impersonatedBy ?? null,
    changeDescriptionJson: after.changeDescription ?? null,
  };
  return [
    step(query.updateRecords, ORDER.lock, [{ ...row, changes: { ...row.changes, ...who } }], lost),
    step(flip.for(before.kind.label), ORDER.changeColumns, [{ id: before.id }]),
    step(query.createVersions, ORDER.keepVersion, [
      {
        entityId: before.id,
        state: { version: before.version, at: encodeProperty(before.updatedAt), json: formerJson },
      },
    ]),
    eventStep(event),
    ...governSteps(before.kind),
    ...keepAdministratorSteps(before, after),
  ];
};

/**
 * Removes one record of a cascade for good; within one transaction those farther from its root go before the others. All
 * of them are told of before: whom to tell is read from edges that go with them.
 */
export const planDelete = (record: Snapshot, event: JsonObject, distance = 0): Step[] => [
  step(query.deleteRecords, ORDER.lock - distance / 100, [{ id: record.id }], leftBehind),
  step(query.createFarewells, ORDER.takeLeave, [eventRow(event)]),
  ...governSteps(record.kind),
  ...keepAdministratorSteps(record),
];

/** Removes one record for good as far as anybody can see; what hangs below it follows before it is gone indeed. */
export const planDoom = (record: Snapshot, event: JsonObject): Step[] => [
  step(query.doomRecords.for(record.kind.label), ORDER.lock, [{ id: record.id, version: record.version }], stale),
  step(query.createFarewells, ORDER.takeLeave, [eventRow(event)]),
  ...governSteps(record.kind),
  ...keepAdministratorSteps(record),
];
