import { type Destination, isCalledDestination } from '../model/schemas/events/destination.ts';
import type { DeliveryState } from './delivery-state.ts';
import { redactVisibleEvents } from './delivery-visibility.ts';
import { type DeliveryTarget, toTargets } from './destination-sender.ts';
import type { NumberedEvent } from './tail.ts';

/** The destinations that the delivery calls. The notification writer serves the inboxes. */
const calledDestinations = ({ subscription }: DeliveryState): readonly Destination[] =>
  subscription.destinations.filter((destination) => destination.enabled && isCalledDestination(destination));

/** Finds where some events go, and what of them may be seen there now. */
export const findDeliveryTargets = async (
  state: DeliveryState,
  events: readonly NumberedEvent[],
): Promise<readonly DeliveryTarget[]> => {
  const seen = await redactVisibleEvents(events, await state.deps.visibility(state.subscription));
  if (seen.length === 0) return [];
  return calledDestinations(state).flatMap((destination) => toTargets(destination, seen));
};
