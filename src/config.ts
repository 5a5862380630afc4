import { BlockList, isIP, isIPv6 } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type ConfigEnvironment, choice, fail, flag, integer, list, readText, url } from './environment.ts';
import { StartupError } from './errors.ts';
import { readTracingConfig } from './tracing-config.ts';

/** The settings of the process, read once from the environment. */
export type Config = ReturnType<typeof readConfig>;

/** Reads a secret without trimming it, because blanks around it may be part of it. */
const secret = (env: ConfigEnvironment, name: string): string | undefined => env[name] || undefined;

const memory = (env: ConfigEnvironment, name: string, fallback: string): string => {
  const value = readText(env, name) ?? fallback;
  if (!/^[1-9]\d*[kmg]$/i.test(value)) fail(name, value, 'a size such as 512m or 2g');
  return value.toLowerCase();
};

const listOr = (env: ConfigEnvironment, name: string, fallback: string): readonly string[] =>
  list({ [name]: readText(env, name) ?? fallback }, name);

const urlList = (env: ConfigEnvironment, name: string): readonly string[] =>
  list(env, name).map((value) => url({ [name]: value }, name, ['http', 'https']) ?? value);

/** Clients refuse users whose e-mail address is in a domain without a dot or under a reserved top-level name. */
export const isUsableDomain = (domain: string): boolean =>
  /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(domain) && !/\.(local|localhost|invalid|test|arpa)$/i.test(domain);

const domain = (env: ConfigEnvironment, name: string, fallback: string): string => {
  const value = readText(env, name) ?? fallback;
  if (!isUsableDomain(value))
    fail(name, value, 'a domain with a dot, not under local, localhost, invalid, test or arpa');
  return value.toLowerCase();
};

/** Whether a text is an address or a range such as `10.0.0.0/8`. */
const isAddressRange = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  if (most < 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
};

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/** Whether a host is the machine itself, so that no other machine reaches what listens there. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || (isIP(host) !== 0 && LOOPBACK.check(host, isIPv6(host) ? 'ipv6' : 'ipv4'));

/** Reads a host out of an address in the form that all its spellings share. */
const hostName = (address: string): string => new URL(address).hostname;

/**
 * The names under which a service on a loopback address answers; undefined on any other address. A page of another site
 * can make its own name stand for this machine, and its requests then carry that name.
 */
const ownHosts = (env: ConfigEnvironment, host: string): ReadonlySet<string> | undefined => {
  const allowed = list(env, 'ALLOWED_HOSTS').map((name) =>
    /^[^\s/?#@\\]+$/.test(name) && URL.canParse(`http://${name}`)
      ? hostName(`http://${name}`)
      : fail('ALLOWED_HOSTS', name, 'names of hosts, comma-separated'),
  );
  if (!isLoopback(host)) return undefined;
  const bound = hostName(`http://${isIPv6(host) ? `[${host}]` : host}`);
  const publicUrl = url(env, 'PUBLIC_URL', ['http', 'https']);
  const named = publicUrl === undefined ? [] : [hostName(publicUrl)];
  return new Set(['localhost', '127.0.0.1', '[::1]', bound, ...named, ...allowed]);
};

/** Reads where the service listens, and what depends on that. */
const binding = (env: ConfigEnvironment) => {
  const host = readText(env, 'HOST') ?? '127.0.0.1';
  return { host, ownHosts: ownHosts(env, host), metricsAuth: flag(env, 'METRICS_AUTH', !isLoopback(host)) };
};

const addressRanges = (env: ConfigEnvironment, name: string): readonly string[] =>
  list(env, name).map((value) =>
    isAddressRange(value) ? value : fail(name, value, 'addresses or ranges such as 10.0.0.0/8, comma-separated'),
  );

/** Reads phrases, one per line. */
const lines = (env: ConfigEnvironment, name: string): readonly string[] =>
  (readText(env, name) ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Reads a claim mapping. It must name the claims of both the user name and the e-mail address, or be absent. */
const claimsMapping = (env: ConfigEnvironment): { username: string; email: string } | undefined => {
  const name = 'AUTH_PRINCIPAL_CLAIMS_MAPPING';
  const pairs = list(env, name);
  if (pairs.length === 0) return undefined;
  const entries = new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]));
  const username = entries.get('username');
  const email = entries.get('email');
  if (entries.size !== 2 || !username || !email) return fail(name, pairs.join(','), 'username:<claim>,email:<claim>');
  return { username, email };
};

const compatVersion = (env: ConfigEnvironment): string => {
  const value = readText(env, 'COMPAT_VERSION') ?? '2.0.7';
  if (!/^\d+\.\d+\.\d+/.test(value)) fail('COMPAT_VERSION', value, 'a version such as 2.0.7');
  return value;
};

const sharedSecret = (env: ConfigEnvironment): string | undefined => {
  const value = readText(env, 'AUTH_HS256_SECRET');
  if (value !== undefined && Buffer.byteLength(value) < 32) fail('AUTH_HS256_SECRET', '…', 'at least 32 bytes');
  return value;
};

/**
 * Requires an audience and an issuer: without both, the catalog would accept every token of the provider, whatever
 * application it was issued for.
 */
const assertProviderIsNarrowed = (env: ConfigEnvironment): void => {
  if (list(env, 'AUTH_JWKS_URLS').length === 0) return;
  const missing = ['AUTH_AUDIENCE', 'AUTH_ISSUER'].filter((name) => list(env, name).length === 0);
  if (missing.length === 0) return;
  throw new StartupError(
    `AUTH_JWKS_URLS is set, so ${missing.join(' and ')} must be set as well: tokens of the provider are accepted only from the issuer and for the audience that you name`,
  );
};

/** Reads the prefix of the names that this program creates in other systems. */
const namePrefix = (env: ConfigEnvironment, name: string, fallback: string): string => {
  const value = readText(env, name) ?? fallback;
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(value)) fail(name, value, 'small letters, digits and _');
  return value;
};

/**
 * Which key set signs for which issuers. With several of both, each signs for the one at its place alone: otherwise one
 * provider could sign tokens in the name of another.
 */
const keySets = (urls: readonly string[], issuers: readonly string[]) => {
  if (urls.length < 2 || issuers.length < 2) return urls.map((url) => ({ url, issuers }));
  if (urls.length !== issuers.length) {
    fail('AUTH_ISSUER', issuers.join(','), 'one issuer, or one for each address of AUTH_JWKS_URLS in the same order');
  }
  return urls.map((url, at) => ({ url, issuers: issuers.slice(at, at + 1) }));
};

const providers = (env: ConfigEnvironment) => {
  const jwksUrls = urlList(env, 'AUTH_JWKS_URLS');
  const issuers = list(env, 'AUTH_ISSUER');
  assertProviderIsNarrowed(env);
  return {
    jwksUrls,
    keySets: keySets(jwksUrls, issuers),
    issuers,
    audiences: list(env, 'AUTH_AUDIENCE'),
  };
};

const typesense = (env: ConfigEnvironment) => {
  const address = url(env, 'TYPESENSE_URL', ['http', 'https']);
  const apiKey = secret(env, 'TYPESENSE_API_KEY');
  // Different prefixes let several catalogs share one server.
  const prefix = namePrefix(env, 'TYPESENSE_PREFIX', 'tributary_');
  if (address === undefined) return undefined;
  return {
    url: address,
    apiKey: apiKey ?? fail('TYPESENSE_API_KEY', '', 'the key of the server at TYPESENSE_URL'),
    prefix,
  };
};

/** Reads the scopes to ask for. A provider sends an ID token only where `openid` is among them. */
const signInScopes = (env: ConfigEnvironment): string => {
  const name = 'AUTH_OIDC_SCOPES';
  const scopes = readText(env, name) ?? 'openid email profile';
  if (!scopes.split(' ').includes('openid')) fail(name, scopes, 'scopes with openid among them');
  return scopes;
};

/**
 * Reads the provider at which people sign in with a browser; undefined when there is none. Its issuer is compared letter
 * by letter, so a slash at its end stays.
 */
const signInProvider = (env: ConfigEnvironment) => {
  const issuer = readText(env, 'AUTH_OIDC_ISSUER');
  if (issuer === undefined || url(env, 'AUTH_OIDC_ISSUER', ['http', 'https']) === undefined) return undefined;
  const expected = 'to be set, as AUTH_OIDC_ISSUER is';
  const emailClaim = readText(env, 'AUTH_OIDC_EMAIL_CLAIM') ?? 'email';
  const trustsEmail = flag(env, 'AUTH_OIDC_TRUST_EMAIL', false);
  if (emailClaim !== 'email' && !trustsEmail)
    fail('AUTH_OIDC_EMAIL_CLAIM', emailClaim, 'email unless AUTH_OIDC_TRUST_EMAIL is true: only email can be verified');
  return {
    issuer,
    clientId: readText(env, 'AUTH_OIDC_CLIENT_ID') ?? fail('AUTH_OIDC_CLIENT_ID', '', expected),
    clientSecret: secret(env, 'AUTH_OIDC_CLIENT_SECRET'),
    scopes: signInScopes(env),
    emailClaim,
    trustsEmail,
    subjectClaims: readText(env, 'AUTH_OIDC_SUBJECT_CLAIMS') ? list(env, 'AUTH_OIDC_SUBJECT_CLAIMS') : ['sub'],
    publicUrl: url(env, 'PUBLIC_URL', ['http', 'https']) ?? fail('PUBLIC_URL', '', expected),
  };
};

const database = (env: ConfigEnvironment) => ({
  uri: url(env, 'NEO4J_URI', ['bolt', 'bolt+s', 'bolt+ssc', 'neo4j', 'neo4j+s', 'neo4j+ssc']),
  user: readText(env, 'NEO4J_USER') ?? 'neo4j',
  password: readText(env, 'NEO4J_PASSWORD'),
  database: readText(env, 'NEO4J_DATABASE') ?? 'neo4j',
  heap: memory(env, 'NEO4J_HEAP', '1g'),
  pagecache: memory(env, 'NEO4J_PAGECACHE', '256m'),
  line: choice(env, 'NEO4J_LINE', ['5', '2026'] as const, '5'),
});

/** Whether people come from a provider, which may know people of many domains. */
const hasProvider = (env: ConfigEnvironment): boolean =>
  ['AUTH_JWKS_URLS', 'AUTH_OIDC_ISSUER'].some((name) => readText(env, name) !== undefined);

const authentication = (env: ConfigEnvironment) => ({
  keyFile: readText(env, 'AUTH_KEY_FILE'),
  ...providers(env),
  signIn: signInProvider(env),
  hs256Secret: sharedSecret(env),
  principalClaims: readText(env, 'AUTH_PRINCIPAL_CLAIMS')
    ? list(env, 'AUTH_PRINCIPAL_CLAIMS')
    : ['email', 'preferred_username', 'sub'],
  principalClaimsMapping: claimsMapping(env),
  principalDomain: domain(env, 'AUTH_PRINCIPAL_DOMAIN', 'tributary.example'),
  enforcePrincipalDomain: flag(env, 'AUTH_ENFORCE_PRINCIPAL_DOMAIN', hasProvider(env)),
  allowedDomains: list(env, 'AUTH_ALLOWED_DOMAINS'),
  selfSignup: flag(env, 'AUTH_SELF_SIGNUP', false),
  rolesFromProvider: flag(env, 'AUTH_ROLES_FROM_PROVIDER', false),
  admins: list(env, 'AUTH_ADMINS'),
  adminPassword: secret(env, 'ADMIN_PASSWORD'),
});

const requestLimits = (env: ConfigEnvironment) => ({
  bodyBytes: integer(env, 'MAX_BODY_MIB', 32, 1, 1024) * 1024 * 1024,
  bulkRows: integer(env, 'MAX_BULK_ROWS', 5000, 1, 100_000),
  lineageNodes: integer(env, 'MAX_LINEAGE_NODES', 10_000, 1, 1_000_000),
  lineageEdges: integer(env, 'MAX_LINEAGE_EDGES', 50_000, 1, 5_000_000),
  lineageDepth: integer(env, 'MAX_LINEAGE_DEPTH', 50, 1, 50),
  transactionMs: integer(env, 'TX_TIMEOUT_S', 30, 1, 3600) * 1000,
  concurrentRequests: integer(env, 'MAX_CONCURRENT_REQUESTS', 1000, 1, 100_000),
  bodiesBytes: integer(env, 'MAX_BODIES_MIB', 256, 1, 65_536) * 1024 * 1024,
  // 0 means no limit.
  connectionsPerAddress: integer(env, 'MAX_CONNECTIONS_PER_ADDRESS', 1000, 0, 100_000),
});

/** The maximum number of namespaces of OpenLineage in the setting; the API takes more. */
const MAX_NAMESPACES = 1000;

/** Reads `{"namespace": "full name of a record", …}`. */
const namespaceMap = (env: ConfigEnvironment): ReadonlyMap<string, string> => {
  const given = readText(env, 'NAMESPACE_MAP');
  if (given === undefined) return new Map();
  const expected = `a JSON object of at most ${MAX_NAMESPACES} texts`;
  try {
    const entries = Object.entries(JSON.parse(given) as Record<string, unknown>);
    const names = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string' && entry[1] !== '');
    if (given.trim().startsWith('{') && names.length === entries.length && names.length <= MAX_NAMESPACES)
      return new Map(names);
  } catch {
    // What is no JSON is refused like what is no object.
  }
  return fail('NAMESPACE_MAP', given, expected);
};

const EMAIL_SENDER = /^(?:[^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/;

/** Reads the mail server and the sender; undefined when no mail is sent. */
const mailServer = (env: ConfigEnvironment) => {
  const address = url(env, 'SMTP_URL', ['smtp', 'smtps']);
  if (address === undefined) return undefined;
  const from = readText(env, 'SMTP_FROM') ?? '';
  if (!EMAIL_SENDER.test(from)) fail('SMTP_FROM', from, 'an e-mail address, as SMTP_URL is set');
  return { url: address, from };
};

/** More workers than this pay only where the database runs on another machine. */
const MAX_DEFAULT_WORKERS = 8;

/** One core is left to the database. */
const defaultWorkers = (): number => Math.min(MAX_DEFAULT_WORKERS, Math.max(1, availableParallelism() - 1));

/** For whom answers are compressed: `remote` leaves out the programs on this machine. */
const COMPRESSION_MODES = { true: 'remote', false: 'off', always: 'all' } as const;

/** Reads and validates the environment. Throws a StartupError that names the variable and what was expected. */
export const readConfig = (env: ConfigEnvironment) => ({
  port: integer(env, 'PORT', 8585, 0, 65535),
  ...binding(env),
  trustedProxies: addressRanges(env, 'TRUSTED_PROXIES'),
  publicUrl: url(env, 'PUBLIC_URL', ['http', 'https']),
  workers: integer(env, 'WORKERS', defaultWorkers(), 1, 64),
  warmUp: flag(env, 'WARM_UP', true),
  explorer: flag(env, 'EXPLORER', true),
  compression: COMPRESSION_MODES[choice(env, 'COMPRESS', ['true', 'false', 'always'] as const, 'true')],
  openLineageNamespaces: namespaceMap(env),
  // The results of these functions do not say what their arguments said.
  propagationBlockers: listOr(
    env,
    'PROPAGATION_BLOCKERS',
    'hash,md5,sha,sha1,sha2,sha256,mask,redact,anonymize,count,tokenize',
  ),
  home: resolve(readText(env, 'TRIBUTARY_HOME') ?? './.tributary'),
  logLevel: choice(env, 'LOG_LEVEL', ['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'info'),
  compatVersion: compatVersion(env),
  secretsKey: readText(env, 'SECRETS_KEY'),
  // A key phrase may hold any character except a line break.
  formerSecretsKeys: lines(env, 'SECRETS_KEY_PREVIOUS'),
  webhooks: { allowPrivate: flag(env, 'WEBHOOK_ALLOW_PRIVATE', false) },
  mail: mailServer(env),
  eventRetentionDays: integer(env, 'EVENT_RETENTION_DAYS', 30, 1, 3650),
  // 0 keeps all entries.
  auditRetentionDays: integer(env, 'AUDIT_RETENTION_DAYS', 365, 0, 36_500),
  // 0 keeps all profiles.
  profileRetention: {
    days: integer(env, 'PROFILE_RETENTION_DAYS', 0, 0, 36_500),
    rows: integer(env, 'PROFILE_RETENTION_ROWS', 0, 0, 1_000_000_000),
  },
  resultRetention: {
    days: integer(env, 'TEST_RESULT_RETENTION_DAYS', 0, 0, 36_500),
    rows: integer(env, 'TEST_RESULT_RETENTION_ROWS', 0, 0, 1_000_000_000),
  },
  neo4j: database(env),
  typesense: typesense(env),
  tracing: readTracingConfig(env),
  auth: authentication(env),
  limits: requestLimits(env),
});
