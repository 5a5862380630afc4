import type { Principal } from '../../access/principal.ts';
import type { Engine } from '../../catalog/engine.ts';
import { canSeeEverything } from '../../catalog/read/facts.ts';
import { createKeptAnswers, createRevisionReader } from '../../catalog/read/kept-answers.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { readLineageRevisions } from '../queries.ts';
import { isPipeline, type LineageDepth } from './read-subgraph.ts';

/**
 * Keeps the lineage of records in memory, as callers who see every record get it. A new or removed edge changes the
 * lineage revision of both its ends, so an answer is current while the lineage revisions of its records are.
 */

/** What an answer depends on besides the state of the graph. */
export type LineageForm = {
  readonly kind: Kind;
  readonly id: string;
  readonly span: LineageDepth;
  readonly hrefBase: string | undefined;
};

/** The records of an answer, with their lineage revisions as far as the walk read them. */
export type LineageRecords = ReadonlyMap<string, number | undefined>;

export type KeptLineage = {
  find(form: LineageForm): Promise<Buffer | undefined>;
  /** Keeps an answer that tells of these records besides the one it belongs to. */
  keep(form: LineageForm, records: LineageRecords, content: Buffer): Promise<void>;
};

const MAX_KEPT_BYTES = 64 * 1024 * 1024;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** Edges between services, domains and data products follow from other records, which the answer does not name. */
export const canKeepLineage = (engine: Pick<Engine, 'authorizer'>, principal: Principal, kind: Kind): boolean =>
  !kind.platformView && !isPipeline({ kind }) && canSeeEverything(engine, principal);

const answerKey = ({ kind, id, span, hrefBase = '' }: LineageForm): string =>
  `${kind.entityType} ${id} ${span.upstream} ${span.downstream} ${hrefBase}`;

export const createKeptLineage = ({
  graph,
  changes,
  limits: { confirmationMs },
}: Pick<Engine, 'graph' | 'changes' | 'limits'>): KeptLineage => {
  const readRevisions = createRevisionReader(graph, readLineageRevisions);
  const answers = createKeptAnswers<Buffer>({
    readRevisions,
    changes,
    confirmationMs,
    maxBytes: MAX_KEPT_BYTES,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    sizeOf: (content) => content.length,
    isSame: (one, other) => one.equals(other),
  });
  return {
    find: async (form) => {
      const [current] = await answers.chooseCurrent([answers.find(answerKey(form))]);
      return current?.content;
    },
    keep: async (form, records, content) => {
      if (content.length > MAX_ANSWER_BYTES) return;
      const missing = [form.id, ...[...records].flatMap(([id, revision]) => (revision === undefined ? [id] : []))];
      const read = await readRevisions(missing);
      const revisionOf = (id: string): number => records.get(id) ?? read.get(id) ?? Number.NaN;
      const others = new Map([...records.keys()].map((id) => [id, revisionOf(id)]));
      others.delete(form.id);
      answers.keep(answerKey(form), { id: form.id, revision: revisionOf(form.id), others }, content);
    },
  };
};
