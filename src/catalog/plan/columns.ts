import { encodeProperty } from '../../graph/encode-property.ts';
import type { WriteStep } from '../../graph/group-commit.ts';
import { fqnPart } from '../../model/name.ts';
import * as query from '../queries.ts';
import { type ColumnNode, columnsText } from '../read/column-tree.ts';
import type { Snapshot } from '../read/snapshot.ts';
import { columnLabelSteps } from './edges.ts';
import { createStep, STEP_ORDER } from './step.ts';

type FlatColumn = { readonly node: ColumnNode; readonly section: string; readonly parentKey: string | undefined };

export const flattenColumns = (columns: Snapshot['columns']): FlatColumn[] => {
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

/** The properties of a column's node: only its identity. Everything else is in the record's own JSON text. */
const columnProperties = ({ node, section, parentKey }: FlatColumn): Record<string, unknown> => ({
  key: node.key,
  section,
  name: node.values['name'],
  fullyQualifiedName: node.values['fullyQualifiedName'],
  dataType: node.values['dataType'] ?? null,
  parentKey: parentKey ?? null,
});

const columnRow = (column: FlatColumn) => ({
  key: column.node.key,
  parentKey: column.parentKey ?? null,
  position: encodeProperty(column.node.position),
  properties: columnProperties(column),
});

const isTagged = ({ node }: FlatColumn): boolean => (node.labels?.length ?? 0) > 0;

const isTopLevel = (column: FlatColumn): boolean => column.parentKey === undefined;

/**
 * The top-level columns of a new record, each as a list in the order that `catalog/record/create` expects. The rows omit what a
 * column shares with its record: it would be most of the bytes and of the work of a creation.
 */
export const newColumnRows = (record: Snapshot, columns: readonly FlatColumn[]) =>
  columns
    .filter(isTopLevel)
    .map(({ node, section }) => [
      encodeProperty(node.position),
      section,
      node.key.slice(record.id.length),
      node.values['name'],
      String(node.values['fullyQualifiedName']).slice(record.fullyQualifiedName.length),
      node.values['dataType'] ?? null,
    ]);

/** Creates nested columns: all nodes first, because the edges may join any of them. */
export const nestedColumnSteps = (columns: readonly FlatColumn[]): WriteStep[] => {
  const inner = columns.filter((column) => !isTopLevel(column)).map(columnRow);
  return [
    createStep(query.createNestedColumns, STEP_ORDER.createNestedColumns, inner.length > 0 ? [{ columns: inner }] : []),
    createStep(query.linkNestedColumns, STEP_ORDER.linkNestedColumns, inner.length > 0 ? [{ columns: inner }] : []),
  ];
};

const isSameColumn = (before: FlatColumn, after: FlatColumn): boolean =>
  before.node.key === after.node.key &&
  before.node.position === after.node.position &&
  before.parentKey === after.parentKey &&
  before.node.values['name'] === after.node.values['name'] &&
  before.node.values['dataType'] === after.node.values['dataType'];

/** The sections that a write changes. */
const changedSections = (before: Snapshot, after: Snapshot): string[] =>
  before.columns === after.columns
    ? []
    : after.kind.columnTrees.flatMap(([section]) =>
        before.columns[section] === after.columns[section] ? [] : [section],
      );

/**
 * The columns of the changed sections, before and after. A column that does not change has no origin; treated as a new
 * column, it would replace itself.
 */
const changedColumns = (before: Snapshot, after: Snapshot) => {
  const sections = changedSections(before, after);
  const columnsOf = ({ columns }: Snapshot) =>
    flattenColumns(Object.fromEntries(sections.map((section) => [section, columns[section] ?? []])));
  return { stored: columnsOf(before), wished: columnsOf(after) };
};

export const columnSteps = (before: Snapshot, after: Snapshot): WriteStep[] => {
  const { stored: former, wished } = changedColumns(before, after);
  const stored = new Map(former.map((column) => [column.node.key, column]));
  const continued = new Set(wished.map((column) => column.node.origin));
  const removed = [...stored.keys()].filter((key) => !continued.has(key));
  const added = wished.filter((column) => column.node.origin === undefined);
  const outer = added.filter(isTopLevel).map(columnRow);
  const changed = wished.filter((column) => {
    const old = stored.get(column.node.origin ?? '');
    return old !== undefined && !isSameColumn(old, column);
  });
  return [
    createStep(
      query.deleteColumns,
      STEP_ORDER.removeColumns,
      removed.length > 0 ? [{ columns: removed.map((key) => ({ key })) }] : [],
    ),
    createStep(
      query.updateColumns,
      STEP_ORDER.changeColumns,
      changed.length > 0
        ? [{ columns: changed.map((column) => ({ ...columnRow(column), key: column.node.origin })) }]
        : [],
    ),
    createStep(
      query.createColumns,
      STEP_ORDER.addColumns,
      outer.length > 0 ? [{ ownerId: after.id, columns: outer }] : [],
    ),
    ...nestedColumnSteps(added),
    ...wished.flatMap((column) =>
      columnLabelSteps(
        column.node.key,
        stored.get(column.node.origin ?? '')?.node.labels ?? [],
        column.node.labels ?? [],
      ),
    ),
  ];
};

/** The changes of a record's columns that other records must follow. Names are relative to the record. */
export type ColumnChanges = {
  readonly removed: readonly { readonly key: string; readonly name: string }[];
  /** `key` is the column's former key, `toKey` its new key. */
  readonly renamed: readonly {
    readonly key: string;
    readonly name: string;
    readonly to: string;
    readonly toKey: string;
  }[];
  /** Columns whose names did not exist before. */
  readonly added: readonly { readonly key: string; readonly name: string }[];
};

const nameWithinRecord = ({ node }: FlatColumn, { fullyQualifiedName }: Snapshot): string =>
  String(node.values['fullyQualifiedName']).slice(fullyQualifiedName.length + 1);

/** The records that represented columns of another record and no longer do; `key` says whose parts they were. */
const removedParts = (before: Snapshot, after: Snapshot): ColumnChanges['removed'] => {
  const { lineageParts, attributes } = before.kind;
  if (!lineageParts) return [];
  return Object.entries(attributes).flatMap(([name, attribute]) => {
    if (attribute.store !== 'relation' || !attribute.kinds.includes(lineageParts.kind)) return [];
    const left = new Set((after.related[name] ?? before.related[name] ?? []).map(({ id }) => id));
    const gone = (before.related[name] ?? []).filter(({ id }) => !left.has(id));
    return gone.map((part) => ({ key: part.id, name: fqnPart(part.name) }));
  });
};

const hasColumnLineage = ({ kind }: Snapshot, { section }: FlatColumn): boolean =>
  kind.columnTrees.some(([name, { hasColumnLineage }]) => name === section && hasColumnLineage);

export const findColumnChanges = (before: Snapshot, after: Snapshot): ColumnChanges => {
  const changed = changedColumns(before, after);
  const stored = changed.stored.filter((column) => hasColumnLineage(before, column));
  const wished = changed.wished.filter((column) => hasColumnLineage(after, column));
  const continued = new Map(wished.map((column) => [column.node.origin, column]));
  const removed = stored.filter(({ node }) => !continued.has(node.key));
  const renamed = stored.flatMap((column) => {
    const next = continued.get(column.node.key);
    const [name, to] = [nameWithinRecord(column, before), next ? nameWithinRecord(next, after) : ''];
    return next && name !== to ? [{ key: column.node.key, name, to, toKey: next.node.key }] : [];
  });
  return {
    removed: [
      ...removed.map((column) => ({ key: column.node.key, name: nameWithinRecord(column, before) })),
      ...removedParts(before, after),
    ],
    renamed,
    added: wished
      .filter(({ node }) => node.origin === undefined)
      .map((column) => ({ key: column.node.key, name: nameWithinRecord(column, after) })),
  };
};

/** The JSON text of every section that differs between two states, as properties to set. */
export const changedColumnTexts = (before: Snapshot, after: Snapshot): Record<string, string> => {
  const changed: Record<string, string> = {};
  for (const section of changedSections(before, after)) {
    const text = columnsText(after.columns[section] ?? []);
    if (text !== columnsText(before.columns[section] ?? [])) changed[`${section}Json`] = text;
  }
  return changed;
};

/**
 * Marks a record whose columns never had a label, because reading the labels of all columns costs more than the rest of
 * a read. Once a column gets a label, the record loses the mark for good: a label may only be invisible because its tag
 * is deleted.
 */
export const untaggedFlag = (record: Snapshot, columns: readonly FlatColumn[]): Record<string, unknown> =>
  record.kind.columnTrees.length > 0 && !columns.some(isTagged) ? { columnsUntagged: true } : {};

/** Removes that mark from a changed record as soon as one of its columns has a label. */
export const clearUntaggedFlag = (after: Snapshot): Record<string, unknown> =>
  flattenColumns(after.columns).some(isTagged) ? { columnsUntagged: null } : {};

export const columnTexts = (record: Snapshot): Record<string, string> =>
  Object.fromEntries(
    record.kind.columnTrees.map(([section]) => [`${section}Json`, columnsText(record.columns[section] ?? [])]),
  );
