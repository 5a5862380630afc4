import type { Step } from '../graph/commit.ts';
import { encodeProperty } from '../graph/property.ts';
import { equalJson } from '../model/json.ts';
import { columnLabelSteps } from './plan-edges.ts';
import * as query from './queries.ts';
import type { ColumnNode, Snapshot } from './snapshot.ts';
import { ORDER, step } from './step.ts';

type FlatColumn = { readonly node: ColumnNode; readonly section: string; readonly parentKey: string | undefined };

export const flatten = (columns: Snapshot['columns']): FlatColumn[] => {
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

const columnProperties = ({ node, section, parentKey }: FlatColumn): Record<string, unknown> => {
  const { extension, ...values } = node.values;
  const properties: Record<string, unknown> = { key: node.key, section };
  for (const [name, value] of Object.entries(values)) properties[name] = encodeProperty(value);
  if (parentKey !== undefined) properties['parentKey'] = parentKey;
  if (extension !== undefined) properties['extensionJson'] = JSON.stringify(extension);
  return properties;
};

const columnRow = (column: FlatColumn) => ({
  key: column.node.key,
  parentKey: column.parentKey ?? null,
  position: encodeProperty(column.node.position),
  properties: columnProperties(column),
});

export const addColumns = (ownerId: string, columns: readonly FlatColumn[]): Step[] => {
  const outer = columns.filter((column) => column.parentKey === undefined).map(columnRow);
  const inner = columns.filter((column) => column.parentKey !== undefined).map(columnRow);
  return [
    step(query.createColumns, ORDER.addColumns, outer.length > 0 ? [{ ownerId, columns: outer }] : []),
    step(query.createNestedColumns, ORDER.nestColumns, inner.length > 0 ? [{ columns: inner }] : []),
    step(query.linkNestedColumns, ORDER.hangColumns, inner.length > 0 ? [{ columns: inner }] : []),
  ];
};

const sameColumn = (before: FlatColumn, after: FlatColumn): boolean =>
  before.node.key === after.node.key &&
  before.node.position === after.node.position &&
  before.parentKey === after.parentKey &&
  equalJson(before.node.values, after.node.values);

export const columnSteps = (before: Snapshot, after: Snapshot): Step[] => {
  const stored = new Map(flatten(before.columns).map((column) => [column.node.key, column]));
  const wished = flatten(after.columns);
  const continued = new Set(wished.map((column) => column.node.origin));
  const removed = [...stored.keys()].filter((key) => !continued.has(key));
  const added = wished.filter((column) => column.node.origin === undefined);
  const changed = wished.filter((column) => {
    const old = stored.get(column.node.origin ?? '');
    return old !== undefined && !sameColumn(old, column);
  });
  return [
    step(
      query.deleteColumns,
      ORDER.removeColumns,
      removed.length > 0 ? [{ columns: removed.map((key) => ({ key })) }] : [],
    ),
    step(
      query.updateColumns,
      ORDER.changeColumns,
      changed.length > 0
        ? [{ columns: changed.map((column) => ({ ...columnRow(column), key: column.node.origin })) }]
        : [],
    ),
    ...addColumns(after.id, added),
    ...wished.flatMap((column) =>
      columnLabelSteps(
        column.node.key,
        stored.get(column.node.origin ?? '')?.node.labels ?? [],
        column.node.labels ?? [],
      ),
    ),
  ];
};
