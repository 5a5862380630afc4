import type { Principal } from '../access/principal.ts';
import { networkOf } from './client-address.ts';

/** Identifies the holder whose share of the request slots a request uses. */

/** The principal of requests without a token. */
export const ANONYMOUS: Principal = Object.freeze({
  id: '',
  name: 'anonymous',
  email: '',
  isAdmin: false,
  isBot: false,
  roles: Object.freeze([]),
});

/** Answers the holder of a request. Callers without a token are distinguished by their network. */
export const holderOf = (principal: Principal, address: string): string =>
  principal === ANONYMOUS ? `address ${networkOf(address)}` : principal.id || principal.name;
