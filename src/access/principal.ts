import { type Config, isUsableDomain } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { createLookupCache, createSingleFlight } from './cache.ts';
import { assertProviderMayUse, type BuiltInAccounts } from './provider-identity.ts';
import type { ProviderSubject } from './provider-subject.ts';
import {
  assertSubjectFits,
  assertSubjectIsFree,
  createAccountLookup,
  linkProvenSubject,
  type SubjectLinks,
} from './subject-links.ts';
import { invalidTokenError, type TokenVerifier, type VerifiedToken } from './token-verifier.ts';

/** A person's place in the catalog: ids of their direct teams, of the roles assigned to them, and of their domains. */
export type PrincipalMembership = {
  readonly teamIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly domainIds: readonly string[];
};

/** The identity a request acts as. With `impersonatedBy` the rights are those of the target user, and that bot acts. */
export type Principal = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  readonly impersonatedBy?: string;
  /** Role names from the provider's token, in addition to those the catalog stores. */
  readonly roles: readonly string[];
  /** Absent when the principal has no team, role or domain. */
  readonly membership?: PrincipalMembership;
};

/** The data of a stored user that authentication needs. */
export type UserRecord = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  readonly deleted: boolean;
  readonly allowImpersonation: boolean;
  /** Who the person is at providers, where they have signed in. */
  readonly identities?: readonly ProviderSubject[];
  /** Tokens issued up to this moment, in epoch milliseconds, are revoked. */
  readonly tokensVoidBefore?: number;
  readonly membership?: PrincipalMembership;
};

type PrincipalResolverDeps = {
  readonly verifier: TokenVerifier;
  /** Reads the user of that lower-case name, soft-deleted users included. */
  readonly readUser: (name: string) => Promise<UserRecord | undefined>;
  /**
   * Creates a user who signs up with a provider token. May reject with already_exists when a concurrent request was
   * faster.
   */
  readonly createUser: (user: { readonly name: string; readonly email: string }) => Promise<UserRecord>;
  readonly config: Config['auth'];
  /** Links accounts to subjects of the provider at which people sign in. Without it accounts stay as they are. */
  readonly subjectLinks?: SubjectLinks;
  /** Built-in accounts, whose names no identity provider can give away. */
  readonly builtIn: BuiltInAccounts;
  readonly clock: () => number;
  /** How long a user's record may be reused. Code that revokes a right calls `forget` in its own process. */
  readonly graceMs: number;
  /** Throws forbidden unless policies let the bot act for the user of that id. The bot's flag alone is not enough. */
  readonly assertMayImpersonate?: (bot: Principal, targetId: string | undefined) => Promise<void>;
  /**
   * Whether a valid token is still accepted: it checks stored tokens of bots, personal tokens and logged-out tokens.
   */
  readonly isTokenAccepted?: (token: VerifiedToken, user: UserRecord, origin?: RequestOrigin) => Promise<boolean>;
};

/** The network address and the id of a request. */
export type RequestOrigin = { readonly address: string; readonly requestId: string };

/** Called with the name of the token's user, before impersonation is checked. */
export type Identified = (name: string) => void;

/**
 * Resolves credentials to principals. `authenticate` throws unauthorized or forbidden; `forget` makes the next call
 * read the user again.
 */
export type PrincipalResolver = {
  authenticate(
    authorization: string | undefined,
    impersonate: string | undefined,
    origin?: RequestOrigin,
    identified?: Identified,
  ): Promise<Principal>;
  /** The user of that name as a principal, without a token. Undefined when the user does not exist or is deleted. */
  findByName(name: string): Promise<Principal | undefined>;
  forget(name: string): void;
  /** Forgets all users, because a team and its membership have changed. */
  forgetAll(): void;
};

const MAX_USERS = 10_000;
const NO_ROLES: readonly string[] = Object.freeze([]);

/**
 * Clients cannot read user lists that contain an e-mail address outside these limits, so such a person gets an address
 * in the principal domain.
 */
const signUpEmail = ({ name, email }: VerifiedToken, principalDomain: string): string => {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isUsable = isUsableDomain(domain) && email.length >= 6 && email.length <= 127;
  return isUsable ? email : `${name}@${principalDomain}`;
};

const isNameTaken = (error: unknown): boolean => error instanceof CatalogError && error.code === 'already_exists';

/**
 * Creates users on their first request. Concurrent first requests of one person create one user, on one process or
 * many.
 */
const createProviderSignUp = (
  { createUser, readUser, config }: PrincipalResolverDeps,
  forget: (name: string) => void,
) => {
  const flights = createSingleFlight<UserRecord | undefined>();

  const create = async (token: VerifiedToken): Promise<UserRecord | undefined> => {
    try {
      return await createUser({ name: token.name, email: signUpEmail(token, config.principalDomain) });
    } catch (error) {
      if (!isNameTaken(error)) throw error;
      return readUser(token.name);
    } finally {
      forget(token.name);
    }
  };

  return (token: VerifiedToken): Promise<UserRecord | undefined> => flights(token.name, () => create(token));
};

const refuseToken = (reason: string) => invalidTokenError(new Error(reason));

const assertMayEnter = (token: VerifiedToken, user: UserRecord): void => {
  if (user.deleted) throw refuseToken('the user is deleted');
  if (token.userId !== undefined && token.userId !== user.id)
    throw refuseToken('the token was issued for a former user of that name');
  if (token.isBot && !user.isBot) throw refuseToken('a token for bots names a person');
  // A person's token for a bot would bypass the check that makes bot tokens revocable.
  if (user.isBot && !token.isBot) throw refuseToken('a token for people names a bot');
};

/**
 * Whether the token was issued before all tokens of the user were revoked. Session tokens are exempt: sessions end
 * separately.
 */
const isRevoked = ({ sessionId, issuedAt = 0 }: VerifiedToken, { tokensVoidBefore }: UserRecord): boolean =>
  sessionId === undefined && tokensVoidBefore !== undefined && issuedAt <= tokensVoidBefore;

/** Builds the principal of a user. `membership` stays the same object for as long as the user's record is cached. */
export const buildPrincipal = (user: UserRecord, email: string, roles: readonly string[] = NO_ROLES): Principal => {
  const { id, name, isAdmin, isBot, membership } = user;
  const known = { id, name, email: user.email ?? email, isAdmin, isBot, roles };
  return Object.freeze(membership === undefined ? known : { ...known, membership });
};

const impersonationForbidden = ({ name }: Pick<UserRecord, 'name'>) =>
  new CatalogError('forbidden', `Principal: CatalogPrincipal{name='${name}'} operations [Impersonate] not allowed`);

/**
 * Creates the resolver that turns tokens into principals. It reads each user's record at most once per grace period.
 */
export const createPrincipalResolver = (deps: PrincipalResolverDeps): PrincipalResolver => {
  const { verifier, config, isTokenAccepted } = deps;
  const { readUser, clock, graceMs } = deps;
  // A missing user is not cached, because it may exist the next moment.
  const keeps = (user: UserRecord | undefined) => user !== undefined;
  const { find, forget, forgetAll } = createLookupCache({ read: readUser, keeps, clock, graceMs, max: MAX_USERS });
  const signUp = createProviderSignUp(deps, forget);
  const knownLinks = deps.subjectLinks && createAccountLookup(deps.subjectLinks, { clock, graceMs, max: MAX_USERS });

  const admit = async (token: VerifiedToken, origin: RequestOrigin | undefined): Promise<UserRecord> => {
    const maySignUp = config.selfSignup && !token.isBot;
    const known = await find(token.name);
    assertProviderMayUse(token, known, config, deps.builtIn);
    if (known === undefined && maySignUp) await assertSubjectIsFree(token, deps.subjectLinks);
    const user = known ?? (maySignUp ? await signUp(token) : undefined);
    if (user === undefined) throw refuseToken('there is no such user');
    assertMayEnter(token, user);
    if (isRevoked(token, user)) throw refuseToken('the token was revoked');
    // A refused token leaves no trace of a use, and one that was withdrawn makes no link.
    await assertSubjectFits(token, user, knownLinks);
    if (isTokenAccepted !== undefined && !(await isTokenAccepted(token, user, origin)))
      throw refuseToken('the token was withdrawn');
    await linkProvenSubject(token, user, deps.subjectLinks);
    return user;
  };

  const resolveImpersonated = async (token: VerifiedToken, bot: UserRecord, target: string): Promise<Principal> => {
    if (!token.isBot || !bot.allowImpersonation) throw impersonationForbidden(bot);
    const user = await find(target.trim().toLowerCase());
    const known = user?.deleted ? undefined : user;
    // A bot that may act for nobody must not learn which users exist.
    await deps.assertMayImpersonate?.(buildPrincipal(bot, token.email), known?.id);
    if (known === undefined) throw refuseToken('there is no such user to act for');
    // A bot that may act for people must not reach what only administrators and other bots may do.
    if (known.isAdmin || known.isBot) throw impersonationForbidden(bot);
    const email = `${known.name}@${config.principalDomain}`;
    return Object.freeze({ ...buildPrincipal(known, email), impersonatedBy: bot.name });
  };

  const authenticate: PrincipalResolver['authenticate'] = async (authorization, impersonate, origin, identified) => {
    const token = await verifier.verify(authorization);
    const user = await admit(token, origin);
    identified?.(user.name);
    if (impersonate !== undefined && impersonate.trim() !== '') return resolveImpersonated(token, user, impersonate);
    const takesRoles = config.rolesFromProvider && !user.isBot;
    return buildPrincipal(user, token.email, takesRoles ? token.roles : NO_ROLES);
  };

  const findByName = async (name: string): Promise<Principal | undefined> => {
    const user = await find(name);
    return user === undefined || user.deleted ? undefined : buildPrincipal(user, user.email ?? '');
  };

  return Object.freeze({ authenticate, findByName, forget, forgetAll });
};
