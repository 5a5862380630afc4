import type { Engine } from '../catalog/engine.ts';
import { requiredJson } from '../catalog/read/answer.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import { DataContractResult } from '../model/contract-values.ts';
import type { Json } from '../model/json.ts';
import { isUuid } from '../model/uuid.ts';
import { check, dropNulls } from '../model/validate.ts';
import { listOf } from '../model/values.ts';
import { permittedContract } from './reading.ts';
import {
  type GivenResult,
  keepResult,
  newestResult,
  removeBefore,
  removeResult,
  resultsWithin,
  resultWithId,
} from './results.ts';
import { CONTRACT } from './steward.ts';

const VIEW: readonly string[] = ['ViewBasic'];
const EDIT: readonly string[] = ['EditAll'];
const DELETE: readonly string[] = ['Delete'];

const DEFAULT_LIMIT = 10;
const MOST = 10_000;

const wholeIn = (call: Call, name: string, fallback: number): number => {
  const text = call.query.get(name);
  if (!text) return fallback;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a whole number]`);
  return Number(text);
};

const limitIn = (call: Call): number => {
  const limit = wholeIn(call, 'limit', DEFAULT_LIMIT);
  if (limit < 0) throw badRequest('[limit must be greater than or equal to 0]');
  if (limit > MOST) throw badRequest(`[limit must be less than or equal to ${MOST}]`);
  return limit;
};

const list =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const limit = limitIn(call);
    const [start, end] = [wholeIn(call, 'startTs', 0), wholeIn(call, 'endTs', Number.MAX_SAFE_INTEGER)];
    const { id } = await permittedContract(engine, call, VIEW, NO_FIELDS);
    return { status: 200, json: await resultsWithin(engine, { id, start, end }, limit) };
  };

const latest =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = await permittedContract(engine, call, VIEW, NO_FIELDS);
    return { status: 200, json: await newestResult(engine, id) };
  };

const one =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = await permittedContract(engine, call, VIEW, NO_FIELDS);
    const resultId = (call.params['resultId'] ?? '').toLowerCase();
    if (!isUuid(resultId)) throw notFound(`Failed to find the result ${resultId} of the data contract ${id}`);
    return { status: 200, json: await resultWithId(engine, id, resultId) };
  };

const put =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const given = check(DataContractResult, dropNulls((await requiredJson(call)) as Json)) as unknown as GivenResult;
    const { id } = await permittedContract(engine, call, EDIT, NO_FIELDS);
    return { status: 200, json: await keepResult({ engine, principal: call.principal }, id, given) };
  };

/** The moment in a path. */
const momentIn = (call: Call): number => {
  const text = call.params['timestamp'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw badRequest('[timestamp must be a time in milliseconds]');
  return Number(text);
};

const remove =
  (engine: Engine, erase: typeof removeResult) =>
  async (call: Call): Promise<Answer> => {
    const moment = momentIn(call);
    const { id } = await permittedContract(engine, call, DELETE, NO_FIELDS);
    await erase({ engine, principal: call.principal }, id, moment);
    return { status: 200 };
  };

const spanning: readonly QueryParameter[] = [
  { name: 'startTs', description: 'The beginning of the time looked at', schema: { type: 'integer' } },
  { name: 'endTs', description: 'The end of the time looked at', schema: { type: 'integer' } },
  { name: 'limit', description: 'How many results are answered at most', schema: { type: 'integer', maximum: MOST } },
];

const JSON_ONLY = ['application/json'] as const;

/** How contracts were judged (data-contracts.md 7). */
export const resultRoutes = (engine: Engine): Route[] => {
  const path = '/v1/dataContracts/{id}/results';
  const tag = 'Data contracts';
  const by = (operation: string) => ({ tag, access: { operation, resource: CONTRACT } }) as const;
  const body = { schema: DataContractResult, mediaTypes: JSON_ONLY };
  const found = { 200: DataContractResult };
  return [
    {
      ...by('ViewBasic'),
      method: 'GET',
      path,
      summary: 'List how a contract was judged, the newest first',
      query: spanning,
      responses: { 200: listOf(DataContractResult) },
      handle: list(engine),
    },
    {
      ...by('ViewBasic'),
      method: 'GET',
      path: `${path}/latest`,
      summary: 'Read how a contract was judged last',
      responses: found,
      handle: latest(engine),
    },
    {
      ...by('ViewBasic'),
      method: 'GET',
      path: `${path}/{resultId}`,
      summary: 'Read one judgement of a contract',
      responses: found,
      handle: one(engine),
    },
    {
      ...by('EditAll'),
      method: 'PUT',
      path,
      summary: 'Keep how a contract was judged by somebody else',
      body,
      responses: found,
      handle: put(engine),
    },
    {
      ...by('Delete'),
      method: 'DELETE',
      path: `${path}/{timestamp}`,
      summary: 'Remove the judgement of one moment',
      responses: { 200: undefined },
      handle: remove(engine, removeResult),
    },
    {
      ...by('Delete'),
      method: 'DELETE',
      path: `${path}/before/{timestamp}`,
      summary: 'Remove all judgements before a moment',
      responses: { 200: undefined },
      handle: remove(engine, removeBefore),
    },
  ];
};
