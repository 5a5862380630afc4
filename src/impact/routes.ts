import { pointerOf } from '../catalog/desire/candidate.ts';
import type { Engine } from '../catalog/engine.ts';
import { requiredJson, viewFor } from '../catalog/read/answer.ts';
import { permit, VIEW } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { kindNamed } from '../catalog/registry.ts';
import type { Config } from '../config.ts';
import { TARGET_FIELDS } from '../contracts/exchange/target.ts';
import type { Documents } from '../contracts/odcs/documents.ts';
import { CONTRACT } from '../contracts/steward.ts';
import { findSubject } from '../contracts/subject.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { findById } from '../lineage/ends.ts';
import { cutHeaders } from '../lineage/entity-lineage.ts';
import { heedingEngine } from '../lineage/heed.ts';
import { openSqlReader, type SqlReader } from '../lineage/sql/reader.ts';
import { ContractCheck, ContractCheckResult } from '../model/contract-check-values.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { check, dropNulls } from '../model/validate.ts';
import type { Breaks } from './breaks.ts';
import { checkChanges } from './check.ts';
import { proposedChanges, proposedIn } from './proposal.ts';

type Room = {
  readonly engine: Engine;
  readonly limits: Config['limits'];
  readonly breaks: Breaks;
  readonly reader: SqlReader;
  readonly documents: Documents;
};

const checkChange =
  ({ engine: whole, limits, breaks, reader, documents }: Room) =>
  async (call: Call): Promise<Answer> => {
    const asked = check(ContractCheck, dropNulls((await requiredJson(call)) as Json)) as JsonObject;
    const proposed = proposedIn(asked['proposed'] as JsonObject);
    const engine = heedingEngine(whole, call.signal);
    const subject = await findSubject(engine, pointerOf(asked['entity'] as JsonObject), TARGET_FIELDS);
    await permit(engine, call.principal, VIEW, subject);
    const changes = await proposedChanges({ engine, reader, documents }, subject, proposed);
    const root = await findById(engine, subject.id);
    const budget = { nodes: limits.lineageNodes, edges: limits.lineageEdges };
    const asker = { principal: call.principal, view: viewFor(engine, call, NO_FIELDS) };
    const checking = { engine, breaks, budget, maxDepth: limits.lineageDepth };
    const { json, truncated } = await checkChanges(checking, asker, root, changes);
    return { status: 200, headers: cutHeaders(truncated), json };
  };

/** Where contracts meet lineage: what a change would break that nobody has made yet. */
export const impactRoutes = (room: Omit<Room, 'reader'>): Route[] => {
  const { engine } = room;
  const kind = kindNamed(engine.registry, CONTRACT);
  const also = 'It is asked of the record, not of its contract.';
  return [
    {
      tag: kind.title,
      access: { operation: 'ViewBasic', resource: CONTRACT, also },
      method: 'POST',
      path: `/v1/${kind.path}/check`,
      summary: 'Tell what a change of columns would break, of contracts here and downstream',
      body: { schema: ContractCheck, mediaTypes: ['application/json'] },
      responses: { 200: ContractCheckResult },
      isHeavy: true,
      handle: checkChange({ ...room, reader: openSqlReader() }),
    },
  ];
};
