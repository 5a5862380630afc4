import { randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { endText } from '../../events/seen.ts';
import type { Step, WriteRow } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import * as query from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { gone, ORDER, step } from './step.ts';

/** What happened, as it is told to everybody who listens (events.md 1). */
export type Happening = {
  readonly eventType: string;
  readonly record: Pick<Snapshot, 'kind' | 'id' | 'fullyQualifiedName' | 'domains' | 'version' | 'updatedAt'>;
  readonly previousVersion: number | undefined;
  /** The record afterwards, without addresses and with secrets masked. */
  readonly entity: JsonObject;
  readonly principal: Principal;
  readonly change?: Json;
};

/** A change event as it will be answered and delivered. */
export const changeEvent = (happening: Happening): JsonObject => {
  const { record, principal } = happening;
  return {
    id: randomUUID(),
    eventType: happening.eventType,
    entityType: record.kind.entityType,
    entityId: record.id,
    entityFullyQualifiedName: record.fullyQualifiedName,
    domains: (record.domains ?? []).map((domain) => domain.id),
    ...(happening.previousVersion === undefined ? {} : { previousVersion: happening.previousVersion }),
    currentVersion: record.version,
    userName: principal.name,
    ...(principal.impersonatedBy ? { impersonatedBy: principal.impersonatedBy } : {}),
    timestamp: record.updatedAt,
    ...(happening.change === undefined
      ? {}
      : { changeDescription: happening.change, incrementalChangeDescription: happening.change }),
    entity: happening.entity,
  };
};

/** Other records that an event tells of; it is told, as far as it is about them, to whoever may see them. */
export type Ends = readonly Pick<Snapshot, 'kind' | 'id'>[];

const endTexts = (ends: Ends): readonly string[] => [
  ...new Set(ends.map(({ kind, id }) => endText({ entityType: kind.entityType, entityId: id }))),
];

/** An event as its node keeps it: what it is looked up by, and the whole as text. */
export const eventProperties = (event: JsonObject, ends: Ends = []) => ({
  id: event['id'],
  eventType: event['eventType'],
  entityType: event['entityType'],
  entityId: event['entityId'],
  userName: event['userName'],
  timestamp: encodeProperty(event['timestamp']),
  json: JSON.stringify(event),
  // Said even when there are none, so that an event that is being removed is not taken for one that tells of nobody.
  ends: endTexts(ends),
});

export const eventRow = (event: JsonObject, ends: Ends = []): WriteRow => ({
  entityId: event['entityId'],
  event: eventProperties(event, ends),
});

export const eventStep = (event: JsonObject, ends: Ends = []): Step =>
  step(
    query.createEvents,
    ORDER.tell,
    [eventRow(event, ends)],
    gone(event['entityType'] as string, event['entityId'] as string),
  );
