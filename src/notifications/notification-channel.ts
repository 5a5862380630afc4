import type { StreamChannel } from '../events/event-channel.ts';
import { filterVisible, type RecordVisibilityOf, type RedactForPrincipal } from '../events/event-visibility.ts';
import type { EventTail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { type NotificationHrefOf, renderNotification } from './inbox.ts';
import type { NotificationWatcher } from './notification-watcher.ts';
import { listNotificationsAfter } from './queries.ts';

/** How many notifications are read for one listener at once. */
const NOTIFICATION_PAGE_SIZE = 100;

export type NotificationChannelDeps = {
  readonly graph: Graph;
  readonly tail: Pick<EventTail, 'head'>;
  readonly watcher: NotificationWatcher;
  readonly visibilityOf: RecordVisibilityOf;
  readonly redactFor: RedactForPrincipal;
  readonly hrefOf: NotificationHrefOf;
};

/**
 * A channel of a user's notifications. It goes only as far as the writer has finished: notifications are written in the
 * order of event numbers, so none appears later at an earlier number.
 */
export const createNotificationChannel = ({
  graph,
  tail,
  watcher,
  visibilityOf,
  redactFor,
  hrefOf,
}: NotificationChannelDeps): StreamChannel => ({
  head: async () => {
    const [{ first }, last] = await Promise.all([tail.head(), watcher.head()]);
    return { first, last };
  },
  after: async (seq, principal) => {
    const upTo = Math.max(seq, watcher.known() ?? (await watcher.head()));
    const rows = await graph.read(listNotificationsAfter, {
      userId: principal.id,
      after: seq,
      upTo,
      limit: NOTIFICATION_PAGE_SIZE,
    });
    const nodes = rows.map(({ note }) => note);
    const seen = await filterVisible(nodes, visibilityOf(principal));
    const rendered = await redactFor(
      principal,
      seen.map((node) => renderNotification(node, hrefOf)),
    );
    const events = seen.map((node, at) => ({ event: node.eventType, id: String(node.seq), data: rendered[at] }));
    const isMore = nodes.length === NOTIFICATION_PAGE_SIZE;
    return { events, upTo: isMore ? (nodes.at(-1)?.seq ?? upTo) : upTo, isMore };
  },
  wait: (seq, principal, ms, signal) => watcher.wait(principal.id, seq, ms, signal),
});
