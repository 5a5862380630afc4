import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { buildChangeEvent, unmarkedEventStep } from '../catalog/plan/change-event.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import { filterNearest } from '../catalog/read/snapshot.ts';
import { storageView } from '../catalog/read/stored-snapshot.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import type { WriteStep } from '../graph/group-commit.ts';
import { chunk } from '../model/chunk.ts';
import type { JsonObject } from '../model/json.ts';
import type { Endpoint } from './endpoints.ts';
import { type EventSubjectRow, readEventSubjects } from './queries.ts';

/** The event types for edges. */
export type LineageEventType = 'entityLineageAdded' | 'entityLineageUpdated' | 'entityLineageDeleted';

/** Reads the record data that a lineage event contains; concurrent lookups share one query. */
export type SubjectReader = (id: string) => Promise<EventSubjectRow | undefined>;

export const createSubjectReader = (graph: Graph): SubjectReader =>
  coalesce({
    name: readEventSubjects.name,
    observer: graph.observer,
    identity: (id: string) => id,
    maxBatch: 1000,
    load: async (ids: readonly string[]) => {
      const found: (EventSubjectRow | undefined)[] = new Array(ids.length).fill(undefined);
      for (const row of await graph.read(readEventSubjects, { rows: ids.map((id, at) => ({ id, at })) }))
        found[row.at] = row;
      return found;
    },
  });

const CHANGE_LIST_BY_TYPE: Readonly<Record<LineageEventType, string>> = {
  entityLineageAdded: 'fieldsAdded',
  entityLineageUpdated: 'fieldsUpdated',
  entityLineageDeleted: 'fieldsDeleted',
};

/** The lists of a change description that contain edge changes. */
export const EDGE_CHANGE_LISTS: readonly string[] = Object.values(CHANGE_LIST_BY_TYPE);

const FIELD = 'lineage';

/** One change of an edge, and when it happened. */
export type EdgeEvent = {
  readonly occurrence: LineageEventType;
  readonly to: Endpoint;
  readonly edge: JsonObject;
  readonly now: number;
};

/** The maximum number of edges in one event. */
const MAX_EDGES_PER_EVENT = 100;

const buildFieldChange = (occurrence: LineageEventType, { edge }: EdgeEvent): JsonObject => {
  const text = JSON.stringify(edge);
  return { name: FIELD, ...(occurrence === 'entityLineageDeleted' ? { oldValue: text } : { newValue: text }) };
};

const buildLineageEvent = (
  engine: Engine,
  principal: Principal,
  { node, kind }: Endpoint,
  subject: EventSubjectRow,
  occurrence: LineageEventType,
  events: readonly EdgeEvent[],
): WriteStep => {
  const view = storageView(engine, NO_FIELDS);
  const owners = filterNearest(subject.owners);
  const domains = filterNearest(subject.domains);
  return unmarkedEventStep(
    buildChangeEvent({
      eventType: occurrence,
      record: {
        kind,
        id: node.id,
        fullyQualifiedName: node.fullyQualifiedName,
        domains,
        version: subject.version,
        updatedAt: Math.max(...events.map(({ now }) => now)),
      },
      previousVersion: subject.version,
      entity: {
        ...renderRef(node, view),
        version: subject.version,
        owners: owners.map((owner) => renderRef(owner, view, owner.distance > 0)),
        domains: domains.map((domain) => renderRef(domain, view, domain.distance > 0)),
      },
      principal,
      change: {
        previousVersion: subject.version,
        fieldsAdded: [],
        fieldsUpdated: [],
        fieldsDeleted: [],
        [CHANGE_LIST_BY_TYPE[occurrence]]: events.map((one) => buildFieldChange(occurrence, one)),
      },
    }),
    events.map(({ to }) => to),
  );
};

/**
 * Plans the events for changed edges, filed under the record the edges come from. Changes of the same type share an
 * event up to the limit. Events contain the owners because subscription filters use them.
 */
export const planLineageEvents = (
  engine: Engine,
  principal: Principal,
  from: Endpoint,
  subject: EventSubjectRow,
  events: readonly EdgeEvent[],
): WriteStep[] => {
  const eventTypes = [...new Set(events.map(({ occurrence }) => occurrence))];
  return eventTypes.flatMap((occurrence) =>
    chunk(
      events.filter((one) => one.occurrence === occurrence),
      MAX_EDGES_PER_EVENT,
    ).map((some) => buildLineageEvent(engine, principal, from, subject, occurrence, some)),
  );
};
