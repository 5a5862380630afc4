import { readRequiredJson } from '../catalog/read/answer.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import {
  DEFAULT_QUERY_MS,
  DEFAULT_QUERY_ROWS,
  GraphQuery,
  GraphQueryAnswer,
  GraphSchema,
} from '../model/schemas/insight/graph-query.ts';
import { validate } from '../model/validate.ts';
import { type DescribeMember, describeView } from './describe-view.ts';
import type { GraphQuestion, QueryRunner } from './run-query.ts';

/**
 * The routes that ask the graph. Read `view.ts` first (what can be asked for), then `run-query.ts` (how a query is
 * answered), `language/parse-query.ts` and `translate/write-query.ts`. `saved-queries.ts` keeps queries by name.
 */

/** What a request may say of a run, with defaults. */
export const readRunOptions = (body: Readonly<Record<string, unknown>>): Omit<GraphQuestion, 'query'> => ({
  parameters: (body['parameters'] ?? {}) as GraphQuestion['parameters'],
  limit: (body['limit'] ?? DEFAULT_QUERY_ROWS) as number,
  timeoutMs: (body['timeoutMs'] ?? DEFAULT_QUERY_MS) as number,
  includeDeleted: body['includeDeleted'] === true,
});

/**
 * An answer that nobody redacts. What a query finds is what its caller may see; and if names were looked for in what
 * callers wrote themselves, a name that is missing from an answer would tell that something of that name is hidden.
 */
export const answerAsIs = (status: number, value: unknown): Answer => ({
  status,
  encoded: { mediaType: 'application/json', content: new TextEncoder().encode(JSON.stringify(value)) },
});

const handleQuery =
  (runner: QueryRunner) =>
  async (call: Call): Promise<Answer> => {
    const body = validate(GraphQuery, await readRequiredJson(call)) as { readonly query: string };
    const question = { ...readRunOptions(body), query: body.query };
    return answerAsIs(200, await runner.answer(call.principal, question, call.signal));
  };

/** What the routes of one subject have in common. */
export const GRAPH_ROUTE = { tag: 'Graph', access: 'authenticated', isOwn: true } as const;

export const MAX_QUERY_BODY = 256 * 1024;

export const askRoutes = (runner: QueryRunner, describe: DescribeMember): Route[] => [
  {
    ...GRAPH_ROUTE,
    isHeavy: true,
    method: 'POST',
    path: '/v1/graph/query',
    summary: 'Ask the graph by a query',
    body: { schema: GraphQuery, mediaTypes: ['application/json'], maxBytes: MAX_QUERY_BODY },
    responses: { 200: GraphQueryAnswer },
    handle: handleQuery(runner),
  },
  {
    ...GRAPH_ROUTE,
    method: 'GET',
    path: '/v1/graph/schema',
    summary: 'Describe what queries may ask for',
    responses: { 200: GraphSchema },
    handle: async () => ({ status: 200, json: describeView(runner.view, describe) }),
  },
];
