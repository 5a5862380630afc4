import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { createKeptAnswers, createRevisionReader } from '../../catalog/read/kept-answers.ts';
import type { Answer } from '../../http/route.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { readLineageRevisions } from '../queries.ts';
import { isPipeline, type LineageDepth } from './read-subgraph.ts';

/**
 * Keeps the lineage of records in memory, as callers who see every record get it. A new or removed edge changes the
 * lineage revision of both its ends, so an answer is current while the lineage revisions of its records are.
 */

/** What the lineage of a record depends on besides the state of the graph. */
export type LineageForm = {
  readonly kind: Kind;
  readonly id: string;
  readonly span: LineageDepth;
  readonly hrefBase: string | undefined;
};

export const lineageKey = ({ kind, id, span, hrefBase = '' }: LineageForm): string =>
  `${kind.entityType} ${id} ${span.upstream} ${span.downstream} ${hrefBase}`;

/** The records of an answer, with their lineage revisions as far as they were read. */
export type LineageRecords = ReadonlyMap<string, number | undefined>;

/** An answer; parts of some change without the revision of any record. */
export type KeptAnswer = {
  readonly content: Buffer;
  /** Whether these parts are as they were. */
  readonly isUnchanged?: (engine: Engine) => Promise<boolean>;
};

export const encodedLineage = ({ content }: Pick<KeptAnswer, 'content'>): Answer => ({
  status: 200,
  encoded: { mediaType: 'application/json', content },
});

export type KeptLineage = {
  find(key: string): Promise<KeptAnswer | undefined>;
  /** Keeps an answer about a record that tells of these records besides it. */
  keep(key: string, id: string, records: LineageRecords, answer: KeptAnswer): Promise<void>;
};

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Edges between services, domains and data products follow from other records, which the answer does not name. */
export const canKeepLineage = (engine: Pick<Engine, 'authorizer'>, principal: Principal, kind: Kind): boolean =>
  !kind.platformView && !isPipeline({ kind }) && canSeeEverything(engine, principal);

export const createKeptLineage = (engine: Engine): KeptLineage => {
  const { graph, changes, limits } = engine;
  const readRevisions = createRevisionReader(graph, readLineageRevisions);
  const answers = createKeptAnswers<KeptAnswer>({
    readRevisions,
    changes,
    confirmationMs: limits.confirmationMs,
    maxBytes: MAX_KEPT_BYTES,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    sizeOf: ({ content }) => content.length,
    isSame: (one, other) => one.content.equals(other.content),
    isUnchanged: async ({ isUnchanged }) => isUnchanged === undefined || isUnchanged(engine),
  });
  return {
    find: async (key) => {
      const [current] = await answers.chooseCurrent([answers.find(key)]);
      return current?.content;
    },
    keep: async (key, id, records, answer) => {
      if (answer.content.length > MAX_ANSWER_BYTES) return;
      const missing = [id, ...[...records].flatMap(([one, revision]) => (revision === undefined ? [one] : []))];
      const read = await readRevisions(missing);
      const revisionOf = (one: string): number => records.get(one) ?? read.get(one) ?? Number.NaN;
      const others = new Map([...records.keys()].map((one) => [one, revisionOf(one)]));
      others.delete(id);
      answers.keep(key, { id, revision: revisionOf(id), others }, answer);
    },
  };
};
