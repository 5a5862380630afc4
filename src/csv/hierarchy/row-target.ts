import type { Snapshot } from '../../catalog/read/snapshot.ts';
import { CatalogError } from '../../errors.ts';
import {
  fqnPart,
  fqnPrefixes,
  isFqnWithin,
  joinFqn,
  normaliseFqn,
  normaliseName,
  parentFqn,
  splitFqn,
} from '../../model/name.ts';
import { COLUMN_TYPE_NAME } from '../cells/column-cells.ts';
import { type CsvColumnPath, columnPathKey, parseColumnPath } from '../column-tree.ts';
import type { CsvRowReader } from '../row-reader.ts';
import { defaultRowType, descendantTypesOf, fqnPartCount, TABLE_TYPE_NAME } from './levels.ts';

/** The target of a row: a record or one of its columns. */
export type RowTarget = {
  /** The type of the record that the row changes; for a column, that of its table. */
  readonly type: string;
  readonly name: string;
  readonly fqn: string;
  readonly parentFqn: string;
  /** The path of the column, if the row is about one. */
  readonly path?: CsvColumnPath;
};

const NAME_FIELD = 'name';
const FQN_FIELD = 'fullyQualifiedName';
const TYPE_FIELD = 'entityType';

/** The field that identifies the target in this layout. */
export const targetField = (row: Pick<CsvRowReader, 'has'>): string => (row.has(FQN_FIELD) ? FQN_FIELD : NAME_FIELD);

/** Parses a cell; a refusal becomes a fault of the row. */
const readTargetCell = <T>(row: CsvRowReader, name: string, read: (cell: string) => T): T | undefined => {
  try {
    return read(row.cell(name));
  } catch (failure) {
    if (!(failure instanceof CatalogError)) throw failure;
    row.fail(name, failure.message);
    return undefined;
  }
};

/** Parses a name; one with a dot is quoted, as in a fully qualified name. */
const parseNameCell = (cell: string): string => {
  const isQuoted = cell.length > 2 && cell.startsWith('"') && cell.endsWith('"');
  return normaliseName(isQuoted ? cell.slice(1, -1) : cell);
};

const createRowTarget = (type: string, fqn: string, name: string): RowTarget => ({
  type,
  name,
  fqn,
  parentFqn: parentFqn(fqn) ?? '',
});

/** The target of a row about a direct child of the root, regardless of the row's type. */
const readChildTarget = (root: Snapshot, row: CsvRowReader, type: string): RowTarget | undefined =>
  readTargetCell(row, NAME_FIELD, (cell) => {
    const name = parseNameCell(cell);
    return createRowTarget(type, joinFqn(root.fullyQualifiedName, name), name);
  });

const readTypeCell = (root: Snapshot, row: CsvRowReader): string | undefined => {
  const type = row.cell(TYPE_FIELD);
  const allowed = descendantTypesOf(root.kind.entityType);
  if (allowed.includes(type)) return type;
  row.fail(TYPE_FIELD, `${type} is not one of ${allowed.join(', ')}`);
  return undefined;
};

/**
 * Reads the fully qualified name of a row, which must lie below the root and have as many parts as its type requires.
 */
const readFqnCell = (root: Snapshot, row: CsvRowReader, type: string): string | undefined => {
  if (row.cell(FQN_FIELD) === '') {
    row.failMissing(FQN_FIELD);
    return undefined;
  }
  const fqn = readTargetCell(row, FQN_FIELD, normaliseFqn);
  if (fqn === undefined) return undefined;
  if (!isFqnWithin(fqn, root.fullyQualifiedName) || fqn === root.fullyQualifiedName) {
    row.fail(FQN_FIELD, `${fqn} is not a descendant of ${root.fullyQualifiedName}`);
    return undefined;
  }
  const parts = splitFqn(fqn).length;
  if (type === COLUMN_TYPE_NAME ? parts > fqnPartCount(COLUMN_TYPE_NAME) : parts === fqnPartCount(type)) return fqn;
  row.fail(FQN_FIELD, `${fqn} is not the name of a ${type}`);
  return undefined;
};

const readColumnTarget = (row: CsvRowReader, fqn: string): RowTarget | undefined => {
  const path = readTargetCell(row, NAME_FIELD, parseColumnPath);
  const tableFqn = fqnPrefixes(fqn)[fqnPartCount(TABLE_TYPE_NAME) - 1] ?? '';
  const below = splitFqn(fqn).slice(fqnPartCount(TABLE_TYPE_NAME));
  if (!path) return undefined;
  if (columnPathKey(path) !== columnPathKey(below)) {
    row.fail(FQN_FIELD, `${fqn} is not the name of the column ${path.map(fqnPart).join('.')}`);
    return undefined;
  }
  for (const name of path)
    if (readTargetCell(row, NAME_FIELD, () => normaliseName(name)) === undefined) return undefined;
  return { ...createRowTarget(TABLE_TYPE_NAME, tableFqn, splitFqn(tableFqn).at(-1) ?? ''), path };
};

const readRecordTarget = (row: CsvRowReader, type: string, fqn: string): RowTarget | undefined => {
  const name = readTargetCell(row, NAME_FIELD, parseNameCell);
  if (name === undefined) return undefined;
  if (splitFqn(fqn).at(-1) === name) return createRowTarget(type, fqn, name);
  row.fail(FQN_FIELD, `${fqn} is not the name of the ${type} ${fqnPart(name)}`);
  return undefined;
};

/** Reads the target of a row; undefined when it cannot be determined, and then the row has faults. */
export const readRowTarget = (root: Snapshot, row: CsvRowReader): RowTarget | undefined => {
  if (row.faults.length > 0) return undefined;
  if (!row.has(TYPE_FIELD)) return readChildTarget(root, row, defaultRowType(root.kind.entityType));
  const type = readTypeCell(root, row);
  if (type === undefined) return undefined;
  // A database needs only its name, because it can only be a child of the service.
  if (row.cell(FQN_FIELD) === '' && type === 'database') return readChildTarget(root, row, type);
  const fqn = readFqnCell(root, row, type);
  if (fqn === undefined) return undefined;
  return type === COLUMN_TYPE_NAME ? readColumnTarget(row, fqn) : readRecordTarget(row, type, fqn);
};

/** The key of a target. Two rows with the same key contradict each other. */
export const rowTargetKey = ({ type, fqn, path }: RowTarget): string =>
  path ? `${COLUMN_TYPE_NAME} ${fqn} ${columnPathKey(path)}` : `${type} ${fqn}`;
