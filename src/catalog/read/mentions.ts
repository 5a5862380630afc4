import type { GenericSchema } from 'valibot';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { ColumnsAttribute, ComputedAttribute, StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import {
  type ColumnTreeSchema,
  childTree,
  holdsLinks,
  type LinkVisitor,
  mapLinks,
  mapTreeItemLinks,
  schemaOfMember,
  treeHoldsLinks,
} from '../../model/kind/links.ts';
import type { LabelNode, TargetNode } from '../queries.ts';
import type { ColumnNode } from './column-tree.ts';

/**
 * Mentions are references and labels inside nested values. They are stored as `{id, type}` (a label: the id of its tag
 * and its own properties), so that they survive renames; names are looked up whenever the values are rendered.
 */

/** The records that nested values mention, by id. An id that is missing here belongs to a removed record. */
export type MentionedRecords = ReadonlyMap<string, TargetNode>;

export const NO_MENTIONS: MentionedRecords = new Map();

const hasLinks = (attribute: { readonly store: string }): attribute is StoredAttribute =>
  attribute.store === 'json' && holdsLinks((attribute as StoredAttribute).schema);

/** The members of a kind whose values may mention other records. */
export const linkedMembers = memoisePerKind((kind): readonly (readonly [string, StoredAttribute])[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) =>
    hasLinks(attribute) ? [[name, attribute] as const] : [],
  ),
);

type LinkedTree = readonly [name: string, tree: ColumnTreeSchema, gated: boolean];

const toTreeSchema = ({ schema, container, childrenMember }: ColumnsAttribute): ColumnTreeSchema => ({
  list: (container && schemaOfMember(schema, container.member)) ?? schema,
  childrenMember,
});

/** The trees of a kind whose items may mention other records: tasks with owners, features with sources. */
export const linkedTrees = memoisePerKind((kind): readonly LinkedTree[] =>
  kind.columnTrees.flatMap(([name, attribute]) => {
    const tree = toTreeSchema(attribute);
    return treeHoldsLinks(tree) ? [[name, tree, attribute.gated] as const] : [];
  }),
);

type LinkedComputed = readonly [name: string, attribute: ComputedAttribute & { readonly schema: GenericSchema }];

/** Computed members whose values may mention other records. */
const linkedComputed = memoisePerKind((kind): readonly LinkedComputed[] =>
  Object.entries(kind.members).flatMap(([name, attribute]) => {
    if (attribute.store !== 'walked' || attribute.answers !== 'value' || !attribute.schema) return [];
    return holdsLinks(attribute.schema) ? [[name, { ...attribute, schema: attribute.schema }] as const] : [];
  }),
);

/** The parts of a record that are searched for mentions. */
type MentionSource = {
  readonly kind: Kind;
  readonly values: Readonly<Record<string, Json>>;
  readonly columns: Readonly<Record<string, readonly ColumnNode[]>>;
  readonly computed: Readonly<Record<string, Json>>;
};

const mapNodes = (
  tree: ColumnTreeSchema,
  nodes: readonly ColumnNode[],
  visitor: LinkVisitor,
): readonly ColumnNode[] => {
  const below = childTree(tree);
  return nodes.map((node) => ({
    ...node,
    values: mapTreeItemLinks(tree, node.values, visitor),
    children: below ? mapNodes(below, node.children, visitor) : node.children,
  }));
};

const createMentionCollector = (found: (id: string) => void): LinkVisitor => ({
  reference: (ref) => {
    found(ref['id'] as string);
    return ref;
  },
  labels: (labels) => {
    for (const label of labels) found(label['id'] as string);
    return labels;
  },
});

const visitMentions = (record: MentionSource, fields: ReadonlySet<string>, found: (id: string) => void): void => {
  const visitor = createMentionCollector(found);
  for (const [name, { gated, schema }] of linkedMembers(record.kind)) {
    const value = record.values[name];
    if (value !== undefined && !(gated && !fields.has(name))) mapLinks(schema, value, visitor);
  }
  for (const [name, tree, gated] of linkedTrees(record.kind)) {
    if (!gated || fields.has(name)) mapNodes(tree, record.columns[name] ?? [], visitor);
  }
  for (const [name, { schema }] of linkedComputed(record.kind)) {
    const value = record.computed[name];
    if (value !== undefined) mapLinks(schema, value, visitor);
  }
};

/** Collects the ids that the rendered members of some records mention. */
export const collectMentions = (
  records: readonly MentionSource[],
  fields: ReadonlySet<string>,
): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const record of records) visitMentions(record, fields, (id) => ids.add(id));
  return ids;
};

type FindRecord = (id: string) => Promise<TargetNode | undefined>;

/** Looks up records by id; each id is looked up once. */
export const readMentions = async (find: FindRecord, ids: ReadonlySet<string>): Promise<MentionedRecords> => {
  if (ids.size === 0) return NO_MENTIONS;
  const nodes = await Promise.all([...ids].map(find));
  return new Map(nodes.flatMap((node) => (node ? [[node.id, node] as const] : [])));
};

/** Converts a label to the form that nested values store. */
export const toStoredLabel = (label: LabelNode): JsonObject => {
  const { labelType, state, source, reason, appliedAt, appliedBy, metadataJson } = label;
  const optional = { reason, appliedAt, appliedBy, metadataJson };
  const given = Object.entries(optional).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]]));
  return { id: label.tagId, source, labelType, state, ...Object.fromEntries(given) };
};

/** Reads a stored label; undefined when its tag no longer exists. */
export const readStoredLabel = (kept: JsonObject, mentioned: MentionedRecords): LabelNode | undefined => {
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

/** How to render mentions: a reference, and a list of labels. */
export type MentionStyle = {
  readonly reference: (node: TargetNode) => JsonObject;
  readonly labels: (labels: readonly LabelNode[]) => readonly JsonObject[];
};

const createMentionRenderer = (mentioned: MentionedRecords, style: MentionStyle): LinkVisitor => ({
  reference: (ref) => {
    const node = mentioned.get(ref['id'] as string);
    return node && style.reference(node);
  },
  labels: (labels) => style.labels(labels.flatMap((label) => readStoredLabel(label, mentioned) ?? [])),
});

/** Renders a nested value with the current data of every record it mentions, without mentions of removed records. */
export const renderMentions = (
  schema: GenericSchema,
  value: Json,
  mentioned: MentionedRecords,
  style: MentionStyle,
): Json | undefined => (holdsLinks(schema) ? mapLinks(schema, value, createMentionRenderer(mentioned, style)) : value);

/** Renders the items of one of a record's trees. */
export const renderTreeMentions = (
  { kind, columns, mentioned }: Pick<MentionSource, 'kind' | 'columns'> & { readonly mentioned: MentionedRecords },
  name: string,
  style: MentionStyle,
): readonly ColumnNode[] => {
  const nodes = columns[name] ?? [];
  const linked = linkedTrees(kind).find(([tree]) => tree === name);
  return linked ? mapNodes(linked[1], nodes, createMentionRenderer(mentioned, style)) : nodes;
};

/** Renders many values of one schema; every mentioned record is looked up once. */
export const renderAllMentions = async (
  find: FindRecord,
  schema: GenericSchema,
  values: readonly JsonObject[],
  style: MentionStyle,
): Promise<JsonObject[]> => {
  const ids = new Set<string>();
  const visitor = createMentionCollector((id) => ids.add(id));
  for (const value of values) mapLinks(schema, value, visitor);
  const mentioned = await readMentions(find, ids);
  return values.flatMap((value) => {
    const shown = renderMentions(schema, value, mentioned, style);
    return isObject(shown) ? [shown] : [];
  });
};
