import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { changeEvent, eventStep } from '../catalog/plan/change-event.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { plainView } from '../catalog/read/kept.ts';
import { renderRef } from '../catalog/read/render.ts';
import { nearest } from '../catalog/read/snapshot.ts';
import type { Graph } from '../graph/client.ts';
import { coalesce } from '../graph/coalesce.ts';
import type { Step } from '../graph/commit.ts';
import type { JsonObject } from '../model/json.ts';
import { piecesOf } from '../model/pieces.ts';
import type { Site } from './ends.ts';
import { readSubjects, type SubjectRow } from './queries.ts';

/** What happens to an edge, in the words of events. */
export type Occurrence = 'entityLineageAdded' | 'entityLineageUpdated' | 'entityLineageDeleted';

/** Reads what is told of a record when its lineage changes; look-ups that coincide share a query. */
export type SubjectReader = (id: string) => Promise<SubjectRow | undefined>;

export const createSubjectReader = (graph: Graph): SubjectReader =>
  coalesce({
    name: readSubjects.name,
    observer: graph.observer,
    identity: (id: string) => id,
    maxBatch: 1000,
    load: async (ids: readonly string[]) => {
      const found: (SubjectRow | undefined)[] = new Array(ids.length).fill(undefined);
      for (const row of await graph.read(readSubjects, { rows: ids.map((id, at) => ({ id, at })) }))
        found[row.at] = row;
      return found;
    },
  });

const LISTS: Readonly<Record<Occurrence, string>> = {
  entityLineageAdded: 'fieldsAdded',
  entityLineageUpdated: 'fieldsUpdated',
  entityLineageDeleted: 'fieldsDeleted',
};

/** Where events say what happened to edges. */
export const CHANGE_LISTS: readonly string[] = Object.values(LISTS);

const FIELD = 'lineage';

/** What happened to an edge to a record, and when. */
export type Told = {
  readonly occurrence: Occurrence;
  readonly to: Site;
  readonly edge: JsonObject;
  readonly now: number;
};

/** So many edges are told of in one event at most. */
const EDGES_TOLD = 100;

const changeOf = (occurrence: Occurrence, { edge }: Told): JsonObject => {
  const text = JSON.stringify(edge);
  return { name: FIELD, ...(occurrence === 'entityLineageDeleted' ? { oldValue: text } : { newValue: text }) };
};

const eventOf = (
  engine: Engine,
  principal: Principal,
  { node, kind }: Site,
  subject: SubjectRow,
  occurrence: Occurrence,
  told: readonly Told[],
): Step => {
  const view = plainView(engine, NO_FIELDS);
  const owners = nearest(subject.owners);
  const domains = nearest(subject.domains);
  return eventStep(
    changeEvent({
      eventType: occurrence,
      record: {
        kind,
        id: node.id,
        fullyQualifiedName: node.fullyQualifiedName,
        domains,
        version: subject.version,
        updatedAt: Math.max(...told.map(({ now }) => now)),
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
        [LISTS[occurrence]]: told.map((one) => changeOf(occurrence, one)),
      },
    }),
    told.map(({ to }) => to),
  );
};

/**
 * The events that tell of edges, at the record they come from: one for all to which the same happened, as far as one
 * event holds them. They say who owns the record, because filters ask.
 */
export const tellingSteps = (
  engine: Engine,
  principal: Principal,
  from: Site,
  subject: SubjectRow,
  told: readonly Told[],
): Step[] => {
  const occurrences = [...new Set(told.map(({ occurrence }) => occurrence))];
  return occurrences.flatMap((occurrence) =>
    piecesOf(
      told.filter((one) => one.occurrence === occurrence),
      EDGES_TOLD,
    ).map((some) => eventOf(engine, principal, from, subject, occurrence, some)),
  );
};
