import { confirmToken, currentToken, interruptSession, renewSession } from '../session/session.ts';
import { ApiFailure, readFailure } from './failure.ts';

/** Sends requests to the API of the service that served this page, with the visitor's token. */

type QueryValue = string | number | boolean | undefined;

export type AskOptions = {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly json?: unknown;
  /** A body that is no JSON, such as a file. */
  readonly content?: string | Blob;
  /** The media type of the body, where it is not plain JSON. */
  readonly mediaType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Reads the text of an answer that is too large to be parsed on the page's own thread. */
  readonly parse?: (text: string) => Promise<unknown>;
};

export type Told<T> = { readonly value: T; readonly headers: Headers };

/** Nobody looks at a page for longer than this without an answer. */
const ANSWER_WITHIN_MS = 60_000;

const addressOf = (path: string, query: AskOptions['query'] = {}): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
};

const noAnswer = () => new ApiFailure(0, 'The service does not answer. Check the connection and try again');

const sendOnce = async (path: string, options: AskOptions): Promise<Response> => {
  const { method = 'GET', query, json, mediaType = 'application/json', headers = {}, signal } = options;
  const body = options.content ?? (json === undefined ? undefined : JSON.stringify(json));
  const token = currentToken();
  const init: RequestInit = {
    method,
    headers: {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': mediaType }),
      ...headers,
    },
    signal: AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), ...(signal ? [signal] : [])]),
    ...(body === undefined ? {} : { body }),
  };
  try {
    return await fetch(addressOf(path, query), init);
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw noAnswer();
  }
};

/** Gets a new token in place of one that the service refuses: the next one of the session, or by a new sign-in. */
const replaceToken = async (refused: string | undefined, signal: AbortSignal | undefined): Promise<boolean> => {
  const held = currentToken();
  if (held !== undefined && held !== refused) return true;
  const isRenewed = await renewSession().catch(() => {
    throw noAnswer();
  });
  return isRenewed || interruptSession(signal);
};

/** Asks once more with a new token when the token has ended, however long it takes to get one. */
const send = async (path: string, options: AskOptions): Promise<Response> => {
  const token = currentToken();
  const answer = await sendOnce(path, options);
  if (answer.status === 401) return (await replaceToken(token, options.signal)) ? sendOnce(path, options) : answer;
  confirmToken(token);
  return answer;
};

/** Reads the body, whose end may never come. Pages are answered by proxies and never by the API. */
const readText = async (answer: Response, { signal }: AskOptions): Promise<string> => {
  if (!answer.ok) throw await readFailure(answer);
  if (answer.headers.get('content-type')?.includes('html'))
    throw new ApiFailure(0, 'Something between this page and the service answered in its place. Try again');
  try {
    return await answer.text();
  } catch (failure) {
    if (signal?.aborted) throw failure;
    throw noAnswer();
  }
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiFailure(0, 'The answer of the service was cut off. Try again');
  }
};

export const askFully = async <T>(path: string, options: AskOptions = {}): Promise<Told<T>> => {
  const answer = await send(path, options);
  const text = await readText(answer, options);
  const { parse = parseJson } = options;
  return { value: (text === '' ? undefined : await parse(text)) as T, headers: answer.headers };
};

/** Asks for an answer that is no JSON, or one that is too large to be read at once. */
export const askText = async (path: string, options: AskOptions = {}): Promise<string> =>
  readText(await send(path, options), options);

export const ask = async <T>(path: string, options: AskOptions = {}): Promise<T> =>
  (await askFully<T>(path, options)).value;
