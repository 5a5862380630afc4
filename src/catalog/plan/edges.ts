/** Plans the edges of a record: relations, labels, claims and name references. */
import { badRequest } from '../../errors.ts';
import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStatementRow, WriteStep } from '../../graph/group-commit.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { EdgeType } from '../../model/kind/edges.ts';
import { isWritableRelation } from '../../model/kind/settable.ts';
import { createNameReferences, deleteNameReferences } from '../cascade-queries.ts';
import type { LabelNode, RefNode } from '../queries.ts';
import * as query from '../queries.ts';
import { filterOwnNodes, type Snapshot } from '../read/snapshot.ts';
import { labelRequestKey, nameReferenceSlot } from '../resolve/references.ts';
import { createStep, notFoundFactory, STEP_ORDER } from './step.ts';
import { planRecount } from './supplies.ts';

const labelProperties = (label: LabelNode): Record<string, unknown> => ({
  source: label.source,
  labelType: label.labelType,
  state: label.state,
  reason: label.reason ?? null,
  appliedAt: label.appliedAt ?? null,
  appliedBy: label.appliedBy ?? null,
  metadataJson: label.metadataJson ?? null,
});

const isSameLabel = (a: LabelNode, b: LabelNode): boolean =>
  a.labelType === b.labelType && a.state === b.state && a.reason === b.reason && a.metadataJson === b.metadataJson;

/** The labels to remove and to add so that one list of labels becomes another. */
const diffLabels = (before: readonly LabelNode[], after: readonly LabelNode[]) => {
  const old = new Map(before.map((label) => [labelRequestKey(label), label]));
  const fresh = new Map(after.map((label) => [labelRequestKey(label), label]));
  const changed = (label: LabelNode) => {
    const known = old.get(labelRequestKey(label));
    return !known || !isSameLabel(known, label);
  };
  return {
    removed: before.filter((label) => {
      const kept = fresh.get(labelRequestKey(label));
      return !kept || !isSameLabel(label, kept);
    }),
    added: after.filter(changed),
  };
};

const labelSteps = (recordId: string, before: readonly LabelNode[], after: readonly LabelNode[]): WriteStep[] => {
  const { removed, added } = diffLabels(before, after);
  return [
    createStep(
      query.unlinkEdges.for('TAGGED'),
      STEP_ORDER.unlink,
      removed.map((label) => ({ from: recordId, to: label.tagId })),
    ),
    ...added.map((label) =>
      createStep(
        query.linkEdges,
        STEP_ORDER.label,
        [{ type: 'TAGGED', from: recordId, to: label.tagId, properties: labelProperties(label) }],
        notFoundFactory('tag', label.tagFQN),
      ),
    ),
  ];
};

export const columnLabelSteps = (
  key: string,
  before: readonly LabelNode[],
  after: readonly LabelNode[],
): WriteStep[] => {
  const { removed, added } = diffLabels(before, after);
  return [
    createStep(
      query.unlinkColumnTags,
      STEP_ORDER.unlink,
      removed.map((label) => ({ key, tagId: label.tagId })),
    ),
    ...added.map((label) =>
      createStep(
        query.linkColumnTags,
        STEP_ORDER.label,
        [{ key, tagId: label.tagId, properties: labelProperties(label) }],
        notFoundFactory('tag', label.tagFQN),
      ),
    ),
  ];
};

type EdgeEnds = { readonly from: string; readonly to: string };

const edgeEnds = (recordId: string, otherId: string, direction: 'out' | 'in'): EdgeEnds =>
  direction === 'out' ? { from: recordId, to: otherId } : { from: otherId, to: recordId };

type EdgeSide = { readonly edge: EdgeType; readonly direction: 'out' | 'in'; readonly symmetric?: boolean };

/** A symmetric edge may have been created in either direction, so both directions are removed. */
const edgesToUnlink = (recordId: string, otherId: string, side: EdgeSide): EdgeEnds[] => [
  edgeEnds(recordId, otherId, side.direction),
  ...(side.symmetric ? [edgeEnds(otherId, recordId, side.direction)] : []),
];

const relationSteps = (
  recordId: string,
  side: EdgeSide,
  before: readonly RefNode[],
  after: readonly RefNode[],
  properties: Record<string, unknown> = {},
): WriteStep[] => {
  const old = new Set(before.map((node) => node.id));
  const fresh = new Set(after.map((node) => node.id));
  const removed = before.filter((node) => !fresh.has(node.id));
  const added = after.filter((node) => !old.has(node.id));
  return [
    createStep(
      query.unlinkEdges.for(side.edge),
      STEP_ORDER.unlink,
      removed.flatMap((node) => edgesToUnlink(recordId, node.id, side) as readonly WriteStatementRow[]),
    ),
    ...added.map((node) =>
      createStep(
        query.linkEdges,
        STEP_ORDER.link,
        [{ type: side.edge, ...edgeEnds(recordId, node.id, side.direction), properties }],
        notFoundFactory(node.entityType, node.fullyQualifiedName),
      ),
    ),
  ];
};

const exclusiveRelations = memoisePerKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    isWritableRelation(attribute) && attribute.exclusive
      ? [{ name, edge: attribute.edge, exclusive: attribute.exclusive }]
      : [],
  ),
);

/** The records that a write claims exclusively, with the relation that leads to each. */
const findClaims = (before: Snapshot | undefined, after: Snapshot) =>
  exclusiveRelations(after.kind).flatMap(({ name, edge, exclusive }) => {
    const known = new Set((before?.related[name] ?? []).map(({ id }) => id));
    const added = (after.related[name] ?? []).filter(({ id }) => !known.has(id));
    return added.filter((node) => exclusive === true || exclusive(node)).map((node) => ({ name, edge, node }));
  });

/**
 * Checks under a lock whether the claimed records are still free. The lock keys keep competing rows out of one batch.
 */
const claimSteps = (before: Snapshot | undefined, after: Snapshot): WriteStep[] =>
  findClaims(before, after).map(({ name, edge, node }) =>
    createStep(query.claimTargets.for(edge), STEP_ORDER.claim, [{ from: after.id, to: node.id }], () =>
      badRequest(`[${name} ${node.fullyQualifiedName} already belongs to another ${after.kind.entityType}]`),
    ),
  );

/** Writes the values that are forwarded to other records. Their versions do not change. */
export const forwardedValueSteps = ({ forwardedValues = [] }: Snapshot): WriteStep[] =>
  forwardedValues.map(({ to, member, value }) =>
    createStep(
      query.bumpRevisions,
      STEP_ORDER.lock,
      [{ id: to.id, changes: { [member]: encodeProperty(value) } }],
      notFoundFactory(to.entityType, to.fullyQualifiedName),
    ),
  );

/** The other records that a write changes or claims: no two writes of one batch may share one. */
export const otherLockKeys = (before: Snapshot | undefined, after: Snapshot): string[] => [
  ...findClaims(before, after).map(({ node }) => node.id),
  ...(after.forwardedValues ?? []).map(({ to }) => to.id),
];

const OWNERS: EdgeSide = { edge: 'OWNS', direction: 'in' };
const DOMAINS: EdgeSide = { edge: 'IN_DOMAIN', direction: 'out' };
const DATA_PRODUCTS: EdgeSide = { edge: 'HAS_ASSET', direction: 'in' };

const DOMAIN_PARENTS: EdgeSide = { edge: 'PARENT_OF', direction: 'in' };

/** A record that is deleted with its domains also gets an edge from each domain as a parent. */
const domainParentSteps = (before: Snapshot | undefined, after: Snapshot): WriteStep[] =>
  after.kind.deletedWithDomains
    ? relationSteps(after.id, DOMAIN_PARENTS, filterOwnNodes(before?.domains ?? null), filterOwnNodes(after.domains))
    : [];

/** The key under which texts name a record: its kind and its current name. */
export const nameReferenceTarget = (entityType: string, fullyQualifiedName: string): string =>
  `${entityType} ${fullyQualifiedName}`;

/** Stores name references for the records that texts name, so that a rename finds the texts. */
const nameReferenceSteps = (
  before: Snapshot | undefined,
  { kind, id, values, newlyNamed = [] }: Snapshot,
): WriteStep[] => {
  if (!kind.nameBearingTexts) return [];
  const remaining = new Set(kind.nameBearingTexts.list(values).map(nameReferenceSlot));
  const former = new Set(before ? kind.nameBearingTexts.list(before.values).map(nameReferenceSlot) : []);
  return [
    createStep(
      deleteNameReferences,
      STEP_ORDER.unlink,
      [...former].filter((slot) => !remaining.has(slot)).map((slot) => ({ ownerId: id, slot })),
    ),
    ...newlyNamed.map(({ node, slot }) =>
      createStep(
        createNameReferences,
        STEP_ORDER.link,
        [
          {
            ownerId: id,
            id: node.id,
            fqn: node.fullyQualifiedName,
            properties: { slot, target: nameReferenceTarget(node.entityType, node.fullyQualifiedName) },
          },
        ],
        notFoundFactory(node.entityType, node.fullyQualifiedName),
      ),
    ),
  ];
};

/** Owners see masked values only where somebody else appointed them, so an edge keeps who did. */
const ownerSteps = (before: Snapshot | undefined, after: Snapshot): WriteStep[] => {
  const { appointedBy = after.updatedBy } = after;
  const [former, owners] = [filterOwnNodes(before?.owners ?? null), filterOwnNodes(after.owners)];
  return relationSteps(after.id, OWNERS, former, owners, { appointedBy });
};

const listChanged = (before: readonly RefNode[], after: readonly RefNode[]): readonly string[] => {
  const [old, fresh] = [before, after].map((nodes) => new Set(nodes.map(({ id }) => id)));
  return [...before, ...after].map(({ id }) => id).filter((id) => !(old?.has(id) && fresh?.has(id)));
};

/** Whether a write leaves the domains that a record has of its own as they are. */
export const hasSameOwnDomains = (before: Snapshot, after: Snapshot): boolean =>
  listChanged(filterOwnNodes(before.domains), filterOwnNodes(after.domains)).length === 0;

/** Edges of lineage count for the domains and data products of their ends. A new record has no edges yet. */
const recountSteps = (before: Snapshot | undefined, after: Snapshot): WriteStep[] => {
  const isMoved =
    before &&
    (!hasSameOwnDomains(before, after) || listChanged(before.dataProducts ?? [], after.dataProducts ?? []).length > 0);
  const assets = Object.entries(after.kind.attributes).flatMap(([name, attribute]) =>
    isWritableRelation(attribute) && attribute.edge === DATA_PRODUCTS.edge
      ? listChanged(before?.related[name] ?? [], after.related[name] ?? [])
      : [],
  );
  return planRecount([...(isMoved ? [after.id] : []), ...assets]);
};

export const allRelationSteps = (before: Snapshot | undefined, after: Snapshot): WriteStep[] => [
  ...forwardedValueSteps(after),
  ...claimSteps(before, after),
  ...domainParentSteps(before, after),
  ...ownerSteps(before, after),
  ...relationSteps(after.id, DOMAINS, filterOwnNodes(before?.domains ?? null), filterOwnNodes(after.domains)),
  ...relationSteps(after.id, DATA_PRODUCTS, before?.dataProducts ?? [], after.dataProducts ?? []),
  ...labelSteps(after.id, before?.tags ?? [], after.tags ?? []),
  ...Object.entries(after.kind.attributes).flatMap(([name, attribute]) =>
    isWritableRelation(attribute)
      ? relationSteps(after.id, attribute, before?.related[name] ?? [], after.related[name] ?? [])
      : [],
  ),
  ...nameReferenceSteps(before, after),
  ...recountSteps(before, after),
];
