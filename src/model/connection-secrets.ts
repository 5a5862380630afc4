import { type JsonObject, member } from './json.ts';

/**
 * The members of connections that hold secrets although their names do not say so, from OpenMetadata's connection schemas
 * (members with the format `password`) and the options of the drivers behind them. Case, `_`, `-` and `.` do not matter.
 */

/** Secret wherever they stand: material of keys and certificates, tokens, and whole login data in one text. */
const ALWAYS_SECRET: readonly string[] = [
  // Validation of TLS, as every kind of service has it: the texts of certificates and of keys.
  'sslKey',
  'sslCertificate',
  'caCertificate',
  'caCertValue',
  'clientCertValue',
  'clientCertificateData',
  'clientKeyCertificateData',
  'rootCertificateData',
  'pemKey',
  'sshKey',
  'keytab',
  'keytabContent',
  'keystoreContent',
  // Logging in by one text.
  'basicAuth',
  'basicAuthUserInfo',
  'proxyAuthentication',
  'saslJaasConfig',
  'sslKeystoreKey',
  'sslKeyPem',
  'sslKeystorePem',
  'sslCertificatePem',
  'sslCaPem',
  'jwt',
  'bearer',
  'cookie',
  'sasUrl',
  'sharedKey',
  'accountKey',
  'storageKey',
  'encryptionKey',
  'signingKey',
  'webhookUrl',
];

/** Secret inside options that are handed to a driver as they are, where a short name is usual. */
const SECRET_OPTIONS: readonly string[] = ['pwd', 'pass', 'auth', 'authorization', 'key', 'pat'];

/** Members that hold such options. */
const OPTION_MEMBERS: readonly string[] = [
  'connectionArguments',
  'connectionOptions',
  'consumerConfig',
  'schemaRegistryConfig',
  'producerConfig',
  'authOptions',
  'catalogProperties',
  'sparkConfig',
];

/** Secret in connections of one type only; elsewhere the name means something harmless. */
const SECRETS_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  // A licence is what lets anybody use the driver.
  Db2: ['license'],
  // Names an entry of the user store, which logs in whoever names it.
  SapHana: ['userKey'],
};

const normaliseMemberName = (name: string): string => name.toLowerCase().replace(/[_.-]/g, '');

const normalisedSet = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(normaliseMemberName));

const alwaysSecret = normalisedSet(ALWAYS_SECRET);
const secretOptions = normalisedSet(SECRET_OPTIONS);
const optionMembers = normalisedSet(OPTION_MEMBERS);
const secretsByType = new Map(Object.entries(SECRETS_BY_TYPE).map(([type, names]) => [type, normalisedSet(names)]));
const secretsOfAnyType = normalisedSet(Object.values(SECRETS_BY_TYPE).flat());

/** Where a member stands: the type of the connection around it, and whether it is among the options of a driver. */
export type SecretContext = { readonly type: string | undefined; readonly isOption: boolean };

export const ROOT_SECRET_CONTEXT: SecretContext = Object.freeze({ type: undefined, isOption: false });

/** Types of services begin with a capital; other things that are called types do not. */
const SERVICE_TYPE = /^[A-Z]/;

/** The context of the members of an object, which may say its own type and stands in a member of some name. */
export const nestedSecretContext = (context: SecretContext, name: string, json: JsonObject): SecretContext => {
  const own = member(json, 'serviceType') ?? member(json, 'type');
  const type = typeof own === 'string' && SERVICE_TYPE.test(own) ? own : context.type;
  const isOption = context.isOption || optionMembers.has(normaliseMemberName(name));
  return type === context.type && isOption === context.isOption ? context : { type, isOption };
};

/**
 * Whether a member holds a secret by the schema of the connection around it, although its name does not say so. Where no
 * type is said, whatever is secret in any type is.
 */
export const isSecretInConnection = (name: string, { type, isOption }: SecretContext): boolean => {
  const plain = normaliseMemberName(name);
  if (alwaysSecret.has(plain) || (isOption && secretOptions.has(plain))) return true;
  return (type === undefined ? secretsOfAnyType : secretsByType.get(type))?.has(plain) === true;
};
