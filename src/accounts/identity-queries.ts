import type { ProviderSubject } from '../access/provider-subject.ts';
import { statement } from '../graph/statement.ts';
import type { LoginRow } from './queries.ts';

export const findLinkedPerson = statement<{ key: string }, LoginRow>('accounts/find_linked_person', {
  params: ['key'],
  row: ['id', 'name', 'email', 'isBot', 'isAdmin', 'deleted', 'credential'],
});

type IdentityInput = ProviderSubject & {
  readonly userId: string;
  readonly key: string;
  /** Encoded by the caller, so that it is stored as an integer. */
  readonly now: unknown;
};

export const createIdentity = statement<IdentityInput, { id: string }>('accounts/create_identity', {
  params: ['userId', 'key', 'issuer', 'subject', 'now'],
  row: ['id'],
});

export type IdentityRow = ProviderSubject & { readonly linkedAt: number };

export const listIdentities = statement<{ userId: string }, IdentityRow>('accounts/list_identities', {
  params: ['userId'],
  row: ['issuer', 'subject', 'linkedAt'],
});

export const deleteIdentities = statement<{ userId: string; credentialPrefix: string }, { id: string }>(
  'accounts/delete_identities',
  { params: ['userId', 'credentialPrefix'], row: ['id'] },
);

type LogoutTokenClaim = {
  readonly digest: string;
  readonly now: unknown;
  readonly expiresAt: unknown;
  /** Random, so that a statement that runs again knows itself. */
  readonly seenBy: string;
};

export const claimLogoutToken = statement<LogoutTokenClaim, { isFirst: boolean }>('accounts/claim_logout_token', {
  params: ['digest', 'now', 'expiresAt', 'seenBy'],
  row: ['isFirst'],
});

type ProviderSessionRemoval = {
  readonly subject: string | null;
  readonly sessionId: string | null;
  readonly identityKey: string | null;
  readonly credential: string;
};

export const deleteProviderSessions = statement<ProviderSessionRemoval, { id: string; userName: string }>(
  'accounts/delete_provider_sessions',
  { params: ['subject', 'sessionId', 'identityKey', 'credential'], row: ['id', 'userName'] },
);
