import type { Kind } from '../model/kind/kind.ts';

/**
 * Addresses of records that are no pages of the explorer but lead to one: those in messages (`/tables/a.b.c`), and those
 * that OpenMetadata has (`/table/a.b.c`, `/table/a.b.c/lineage`, `/service/databaseServices/a`), so that links to it which
 * people have kept need another host only.
 */

const LINEAGE_TAB = 'lineage';

/** Finds the page for the segments of a path, which stay encoded as they are. */
export type FindPage = (segments: readonly string[]) => string | undefined;

/** Creates the lookup of pages for kinds, by the addresses of their collections and by their names. */
export const createPageFinder = (kinds: readonly Pick<Kind, 'entityType' | 'path'>[]): FindPage => {
  const typeOf = new Map(
    kinds.flatMap(({ entityType, path }) => [
      [path, entityType],
      [path.replace(/^services\//, 'service/'), entityType],
      [entityType, entityType],
    ]),
  );
  return (segments) => {
    for (const length of [2, 1]) {
      const type = typeOf.get(segments.slice(0, length).join('/'));
      const [name, tab] = segments.slice(length);
      if (type && name) return `/${tab === LINEAGE_TAB ? 'lineage' : 'assets'}/${type}/${name}`;
    }
    return undefined;
  };
};
