import type { Principal } from '../access/principal.ts';
import { addressGroup } from './connections.ts';

/** Who calls without a token. */
export const ANONYMOUS: Principal = Object.freeze({
  id: '',
  name: 'anonymous',
  email: '',
  isAdmin: false,
  isBot: false,
  roles: Object.freeze([]),
});

/** Whose share a request counts against. Callers without a token are told apart by the network they call from. */
export const holderOf = (principal: Principal, address: string): string =>
  principal === ANONYMOUS ? `address ${addressGroup(address)}` : principal.id || principal.name;
