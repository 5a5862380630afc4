import { AnyJson, Flag, Fraction, Integer, listOf, must, oneOf, Ref, shape, Timestamp, Uuid } from '../../values.ts';
import { LINEAGE_SOURCES } from '../lineage/lineage.ts';
import { InsightPaging } from './paging.ts';

/** The schemas of lineage that is declared, observed or both, and of requests that confirm or withdraw it. */

export const AGREEMENT_STATES = ['agreed', 'declaredOnly', 'observedOnly'] as const;
export type AgreementState = (typeof AGREEMENT_STATES)[number];

const Source = oneOf(LINEAGE_SOURCES);

const AgreementRow = shape('AgreementRow', {
  from: must(Ref),
  to: must(Ref),
  state: must(oneOf(AGREEMENT_STATES)),
  declared: must(listOf(Source)),
  observed: must(listOf(Source)),
  firstSeen: must(Timestamp),
  lastSeen: must(Timestamp),
  confidence: must(Fraction),
});

export const LineageAgreement = shape('LineageAgreement', {
  data: must(listOf(AgreementRow)),
  paging: must(InsightPaging),
  summary: must(
    shape('AgreementSummary', {
      agreed: must(Integer),
      declaredOnly: must(Integer),
      observedOnly: must(Integer),
    }),
  ),
});

/** An edge in a request. */
export const EdgeEndIds = shape('EdgeEndIds', { from: must(Uuid), to: must(Uuid) });

const MAX_ROWS = 1_000_000;

const confirmed = { dryRun: Flag };
const withdrawn = { sources: listOf(Source), dryRun: Flag };

/** Requests as they are described. */
export const EdgeConfirmation = shape('EdgeConfirmation', { edges: must(listOf(EdgeEndIds, MAX_ROWS)), ...confirmed });
export const EdgeWithdrawal = shape('EdgeWithdrawal', { edges: must(listOf(EdgeEndIds, MAX_ROWS)), ...withdrawn });

/** Requests whose edges are validated one by one, so that a wrong one does not spoil the others. */
const unreadEdges = { edges: must(listOf(AnyJson, MAX_ROWS)) };
export const UnreadConfirmation = shape('UnreadConfirmation', { ...unreadEdges, ...confirmed });
export const UnreadWithdrawal = shape('UnreadWithdrawal', { ...unreadEdges, ...withdrawn });
