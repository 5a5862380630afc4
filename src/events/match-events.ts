import type { ContextNeeds, EventMatcher } from '../model/language/event-filter.ts';
import type { EventContext } from '../model/language/event-predicates.ts';
import type { NumberedEvent } from './tail.ts';

/** Reads the data that filters need in addition to the events, in the order of the events. */
export type ReadEventContexts = (
  events: readonly NumberedEvent[],
  wishes: ContextNeeds,
) => Promise<readonly EventContext[]>;

const EMPTY_CONTEXT: EventContext = Object.freeze({
  isBot: false,
  ownerNamesByTeam: new Set<string>(),
  newFlows: new Set<string>(),
});

const needsContext = ({ needsIsBot, teamOwnerNames, flows }: ContextNeeds): boolean =>
  needsIsBot || teamOwnerNames.length + flows.length > 0;

/** Creates the test whether a subscription matches an event, after reading the additional data for all events. */
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
