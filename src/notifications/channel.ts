import type { Channel } from '../events/listen.ts';
import { onlySeen, type RedactFor, type SightOf } from '../events/seen.ts';
import type { Tail } from '../events/tail.ts';
import type { Graph } from '../graph/client.ts';
import { type AddressOf, renderNotification } from './inbox.ts';
import type { News } from './news.ts';
import { listAfter } from './queries.ts';

/** What is read for one listener at once. */
const AT_ONCE = 100;

export type NotificationChannelDeps = {
  readonly graph: Graph;
  readonly tail: Pick<Tail, 'head'>;
  readonly news: News;
  readonly sightOf: SightOf;
  readonly redactFor: RedactFor;
  readonly addressOf: AddressOf;
};

/**
 * What somebody is told of, as it comes in. It goes no farther than everybody has been told: people hear of an event in
 * the order of numbers, so nothing comes in behind.
 */
export const notificationChannel = ({
  graph,
  tail,
  news,
  sightOf,
  redactFor,
  addressOf,
}: NotificationChannelDeps): Channel => ({
  head: async () => {
    const [{ first }, last] = await Promise.all([tail.head(), news.head()]);
    return { first, last };
  },
  after: async (seq, principal) => {
    const upTo = Math.max(seq, news.known() ?? (await news.head()));
    const rows = await graph.read(listAfter, { userId: principal.id, after: seq, upTo, limit: AT_ONCE });
    const nodes = rows.map(({ note }) => note);
    const seen = await onlySeen(nodes, sightOf(principal));
    const rendered = await redactFor(
      principal,
      seen.map((node) => renderNotification(node, addressOf)),
    );
    const events = seen.map((node, at) => ({ event: node.eventType, id: String(node.seq), data: rendered[at] }));
    const isMore = nodes.length === AT_ONCE;
    return { events, upTo: isMore ? (nodes.at(-1)?.seq ?? upTo) : upTo, isMore };
  },
  wait: (seq, principal, ms, signal) => news.wait(principal.id, seq, ms, signal),
});
