import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../model/json.ts';
import { memoisePerKind } from '../../model/kind/derived-values.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { documentSourceMembers } from '../../search-documents/document.ts';
import { canKeepMembers } from './keepable-members.ts';
import { type AnswerChecks, createKeptAnswers, type Kept, recordStateOf } from './kept-answers.ts';
import type { Snapshot } from './snapshot.ts';
import type { Store } from './store.ts';

/** Keeps the search documents of records in memory, as callers who see every record get them. */

type KeptDocument = { readonly kind: Kind; readonly document: JsonObject; readonly characters: number };

export type KeptDocuments = {
  /** Returns the current documents of records, by id, as far as they are known. */
  find(ids: readonly string[], hrefBase: string | undefined): Promise<ReadonlyMap<string, KeptDocument>>;
  /** Returns the other records whose data the kept document of a record contains; undefined unless it is kept. */
  findMentioned(id: string, hrefBase: string | undefined): Iterable<string> | undefined;
  /** Keeps the document of a record that was just read, unless it is deleted or depends on more than revisions. */
  keep(record: Snapshot, hrefBase: string | undefined, document: JsonObject): void;
};

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** An estimate of the memory that an object needs for each character of its text. */
const BYTES_PER_CHARACTER = 3;

/** The counts in a kind's documents. They change without a new revision, so they are read for each use. */
const countMembers = memoisePerKind((kind): readonly string[] => {
  const sources = documentSourceMembers(kind);
  return Object.entries(kind.attributes).flatMap(([name, attribute]) =>
    attribute.store === 'walked' && attribute.answers === 'count' && sources.has(name) ? [name] : [],
  );
});

/** Documents show usage without the day on which it is asked for, so it changes only with a new revision. */
const canKeepDocument = memoisePerKind((kind): boolean => {
  const apart = new Set(['usageSummary', ...countMembers(kind)]);
  return canKeepMembers(
    kind,
    [...documentSourceMembers(kind)].filter((name) => !apart.has(name)),
  );
});

/** The counts in a document, in the order in which they are read. */
export const documentCounts = (kind: Kind, document: JsonObject): readonly number[] =>
  countMembers(kind).map((name) => Number(document[name] ?? 0));

/** Reads the counts of a record that its document contains, in one order. */
export const readDocumentCounts = (
  { readCount }: Pick<Store, 'readCount'>,
  kind: Kind,
  id: string,
): Promise<readonly number[]> => Promise.all(countMembers(kind).map((name) => readCount(kind, name, id)));

const answerKey = (id: string, hrefBase = ''): string => `${id} ${hrefBase}`;

export const createKeptDocuments = (checks: AnswerChecks, store: Pick<Store, 'readCount'>): KeptDocuments => {
  const answers = createKeptAnswers<KeptDocument>({
    ...checks,
    maxBytes: MAX_KEPT_BYTES,
    maxAnswerBytes: MAX_DOCUMENT_BYTES,
    sizeOf: ({ characters }) => characters * BYTES_PER_CHARACTER,
    isSame: (one, other) => isDeepStrictEqual(one.document, other.document),
  });
  const withCounts = async ({ id, content }: Kept<KeptDocument>): Promise<KeptDocument> => {
    const { kind, document } = content;
    const read = await readDocumentCounts(store, kind, id);
    const counts = countMembers(kind).map((name, at) => [name, read[at] ?? 0] as const);
    const isSame = counts.every(([name, count]) => document[name] === count);
    return isSame ? content : { ...content, document: { ...document, ...Object.fromEntries(counts) } };
  };
  return {
    find: async (ids, hrefBase) => {
      const known = ids.map((id) => answers.find(answerKey(id, hrefBase)));
      const [current, counted] = await Promise.all([
        answers.chooseCurrent(known),
        Promise.all(known.map((one) => one && withCounts(one))),
      ]);
      return new Map(
        current.flatMap((one, at) => {
          const found = counted[at];
          return one && found ? [[one.id, found] as const] : [];
        }),
      );
    },
    findMentioned: (id, hrefBase) => answers.find(answerKey(id, hrefBase))?.others.keys(),
    keep: (record, hrefBase, document) => {
      const { kind, id, deleted, weight } = record;
      // What is certainly too long is not even measured.
      const isTooLong = weight * BYTES_PER_CHARACTER > MAX_DOCUMENT_BYTES;
      if (deleted || isTooLong || !canKeepDocument(kind)) return;
      const characters = JSON.stringify(document).length;
      answers.keep(answerKey(id, hrefBase), recordStateOf(record), { kind, document, characters });
    },
  };
};
