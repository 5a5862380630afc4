import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import * as oidc from 'openid-client';
import type { Config } from '../config.ts';
import { createBoundedFetch, ServerUnavailable } from './fetch-json.ts';
import { createLogoutTokenCheck, type LogoutTokenSource, type ProviderLogout } from './logout-token.ts';

/** Speaks OpenID Connect to the provider at which people sign in: authorization code flow with PKCE. */

export type SignInSettings = NonNullable<Config['auth']['signIn']>;

/** What one sign-in is recognised by. All three are random and known to one browser only. */
export type SignInProof = { readonly state: string; readonly nonce: string; readonly verifier: string };

/** What the provider says of the person, checked for signature, issuer, audience, times and nonce. */
export type ProviderClaims = { readonly [claim: string]: unknown };

export type SignInClient = {
  /** The address at which the person signs in. */
  begin(proof: SignInProof): Promise<string>;
  /** Exchanges the parameters with which the provider sends the person back for its claims. */
  complete(response: URLSearchParams, proof: SignInProof): Promise<ProviderClaims>;
  /** The address at which the person signs out of the provider as well, where it has one. */
  signOutAddress(): Promise<string | undefined>;
  /** Reads who has signed out at the provider from its logout token, at a moment in epoch milliseconds. */
  readLogout(token: string, now: number): Promise<ProviderLogout>;
};

/** Thrown when the provider does not answer. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable';
}

/** Thrown when the provider refused the sign-in, or its answer did not pass the checks. */
export class SignInRefused extends Error {
  override readonly name = 'SignInRefused';
  /** Whether the person, or the provider for them, declined. */
  readonly isDeclined: boolean;
  constructor(cause: unknown) {
    super('the answer of the provider was refused', { cause });
    this.isDeclined = cause instanceof oidc.AuthorizationResponseError && cause.error === 'access_denied';
  }
}

/** Thrown when a logout token did not pass the checks, or its provider did not answer what they need. */
export class LogoutTokenRefused extends Error {
  override readonly name = 'LogoutTokenRefused';
}

const PROVIDER_BOUNDS = { timeoutMs: 5_000, maxBytes: 256 * 1024 } as const;
const CLOCK_TOLERANCE_SECONDS = 60;
const MINUTE_MS = 60_000;
const DISCOVERY_FRESH_MS = 10 * MINUTE_MS;
const DISCOVERY_RETRY_MS = 2_000;
const MAX_CAUSES = 5;

const isUnavailable = (failure: unknown, depth = 0): boolean =>
  failure instanceof ServerUnavailable ||
  (failure instanceof Error && depth < MAX_CAUSES && isUnavailable(failure.cause, depth + 1));

const toSignInFailure = (failure: unknown): Error =>
  isUnavailable(failure)
    ? new ProviderUnavailable('the provider does not answer', { cause: failure })
    : new SignInRefused(failure);

/** Sends the secret the way the provider accepts: in a header unless it names only the body. */
const authenticateClient = (secret: string | undefined): oidc.ClientAuth => {
  if (secret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    return (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
};

const discover = async ({ issuer, clientId, clientSecret }: SignInSettings): Promise<oidc.Configuration> => {
  const isPlain = new URL(issuer).protocol === 'http:';
  // Signatures are checked although the tokens come from the provider itself, because its address may be plain HTTP.
  const execute = [oidc.enableNonRepudiationChecks, ...(isPlain ? [oidc.allowInsecureRequests] : [])];
  const metadata = { [oidc.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  return oidc.discovery(new URL(issuer), clientId, metadata, authenticateClient(clientSecret), {
    execute,
    timeout: PROVIDER_BOUNDS.timeoutMs / 1000,
    [oidc.customFetch]: createBoundedFetch(PROVIDER_BOUNDS) as oidc.CustomFetch,
  });
};

/**
 * Reads the provider's metadata on first use and again every ten minutes. What was read before counts while the
 * provider is down; after a failure it is left alone for two seconds.
 */
const createDiscovery = (settings: SignInSettings): (() => Promise<oidc.Configuration>) => {
  let known: oidc.Configuration | undefined;
  let reading: Promise<oidc.Configuration> | undefined;
  let readAgainAt = 0;
  const read = async (): Promise<oidc.Configuration> => {
    try {
      known = await discover(settings);
      readAgainAt = performance.now() + DISCOVERY_FRESH_MS;
      return known;
    } catch (failure) {
      readAgainAt = performance.now() + DISCOVERY_RETRY_MS;
      if (known !== undefined) return known;
      // A wrong address or issuer is no fault of the person who signs in, so it is no refusal.
      throw new ProviderUnavailable('the metadata of the provider cannot be read', { cause: failure });
    }
  };
  return () => {
    if (reading === undefined || performance.now() >= readAgainAt) {
      readAgainAt = Number.POSITIVE_INFINITY;
      reading = read();
    }
    return reading;
  };
};

/** The hash that binds an access token to an ID token: half of the digest that the signature algorithm uses. */
const accessTokenHash = (accessToken: string, algorithm: string): string => {
  const bits = /(256|384|512)$/.exec(algorithm)?.[1] ?? '512';
  const digest = createHash(`sha${bits}`).update(accessToken).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
};

type TokenAnswer = Awaited<ReturnType<typeof oidc.authorizationCodeGrant>>;

const readClaims = ({ access_token, id_token = '', claims }: TokenAnswer): oidc.IDToken => {
  const content = claims();
  if (content === undefined) throw new Error('the provider sent no ID token');
  const expected = accessTokenHash(access_token, decodeProtectedHeader(id_token).alg ?? '');
  if (content['at_hash'] !== undefined && content['at_hash'] !== expected) throw new Error('at_hash does not fit');
  return content;
};

/** The claims of the ID token, completed by the user info endpoint when they lack the address. */
const collectClaims = async (
  config: oidc.Configuration,
  answer: TokenAnswer,
  emailClaim: string,
): Promise<ProviderClaims> => {
  const claims = readClaims(answer);
  if (claims[emailClaim] !== undefined || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const info = await oidc.fetchUserInfo(config, answer.access_token, claims.sub);
  // Only the answer that has the address can say that it is verified; each of the two can deny it.
  const verified = claims['email_verified'] === false ? false : info.email_verified;
  return { ...info, ...claims, email_verified: verified };
};

/** The address to which the provider sends people back; it has to be registered there. */
const callbackAddress = ({ publicUrl }: Pick<SignInSettings, 'publicUrl'>): string =>
  `${publicUrl}/v1/users/signin/callback`;

/** Who signs logout tokens and for whom, by the provider's metadata. Without a list it signs by RS256. */
const logoutTokenSource = (config: oidc.Configuration): LogoutTokenSource => {
  const { issuer, jwks_uri, id_token_signing_alg_values_supported: algorithms } = config.serverMetadata();
  const { client_id: clientId } = config.clientMetadata();
  return { issuer, clientId, keysAddress: jwks_uri, algorithms: algorithms ?? ['RS256'] };
};

/** Creates what no two sign-ins share. */
export const createSignInProof = (): SignInProof => ({
  state: oidc.randomState(),
  nonce: oidc.randomNonce(),
  verifier: oidc.randomPKCECodeVerifier(),
});

export const createSignInClient = (settings: SignInSettings): SignInClient => {
  const configuration = createDiscovery(settings);
  const begin: SignInClient['begin'] = async ({ state, nonce, verifier }) =>
    oidc.buildAuthorizationUrl(await configuration(), {
      redirect_uri: callbackAddress(settings),
      scope: settings.scopes,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href;

  const complete: SignInClient['complete'] = async (response, { state, nonce, verifier }) => {
    const config = await configuration();
    const address = new URL(callbackAddress(settings));
    address.search = response.toString();
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true };
    try {
      return await collectClaims(
        config,
        await oidc.authorizationCodeGrant(config, address, checks),
        settings.emailClaim,
      );
    } catch (failure) {
      throw toSignInFailure(failure);
    }
  };

  const signOutAddress: SignInClient['signOutAddress'] = async () => {
    const config = await configuration();
    if (config.serverMetadata().end_session_endpoint === undefined) return undefined;
    return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${settings.publicUrl}/` }).href;
  };

  const checkLogoutToken = createLogoutTokenCheck();
  const readLogout: SignInClient['readLogout'] = async (token, now) => {
    try {
      return await checkLogoutToken(token, logoutTokenSource(await configuration()), now);
    } catch (cause) {
      throw new LogoutTokenRefused('the logout token was refused', { cause });
    }
  };

  return Object.freeze({ begin, complete, signOutAddress, readLogout });
};
