import type { JsonObject } from '../../model/json.ts';
import { kindWords } from '../../model/kind/kind-words.ts';
import type { QueryParameter, Route } from '../route.ts';
import type { ApiTexts } from './texts.ts';

/** Describes the parameters of operations: in the path, in the query and in headers. */

/** Subjects whose paths address assets of several kinds. */
const MIXED_TAGS = new Set(['Lineage', 'Permissions', 'Search', 'System', 'Usage']);

const PATH_DESCRIPTIONS: Readonly<Record<string, string>> = {
  column: 'Name of the column',
  date: 'Date in the form YYYY-MM-DD',
  destinationId: 'ID of the destination',
  direction: 'Direction of the lineage: Upstream or Downstream',
  entityType: 'Entity type, such as table, topic or dashboard',
  fromFQN: 'Fully qualified name of the upstream asset',
  fromId: 'ID of the upstream asset',
  fromType: 'Entity type of the upstream asset',
  index: 'Name or alias of the index',
  jobId: 'ID of the job',
  name: 'Name',
  pipelineFqn: 'Fully qualified name of the pipeline',
  resource: 'Resource of the permissions: an entity type',
  result: 'Result: its ID to get it, its time in milliseconds since 1970 to delete it',
  runId: 'ID of the run',
  sessionId: 'ID of the session',
  sort: 'Profile type: table, column or system',
  source: 'Source of the lineage, such as Manual, QueryLineage or OpenLineage',
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

/** The names of the parameters of a path, in their order. */
export const pathParameterNames = (path: string): string[] =>
  path.split('/').flatMap((segment) => (segment.startsWith('{') ? [segment.slice(1, -1)] : []));

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

const pathParameters = ({ path, tag }: Route): JsonObject[] => pathParameterNames(path).map(pathParameter(tag));

/** The header by which an administrator or a bot acts for a user. Every operation that needs a token reads it. */
const IMPERSONATION_HEADER = 'X-Impersonate-User';
const REQUEST_ID_HEADER = 'X-Request-Id';

/** The headers that an operation reads, beyond Authorization, Accept and Content-Type, which OpenAPI says elsewhere. */
const requestHeaderNames = ({ access, reads = [] }: Route): readonly string[] => [
  ...reads,
  ...(access === 'public' ? [] : [IMPERSONATION_HEADER]),
  REQUEST_ID_HEADER,
];

const HEADERS_OF_EVERY_ANSWER = [REQUEST_ID_HEADER];

/**
 * Collects the parameters and headers that several operations share, so that each is written once. A query parameter of
 * the same name that differs stays inline.
 */
export const createSharedParameters = ({ describeHeader }: ApiTexts) => {
  const shared = new Map<string, { text: string; value: JsonObject }>();
  const sent = new Map<string, JsonObject>();

  const referToQuery = ({ name, description, schema }: QueryParameter): JsonObject => {
    const value: JsonObject = { name, in: 'query', description, schema: schema as JsonObject };
    const text = JSON.stringify(value);
    const known = shared.get(name);
    if (known !== undefined && known.text !== text) return value;
    shared.set(name, { text, value });
    return { $ref: `#/components/parameters/${name}` };
  };

  const described = (name: string): JsonObject => {
    const description = describeHeader(name);
    return { ...(description === undefined ? {} : { description }), schema: { type: 'string' } };
  };

  const referToHeader = (name: string): JsonObject => {
    const value: JsonObject = { name, in: 'header', ...described(name) };
    shared.set(name, { text: '', value });
    return { $ref: `#/components/parameters/${name}` };
  };

  /** The headers of an answer, by name. */
  const answerHeaders = (names: readonly string[] = []): JsonObject =>
    Object.fromEntries(
      [...names, ...HEADERS_OF_EVERY_ANSWER].map((name) => {
        sent.set(name, described(name));
        return [name, { $ref: `#/components/headers/${name}` }];
      }),
    );

  const parametersOf = (route: Route): JsonObject[] => [
    ...pathParameters(route),
    ...(route.query ?? []).map(referToQuery),
    ...requestHeaderNames(route).map(referToHeader),
  ];

  const parameters = (): JsonObject => Object.fromEntries([...shared].map(([name, { value }]) => [name, value]));
  const headers = (): JsonObject => Object.fromEntries(sent);
  return { parametersOf, answerHeaders, parameters, headers };
};

export type SharedParameters = ReturnType<typeof createSharedParameters>;
