import type { JsonObject } from '../model/json.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import type { CellContext } from './cells/cell-context.ts';
import { buildTargetColumn } from './cells/column-cells.ts';
import type { CsvRowReader } from './row-reader.ts';

/** Trees of a table's columns that rows change. Rows name columns by their path below the table, joined by dots. */

export type CsvColumnPath = readonly string[];

/** A row about one column. `nameField` is the field that names it. */
export type ColumnRow = { readonly path: CsvColumnPath; readonly row: CsvRowReader; readonly nameField: string };

/** Parses the column path in a cell. Throws bad_request for an invalid one. */
export const parseColumnPath = (cell: string): CsvColumnPath => splitFqn(cell);

/** The key of a column within its table, which ignores letter case. */
export const columnPathKey = (path: CsvColumnPath): string => path.map((name) => name.toLowerCase()).join('\u0000');

const childColumns = (column: JsonObject): readonly JsonObject[] => (column['children'] ?? []) as readonly JsonObject[];

const ordinalPositionOf = ({ ordinalPosition }: JsonObject): number =>
  typeof ordinalPosition === 'number' ? ordinalPosition : Number.POSITIVE_INFINITY;

/** Sorts columns by ordinal position; those without one come last in their present order. */
const sortByOrdinal = (columns: readonly JsonObject[]): readonly JsonObject[] =>
  columns.some(({ ordinalPosition }) => ordinalPosition !== undefined)
    ? [...columns].sort((a, b) =>
        ordinalPositionOf(a) === ordinalPositionOf(b) ? 0 : ordinalPositionOf(a) - ordinalPositionOf(b),
      )
    : columns;

/** Yields every column with its path, parents before children. */
export function* walkColumns(
  columns: readonly JsonObject[],
  above = '',
): Generator<{ readonly path: string; readonly column: JsonObject }> {
  for (const column of sortByOrdinal(columns)) {
    const path = `${above}${fqnPart(column['name'] as string)}`;
    yield { path, column };
    yield* walkColumns(childColumns(column), `${path}.`);
  }
}

/** A mutable node of the tree: a column and its child columns. */
type ColumnTreeNode = { column: JsonObject; readonly children: ColumnTreeNode[] };

/** The columns of a table while rows change them. */
export type ColumnTree = { readonly roots: ColumnTreeNode[]; readonly byKey: Map<string, ColumnTreeNode> };

const createNodes = (
  columns: readonly JsonObject[],
  above: CsvColumnPath,
  byKey: Map<string, ColumnTreeNode>,
): ColumnTreeNode[] =>
  columns.map((column) => {
    const path = [...above, column['name'] as string];
    const place: ColumnTreeNode = { column, children: createNodes(childColumns(column), path, byKey) };
    byKey.set(columnPathKey(path), place);
    return place;
  });

export const createColumnTree = (columns: readonly JsonObject[]): ColumnTree => {
  const byKey = new Map<string, ColumnTreeNode>();
  return { roots: createNodes(columns, [], byKey), byKey };
};

const readNodes = (places: readonly ColumnTreeNode[]): readonly JsonObject[] =>
  places.map(({ column, children }) => {
    const { children: before, ...own } = column;
    if (children.length === 0 && before === undefined) return column;
    return { ...own, children: readNodes(children) };
  });

/** Reads the columns in their current state. */
export const readColumnTree = ({ roots }: ColumnTree): readonly JsonObject[] => readNodes(roots);

/** The list to which a new column is added; undefined when its parent column is missing. */
const siblingsFor = ({ roots, byKey }: ColumnTree, path: CsvColumnPath): ColumnTreeNode[] | undefined =>
  path.length === 1 ? roots : byKey.get(columnPathKey(path.slice(0, -1)))?.children;

const formatColumnPath = (path: CsvColumnPath): string => path.map(fqnPart).join('.');

/** Puts a column into the tree and returns whether it is new; undefined when its parent column is missing. */
const applyColumn = (tree: ColumnTree, { path }: ColumnRow, target: JsonObject): boolean | undefined => {
  const known = tree.byKey.get(columnPathKey(path));
  if (known) {
    const { name, children } = known.column;
    known.column = { ...target, name: name as string, ...(children === undefined ? {} : { children }) };
    return false;
  }
  const list = siblingsFor(tree, path);
  if (!list) return undefined;
  const place: ColumnTreeNode = { column: { ...target, name: path.at(-1) ?? '' }, children: [] };
  list.push(place);
  tree.byKey.set(columnPathKey(path), place);
  return true;
};

/**
 * Applies rows to the columns in the order of the rows and returns the rows that added columns. A row with faults
 * changes nothing and keeps its faults; a column without a row is unchanged.
 */
export const applyColumnRows = async (
  context: CellContext,
  tree: ColumnTree,
  rows: readonly ColumnRow[],
): Promise<ReadonlySet<ColumnRow>> => {
  const { byKey } = tree;
  const added = new Set<ColumnRow>();
  // Look-ups of all rows are batched; the results are applied in the order of the rows.
  const targets = await Promise.all(
    rows.map(({ path, row }) => buildTargetColumn(context, row, byKey.get(columnPathKey(path))?.column ?? {})),
  );
  rows.forEach((one, at) => {
    if (one.row.faults.length > 0) return;
    const isNew = applyColumn(tree, one, targets[at] ?? {});
    if (isNew === undefined)
      one.row.fail(one.nameField, `there is no column ${formatColumnPath(one.path.slice(0, -1))}`);
    else if (isNew) added.add(one);
  });
  return added;
};

export type ChangedColumns = {
  readonly columns: readonly JsonObject[];
  /** The rows that added columns. */
  readonly added: ReadonlySet<ColumnRow>;
};

/** Applies rows to the columns of a table. */
export const applyRowsToColumns = async (
  context: CellContext,
  columns: readonly JsonObject[],
  rows: readonly ColumnRow[],
): Promise<ChangedColumns> => {
  const tree = createColumnTree(columns);
  const added = await applyColumnRows(context, tree, rows);
  return { columns: readColumnTree(tree), added };
};
