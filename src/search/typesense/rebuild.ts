import type { Kind } from '../../model/kind/kind.ts';
import { collectionAliasOf, collectionNameFor, collectionSchemaFor } from './collection-schema.ts';
import { compareCollection, hasDifferences } from './compare-collection.ts';
import { type FeedContext, feedCollections } from './feed.ts';
import { buildImportLine } from './import-line.ts';
import { listStoredDocuments, type StoredDocumentRow } from './queries.ts';
import { surveyCollections } from './survey-collections.ts';

/**
 * Fills new collections from the graph while the old ones serve (search.md 7.5). Feeds look the collections up, so
 * changes go to both as soon as a new one exists; an import never overwrites what a feed has sent.
 */

export type RebuildContext = Omit<FeedContext, 'mayWrite'> & {
  readonly prefix: string;
  readonly now: () => number;
  /** Called with the number of documents sent so far. */
  readonly progress?: (sent: number) => void;
  readonly batch?: number;
  /** Checked before every batch. */
  readonly isWanted?: () => boolean;
};

export type RebuiltCollection = {
  readonly kind: Kind;
  readonly collection: string;
  /** The collection that served before. */
  readonly previous: string | undefined;
  readonly documents: number;
};

const BATCH = 500;
/** The most repairs, because records may change during the comparison. */
const MAX_REPAIRS = 5;
const CONFLICT_STATUS = 409;

const importBatch = async (
  { typesense, kinds }: RebuildContext,
  names: ReadonlyMap<Kind, string>,
  rows: readonly StoredDocumentRow[],
): Promise<void> => {
  for (const [kind, collection] of names) {
    const own = rows.filter(({ entityType }) => kinds.get(entityType) === kind);
    if (own.length === 0) continue;
    const lines = own.map(({ stored, revision }) => buildImportLine(kind, stored, revision));
    const answers = await typesense.importLines(collection, lines, 'create');
    const refused = answers.find(({ success, code }) => !success && code !== CONFLICT_STATUS);
    if (refused) throw new Error(`${collection} refused a document: ${refused.error}`);
  }
};

/** Reads the next page while the previous one is sent. */
const importDocuments = async (rebuilding: RebuildContext, names: ReadonlyMap<Kind, string>): Promise<void> => {
  const { graph, batch = BATCH, progress = () => {}, isWanted = () => true } = rebuilding;
  const entityTypes = [...names.keys()].map(({ entityType }) => entityType);
  const read = (after: string) => graph.read(listStoredDocuments, { after, entityTypes, limit: batch });
  let sent = 0;
  for (let rows = await read(''); ; ) {
    if (!isWanted()) throw new Error('the rebuild was called off');
    const last = rows.length === batch ? rows.at(-1)?.id : undefined;
    const [next] = await Promise.all([last === undefined ? [] : read(last), importBatch(rebuilding, names, rows)]);
    sent += rows.length;
    progress(sent);
    if (last === undefined) return;
    rows = next;
  }
};

/**
 * Compares and repairs until both are equal, or until only new differences appear: these come from changes in progress.
 * Returns the number of documents.
 */
const repairUntilEqual = async (rebuilding: RebuildContext, kind: Kind, collection: string): Promise<number> => {
  const { graph, typesense, prefix, kinds } = rebuilding;
  let before: ReadonlySet<string> = new Set();
  for (let repairs = 0; ; repairs += 1) {
    const difference = await compareCollection(graph, typesense, kind, collection);
    if (!hasDifferences(difference)) return difference.documents;
    const { missing, outdated, extra } = difference;
    const ids = [...missing, ...outdated, ...extra];
    const isUnderWay = repairs > 0 && !ids.some((id) => before.has(id));
    if (repairs === MAX_REPAIRS && !isUnderWay) {
      const counts = `${missing.length} missing, ${outdated.length} outdated, ${extra.length} too many`;
      throw new Error(`${collection} is not what the graph is: ${counts}`);
    }
    const survey = await surveyCollections(typesense, prefix, [kind]);
    const feeds = ids.map((id) => ({ id, entityType: kind.entityType }));
    const [unfed] = await feedCollections({ graph, typesense, kinds, mayWrite: () => true }, survey, feeds);
    if (unfed) throw new Error(`${collection} refused a document: ${unfed.reason}`);
    if (isUnderWay) return difference.documents;
    before = new Set(ids);
  }
};

/**
 * Creates new collections for these kinds and switches the aliases to them. A failure before the switch changes
 * nothing.
 */
export const rebuildCollections = async (
  rebuilding: RebuildContext,
  wanted: readonly Kind[],
): Promise<readonly RebuiltCollection[]> => {
  const { typesense, prefix, now } = rebuilding;
  const { clashes } = await surveyCollections(typesense, prefix, wanted);
  const [clash] = clashes;
  if (clash) throw new Error(`the server has a collection where an alias is to be: ${clash}`);
  const made = new Map<Kind, string>();
  const pointed = new Set<string>();
  try {
    for (const kind of wanted) {
      const name = collectionNameFor(prefix, kind, now());
      await typesense.createCollection(collectionSchemaFor(kind, name));
      made.set(kind, name);
    }
    await importDocuments(rebuilding, made);
    const counts = new Map<Kind, number>();
    for (const [kind, name] of made) counts.set(kind, await repairUntilEqual(rebuilding, kind, name));
    const before = new Map((await typesense.aliases()).map(({ name, collection }) => [name, collection]));
    const done: RebuiltCollection[] = [];
    for (const [kind, collection] of made) {
      const alias = collectionAliasOf(prefix, kind);
      await typesense.setAlias(alias, collection);
      pointed.add(collection);
      done.push({ kind, collection, previous: before.get(alias), documents: counts.get(kind) ?? 0 });
    }
    return done;
  } catch (failure) {
    const unused = [...made.values()].filter((name) => !pointed.has(name));
    // A collection that cannot be removed now is listed as unused; the original failure is reported.
    await Promise.allSettled(unused.map((name) => typesense.dropCollection(name)));
    throw failure;
  }
};
