import { StartupError } from '../errors.ts';
import type { ServiceConnection } from './service-client.ts';

/** Lifetimes of a bot token, from the command line's spelling to the API's. */
const EXPIRIES: ReadonlyMap<string, string> = new Map([
  ['1h', 'OneHour'],
  ['1d', '1'],
  ['7d', '7'],
  ['30d', '30'],
  ['60d', '60'],
  ['90d', '90'],
]);

const toTokenExpiry = (ttl: string | undefined): string => {
  const expiry = ttl === undefined ? 'Unlimited' : EXPIRIES.get(ttl.trim());
  if (expiry) return expiry;
  throw new StartupError(
    `The lifetime is "${ttl}", expected one of ${[...EXPIRIES.keys()].join(', ')} for a bot, or nothing for no expiry`,
  );
};

const serviceUnreachable = (server: string, cause: unknown) =>
  new StartupError(
    `No service answers at ${server}. A bot token is stored by the service and cannot be issued without it. Start one with "npm start".`,
    { cause },
  );

/**
 * Requests a new bot token from a running service, which stores it and revokes the previous one. Throws a StartupError
 * with a readable message when the service does not respond or refuses.
 */
export const requestBotToken = async (
  { server, token, send }: ServiceConnection,
  bot: string,
  ttl: string | undefined,
): Promise<string> => {
  const JWTTokenExpiry = toTokenExpiry(ttl);
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const request = async (path: string, init: RequestInit = {}): Promise<Record<string, unknown>> => {
    const response = await send(`${server}/v1/users/${path}`, { ...init, headers }).catch((cause: unknown) => {
      throw serviceUnreachable(server, cause);
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new StartupError(`${server} answered ${response.status}: ${answer['message']}`);
    return answer;
  };
  const { id } = await request(`name/${encodeURIComponent(bot)}`);
  const made = await request(`generateToken/${id}`, { method: 'PUT', body: JSON.stringify({ JWTTokenExpiry }) });
  return String(made['JWTToken']);
};
