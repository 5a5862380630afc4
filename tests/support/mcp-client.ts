import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as assert from 'uvu/assert';
import { PATIENCE_MS } from './patience.ts';
import type { Service } from './service.ts';

/** Clients of MCP that ask the application without a socket, and what the tools answer them. */

export const connectMcp = async (
  service: Service,
  token: string,
  headers: Readonly<Record<string, string>> = {},
  options: ClientOptions = {},
): Promise<Client> => {
  const opened = new Client({ name: 'test', version: '1' }, options);
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    requestInit: { headers: { ...headers, authorization: `Bearer ${token}` } },
    fetch: async (address, init) => service.app.hono.request(String(address), init as RequestInit),
  });
  await opened.connect(transport as Parameters<typeof opened.connect>[0]);
  return opened;
};

type ToolReply = { readonly isError: boolean; readonly texts: readonly string[]; readonly text: string };

/** The first call of a tool plans its statements, beside other tests on the same machine. */
const ANSWERED_WITHIN_MS = 3 * PATIENCE_MS;

export const callTool = async (client: Client, name: string, given: Record<string, unknown>): Promise<ToolReply> => {
  const { content, isError = false } = await client.callTool(
    { name, arguments: given },
    { timeout: ANSWERED_WITHIN_MS },
  );
  const texts = (content as { text: string }[]).map(({ text }) => text);
  return { isError: isError === true, texts, text: texts.join('\n') };
};

/** The JSON of a successful answer: its last text. */
// biome-ignore lint/suspicious/noExplicitAny: an absent member must fail the assertion that reads it, not the compiler.
export const toolAnswer = async (client: Client, name: string, given: Record<string, unknown>): Promise<any> => {
  const { isError, texts, text } = await callTool(client, name, given);
  if (isError) assert.unreachable(text);
  return JSON.parse(texts.at(-1) ?? '');
};

/** The text of a call that the tool refuses. */
export const toolRefusal = async (client: Client, name: string, given: Record<string, unknown>): Promise<string> => {
  const { isError, text } = await callTool(client, name, given);
  assert.ok(isError, text);
  return text;
};
