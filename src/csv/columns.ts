import type { JsonObject } from '../model/json.ts';
import { fqnPart, splitFqn } from '../model/name.ts';
import { wantedColumn } from './cells/column.ts';
import type { CellDesk } from './cells/desk.ts';
import type { RowReader } from './row.ts';

/** Columns of a table as rows name them: by the path that leads to them from the table, its names joined by dots. */

export type ColumnPath = readonly string[];

/** A row about one column. `nameField` is where the row names it. */
export type ColumnRow = { readonly path: ColumnPath; readonly row: RowReader; readonly nameField: string };

/** The path that a cell means. Throws bad_request where it is none. */
export const readPath = (cell: string): ColumnPath => splitFqn(cell);

/** What tells columns of one table apart: their names do, in whatever case they are written. */
export const pathKey = (path: ColumnPath): string => path.map((name) => name.toLowerCase()).join('\u0000');

const childrenOf = (column: JsonObject): readonly JsonObject[] => (column['children'] ?? []) as readonly JsonObject[];

const ordinalOf = ({ ordinalPosition }: JsonObject): number =>
  typeof ordinalPosition === 'number' ? ordinalPosition : Number.POSITIVE_INFINITY;

/** Columns by the positions that their source gave them; those that have none come last, as they are listed. */
const inOrder = (columns: readonly JsonObject[]): readonly JsonObject[] =>
  columns.some(({ ordinalPosition }) => ordinalPosition !== undefined)
    ? [...columns].sort((a, b) => (ordinalOf(a) === ordinalOf(b) ? 0 : ordinalOf(a) - ordinalOf(b)))
    : columns;

/** Every column with its path as cells write it, each before those that lie in it. */
export function* columnsWithPaths(
  columns: readonly JsonObject[],
  above = '',
): Generator<{ readonly path: string; readonly column: JsonObject }> {
  for (const column of inOrder(columns)) {
    const path = `${above}${fqnPart(column['name'] as string)}`;
    yield { path, column };
    yield* columnsWithPaths(childrenOf(column), `${path}.`);
  }
}

/** A column that may be given other members and further columns, and the list that it stands in. */
type Place = { column: JsonObject; readonly children: Place[] };

/** The columns of a table while rows change them. */
export type Forest = { readonly roots: Place[]; readonly byKey: Map<string, Place> };

const plant = (columns: readonly JsonObject[], above: ColumnPath, byKey: Map<string, Place>): Place[] =>
  columns.map((column) => {
    const path = [...above, column['name'] as string];
    const place: Place = { column, children: plant(childrenOf(column), path, byKey) };
    byKey.set(pathKey(path), place);
    return place;
  });

export const plantColumns = (columns: readonly JsonObject[]): Forest => {
  const byKey = new Map<string, Place>();
  return { roots: plant(columns, [], byKey), byKey };
};

const harvest = (places: readonly Place[]): readonly JsonObject[] =>
  places.map(({ column, children }) => {
    const { children: before, ...own } = column;
    if (children.length === 0 && before === undefined) return column;
    return { ...own, children: harvest(children) };
  });

/** The columns as they are by now. */
export const harvestColumns = ({ roots }: Forest): readonly JsonObject[] => harvest(roots);

/** The list in which a new column belongs; undefined where the column is missing that it lies in. */
const listFor = ({ roots, byKey }: Forest, path: ColumnPath): Place[] | undefined =>
  path.length === 1 ? roots : byKey.get(pathKey(path.slice(0, -1)))?.children;

const written = (path: ColumnPath): string => path.map(fqnPart).join('.');

/** Puts a wanted column into its place; answers whether it is new, or nothing where there is no place for it. */
const settle = (forest: Forest, { path }: ColumnRow, wanted: JsonObject): boolean | undefined => {
  const known = forest.byKey.get(pathKey(path));
  if (known) {
    const { name, children } = known.column;
    known.column = { ...wanted, name: name as string, ...(children === undefined ? {} : { children }) };
    return false;
  }
  const list = listFor(forest, path);
  if (!list) return undefined;
  const place: Place = { column: { ...wanted, name: path.at(-1) ?? '' }, children: [] };
  list.push(place);
  forest.byKey.set(pathKey(path), place);
  return true;
};

/**
 * Changes columns by some rows, in the order of the rows, and answers those whose columns were not there before. A row
 * with faults changes nothing, and what is wrong with it is told there; a column without a row stays as it is.
 */
export const changeColumns = async (
  desk: CellDesk,
  forest: Forest,
  rows: readonly ColumnRow[],
): Promise<ReadonlySet<ColumnRow>> => {
  const { byKey } = forest;
  const added = new Set<ColumnRow>();
  // Look-ups of many rows share their queries; what they decide is put into place in the order of the rows.
  const wanted = await Promise.all(
    rows.map(({ path, row }) => wantedColumn(desk, row, byKey.get(pathKey(path))?.column ?? {})),
  );
  rows.forEach((one, at) => {
    if (one.row.faults.length > 0) return;
    const isNew = settle(forest, one, wanted[at] ?? {});
    if (isNew === undefined) one.row.fail(one.nameField, `there is no column ${written(one.path.slice(0, -1))}`);
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
export const withColumnRows = async (
  desk: CellDesk,
  columns: readonly JsonObject[],
  rows: readonly ColumnRow[],
): Promise<ChangedColumns> => {
  const forest = plantColumns(columns);
  const added = await changeColumns(desk, forest, rows);
  return { columns: harvestColumns(forest), added };
};
