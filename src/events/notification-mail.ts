import {
  type AssetUrlOf,
  buildShortEntry,
  MAX_ENTRIES,
  type ShortChange,
  shortenName,
  titleOfChanges,
} from '../messages/change-message.ts';
import { renderEmail } from '../messages/email-message.ts';
import type { Mail } from './mailer.ts';

/** The mail of a person's own subscription: the changes, why the person is told of them, and how to end it. */

export type MailedChange = ShortChange & {
  readonly id: string;
  /** Why the person is told of it: of all reasons, the first that the subscription selects. */
  readonly reason: string;
};

export type NotificationMail = {
  readonly to: string;
  readonly subscriptionId: string;
  readonly subscriptionName: string;
  /** The changes in order, at least one. */
  readonly changes: readonly MailedChange[];
  readonly endUrl: string | undefined;
};

const REASON_TEXTS: readonly (readonly [string, string])[] = [
  ['owner', 'own'],
  ['follower', 'follow'],
  ['downstream', 'own what derives from'],
];

const describeReasons = (changes: readonly MailedChange[]): string => {
  const reasons = new Set(changes.map(({ reason }) => reason));
  const texts = REASON_TEXTS.flatMap(([reason, text]) => (reasons.has(reason) ? [text] : []));
  return `${texts.join(' or ')} ${new Set(changes.map(({ entityId }) => entityId)).size === 1 ? 'it' : 'them'}`;
};

export const buildNotificationMail = (mail: NotificationMail, assetUrlOf: AssetUrlOf): Mail => {
  const { to, subscriptionId, subscriptionName, changes, endUrl } = mail;
  const entries = changes.slice(0, MAX_ENTRIES).map((change) => buildShortEntry(change, assetUrlOf));
  const assets = new Set(changes.map(({ entityId }) => entityId)).size;
  const end = endUrl === undefined ? {} : { endUrl };
  const content = renderEmail({
    title: titleOfChanges(entries, { assets, changes: changes.length }),
    entries,
    omitted: changes.length - entries.length,
    footer: `You get this mail because you ${describeReasons(changes)} and made the mail subscription ${shortenName(subscriptionName)}.`,
    ...end,
  });
  return {
    to,
    content,
    key: `${subscriptionId} ${changes[0]?.id} ${changes.at(-1)?.id}`,
    threadKey: assets === 1 ? (changes[0]?.entityId ?? '') : subscriptionId,
    listId: subscriptionId,
    ...end,
  };
};
