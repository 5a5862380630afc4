import type { StoredAttribute } from '../model/attribute.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { type Kind, perKind } from '../model/kind.ts';
import { holdsLinks, type LinkVisitor, mapLinks } from '../model/links.ts';
import type { LabelNode, TargetNode } from './queries.ts';

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

/** What is looked at of a record in search of mentions. */
type Held = { readonly kind: Kind; readonly values: Readonly<Record<string, Json>> };

const visitMentions = (record: Held, fields: ReadonlySet<string>, found: (id: string) => void): void => {
  const visitor: LinkVisitor = {
    reference: (ref) => {
      found(ref['id'] as string);
      return ref;
    },
    labels: (labels) => {
      for (const label of labels) found(label['id'] as string);
      return labels;
    },
  };
  for (const [name, { gated, schema }] of linkedMembers(record.kind)) {
    const value = record.values[name];
    if (value !== undefined && !(gated && !fields.has(name))) mapLinks(schema, value, visitor);
  }
};

/** The ids that the members to be shown mention, over several records. */
export const mentionsIn = (records: readonly Held[], fields: ReadonlySet<string>): ReadonlySet<string> => {
  const ids = new Set<string>();
  for (const record of records) visitMentions(record, fields, (id) => ids.add(id));
  return ids;
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

/** A nested value as it is shown: with every record it mentions as that is now, and without those that are gone. */
export const showMentions = (
  { schema }: StoredAttribute,
  value: Json,
  mentioned: Mentioned,
  style: MentionStyle,
): Json | undefined => {
  if (!holdsLinks(schema)) return value;
  return mapLinks(schema, value, {
    reference: (ref) => {
      const node = mentioned.get(ref['id'] as string);
      return node && style.reference(node);
    },
    labels: (labels) => style.labels(labels.flatMap((label) => labelOf(label, mentioned) ?? [])),
  });
};
