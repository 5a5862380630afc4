import { STATUS_CODES } from 'node:http';
import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../model/json.ts';
import { kindWords } from '../model/kind/kind-words.ts';
import type { QueryParameter, Route, RouteAccess } from './route.ts';
import { createSchemaDocument, type SchemaDocument } from './schema-document.ts';

/** Builds the OpenAPI document from the declared routes. */

type OpenApiOptions = { readonly version: string };

const toPascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

const parameterNames = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment.startsWith('{') ? [segment.slice(1, -1)] : []));

/** Builds a usable operation id: `getTablesNameByFqn` for `GET /v1/tables/name/{fqn}`. */
const operationName = ({ method, path }: Route): string => {
  const words = path
    .split('/')
    .slice(2)
    .map((segment) => (segment.startsWith('{') ? `By${toPascalCase(segment)}` : toPascalCase(segment)));
  return method.toLowerCase() + words.join('');
};

const createUniqueNames = () => {
  const taken = new Set<string>();
  return (wanted: string): string => {
    let name = wanted;
    for (let number = 2; taken.has(name); number += 1) name = `${wanted}${number}`;
    taken.add(name);
    return name;
  };
};

/** Subjects whose paths address assets of several kinds. */
const MIXED_TAGS = new Set(['Lineage', 'Permissions', 'Search', 'System', 'Usage']);

const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  column: 'Name of the column',
  date: 'Date in the form YYYY-MM-DD',
  destinationId: 'ID of the destination',
  direction: 'Direction of the lineage: Upstream or Downstream',
  entityType: 'Entity type',
  fromFQN: 'Fully qualified name of the upstream asset',
  fromId: 'ID of the upstream asset',
  fromType: 'Entity type of the upstream asset',
  index: 'Name or alias of the index',
  jobId: 'ID of the job',
  name: 'Name',
  pipelineFqn: 'Fully qualified name of the pipeline',
  resource: 'Resource of the permissions: an entity type',
  resultId: 'ID of the result',
  sessionId: 'ID of the session',
  sort: 'Profile type: table, column or system',
  source: 'Source of the lineage',
  testSuiteId: 'ID of the test suite',
  timestamp: 'Time in milliseconds since 1970',
  toFQN: 'Fully qualified name of the downstream asset',
  toId: 'ID of the downstream asset',
  tokenId: 'ID of the token',
  toType: 'Entity type of the downstream asset',
  type: 'Entity type of the asset',
  userId: 'ID of the user',
  version: 'Version number',
};

/** Describes a path parameter. The first `id` or `fqn` of a path names an asset of the collection. */
const describePathParameter = (name: string, tag: string, position: number): string | undefined => {
  const noun = position === 0 && !MIXED_TAGS.has(tag) ? kindWords({ title: tag }).one : 'asset';
  if (name === 'id') return `ID of the ${noun}`;
  if (name === 'fqn') return `Fully qualified name of the ${noun}`;
  return Object.hasOwn(PATH_DESCRIPTIONS, name) ? PATH_DESCRIPTIONS[name] : undefined;
};

const pathParameter =
  (tag: string) =>
  (name: string, position: number): JsonObject => {
    const description = describePathParameter(name, tag, position);
    return {
      name,
      in: 'path',
      required: true,
      ...(description === undefined ? {} : { description }),
      schema: name === 'id' || name.endsWith('Id') ? { type: 'string', format: 'uuid' } : { type: 'string' },
    };
  };

/**
 * Collects query parameters that several operations share, so that each is written once. A parameter of the same name
 * that differs stays inline.
 */
const createSharedParameters = () => {
  const shared = new Map<string, { text: string; value: JsonObject }>();
  const refer = ({ name, description, schema }: QueryParameter): JsonObject => {
    const value: JsonObject = { name, in: 'query', description, schema: schema as JsonObject };
    const text = JSON.stringify(value);
    const known = shared.get(name);
    if (known !== undefined && known.text !== text) return value;
    shared.set(name, { text, value });
    return { $ref: `#/components/parameters/${name}` };
  };
  const all = (): JsonObject => Object.fromEntries([...shared].map(([name, { value }]) => [name, value]));
  return { refer, all };
};

const describeAccess = (access: RouteAccess): string | undefined => {
  if (typeof access === 'string') return undefined;
  const needs = `Needs the operation ${access.operation} on ${access.resource}.`;
  return access.also === undefined ? needs : `${needs} ${access.also}`;
};

const mediaContent = (mediaTypes: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }]));

const describeResponse = (
  status: string,
  schema: GenericSchema | undefined,
  mediaType: string,
  refer: (schema: GenericSchema) => JsonObject,
): Json => {
  const description = STATUS_CODES[status] ?? 'Response';
  if (schema === undefined) return { description };
  return { description, content: mediaContent([mediaType], refer(schema)) };
};

const describeResponses = (route: Route, schemas: SchemaDocument, name: string): JsonObject => ({
  ...Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => [
      status,
      describeResponse(status, schema, route.answers ?? 'application/json', (known) =>
        schemas.refer(known, `${toPascalCase(name)}Answer`),
      ),
    ]),
  ),
  default: { $ref: '#/components/responses/Error' },
});

type DocumentContext = {
  readonly schemas: SchemaDocument;
  readonly parameters: ReturnType<typeof createSharedParameters>;
  readonly uniqueName: (wanted: string) => string;
};

const describeOperation = (route: Route, { schemas, parameters, uniqueName }: DocumentContext): JsonObject => {
  const name = uniqueName(operationName(route));
  const description = describeAccess(route.access);
  const places = [
    ...parameterNames(route.path).map(pathParameter(route.tag)),
    ...(route.query ?? []).map(parameters.refer),
  ];
  const { body } = route;
  const bodySchema = body && schemas.refer(body.schema, `${toPascalCase(name)}Body`);
  return {
    operationId: name,
    summary: route.summary,
    tags: [route.tag],
    ...(description === undefined ? {} : { description }),
    ...(places.length === 0 ? {} : { parameters: places }),
    ...(body && bodySchema
      ? { requestBody: { required: true, content: mediaContent(body.mediaTypes, bodySchema) } }
      : {}),
    responses: describeResponses(route, schemas, name),
    ...(route.access === 'public' ? { security: [] } : {}),
  };
};

const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'HTTP status.' },
    errorType: { type: 'string', description: 'Error type, one per class of failure.' },
    message: { type: 'string', description: 'Human-readable explanation of the failure.' },
  },
  required: ['code', 'errorType', 'message'],
  additionalProperties: false,
};

const describePaths = (routes: readonly Route[], context: DocumentContext): JsonObject => {
  const paths = new Map<string, Record<string, JsonObject>>();
  for (const route of routes) {
    const entry = paths.get(route.path) ?? {};
    entry[route.method.toLowerCase()] = describeOperation(route, context);
    paths.set(route.path, entry);
  }
  return Object.fromEntries(paths);
};

/** Builds the OpenAPI 3.1 document of the API below `/v1` from nothing but the route declarations. */
export const buildOpenApiDocument = (routes: readonly Route[], { version }: OpenApiOptions): JsonObject => {
  const documented = routes.filter(({ path }) => path.startsWith('/v1/'));
  const context = {
    schemas: createSchemaDocument(),
    parameters: createSharedParameters(),
    uniqueName: createUniqueNames(),
  };
  const paths = describePaths(documented, context);
  const error = { schema: { $ref: '#/components/schemas/ErrorBody' } };
  return {
    openapi: '3.1.0',
    info: { title: 'Tributary', version, description: 'A metadata catalog in which lineage comes first.' },
    servers: [{ url: '/', description: 'This server. The prefix `/api` before `/v1` is optional.' }],
    security: [{ bearer: [] }],
    tags: [...new Set(documented.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: context.parameters.all(),
      responses: { Error: { description: 'Error', content: { 'application/json': error } } },
      schemas: { ...context.schemas.components(), ErrorBody: ERROR_SCHEMA },
    },
  };
};

/** Declares `GET /openapi.json`. The document is built on first use and cached as text. */
export const openApiRoute = (routes: () => readonly Route[], options: OpenApiOptions): Route => {
  let content: string | undefined;
  return {
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get the OpenAPI document',
    tag: 'System',
    access: 'public',
    responses: { 200: undefined },
    handle: () => {
      content ??= JSON.stringify(buildOpenApiDocument(routes(), options));
      return Promise.resolve({ status: 200, text: { mediaType: 'application/json', content } });
    },
  };
};
