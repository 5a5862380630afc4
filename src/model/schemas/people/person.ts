import * as v from 'valibot';
import { badRequest } from '../../../errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../json.ts';
import { Flag, FreeForm, listOf, oneOf, shape, Text, Url } from '../../values.ts';

/** The schemas of members that users, bots and teams have. */

const RESERVED_DOMAIN = /\.(local|localhost|invalid|test|arpa)$/i;

/** Clients refuse a whole list of users because of one invalid address, so such addresses are refused here. */
export const Email = v.pipe(
  v.string('must be an e-mail address'),
  v.minLength(6, 'size must be between 6 and 127'),
  v.maxLength(127, 'size must be between 6 and 127'),
  v.regex(/^[^\s@"<>()[\]\\,;:]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/, 'must be an e-mail address'),
  v.check((text) => !RESERVED_DOMAIN.test(text), 'must not lie in a reserved domain'),
  v.toLowerCase(),
);

export const Password = v.pipe(v.string('must be a string'), v.maxLength(1024, 'size must be at most 1024'));

/** A first or last name. */
export const PersonName = v.pipe(
  v.string('must be a string'),
  v.trim(),
  v.minLength(1, 'must not be empty'),
  v.maxLength(128, 'size must be between 1 and 128'),
);

/** The validity of a token in requests: an hour, a number of days, or unlimited. */
export const TOKEN_EXPIRIES = ['OneHour', '1', '7', '30', '60', '90', 'Unlimited'] as const;
export type TokenExpiry = (typeof TOKEN_EXPIRIES)[number];
export const TokenExpiry = oneOf(TOKEN_EXPIRIES);

const requestedExpiry = (mechanism: Json): Json | undefined => {
  const config = isObject(mechanism) ? member(mechanism, 'config') : undefined;
  return (isObject(config) ? member(config, 'JWTTokenExpiry') : undefined) ?? undefined;
};

/**
 * How a user authenticates. Only the type and the validity of tokens are stored: tokens and passwords in the request
 * are not part of the record.
 */
export const AuthMechanism = v.pipe(
  shape('AuthenticationMechanism', { authType: oneOf(['JWT', 'SSO', 'BASIC']), config: FreeForm }),
  v.check(
    (mechanism) => {
      const expiry = requestedExpiry(mechanism as JsonObject);
      return expiry === undefined || TOKEN_EXPIRIES.some((known) => known === expiry);
    },
    `config.JWTTokenExpiry must be one of ${TOKEN_EXPIRIES.join(', ')}`,
  ),
  v.transform((mechanism): JsonObject => {
    const expiry = requestedExpiry(mechanism as JsonObject);
    const { authType } = mechanism as { readonly authType?: string };
    return {
      ...(authType === undefined ? {} : { authType }),
      ...(expiry === undefined ? {} : { config: { JWTTokenExpiry: expiry } }),
    };
  }),
);

const IMAGE_SIZES = ['image', 'image24', 'image32', 'image48', 'image72', 'image192', 'image512'] as const;

const ImageList = shape('ImageList', Object.fromEntries(IMAGE_SIZES.map((name) => [name, Url])));

const PersonalWebhookAuth = v.variant('type', [
  v.strictObject({ type: v.literal('none') }),
  v.strictObject({ type: v.literal('bearer'), secretKey: Text }),
  v.strictObject({
    type: v.literal('oauth2'),
    tokenUrl: Url,
    clientId: Text,
    clientSecret: Text,
    scope: v.optional(Text),
  }),
]);

/** The webhook of a person. Nothing is sent there yet. */
const PersonalWebhook = shape('PersonalWebhook', {
  receivers: listOf(Text),
  endpoint: Url,
  headers: FreeForm,
  queryParams: FreeForm,
  httpMethod: oneOf(['POST', 'PUT']),
  sendToAdmins: Flag,
  sendToOwners: Flag,
  sendToFollowers: Flag,
  authType: PersonalWebhookAuth,
});

const MESSAGING_PROVIDERS = ['slack', 'msTeams', 'gChat', 'generic'] as const;

const MessagingProvider = shape(
  'MessagingProvider',
  Object.fromEntries(MESSAGING_PROVIDERS.map((name) => [name, PersonalWebhook])),
);

/** Clients refuse a whole list because of one invalid image or URL, so both are validated here. */
export const UserProfile = shape('Profile', { images: ImageList, subscription: MessagingProvider });

export const TEAM_TYPES = ['Group', 'Department', 'Division', 'BusinessUnit', 'Organization'] as const;
export type TeamType = (typeof TEAM_TYPES)[number];

const CHILD_TEAM_TYPES: Readonly<Record<TeamType, readonly TeamType[]>> = {
  Organization: ['BusinessUnit', 'Division', 'Department', 'Group'],
  BusinessUnit: ['BusinessUnit', 'Division', 'Department', 'Group'],
  Division: ['Division', 'Department', 'Group'],
  Department: ['Department', 'Group'],
  Group: [],
};

/** Whether a team of one type may be the child of a team of another (identity.md 4). */
export const canContainTeam = (parent: TeamType, child: TeamType): boolean => CHILD_TEAM_TYPES[parent].includes(child);

/** The types of teams that have exactly one parent. The others may have several. */
export const hasSingleParent = (type: TeamType): boolean => type === 'BusinessUnit' || type === 'Division';

export const checkPasswords = (candidate: JsonObject): void => {
  const { password, confirmPassword } = candidate;
  if (confirmPassword !== undefined && confirmPassword !== password) {
    throw badRequest('[confirmPassword must equal password]');
  }
};
