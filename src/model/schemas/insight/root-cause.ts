import { Flag, Fqn, Integer, listOf, must, Num, oneOf, Ref, shape, Text, Timestamp, Uuid } from '../../values.ts';
import { ColumnOfChange } from './changes.ts';

/** The schemas of the answer that says why data is wrong. */

export const EVIDENCE_KINDS = ['schema', 'lineage', 'lifecycle', 'run', 'contract', 'test'] as const;
export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

const RootCauseFailure = shape('RootCauseFailure', {
  entity: must(Ref),
  kind: must(oneOf(['test', 'contract'])),
  name: must(Text),
  since: must(Timestamp),
});

const RootCauseEvidence = shape('RootCauseEvidence', {
  at: must(Timestamp),
  kind: must(oneOf(EVIDENCE_KINDS)),
  text: must(Text),
  eventId: Uuid,
});

const RootCauseSuspect = shape('RootCauseSuspect', {
  entity: must(Ref),
  column: ColumnOfChange,
  score: must(Num),
  depth: must(Integer),
  covers: must(Integer),
  trail: must(listOf(Fqn)),
  evidence: must(listOf(RootCauseEvidence)),
});

export const RootCauseAnswer = shape('RootCause', {
  subject: must(Ref),
  failures: must(listOf(RootCauseFailure)),
  suspects: must(listOf(RootCauseSuspect)),
  truncated: must(Flag),
});
