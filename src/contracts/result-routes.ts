import type { Engine } from '../catalog/engine.ts';
import { readRequiredJson } from '../catalog/read/answer.ts';
import { NO_FIELDS } from '../catalog/read/fields.ts';
import { valueListSchema } from '../catalog/routes/schemas.ts';
import { badRequest, notFound } from '../errors.ts';
import type { Answer, Call, QueryParameter, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import { DataContractResult } from '../model/schemas/contracts/contract.ts';
import { isUuid } from '../model/uuid.ts';
import { dropNulls, validate } from '../model/validate.ts';
import { findPermittedContract } from './contract-access.ts';
import { CONTRACT } from './hooks.ts';
import {
  type ContractResultInput,
  listResultsWithin,
  readNewestResult,
  readResultById,
  removeContractResult,
  removeContractResultsBefore,
  storeContractResult,
} from './results.ts';

const VIEW: readonly string[] = ['ViewBasic'];
const EDIT: readonly string[] = ['EditAll'];
const DELETE: readonly string[] = ['Delete'];

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 10_000;

const integerIn = (call: Call, name: string, fallback: number): number => {
  const text = call.query.get(name);
  if (!text) return fallback;
  if (!/^-?\d{1,15}$/.test(text)) throw badRequest(`[${name} must be a whole number]`);
  return Number(text);
};

const limitIn = (call: Call): number => {
  const limit = integerIn(call, 'limit', DEFAULT_LIMIT);
  if (limit < 0) throw badRequest('[limit must be greater than or equal to 0]');
  if (limit > MAX_LIMIT) throw badRequest(`[limit must be less than or equal to ${MAX_LIMIT}]`);
  return limit;
};

const list =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const limit = limitIn(call);
    const [start, end] = [integerIn(call, 'startTs', 0), integerIn(call, 'endTs', Number.MAX_SAFE_INTEGER)];
    const { id } = await findPermittedContract(engine, call, VIEW, NO_FIELDS);
    return { status: 200, json: await listResultsWithin(engine, { id, start, end }, limit) };
  };

const latest =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = await findPermittedContract(engine, call, VIEW, NO_FIELDS);
    return { status: 200, json: await readNewestResult(engine, id) };
  };

const readOne =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const { id } = await findPermittedContract(engine, call, VIEW, NO_FIELDS);
    const resultId = (call.params['result'] ?? '').toLowerCase();
    if (!isUuid(resultId)) throw notFound(`Failed to find the result ${resultId} of the data contract ${id}`);
    return { status: 200, json: await readResultById(engine, id, resultId) };
  };

const put =
  (engine: Engine) =>
  async (call: Call): Promise<Answer> => {
    const given = validate(
      DataContractResult,
      dropNulls((await readRequiredJson(call)) as Json),
    ) as unknown as ContractResultInput;
    const { id } = await findPermittedContract(engine, call, EDIT, NO_FIELDS);
    return { status: 200, json: await storeContractResult({ engine, principal: call.principal }, id, given) };
  };

/** Parses the timestamp in the path. */
const timestampIn = (call: Call): number => {
  const text = call.params['timestamp'] ?? call.params['result'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw badRequest('[timestamp must be a time in milliseconds]');
  return Number(text);
};

const remove =
  (engine: Engine, removeResults: typeof removeContractResult) =>
  async (call: Call): Promise<Answer> => {
    const timestamp = timestampIn(call);
    const { id } = await findPermittedContract(engine, call, DELETE, NO_FIELDS);
    await removeResults({ engine, principal: call.principal }, id, timestamp);
    return { status: 200 };
  };

const SPAN_PARAMETERS: readonly QueryParameter[] = [
  { name: 'startTs', description: 'Start of the time range, in milliseconds since 1970', schema: { type: 'integer' } },
  { name: 'endTs', description: 'End of the time range, in milliseconds since 1970', schema: { type: 'integer' } },
  {
    name: 'limit',
    description: 'Maximum number of results to return',
    schema: { type: 'integer', maximum: MAX_LIMIT },
  },
];

const JSON_ONLY = ['application/json'] as const;

/** Routes of contract results (data-contracts.md 7). */
export const contractResultRoutes = (engine: Engine): Route[] => {
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
      summary: 'List results of a data contract, newest first',
      query: SPAN_PARAMETERS,
      responses: { 200: valueListSchema('DataContractResultList', DataContractResult) },
      handle: list(engine),
    },
    {
      ...by('ViewBasic'),
      method: 'GET',
      path: `${path}/latest`,
      summary: 'Get the latest result of a data contract',
      responses: found,
      handle: latest(engine),
    },
    {
      ...by('ViewBasic'),
      method: 'GET',
      path: `${path}/{result}`,
      summary: 'Get a result of a data contract',
      responses: found,
      handle: readOne(engine),
    },
    {
      ...by('EditAll'),
      method: 'PUT',
      path,
      summary: 'Add a result of an external validation to a data contract',
      body,
      responses: found,
      handle: put(engine),
    },
    {
      ...by('Delete'),
      method: 'DELETE',
      path: `${path}/{result}`,
      summary: 'Delete the result of a given time',
      responses: { 200: undefined },
      handle: remove(engine, removeContractResult),
    },
    {
      ...by('Delete'),
      method: 'DELETE',
      path: `${path}/before/{timestamp}`,
      summary: 'Delete all results before a given time',
      responses: { 200: undefined },
      handle: remove(engine, removeContractResultsBefore),
    },
  ];
};
