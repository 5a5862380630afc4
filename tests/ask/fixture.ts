import type { JsonObject } from '../../src/model/json.ts';
import { ok } from '../support/expect.ts';
import type { Client, Reply } from '../support/service.ts';

/** Helpers for tests that ask the graph. */

export type QueryAnswer = {
  readonly columns: readonly string[];
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it.
  readonly rows: readonly (readonly any[])[];
  readonly truncated: boolean;
  readonly tookMs: number;
};

export const post = (
  client: Client,
  query: string,
  parameters: JsonObject = {},
  more: JsonObject = {},
): Promise<Reply> => client.post('/v1/graph/query', { query, parameters, ...more });

export const ask = async (
  client: Client,
  query: string,
  parameters: JsonObject = {},
  more: JsonObject = {},
): Promise<QueryAnswer> => ok(await post(client, query, parameters, more)) as unknown as QueryAnswer;

/** The rows of an answer. */
export const rowsOf = async (...question: Parameters<typeof ask>): Promise<QueryAnswer['rows']> =>
  (await ask(...question)).rows;
