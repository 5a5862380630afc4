import { EVENT_SEQUENCE } from '../../src/events/sequencer.ts';
import { createEventTail, type NumberedEvent } from '../../src/events/tail.ts';
import { NOTIFICATION_PROGRESS } from '../../src/notifications/queries.ts';
import { waitFor } from './patience.ts';
import type { Service } from './service.ts';

/** Waits until events are sequenced and notifications are delivered. */

/**
 * A property of a node when whatever is being committed to that node has been committed whole. A commit becomes visible
 * bit by bit: a reader may see how far a transaction has come and not yet what it wrote. Its locks go last, so a write of
 * what nobody reads waits for them. (Removing a property that nothing ever had takes no lock.)
 */
const readCommittedProperty = async (
  { graph }: Service,
  label: string,
  name: string,
  property: string,
): Promise<number> => {
  const [row] = await graph.query(
    `MATCH (n:${label} {name: $name}) SET n.touchedAt = timestamp() RETURN n.${property} AS value`,
    {
      name,
    },
  );
  return row?.['value'] as number;
};

/** The last number that has been given when every event committed so far has one. */
export const waitForSequencing = async (service: Service): Promise<number> => {
  const { graph } = service;
  const waiting = async () => {
    const [row] = await graph.query("MATCH (e:Unsequenced) WHERE e.entityId > '' RETURN count(e) AS waiting");
    return row?.['waiting'] as number;
  };
  await waitFor(waiting, (count) => count === 0, 'every event has a number');
  return readCommittedProperty(service, 'Sequence', EVENT_SEQUENCE, 'last');
};

/** All events of the store after a number, read by somebody who keeps none of them in memory yet. */
export const readEventsAfter = async ({ graph }: Service, seq: number): Promise<NumberedEvent[]> => {
  const tail = createEventTail({ graph, log: { warn: () => {} }, isSequencerLocal: () => false });
  const all: NumberedEvent[] = [];
  for (let after = seq; ; ) {
    const some = await tail.after(after, 100);
    if (some.length === 0) return all;
    all.push(...some);
    after = some.at(-1)?.seq ?? after;
  }
};

/** Waits until everybody was told of everything committed so far; answers the last number of that. */
export const waitForNotifications = async (service: Service): Promise<number> => {
  const last = await waitForSequencing(service);
  const reached = () => readCommittedProperty(service, 'Progress', NOTIFICATION_PROGRESS, 'seq');
  await waitFor(reached, (seq) => seq >= last, `people are told of everything up to ${last}`);
  return last;
};

/** Waits until everything committed so far is mailed or passed by. */
export const waitForMails = async (service: Service): Promise<void> => {
  await waitForNotifications(service);
  const due = async () => {
    const [row] = await service.graph.query(
      'MATCH (s:MailSubscription) WHERE s.dueAt <= timestamp() RETURN count(s) AS due',
    );
    return row?.['due'];
  };
  await waitFor(due, (count) => count === 0, 'everything is mailed');
};
