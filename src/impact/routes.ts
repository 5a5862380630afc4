import type { Engine } from '../catalog/engine.ts';
import { createView, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord, VIEW_OPERATIONS } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { requireKind } from '../catalog/registry.ts';
import { parseRecordPointer } from '../catalog/resolve/record-pointers.ts';
import type { Config } from '../config.ts';
import { TARGET_FIELDS } from '../contracts/exchange/import-target.ts';
import { CONTRACT } from '../contracts/hooks.ts';
import type { OdcsDocuments } from '../contracts/odcs/texts/documents.ts';
import { findSubject } from '../contracts/subject.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { findEndpointById } from '../lineage/endpoints.ts';
import { engineWithAbortSignal } from '../lineage/read/abort-signal.ts';
import { truncationHeaders } from '../lineage/read/entity-lineage.ts';
import { openSqlReader, type SqlReader } from '../lineage/sql/reader.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { ContractCheck, ContractCheckResult } from '../model/schemas/contracts/contract-check.ts';
import { dropNulls, validate } from '../model/validate.ts';
import type { BrokenClauseFinder } from './broken-contracts.ts';
import { checkColumnChanges } from './check.ts';
import { parseColumnProposal, readProposedChanges } from './proposal.ts';

type ImpactRoutesContext = {
  readonly engine: Engine;
  readonly limits: Config['limits'];
  readonly breaks: BrokenClauseFinder;
  readonly reader: SqlReader;
  readonly documents: OdcsDocuments;
};

const checkProposedChange =
  ({ engine: sharedEngine, limits, breaks, reader, documents }: ImpactRoutesContext) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(ContractCheck, dropNulls((await readRequiredJson(call)) as Json)) as JsonObject;
    const proposed = parseColumnProposal(body['proposed'] as JsonObject);
    const engine = engineWithAbortSignal(sharedEngine, call.signal);
    const subject = await findSubject(engine, parseRecordPointer(body['entity'] as JsonObject), TARGET_FIELDS);
    await authorizeRecord(engine, call.principal, VIEW_OPERATIONS, subject);
    const changes = await readProposedChanges(
      { engine, principal: call.principal, reader, documents },
      subject,
      proposed,
    );
    const root = await findEndpointById(engine, subject.id);
    const budget = { nodes: limits.lineageNodes, edges: limits.lineageEdges };
    const caller = { principal: call.principal, view: createView(engine, call, NO_FIELDS) };
    const checking = { engine, breaks, budget, maxDepth: limits.lineageDepth };
    const { json, truncated } = await checkColumnChanges(checking, caller, root, changes);
    return { status: 200, headers: truncationHeaders(truncated), json };
  };

/** Routes that check which contracts and downstream records a proposed column change would break. */
export const contractCheckRoutes = (context: Omit<ImpactRoutesContext, 'reader'>): Route[] => {
  const { engine } = context;
  const kind = requireKind(engine.registry, CONTRACT);
  const also = 'It is asked of the record, not of its contract.';
  return [
    {
      tag: kind.title,
      access: { operation: 'ViewBasic', resource: CONTRACT, also },
      isOwn: true,
      method: 'POST',
      path: `/v1/${kind.path}/check`,
      summary: 'Check which contracts a change of columns would break, including downstream',
      body: { schema: ContractCheck, mediaTypes: ['application/json'] },
      responses: { 200: ContractCheckResult },
      sends: ['X-Lineage-Truncated'],
      isHeavy: true,
      handle: checkProposedChange({ ...context, reader: openSqlReader({ timeoutMs: engine.limits.sqlTextMs }) }),
    },
  ];
};
