import type { GenericSchema } from 'valibot';
import type { ColumnsAttribute, StoredAttribute, WalkedAttribute } from '../../model/attribute.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { type Kind, perKind } from '../../model/kind.ts';
import {
  holdsLinks,
  type LinkVisitor,
  mapItem,
  mapLinks,
  memberSchema,
  type Tree,
  treeBelow,
  treeHoldsLinks,
} from '../../model/links.ts';
import type { LabelNode, TargetNode } from '../queries.ts';
import type { ColumnNode } from './column-tree.ts';

/**
 * References and labels inside nested values. They are kept as `{id, type}` (a label: the id of its tag and what the
 * label says itself), so that they follow the record they mean; names are looked up whenever they are shown.
 */

/** The records that nested values mention, by id. What is not among them is gone for good. */
export type Mentioned = ReadonlyMap<string, TargetNode>;

export const NO_MENTIONS: Mentioned = new Map();

const isLinked = (attribute: { readonly store: string }): attribute is StoredAttribute =>
  attribute.store === 'json' && holdsLinks((attribute as StoredAttribute).schema);

/** The members of a kind whose values may mention other records. */
export const linkedMembers = perKind((kind): readonly (readonly [string, StoredAttribute])[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) =>
    isLinked(attribute) ? [[name, attribute] as const] : [],
  ),
);

type LinkedTree = readonly [name: string, tree: Tree, gated: boolean];

const treeOf = ({ schema, inside, nest }: ColumnsAttribute): Tree => ({
  list: (inside && memberSchema(schema, inside.member)) ?? schema,
  nest,
});

/** The trees of a kind whose items may mention other records: tasks with owners, features with sources. */
export const linkedTrees = perKind((kind): readonly LinkedTree[] =>
  kind.trees.flatMap(([name, attribute]) => {
    const tree = treeOf(attribute);
    return treeHoldsLinks(tree) ? [[name, tree, attribute.gated] as const] : [];
  }),
);

type LinkedFind = readonly [name: string, attribute: WalkedAttribute & { readonly schema: GenericSchema }];

/** Members found beside a record whose values may mention other records. */
const linkedFinds = perKind((kind): readonly LinkedFind[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) => {
    if (attribute.store !== 'walked' || attribute.answers !== 'value' || !attribute.schema) return [];
    return holdsLinks(attribute.schema) ? [[name, { ...attribute, schema: attribute.schema }] as const] : [];
  }),
);

/** What is looked at of a record in search of mentions. */
type Held = {
  readonly kind: Kind;
  readonly values: Readonly<Record<string, Json>>;
  readonly columns: Readonly<Record<string, readonly ColumnNode[]>>;
  readonly beside: Readonly<Record<string, Json>>;
};

const mapNodes = (tree: Tree, nodes: readonly ColumnNode[], visitor: LinkVisitor): readonly ColumnNode[] => {
  const below = treeBelow(tree);
  return nodes.map((node) => ({
    ...node,
    values: mapItem(tree, node.values, visitor),
    children: below ? mapNodes(below, node.children, visitor) : node.children,
  }));
};

const collector = (found: (id: string) => void): LinkVisitor => ({
  reference: (ref) => {
    found(ref['id'] as string);
    return ref;
  },
  labels: (labels) => {
    for (const label of labels) found(label['id'] as string);
    return labels;
  },
});

const visitMentions = (record: Held, fields: ReadonlySet<string>, found: (id: string) => void): void => {
  const visitor = collector(found);
  for (const [name, { gated, schema }] of linkedMembers(record.kind)) {
    const value = record.values[name];
    if (value !== undefined && !(gated && !fields.has(name))) mapLinks(schema, value, visitor);
  }
  for (const [name, tree, gated] of linkedTrees(record.kind)) {
    if (!gated || fields.has(name)) mapNodes(tree, record.columns[name] ?? [], visitor);
  }
  for (const [name, { schema }] of linkedFinds(record.kind)) {
    const value = record.beside[name];
    if (value !== undefined) mapLinks(schema, value, visitor);
  }
};

/** The ids that the members to be shown mention, over several records. */
export const mentionsIn = (records: readonly Held[], fields: ReadonlySet<string>): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const record of records) visitMentions(record, fields, (id) => ids.add(id));
  return ids;
};

type Find = (id: string) => Promise<TargetNode | undefined>;

/** Looks up the records of some ids; each once, however often it is mentioned. */
export const readMentions = async (find: Find, ids: ReadonlySet<string>): Promise<Mentioned> => {
  if (ids.size === 0) return NO_MENTIONS;
  const nodes = await Promise.all([...ids].map(find));
  return new Map(nodes.flatMap((node) => (node ? [[node.id, node] as const] : [])));
};

/** A label as it is kept inside a nested value. */
export const keptLabel = (label: LabelNode): JsonObject => {
  const { labelType, state, source, reason, appliedAt, appliedBy, metadataJson } = label;
  const optional = { reason, appliedAt, appliedBy, metadataJson };
  const given = Object.entries(optional).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
  return { id: label.tagId, source, labelType, state, ...Object.fromEntries(given) };
};

/** The label that a kept one stands for; undefined when its tag is not there any more. */
export const labelOf = (kept: JsonObject, mentioned: Mentioned): LabelNode | undefined => {
  const { id, ...own } = kept;
  const tag = mentioned.get(id as string);
  if (!tag || tag.deleted) return undefined;
  return {
    ...(own as Pick<LabelNode, 'source' | 'labelType' | 'state'>),
    tagId: tag.id,
    tagFQN: tag.fullyQualifiedName,
    entityType: tag.entityType,
    name: tag.name,
    displayName: tag.displayName,
    description: tag.description,
    styleJson: tag.styleJson,
  };
};

/** How what is mentioned is written: a reference, and a list of labels. */
export type MentionStyle = {
  readonly reference: (node: TargetNode) => JsonObject;
  readonly labels: (labels: readonly LabelNode[]) => readonly JsonObject[];
};

const shower = (mentioned: Mentioned, style: MentionStyle): LinkVisitor => ({
  reference: (ref) => {
    const node = mentioned.get(ref['id'] as string);
    return node && style.reference(node);
  },
  labels: (labels) => style.labels(labels.flatMap((label) => labelOf(label, mentioned) ?? [])),
});

/** A nested value as it is shown: with every record it mentions as that is now, and without those that are gone. */
export const showMentions = (
  schema: GenericSchema,
  value: Json,
  mentioned: Mentioned,
  style: MentionStyle,
): Json | undefined => (holdsLinks(schema) ? mapLinks(schema, value, shower(mentioned, style)) : value);

/** The items of one of a record's trees as they are shown. */
export const showTreeMentions = (
  { kind, columns, mentioned }: Pick<Held, 'kind' | 'columns'> & { readonly mentioned: Mentioned },
  name: string,
  style: MentionStyle,
): readonly ColumnNode[] => {
  const nodes = columns[name] ?? [];
  const linked = linkedTrees(kind).find(([tree]) => tree === name);
  return linked ? mapNodes(linked[1], nodes, shower(mentioned, style)) : nodes;
};

/** Shows many values of one schema that are kept beside records; whatever they mention is looked up once. */
export const showAll = async (
  find: Find,
  schema: GenericSchema,
  values: readonly JsonObject[],
  style: MentionStyle,
): Promise<JsonObject[]> => {
  const ids = new Set<string>();
  const visitor = collector((id) => ids.add(id));
  for (const value of values) mapLinks(schema, value, visitor);
  const mentioned = await readMentions(find, ids);
  return values.flatMap((value) => {
    const shown = showMentions(schema, value, mentioned, style);
    return isObject(shown) ? [shown] : [];
  });
};
