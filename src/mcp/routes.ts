import type { Server } from '@modelcontextprotocol/server';
import { badRequest, CatalogError } from '../errors.ts';
import type { Log } from '../http/log.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { Json } from '../model/json.ts';
import { AnyJson } from '../model/values.ts';
import { answerBatch } from './batch.ts';
import { openCatalogApi, pickHeaders, type SendToSelf } from './catalog-api.ts';
import { createMcpServer, provideSdk, type Sdk } from './server.ts';
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

/** The headers in which the protocol repeats what the message says. */
const PROTOCOL_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name'];

const toRequest = (call: Call): Request => {
  const accept = call.header('accept');
  return new Request('http://localhost/mcp', {
    method: 'POST',
    headers: {
      ...pickHeaders(call, PROTOCOL_HEADERS),
      accept: accept === undefined || accept === '*/*' ? BOTH_TYPES : accept,
      'content-type': 'application/json',
    },
  });
};

const toAnswer = async (response: Response): Promise<Answer> => {
  const content = await response.text();
  if (content === '') return { status: response.status };
  const mediaType = response.headers.get('content-type') ?? 'application/json';
  return { status: response.status, text: { mediaType, content } };
};

/** One message with the server that answers it. */
type Exchange = {
  readonly sdk: Sdk;
  readonly server: Server;
  readonly request: Request;
  readonly message: unknown;
  readonly logFailure: (failure: unknown) => void;
};

/** Answers a message of a version before 2026-07-28, in which `initialize` agrees on the version. */
const answerLegacy = async ({ sdk, server, request, message }: Exchange): Promise<Answer> => {
  const transport = new sdk.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await toAnswer(await transport.handleRequest(request, { parsedBody: message }));
  } finally {
    await server.close();
  }
};

/** Answers a message that says by itself which version it is of. */
const answerModern = async ({ sdk, server, request, message, logFailure }: Exchange): Promise<Answer> => {
  // Refusals of bad messages are reported, too.
  let reported: unknown;
  const onerror = (failure: unknown): void => {
    reported = failure;
  };
  const handler = sdk.createMcpHandler(() => server, { legacy: 'reject', onerror });
  try {
    const response = await handler.fetch(request, { parsedBody: message });
    if (response.status >= 500) logFailure(reported);
    return await toAnswer(response);
  } finally {
    await handler.close();
  }
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
    const request = toRequest(call);
    const answer = (await sdk.isLegacyRequest(request, message)) ? answerLegacy : answerModern;
    return answer({ sdk, server, request, message, logFailure });
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
