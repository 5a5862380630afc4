import type { JsonObject } from '../../model/json.ts';
import type { Route } from '../route.ts';
import { ERROR_SCHEMA, failureComponents } from './failures.ts';
import { type DocumentContext, describeOperation } from './operation.ts';
import { createSharedParameters } from './parameters.ts';
import { createSchemaDocument } from './schema-document.ts';
import { type ApiTexts, NO_TEXTS } from './texts.ts';

/**
 * Builds the OpenAPI document from the declared routes. Read `operation.ts` for what is said of one operation,
 * `schema-document.ts` for schemas, and `openapi-route.ts` for how the document is served.
 */

/** The versions of the standard, the usual one first. */
export const OPENAPI_VERSIONS = ['3.1', '3.2'] as const;
export type OpenApiVersion = (typeof OPENAPI_VERSIONS)[number];

export type OpenApiOptions = {
  /** The version of the API. */
  readonly version: string;
  readonly texts?: ApiTexts;
  readonly standard?: OpenApiVersion;
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

const describePaths = (routes: readonly Route[], context: DocumentContext): JsonObject => {
  const paths = new Map<string, Record<string, JsonObject>>();
  for (const route of routes) {
    const entry = paths.get(route.path) ?? {};
    entry[route.method.toLowerCase()] = describeOperation(route, context);
    paths.set(route.path, entry);
  }
  return Object.fromEntries(paths);
};

/** Lists the tags: first those that the texts put first, then the others in the order of their routes. */
const describeTags = (routes: readonly Route[], { firstTags, describeTag }: ApiTexts): JsonObject[] => {
  const used = new Set(routes.map(({ tag }) => tag));
  const names = new Set([...firstTags.filter((name) => used.has(name)), ...used]);
  return [...names].map((name) => {
    const description = describeTag(name);
    return description === undefined ? { name } : { name, description };
  });
};

/** Lists the tags below those that they belong to. */
const nestTags = (tags: readonly JsonObject[], { parentOfTag, describeTag }: ApiTexts): JsonObject[] => {
  const nested = tags.map((tag) => {
    const parent = parentOfTag(String(tag['name']));
    return parent === undefined ? tag : { ...tag, parent };
  });
  const parents = new Set(nested.flatMap((tag) => ('parent' in tag ? [String(tag['parent'])] : [])));
  const groups = [...parents].map((name) => ({ name, description: describeTag(name) ?? name, kind: 'nav' }));
  return [...groups, ...nested];
};

/** Builds the OpenAPI document of the API below `/v1` from the route declarations and their texts. */
export const buildOpenApiDocument = (
  routes: readonly Route[],
  { version, texts = NO_TEXTS, standard = '3.1' }: OpenApiOptions,
): JsonObject => {
  const isNested = standard === '3.2';
  const documented = routes.filter(({ path }) => path.startsWith('/v1/'));
  const context: DocumentContext = {
    schemas: createSchemaDocument(texts),
    parameters: createSharedParameters(texts),
    texts,
    uniqueName: createUniqueNames(),
    hasStreams: standard === '3.2',
  };
  const paths = describePaths(documented, context);
  const responses = failureComponents(context.parameters);
  return {
    openapi: `${standard}.0`,
    info: {
      title: 'Tributary',
      version,
      description: 'A metadata catalog in which lineage comes first.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This server. The prefix `/api` before `/v1` is optional.' }],
    security: [{ bearer: [] }],
    tags: isNested ? nestTags(describeTags(documented, texts), texts) : describeTags(documented, texts),
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
      parameters: context.parameters.parameters(),
      headers: context.parameters.headers(),
      responses,
      schemas: { ...context.schemas.components(), ErrorBody: ERROR_SCHEMA },
    },
  };
};
