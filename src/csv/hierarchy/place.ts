import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { CatalogError } from '../../errors.ts';
import {
  checkName,
  fqnPart,
  isWithin,
  joinFqn,
  normaliseFqn,
  parentFqn,
  scopesOf,
  splitFqn,
} from '../../model/name.ts';
import { type ColumnPath, pathKey, readPath } from '../columns.ts';
import type { RowReader } from '../row.ts';
import { COLUMN, partsOf, TABLE, typeOfRows, typesWithin } from './levels.ts';

/** What a row is about. */
export type Place = {
  /** The type of the record that the row changes: of a column, that is its table. */
  readonly type: string;
  readonly name: string;
  readonly fqn: string;
  readonly parentFqn: string;
  /** The column of the record, where the row is about one. */
  readonly path?: ColumnPath;
};

const NAME = 'name';
const FQN = 'fullyQualifiedName';
const TYPE = 'entityType';

/** Where a row of this layout says what it is about. */
export const placeField = (row: Pick<RowReader, 'has'>): string => (row.has(FQN) ? FQN : NAME);

/** What a cell means, unless something speaks against it, which becomes a fault of the row. */
const readCell = <T>(row: RowReader, name: string, read: (cell: string) => T): T | undefined => {
  try {
    return read(row.cell(name));
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    row.fail(name, failure.message);
    return undefined;
  }
};

/** The name that a cell means: with a dot it stands in quotes, as it does in a fully qualified name. */
const readName = (cell: string): string => {
  const isQuoted = cell.length > 2 && cell.startsWith('"') && cell.endsWith('"');
  return checkName(isQuoted ? cell.slice(1, -1) : cell);
};

const placeAt = (type: string, fqn: string, name: string): Place => ({
  type,
  name,
  fqn,
  parentFqn: parentFqn(fqn) ?? '',
});

/** The place of a row that is about a child of the root, whatever its type says. */
const plainPlace = (root: Snapshot, row: RowReader, type: string): Place | undefined =>
  readCell(row, NAME, (cell) => {
    const name = readName(cell);
    return placeAt(type, joinFqn(root.fullyQualifiedName, name), name);
  });

const readType = (root: Snapshot, row: RowReader): string | undefined => {
  const type = row.cell(TYPE);
  const allowed = typesWithin(root.kind.entityType);
  if (allowed.includes(type)) return type;
  row.fail(TYPE, `${type} is none of ${allowed.join(', ')}`);
  return undefined;
};

/** The fully qualified name that a row says, which must be one below the root and of as many parts as its type has. */
const readFqn = (root: Snapshot, row: RowReader, type: string): string | undefined => {
  if (row.cell(FQN) === '') {
    row.miss(FQN);
    return undefined;
  }
  const fqn = readCell(row, FQN, normaliseFqn);
  if (fqn === undefined) return undefined;
  if (!isWithin(fqn, root.fullyQualifiedName) || fqn === root.fullyQualifiedName) {
    row.fail(FQN, `${fqn} does not lie below ${root.fullyQualifiedName}`);
    return undefined;
  }
  const parts = splitFqn(fqn).length;
  if (type === COLUMN ? parts > partsOf(COLUMN) : parts === partsOf(type)) return fqn;
  row.fail(FQN, `${fqn} is no name of a ${type}`);
  return undefined;
};

const columnPlace = (row: RowReader, fqn: string): Place | undefined => {
  const path = readCell(row, NAME, readPath);
  const tableFqn = scopesOf(fqn)[partsOf(TABLE) - 1] ?? '';
  const below = splitFqn(fqn).slice(partsOf(TABLE));
  if (!path) return undefined;
  if (pathKey(path) !== pathKey(below)) {
    row.fail(FQN, `${fqn} is not the name of the column ${path.map(fqnPart).join('.')}`);
    return undefined;
  }
  for (const name of path) if (readCell(row, NAME, () => checkName(name)) === undefined) return undefined;
  return { ...placeAt(TABLE, tableFqn, splitFqn(tableFqn).at(-1) ?? ''), path };
};

const recordPlace = (row: RowReader, type: string, fqn: string): Place | undefined => {
  const name = readCell(row, NAME, readName);
  if (name === undefined) return undefined;
  if (splitFqn(fqn).at(-1) === name) return placeAt(type, fqn, name);
  row.fail(FQN, `${fqn} is not the name of the ${type} ${fqnPart(name)}`);
  return undefined;
};

/** What a row of a file for a record is about; undefined when that cannot be told, which its faults then say. */
export const readPlace = (root: Snapshot, row: RowReader): Place | undefined => {
  if (row.faults.length > 0) return undefined;
  if (!row.has(TYPE)) return plainPlace(root, row, typeOfRows(root.kind.entityType));
  const type = readType(root, row);
  if (type === undefined) return undefined;
  // A database needs no more than its name: there is only one place where it can hang.
  if (row.cell(FQN) === '' && type === 'database') return plainPlace(root, row, type);
  const fqn = readFqn(root, row, type);
  if (fqn === undefined) return undefined;
  return type === COLUMN ? columnPlace(row, fqn) : recordPlace(row, type, fqn);
};

/** What tells the targets of rows apart: two rows of one target contradict each other. */
export const targetKey = ({ type, fqn, path }: Place): string =>
  path ? `${COLUMN} ${fqn} ${pathKey(path)}` : `${type} ${fqn}`;
