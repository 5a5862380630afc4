import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { CatalogError } from '../errors.ts';
import { renderWithinBudget, TOKEN_BUDGET } from './answer-budget.ts';
import { CHANGE_TOOLS } from './change-tools.ts';
import { DIAGNOSIS_TOOLS } from './diagnosis-tools.ts';
import { LINEAGE_TOOLS } from './lineage-tools.ts';
import { LOOKUP_TOOLS } from './lookup-tools.ts';
import { PROMPTS } from './prompts.ts';
import { listResources, RESOURCE_TEMPLATE, readResource } from './resources.ts';
import type { Tool, ToolContext } from './tool.ts';

/**
 * The MCP server of one message: its tools, resources and prompts. The SDK is loaded by the first message, because it
 * takes time and memory that many services never need.
 */

const TOOLS: readonly Tool[] = [...LOOKUP_TOOLS, ...LINEAGE_TOOLS, ...CHANGE_TOOLS, ...DIAGNOSIS_TOOLS];

const INSTRUCTIONS =
  'Tributary is a metadata catalog with lineage. Names of assets are fully qualified, as in service.database.schema.table; find them with search. Answers fit maxTokens: "omitted" says how many rows were left out and how to get them. You see what the owner of the token may see.';

const loadSdk = async () => {
  const [{ Server: ServerClass }, { WebStandardStreamableHTTPServerTransport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/index.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return { ServerClass, Transport: WebStandardStreamableHTTPServerTransport, types };
};

type Sdk = Awaited<ReturnType<typeof loadSdk>>;

let loaded: Promise<Sdk> | undefined;

/** Loads the SDK once. */
export const provideSdk = (): Promise<Sdk> => {
  loaded ??= loadSdk();
  return loaded;
};

type InputSchema = { readonly type: 'object'; readonly [member: string]: unknown };

const describeTool = ({ name, title, description, schema, writes }: Tool) => {
  const { $schema: _, ...inputSchema } = toJsonSchema(schema, { typeMode: 'input' });
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as InputSchema,
    annotations: { title, readOnlyHint: !writes, openWorldHint: false },
  };
};

const describeIssues = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues.map((issue) => `${v.getDotPath(issue) ?? 'arguments'}: ${issue.message}`).join('; ');

const failed = (text: string) => ({ isError: true, content: [{ type: 'text' as const, text }] });

/** Runs a tool. What a caller can correct is an answer, so that an assistant reads it and tries again. */
const callTool = async (tool: Tool, context: ToolContext, given: unknown) => {
  const input = v.safeParse(tool.schema, given ?? {});
  if (!input.success) return failed(`Bad arguments: ${describeIssues(input.issues)}`);
  try {
    const answer = await tool.run(context, input.output);
    const budget = Number((input.output as { maxTokens?: number }).maxTokens ?? TOKEN_BUDGET.default);
    return { content: renderWithinBudget(answer, budget).map((text) => ({ type: 'text' as const, text })) };
  } catch (failure) {
    if (failure instanceof CatalogError) return failed(failure.message);
    throw failure;
  }
};

/** Creates the failure of a request that names something unknown. */
const invalidParams = ({ types }: Sdk, message: string): Error =>
  new types.McpError(types.ErrorCode.InvalidParams, message);

const withRefusals = async <T>(sdk: Sdk, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (failure) {
    throw failure instanceof CatalogError ? invalidParams(sdk, failure.message) : failure;
  }
};

const handleTools = (server: Server, sdk: Sdk, context: ToolContext): void => {
  server.setRequestHandler(sdk.types.ListToolsRequestSchema, () => ({ tools: TOOLS.map(describeTool) }));
  server.setRequestHandler(sdk.types.CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalidParams(sdk, `Unknown tool ${params.name}`);
    return callTool(tool, context, params.arguments);
  });
};

const handleResources = (server: Server, sdk: Sdk, context: ToolContext): void => {
  const { types } = sdk;
  server.setRequestHandler(types.ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [RESOURCE_TEMPLATE],
  }));
  server.setRequestHandler(types.ListResourcesRequestSchema, ({ params }) =>
    withRefusals(sdk, () => listResources(context, params?.cursor)),
  );
  server.setRequestHandler(types.ReadResourceRequestSchema, ({ params }) =>
    withRefusals(sdk, () => readResource(context, params.uri)),
  );
};

const handlePrompts = (server: Server, sdk: Sdk): void => {
  server.setRequestHandler(sdk.types.ListPromptsRequestSchema, () => ({
    prompts: PROMPTS.map(({ write: _, arguments: given, ...prompt }) => ({ ...prompt, arguments: [...given] })),
  }));
  server.setRequestHandler(sdk.types.GetPromptRequestSchema, ({ params }) => {
    const prompt = PROMPTS.find(({ name }) => name === params.name);
    if (prompt === undefined) throw invalidParams(sdk, `Unknown prompt ${params.name}`);
    const values = params.arguments ?? {};
    const missing = prompt.arguments.find(({ name, required }) => required && !values[name]);
    if (missing) throw invalidParams(sdk, `The prompt ${prompt.name} needs ${missing.name}`);
    const content = { type: 'text' as const, text: prompt.write(values) };
    return { description: prompt.description, messages: [{ role: 'user' as const, content }] };
  });
};

/** Creates the server of one message. */
export const createMcpServer = (sdk: Sdk, context: ToolContext, version: string): Server => {
  const server = new sdk.ServerClass(
    { name: 'tributary', title: 'Tributary', version },
    { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: INSTRUCTIONS },
  );
  handleTools(server, sdk, context);
  handleResources(server, sdk, context);
  handlePrompts(server, sdk);
  return server;
};
