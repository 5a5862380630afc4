import type { Hono } from 'hono';
import type { Route } from '../../src/http/route.ts';
import type { RouterDeps } from '../../src/http/router.ts';
import { mcpRoutes } from '../../src/mcp/routes.ts';
import { ana, appOf } from '../http/fixture.ts';

/** MCP on an API of the test's own, without a database. */

/** Whoever sends a token is who it names. */
const principals: RouterDeps['principals'] = {
  authenticate: (authorization = '') => Promise.resolve({ ...ana, id: authorization, name: authorization }),
};

/** Opens MCP on an API of these routes alone. */
export const openWith = (api: readonly Route[], deps: Partial<RouterDeps> = {}) => {
  const logged: [facts: unknown, failure: unknown][] = [];
  const mcp = mcpRoutes({
    paths: new Map([['table', 'tables']]),
    publicUrl: undefined,
    version: '1',
    clock: Date.now,
    log: { error: (_, facts, failure) => logged.push([facts, failure]) },
    maxNodes: 10,
    send: async (target, init, askedBy) => opened.app.request(target, init, { askedBy }),
  });
  const opened: ReturnType<typeof appOf> = appOf([...api, ...mcp], { principals, ...deps });
  return { ...opened, logged };
};

export const callOf = (name: string, given: object = {}, id = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

export const post = async (app: Hono, message: unknown, as = 'ana', headers: Record<string, string> = {}) => {
  const response = await app.request('/mcp', {
    method: 'POST',
    headers: { authorization: as, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text || 'null') as any };
};
