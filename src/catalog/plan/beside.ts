import type { Principal } from '../../access/principal.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import type { Engine } from '../engine.ts';
import { keptForm } from '../read/kept.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { changeEvent } from './change-event.ts';

/** What changed beside a record, in the words of a change description. */
export type BesideChange = {
  readonly fieldsAdded?: Json;
  readonly fieldsUpdated?: Json;
  readonly fieldsDeleted?: Json;
};

const NOTHING = { fieldsAdded: [], fieldsUpdated: [], fieldsDeleted: [] };

/** The event of a change beside a record: followers, votes, ports, runs. The version stays what it was. */
export const eventBeside = (engine: Engine, principal: Principal, record: Snapshot, change: BesideChange): JsonObject =>
  changeEvent({
    eventType: 'entityUpdated',
    record: { ...record, updatedAt: engine.clock() },
    previousVersion: record.version,
    entity: keptForm(engine, record),
    principal,
    change: { previousVersion: record.version, ...NOTHING, ...change },
  });
