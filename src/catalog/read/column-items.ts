import type { JsonObject, MutableJsonObject } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Snapshot } from './snapshot.ts';

/** Items of a record that name one of its columns, such as custom metrics. They are shown with that column. */

type ColumnItem = JsonObject & { readonly columnName?: string };

const hasColumnName = (item: ColumnItem): boolean => item.columnName !== undefined;

/** Attaches the items of one member to the columns they name, at any depth. */
const attachToColumns = (
  columns: readonly JsonObject[],
  name: string,
  items: readonly ColumnItem[],
  path: string,
): JsonObject[] =>
  columns.map((column) => {
    const here = path === '' ? String(column['name']) : `${path}.${String(column['name'])}`;
    const own = items.filter((item) => item.columnName?.toLowerCase() === here.toLowerCase());
    const children = column['children'] as readonly JsonObject[] | undefined;
    const withChildren = children ? { ...column, children: attachToColumns(children, name, items, here) } : column;
    return own.length > 0 ? { ...withChildren, [name]: own } : withChildren;
  });

/** The members of a kind whose items may name a column, computed once because every rendered record asks for them. */
export const membersByColumn = memoisePerKind((kind): readonly string[] =>
  Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    'byColumn' in attribute && attribute.byColumn ? [name] : [],
  ),
);

/** Shows items that name a column together with that column. */
export const spreadItemsToColumns = (snapshot: Snapshot, out: MutableJsonObject) => {
  for (const name of membersByColumn(snapshot.kind)) {
    const items = out[name] as readonly ColumnItem[] | undefined;
    if (!items) continue;
    out[name] = items.filter((item) => !hasColumnName(item));
    const ofColumns = items.filter(hasColumnName);
    for (const [field] of ofColumns.length > 0 ? snapshot.kind.columnTrees : []) {
      out[field] = attachToColumns((out[field] ?? []) as readonly JsonObject[], name, ofColumns, '');
    }
  }
};
