import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import { CatalogError, recordNotFound } from '../errors.ts';
import type { Step, Write, WriteRow } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { sortKeyOf } from '../model/cursor.ts';
import type { EdgeType } from '../model/edges.ts';
import { equalJson, type Json, type JsonObject } from '../model/json.ts';
import type { Attribute, Kind } from '../model/kind.ts';
import { scopesOf } from '../model/name.ts';
import { columnsByKey } from './desire.ts';
import type { InheritedNode, LabelNode, RefNode } from './queries.ts';
import * as query from './queries.ts';
import { labelKey } from './resolve.ts';
import { type ColumnNode, type Snapshot, storedMembers } from './snapshot.ts';

/** The order in which the statements of one transaction run. */
const ORDER = {
  lock: 10,
  removeColumns: 20,
  changeColumns: 25,
  addColumns: 30,
  nestColumns: 31,
  hangColumns: 32,
  unlink: 35,
  place: 38,
  link: 40,
  label: 42,
  keepVersion: 50,
  tell: 60,
} as const;

/** Somebody else changed the record between the read and the write. */
export class StaleState extends Error {}

const stale = () => new StaleState('the record changed since it was read');
const gone = (entityType: string, key: string) => () => recordNotFound(entityType, key);

const encodeStored = (name: string, attribute: Attribute, value: Json | undefined): readonly [string, unknown] => {
  if (attribute.store === 'property') return [name, encodeProperty(value)];
  return [`${name}Json`, value === undefined ? null : JSON.stringify(value)];
};

const encodeAll = (kind: Kind, values: Readonly<Record<string, Json>>): Record<string, unknown> =>
  Object.fromEntries(
    storedMembers(kind)
      .filter(([name]) => values[name] !== undefined)
      .map(([name, attribute]) => encodeStored(name, attribute, values[name])),
  );

const encodeChanged = (before: Snapshot, after: Snapshot): Record<string, unknown> =>
  Object.fromEntries(
    storedMembers(before.kind)
      .filter(([name]) => !equalJson(before.values[name], after.values[name]))
      .map(([name, attribute]) => encodeStored(name, attribute, after.values[name])),
  );

/** The prefixes of a record's name that lists below an ancestor look for. */
const scopeProperties = (kind: Kind, fqn: string): Record<string, string> =>
  Object.fromEntries(
    scopesOf(fqn)
      .slice(0, kind.scopeDepth)
      .map((scope, index) => [`scope${index + 1}`, scope]),
  );

const recordProperties = (record: Snapshot): Record<string, unknown> => ({
  ...encodeAll(record.kind, record.values),
  ...scopeProperties(record.kind, record.fullyQualifiedName),
  id: record.id,
  entityType: record.kind.entityType,
  name: record.name,
  fullyQualifiedName: record.fullyQualifiedName,
  sortKey: sortKeyOf(record.name, record.id),
  version: record.version,
  revision: encodeProperty(1),
  updatedAt: encodeProperty(record.updatedAt),
  updatedBy: record.updatedBy,
  impersonatedBy: record.impersonatedBy ?? null,
  deleted: false,
});

type FlatColumn = { readonly node: ColumnNode; readonly section: string; readonly parentKey: string | undefined };

const flatten = (columns: Snapshot['columns']): FlatColumn[] => {
  const flat: FlatColumn[] = [];
  const visit = (nodes: readonly ColumnNode[], section: string, parentKey: string | undefined) => {
    for (const node of nodes) {
      flat.push({ node, section, parentKey });
      if (node.children.length > 0) visit(node.children, section, node.key);
    }
  };
  for (const [section, nodes] of Object.entries(columns)) visit(nodes, section, undefined);
  return flat;
};

const columnProperties = ({ node, section, parentKey }: FlatColumn): Record<string, unknown> => {
  const { extension, ...values } = node.values;
  const properties: Record<string, unknown> = { key: node.key, section };
  for (const [name, value] of Object.entries(values)) properties[name] = encodeProperty(value);
  if (parentKey !== undefined) properties['parentKey'] = parentKey;
  if (extension !== undefined) properties['extensionJson'] = JSON.stringify(extension);
  return properties;
};

const columnRow = (column: FlatColumn) => ({
  key: column.node.key,
  parentKey: column.parentKey ?? null,
  position: encodeProperty(column.node.position),
  properties: columnProperties(column),
});

const addColumns = (ownerId: string, columns: readonly FlatColumn[]): Step[] => {
  const outer = columns.filter((column) => column.parentKey === undefined).map(columnRow);
  const inner = columns.filter((column) => column.parentKey !== undefined).map(columnRow);
  return [
    step(query.createColumns, ORDER.addColumns, outer.length > 0 ? [{ ownerId, columns: outer }] : []),
    step(query.createNestedColumns, ORDER.nestColumns, inner.length > 0 ? [{ columns: inner }] : []),
    step(query.linkNestedColumns, ORDER.hangColumns, inner.length > 0 ? [{ columns: inner }] : []),
  ];
};

const step = (statement: Step['statement'], order: number, rows: readonly WriteRow[], missing?: () => unknown): Step =>
  missing ? { statement, order, rows, missing } : { statement, order, rows };

const labelProperties = (label: LabelNode): Record<string, unknown> => ({
  source: label.source,
  labelType: label.labelType,
  state: label.state,
  reason: label.reason ?? null,
  appliedAt: label.appliedAt ?? null,
  appliedBy: label.appliedBy ?? null,
  metadataJson: label.metadataJson ?? null,
});

const sameLabel = (a: LabelNode, b: LabelNode): boolean =>
  a.labelType === b.labelType && a.state === b.state && a.reason === b.reason && a.metadataJson === b.metadataJson;

/** What has to go and what has to come so that one list of labels becomes another. */
const labelDifference = (before: readonly LabelNode[], after: readonly LabelNode[]) => {
  const old = new Map(before.map((label) => [labelKey(label), label]));
  const fresh = new Map(after.map((label) => [labelKey(label), label]));
  const changed = (label: LabelNode) => {
    const known = old.get(labelKey(label));
    return !known || !sameLabel(known, label);
  };
  return {
    removed: before.filter((label) => {
      const kept = fresh.get(labelKey(label));
      return !kept || !sameLabel(label, kept);
    }),
    added: after.filter(changed),
  };
};

const labelSteps = (recordId: string, before: readonly LabelNode[], after: readonly LabelNode[]): Step[] => {
  const { removed, added } = labelDifference(before, after);
  return [
    step(
      query.unlinkEdges.for('TAGGED'),
      ORDER.unlink,
      removed.map((label) => ({ from: recordId, to: label.tagId })),
    ),
    ...added.map((label) =>
      step(
        query.linkEdges.for('TAGGED'),
        ORDER.label,
        [{ from: recordId, to: label.tagId, properties: labelProperties(label) }],
        gone('tag', label.tagFQN),
      ),
    ),
  ];
};

const columnLabelSteps = (key: string, before: readonly LabelNode[], after: readonly LabelNode[]): Step[] => {
  const { removed, added } = labelDifference(before, after);
  return [
    step(
      query.unlinkColumnTags,
      ORDER.unlink,
      removed.map((label) => ({ key, tagId: label.tagId })),
    ),
    ...added.map((label) =>
      step(
        query.linkColumnTags,
        ORDER.label,
        [{ key, tagId: label.tagId, properties: labelProperties(label) }],
        gone('tag', label.tagFQN),
      ),
    ),
  ];
};

type Ends = { readonly from: string; readonly to: string };

const ends = (recordId: string, otherId: string, direction: 'out' | 'in'): Ends =>
  direction === 'out' ? { from: recordId, to: otherId } : { from: otherId, to: recordId };

type Side = { readonly edge: EdgeType; readonly direction: 'out' | 'in' };

const relationSteps = (recordId: string, side: Side, before: readonly RefNode[], after: readonly RefNode[]): Step[] => {
  const old = new Set(before.map((node) => node.id));
  const fresh = new Set(after.map((node) => node.id));
  const removed = before.filter((node) => !fresh.has(node.id));
  const added = after.filter((node) => !old.has(node.id));
  return [
    step(
      query.unlinkEdges.for(side.edge),
      ORDER.unlink,
      removed.map((node) => ends(recordId, node.id, side.direction) as WriteRow),
    ),
    ...added.map((node) =>
      step(
        query.linkEdges.for(side.edge),
        ORDER.link,
        [{ ...ends(recordId, node.id, side.direction), properties: {} }],
        gone(node.entityType, node.fullyQualifiedName),
      ),
    ),
  ];
};

const own = (nodes: readonly InheritedNode[] | null): readonly RefNode[] =>
  (nodes ?? []).filter((node) => node.distance === 0);

const OWNERS: Side = { edge: 'OWNS', direction: 'in' };
const DOMAINS: Side = { edge: 'IN_DOMAIN', direction: 'out' };
const PRODUCTS: Side = { edge: 'HAS_ASSET', direction: 'in' };

const isWritable = (attribute: Attribute): attribute is Attribute & { store: 'relation' } =>
  attribute.store === 'relation' && (attribute.request !== undefined || attribute.patchable);

const allRelationSteps = (before: Snapshot | undefined, after: Snapshot): Step[] => [
  ...relationSteps(after.id, OWNERS, own(before?.owners ?? null), own(after.owners)),
  ...relationSteps(after.id, DOMAINS, own(before?.domains ?? null), own(after.domains)),
  ...relationSteps(after.id, PRODUCTS, before?.dataProducts ?? [], after.dataProducts ?? []),
  ...labelSteps(after.id, before?.tags ?? [], after.tags ?? []),
  ...Object.entries(after.kind.attributes).flatMap(([name, attribute]) =>
    isWritable(attribute)
      ? relationSteps(after.id, attribute, before?.related[name] ?? [], after.related[name] ?? [])
      : [],
  ),
];

const sameColumn = (before: FlatColumn, after: FlatColumn): boolean =>
  before.node.key === after.node.key &&
  before.node.position === after.node.position &&
  before.parentKey === after.parentKey &&
  equalJson(before.node.values, after.node.values);

const columnSteps = (before: Snapshot, after: Snapshot): Step[] => {
  const stored = new Map(flatten(before.columns).map((column) => [column.node.key, column]));
  const wished = flatten(after.columns);
  const continued = new Set(wished.map((column) => column.node.origin));
  const removed = [...stored.keys()].filter((key) => !continued.has(key));
  const added = wished.filter((column) => column.node.origin === undefined);
  const changed = wished.filter((column) => {
    const old = stored.get(column.node.origin ?? '');
    return old !== undefined && !sameColumn(old, column);
  });
  return [
    step(
      query.deleteColumns,
      ORDER.removeColumns,
      removed.length > 0 ? [{ columns: removed.map((key) => ({ key })) }] : [],
    ),
    step(
      query.updateColumns,
      ORDER.changeColumns,
      changed.length > 0
        ? [{ columns: changed.map((column) => ({ ...columnRow(column), key: column.node.origin })) }]
        : [],
    ),
    ...addColumns(after.id, added),
    ...wished.flatMap((column) =>
      columnLabelSteps(
        column.node.key,
        stored.get(column.node.origin ?? '')?.node.labels ?? [],
        column.node.labels ?? [],
      ),
    ),
  ];
};

/** What happened, as it is told to everybody who listens (events.md 1). */
export type Happening = {
  readonly eventType: string;
  readonly record: Snapshot;
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

const eventRow = (event: JsonObject): WriteRow => ({
  entityId: event['entityId'],
  event: {
    id: event['id'],
    eventType: event['eventType'],
    entityType: event['entityType'],
    entityId: event['entityId'],
    userName: event['userName'],
    timestamp: encodeProperty(event['timestamp']),
    json: JSON.stringify(event),
  },
});

export const eventStep = (event: JsonObject): Step =>
  step(
    query.createEvents,
    ORDER.tell,
    [eventRow(event)],
    gone(event['entityType'] as string, event['entityId'] as string),
  );

/** Below which records a new one hangs. */
export type Placement = { readonly edge: 'CONTAINS' | 'PARENT_OF'; readonly parent: RefNode };

export const planCreate = (record: Snapshot, placements: readonly Placement[], event: JsonObject): Write => ({
  keys: [record.id, `${record.kind.label} ${record.fullyQualifiedName}`],
  steps: [
    step(query.createRecords.for(record.kind.label), ORDER.lock, [{ properties: recordProperties(record) }]),
    ...placements.map(({ edge, parent }) =>
      step(
        query.placeRecords.for(edge),
        ORDER.place,
        [{ from: parent.id, to: record.id }],
        gone(parent.entityType, parent.fullyQualifiedName),
      ),
    ),
    ...addColumns(record.id, flatten(record.columns)),
    ...[...columnsByKey(Object.values(record.columns).flat()).values()].flatMap((column) =>
      columnLabelSteps(column.key, [], column.labels ?? []),
    ),
    ...allRelationSteps(undefined, record),
    eventStep(event),
  ],
});

export type Update = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly change: Json;
  /** The state left behind, as history keeps it. */
  readonly formerJson: string;
  readonly event: JsonObject;
};

export const planUpdate = ({ before, after, change, formerJson, event }: Update): Write => ({
  keys: [before.id],
  steps: [
    step(
      query.updateRecords,
      ORDER.lock,
      [
        {
          id: before.id,
          version: before.version,
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
      stale,
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
  ],
});

/** A change that no version tells of: only the values, and the mark for the search index. */
export const planQuietUpdate = (before: Snapshot, after: Snapshot): Write => ({
  keys: [before.id],
  steps: [
    step(
      query.updateRecords,
      ORDER.lock,
      [{ id: before.id, version: before.version, changes: encodeChanged(before, after) }],
      stale,
    ),
    step(query.markChanged, ORDER.tell, [{ entityId: before.id }]),
  ],
});

/** A person's own edge to a record: following it, or voting on it. */
export const planEdge = (
  edge: EdgeType,
  from: RefNode,
  record: Snapshot,
  properties: Record<string, unknown> | undefined,
  event: JsonObject,
): Write => ({
  keys: [record.id],
  steps: [
    step(query.touchRecords, ORDER.lock, [{ id: record.id, changes: {} }], gone(record.kind.entityType, record.id)),
    properties
      ? step(
          query.mergeEdges.for(edge),
          ORDER.link,
          [{ from: from.id, to: record.id, properties }],
          gone(from.entityType, from.id),
        )
      : step(query.unlinkEdges.for(edge), ORDER.unlink, [{ from: from.id, to: record.id }]),
    eventStep(event),
  ],
});

export const alreadyExists = () => new CatalogError('already_exists', 'Entity already exists');

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
  const row = lifeChange(before, after.version, { deleted: after.deleted, deletedWith: after.deleted ? root : null });
  const who = {
    updatedAt: encodeProperty(after.updatedAt),
    updatedBy: after.updatedBy,
    impersonatedBy: after.impersonatedBy ?? null,
    changeDescriptionJson: after.changeDescription ?? null,
  };
  return [
    step(query.updateRecords, ORDER.lock, [{ ...row, changes: { ...row.changes, ...who } }], stale),
    step(flip.for(before.kind.label), ORDER.changeColumns, [{ id: before.id }]),
    step(query.createVersions, ORDER.keepVersion, [
      {
        entityId: before.id,
        state: { version: before.version, at: encodeProperty(before.updatedAt), json: formerJson },
      },
    ]),
    eventStep(event),
  ];
};

/** Removes one record of a cascade for good. */
export const planDelete = (record: Snapshot, event: JsonObject): Step[] => [
  step(query.deleteRecords, ORDER.lock, [{ id: record.id }], gone(record.kind.entityType, record.id)),
  step(query.createFarewells, ORDER.tell, [eventRow(event)]),
];
