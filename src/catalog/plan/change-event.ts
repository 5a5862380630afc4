import { randomUUID } from 'node:crypto';
import type { Principal } from '../../access/principal.ts';
import { formatEventRecordKey } from '../../events/event-visibility.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import * as query from '../queries.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { createStep, notFoundFactory, STEP_ORDER } from './step.ts';

/** The input of a change event (events.md 1). */
export type ChangeEventInput = {
  readonly eventType: string;
  readonly record: Pick<Snapshot, 'kind' | 'id' | 'fullyQualifiedName' | 'domains' | 'version' | 'updatedAt'>;
  readonly previousVersion: number | undefined;
  /** The record after the change, without hrefs and with secrets masked. */
  readonly entity: JsonObject;
  readonly principal: Principal;
  readonly change?: Json;
};

/** Builds a change event in the form in which it is returned and delivered. */
export const buildChangeEvent = (happening: ChangeEventInput): JsonObject => {
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

/** Other records that an event mentions. What it says about them reaches only subscribers who may see them. */
export type EventRelatedRecords = readonly Pick<Snapshot, 'kind' | 'id'>[];

const relatedRecordTexts = (ends: EventRelatedRecords): readonly string[] => [
  ...new Set(ends.map(({ kind, id }) => formatEventRecordKey({ entityType: kind.entityType, entityId: id }))),
];

/** The properties of an event's node: those it is looked up by, and the whole event as JSON text. */
export const eventProperties = (event: JsonObject, ends: EventRelatedRecords = []) => ({
  id: event['id'],
  eventType: event['eventType'],
  entityType: event['entityType'],
  entityId: event['entityId'],
  userName: event['userName'],
  timestamp: encodeProperty(event['timestamp']),
  json: JSON.stringify(event),
  // Set even when there are none, so that an event that is being removed is not mistaken for one that mentions no
  // records.
  ends: relatedRecordTexts(ends),
});

export const eventRow = (event: JsonObject, ends: EventRelatedRecords = []): WriteStatementRow => ({
  entityId: event['entityId'],
  event: eventProperties(event, ends),
});

const planEvent =
  (statement: typeof query.createEvents) =>
  (event: JsonObject, ends: EventRelatedRecords = []): WriteStep =>
    createStep(
      statement,
      STEP_ORDER.publish,
      [eventRow(event, ends)],
      notFoundFactory(event['entityType'] as string, event['entityId'] as string),
    );

export const eventStep = planEvent(query.createEvents);

/** An event about something that the record's search document does not contain. */
export const unmarkedEventStep = planEvent(query.createUnmarkedEvents);
