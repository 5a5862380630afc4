import type { Principal } from '../../access/principal.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine } from '../engine.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { storedSnapshot } from '../read/stored-snapshot.ts';
import { buildChangeEvent } from './change-event.ts';

/** A change that creates no version, in the form of a change description. */
export type UnversionedChange = {
  readonly fieldsAdded?: Json;
  readonly fieldsUpdated?: Json;
  readonly fieldsDeleted?: Json;
};

const NO_FIELDS_CHANGED = { fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [] };

/** Builds the event of a change to followers, votes, ports or runs. The version of the record does not change. */
export const buildUnversionedEvent = (
  engine: Engine,
  principal: Principal,
  record: Snapshot,
  change: UnversionedChange,
): JsonObject =>
  buildChangeEvent({
    eventType: 'entityUpdated',
    record: { ...record, updatedAt: engine.clock() },
    previousVersion: record.version,
    entity: storedSnapshot(engine, record),
    principal,
    change: { previousVersion: record.version, ...NO_FIELDS_CHANGED, ...change },
  });
