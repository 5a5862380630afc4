import { CatalogError } from '../../errors.ts';
import type { Step, Write } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import type { Attribute } from '../../model/attribute.ts';
import { sortKeyOf } from '../../model/cursor.ts';
import type { EdgeType } from '../../model/edges.ts';
import { equalJson, type Json, type JsonObject } from '../../model/json.ts';
import { type Kind, twinKey } from '../../model/kind.ts';
import { parentFqn, scopesOf } from '../../model/name.ts';
import type { Placement } from '../desire/home.ts';
import type { RefNode } from '../queries.ts';
import * as query from '../queries.ts';
import { type Snapshot, shellProperty, storedMembers } from '../read/snapshot.ts';
import { keepAdministratorSteps } from './administrators.ts';
import { eventProperties, eventStep } from './change-event.ts';
import {
  addNestedColumns,
  changedColumnTexts,
  columnSteps,
  columnTexts,
  flatten,
  neverTagged,
  newColumns,
  onceTagged,
} from './columns.ts';
import { documentRow } from './document.ts';
import { allRelationSteps, columnLabelSteps, conferralSteps, otherKeys } from './edges.ts';
import { governSteps } from './govern.ts';
import { gone, ORDER, stale, step } from './step.ts';

const encodeStored = (name: string, attribute: Attribute, value: Json | undefined): readonly [string, unknown] => {
  if (attribute.store === 'property') return [name, encodeProperty(value)];
  return [
    attribute.store === 'columns' ? shellProperty(name) : `${name}Json`,
    value === undefined ? null : JSON.stringify(value),
  ];
};

const encodeAll = (kind: Kind, values: Readonly<Record<string, Json>>): Record<string, unknown> =>
  Object.fromEntries(
    storedMembers(kind)
      .filter(([name]) => values[name] !== undefined)
      .map(([name, attribute]) => encodeStored(name, attribute, values[name])),
  );

const encodeChanged = (before: Snapshot, after: Snapshot): Record<string, unknown> => ({
  ...changedColumnTexts(before, after),
  ...onceTagged(after),
  ...(after.kind.twin ? placeProperties(after) : {}),
  ...(before.name === after.name ? {} : nameProperties(after)),
  ...Object.fromEntries(
    storedMembers(before.kind)
      .filter(([name]) => !equalJson(before.values[name], after.values[name]))
      .map(([name, attribute]) => encodeStored(name, attribute, after.values[name])),
  ),
});

/**
 * The prefixes of a record's name that lists below an ancestor look for. Where roots can be listed, one right below its
 * first ancestor has that ancestor twice, which none further down has.
 */
const scopeProperties = (kind: Kind, fqn: string): Record<string, unknown> => {
  const scopes = scopesOf(fqn);
  const isRoot = kind.listsRoots && scopes.length === 1;
  const known = [...scopes, ...(isRoot ? scopes : [])].slice(0, kind.scopeDepth);
  return {
    ...Object.fromEntries(known.map((scope, index) => [`scope${index + 1}`, scope])),
    ...(kind.listsRoots ? { isRoot } : {}),
  };
};

/** What is kept of a record so that it is found: not what it says, but where it belongs. */
export const placeProperties = ({
  kind,
  fullyQualifiedName,
  values,
}: Pick<Snapshot, 'kind' | 'fullyQualifiedName' | 'values'>): Record<string, unknown> => {
  const key = twinKey(kind, parentFqn(fullyQualifiedName), values);
  return { ...scopeProperties(kind, fullyQualifiedName), ...(key === undefined ? {} : { twinKey: key }) };
};

/** What follows from the name of a record. */
const nameProperties = (record: Snapshot): Record<string, unknown> => ({
  ...placeProperties(record),
  name: record.name,
  fullyQualifiedName: record.fullyQualifiedName,
  sortKey: sortKeyOf(record.name, record.id),
});

const recordProperties = (record: Snapshot): Record<string, unknown> => ({
  ...encodeAll(record.kind, record.values),
  ...columnTexts(record),
  ...nameProperties(record),
  id: record.id,
  entityType: record.kind.entityType,
  version: record.version,
  revision: encodeProperty(1),
  updatedAt: encodeProperty(record.updatedAt),
  updatedBy: record.updatedBy,
  impersonatedBy: record.impersonatedBy ?? null,
  deleted: false,
});

/** A new record, and, if its kind can be found by searches, the document by which it is. */
export const planCreate = (
  record: Snapshot,
  placements: readonly Placement[],
  event: JsonObject,
  document: JsonObject | undefined,
): Write => {
  const columns = flatten(record.columns);
  return {
    keys: [record.id, `${record.kind.label} ${record.fullyQualifiedName}`, ...otherKeys(undefined, record)],
    steps: [
      step(query.createRecords.for(record.kind.label), ORDER.lock, [
        {
          properties: { ...recordProperties(record), ...neverTagged(record, columns) },
          columns: newColumns(record, columns),
          event: eventProperties(event),
        },
      ]),
      ...placements.map(({ edge, parent }) =>
        step(
          query.placeRecords.for(edge),
          ORDER.place,
          [{ from: parent.id, to: record.id, parentName: parent.fullyQualifiedName }],
          gone(parent.entityType, parent.fullyQualifiedName),
        ),
      ),
      ...addNestedColumns(columns),
      ...columns.flatMap(({ node }) => (node.labels?.length ? columnLabelSteps(node.key, [], node.labels) : [])),
      ...allRelationSteps(undefined, record),
      step(query.createDocuments, ORDER.tell, document ? [documentRow(record.kind, document)] : []),
      ...governSteps(record.kind),
    ],
  };
};

export type Update = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly change: Json;
  /** The state left behind, as history keeps it. */
  readonly formerJson: string;
  readonly event: JsonObject;
};

/** `lost` is told when somebody else changed the record since it was read. */
export const planUpdate = (
  { before, after, change, formerJson, event }: Update,
  lost: () => unknown = stale,
): Write => ({
  keys: [before.id, ...otherKeys(before, after)],
  steps: [
    step(
      query.updateRecords,
      ORDER.lock,
      [
        {
          id: before.id,
          version: before.version,
          formerName: before.name === after.name ? null : before.fullyQualifiedName,
          changes: {
            ...encodeChanged(before, after),
            version: after.version,
            updatedAt: encodeProperty(after.updatedAt),
            updatedBy: after.updatedBy,
            impersonatedBy: after.impersonatedBy ?? null,
            changeDescriptionJson: JSON.stringify(change),
          },
        },
      ],
      lost,
    ),
    ...columnSteps(before, after),
    ...allRelationSteps(before, after),
    step(query.createVersions, ORDER.keepVersion, [
      {
        entityId: before.id,
        state: { version: before.version, at: encodeProperty(before.updatedAt), json: formerJson },
      },
    ]),
    eventStep(event),
    ...governSteps(before.kind),
    ...keepAdministratorSteps(before, after),
  ],
});

/** A change that no version tells of: only the values, and the mark for the search index. */
export const planQuietUpdate = (before: Snapshot, after: Snapshot): Write => ({
  keys: [before.id, ...otherKeys(before, after)],
  steps: [
    step(
      query.updateRecords,
      ORDER.lock,
      [{ id: before.id, version: before.version, changes: encodeChanged(before, after) }],
      stale,
    ),
    ...conferralSteps(after),
    step(query.markChanged, ORDER.tell, [{ entityId: before.id, entityType: before.kind.entityType }]),
    ...governSteps(before.kind),
    ...keepAdministratorSteps(before, after),
  ],
});

/** Something that hangs beside a record changes: its version stays, its revision steps, and an event tells of it. */
export const planWithin = (record: Snapshot, steps: readonly Step[], event: JsonObject): Write => ({
  keys: [record.id],
  steps: [
    step(query.touchRecords, ORDER.lock, [{ id: record.id, changes: {} }], gone(record.kind.entityType, record.id)),
    ...steps,
    eventStep(event),
  ],
});

/** A person's own edge to a record: following it, or voting on it. */
export const planEdge = (
  edge: EdgeType,
  from: RefNode,
  record: Snapshot,
  properties: Record<string, unknown> | undefined,
  event: JsonObject,
): Write => {
  const ends = { from: from.id, to: record.id };
  const change = properties
    ? step(query.mergeEdges.for(edge), ORDER.link, [{ ...ends, properties }], gone(from.entityType, from.id))
    : step(query.unlinkEdges.for(edge), ORDER.unlink, [ends]);
  return planWithin(record, [change], event);
};

export const alreadyExists = () => new CatalogError('already_exists', 'Entity already exists');
