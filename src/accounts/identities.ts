import type { ProviderSubject } from '../access/provider-subject.ts';
import { encodeProperty } from '../graph/encode-property.ts';
import { type Accounts, PROVIDER_CREDENTIAL_PREFIX } from './accounts.ts';
import {
  createIdentity,
  deleteIdentities,
  findLinkedPerson,
  type IdentityRow,
  listIdentities,
} from './identity-queries.ts';
import type { LoginRow } from './queries.ts';

/**
 * Links accounts to the subjects of identity providers. An e-mail address may be given to somebody else; a subject never
 * is, so from the first sign-in on the subject decides.
 */

/** Issuers are addresses and have no space in them, so no two subjects share a key. */
export const identityKeyOf = ({ issuer, subject }: ProviderSubject): string => `${issuer} ${subject}`;

/** The person who is linked to the subject, soft-deleted ones included. */
export const findPersonOfSubject = async (
  { engine }: Pick<Accounts, 'engine'>,
  subject: ProviderSubject,
): Promise<LoginRow | undefined> => (await engine.graph.read(findLinkedPerson, { key: identityKeyOf(subject) }))[0];

/**
 * Links an account to the subject. False when the account is linked to another subject of the provider, or the subject
 * to another account, also when another process was faster.
 */
export const linkSubject = async (
  { engine, forgetUser }: Pick<Accounts, 'engine' | 'forgetUser'>,
  { id, name }: Pick<LoginRow, 'id' | 'name'>,
  subject: ProviderSubject,
): Promise<boolean> => {
  const input = { ...subject, userId: id, key: identityKeyOf(subject), now: encodeProperty(engine.clock()) };
  const linked = await engine.graph.write((transaction) => transaction.run(createIdentity, input));
  forgetUser(name);
  return linked.length > 0;
};

/** The identities of an account, the newest first. There is one for each provider that was ever configured, at most. */
export const findIdentities = ({ engine }: Pick<Accounts, 'engine'>, userId: string): Promise<readonly IdentityRow[]> =>
  engine.graph.read(listIdentities, { userId });

/** Unlinks an account from all providers and ends the sessions that began there. */
export const unlinkSubjects = async (
  { engine, standings, forgetUser }: Accounts,
  { id, name }: Pick<LoginRow, 'id' | 'name'>,
): Promise<void> => {
  const removal = { userId: id, credentialPrefix: PROVIDER_CREDENTIAL_PREFIX };
  const ended = await engine.graph.write((transaction) => transaction.run(deleteIdentities, removal));
  for (const session of ended) standings.forgetSession(session.id);
  forgetUser(name);
};
