import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import { readRequiredJson } from '../catalog/read/answer.ts';
import { redactValues } from '../catalog/read/redaction.ts';
import { badRequest } from '../errors.ts';
import { AFTER_PARAMETER, integerParameter, limitParameter } from '../http/query-parameters.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { decodeCursor, encodeCursor, sortKeyOf } from '../model/cursor.ts';
import type { JsonObject } from '../model/json.ts';
import {
  GraphQueryAnswer,
  GraphQueryRun,
  SavedQuery,
  SavedQueryInput,
  SavedQueryList,
} from '../model/schemas/insight/graph-query.ts';
import { validate } from '../model/validate.ts';
import type { SavedQueryNode } from './queries.ts';
import { answerAsIs, GRAPH_ROUTE, MAX_QUERY_BODY, readRunOptions } from './routes.ts';
import type { QueryRunner } from './run-query.ts';
import {
  createQuery,
  deleteQuery,
  listQueries,
  renderSavedQuery,
  replaceQuery,
  requireSavedQuery,
  type SavedQueryBody,
  type SavedQueryContext,
} from './saved-queries.ts';

/** The routes of queries that are kept by name. */

const BASE = '/v1/graph/queries';
const ONE = `${BASE}/{name}`;
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;
/** Cursors hold only the name of a query. */
const CURSOR_START = sortKeyOf('', '');

type Deps = { readonly engine: Engine; readonly runner: QueryRunner };

const contextOf = (deps: Deps, { principal }: Call): SavedQueryContext => ({ ...deps, principal });
const nameOf = ({ params }: Call): string => params['name'] ?? '';

const readBody = async (call: Call): Promise<SavedQueryBody> =>
  validate(SavedQueryInput, await readRequiredJson(call)) as unknown as SavedQueryBody;

/** Shows queries as they were written, and their authors as far as the caller may see them. */
const showQueries = async (
  { engine }: Deps,
  principal: Principal,
  nodes: readonly SavedQueryNode[],
): Promise<readonly JsonObject[]> => {
  const people = await redactValues(
    engine,
    principal,
    nodes.map(({ createdBy, updatedBy }): JsonObject => ({ createdBy, updatedBy })),
  );
  return nodes.map((node, at) => ({ ...renderSavedQuery(node), ...people[at] }));
};

const answerQuery = async (deps: Deps, { principal }: Call, status: number, node: SavedQueryNode): Promise<Answer> =>
  answerAsIs(status, (await showQueries(deps, principal, [node]))[0]);

const handleList =
  (deps: Deps) =>
  async ({ query, principal }: Call): Promise<Answer> => {
    const limit = integerParameter(query, 'limit', DEFAULT_PAGE, 1, MAX_PAGE);
    const after = query.get('after');
    const edge = after ? decodeCursor(after).slice(CURSOR_START.length) : '';
    const { nodes, next, total } = await listQueries(deps, edge, limit);
    const paging = { ...(next === undefined ? {} : { after: encodeCursor(sortKeyOf('', next)) }), total };
    return answerAsIs(200, { data: await showQueries(deps, principal, nodes), paging });
  };

const handleReplace =
  (deps: Deps) =>
  async (call: Call): Promise<Answer> => {
    const body = await readBody(call);
    if (body.name !== nameOf(call)) throw badRequest('[name must be the one of the address]');
    return answerQuery(deps, call, 200, await replaceQuery(contextOf(deps, call), body));
  };

/** Values of this run take the place of those that the query was saved with. */
const chooseValues = (
  saved: JsonObject,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(saved, name));
  if (unknown !== undefined) throw badRequest(`[parameters: the query has no parameter ${unknown.slice(0, 100)}]`);
  return { ...saved, ...given };
};

const handleRun =
  ({ engine, runner }: Deps) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(GraphQueryRun, (await call.body.json()) ?? {}) as Record<string, unknown>;
    const { query, parametersJson } = await requireSavedQuery({ engine }, nameOf(call));
    const run = readRunOptions(body);
    const parameters = chooseValues(JSON.parse(parametersJson) as JsonObject, run.parameters);
    return answerAsIs(200, await runner.answer(call.principal, { ...run, query, parameters }, call.signal));
  };

export const savedQueryRoutes = (deps: Deps): Route[] => {
  const body = { schema: SavedQueryInput, mediaTypes: ['application/json'], maxBytes: MAX_QUERY_BODY };
  return [
    {
      ...GRAPH_ROUTE,
      method: 'GET',
      path: BASE,
      summary: 'List saved queries',
      query: [limitParameter('saved queries', 1, MAX_PAGE, DEFAULT_PAGE), AFTER_PARAMETER],
      responses: { 200: SavedQueryList },
      handle: handleList(deps),
    },
    {
      ...GRAPH_ROUTE,
      method: 'POST',
      path: BASE,
      summary: 'Save a query',
      body,
      responses: { 201: SavedQuery },
      fails: [409],
      handle: async (call) =>
        answerQuery(deps, call, 201, await createQuery(contextOf(deps, call), await readBody(call))),
    },
    {
      ...GRAPH_ROUTE,
      method: 'GET',
      path: ONE,
      summary: 'Get a saved query',
      responses: { 200: SavedQuery },
      handle: async (call) => answerQuery(deps, call, 200, await requireSavedQuery(deps, nameOf(call))),
    },
    {
      ...GRAPH_ROUTE,
      method: 'PUT',
      path: ONE,
      summary: 'Replace a saved query',
      body,
      responses: { 200: SavedQuery },
      fails: [403],
      handle: handleReplace(deps),
    },
    {
      ...GRAPH_ROUTE,
      method: 'DELETE',
      path: ONE,
      summary: 'Delete a saved query',
      responses: { 204: undefined },
      fails: [403],
      handle: async (call) => {
        await deleteQuery(contextOf(deps, call), nameOf(call));
        return { status: 204 };
      },
    },
    {
      ...GRAPH_ROUTE,
      isHeavy: true,
      method: 'POST',
      path: `${ONE}/run`,
      summary: 'Run a saved query',
      body: { schema: GraphQueryRun, mediaTypes: ['application/json'], maxBytes: MAX_QUERY_BODY },
      responses: { 200: GraphQueryAnswer },
      handle: handleRun(deps),
    },
  ];
};
