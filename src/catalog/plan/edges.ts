import { badRequest } from '../../errors.ts';
import type { Step, WriteRow } from '../../graph/commit.ts';
import { encodeProperty } from '../../graph/property.ts';
import { isWritableRelation } from '../../model/attribute.ts';
import type { EdgeType } from '../../model/edges.ts';
import { perKind } from '../../model/kind.ts';
import { labelKey, slotOf } from '../desire/resolve.ts';
import type { LabelNode, RefNode } from '../queries.ts';
import * as query from '../queries.ts';
import { ownNodes, type Snapshot } from '../read/snapshot.ts';
import { gone, ORDER, step } from './step.ts';

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

export const columnLabelSteps = (key: string, before: readonly LabelNode[], after: readonly LabelNode[]): Step[] => {
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

type Side = { readonly edge: EdgeType; readonly direction: 'out' | 'in'; readonly symmetric?: boolean };

/** Whichever way a symmetric edge was drawn, it goes. */
const partings = (recordId: string, otherId: string, side: Side): Ends[] => [
  ends(recordId, otherId, side.direction),
  ...(side.symmetric ? [ends(otherId, recordId, side.direction)] : []),
];

const relationSteps = (recordId: string, side: Side, before: readonly RefNode[], after: readonly RefNode[]): Step[] => {
  const old = new Set(before.map((node) => node.id));
  const fresh = new Set(after.map((node) => node.id));
  const removed = before.filter((node) => !fresh.has(node.id));
  const added = after.filter((node) => !old.has(node.id));
  return [
    step(
      query.unlinkEdges.for(side.edge),
      ORDER.unlink,
      removed.flatMap((node) => partings(recordId, node.id, side) as readonly WriteRow[]),
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

const exclusiveRelations = perKind((kind) =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    isWritableRelation(attribute) && attribute.exclusive
      ? [{ name, edge: attribute.edge, exclusive: attribute.exclusive }]
      : [],
  ),
);

/** The records that a write wants for itself alone, by the relation that leads to them. */
const claimed = (before: Snapshot | undefined, after: Snapshot) =>
  exclusiveRelations(after.kind).flatMap(({ name, edge, exclusive }) => {
    const known = new Set((before?.related[name] ?? []).map(({ id }) => id));
    const added = (after.related[name] ?? []).filter(({ id }) => !known.has(id));
    return added.filter((node) => exclusive === true || exclusive(node)).map((node) => ({ name, edge, node }));
  });

/** Looks, under a lock, whether what is claimed is still free; the rows of one batch are kept apart by its keys. */
const claimSteps = (before: Snapshot | undefined, after: Snapshot): Step[] =>
  claimed(before, after).map(({ name, edge, node }) =>
    step(query.claimTargets.for(edge), ORDER.claim, [{ from: after.id, to: node.id }], () =>
      badRequest(`[${name} ${node.fullyQualifiedName} belongs to another ${after.kind.entityType} already]`),
    ),
  );

/** Writes what is handed on to other records. It steps no version of theirs. */
export const conferralSteps = ({ conferrals = [] }: Snapshot): Step[] =>
  conferrals.map(({ to, member, value }) =>
    step(
      query.touchRecords,
      ORDER.lock,
      [{ id: to.id, changes: { [member]: encodeProperty(value) } }],
      gone(to.entityType, to.fullyQualifiedName),
    ),
  );

/** Other records that a write changes or claims: no two writes of one batch may share one. */
export const otherKeys = (before: Snapshot | undefined, after: Snapshot): string[] => [
  ...claimed(before, after).map(({ node }) => node.id),
  ...(after.conferrals ?? []).map(({ to }) => to.id),
];

const OWNERS: Side = { edge: 'OWNS', direction: 'in' };
const DOMAINS: Side = { edge: 'IN_DOMAIN', direction: 'out' };
const PRODUCTS: Side = { edge: 'HAS_ASSET', direction: 'in' };

const STANDING: Side = { edge: 'PARENT_OF', direction: 'in' };

/** A record that stands and falls with its domains hangs below them as well. */
const standingSteps = (before: Snapshot | undefined, after: Snapshot): Step[] =>
  after.kind.standsInDomains
    ? relationSteps(after.id, STANDING, ownNodes(before?.domains ?? null), ownNodes(after.domains))
    : [];

/** What a record is named by in texts: the kind and the name it has now. */
export const namingTarget = (entityType: string, fullyQualifiedName: string): string =>
  `${entityType} ${fullyQualifiedName}`;

/** Keeps note of the records that texts name, so that whoever renames one of them finds the texts. */
const namingSteps = (before: Snapshot | undefined, { kind, id, values, named = [] }: Snapshot): Step[] => {
  if (!kind.namingTexts) return [];
  const kept = new Set(kind.namingTexts.list(values).map(slotOf));
  const former = new Set(before ? kind.namingTexts.list(before.values).map(slotOf) : []);
  return [
    step(
      query.deleteNamings,
      ORDER.unlink,
      [...former].filter((slot) => !kept.has(slot)).map((slot) => ({ ownerId: id, slot })),
    ),
    ...named.map(({ node, slot }) =>
      step(
        query.createNamings,
        ORDER.link,
        [
          {
            ownerId: id,
            id: node.id,
            fqn: node.fullyQualifiedName,
            properties: { slot, target: namingTarget(node.entityType, node.fullyQualifiedName) },
          },
        ],
        gone(node.entityType, node.fullyQualifiedName),
      ),
    ),
  ];
};

export const allRelationSteps = (before: Snapshot | undefined, after: Snapshot): Step[] => [
  ...conferralSteps(after),
  ...claimSteps(before, after),
  ...standingSteps(before, after),
  ...relationSteps(after.id, OWNERS, ownNodes(before?.owners ?? null), ownNodes(after.owners)),
  ...relationSteps(after.id, DOMAINS, ownNodes(before?.domains ?? null), ownNodes(after.domains)),
  ...relationSteps(after.id, PRODUCTS, before?.dataProducts ?? [], after.dataProducts ?? []),
  ...labelSteps(after.id, before?.tags ?? [], after.tags ?? []),
  ...Object.entries(after.kind.attributes).flatMap(([name, attribute]) =>
    isWritableRelation(attribute)
      ? relationSteps(after.id, attribute, before?.related[name] ?? [], after.related[name] ?? [])
      : [],
  ),
  ...namingSteps(before, after),
];
