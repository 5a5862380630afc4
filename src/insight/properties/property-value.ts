import type { LabelNode, RefNode } from '../../catalog/queries.ts';
import { renderLabels, renderRef, type View } from '../../catalog/read/render.ts';
import type { Json } from '../../model/json.ts';
import { compareByFqn } from '../../model/name.ts';

/** The properties that flow along lineage, and their values. */

const ASSET_LEVEL = ['owners', 'domains', 'tier'] as const;
const COLUMN_LEVEL = ['description', 'glossaryTerms'] as const;
export const FLOWING_PROPERTIES = [...ASSET_LEVEL, ...COLUMN_LEVEL] as const;

export type AssetProperty = (typeof ASSET_LEVEL)[number];
export type ColumnProperty = (typeof COLUMN_LEVEL)[number];
export type FlowingProperty = (typeof FLOWING_PROPERTIES)[number];

export const isAssetProperty = (property: FlowingProperty): property is AssetProperty =>
  ASSET_LEVEL.some((one) => one === property);

export type PropertyValue =
  | { readonly kind: 'records'; readonly nodes: readonly RefNode[] }
  | { readonly kind: 'label'; readonly label: LabelNode }
  | { readonly kind: 'text'; readonly text: string };

/** The set of some records in the order of their names, or undefined when there are none. */
export const recordsValue = (nodes: readonly RefNode[]): PropertyValue | undefined =>
  nodes.length === 0 ? undefined : { kind: 'records', nodes: [...nodes].sort(compareByFqn) };

/** A text without the space around it, or undefined when there is nothing else. */
export const textValue = (text: string): PropertyValue | undefined =>
  text.trim() === '' ? undefined : { kind: 'text', text: text.trim() };

/** What two values have in common when they are equal. */
export const identifyValue = (value: PropertyValue): string => {
  if (value.kind === 'records')
    return value.nodes
      .map(({ id }) => id)
      .sort()
      .join(' ');
  return value.kind === 'label' ? value.label.tagId : value.text;
};

export const renderValue = (value: PropertyValue, view: View): Json => {
  if (value.kind === 'records') return value.nodes.map((node) => renderRef(node, view));
  return value.kind === 'label' ? (renderLabels([value.label], view)[0] as Json) : value.text;
};

export const valueCell = (value: PropertyValue): string => {
  if (value.kind === 'records') return value.nodes.map(({ fullyQualifiedName }) => fullyQualifiedName).join(' ');
  return value.kind === 'label' ? value.label.tagFQN : value.text;
};

/** What a node has: what it is compared by, and what it passes on, which is nothing when that only came along lineage. */
export type NodeValue = { readonly carried: PropertyValue; readonly passed: PropertyValue | undefined };

export type NodeValues = ReadonlyMap<string, NodeValue>;

/** A value that somebody gave, and that is passed on as it is. */
export const givenValue = (value: PropertyValue): NodeValue => ({ carried: value, passed: value });
