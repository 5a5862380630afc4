import type { GenericSchema } from 'valibot';
import { readRequiredJson } from '../../catalog/read/answer.ts';
import * as schema from '../../catalog/routes/schemas.ts';
import { parseBulkRows } from '../../catalog/write/bulk.ts';
import { takePage } from '../../http/computed-page.ts';
import { HINT_HEADER } from '../../http/hint.ts';
import type { Answer, Call, Route } from '../../http/route.ts';
import { engineWithAbortSignal } from '../../lineage/read/abort-signal.ts';
import type { EdgeStore } from '../../lineage/write/edge-store.ts';
import type { Json } from '../../model/json.ts';
import {
  AGREEMENT_STATES,
  EdgeConfirmation,
  EdgeWithdrawal,
  LineageAgreement,
  UnreadConfirmation,
  UnreadWithdrawal,
} from '../../model/schemas/insight/agreement.ts';
import { dropNulls, validate } from '../../model/validate.ts';
import { type InsightRoom, openScopedView } from '../graph/insight-room.ts';
import {
  answerPage,
  INSIGHT_PAGE_PARAMETERS,
  insightList,
  readStates,
  SCOPE_PARAMETER,
  statesParameter,
} from '../insight-parameters.ts';
import { OBSERVED_SOURCES } from './agreement.ts';
import { confirmEdges, type DecideEdges, decideOnEdges, withdrawSources } from './decide-edges.ts';
import { surveyAgreement } from './list-edges.ts';
import { AGREEMENT_CELLS, edgeEndsKey, readAgreementRows } from './read-rows.ts';

/**
 * Routes of lineage that is declared, observed, or both. `agreement.ts` judges the sources of an edge, `list-edges.ts`
 * finds edges in the graph in memory, `read-rows.ts` reads what is stated of them, and `decide-edges.ts` changes it.
 */

const handleAgreement =
  (room: InsightRoom) =>
  async (call: Call): Promise<Answer> => {
    const states = readStates(call, AGREEMENT_STATES);
    const { scope, view } = await openScopedView(room, call);
    const { edges, endsOf, summary } = await surveyAgreement(view, scope, states);
    const page = takePage(call, { rows: edges, cut: view.cut }, (edge) => edgeEndsKey(endsOf(edge)));
    const engine = engineWithAbortSignal(room.engine, call.signal);
    const data = await readAgreementRows(engine, call, page.rows.map(endsOf), states);
    return answerPage(
      call,
      { ...page, rows: data },
      { columns: AGREEMENT_CELLS, render: () => ({ data, paging: page.paging, summary }) },
    );
  };

type Decision = { readonly edges: readonly Json[]; readonly sources?: readonly string[]; readonly dryRun?: boolean };

const handleDecision =
  (
    { engine, views }: InsightRoom,
    edges: EdgeStore,
    unread: GenericSchema,
    decideBy: (decision: Decision) => DecideEdges,
  ) =>
  async (call: Call): Promise<Answer> => {
    const decision = validate(unread, dropNulls((await readRequiredJson(call)) as Json)) as Decision;
    const rows = parseBulkRows(engine, decision.edges);
    const isDryRun = decision.dryRun ?? false;
    const answer = await decideOnEdges(edges, call.principal, { rows, isDryRun }, decideBy(decision));
    if (!isDryRun) await views.expire();
    return { status: 200, ...answer };
  };

const decisionRoute = {
  tag: 'Lineage',
  isOwn: true,
  access: {
    operation: 'EditLineage',
    resource: 'lineage',
    also: 'It is needed on both endpoints of each edge; each row is authorized separately.',
    anyOf: [],
  },
  method: 'POST',
  responses: { 200: schema.bulkResultSchema },
  sends: [HINT_HEADER],
} as const;

const JSON_BODY = ['application/json'] as const;

export const agreementRoutes = (room: InsightRoom, edges: EdgeStore): Route[] => [
  {
    ...insightList,
    tag: 'Lineage',
    method: 'GET',
    path: '/v1/lineage/agreement',
    summary: 'List lineage edges by whether they are declared or observed',
    query: [SCOPE_PARAMETER, statesParameter(AGREEMENT_STATES), ...INSIGHT_PAGE_PARAMETERS],
    responses: { 200: LineageAgreement },
    handle: handleAgreement(room),
  },
  {
    ...decisionRoute,
    path: '/v1/lineage/agreement/confirm',
    summary: 'Confirm lineage edges',
    body: { schema: EdgeConfirmation, mediaTypes: JSON_BODY },
    handle: handleDecision(room, edges, UnreadConfirmation, () => confirmEdges),
  },
  {
    ...decisionRoute,
    path: '/v1/lineage/agreement/withdraw',
    summary: 'Withdraw what sources state of lineage edges',
    body: { schema: EdgeWithdrawal, mediaTypes: JSON_BODY },
    handle: handleDecision(room, edges, UnreadWithdrawal, ({ sources = OBSERVED_SOURCES }) =>
      withdrawSources(new Set(sources)),
    ),
  },
];
