import { badRequest } from '../../../errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../json.ts';
import { redactStateMember } from '../../redact-state.ts';
import { SECRET_MASK } from '../../secret-mask.ts';
import { normaliseDestination, redactDestination } from '../events/destination-redaction.ts';

/**
 * Redacts the webhooks in the profiles of users and teams, and restores them from requests, by the rules for the
 * destinations of subscriptions.
 */

const PROFILE_MEMBER = 'profile';
const WEBHOOKS_MEMBER = 'subscription';

type WebhookChange = (webhook: JsonObject, provider: string) => Json;

const mapWebhooks = (profile: Json, change: WebhookChange): Json => {
  const webhooks = isObject(profile) ? member(profile, WEBHOOKS_MEMBER) : undefined;
  if (!isObject(profile) || !isObject(webhooks)) return profile;
  const changed = Object.entries(webhooks).map(([provider, webhook]) => [
    provider,
    isObject(webhook) ? change(webhook, provider) : webhook,
  ]);
  return { ...profile, [WEBHOOKS_MEMBER]: Object.fromEntries(changed) as JsonObject };
};

const configOf = (destination: Json): Json => (destination as { readonly config: Json }).config;

/** Redacts a profile for callers who may not edit it, for the version history and for events. */
const redactProfile = (profile: Json): Json =>
  mapWebhooks(profile, (webhook) => configOf(redactDestination({ config: webhook })));

const findWebhook = (profile: Json | undefined, provider: string): JsonObject | undefined => {
  const webhooks = isObject(profile) ? member(profile, WEBHOOKS_MEMBER) : undefined;
  const webhook = isObject(webhooks) ? member(webhooks, provider) : undefined;
  return isObject(webhook) ? webhook : undefined;
};

/** The secret of a client goes to the address that gives it tokens, and is not sent to another one. */
const refuseMovedClient = (webhook: JsonObject, stored: JsonObject | undefined, at: string): void => {
  const [auth, known] = [webhook['authType'], stored?.['authType']];
  if (!isObject(auth) || auth['clientSecret'] !== SECRET_MASK) return;
  if (isObject(known) && known['tokenUrl'] === auth['tokenUrl']) return;
  throw badRequest(`[${at}.authType.clientSecret must be given again, because tokenUrl has changed]`);
};

/** Normalises a profile for storage: the secrets of a webhook stay with the origin that they were given for. */
const normaliseProfile = (given: Json, stored: Json | undefined): Json =>
  mapWebhooks(given, (webhook, provider) => {
    const known = findWebhook(stored, provider);
    const at = `${PROFILE_MEMBER}.${WEBHOOKS_MEMBER}.${provider}`;
    refuseMovedClient(webhook, known, at);
    return configOf(normaliseDestination({ config: webhook }, known && { config: known }, at));
  });

const redactJsonText = (text: Json | undefined): Json | undefined => {
  if (typeof text !== 'string' || !text.includes(WEBHOOKS_MEMBER)) return text;
  try {
    return JSON.stringify(redactProfile(JSON.parse(text) as Json));
  } catch {
    return undefined;
  }
};

/** Redacts an entry about the whole profile, and leaves of one about a webhook only that it changed. */
const redactChangeEntry = (entry: JsonObject): JsonObject => {
  const name = String(entry['name']);
  if (name.startsWith(`${PROFILE_MEMBER}.${WEBHOOKS_MEMBER}`)) return { name };
  const values = ['oldValue', 'newValue'].map((value) => [value, redactJsonText(member(entry, value))] as const);
  return { ...entry, ...Object.fromEntries(values.filter(([, value]) => value !== undefined)) } as JsonObject;
};

/** Redacts a stored version of a user or team, also one from before profiles were redacted. */
export const redactPerson = (state: JsonObject): JsonObject =>
  redactStateMember(state, { member: PROFILE_MEMBER, redact: redactProfile, redactEntry: redactChangeEntry });

/** How the profile of a user or team is kept: whoever may edit the record sees its addresses, and nobody its secrets. */
export const PROFILE_SECRECY = {
  confidential: true,
  disclosedBy: 'EditAll',
  redact: redactProfile,
  normaliseGiven: normaliseProfile,
} as const;
