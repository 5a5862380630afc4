import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { CatalogError } from '../errors.ts';
import { AGREEMENT_TOOLS } from './agreement-tools.ts';
import { type AnswerOptions, renderWithinBudget } from './answer-budget.ts';
import { CHANGE_TOOLS } from './change-tools.ts';
import { DIAGNOSIS_TOOLS } from './diagnosis-tools.ts';
import { IMPORTANCE_TOOLS } from './importance-tools.ts';
import { LABEL_TOOLS } from './label-tools.ts';
import { LINEAGE_TOOLS } from './lineage-tools.ts';
import { LOOKUP_TOOLS } from './lookup-tools.ts';
import { PROMPTS } from './prompts.ts';
import { QUERY_TOOLS } from './query-tools.ts';
import { listResources, RESOURCE_TEMPLATE, readResource } from './resources.ts';
import { answerSchema, type Tool, type ToolContext } from './tool.ts';
import { WHAT_IF_TOOLS } from './what-if-tool.ts';
import { WRITE_HEADER } from './write-header.ts';
import { WRITING_TOOLS } from './writing-tools.ts';

/**
 * The MCP server of one message: its tools, resources and prompts. The SDK is loaded by the first message, because it
 * takes time and memory that many services never need.
 */

const TOOLS: readonly Tool[] = [
  ...LOOKUP_TOOLS,
  ...LINEAGE_TOOLS,
  ...LABEL_TOOLS,
  ...IMPORTANCE_TOOLS,
  ...AGREEMENT_TOOLS,
  ...CHANGE_TOOLS,
  ...WHAT_IF_TOOLS,
  ...DIAGNOSIS_TOOLS,
  ...QUERY_TOOLS,
  ...WRITING_TOOLS,
];

const INSTRUCTIONS =
  'Tributary is a metadata catalog with lineage. Names of assets are fully qualified, as in service.database.schema.table; find them with search. Answers fit maxTokens: "omitted" says how many rows were left out and how to get them. You see what the owner of the token may see. A search takes fields: owners.name:mei, columns.name:email, tags.tagFQN:PII.Sensitive for assets, columns.tags.tagFQN:PII.Sensitive for columns. To see what tagged data reaches, call impact for each asset found, with only=dashboard.';

const WRITING_INSTRUCTIONS =
  ' Writing tools change nothing unless dryRun is false: show a person what the dry run answers, and write only what that person agrees to.';

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

/** Loads the SDK once. The message after a failure tries again. */
export const provideSdk = (): Promise<Sdk> => {
  loaded ??= loadSdk().catch((failure) => {
    loaded = undefined;
    throw failure;
  });
  return loaded;
};

type ObjectSchema = { readonly type: 'object'; readonly [member: string]: unknown };

const toObjectSchema = (schema: v.GenericSchema): ObjectSchema => {
  const { $schema: _, ...rest } = toJsonSchema(schema, { typeMode: 'input' });
  return rest as ObjectSchema;
};

const describeTool = ({ name, title, description, schema, answers, writes }: Tool) => {
  return {
    name,
    title,
    description,
    inputSchema: toObjectSchema(schema),
    outputSchema: toObjectSchema(answerSchema(answers)),
    annotations: { title, readOnlyHint: !writes, openWorldHint: false },
  };
};

const describeIssues = (issues: readonly v.BaseIssue<unknown>[]): string =>
  issues.map((issue) => `${v.getDotPath(issue) ?? 'arguments'}: ${issue.message}`).join('; ');

/** A refusal may quote an argument, which may be long. */
const MAX_REFUSAL = 1500;

const failed = (text: string) => ({
  isError: true,
  content: [{ type: 'text' as const, text: text.length > MAX_REFUSAL ? `${text.slice(0, MAX_REFUSAL)}…` : text }],
});

const describeRefusal = ({ message, hint }: CatalogError): string =>
  hint === undefined ? message : `${message}\n${hint}`;

/** Runs a tool. What a caller can correct is an answer, so that an assistant reads it and tries again. */
const callTool = async (tool: Tool, context: ToolContext, given: unknown) => {
  const input = v.safeParse(tool.schema, given ?? {});
  if (!input.success) return failed(`Bad arguments: ${describeIssues(input.issues)}`);
  try {
    const answer = await tool.run(context, input.output);
    const { texts, content } = renderWithinBudget(answer, input.output as AnswerOptions);
    return { content: texts.map((text) => ({ type: 'text' as const, text })), structuredContent: content };
  } catch (failure) {
    if (failure instanceof CatalogError) return failed(describeRefusal(failure));
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
    throw failure instanceof CatalogError ? invalidParams(sdk, describeRefusal(failure)) : failure;
  }
};

const WRITING_IS_OFF = `writes, and this connection only reads. The person who configures it switches writing on with the header ${WRITE_HEADER}: on`;

const handleTools = (server: Server, sdk: Sdk, context: ToolContext): void => {
  const isOffered = ({ writes }: Tool) => context.mayWrite || !writes;
  server.setRequestHandler(sdk.types.ListToolsRequestSchema, () => ({
    tools: TOOLS.filter(isOffered).map(describeTool),
  }));
  server.setRequestHandler(sdk.types.CallToolRequestSchema, async ({ params }) => {
    const tool = TOOLS.find(({ name }) => name === params.name);
    if (tool === undefined) throw invalidParams(sdk, `Unknown tool ${params.name}`);
    if (!isOffered(tool)) return failed(`The tool ${tool.name} ${WRITING_IS_OFF}`);
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
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: context.mayWrite ? INSTRUCTIONS + WRITING_INSTRUCTIONS : INSTRUCTIONS,
    },
  );
  handleTools(server, sdk, context);
  handleResources(server, sdk, context);
  handlePrompts(server, sdk);
  return server;
};
