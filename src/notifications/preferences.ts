import type { Graph } from '../graph/client.ts';
import type { JsonObject } from '../model/json.ts';
import { check } from '../model/validate.ts';
import { Flag, listOf, oneOf, shape } from '../model/values.ts';
import { NOTABLE } from './occasion.ts';
import { type Preferences, putPreferences, readPreferences } from './queries.ts';

/** Why people are told of something without anybody asking for it on their behalf. */
const REASONS = ['follower', 'owner', 'downstream'] as const;

/** Who owns what is made from a record is told of its changes only when they ask for it. */
const USUAL: readonly string[] = ['follower', 'owner'];

export const PreferencesBody = shape('NotificationPreferences', {
  enabled: Flag,
  reasons: listOf(oneOf(REASONS), 100),
  eventTypes: listOf(oneOf(NOTABLE), 100),
  includeDescendants: Flag,
});

const UNSAID: Preferences = Object.freeze({
  enabled: true,
  reasons: USUAL,
  eventTypes: NOTABLE,
  includeDescendants: false,
});

const only = (known: readonly string[], wanted: readonly string[]): string[] =>
  known.filter((item) => wanted.includes(item));

/** What a body asks for; whatever it leaves out is as for somebody who never said anything. */
export const parsePreferences = (body: unknown): Preferences => {
  const wishes = { ...UNSAID, ...(check(PreferencesBody, body) as JsonObject) } as Preferences;
  return { ...wishes, reasons: only(REASONS, wishes.reasons), eventTypes: only(NOTABLE, wishes.eventTypes) };
};

export const findPreferences = async (graph: Graph, userId: string): Promise<Preferences> =>
  (await graph.read(readPreferences, { userId }))[0] ?? UNSAID;

export const keepPreferences = async (graph: Graph, userId: string, wishes: Preferences): Promise<Preferences> => {
  const [kept] = await graph.write((transaction) => transaction.run(putPreferences, { userId, wishes }));
  return kept ?? wishes;
};
