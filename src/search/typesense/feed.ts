import type { Graph } from '../../graph/client.ts';
import type { Kind } from '../../model/kind.ts';
import { piecesOf } from '../../model/pieces.ts';
import type { Line, Typesense } from './client.ts';
import { type Survey, targetsFor } from './collections.ts';
import { readStored, type StoredRow } from './queries.ts';
import { lineOf } from './row.ts';
import { REVISION } from './schema.ts';

/** Sending what records are found by as they are now, whatever has happened to them. */

/** A record that could not be sent, and why. */
export type Unfed = { readonly id: string; readonly reason: string };

export type Feeding = {
  readonly graph: Graph;
  readonly typesense: Typesense;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Asked before every write: whoever has lost the right to write must not. */
  readonly mayWrite: () => boolean;
};

const READ_AT_ONCE = 200;

/** The revisions at which a collection has some records. */
const sentRevisions = async (
  typesense: Typesense,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const known = new Map<string, number>();
  for (const some of piecesOf(ids, READ_AT_ONCE)) {
    const [found] = await typesense.search([
      {
        collection,
        q: '*',
        filter_by: `id:=[${some.join(',')}]`,
        include_fields: `id,${REVISION}`,
        per_page: READ_AT_ONCE,
        page: 1,
      },
    ]);
    for (const { document } of found?.hits ?? []) known.set(String(document['id']), Number(document[REVISION]));
  }
  return known;
};

const failedLines = (rows: readonly StoredRow[], lines: readonly Line[]): readonly Unfed[] =>
  lines.flatMap((line, at) => {
    const row = rows[at];
    return line.success || !row ? [] : [{ id: row.id, reason: line.error ?? `refused with ${line.code}` }];
  });

class WriteRightLost extends Error {
  constructor() {
    super('the right to write was lost');
    this.name = 'WriteRightLost';
  }
}

const assertRight = ({ mayWrite }: Feeding): void => {
  if (!mayWrite()) throw new WriteRightLost();
};

/** Sends records of one kind to one collection; what it has of a later revision stays. */
const sendTo = async (
  feeding: Feeding,
  collection: string,
  kind: Kind,
  rows: readonly StoredRow[],
  gone: readonly string[],
): Promise<readonly Unfed[]> => {
  const { typesense } = feeding;
  const known = await sentRevisions(
    typesense,
    collection,
    rows.map(({ id }) => id),
  );
  const fresh = rows.filter(({ id, revision }) => (known.get(id) ?? 0) <= revision);
  const lines = fresh.map(({ stored, revision }) => lineOf(kind, stored, revision));
  assertRight(feeding);
  if (gone.length > 0) await typesense.remove(collection, gone);
  return lines.length > 0 ? failedLines(fresh, await typesense.put(collection, lines, 'upsert')) : [];
};

/** A record to be sent; its type says where it is to be removed from when it is gone. */
export type Feed = { readonly id: string; readonly entityType: string };

/**
 * Sends records as they are now to every collection that is to know them. The collections must have been looked up before:
 * one that is made after that is filled from what the records are then. Throws when the server is away.
 */
export const feedTo = async (feeding: Feeding, survey: Survey, feeds: readonly Feed[]): Promise<readonly Unfed[]> => {
  const rows = await feeding.graph.read(readStored, { ids: feeds.map(({ id }) => id) });
  const there = new Set(rows.map(({ id }) => id));
  const unfed: Unfed[] = [];
  for (const entityType of new Set(feeds.map((feed) => feed.entityType))) {
    const kind = feeding.kinds.get(entityType);
    if (!kind?.search.index) continue;
    const own = rows.filter((row) => row.entityType === entityType);
    const gone = feeds.filter((feed) => feed.entityType === entityType && !there.has(feed.id)).map(({ id }) => id);
    for (const collection of targetsFor(survey, kind)) {
      unfed.push(...(await sendTo(feeding, collection, kind, own, gone)));
    }
  }
  return unfed;
};
