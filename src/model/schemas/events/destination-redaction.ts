import { randomUUID } from 'node:crypto';
import { badRequest } from '../../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, member } from '../../json.ts';
import { redactStateMember } from '../../redact-state.ts';
import { SECRET_MASK } from '../../secret-mask.ts';

/**
 * Redacts the destinations of subscriptions and restores them from requests. Callers who may not edit a subscription
 * see only the scheme and host of an endpoint. A secret belongs to the origin it was given for, and is dropped when the
 * endpoint moves to another one.
 */

/** Replaces everything after the host of an endpoint. */
const MASKED_PATH = '/…';

const destinationConfig = (destination: JsonObject | undefined): JsonObject => {
  const config = destination && member(destination, 'config');
  return isObject(config) ? config : {};
};

const destinationEndpoint = (destination: JsonObject | undefined): string | undefined => {
  const endpoint = member(destinationConfig(destination), 'endpoint');
  return typeof endpoint === 'string' ? endpoint : undefined;
};

const destinationUrl = (destination: JsonObject | undefined): URL | undefined => {
  const endpoint = destinationEndpoint(destination);
  return endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
};

const maskedEndpoint = (destination: JsonObject | undefined): string | undefined => {
  const url = destinationUrl(destination);
  return url && `${url.protocol}//${url.host}${MASKED_PATH}`;
};

/** Redacts one destination for callers who may not edit it. */
export const redactDestination = (destination: Json): Json => {
  if (!isObject(destination) || !isObject(member(destination, 'config'))) return destination;
  const { headers: _headers, queryParams: _query, secretKey: _secret, ...config } = destinationConfig(destination);
  const endpoint = maskedEndpoint(destination);
  const { endpoint: _endpoint, ...plain } = config;
  // The names of users are public, and addresses of mail are not.
  const { receivers: _receivers, ...anonymous } = plain;
  const others = destination['type'] === 'Email' ? anonymous : plain;
  return { ...destination, config: endpoint === undefined ? others : { ...others, endpoint } } as JsonObject;
};

/** Redacts destinations for callers who may not edit the subscription, for the version history and for events. */
export const redactDestinations = (value: Json): Json => (isArray(value) ? value.map(redactDestination) : value);

const DESTINATIONS_MEMBER = 'destinations';

/** Redacts a stored version of a subscription, also one from before destinations were redacted. */
export const redactSubscription = (state: JsonObject): JsonObject =>
  redactStateMember(state, {
    member: DESTINATIONS_MEMBER,
    redact: redactDestinations,
    // What remains of an entry only says that the destinations changed.
    redactEntry: ({ name }) => ({ name: name ?? DESTINATIONS_MEMBER }),
  });

/** Whether an endpoint is redacted. Clients may have percent-encoded it. */
const hasMaskedEndpoint = (destination: JsonObject): boolean =>
  destinationUrl(destination)?.pathname === new URL(MASKED_PATH, 'http://host').pathname;

const isRedactionOf = (given: JsonObject, stored: JsonObject): boolean =>
  hasMaskedEndpoint(given) && destinationUrl(given)?.origin === destinationUrl(stored)?.origin;

const isSameDestination = (given: JsonObject, stored: JsonObject): boolean =>
  given['category'] === stored['category'] &&
  given['type'] === stored['type'] &&
  (destinationEndpoint(given) === destinationEndpoint(stored) || isRedactionOf(given, stored));

/** Gives destinations their ids: one without an id takes that of the stored one with the same target, or a new one. */
const assignDestinationIds = (given: readonly JsonObject[], stored: readonly JsonObject[]): JsonObject[] => {
  const taken = new Set(given.map((destination) => destination['id']));
  return given.map((destination) => {
    if (destination['id'] !== undefined) return destination;
    const same = stored.find((known) => !taken.has(known['id']) && isSameDestination(destination, known));
    const id = (same?.['id'] as string | undefined) ?? randomUUID();
    taken.add(id);
    return { id, ...destination };
  });
};

const withConfig = (destination: JsonObject, config: JsonObject): JsonObject => ({ ...destination, config });

/** Restores a destination that a client sends back in its redacted form. */
const restoreRedactedDestination = (destination: JsonObject, stored: JsonObject | undefined): JsonObject => {
  const endpoint = destinationEndpoint(stored);
  if (stored === undefined || endpoint === undefined || !isRedactionOf(destination, stored)) return destination;
  const { headers, queryParams } = destinationConfig(stored);
  const hidden = {
    ...(headers === undefined ? {} : { headers }),
    ...(queryParams === undefined ? {} : { queryParams }),
  };
  return withConfig(destination, { ...hidden, ...destinationConfig(destination), endpoint });
};

/** Keeps a secret that is never returned and so cannot be sent back, until another authentication method is chosen. */
const keepHiddenSecret = (destination: JsonObject, stored: JsonObject | undefined): JsonObject => {
  const [config, kept] = [destinationConfig(destination), destinationConfig(stored)];
  if (kept['secretKey'] === undefined || !isObject(member(destination, 'config'))) return destination;
  if (config['secretKey'] !== undefined || config['authType'] !== undefined) return destination;
  return withConfig(destination, { ...config, secretKey: kept['secretKey'] });
};

const MASKED_USER_INFO = `${SECRET_MASK}@`;

/** Removes all masks from a value, so that no stored value can replace one. */
const dropMasks = (value: Json): Json | undefined => {
  if (typeof value === 'string') {
    if (!value.includes(SECRET_MASK)) return value;
    const bare = value.replaceAll(MASKED_USER_INFO, '');
    return bare === value || bare.includes(SECRET_MASK) ? undefined : bare;
  }
  if (isArray(value)) return value.flatMap((item) => dropMasks(item) ?? []);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).map(([name, inner]) => [name, dropMasks(inner)] as const);
  return Object.fromEntries(kept.filter(([, inner]) => inner !== undefined)) as JsonObject;
};

/** Drops an authentication that has lost its secret. */
const dropLostAuthentication = (config: JsonObject, before: JsonObject): JsonObject => {
  const [auth, former] = [config['authType'], before['authType']];
  if (!isObject(auth) || !isObject(former)) return config;
  const isLost = ['secretKey', 'clientSecret'].some((name) => auth[name] === undefined && former[name] !== undefined);
  return isLost ? { ...config, authType: { type: 'none' } } : config;
};

const dropSecrets = (destination: JsonObject): JsonObject => {
  const config = member(destination, 'config');
  if (!isObject(config)) return destination;
  return withConfig(destination, dropLostAuthentication(dropMasks(config) as JsonObject, config));
};

/** Normalises one destination for storage, given its place in the request: its secrets stay with their origin. */
export const normaliseDestination = (given: JsonObject, stored: JsonObject | undefined, at: string): JsonObject => {
  const destination = restoreRedactedDestination(given, stored);
  if (hasMaskedEndpoint(destination)) {
    throw badRequest(`[${at}.endpoint is masked and matches no stored destination]`);
  }
  const isSameOrigin = stored !== undefined && destinationUrl(destination)?.origin === destinationUrl(stored)?.origin;
  return isSameOrigin ? keepHiddenSecret(destination, stored) : dropSecrets(destination);
};

/**
 * Normalises destinations for storage: adds ids, removes the delivery status, and keeps secrets of the same origin
 * only.
 */
export const normaliseDestinations = (given: Json, stored: Json | undefined): Json => {
  const known = (stored ?? []) as readonly JsonObject[];
  const plain = (given as readonly JsonObject[]).map(
    ({ statusDetails: _, ...destination }) => destination as JsonObject,
  );
  return assignDestinationIds(plain, known).map((destination, at) =>
    normaliseDestination(
      destination,
      known.find(({ id }) => id === destination['id']),
      `destinations.${at}.config`,
    ),
  );
};
