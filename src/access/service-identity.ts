import type { Principal } from './principal.ts';

/** The name under which this service issues tokens. It is the same on every process, whatever its address. */
export const ISSUER = 'tributary';

/** Who the service is when it writes for itself. */
export const SYSTEM_PRINCIPAL: Principal = Object.freeze({
  id: '',
  name: 'admin',
  email: '',
  isAdmin: true,
  isBot: false,
  roles: [],
});
