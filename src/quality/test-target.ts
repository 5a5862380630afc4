import type { Engine } from '../catalog/engine.ts';
import type { ColumnNode } from '../catalog/read/column-tree.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { badRequest, type CatalogError, recordNotFound } from '../errors.ts';
import { type EntityLink, formatEntityLink, parseEntityLink } from '../model/language/entity-link.ts';
import { fqnPart, joinFqn, trySplitFqn } from '../model/name.ts';

/** The target of a test: a table or one of its columns. */
export type TestTarget = {
  readonly table: Snapshot;
  readonly column: ColumnNode | undefined;
  /** The entity link, spelled as the table spells its names. */
  readonly link: string;
  /** The fully qualified name that prefixes the names of its tests. */
  readonly fqn: string;
  /** The path of the column below the table. */
  readonly columnName: string | undefined;
};

const COLUMNS = 'columns';

const isNamed = (column: ColumnNode, name: string): boolean =>
  String(column.values['name']).toLowerCase() === name.toLowerCase();

const findColumnAt = (columns: readonly ColumnNode[], [name, ...below]: readonly string[]): ColumnNode | undefined => {
  const found = name === undefined ? undefined : columns.find((column) => isNamed(column, name));
  return found && below.length > 0 ? findColumnAt(found.children, below) : found;
};

/** Finds a column by its dotted path, or by a name that contains dots, ignoring letter case. */
export const findTestColumn = ({ columns }: Snapshot, text: string): ColumnNode | undefined => {
  const tree = columns[COLUMNS] ?? [];
  const whole = findColumnAt(tree, [text]);
  if (whole) return whole;
  const parts = trySplitFqn(text);
  return parts && findColumnAt(tree, parts);
};

/** The path of a column below its table, as links and names write it. */
const columnPathOf = ({ fullyQualifiedName }: Snapshot, { values }: ColumnNode): string =>
  String(values['fullyQualifiedName']).slice(fullyQualifiedName.length + 1);

export const testColumnNotFound = (fqn: string): CatalogError => recordNotFound('column', fqn);

const findTable = async (engine: Engine, { fqn }: EntityLink): Promise<Snapshot> => {
  const table = await engine.store.record(requireKind(engine.registry, 'table'), { fqn }, NO_FIELDS);
  if (!table || table.deleted) throw recordNotFound('table', fqn);
  return table;
};

/**
 * Resolves an entity link. Throws bad_request for a link that cannot have tests, and not_found for a missing table or
 * column.
 */
export const findTestTarget = async (engine: Engine, text: string): Promise<TestTarget> => {
  const link = parseEntityLink(text);
  if (link.entityType !== 'table') throw badRequest(`Invalid entity link: it must point at a table in ${text}`);
  if (link.field === COLUMNS && link.item === undefined) {
    throw badRequest(`Invalid entity link: column name missing in ${text}`);
  }
  const parts = trySplitFqn(link.fqn);
  if (!parts) throw badRequest(`Invalid entity link: ${text}`);
  const table = await findTable(engine, { ...link, fqn: parts.map(fqnPart).join('.') });
  const { fullyQualifiedName } = table;
  const place = { entityType: 'table', fqn: fullyQualifiedName };
  if (link.field !== COLUMNS || link.item === undefined) {
    const own = formatEntityLink(link.field === undefined ? place : { ...place, field: link.field });
    return { table, column: undefined, link: own, fqn: fullyQualifiedName, columnName: undefined };
  }
  const column = findTestColumn(table, link.item);
  if (!column) throw testColumnNotFound(joinFqn(fullyQualifiedName, link.item));
  const columnName = columnPathOf(table, column);
  return {
    table,
    column,
    link: formatEntityLink({ ...place, field: COLUMNS, item: columnName }),
    fqn: String(column.values['fullyQualifiedName']),
    columnName,
  };
};

/** Returns an error when a definition for `wanted` targets cannot test the target of a link. */
export const checkTestTarget = (wanted: string, { column }: TestTarget, text: string): CatalogError | undefined => {
  const { field } = parseEntityLink(text);
  if (wanted === 'COLUMN') {
    if (field !== undefined && field !== COLUMNS) {
      return badRequest(`Invalid entity link: field must be columns in ${text}`);
    }
    return column ? undefined : badRequest(`Invalid entity link: column name missing in ${text}`);
  }
  return column
    ? badRequest(`Invalid entity link: the test definition is for tables, not for columns, in ${text}`)
    : undefined;
};
