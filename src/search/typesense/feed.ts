import type { Graph } from '../../graph/client.ts';
import { chunk } from '../../model/chunk.ts';
import type { Kind } from '../../model/kind/kind.ts';
import type { ImportLine, TypesenseClient } from './client.ts';
import { REVISION_FIELD } from './collection-schema.ts';
import { buildImportLine } from './import-line.ts';
import { readStoredDocuments, type StoredDocumentRow } from './queries.ts';
import { type CollectionSurvey, collectionsToFeed } from './survey-collections.ts';

/** Sends the current search documents of records, whatever has happened to them. */

/** A record that could not be sent, and the reason. */
export type FeedFailure = { readonly id: string; readonly reason: string };

export type FeedContext = {
  readonly graph: Graph;
  readonly typesense: TypesenseClient;
  readonly kinds: ReadonlyMap<string, Kind>;
  /** Checked before every write, because the lease may be lost. */
  readonly mayWrite: () => boolean;
};

const READ_AT_ONCE = 200;

/** Reads the revisions at which a collection holds some records. */
const readSentRevisions = async (
  typesense: TypesenseClient,
  collection: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const known = new Map<string, number>();
  for (const some of chunk(ids, READ_AT_ONCE)) {
    const [found] = await typesense.search([
      {
        collection,
        q: '*',
        filter_by: `id:=[${some.join(',')}]`,
        include_fields: `id,${REVISION_FIELD}`,
        per_page: READ_AT_ONCE,
        page: 1,
      },
    ]);
    for (const { document } of found?.hits ?? []) known.set(String(document['id']), Number(document[REVISION_FIELD]));
  }
  return known;
};

const failuresOf = (rows: readonly StoredDocumentRow[], lines: readonly ImportLine[]): readonly FeedFailure[] =>
  lines.flatMap((line, at) => {
    const row = rows[at];
    return line.success || !row ? [] : [{ id: row.id, reason: line.error ?? `refused with ${line.code}` }];
  });

class LeaseLost extends Error {
  constructor() {
    super('the right to write was lost');
    this.name = 'WriteRightLost';
  }
}

const assertMayWrite = ({ mayWrite }: FeedContext): void => {
  if (!mayWrite()) throw new LeaseLost();
};

/** Sends records of one kind to one collection; documents of a later revision stay. */
const feedCollection = async (
  feeding: FeedContext,
  collection: string,
  kind: Kind,
  rows: readonly StoredDocumentRow[],
  gone: readonly string[],
): Promise<readonly FeedFailure[]> => {
  const { typesense } = feeding;
  const known = await readSentRevisions(
    typesense,
    collection,
    rows.map(({ id }) => id),
  );
  const fresh = rows.filter(({ id, revision }) => (known.get(id) ?? 0) <= revision);
  const lines = fresh.map(({ stored, revision }) => buildImportLine(kind, stored, revision));
  assertMayWrite(feeding);
  if (gone.length > 0) await typesense.deleteDocuments(collection, gone);
  return lines.length > 0 ? failuresOf(fresh, await typesense.importLines(collection, lines, 'upsert')) : [];
};

/** A record to send; the type tells the collections to remove it from when it is gone. */
export type FeedItem = { readonly id: string; readonly entityType: string };

/**
 * Sends the current state of records to every collection that must have them. The survey must come first: a collection
 * created after it is filled with the later state. Throws when the server is unavailable.
 */
export const feedCollections = async (
  feeding: FeedContext,
  survey: CollectionSurvey,
  feeds: readonly FeedItem[],
): Promise<readonly FeedFailure[]> => {
  const rows = await feeding.graph.read(readStoredDocuments, { ids: feeds.map(({ id }) => id) });
  const there = new Set(rows.map(({ id }) => id));
  const unfed: FeedFailure[] = [];
  for (const entityType of new Set(feeds.map((feed) => feed.entityType))) {
    const kind = feeding.kinds.get(entityType);
    if (!kind?.search.index) continue;
    const own = rows.filter((row) => row.entityType === entityType);
    const gone = feeds.filter((feed) => feed.entityType === entityType && !there.has(feed.id)).map(({ id }) => id);
    for (const collection of collectionsToFeed(survey, kind)) {
      unfed.push(...(await feedCollection(feeding, collection, kind, own, gone)));
    }
  }
  return unfed;
};
