import type { Engine } from '../../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../../errors.ts';
import { parseEntityLink } from '../../../model/language/entity-link.ts';
import { splitFqn } from '../../../model/name.ts';
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

/** Finds a column of a record by name. Throws not_found when there is none. */
export const findLineageColumn = async ({ graph }: Engine, site: Endpoint, text: string): Promise<LineageColumnRow> => {
  for (const path of candidatePaths(site, text)) {
    const names = site.kind.lineageParts && path.length === 1 ? path : [];
    const [found] = await graph.read(findLineageColumns, { id: site.id, keys: columnKeysAt(site, path), names });
    if (found) return found;
  }
  throw recordNotFound('column', text);
};

/** Finds the record or column that an ID or entity link names. */
export const findPathEndpoint = async (engine: Engine, name: string, text: string | null): Promise<PathEndpoint> => {
  if (!text) throw badRequest(`[${name} must be given, as an id or an entity link]`);
  if (isUuid(text)) return { site: await findEndpointById(engine, text.toLowerCase()) };
  const { entityType, fqn, item } = parseEntityLink(text);
  const site = await findEndpoint(engine, entityRefByName(engine, entityType, fqn));
  return item === undefined ? { site } : { site, column: await findLineageColumn(engine, site, item) };
};

export type JoinedColumns = { readonly columns: readonly LineageColumnRow[]; readonly isCut: boolean };

/** Reads the columns of a record with column lineage in either direction, up to a limit. */
export const readJoinedColumns = async ({ graph }: Engine, { id }: Endpoint, most: number): Promise<JoinedColumns> => {
  const rows = await graph.read(listJoinedColumns, { id, limit: most + 1 });
  return { columns: rows.slice(0, most), isCut: rows.length > most };
};
