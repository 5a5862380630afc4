import type { Engine } from '../../catalog/engine.ts';
import { badRequest, recordNotFound } from '../../errors.ts';
import { parseEntityLink } from '../../model/entity-link.ts';
import { splitFqn } from '../../model/name.ts';
import { isUuid } from '../../model/uuid.ts';
import { type End, keysAt } from '../columns.ts';
import { findById, findPlace, namePlace, type Site } from '../ends.ts';
import { type ColumnRow, findColumns, listJoinedColumns } from './queries.ts';

/** A record, or one of its columns. */
export type Point = { readonly site: Site; readonly column?: ColumnRow };

/** The names on the way from a record to a column, whether they were written in full or begin below the record. */
const pathsTo = ({ fullyQualifiedName: root }: End, text: string): readonly (readonly string[])[] => {
  const below = text.startsWith(`${root}.`) ? [text.slice(root.length + 1)] : [];
  return [...below, text].flatMap((name) => {
    try {
      return [splitFqn(name)];
    } catch {
      return [];
    }
  });
};

/** The column of a record that a text means. Throws not_found when there is none. */
export const findColumn = async ({ graph }: Engine, site: Site, text: string): Promise<ColumnRow> => {
  for (const path of pathsTo(site, text)) {
    const names = site.kind.tracedParts && path.length === 1 ? path : [];
    const [found] = await graph.read(findColumns, { id: site.id, keys: keysAt(site, path), names });
    if (found) return found;
  }
  throw recordNotFound('column', text);
};

/** The record or column that an id or an entity link means. */
export const findPoint = async (engine: Engine, name: string, text: string | null): Promise<Point> => {
  if (!text) throw badRequest(`[${name} must be given, as an id or an entity link]`);
  if (isUuid(text)) return { site: await findById(engine, text.toLowerCase()) };
  const { entityType, fqn, item } = parseEntityLink(text);
  const site = await findPlace(engine, namePlace(engine, entityType, fqn));
  return item === undefined ? { site } : { site, column: await findColumn(engine, site, item) };
};

export type Joined = { readonly columns: readonly ColumnRow[]; readonly isCut: boolean };

/** The columns of a record that anything is made from, or that are made from anything, up to so many. */
export const joinedColumns = async ({ graph }: Engine, { id }: Site, most: number): Promise<Joined> => {
  const rows = await graph.read(listJoinedColumns, { id, limit: most + 1 });
  return { columns: rows.slice(0, most), isCut: rows.length > most };
};
