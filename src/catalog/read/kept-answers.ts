import { LRUCache } from 'lru-cache';
import type { ChangeWatch } from '../../graph/change-watch.ts';
import { coalesce } from '../../graph/coalesce.ts';
import { type BoundStatement, statement } from '../../graph/statement.ts';
import type { RecordSource } from './batch-read.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * Keeps in memory what was made from records. Each use compares the revisions of the record and of all records whose
 * data it contains with the database, so that it is never older than the read, whichever process wrote. What was compared
 * after the newest change of the store need not be compared again.
 */

/** The state of the records that something was made from. */
type RecordState = {
  readonly id: string;
  readonly revision: number;
  /** The revisions of the other records whose data it contains, by id. */
  readonly others: ReadonlyMap<string, number>;
};

export type Kept<T> = RecordState & {
  readonly content: T;
  /** When it was first made. */
  readonly madeMs: number;
  /** Whether it was made again since, and was the same. */
  readonly isConfirmed: boolean;
  /** The bookmark of the change after which its revisions were last compared with the database. */
  comparedAfter?: string | undefined;
};

type Revisions = ReadonlyMap<string, number | undefined>;

/**
 * Reads the current revisions of records, after a change if its bookmark is given. Those of records that do not exist are
 * missing.
 */
export type ReadRevisions = (ids: readonly string[], after?: string) => Promise<Revisions>;

export type KeptAnswers<T> = {
  /** Returns the confirmed answer under a key, which may be out of date. */
  find(key: string): Kept<T> | undefined;
  /**
   * Returns those answers that are still right, in their order. `alreadyRead` are revisions that need not be read again.
   */
  chooseCurrent(
    known: readonly (Kept<T> | undefined)[],
    alreadyRead?: Revisions,
  ): Promise<readonly (Kept<T> | undefined)[]>;
  /** Keeps an answer, and confirms it if the same answer was kept some time ago. */
  keep(key: string, state: RecordState, content: T): void;
};

/** How answers are compared with the database. */
export type AnswerChecks = {
  readonly readRevisions: ReadRevisions;
  readonly changes: ChangeWatch;
  /**
   * The database shows a commit bit by bit, so what is made meanwhile may mix a new revision with former relations. It is
   * used only if it was made twice alike, this far apart.
   */
  readonly confirmationMs: number;
};

type KeptAnswersOptions<T> = AnswerChecks & {
  readonly maxBytes: number;
  /** Something larger would displace too much else. */
  readonly maxAnswerBytes: number;
  readonly sizeOf: (content: T) => number;
  readonly isSame: (one: T, other: T) => boolean;
  /** Whether what changes without the revision of any record is as it was; by default nothing else changes answers. */
  readonly isUnchanged?: (content: T) => Promise<boolean>;
};

/** An estimate of the memory that an answer needs besides its content. */
const OVERHEAD_BYTES = 1024;

/** The maximum number of requests that share a query of revisions. */
const MAX_BATCH = 256;

/** A statement that returns a number for each record, which grows with every change of what was made from the record. */
type RevisionStatement = BoundStatement<
  { readonly ids: readonly string[] },
  { readonly ids: readonly string[]; readonly revisions: readonly number[] }
>;

export const declareRevisionStatement = (name: string): RevisionStatement =>
  statement(name, { params: ['ids'], row: ['ids', 'revisions'] });

const readRecordRevisions = declareRevisionStatement('catalog/record/read_revisions');

type RevisionRequest = { readonly ids: readonly string[]; readonly after: string | undefined };

/** Concurrent requests share a query, and each record is read once. */
export const createRevisionReader = (graph: RecordSource, readRows = readRecordRevisions): ReadRevisions => {
  const read = coalesce({
    name: readRows.name,
    observer: graph.observer,
    maxBatch: MAX_BATCH,
    load: async (requests: readonly RevisionRequest[]) => {
      const ids = [...new Set(requests.flatMap((request) => request.ids))];
      const after = [...new Set(requests.flatMap((request) => request.after ?? []))];
      const [row] = await graph.read(readRows, { ids }, { after });
      const revisions = new Map(row?.ids.map((id, at) => [id, row.revisions[at]]));
      return requests.map(() => revisions);
    },
  });
  return (ids, after) => read({ ids, after });
};

/** Returns the state of a record that was read, and of the other records whose data it contains. */
export const recordStateOf = (record: Snapshot): RecordState => {
  const { id, revision = Number.NaN, ancestors, owners, domains, dataProducts, followers, voters, mentioned } = record;
  const others = new Map(record.tagRevisions);
  for (const nodes of [ancestors, owners, domains, dataProducts, followers, voters, mentioned.values()]) {
    for (const other of nodes ?? []) others.set(other.id, other.revision ?? Number.NaN);
  }
  return { id, revision, others };
};

const isSameState = (one: RecordState, other: RecordState): boolean =>
  one.revision === other.revision &&
  one.others.size === other.others.size &&
  [...one.others].every(([id, revision]) => other.others.get(id) === revision);

const isCurrent = ({ id, revision, others }: RecordState, current: Revisions): boolean => {
  if (current.get(id) !== revision) return false;
  for (const [other, known] of others) if (current.get(other) !== known) return false;
  return true;
};

const NO_REVISIONS: Revisions = new Map();

type Candidates<T> = readonly (Kept<T> | undefined)[];

/** Chooses the answers that are current by revisions that were read for them, and by those read already. */
const compare = async <T>(
  readRevisions: ReadRevisions,
  known: Candidates<T>,
  alreadyRead: Revisions,
  after?: string,
): Promise<Candidates<T>> => {
  const ids = new Set(known.flatMap((one) => (one ? [one.id, ...one.others.keys()] : [])));
  for (const id of alreadyRead.keys()) ids.delete(id);
  const read = ids.size > 0 ? await readRevisions([...ids], after) : NO_REVISIONS;
  const current = alreadyRead.size > 0 ? new Map([...read, ...alreadyRead]) : read;
  return known.map((one) => (one && isCurrent(one, current) ? one : undefined));
};

export const createKeptAnswers = <T extends object>({
  readRevisions,
  changes,
  confirmationMs,
  maxBytes,
  maxAnswerBytes,
  sizeOf,
  isSame,
  isUnchanged,
}: KeptAnswersOptions<T>): KeptAnswers<T> => {
  // The rest is read after the revisions, so that it is not older than these either.
  const compareAll = async (known: Candidates<T>, alreadyRead: Revisions, after?: string): Promise<Candidates<T>> => {
    const current = await compare(readRevisions, known, alreadyRead, after);
    if (!isUnchanged) return current;
    return Promise.all(current.map(async (one) => (one && (await isUnchanged(one.content)) ? one : undefined)));
  };
  const answers = new LRUCache<string, Kept<T>>({
    maxSize: maxBytes,
    maxEntrySize: maxAnswerBytes,
    sizeCalculation: ({ content }) => sizeOf(content) + OVERHEAD_BYTES,
  });
  return {
    find: (key) => {
      const known = answers.get(key);
      return known?.isConfirmed ? known : undefined;
    },
    chooseCurrent: async (known, alreadyRead = NO_REVISIONS) => {
      const asked = known.filter((one) => one !== undefined);
      // What was read already may have been read before the newest change.
      const after = asked.length > 0 && alreadyRead.size === 0 ? changes.settled() : undefined;
      if (after === undefined) return compareAll(known, alreadyRead);
      if (asked.every(({ comparedAfter }) => comparedAfter === after)) {
        if (await changes.isNewest(after)) return known;
        return compareAll(known, alreadyRead);
      }
      const current = await compareAll(known, alreadyRead, after);
      for (const one of current) if (one) one.comparedAfter = after;
      return current;
    },
    keep: (key, state, content) => {
      const now = performance.now();
      const known = answers.get(key);
      const madeMs = known && isSameState(known, state) && isSame(known.content, content) ? known.madeMs : now;
      answers.set(key, { ...state, content, madeMs, isConfirmed: now - madeMs >= confirmationMs });
    },
  };
};
