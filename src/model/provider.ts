import { property } from './attribute.ts';
import { oneOf } from './values.ts';

/** Who a record comes from. What belongs to the system stays with it: it is neither deleted nor handed over. */
const PROVIDERS = ['system', 'user', 'automation'] as const;

export const provider = (options: { readonly request?: boolean; readonly adminOnly?: boolean } = {}) =>
  property(oneOf(PROVIDERS), { fallback: 'user', onAbsent: 'keep', lasting: 'system', ...options });
