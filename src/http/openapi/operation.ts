import { STATUS_CODES } from 'node:http';
import type { Json, JsonObject } from '../../model/json.ts';
import { EVENT_STREAM_TYPE } from '../event-stream.ts';
import type { Route, RouteAccess } from '../route.ts';
import { describeFailures } from './failures.ts';
import type { SharedParameters } from './parameters.ts';
import type { SchemaDocument } from './schema-document.ts';
import type { ApiTexts } from './texts.ts';

/** Describes one operation of the API document. */

/** What the operations of a document share. */
export type DocumentContext = {
  readonly schemas: SchemaDocument;
  readonly parameters: SharedParameters;
  readonly texts: ApiTexts;
  readonly uniqueName: (wanted: string) => string;
  /** Whether the version of the standard describes what streams consist of. */
  readonly hasStreams: boolean;
};

const toPascalCase = (text: string): string =>
  text
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join('');

/** Builds a usable operation id: `getTablesNameByFqn` for `GET /v1/tables/name/{fqn}`. */
const operationName = ({ method, path }: Route): string => {
  const words = path
    .split('/')
    .slice(2)
    .map((segment) => (segment.startsWith('{') ? `By${toPascalCase(segment)}` : toPascalCase(segment)));
  return method.toLowerCase() + words.join('');
};

const describeAccess = (access: RouteAccess): string => {
  if (access === 'public') return 'Needs no token.';
  if (access === 'authenticated') return 'Needs a token.';
  const needs = `Needs the operation ${access.operation} on ${access.resource}.`;
  return access.also === undefined ? needs : `${needs} ${access.also}`;
};

const describeRoute = (route: Route, texts: ApiTexts): string =>
  [texts.describeOperation(route), describeAccess(route.access)].filter((text) => text !== undefined).join(' ');

const mediaContent = (mediaTypes: readonly string[], schema: JsonObject, example?: Json): JsonObject =>
  Object.fromEntries(
    mediaTypes.map((mediaType, at) => [
      mediaType,
      at === 0 && example !== undefined ? { schema, example } : { schema },
    ]),
  );

/** An event has its data as text, which is JSON. */
const describeEvent = (data: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    id: { type: 'string' },
    event: { type: 'string' },
    data: { type: 'string', contentMediaType: 'application/json', contentSchema: data },
  },
  required: ['event', 'data'],
});

const streamContent = (mediaType: string, each: JsonObject): JsonObject => ({
  [mediaType]: { itemSchema: mediaType === EVENT_STREAM_TYPE ? describeEvent(each) : each },
});

const describeResponses = (
  route: Route,
  { schemas, parameters: { answerHeaders }, hasStreams }: DocumentContext,
  name: string,
): JsonObject => {
  const fallbackName = `${toPascalCase(name)}Answer`;
  const successes = Object.entries(route.responses).map(([status, schema]) => {
    const head = { description: STATUS_CODES[status] ?? 'Response', headers: answerHeaders(route.sends) };
    const own = schema && schemas.refer(schema, fallbackName);
    const each = hasStreams && route.each ? schemas.refer(route.each, `${toPascalCase(name)}Item`) : undefined;
    const texts = [...(own || !route.answers ? [] : [route.answers]), ...(route.alsoAnswers ?? [])];
    const content = {
      ...(own && mediaContent([route.answers ?? 'application/json'], own)),
      ...mediaContent(texts, { type: 'string' }),
      ...(each && route.answers && streamContent(route.answers, each)),
    };
    return [status, Object.keys(content).length === 0 ? head : { ...head, content }];
  });
  const result = route.refusalResult && schemas.refer(route.refusalResult, `${toPascalCase(name)}Refusal`);
  return { ...Object.fromEntries(successes), ...describeFailures(route, result) };
};

/** Bodies of these types are files of rows, whatever one row is. */
const FILE_TYPES: ReadonlySet<string> = new Set(['text/csv', 'application/x-ndjson']);

const describeBody = ({ body }: Route, schema: JsonObject | undefined, example: Json | undefined): JsonObject => {
  if (!body || !schema) return {};
  const files = body.mediaTypes.filter((type) => FILE_TYPES.has(type));
  const others = body.mediaTypes.filter((type) => !FILE_TYPES.has(type));
  const content = { ...mediaContent(others, schema, example), ...mediaContent(files, { type: 'string' }) };
  return { requestBody: { required: true, content } };
};

export const describeOperation = (route: Route, context: DocumentContext): JsonObject => {
  const { schemas, parameters, texts, uniqueName } = context;
  const name = uniqueName(operationName(route));
  const bodySchema = route.body && schemas.refer(route.body.schema, `${toPascalCase(name)}Body`);
  return {
    operationId: name,
    summary: route.summary,
    description: describeRoute(route, texts),
    tags: [route.tag],
    parameters: parameters.parametersOf(route),
    ...describeBody(route, bodySchema, texts.exampleFor(route)),
    responses: describeResponses(route, context, name),
    ...(route.access === 'public' ? { security: [] } : {}),
  };
};
