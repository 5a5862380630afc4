import type { Circumstances, Matcher, Wishes } from '../model/event-filter.ts';
import type { NumberedEvent } from './tail.ts';

/** What filters want to know beside events, in the order of the events. */
export type LookAround = (events: readonly NumberedEvent[], wishes: Wishes) => Promise<readonly Circumstances[]>;

const NOTHING: Circumstances = Object.freeze({ isBot: false, ownersByTeam: new Set<string>() });

const hasWishes = ({ wantsBot, ownerNames }: Wishes): boolean => wantsBot || ownerNames.length > 0;

/** Tells which of some events a subscription is about, once what its filters ask for is known of all of them. */
export const matching = async (
  { isAbout, wishes, matches }: Matcher,
  events: readonly NumberedEvent[],
  lookAround: LookAround,
): Promise<(event: NumberedEvent) => boolean> => {
  if (!hasWishes(wishes)) return (event) => isAbout(event.entityType) && matches(event.value(), NOTHING);
  const about = events.filter(({ entityType }) => isAbout(entityType));
  const found = about.length > 0 ? await lookAround(about, wishes) : [];
  const circumstances = new Map(about.map(({ seq }, at) => [seq, found[at] ?? NOTHING]));
  return (event) => isAbout(event.entityType) && matches(event.value(), circumstances.get(event.seq) ?? NOTHING);
};
