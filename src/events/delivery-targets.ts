import { type Destination, isCalledDestination, isMailedToPeople } from '../model/schemas/events/destination.ts';
import type { DeliveryState } from './delivery-state.ts';
import { redactVisibleEvents } from './delivery-visibility.ts';
import { type DeliveryTarget, type SentEvent, toTargets } from './destination-sender.ts';
import type { NumberedEvent } from './tail.ts';

/** A person who gets mail, with the events as that person may see them. */
export type MailRecipient = {
  readonly id: string;
  readonly email: string;
  readonly events: readonly SentEvent[];
  /** The address that ends the mails of the subscription to this person. */
  readonly endUrl?: string;
};

/** Finds the people to whom a destination of a subscription mails these events now. */
export type FindMailRecipients = (
  subscriptionId: string,
  destination: Destination,
  events: readonly NumberedEvent[],
) => Promise<readonly MailRecipient[]>;

/** The destinations that the delivery calls. The notification writer serves the inboxes. */
export const calledDestinations = ({ subscription }: DeliveryState): readonly Destination[] =>
  subscription.destinations.filter((destination) => destination.enabled && isCalledDestination(destination));

const addEvents = (known: readonly SentEvent[], more: readonly SentEvent[]): readonly SentEvent[] =>
  [...new Map([...known, ...more].map((event) => [event.seq, event])).values()].sort((a, b) => a.seq - b.seq);

/** Finds the mails to people: one for each, whichever of the destinations lead to that person. */
const findMailTargets = async (
  { deps, subscription }: DeliveryState,
  destinations: readonly Destination[],
  events: readonly NumberedEvent[],
): Promise<readonly DeliveryTarget[]> => {
  const targets = new Map<string, DeliveryTarget>();
  for (const destination of destinations) {
    const recipients = await deps.mailRecipients(subscription.id, destination, events);
    for (const { id, email, events: seen, ...end } of recipients) {
      const known = targets.get(id) ?? { key: `person ${id}`, destination, events: [], emailTo: email, ...end };
      targets.set(id, { ...known, events: addEvents(known.events, seen) });
    }
  }
  return [...targets.values()];
};

/** Finds where some events go, and what of them may be seen there now. */
export const findDeliveryTargets = async (
  state: DeliveryState,
  events: readonly NumberedEvent[],
): Promise<readonly DeliveryTarget[]> => {
  const seen = await redactVisibleEvents(events, await state.deps.visibility(state.subscription));
  if (seen.length === 0) return [];
  const called = calledDestinations(state);
  const fixed = called.filter((one) => !isMailedToPeople(one)).flatMap((one) => toTargets(one, seen));
  const addresses = new Set(fixed.flatMap(({ emailTo }) => emailTo?.toLowerCase() ?? []));
  const mailed = await findMailTargets(state, called.filter(isMailedToPeople), seen);
  // Whoever is also a receiver by address has those events already.
  return [...fixed, ...mailed.filter(({ emailTo }) => !addresses.has(emailTo?.toLowerCase() ?? ''))];
};
