import type { Json } from '../../model/json.ts';
import type { Attribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { DailyUsage } from '../../model/schemas/usage/usage-summary.ts';
import type { AncestorNode, InheritedNode, LabelNode, PropertyMap, RecordRow, RefNode } from '../queries.ts';
import { type ColumnTrees, readTrees } from './column-tree.ts';
import { type MentionedRecords, NO_MENTIONS } from './mentions.ts';

/** A value that a write forwards to a related record, which stores it. */
export type ForwardedValue = { readonly to: RefNode; readonly member: string; readonly value: Json };

export type InheritedMembers = { readonly tags?: readonly LabelNode[]; readonly followers?: readonly RefNode[] };

/** A record that a text names: the record that was found, and the name and kinds it was looked up by. */
export type NameReference = {
  readonly node: Pick<RefNode, 'id' | 'entityType' | 'fullyQualifiedName'>;
  readonly slot: string;
};

/**
 * A record as it was read: decoded values, columns as trees, and the requested relations. The catalog computes with
 * snapshots, and `render.ts` turns them into answers.
 */
export type Snapshot = Omit<RecordRow, 'at' | 'node' | 'tags' | 'columnTags'> & {
  readonly tags: readonly LabelNode[] | null;
  /** The revision that a stored record was read at. */
  readonly revision?: number;
  /** The revisions of all tags of the record and its columns, of deleted tags too, by id. */
  readonly tagRevisions?: ReadonlyMap<string, number>;
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
  readonly impersonatedBy: string | undefined;
  readonly deleted: boolean;
  readonly changeDescription: string | undefined;
  /** The characters of the parts that may be long: the columns and the last change. */
  readonly weight: number;
  /** Stored values by member name; secrets are still sealed. */
  readonly values: Readonly<Record<string, Json>>;
  readonly columns: ColumnTrees;
  /** The kind's own relations that were read, by member name. */
  readonly related: Readonly<Record<string, readonly RefNode[]>>;
  readonly counts: Readonly<Record<string, number>>;
  /** The records that nested values mention, as far as those values were requested. */
  readonly mentioned: MentionedRecords;
  /** The last day the record was used, and the daily counts if they were read. */
  readonly usedOn?: string | undefined;
  readonly usage?: readonly DailyUsage[];
  /** Only in a target state: the values that the write forwards to other records. */
  readonly forwardedValues?: readonly ForwardedValue[];
  /** Only in a target state: who appoints the owners that it adds. */
  readonly appointedBy?: string;
  /** Only in a target state: the records that its texts name and did not name before. */
  readonly newlyNamed?: readonly NameReference[];
  /** The labels and followers that the record inherits as long as it has none of its own. */
  readonly inheritedMembers?: InheritedMembers;
  /** Computed values that were read, by member name. */
  readonly computed: Readonly<Record<string, Json>>;
  /** The members with secrets that the reader may see unmasked; absent unless the caller's rights were checked. */
  readonly disclosed?: ReadonlySet<string>;
};

const parseJson = (text: unknown): Json | undefined =>
  typeof text === 'string' ? (JSON.parse(text) as Json) : undefined;

/** Reads the stored value of one attribute, whatever its storage form. */
const storedValue = (node: PropertyMap, name: string, attribute: Attribute): Json | undefined => {
  if (attribute.store === 'property') return node[name] as Json | undefined;
  if (attribute.store === 'json' || attribute.store === 'secret') return parseJson(node[`${name}Json`]);
  if (attribute.store === 'columns') return parseJson(node[shellProperty(name)]);
  return undefined;
};

/** The property for the other members of an object whose column tree is stored separately. */
export const shellProperty = (name: string): string => `${name}ShellJson`;

const isStored = (attribute: Attribute): boolean =>
  attribute.store === 'property' ||
  attribute.store === 'json' ||
  attribute.store === 'secret' ||
  (attribute.store === 'columns' && attribute.container !== undefined);

/** The members of a kind that are stored on its node, computed once per kind. */
export const storedMembers = memoisePerKind((kind) =>
  Object.entries(kind.members).filter(([, attribute]) => isStored(attribute)),
);

const decodeValues = (kind: Kind, node: PropertyMap): Record<string, Json> => {
  const values: Record<string, Json> = {};
  for (const [name, attribute] of storedMembers(kind)) {
    const value = storedValue(node, name, attribute);
    if (value !== undefined && value !== null) values[name] = value;
  }
  return values;
};

type ReadLabels = NonNullable<RecordRow['tags']>;

const NO_REVISIONS: ReadonlyMap<string, number> = new Map();

const readTagRevisions = ({ tags, columnTags }: RecordRow): ReadonlyMap<string, number> => {
  if (!tags?.length && !columnTags?.length) return NO_REVISIONS;
  return new Map([...(tags ?? []), ...(columnTags ?? [])].map(({ tagId, tagRevision }) => [tagId, tagRevision]));
};

const filterLiveLabels = (labels: ReadLabels | null): readonly LabelNode[] | null =>
  labels?.some(({ tagDeleted }) => tagDeleted) ? labels.filter(({ tagDeleted }) => !tagDeleted) : labels;

const labelsByColumn = (labels: readonly LabelNode[]): Map<string, LabelNode[]> => {
  const grouped = new Map<string, LabelNode[]>();
  for (const label of labels) {
    const key = label.columnKey ?? '';
    const list = grouped.get(key);
    if (list) list.push(label);
    else grouped.set(key, [label]);
  }
  return grouped;
};

const NO_TREES: ColumnTrees = {};

/** Decodes the column trees of one record; a section that was never written has no columns. */
const decodeColumns = (kind: Kind, { node, columnTags }: RecordRow): ColumnTrees => {
  if (kind.columnTrees.length === 0) return NO_TREES;
  const live = filterLiveLabels(columnTags);
  const labels = live ? labelsByColumn(live) : undefined;
  const owner = { id: node['id'] as string, fullyQualifiedName: node['fullyQualifiedName'] as string };
  const sections = kind.columnTrees.map(([name, { nameKey }]) => {
    const text = (node[`${name}Json`] as string | undefined) ?? '[]';
    return { name, fold: nameKey, text };
  });
  return readTrees(owner, sections, labels);
};

const lengthOf = (text: unknown): number => (typeof text === 'string' ? text.length : 0);

const weightOf = ({ columnTrees }: Kind, node: PropertyMap): number => {
  let sum = lengthOf(node['changeDescriptionJson']);
  for (const [name] of columnTrees) sum += lengthOf(node[`${name}Json`]);
  return sum;
};

/**
 * Orders ancestors by distance: names grow with every `CONTAINS` edge, so the longest name is the nearest ancestor's.
 */
const compareByNearness = (a: AncestorNode, b: AncestorNode): number =>
  b.fullyQualifiedName.length - a.fullyQualifiedName.length;

/** Decodes one row of `catalog/record/read` as a record of its kind. */
export const decodeRecord = (kind: Kind, row: RecordRow): Snapshot => {
  const { node } = row;
  return {
    kind,
    id: node['id'] as string,
    name: node['name'] as string,
    fullyQualifiedName: node['fullyQualifiedName'] as string,
    version: node['version'] as number,
    updatedAt: node['updatedAt'] as number,
    updatedBy: node['updatedBy'] as string,
    impersonatedBy: node['impersonatedBy'] as string | undefined,
    deleted: node['deleted'] === true,
    changeDescription: node['changeDescriptionJson'] as string | undefined,
    weight: weightOf(kind, node),
    values: decodeValues(kind, node),
    columns: decodeColumns(kind, row),
    ancestors: row.ancestors.length > 1 ? [...row.ancestors].sort(compareByNearness) : row.ancestors,
    owners: row.owners,
    domains: row.domains,
    dataProducts: row.dataProducts,
    followers: row.followers,
    voters: row.voters,
    tags: filterLiveLabels(row.tags),
    revision: node['revision'] as number,
    tagRevisions: readTagRevisions(row),
    related: {},
    counts: {},
    mentioned: NO_MENTIONS,
    usedOn: node['usedOn'] as string | undefined,
    computed: {},
  };
};

/** Converts a record to a reference node. */
export const toRefNode = (record: Snapshot): AncestorNode => ({
  id: record.id,
  entityType: record.kind.entityType,
  name: record.name,
  fullyQualifiedName: record.fullyQualifiedName,
  displayName: (record.values['displayName'] as string | undefined) ?? null,
  description: (record.values['description'] as string | undefined) ?? null,
  deleted: record.deleted,
  serviceType: (record.values['serviceType'] as string | undefined) ?? null,
});

/** Removes inherited values: comparison and storage use only the record's own values. */
export const withoutInherited = ({ inheritedMembers: _handed, ...record }: Snapshot): Snapshot => record;

/** Keeps the nodes that the record holds itself, without those it inherits from its ancestors. */
export const filterOwnNodes = (nodes: readonly InheritedNode[] | null): InheritedNode[] =>
  (nodes ?? []).filter((node) => node.distance === 0);

/** Keeps the nearest nodes: the record's own, or else those of its closest ancestor that has any. */
export const filterNearest = <T extends { readonly distance: number }>(nodes: readonly T[]): readonly T[] => {
  if (nodes.length === 0) return nodes;
  const distance = Math.min(...nodes.map((node) => node.distance));
  return nodes.filter((node) => node.distance === distance);
};
