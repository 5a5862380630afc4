import { badRequest, CatalogError } from '../errors.ts';
import type { Log } from '../http/log.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import { AnyJson } from '../model/values.ts';
import { answerBatch } from './batch.ts';
import { openCatalogApi, type SendToSelf } from './catalog-api.ts';
import { createMcpServer, provideSdk } from './server.ts';
import type { AssetPaths } from './tool.ts';
import { WRITE_HEADER } from './write-header.ts';

/**
 * The route of the Model Context Protocol: one POST is one message, answered with JSON. There are no sessions, so any
 * process answers any message, and the router refuses GET and DELETE. Read `server.ts` and `tool.ts` next; the tools
 * (`lookup-tools.ts` and so on) ask the service's own API by `catalog-api.ts`.
 */

export type McpDeps = {
  readonly paths: AssetPaths;
  /** The public address of the service, if it is configured. Pages from there may call. */
  readonly publicUrl: string | undefined;
  readonly version: string;
  readonly clock: () => number;
  readonly log: Pick<Log, 'error'>;
  /** How many assets the service reads for one answer about lineage. */
  readonly maxNodes: number;
  readonly send: SendToSelf;
};

/** Longer messages would have to be read by another thread. */
const MAX_MESSAGE_BYTES = 64 * 1024;

/** Older versions of the protocol allow several messages at once. */
const MAX_BATCH = 20;

const BOTH_TYPES = 'application/json, text/event-stream';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Refuses pages of foreign origin, as the protocol requires: a page whose name points at this machine could otherwise
 * call a service that only this machine reaches. Programs send no origin.
 */
const refuseForeignOrigin = (call: Call, publicUrl: string | undefined): void => {
  const origin = call.header('origin');
  if (origin === undefined) return;
  const known = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  if (origin === known) return;
  if (URL.canParse(origin) && LOOPBACK_NAMES.has(new URL(origin).hostname)) return;
  throw new CatalogError('forbidden', 'Pages of this origin may not use MCP; PUBLIC_URL names the one that may');
};

/**
 * Whether the connection writes. The switch is a header, because the person who configures the client sets headers, and
 * the arguments of a tool cannot.
 */
const readWriteSwitch = (call: Call): boolean => {
  const given = call.header(WRITE_HEADER) ?? 'off';
  if (given !== 'on' && given !== 'off') throw badRequest(`[${WRITE_HEADER} must be on or off]`);
  return given === 'on';
};

const toRequest = (call: Call): Request => {
  const accept = call.header('accept');
  const version = call.header('mcp-protocol-version');
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      accept: accept === undefined || accept === '*/*' ? BOTH_TYPES : accept,
      'content-type': 'application/json',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    },
  });
};

const toAnswer = async (response: Response): Promise<Answer> => {
  const content = await response.text();
  if (content === '') return { status: response.status };
  return { status: response.status, text: { mediaType: 'application/json', content } };
};

const handleMessage =
  ({ paths, publicUrl, version, clock, log, maxNodes, send }: McpDeps) =>
  async (call: Call): Promise<Answer> => {
    refuseForeignOrigin(call, publicUrl);
    const mayWrite = readWriteSwitch(call);
    const message = await call.body.json();
    if (message === undefined) throw badRequest('A message of the Model Context Protocol is expected');
    if (Array.isArray(message)) {
      if (message.length > MAX_BATCH) throw badRequest(`At most ${MAX_BATCH} messages are accepted at once`);
      return answerBatch(send, call, message as Json[]);
    }
    const sdk = await provideSdk();
    const { requestId } = call;
    const context = { api: openCatalogApi(send, call), paths, now: clock(), maxNodes, mayWrite };
    const logFailure = (failure: unknown) => log.error('a message of MCP failed', { requestId }, failure);
    const server = createMcpServer({ sdk, context, requestId, logFailure }, version);
    const transport = new sdk.Transport({ enableJsonResponse: true });
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    try {
      return await toAnswer(await transport.handleRequest(toRequest(call), { parsedBody: message }));
    } finally {
      await server.close();
    }
  };

/** Declares the route, which stands beside the API like the metrics do. */
export const mcpRoutes = (deps: McpDeps): Route[] => [
  {
    method: 'POST',
    path: '/mcp',
    summary: 'Answer a message of the Model Context Protocol',
    tag: 'System',
    access: 'authenticated',
    body: { schema: AnyJson, mediaTypes: ['application/json'], maxBytes: MAX_MESSAGE_BYTES },
    reads: [WRITE_HEADER],
    responses: { 200: AnyJson, 202: undefined },
    handle: handleMessage(deps),
  },
];
