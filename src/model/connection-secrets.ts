import { type JsonObject, member } from './json.ts';

/**
 * The members of connections that hold secrets although their names do not show it. They come from OpenMetadata's
 * connection schemas (members with the format `password`) and from the options of the underlying drivers. Case, `_`,
 * `-` and `.` do not matter.
 */

/** Secret in every connection: keys and certificates, tokens, and complete credentials in one text. */
const ALWAYS_SECRET: readonly string[] = [
  // TLS settings, which every kind of service has: the texts of certificates and keys.
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
  // Credentials in one text.
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

/** Secret inside options that are passed on to a driver, where short names are usual. */
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

/** Secret in connections of one type only. Elsewhere, the name means something harmless. */
const SECRETS_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  // The licence lets anybody use the driver.
  Db2: ['license'],
  // Names an entry of the user store, which logs in anybody who knows the name.
  SapHana: ['userKey'],
};

const normaliseMemberName = (name: string): string => name.toLowerCase().replace(/[_.-]/g, '');

const normalisedSet = (names: readonly string[]): ReadonlySet<string> => new Set(names.map(normaliseMemberName));

const alwaysSecret = normalisedSet(ALWAYS_SECRET);
const secretOptions = normalisedSet(SECRET_OPTIONS);
const optionMembers = normalisedSet(OPTION_MEMBERS);
const secretsByType = new Map(Object.entries(SECRETS_BY_TYPE).map(([type, names]) => [type, normalisedSet(names)]));
const secretsOfAnyType = normalisedSet(Object.values(SECRETS_BY_TYPE).flat());

/** The context of a member: the type of the connection around it, and whether it is a driver option. */
export type SecretContext = { readonly type: string | undefined; readonly isOption: boolean };

export const ROOT_SECRET_CONTEXT: SecretContext = Object.freeze({ type: undefined, isOption: false });

/** Types of services begin with a capital. Other values of a `type` member do not. */
const SERVICE_TYPE = /^[A-Z]/;

/** Answers the context of the members of an object, from its own type and the name of the member that holds it. */
export const nestedSecretContext = (context: SecretContext, name: string, json: JsonObject): SecretContext => {
  const own = member(json, 'serviceType') ?? member(json, 'type');
  const type = typeof own === 'string' && SERVICE_TYPE.test(own) ? own : context.type;
  const isOption = context.isOption || optionMembers.has(normaliseMemberName(name));
  return type === context.type && isOption === context.isOption ? context : { type, isOption };
};

/**
 * Whether a member is a secret according to the schema of its connection, although its name does not show it. Without a
 * known type, the member is a secret if it is one in any type.
 */
export const isSecretInConnection = (name: string, { type, isOption }: SecretContext): boolean => {
  const plain = normaliseMemberName(name);
  if (alwaysSecret.has(plain) || (isOption && secretOptions.has(plain))) return true;
  return (type === undefined ? secretsOfAnyType : secretsByType.get(type))?.has(plain) === true;
};
