import { createWorkYielder } from '../http/work-yielder.ts';
import type { ContextNeeds, EventMatcher } from '../model/language/event-filter.ts';
import type { EventContext } from '../model/language/event-predicates.ts';
import {
  createMatchBudget,
  MAX_TURN_STEPS,
  type MatchBudget,
  unlessTooExpensive,
} from '../model/language/match-budget.ts';
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

/** Whether a subscription selects an event. It is undecided when the expressions of its filters are too expensive. */
export type EventVerdict = 'selected' | 'passed over' | 'undecided';

export type EventTest = (event: NumberedEvent) => Promise<EventVerdict>;

/**
 * Creates the test whether a subscription selects an event, after reading the additional data for all events. The
 * expressions of its filters have one budget for these events, and pause so that other work goes on.
 */
export const createMatchTest = async (
  { mayMatchType, needs, matches }: EventMatcher,
  events: readonly NumberedEvent[],
  lookAround: ReadEventContexts,
  budget: MatchBudget = createMatchBudget(),
): Promise<EventTest> => {
  const about = needsContext(needs) ? events.filter(({ entityType }) => mayMatchType(entityType)) : [];
  const found = about.length > 0 ? await lookAround(about, needs) : [];
  const circumstances = new Map(about.map(({ seq }, at) => [seq, found[at] ?? EMPTY_CONTEXT]));
  const pauseFor = createWorkYielder(MAX_TURN_STEPS);
  const decide = (event: NumberedEvent): EventVerdict => {
    const around = circumstances.get(event.seq) ?? EMPTY_CONTEXT;
    const isSelected = unlessTooExpensive(() => matches(event.value(), around, budget));
    if (isSelected === undefined) return 'undecided';
    return isSelected ? 'selected' : 'passed over';
  };
  return async (event) => {
    if (!mayMatchType(event.entityType)) return 'passed over';
    const before = budget.spent();
    const verdict = decide(event);
    await pauseFor(budget.spent() - before);
    return verdict;
  };
};

/** The events that a subscription selects, and whether any is undecided. */
export const selectEvents = async (events: readonly NumberedEvent[], test: EventTest) => {
  const selected: NumberedEvent[] = [];
  let undecided = 0;
  // Events that were tested concurrently would go on while one of them pauses.
  for (const event of events) {
    const verdict = await test(event);
    if (verdict === 'selected') selected.push(event);
    if (verdict === 'undecided') undecided += 1;
  }
  return { selected, undecided };
};
