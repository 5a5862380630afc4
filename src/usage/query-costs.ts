import { randomUUID } from 'node:crypto';
import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { createStep, notFoundFactory, STEP_ORDER } from '../catalog/plan/step.ts';
import { createView, readRequiredJson } from '../catalog/read/answer.ts';
import { authorizeRecord } from '../catalog/read/facts.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { renderRef } from '../catalog/read/render.ts';
import { type Snapshot, toRefNode } from '../catalog/read/snapshot.ts';
import { requireKind } from '../catalog/registry.ts';
import { badRequest, recordNotFound } from '../errors.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { countingParameter, integerParameter, limitParameter, textParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json, JsonObject } from '../model/json.ts';
import { CreateQueryCost, MAX_QUERY_COSTS, QueryCost, QueryCostList } from '../model/schemas/usage/query-cost.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { deleteQueryCosts, listQueryCosts, type StoredQueryCost, updateQueryCosts } from './queries.ts';

/** What queries cost, as collectors of query logs report it. */

const QUERY = 'query';
const LAST_MOMENT = Number.MAX_SAFE_INTEGER;

const findQuery = async (engine: Engine, principal: Principal, id: string, operation: string): Promise<Snapshot> => {
  const kind = requireKind(engine.registry, QUERY);
  const record = isUuid(id) ? await engine.store.record(kind, { id }, NO_FIELDS) : undefined;
  if (!record || record.deleted) throw recordNotFound(QUERY, id);
  await authorizeRecord(engine, principal, [operation], record);
  return record;
};

/** The key of a cost sorts by time among those of its query. */
const costKey = (id: string, timestamp: number): string => `${id} ${String(timestamp).padStart(16, '0')}`;

type Reported = Pick<StoredQueryCost, 'timestamp' | 'cost' | 'count'> & {
  readonly totalDuration?: number;
  readonly queryReference: { readonly id?: string; readonly type?: string };
};

const storeCost = (engine: Engine, { id }: Snapshot, reported: Reported): Promise<void> => {
  const { timestamp, cost, count, totalDuration = 0 } = reported;
  const values = { timestamp, cost, count, totalDuration, updatedAt: engine.clock() };
  const row = {
    id,
    key: costKey(id, timestamp),
    costId: randomUUID(),
    values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, encodeProperty(value)])),
  };
  return engine.commit({
    keys: [],
    steps: [
      createStep(updateQueryCosts, STEP_ORDER.link, [row], notFoundFactory(QUERY, id)),
      createStep(deleteQueryCosts, STEP_ORDER.label, [{ id, kept: encodeProperty(MAX_QUERY_COSTS) }]),
    ],
  });
};

const readCosts = async (
  engine: Engine,
  call: Call,
  query: Snapshot,
  span: { readonly start: number; readonly end: number; readonly limit: number },
): Promise<JsonObject[]> => {
  const [from, to] = [costKey(query.id, span.start), costKey(query.id, span.end)];
  const rows = await engine.graph.read(listQueryCosts, { from, to, limit: span.limit });
  const queryReference = renderRef(toRefNode(query), createView(engine, call, NO_FIELDS));
  return rows.map(({ cost }) => ({ ...cost, jsonSchema: 'queryCostRecord', queryReference }));
};

const postCost =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(CreateQueryCost, dropNulls((await readRequiredJson(call)) as Json)) as unknown as Reported;
    const { queryReference, timestamp } = body;
    if (queryReference.type !== undefined && queryReference.type !== QUERY) {
      throw badRequest('[queryReference.type must be query]');
    }
    if (queryReference.id === undefined) throw badRequest('[queryReference.id must not be null]');
    const query = await findQuery(engine, call.principal, queryReference.id, 'EditUsage');
    await storeCost(engine, query, body);
    const [json] = await readCosts(engine, call, query, { start: timestamp, end: timestamp, limit: 1 });
    if (!json) throw recordNotFound(QUERY, query.id);
    return { status: 200, json };
  };

const listCosts =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const start = integerParameter(call.query, 'startTs', 0, 0, LAST_MOMENT);
    const end = integerParameter(call.query, 'endTs', LAST_MOMENT, 0, LAST_MOMENT);
    const limit = integerParameter(call.query, 'limit', MAX_QUERY_COSTS, 1, MAX_QUERY_COSTS);
    const id = call.query.get('queryId');
    if (!id) throw badRequest('[queryId must not be null]');
    const query = await findQuery(engine, call.principal, id, 'ViewUsage');
    return { status: 200, json: { data: await readCosts(engine, call, query, { start, end, limit }) } };
  };

/** Routes for what queries cost. */
export const queryCostRoutes = (engine: Engine): Route[] => [
  {
    method: 'POST',
    path: '/v1/queryCostRecord',
    summary: 'Record what a query cost',
    tag: 'Usage',
    access: { operation: 'EditUsage', resource: QUERY },
    body: { schema: CreateQueryCost, mediaTypes: ['application/json'] },
    responses: { 200: QueryCost },
    handle: postCost(engine),
  },
  {
    method: 'GET',
    path: '/v1/queryCostRecord',
    summary: 'List what a query cost',
    tag: 'Usage',
    access: { operation: 'ViewUsage', resource: QUERY },
    query: [
      textParameter('queryId', 'Id of the query'),
      countingParameter('startTs', 'First moment, in milliseconds'),
      countingParameter('endTs', 'Last moment, in milliseconds'),
      limitParameter('costs', 1, MAX_QUERY_COSTS, MAX_QUERY_COSTS),
    ],
    responses: { 200: QueryCostList },
    handle: listCosts(engine),
  },
];
