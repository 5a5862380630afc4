import { type Config, isUsableDomain } from '../config.ts';
import { CatalogError } from '../errors.ts';
import { createLookupCache, createSingleFlight } from './cache.ts';
import { assertProviderMayUse, type BuiltInAccounts } from './provider-identity.ts';
import { invalidTokenError, type TokenVerifier, type VerifiedToken } from './token-verifier.ts';

/** Where somebody belongs in the catalog: ids of the teams right above, of the roles given to the person, of the domains. */
export type PrincipalMembership = {
  readonly teamIds: readonly string[];
  readonly roleIds: readonly string[];
  readonly domainIds: readonly string[];
};

/** Whoever a request acts as. With `impersonatedBy` the rights are the target's and that bot did the acting. */
export type Principal = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  readonly impersonatedBy?: string;
  /** Names of roles from the provider's token, beside those the catalog knows. */
  readonly roles: readonly string[];
  /** Absent: belongs to no team, and has no role or domain. */
  readonly membership?: PrincipalMembership;
};

/** What authentication needs to know of a stored user. */
export type UserRecord = {
  readonly id: string;
  readonly name: string;
  readonly email?: string;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  readonly deleted: boolean;
  readonly allowImpersonation: boolean;
  /** Tokens issued until then, in epoch milliseconds, count no longer. */
  readonly tokensVoidBefore?: number;
  readonly membership?: PrincipalMembership;
};

type PrincipalResolverDeps = {
  readonly verifier: TokenVerifier;
  /** The user of that lower-case name, soft-deleted ones included. */
  readonly readUser: (name: string) => Promise<UserRecord | undefined>;
  /** Makes a user who signs up by showing a token; may reject with already_exists when somebody else was faster. */
  readonly createUser: (user: { readonly name: string; readonly email: string }) => Promise<UserRecord>;
  readonly config: Config['auth'];
  /** Names that no provider of identities gives away. */
  readonly builtIn: BuiltInAccounts;
  readonly clock: () => number;
  /** How long a user's record may be reused; what revokes a right calls `forget` on its own process. */
  readonly graceMs: number;
  /** Throws forbidden unless policies let the bot act for the user of that id, which its flag alone does not. */
  readonly assertMayImpersonate?: (bot: Principal, targetId: string | undefined) => Promise<void>;
  /** Whether a token in good order is still wanted: stored tokens of bots, personal tokens, tokens logged out. */
  readonly isTokenAccepted?: (token: VerifiedToken, user: UserRecord, origin?: RequestOrigin) => Promise<boolean>;
};

/** Where a request came from. */
export type RequestOrigin = { readonly address: string; readonly requestId: string };

/** Hears the name of whoever showed a token that counts, before it is judged for whom they may act. */
export type Identified = (name: string) => void;

/** Answers who is calling. `of` throws unauthorized or forbidden; `forget` makes the next call read the user again. */
export type PrincipalResolver = {
  authenticate(
    authorization: string | undefined,
    impersonate: string | undefined,
    origin?: RequestOrigin,
    identified?: Identified,
  ): Promise<Principal>;
  /** The user of that name as a principal, without a token; undefined when there is none or it is deleted. */
  findByName(name: string): Promise<Principal | undefined>;
  forget(name: string): void;
  /** The same for everybody: a team has changed, and with it who belongs to it. */
  forgetAll(): void;
};

const MAX_USERS = 10_000;
const NO_ROLES: readonly string[] = Object.freeze([]);

/** Clients cannot read user lists with an e-mail outside these bounds, so such a person gets one of ours. */
const signUpEmail = ({ name, email }: VerifiedToken, principalDomain: string): string => {
  const domain = email.slice(email.lastIndexOf('@') + 1);
  const isUsable = isUsableDomain(domain) && email.length >= 6 && email.length <= 127;
  return isUsable ? email : `${name}@${principalDomain}`;
};

const isNameTaken = (error: unknown): boolean => error instanceof CatalogError && error.code === 'already_exists';

/** Signing up: several first requests of one person make one user, on one process or on many. */
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
  if (token.isBot && !user.isBot) throw refuseToken('a token for bots names a person');
  // It would get round the one check that makes the tokens of bots revocable.
  if (user.isBot && !token.isBot) throw refuseToken('a token for people names a bot');
};

/** Whether the token is older than the moment until which all of the user's were revoked. Sessions end by themselves. */
const isRevoked = ({ sessionId, issuedAt = 0 }: VerifiedToken, { tokensVoidBefore }: UserRecord): boolean =>
  sessionId === undefined && tokensVoidBefore !== undefined && issuedAt <= tokensVoidBefore;

/** A user as the one who acts. The membership stays the very same object for as long as the user's record is kept. */
export const buildPrincipal = (user: UserRecord, email: string, roles: readonly string[] = NO_ROLES): Principal => {
  const { id, name, isAdmin, isBot, membership } = user;
  const known = { id, name, email: user.email ?? email, isAdmin, isBot, roles };
  return Object.freeze(membership === undefined ? known : { ...known, membership });
};

const impersonationForbidden = ({ name }: Pick<UserRecord, 'name'>) =>
  new CatalogError('forbidden', `Principal: CatalogPrincipal{name='${name}'} operations [Impersonate] not allowed`);

/** Resolves tokens to principals by the rules for user records, with records read at most once per grace period. */
export const createPrincipalResolver = (deps: PrincipalResolverDeps): PrincipalResolver => {
  const { verifier, config, isTokenAccepted } = deps;
  const { readUser, clock, graceMs } = deps;
  // A missing user is not kept: it may be there the next moment.
  const keeps = (user: UserRecord | undefined) => user !== undefined;
  const { find, forget, forgetAll } = createLookupCache({ read: readUser, keeps, clock, graceMs, max: MAX_USERS });
  const signUp = createProviderSignUp(deps, forget);

  const admit = async (token: VerifiedToken, origin: RequestOrigin | undefined): Promise<UserRecord> => {
    const maySignUp = config.selfSignup && !token.isBot;
    const known = await find(token.name);
    assertProviderMayUse(token, known, config, deps.builtIn);
    const user = known ?? (maySignUp ? await signUp(token) : undefined);
    if (user === undefined) throw refuseToken('there is no such user');
    assertMayEnter(token, user);
    if (isRevoked(token, user)) throw refuseToken('the token was revoked');
    if (isTokenAccepted !== undefined && !(await isTokenAccepted(token, user, origin)))
      throw refuseToken('the token was withdrawn');
    return user;
  };

  const resolveImpersonated = async (token: VerifiedToken, bot: UserRecord, target: string): Promise<Principal> => {
    if (!token.isBot || !bot.allowImpersonation) throw impersonationForbidden(bot);
    const user = await find(target.trim().toLowerCase());
    const known = user?.deleted ? undefined : user;
    // Who is there is no business of a bot that may act for nobody.
    await deps.assertMayImpersonate?.(buildPrincipal(bot, token.email), known?.id);
    if (known === undefined) throw refuseToken('there is no such user to act for');
    // A bot that may act for people is no way to what only administrators and other bots may.
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
