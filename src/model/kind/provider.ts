import { oneOf } from '../values.ts';
import { property } from './attribute.ts';

/** Who a record comes from. What belongs to the system stays with it: it is neither deleted nor handed over. */
const PROVIDERS = ['system', 'user', 'automation'] as const;

export const providerMember = (options: { readonly request?: boolean; readonly adminOnly?: boolean } = {}) =>
  property(oneOf(PROVIDERS), { fallback: 'user', onAbsent: 'keep', protectedValue: 'system', ...options });
