import { CatalogError, type ErrorCode } from '../../errors.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Route } from '../route.ts';
import { pathParameterNames, type SharedParameters } from './parameters.ts';

/** Describes the errors that operations answer. */

type Failure = {
  /** The name of the shared answer. */
  readonly name: string;
  readonly description: string;
  /** A code that answers with this status, and the message of an example. */
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: readonly string[];
};

const FAILURES: Readonly<Record<number, Failure>> = {
  400: {
    name: 'BadRequest',
    description: 'The path, a parameter or the body is invalid. Nothing has changed.',
    code: 'bad_request',
    message: '[limit must be less than or equal to 1000000]',
    headers: ['X-Hint'],
  },
  401: {
    name: 'Unauthorized',
    description: 'The token is missing, malformed, expired or revoked.',
    code: 'unauthorized',
    message: 'Not Authorized! Token not present',
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    description: 'No policy allows the caller the operation.',
    code: 'forbidden',
    message: "Principal: CatalogPrincipal{name='ana'} operations [EditAll] not allowed",
    headers: ['X-Hint'],
  },
  404: {
    name: 'NotFound',
    description: 'What the request names does not exist, is deleted, or is hidden from the caller.',
    code: 'not_found',
    message: 'table instance for shop.warehouse.public.orders not found',
    headers: ['X-Hint'],
  },
  408: {
    name: 'RequestTimeout',
    description: 'The body did not arrive in time.',
    code: 'request_timeout',
    message: 'The body did not arrive in time',
  },
  409: {
    name: 'Conflict',
    description:
      'The name is taken, or somebody else has changed the same thing at the same time. Nothing has changed.',
    code: 'already_exists',
    message: 'Entity already exists',
    headers: ['X-Hint'],
  },
  412: {
    name: 'PreconditionFailed',
    description:
      'The asset is not at the version that `If-Match` names, or exists although it must be new. Nothing has changed.',
    code: 'precondition_failed',
    message: 'table instance is not at the version the request expects',
    headers: ['ETag'],
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body is larger than the operation accepts.',
    code: 'payload_too_large',
    message: 'The body is too large',
  },
  415: {
    name: 'UnsupportedMediaType',
    description: 'The media type or the encoding of the body is not one that the operation accepts.',
    code: 'unsupported_media_type',
    message: 'Unsupported media type, expected application/json',
  },
  429: {
    name: 'TooManyRequests',
    description: 'The caller has reached a limit, such as that of waiting jobs or failed logins.',
    code: 'too_many_requests',
    message: 'Too many jobs are waiting; try again when some are done',
    headers: ['Retry-After'],
  },
  503: {
    name: 'ServiceUnavailable',
    description: 'The service is overloaded, or cannot reach its database.',
    code: 'unavailable',
    message: 'Too many requests at once, try again shortly',
    headers: ['Retry-After'],
  },
};

const BODY_FAILURES = [408, 413, 415];

/** Query parameters that name something that may be missing. */
const NAMING_PARAMETER = /fqn$|Id$|^(?:id|from|to|root|scope)$/i;

const namesSomething = ({ path, query = [], body }: Route): boolean =>
  pathParameterNames(path).length > 0 || body !== undefined || query.some(({ name }) => NAMING_PARAMETER.test(name));

const startsJobs = ({ responses, query = [] }: Route): boolean =>
  '202' in responses || query.some(({ name }) => name === 'async');

/** The statuses of the errors that an operation answers, as its declaration implies. */
const failureStatuses = (route: Route): number[] => {
  const isPublic = route.access === 'public';
  const changes = route.method !== 'GET' && !isPublic;
  const creates = route.method !== 'POST' || '201' in route.responses;
  const all = [
    400,
    ...(isPublic ? [] : [401, 403]),
    ...(namesSomething(route) ? [404] : []),
    ...(changes && creates ? [409] : []),
    ...(route.reads?.includes('If-Match') ? [412] : []),
    ...(route.body === undefined ? [] : BODY_FAILURES),
    ...(startsJobs(route) ? [429] : []),
    ...(route.fails ?? []),
    503,
  ];
  return [...new Set(all)].sort((a, b) => a - b);
};

const ERROR_BODY = { $ref: '#/components/schemas/ErrorBody' };

/** The schema of an error whose body also carries the result of the operation. */
const withResult = (result: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    ...(ERROR_SCHEMA['properties'] as JsonObject),
    result: { ...result, description: 'Result of the operation, row by row' },
  },
  required: ['code', 'errorType', 'message'],
});

/** Refers to the errors of an operation, by status. `result` is the schema of what a refusal of the body carries. */
export const describeFailures = (route: Route, result: JsonObject | undefined): JsonObject => {
  const shared = failureStatuses(route).map((status) => [
    status,
    { $ref: `#/components/responses/${FAILURES[status]?.name}` },
  ]);
  const own =
    result === undefined
      ? {}
      : {
          400: {
            description: FAILURES[400]?.description,
            content: { 'application/json': { schema: withResult(result) } },
          },
        };
  return { ...Object.fromEntries(shared), ...own, default: { $ref: '#/components/responses/Error' } };
};

/** The error answers that operations refer to. */
export const failureComponents = ({ answerHeaders }: SharedParameters): JsonObject => {
  const known = Object.values(FAILURES).map(({ name, description, code, message, headers }) => {
    const example = new CatalogError(code, message).body as JsonObject;
    const content = { 'application/json': { schema: ERROR_BODY, example } };
    return [name, { description, headers: answerHeaders(headers), content }];
  });
  const other = {
    description: 'Any other error. A 500 is a defect of the service; its message names the request.',
    headers: answerHeaders(),
    content: { 'application/json': { schema: ERROR_BODY } },
  };
  return { ...Object.fromEntries(known), Error: other };
};

export const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    code: { type: 'integer', description: 'HTTP status' },
    errorType: { type: 'string', description: 'Error type, one per class of failure' },
    message: { type: 'string', description: 'Explanation of what was wrong, where, and what is allowed instead' },
  },
  required: ['code', 'errorType', 'message'],
  additionalProperties: false,
};
