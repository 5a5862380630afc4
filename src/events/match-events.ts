import type { ContextNeeds, EventContext, EventMatcher } from '../model/language/event-filter.ts';
import type { NumberedEvent } from './tail.ts';

/** What filters want to know beside events, in the order of the events. */
export type ReadEventContexts = (
  events: readonly NumberedEvent[],
  wishes: ContextNeeds,
) => Promise<readonly EventContext[]>;

const EMPTY_CONTEXT: EventContext = Object.freeze({ isBot: false, ownerNamesByTeam: new Set<string>() });

const needsContext = ({ needsIsBot, teamOwnerNames }: ContextNeeds): boolean => needsIsBot || teamOwnerNames.length > 0;

/** Tells which of some events a subscription is about, once what its filters ask for is known of all of them. */
export const createMatchTest = async (
  { mayMatchType, needs, matches }: EventMatcher,
  events: readonly NumberedEvent[],
  lookAround: ReadEventContexts,
): Promise<(event: NumberedEvent) => boolean> => {
  if (!needsContext(needs)) return (event) => mayMatchType(event.entityType) && matches(event.value(), EMPTY_CONTEXT);
  const about = events.filter(({ entityType }) => mayMatchType(entityType));
  const found = about.length > 0 ? await lookAround(about, needs) : [];
  const circumstances = new Map(about.map(({ seq }, at) => [seq, found[at] ?? EMPTY_CONTEXT]));
  return (event) =>
    mayMatchType(event.entityType) && matches(event.value(), circumstances.get(event.seq) ?? EMPTY_CONTEXT);
};
