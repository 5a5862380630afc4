import type { JsonObject } from '../model/json.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import type { CellContext } from './cells/cell-context.ts';
import { buildTargetColumn } from './cells/column-cells.ts';
import type { CsvRowReader } from './row-reader.ts';

/** Columns of a table as rows name them: by the path that leads to them from the table, its names joined by dots. */

export type CsvColumnPath = readonly string[];

/** A row about one column. `nameField` is where the row names it. */
export type ColumnRow = { readonly path: CsvColumnPath; readonly row: CsvRowReader; readonly nameField: string };

/** The path that a cell means. Throws bad_request where it is none. */
export const parseColumnPath = (cell: string): CsvColumnPath => splitFqn(cell);

/** What tells columns of one table apart: their names do, in whatever case they are written. */
export const columnPathKey = (path: CsvColumnPath): string => path.map((name) => name.toLowerCase()).join('\u0000');

const childColumns = (column: JsonObject): readonly JsonObject[] => (column['children'] ?? []) as readonly JsonObject[];

const ordinalPositionOf = ({ ordinalPosition }: JsonObject): number =>
  typeof ordinalPosition === 'number' ? ordinalPosition : Number.POSITIVE_INFINITY;

/** Columns by the positions that their source gave them; those that have none come last, as they are listed. */
const sortByOrdinal = (columns: readonly JsonObject[]): readonly JsonObject[] =>
  columns.some(({ ordinalPosition }) => ordinalPosition !== undefined)
    ? [...columns].sort((a, b) =>
        ordinalPositionOf(a) === ordinalPositionOf(b) ? 0 : ordinalPositionOf(a) - ordinalPositionOf(b),
      )
    : columns;

/** Every column with its path as cells write it, each before those that lie in it. */
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

/** A column that may be given other members and further columns, and the list that it stands in. */
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

/** The columns as they are by now. */
export const readColumnTree = ({ roots }: ColumnTree): readonly JsonObject[] => readNodes(roots);

/** The list in which a new column belongs; undefined where the column is missing that it lies in. */
const siblingsFor = ({ roots, byKey }: ColumnTree, path: CsvColumnPath): ColumnTreeNode[] | undefined =>
  path.length === 1 ? roots : byKey.get(columnPathKey(path.slice(0, -1)))?.children;

const formatColumnPath = (path: CsvColumnPath): string => path.map(fqnPart).join('.');

/** Puts a wanted column into its place; answers whether it is new, or nothing where there is no place for it. */
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
 * Changes columns by some rows, in the order of the rows, and answers those whose columns were not there before. A row
 * with faults changes nothing, and what is wrong with it is told there; a column without a row stays as it is.
 */
export const applyColumnRows = async (
  context: CellContext,
  tree: ColumnTree,
  rows: readonly ColumnRow[],
): Promise<ReadonlySet<ColumnRow>> => {
  const { byKey } = tree;
  const added = new Set<ColumnRow>();
  // Look-ups of many rows share their queries; what they decide is put into place in the order of the rows.
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
  /** The rows whose columns were not there before. */
  readonly added: ReadonlySet<ColumnRow>;
};

/** The columns of a table after some rows. */
export const applyRowsToColumns = async (
  context: CellContext,
  columns: readonly JsonObject[],
  rows: readonly ColumnRow[],
): Promise<ChangedColumns> => {
  const tree = createColumnTree(columns);
  const added = await applyColumnRows(context, tree, rows);
  return { columns: readColumnTree(tree), added };
};
