import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { StartupError } from '../errors.ts';

/** The client that commands use to call a running service. */

/** Sends a request: `fetch`, or in tests the application without a socket. */
export type SendRequest = (address: string, init: RequestInit) => Promise<Response>;

export type ServiceAccess = { readonly server: string; readonly token: string };

export type ServiceConnection = ServiceAccess & { readonly send: SendRequest };

/**
 * Sends one request below /v1 and returns the response. `place` names the file position or command for error messages.
 */
type ServiceRequest = (place: string, method: string, path: string, body?: unknown) => Promise<Response>;

/** Sends one request and returns the response's JSON. */
export type JsonRequest = (...asked: Parameters<ServiceRequest>) => Promise<unknown>;

const messageOf = async (response: Response): Promise<string> => {
  const text = await response.text();
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
export const createServiceRequest = ({ server, token, send }: ServiceConnection): ServiceRequest => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (place, method, path, body) => {
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await send(`${server}/v1/${path}`, init).catch((cause: unknown) => {
      throw new StartupError(
        `No service answers at ${server}. Start one with "npm start", or name another with --server URL --token T.`,
        { cause },
      );
    });
    if (response.ok) return response;
    const message = await messageOf(response);
    throw new StartupError(`${place}: ${server} answered ${response.status} to ${method} /v1/${path}: ${message}`);
  };
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

/** Finds the local service: its address from the home's lock, its token from the file written at every start. */
export const findLocalService = async (config: Config): Promise<ServiceAccess> => {
  const path = join(config.home, 'admin.token');
  const token = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new StartupError(
      `There is no admin token at ${path}. Start the service with "npm start", set TRIBUTARY_HOME to its folder, or give --server URL --token T.`,
      { cause },
    );
  });
  return { server: await localAddress(config), token: token.trim() };
};
