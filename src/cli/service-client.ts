import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';
import { stripControls } from './output.ts';

/** The client that commands use to call a running service. */

/** Sends a request: `fetch`, or in tests the application without a socket. */
export type SendRequest = (address: string, init: RequestInit) => Promise<Response>;

export type ServiceAccess = {
  readonly server: string;
  readonly token: string;
  /** The person for whom the bot of the token acts. */
  readonly actsFor?: string;
};

export type ServiceConnection = ServiceAccess & { readonly send: SendRequest };

/**
 * Sends one request below /v1 and returns the response. `place` names the file position or command for error messages.
 */
type ServiceRequest = (place: string, method: string, path: string, body?: unknown) => Promise<Response>;

/** The body of a request that is no JSON value of the command's own. */
export type RequestContent = { readonly mediaType: string; readonly content: string };

/** Sends one request below /v1 whose body, if any, is a text. */
type ContentRequest = (place: string, method: string, path: string, body?: RequestContent) => Promise<Response>;

/** Thrown when the service refuses a request. */
export class ServiceRefusal extends StartupError {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** Sends one request and returns the response's JSON. */
export type JsonRequest = (...asked: Parameters<ServiceRequest>) => Promise<unknown>;

/** Reads the hint beside an answer, in which what a header cannot hold is encoded. */
const hintOf = ({ headers }: Response): string | undefined => {
  const hint = headers.get('x-hint') ?? undefined;
  try {
    return hint && decodeURIComponent(hint);
  } catch {
    return hint;
  }
};

/** Reads the message of a refusal, and the hint beside it. A stranger's text loses what a terminal would obey. */
const messageOf = async (response: Response): Promise<string> => {
  const text = await response.text();
  const hint = hintOf(response);
  return [readMessage(text), ...(hint === undefined ? [] : [hint])].join('. ');
};

const readMessage = (text: string): string => {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text.slice(0, 200);
  }
};

/**
 * Creates the request function. It throws a StartupError with a readable message when the service does not respond or
 * refuses.
 */
export const createContentRequest =
  ({ server, token, send, actsFor }: ServiceConnection): ContentRequest =>
  async (place, method, path, body) => {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': body?.mediaType ?? 'application/json',
      ...(actsFor === undefined ? {} : { 'x-impersonate-user': actsFor }),
    };
    const init = { method, headers, ...(body === undefined ? {} : { body: body.content }) };
    const response = await send(`${server}/v1/${path}`, init).catch((cause: unknown) => {
      throw new StartupError(
        `No service answers at ${server}. Start one with "npm start", or name another with --server URL --token T.`,
        { cause },
      );
    });
    if (response.ok) return response;
    const { status } = response;
    const message = await messageOf(response);
    throw new ServiceRefusal(
      stripControls(`${place}: ${server} answered ${status} to ${method} /v1/${path}: ${message}`),
      status,
    );
  };

/** Creates a request function whose bodies are JSON. */
export const createServiceRequest = (remote: ServiceConnection): ServiceRequest => {
  const ask = createContentRequest(remote);
  return (place, method, path, body) =>
    ask(
      place,
      method,
      path,
      body === undefined ? undefined : { mediaType: 'application/json', content: JSON.stringify(body) },
    );
};

/** Creates a request function that returns only the response's JSON. */
export const createJsonRequest = (remote: ServiceConnection): JsonRequest => {
  const ask = createServiceRequest(remote);
  return async (...asked) => (await ask(...asked)).json();
};

/** The address that a running service recorded in the home's lock, or otherwise the configured one. */
export const localAddress = async ({ home, port }: Config): Promise<string> => {
  const lock = await readFile(join(home, 'lock'), 'utf8').catch(() => '{}');
  try {
    const { note } = JSON.parse(lock) as { note?: unknown };
    if (typeof note === 'string') return note;
  } catch {
    // An unreadable lock belongs to no running service.
  }
  return `http://127.0.0.1:${port}`;
};

/**
 * Finds the local service: its address from the home's lock, its token from the file written at every start unless
 * another one is given.
 */
export const findLocalService = async (config: Config, given?: string): Promise<ServiceAccess> => {
  if (given !== undefined) return { server: await localAddress(config), token: given };
  const path = join(config.home, 'admin.token');
  const token = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new StartupError(
      `There is no admin token at ${path}. Start the service with "npm start", set TRIBUTARY_HOME to its folder, or give --server URL --token T.`,
      { cause },
    );
  });
  return { server: await localAddress(config), token: token.trim() };
};
