import type { Principal } from './principal.ts';

/** The issuer name in tokens of this service. It is the same on every process, whatever its address. */
export const ISSUER = 'tributary';

/** The principal of writes that the service makes itself. */
export const SYSTEM_PRINCIPAL: Principal = Object.freeze({
  id: '',
  name: 'admin',
  email: '',
  isAdmin: true,
  isBot: false,
  roles: [],
});
