import { badRequest, CatalogError } from '../errors.ts';
import type { Call } from '../http/route.ts';
import type { JsonObject } from '../model/json.ts';

/**
 * Calls the service's own API for an assistant. Every tool reads and writes through it, so rights, bounds and
 * visibility are those of the same request by the same caller, and so is what the request counts in the caller's share.
 */

/** Sends a request to the service itself as a part of a call. It comes from the same address under the same id. */
export type SendToSelf = (target: string, init: RequestInit, call: Call) => Promise<Response>;

export type ApiRequest = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** The path below `/v1/`, with encoded segments. */
  readonly path: string;
  /** A list sends the parameter once for each of its values. */
  readonly query?: Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;
  readonly body?: unknown;
  readonly mediaType?: string;
  /** The condition of a write: `If-Match` or `If-None-Match`. */
  readonly condition?: Readonly<Record<string, string>>;
};

export type ApiReply = { readonly text: string; readonly headers: Headers };

export type CatalogApi = {
  /** Answers the text of a successful response. Throws the refusal of any other. */
  readonly read: (request: ApiRequest) => Promise<ApiReply>;
  readonly readJson: (request: ApiRequest) => Promise<JsonObject>;
  /** Answers undefined instead of a 404. */
  readonly readIfPresent: (request: ApiRequest) => Promise<JsonObject | undefined>;
};

/** The headers of a request that the requests for its tools need too. */
const PASSED_HEADERS = ['authorization', 'x-impersonate-user'];

/** Picks headers of a call that it has. */
export const pickHeaders = (call: Pick<Call, 'header'>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = call.header(name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** The maximum time for all requests of one message. */
const MESSAGE_TIMEOUT_MS = 60_000;

/** Larger answers would keep the thread busy, and no budget of tokens has room for them. */
const MAX_ANSWER_CHARACTERS = 8 * 1024 * 1024;

const NO_NAME = '[A name must not be empty, "." or ".."]';

/** Encodes a name as one segment of a path. Throws bad_request for a text that is no name. */
export const encodeName = (name: string): string => {
  if (name === '' || name === '.' || name === '..') throw badRequest(NO_NAME);
  if (/\p{Cs}/u.test(name)) throw badRequest('[A name must be valid Unicode]');
  return encodeURIComponent(name);
};

/** Segments that are taken out of an address when it is read, so that it leads elsewhere. */
const VANISHING_SEGMENT = /(?:^|\/)(?:\.|%2e){0,2}(?:\/|$)/i;

const addressOf = ({ path, query = {} }: ApiRequest): string => {
  if (VANISHING_SEGMENT.test(path)) throw badRequest(NO_NAME);
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) given.append(name, String(one));
  }
  return `/v1/${path}${given.size > 0 ? `?${given}` : ''}`;
};

/** The message of an error body. A body that is none is a defect, and may hold anything. */
const messageOf = (status: number, text: string): string => {
  const { message } = JSON.parse(text) as { readonly message?: unknown };
  if (typeof message !== 'string') throw new Error(`The service answered ${status} without a message`);
  return message;
};

const CODES = {
  400: 'bad_request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  412: 'precondition_failed',
  413: 'payload_too_large',
  429: 'too_many_requests',
} as const;

/** Decodes a header that holds percent-encoded characters beside others, such as a percent sign, as they are. */
const decodeHeaderText = (text: string): string =>
  text.replace(/(?:%[0-9A-F]{2})+/g, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

type Refusal = { readonly status: number; readonly text: string; readonly headers: Headers };

/** Rebuilds the failure of a refused request, so that the assistant reads what a client of the API would. */
const refusalOf = ({ status, text, headers }: Refusal): CatalogError => {
  const code = Object.hasOwn(CODES, status) ? CODES[status as keyof typeof CODES] : 'unavailable';
  const hint = headers.get('x-hint');
  return new CatalogError(code, messageOf(status, text), hint === null ? {} : { hint: decodeHeaderText(hint) });
};

/** Opens the API for one message of a caller. */
export const openCatalogApi = (send: SendToSelf, call: Call): CatalogApi => {
  const headers = pickHeaders(call, PASSED_HEADERS);
  const timeout = AbortSignal.timeout(MESSAGE_TIMEOUT_MS);
  const bounded = AbortSignal.any([call.signal, timeout]);
  const ask = async (request: ApiRequest): Promise<ApiReply & { readonly status: number }> => {
    if (timeout.aborted) throw new CatalogError('unavailable', 'The message took too long, so narrow the question');
    bounded.throwIfAborted();
    const { method = 'GET', body, mediaType = 'application/json', condition = {} } = request;
    const init = {
      method,
      headers: { ...headers, ...condition, ...(body === undefined ? {} : { 'content-type': mediaType }) },
      signal: bounded,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await send(addressOf(request), init, call);
    const text = await response.text();
    if (text.length > MAX_ANSWER_CHARACTERS) {
      throw new CatalogError('bad_request', 'The answer is too large to be shortened, so narrow the question');
    }
    return { status: response.status, text, headers: response.headers };
  };
  const read: CatalogApi['read'] = async (request) => {
    const reply = await ask(request);
    if (reply.status >= 400) throw refusalOf(reply);
    return reply;
  };
  return {
    read,
    readJson: async (request) => JSON.parse((await read(request)).text) as JsonObject,
    readIfPresent: async (request) => {
      const reply = await ask(request);
      if (reply.status === 404) return undefined;
      if (reply.status >= 400) throw refusalOf(reply);
      return JSON.parse(reply.text) as JsonObject;
    },
  };
};
