import { oneOf } from '../values.ts';
import { property } from './attribute.ts';

/** The origin of a record. A record of the system can neither be deleted nor given another provider. */
const PROVIDERS = ['system', 'user', 'automation'] as const;

export const providerMember = (options: { readonly request?: boolean; readonly adminOnly?: boolean } = {}) =>
  property(oneOf(PROVIDERS), { fallback: 'user', onAbsent: 'keep', protectedValue: 'system', ...options });
