import type { Principal } from '../../../access/principal.ts';
import type { Engine } from '../../../catalog/engine.ts';
import type { ColumnNode } from '../../../catalog/read/column-tree.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../../../catalog/read/facts.ts';
import { NO_FIELDS } from '../../../catalog/read/fields.ts';
import { badRequest, recordNotFound } from '../../../errors.ts';
import { parseEntityLink } from '../../../model/language/entity-link.ts';
import { fqnPart, splitFqn } from '../../../model/name.ts';
import { suggestColumn } from '../../../model/nearest.ts';
import { isUuid } from '../../../model/uuid.ts';
import { columnKeysAt, type EndpointIdentity } from '../../column-mappings.ts';
import { type Endpoint, entityRefByName, findEndpoint, findEndpointById } from '../../endpoints.ts';
import { findLineageColumns, type LineageColumnRow, listJoinedColumns } from './queries.ts';

/** A record or one of its columns. */
export type PathEndpoint = { readonly site: Endpoint; readonly column?: LineageColumnRow };

/** Returns the possible paths of a column whose name is given in full or relative to its record. */
const candidatePaths = (
  { fullyQualifiedName: root }: EndpointIdentity,
  text: string,
): readonly (readonly string[])[] => {
  const below = text.startsWith(`${root}.`) ? [text.slice(root.length + 1)] : [];
  return [...below, text].flatMap((name) => {
    try {
      return [splitFqn(name)];
    } catch {
      return [];
    }
  });
};

/** The paths of columns and of those nested in them, below their record. */
const columnPaths = (columns: readonly ColumnNode[], above = ''): readonly string[] =>
  columns.flatMap(({ values, children }) => {
    const path = `${above}${fqnPart(String(values['name']))}`;
    return [path, ...columnPaths(children, `${path}.`)];
  });

/** Suggests the column of a record that was probably meant. */
const suggestColumnOf = async (
  engine: Engine,
  { id, kind, fullyQualifiedName }: Endpoint,
  text: string,
): Promise<string | undefined> => {
  const record = await engine.store.record(kind, { id }, NO_FIELDS);
  const names = kind.columnTrees.flatMap(([section]) => columnPaths(record?.columns[section] ?? []));
  return suggestColumn(fullyQualifiedName, text, names);
};

/**
 * Finds a column by name, of a record that the caller may see. Throws not_found when there is none, with the nearest
 * name.
 */
export const findLineageColumn = async (engine: Engine, site: Endpoint, text: string): Promise<LineageColumnRow> => {
  for (const path of candidatePaths(site, text)) {
    const names = site.kind.lineageParts && path.length === 1 ? path : [];
    const [found] = await engine.graph.read(findLineageColumns, { id: site.id, keys: columnKeysAt(site, path), names });
    if (found) return found;
  }
  throw recordNotFound('column', text, await suggestColumnOf(engine, site, text));
};

/** Finds the record or column that an ID or entity link names. Throws forbidden when the caller may not see it. */
export const findPathEndpoint = async (
  engine: Engine,
  principal: Principal,
  name: string,
  text: string | null,
): Promise<PathEndpoint> => {
  if (!text) throw badRequest(`[${name} must be given, as an id or an entity link]`);
  const link = isUuid(text) ? undefined : parseEntityLink(text);
  const site = link
    ? await findEndpoint(engine, entityRefByName(engine, link.entityType, link.fqn))
    : await findEndpointById(engine, text.toLowerCase());
  await authorizeRecord(engine, principal, VIEW_OPERATIONS, site);
  const item = link?.item;
  return item === undefined ? { site } : { site, column: await findLineageColumn(engine, site, item) };
};

export type JoinedColumns = { readonly columns: readonly LineageColumnRow[]; readonly isCut: boolean };

/** Reads the columns of a record with column lineage in either direction, up to a limit. */
export const readJoinedColumns = async ({ graph }: Engine, { id }: Endpoint, most: number): Promise<JoinedColumns> => {
  const rows = await graph.read(listJoinedColumns, { id, limit: most + 1 });
  return { columns: rows.slice(0, most), isCut: rows.length > most };
};
