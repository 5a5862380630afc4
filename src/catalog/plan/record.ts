/**
 * Write plans for records: this folder turns two states of a record into the steps of a write. Start here with
 * `planCreation` and `planUpdate`, then read `columns.ts` and `edges.ts` for the parts of a record, `lifecycle.ts` for
 * deletions, and `versioned-change.ts` and `change-event.ts` for versions and events. `step.ts` defines the order of
 * the steps within a transaction.
 */
import { CatalogError } from '../../errors.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteRequest, WriteStep } from '../../graph/group-commit.ts';
import { sortKeyOf } from '../../model/cursor.ts';
import { equalJson, type Json, type JsonObject } from '../../model/json.ts';
import type { Attribute } from '../../model/kind/attribute.ts';
import type { EdgeType } from '../../model/kind/edges.ts';
import { type Kind, naturalKeyOf } from '../../model/kind/kind.ts';
import { fqnPrefixes, parentFqn } from '../../model/name.ts';
import type { RefNode } from '../queries.ts';
import * as query from '../queries.ts';
import { filterOwnNodes, type Snapshot, shellProperty, storedMembers } from '../read/snapshot.ts';
import type { ParentEdge } from '../resolve/parent-location.ts';
import { accessRevisionSteps } from './access-revision.ts';
import { lastAdministratorSteps } from './administrators.ts';
import { eventProperties, eventStep } from './change-event.ts';
import {
  changedColumnTexts,
  clearUntaggedFlag,
  columnSteps,
  columnTexts,
  flattenColumns,
  nestedColumnSteps,
  newColumnRows,
  untaggedFlag,
} from './columns.ts';
import { documentRow } from './document.ts';
import { allRelationSteps, columnLabelSteps, forwardedValueSteps, hasSameOwnDomains, otherLockKeys } from './edges.ts';
import { formerStateRow } from './former-state.ts';
import { createStep, notFoundFactory, STEP_ORDER, staleStateError } from './step.ts';

const encodeStored = (name: string, attribute: Attribute, value: Json | undefined): readonly [string, unknown] => {
  if (attribute.store === 'property') return [name, encodeProperty(value)];
  return [
    attribute.store === 'columns' ? shellProperty(name) : `${name}Json`,
    value === undefined ? null : JSON.stringify(value),
  ];
};

const encodeValues = (kind: Kind, values: Readonly<Record<string, Json>>): Record<string, unknown> =>
  Object.fromEntries(
    storedMembers(kind)
      .filter(([name]) => values[name] !== undefined)
      .map(([name, attribute]) => encodeStored(name, attribute, values[name])),
  );

/** Edges of lineage count for a record with domains of its own, also when these are removed, and else for its parent. */
const domainFlag = ({ domains }: Snapshot) => ({ determinesDomains: filterOwnNodes(domains).length > 0 ? true : null });

const encodeChanged = (before: Snapshot, after: Snapshot): Record<string, unknown> => ({
  ...(hasSameOwnDomains(before, after) ? {} : domainFlag(after)),
  ...changedColumnTexts(before, after),
  ...clearUntaggedFlag(after),
  ...(after.kind.naturalKey ? lookupProperties(after) : {}),
  ...(before.name === after.name ? {} : nameProperties(after)),
  ...Object.fromEntries(
    storedMembers(before.kind)
      .filter(([name]) => !equalJson(before.values[name], after.values[name]))
      .map(([name, attribute]) => encodeStored(name, attribute, after.values[name])),
  ),
});

/**
 * The prefixes of a record's name that lists below an ancestor search for. Where a list can be restricted to roots, a
 * record directly below its first ancestor repeats that prefix, which no deeper record does.
 */
const scopeProperties = (kind: Kind, fqn: string): Record<string, unknown> => {
  const scopes = fqnPrefixes(fqn);
  const isRoot = kind.listsRoots && scopes.length === 1;
  const known = [...scopes, ...(isRoot ? scopes : [])].slice(0, kind.scopeDepth);
  return {
    ...Object.fromEntries(known.map((scope, index) => [`scope${index + 1}`, scope])),
    ...(kind.listsRoots ? { isRoot } : {}),
  };
};

/** The properties by which a record is looked up: not its content, but its place. */
export const lookupProperties = ({
  kind,
  fullyQualifiedName,
  values,
}: Pick<Snapshot, 'kind' | 'fullyQualifiedName' | 'values'>): Record<string, unknown> => {
  const key = naturalKeyOf(kind, parentFqn(fullyQualifiedName), values);
  return { ...scopeProperties(kind, fullyQualifiedName), ...(key === undefined ? {} : { twinKey: key }) };
};

/** The properties that follow from the name of a record. */
const nameProperties = (record: Snapshot): Record<string, unknown> => ({
  ...lookupProperties(record),
  name: record.name,
  fullyQualifiedName: record.fullyQualifiedName,
  sortKey: sortKeyOf(record.name, record.id),
});

const recordProperties = (record: Snapshot): Record<string, unknown> => ({
  ...encodeValues(record.kind, record.values),
  ...columnTexts(record),
  ...nameProperties(record),
  ...domainFlag(record),
  id: record.id,
  entityType: record.kind.entityType,
  version: record.version,
  revision: encodeProperty(1),
  updatedAt: encodeProperty(record.updatedAt),
  updatedBy: record.updatedBy,
  impersonatedBy: record.impersonatedBy ?? null,
  deleted: false,
});

/** Plans a new record and, if searches can find its kind, its search document. */
export const planCreation = (
  record: Snapshot,
  parentEdges: readonly ParentEdge[],
  event: JsonObject,
  document: JsonObject | undefined,
): WriteRequest => {
  const columns = flattenColumns(record.columns);
  return {
    keys: [record.id, `${record.kind.label} ${record.fullyQualifiedName}`, ...otherLockKeys(undefined, record)],
    steps: [
      createStep(query.createRecords, STEP_ORDER.lock, [
        {
          label: record.kind.label,
          properties: { ...recordProperties(record), ...untaggedFlag(record, columns) },
          columns: newColumnRows(record, columns),
          event: eventProperties(event),
        },
      ]),
      ...parentEdges.map(({ edge, parent }) =>
        createStep(
          query.linkParents,
          STEP_ORDER.linkParent,
          [{ type: edge, from: parent.id, to: record.id, parentName: parent.fullyQualifiedName }],
          notFoundFactory(parent.entityType, parent.fullyQualifiedName),
        ),
      ),
      ...nestedColumnSteps(columns),
      ...columns.flatMap(({ node }) => (node.labels?.length ? columnLabelSteps(node.key, [], node.labels) : [])),
      ...allRelationSteps(undefined, record),
      createStep(query.createDocuments, STEP_ORDER.publish, document ? [documentRow(record.kind, document)] : []),
      ...accessRevisionSteps(record.kind),
    ],
  };
};

export type RecordUpdate = {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly change: Json;
  /** The previous state, in the form that the history stores. */
  readonly formerJson: string;
  readonly event: JsonObject;
};

/** `lost` creates the error for a record that was changed since it was read. */
export const planUpdate = (
  { before, after, change, formerJson, event }: RecordUpdate,
  onConflict: () => unknown = staleStateError,
): WriteRequest => ({
  keys: [before.id, ...otherLockKeys(before, after)],
  steps: [
    createStep(
      query.updateRecords,
      STEP_ORDER.lock,
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
      onConflict,
    ),
    ...columnSteps(before, after),
    ...allRelationSteps(before, after),
    createStep(query.createVersions, STEP_ORDER.saveVersion, [formerStateRow(before, formerJson)]),
    eventStep(event),
    ...accessRevisionSteps(before.kind),
    ...lastAdministratorSteps(before, after),
  ],
});

/** Plans a change that creates no version: only the values, and the mark for the search index. */
export const planUnversionedUpdate = (before: Snapshot, after: Snapshot): WriteRequest => ({
  keys: [before.id, ...otherLockKeys(before, after)],
  steps: [
    createStep(
      query.updateRecords,
      STEP_ORDER.lock,
      [{ id: before.id, version: before.version, changes: encodeChanged(before, after) }],
      staleStateError,
    ),
    ...forwardedValueSteps(after),
    createStep(query.markRecordsChanged, STEP_ORDER.publish, [
      { entityId: before.id, entityType: before.kind.entityType },
    ]),
    ...accessRevisionSteps(before.kind),
    ...lastAdministratorSteps(before, after),
  ],
});

/** Plans a change of data next to a record: the version stays, the revision steps, and an event reports the change. */
export const planUnversionedWrite = (
  record: Snapshot,
  steps: readonly WriteStep[],
  event: JsonObject,
): WriteRequest => ({
  keys: [record.id],
  steps: [
    createStep(
      query.bumpRevisions,
      STEP_ORDER.lock,
      [{ id: record.id, changes: {} }],
      notFoundFactory(record.kind.entityType, record.id),
    ),
    ...steps,
    eventStep(event),
  ],
});

/** Plans a person's own edge to a record: following it, or voting on it. */
export const planPersonalEdge = (
  edge: EdgeType,
  from: RefNode,
  record: Snapshot,
  properties: Record<string, unknown> | undefined,
  event: JsonObject,
): WriteRequest => {
  const ends = { from: from.id, to: record.id };
  const change = properties
    ? createStep(
        query.upsertEdges.for(edge),
        STEP_ORDER.link,
        [{ ...ends, properties }],
        notFoundFactory(from.entityType, from.id),
      )
    : createStep(query.unlinkEdges.for(edge), STEP_ORDER.unlink, [ends]);
  return planUnversionedWrite(record, [change], event);
};

/** Reports that a name is taken. The hint says only what the request said. */
export const alreadyExistsError = (kind: Pick<Kind, 'entityType' | 'path'>, fqn?: string) =>
  new CatalogError('already_exists', 'Entity already exists', {
    hint: `${fqn === undefined ? `This ${kind.entityType}` : `${kind.entityType} ${fqn}`} is there already: PUT /v1/${kind.path} updates it`,
  });
