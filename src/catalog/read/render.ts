import { isObject, type Json, type JsonObject, type MutableJsonObject, member, setMember } from '../../model/json.ts';
import type { Attribute, ColumnsAttribute, ComputedAttribute, StoredAttribute } from '../../model/kind/attribute.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { joinFqn } from '../../model/name.ts';
import { summariseUsage } from '../../model/schemas/usage/usage-summary.ts';
import { maskSecrets } from '../../model/secret-masking.ts';
import type { InheritedNode, LabelNode, RefNode, VoterNode } from '../queries.ts';
import type { Registry } from '../registry.ts';
import { spreadItemsToColumns } from './column-items.ts';
import { createColumnFinder } from './column-paths.ts';
import type { ColumnNode } from './column-tree.ts';
import { type ComputedParts, NO_PARTS, readColumnParts } from './computed-parts.ts';
import { type MentionStyle, renderMentions, renderTreeMentions } from './mentions.ts';
import { redactStoredState } from './redact-stored-state.ts';
import { filterNearest, type Snapshot } from './snapshot.ts';

export type IncludeDeleted = 'non-deleted' | 'deleted' | 'all';

/** How to render a record: for which caller, with which members, and with which hrefs. */
export type View = {
  readonly registry: Registry;
  /** The prefix of every href; without it no hrefs are written, as in events and history. */
  readonly hrefBase: string | undefined;
  /** The members named by `fields`. */
  readonly fields: ReadonlySet<string>;
  /** Opens a stored value with sealed secrets. The record decides which of them are shown. */
  readonly openSecret: <T extends Json>(value: T) => T;
  /** Which references are shown, by member name and deletion. */
  readonly include?: (field: string) => IncludeDeleted;
};

const hrefOf = (view: View, entityType: string, id: string): string | undefined => {
  if (view.hrefBase === undefined) return undefined;
  const kind = view.registry.byType.get(entityType);
  return kind ? `${view.hrefBase}/v1/${kind.path}/${id}` : undefined;
};

/** Renders a reference (conventions 8). */
export const renderRef = (node: RefNode, view: View, inherited = false): JsonObject => {
  const ref: MutableJsonObject = { id: node.id, type: node.entityType, name: node.name };
  ref['fullyQualifiedName'] = node.fullyQualifiedName;
  if (node.description) ref['description'] = node.description;
  if (node.displayName) ref['displayName'] = node.displayName;
  ref['deleted'] = node.deleted === true;
  if (inherited) ref['inherited'] = true;
  const href = hrefOf(view, node.entityType, node.id);
  if (href) ref['href'] = href;
  return ref;
};

const isIncluded = (include: IncludeDeleted, node: RefNode): boolean =>
  include === 'all' || (node.deleted === true) === (include === 'deleted');

const includeOf = (view: View, field: string): IncludeDeleted => view.include?.(field) ?? 'non-deleted';

const compareByName = (a: RefNode, b: RefNode) => (a.name < b.name ? -1 : a.name > b.name ? 1 : a.id < b.id ? -1 : 1);

const renderRefs = (nodes: readonly RefNode[], view: View, field: string): JsonObject[] => {
  const include = includeOf(view, field);
  return nodes
    .filter((node) => isIncluded(include, node))
    .sort(compareByName)
    .map((node) => renderRef(node, view));
};

const renderInherited = (nodes: readonly InheritedNode[], view: View, field: string): JsonObject[] => {
  const include = includeOf(view, field);
  return [...filterNearest(nodes.filter((node) => isIncluded(include, node)))]
    .sort(compareByName)
    .map((node) => renderRef(node, view, node.distance > 0));
};

const GLOSSARY = 'Glossary';

/** Renders a label (conventions 8). */
const renderLabel = (label: LabelNode, view: View): JsonObject => {
  const out: MutableJsonObject = { tagFQN: label.tagFQN, name: label.name };
  if (label.displayName) out['displayName'] = label.displayName;
  if (label.description) out['description'] = label.description;
  if (label.styleJson) out['style'] = JSON.parse(label.styleJson) as Json;
  out['source'] = label.source;
  out['labelType'] = label.labelType;
  out['state'] = label.state;
  if (label.reason) out['reason'] = label.reason;
  if (label.appliedAt) out['appliedAt'] = label.appliedAt;
  if (label.appliedBy) out['appliedBy'] = label.appliedBy;
  if (label.metadataJson) out['metadata'] = JSON.parse(label.metadataJson) as Json;
  const href = hrefOf(view, label.source === GLOSSARY ? 'glossaryTerm' : 'tag', label.tagId);
  if (href) out['href'] = href;
  return out;
};

const compareByTag = (a: LabelNode, b: LabelNode) => (a.tagFQN < b.tagFQN ? -1 : a.tagFQN > b.tagFQN ? 1 : 0);

export const renderLabels = (labels: readonly LabelNode[], view: View): JsonObject[] =>
  [...labels].sort(compareByTag).map((label) => renderLabel(label, view));

/** How nested values render mentions. */
export const mentionStyle = (view: View): MentionStyle => ({
  reference: (node) => renderRef(node, view),
  labels: (labels) => renderLabels(labels, view),
});

/** Renders a column tree; labels appear if they were read. */
const renderColumns = (columns: readonly ColumnNode[], view: View, parts = NO_PARTS): JsonObject[] =>
  columns.map((column) => {
    const out: MutableJsonObject = { ...column.values };
    if (column.labels) out['tags'] = renderLabels(column.labels, view);
    for (const [member, byKey] of parts) {
      const part = byKey[column.key];
      if (part) out[member] = part;
    }
    if (column.children.length > 0) out['children'] = renderColumns(column.children, view, parts);
    return out;
  });

/** The columns that were rendered without hrefs, by their tree. */
const plainColumns = new WeakMap<readonly ColumnNode[], readonly JsonObject[]>();

/**
 * Renders columns without hrefs, each tree once: a write renders the state before and after it several times, and mostly
 * changes no column. What is rendered then is the same value, so that comparisons end early.
 */
export const renderPlainColumns = (columns: readonly ColumnNode[], view: View): readonly JsonObject[] => {
  const known = plainColumns.get(columns);
  if (known) return known;
  const rendered = renderColumns(columns, { ...view, hrefBase: undefined });
  plainColumns.set(columns, rendered);
  return rendered;
};

/** Renames the internal `children` to the name that this kind of item uses. */
const toWireItems = (items: readonly JsonObject[], nest: string): readonly JsonObject[] =>
  nest === 'children'
    ? items
    : items.map(({ children, ...item }) =>
        children === undefined ? (item as JsonObject) : { ...item, [nest]: children },
      );

/** Renders a member that is a tree of columns, or an object that holds one. */
export const renderTree = (
  snapshot: Pick<Snapshot, 'kind' | 'columns' | 'values' | 'mentioned'> & Partial<Pick<Snapshot, 'computed'>>,
  name: string,
  { container, childrenMember }: ColumnsAttribute,
  view: View,
): Json | undefined => {
  const nodes = renderTreeMentions(snapshot, name, mentionStyle(view));
  const parts = readColumnParts(snapshot);
  const isPlain = view.hrefBase === undefined && parts === NO_PARTS;
  const items = isPlain ? renderPlainColumns(nodes, view) : renderColumns(nodes, view, parts);
  const tree = toWireItems(items, childrenMember);
  if (!container) return tree;
  const shell = snapshot.values[name] as JsonObject | undefined;
  return shell === undefined && tree.length === 0 ? undefined : { ...shell, [container.member]: tree };
};

const renderVotes = (voters: readonly VoterNode[], view: View): JsonObject => {
  const up = voters.filter((voter) => voter.vote === 'votedUp');
  const down = voters.filter((voter) => voter.vote === 'votedDown');
  return {
    upVotes: up.length,
    downVotes: down.length,
    upVoters: renderRefs(up, view, 'votes'),
    downVoters: renderRefs(down, view, 'votes'),
  };
};

const today = (): string => new Date().toISOString().slice(0, 10);

/** Renders the usage of a record on the last day it was used; a record that was never used reports zero for today. */
const renderUsage = ({ usage = [], usedOn = today() }: Snapshot): JsonObject => summariseUsage(usedOn, usage);

const renderSecret = (
  { values, computed, disclosed }: Snapshot,
  name: string,
  { confidential, redact, show }: StoredAttribute,
  view: View,
): Json | undefined => {
  const value = values[name];
  if (value === undefined) return undefined;
  const isDisclosed = disclosed?.has(name) === true;
  const clear = view.openSecret(value);
  const masked = isDisclosed && !confidential ? clear : maskSecrets(clear);
  const safe = isDisclosed || !redact ? masked : redact(masked);
  return show ? show(safe, { values, computed: view.hrefBase === undefined ? undefined : computed }) : safe;
};

const renderAncestor = (
  snapshot: Snapshot,
  attribute: Attribute & { store: 'ancestor' },
  view: View,
): Json | undefined => {
  const found = snapshot.ancestors.find((node) => attribute.kinds.includes(node.entityType));
  if (!found) return undefined;
  if (attribute.member === 'ref') return renderRef(found, view);
  return (found as unknown as Record<string, Json | null>)[attribute.member] ?? undefined;
};

/** Converts a reference to the short form of a record, which has no type. */
const toRecordStub = ({ type: _type, ...members }: JsonObject): JsonObject => members;

/** Renders a computed value of the record. */
const renderComputed = (
  { computed, mentioned }: Snapshot,
  name: string,
  { schema }: ComputedAttribute,
  view: View,
): Json | undefined => {
  const value = computed[name];
  return value === undefined || !schema ? value : renderMentions(schema, value, mentioned, mentionStyle(view));
};

const renderComputedRefs = (refs: readonly JsonObject[], { as }: ComputedAttribute): Json | undefined => {
  if (as === 'single') return refs[0];
  return as === 'record' ? refs.map(toRecordStub) : refs;
};

const renderRelation = (
  snapshot: Snapshot,
  name: string,
  attribute: Attribute & { store: 'relation' | 'walked' },
  view: View,
): Json | undefined => {
  if (attribute.store === 'walked' && attribute.answers === 'count') return snapshot.counts[name];
  if (attribute.store === 'walked' && (attribute.answers === 'value' || attribute.answers === 'rows'))
    return renderComputed(snapshot, name, attribute, view);
  if (attribute.store === 'walked' && attribute.answers === 'parts')
    return (snapshot.computed[name] as unknown as ComputedParts | undefined)?.own;
  const nodes = snapshot.related[name];
  if (!nodes) return undefined;
  if (attribute.store !== 'relation') return renderComputedRefs(renderRefs(nodes, view, name), attribute);
  const { shownWith } = attribute;
  if (shownWith !== undefined && renderRefs(snapshot.related[shownWith] ?? [], view, shownWith).length === 0) {
    return undefined;
  }
  const all = renderRefs(nodes, attribute.shownWhenHidden ? { ...view, include: () => 'all' } : view, name);
  const { wrapped, limit } = attribute;
  const refs = limit === undefined ? all : all.slice(0, limit);
  const shown = wrapped ? refs.map((ref) => ({ ...wrapped.others, [wrapped.member]: ref })) : refs;
  return attribute.many ? shown : shown[0];
};

/** Adds to each item of a list its fully qualified name, directly after its own name. */
const addItemFqns = (items: Json, fqn: string): Json =>
  (items as readonly JsonObject[]).map(({ name, ...rest }) => ({
    name: name as string,
    fullyQualifiedName: joinFqn(fqn, name as string),
    ...rest,
  }));

/**
 * Renders columns inside a value, with the fully qualified names that follow from their place, and with their labels.
 */
const renderInnerColumns = (columns: readonly JsonObject[], fqn: string): JsonObject[] =>
  columns.map(({ tags = [], children, ...column }) => {
    const fullyQualifiedName = joinFqn(fqn, column['name'] as string);
    const below = children as readonly JsonObject[] | undefined;
    return {
      ...column,
      fullyQualifiedName,
      tags,
      ...(below ? { children: renderInnerColumns(below, fullyQualifiedName) } : {}),
    };
  });

const addInnerColumns = (value: Json, name: string, fqn: string): Json => {
  const columns = isObject(value) ? member(value, name) : undefined;
  if (!isObject(value) || columns === undefined) return value;
  return { ...value, [name]: renderInnerColumns(columns as readonly JsonObject[], fqn) };
};

/** Renders a nested value; mentioned records appear like any other reference. */
export const renderNested = (
  snapshot: Pick<Snapshot, 'values' | 'mentioned' | 'fullyQualifiedName'> & Partial<Pick<Snapshot, 'kind' | 'columns'>>,
  name: string,
  attribute: StoredAttribute,
  view: View,
): Json | undefined => {
  const value = snapshot.values[name];
  if (value === undefined) return attribute.fallback;
  const shown = renderMentions(attribute.schema, value, snapshot.mentioned, mentionStyle(view));
  if (shown === undefined) return undefined;
  const { namesItems, namesColumns, columnsIn } = attribute;
  if (namesColumns && snapshot.kind && snapshot.columns) {
    const { named } = createColumnFinder(snapshot.kind, snapshot.columns);
    return namesColumns(shown, (column) => named(column)?.name);
  }
  if (columnsIn !== undefined) return addInnerColumns(shown, columnsIn, snapshot.fullyQualifiedName);
  return namesItems ? addItemFqns(shown, snapshot.fullyQualifiedName) : shown;
};

const renderMember = (snapshot: Snapshot, name: string, attribute: Attribute, view: View): Json | undefined => {
  switch (attribute.store) {
    case 'property':
      return attribute.hidden ? undefined : (snapshot.values[name] ?? attribute.fallback);
    case 'json':
      return attribute.hidden ? undefined : renderNested(snapshot, name, attribute, view);
    case 'secret':
      return renderSecret(snapshot, name, attribute, view);
    case 'columns':
      return renderTree(snapshot, name, attribute, view);
    case 'ancestor':
      return renderAncestor(snapshot, attribute, view);
    case 'walked':
      return attribute.hidden ? undefined : renderRelation(snapshot, name, attribute, view);
    case 'relation':
      return renderRelation(snapshot, name, attribute, view);
    case 'empty':
      return attribute.value;
    case 'conferred':
      return undefined;
  }
};

const putMember = (out: MutableJsonObject, name: string, value: Json | undefined) => {
  if (value !== undefined) setMember(out, name, value);
};

const renderIdentity = (snapshot: Snapshot, view: View): MutableJsonObject => {
  const out: MutableJsonObject = {
    id: snapshot.id,
    name: snapshot.name,
    fullyQualifiedName: snapshot.fullyQualifiedName,
    version: snapshot.version,
    updatedAt: snapshot.updatedAt,
    updatedBy: snapshot.updatedBy,
  };
  if (snapshot.impersonatedBy) out['impersonatedBy'] = snapshot.impersonatedBy;
  putMember(out, 'href', hrefOf(view, snapshot.kind.entityType, snapshot.id));
  if (snapshot.changeDescription) {
    const change = JSON.parse(snapshot.changeDescription) as Json;
    const { changeDescription: shown } = redactStoredState(snapshot.kind, { changeDescription: change });
    putMember(out, 'changeDescription', shown);
    putMember(out, 'incrementalChangeDescription', shown);
  }
  if (snapshot.kind.softDeletable) out['deleted'] = snapshot.deleted;
  return out;
};

/** Returns the record's own items, or the inherited ones if it has none. */
const ownOrInherited = <T>(own: readonly T[] | null, handed: readonly T[] = []): readonly T[] =>
  own !== null && own.length > 0 ? own : handed;

/** Renders the common relations in the order of the contract; each appears only when it was requested and read. */
const renderCommon = (snapshot: Snapshot, out: MutableJsonObject, view: View) => {
  const { inheritedMembers } = snapshot;
  const wanted = (name: string) => view.fields.has(name) && snapshot.kind.gatedNames.has(name);
  if (wanted('owners')) out['owners'] = renderInherited(snapshot.owners ?? [], view, 'owners');
  if (wanted('followers'))
    out['followers'] = renderRefs(ownOrInherited(snapshot.followers, inheritedMembers?.followers), view, 'followers');
  if (wanted('votes')) out['votes'] = renderVotes(snapshot.voters ?? [], view);
  if (wanted('tags')) out['tags'] = renderLabels(ownOrInherited(snapshot.tags, inheritedMembers?.tags), view);
  if (wanted('domains')) out['domains'] = renderInherited(snapshot.domains ?? [], view, 'domains');
  if (wanted('dataProducts')) out['dataProducts'] = renderRefs(snapshot.dataProducts ?? [], view, 'dataProducts');
  if (wanted('usageSummary')) out['usageSummary'] = renderUsage(snapshot);
};

const isByColumn = ([name, attribute]: readonly [string, Attribute], fields: ReadonlySet<string>): boolean =>
  'byColumn' in attribute && attribute.byColumn && (!attribute.gated || fields.has(name));

/** Renders the tree of one column section alone, with the requested members that are shown with its columns. */
export const renderSection = (
  snapshot: Snapshot,
  [section, { container }]: Kind['columnTrees'][number],
  view: View,
): readonly JsonObject[] => {
  const out: MutableJsonObject = {};
  for (const [name, attribute] of memberEntries(snapshot.kind)) {
    const isShown = name === section || isByColumn([name, attribute], view.fields);
    if (isShown) putMember(out, name, renderMember(snapshot, name, attribute, view));
  }
  spreadItemsToColumns(snapshot, out);
  const rendered = out[section] ?? [];
  return ((container ? member(rendered as JsonObject, container.member) : rendered) ?? []) as readonly JsonObject[];
};

/** The members of a kind as a list, cached because every rendered record iterates over it. */
const memberEntries = memoisePerKind((kind) => Object.entries(kind.members));

/** Renders a record: the base members, and those gated members that `fields` names. */
export const renderRecord = (snapshot: Snapshot, view: View): JsonObject => {
  const out = renderIdentity(snapshot, view);
  for (const [name, attribute] of memberEntries(snapshot.kind)) {
    if (attribute.gated && !view.fields.has(name)) continue;
    putMember(out, name, renderMember(snapshot, name, attribute, view));
  }
  if (snapshot.kind.columnTrees.length > 0) spreadItemsToColumns(snapshot, out);
  renderCommon(snapshot, out, view);
  return out;
};
