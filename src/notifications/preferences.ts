import type { Graph } from '../graph/client.ts';
import type { JsonObject } from '../model/json.ts';
import { validate } from '../model/validate.ts';
import { Flag, listOf, oneOf, shape } from '../model/values.ts';
import { NOTABLE_EVENT_TYPES } from './notification-trigger.ts';
import { type NotificationPreferences, readPreferences, upsertPreferences } from './queries.ts';

/** The reasons for a notification other than subscriptions. */
export const NOTIFICATION_REASONS = ['follower', 'owner', 'downstream'] as const;

/** Owners of downstream records are notified only if they ask for it, so `downstream` is not a default. */
const DEFAULT_REASONS: readonly string[] = ['follower', 'owner'];

export const PreferencesBody = shape('NotificationPreferences', {
  enabled: Flag,
  reasons: listOf(oneOf(NOTIFICATION_REASONS), 100),
  eventTypes: listOf(oneOf(NOTABLE_EVENT_TYPES), 100),
  includeDescendants: Flag,
});

const DEFAULT_PREFERENCES: NotificationPreferences = Object.freeze({
  enabled: true,
  reasons: DEFAULT_REASONS,
  eventTypes: NOTABLE_EVENT_TYPES,
  includeDescendants: false,
});

const keepKnown = (known: readonly string[], wanted: readonly string[]): string[] =>
  known.filter((item) => wanted.includes(item));

/** Reads preferences from a body; members that it leaves out get their defaults. */
export const parsePreferences = (body: unknown): NotificationPreferences => {
  const preferences = {
    ...DEFAULT_PREFERENCES,
    ...(validate(PreferencesBody, body) as JsonObject),
  } as NotificationPreferences;
  return {
    ...preferences,
    reasons: keepKnown(NOTIFICATION_REASONS, preferences.reasons),
    eventTypes: keepKnown(NOTABLE_EVENT_TYPES, preferences.eventTypes),
  };
};

export const findPreferences = async (graph: Graph, userId: string): Promise<NotificationPreferences> =>
  (await graph.read(readPreferences, { userId }))[0] ?? DEFAULT_PREFERENCES;

export const storePreferences = async (
  graph: Graph,
  userId: string,
  preferences: NotificationPreferences,
): Promise<NotificationPreferences> => {
  const [stored] = await graph.write((transaction) =>
    transaction.run(upsertPreferences, { userId, wishes: preferences }),
  );
  return stored ?? preferences;
};
