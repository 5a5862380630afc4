import { badRequest, CatalogError } from '../../errors.ts';
import type { JsonObject } from '../json.ts';
import { normaliseFqn } from '../name.ts';
import {
  checkExpressions,
  type EventPredicate,
  eventText,
  GENERAL_FIELDS,
  matchesChangedField,
  matchesDomain,
  matchesFqn,
  matchesMember,
  matchesOwner,
  normaliseEventType,
  normaliseId,
  normalisePattern,
  normaliseType,
} from './event-predicates.ts';
import { type FlowWish, flowKeyOf, listFlowWishes } from './flow-wish.ts';

/**
 * The filters of subscriptions (events.md 4.2), which select change events. A filter is compiled once from its stored
 * form, and then only compares.
 */

/** The facts that a filter needs. */
export type ContextNeeds = {
  readonly needsIsBot: boolean;
  /** The names of users and teams whose ownership through a team counts. */
  readonly teamOwnerNames: readonly string[];
  readonly flows: readonly FlowWish[];
};

/** A filter that subscriptions can use. */
type EventFilterDefinition = {
  readonly displayName: string;
  readonly description: string;
  /** The name of its argument, if it has one. */
  readonly argument?: string;
  /** The condition for display. `$` stands for the values of each argument. */
  readonly condition: string;
  /** Normalises a value of the argument for storage. Throws bad_request for an invalid one. */
  readonly normalise?: (value: string) => string;
  /** Checks all values of the argument together. Throws bad_request that says what is wrong. */
  readonly check?: (values: readonly string[]) => void;
  /** A further argument, which has values of its own and may be left out. */
  readonly option?: { readonly name: string; readonly normalise: (value: string) => string };
  readonly createPredicate: (values: readonly string[], options: readonly string[]) => EventPredicate;
};

const EVENT_FILTERS = {
  filterByFqn: {
    displayName: 'Fully qualified name',
    description:
      'The asset has one of the names, is a descendant of such an asset, or has a name that matches the regular expression.',
    argument: 'fqnList',
    condition: 'matchAnyEntityFqn($)',
    normalise: normalisePattern,
    check: checkExpressions,
    createPredicate: matchesFqn,
  },
  filterByEntityId: {
    displayName: 'Id',
    description: 'The asset has one of the IDs.',
    argument: 'entityIdList',
    condition: 'matchAnyEntityId($)',
    normalise: normaliseId,
    createPredicate: matchesMember('entityId'),
  },
  filterByEventType: {
    displayName: 'Type of event',
    description: 'The event is of one of the types.',
    argument: 'eventTypeList',
    condition: 'matchAnyEventType($)',
    normalise: normaliseEventType,
    createPredicate: matchesMember('eventType'),
  },
  filterByOwnerName: {
    displayName: 'Owner',
    description: 'The asset is owned by one of the users or teams, directly or through team membership.',
    argument: 'ownerNameList',
    condition: 'matchAnyOwnerName($)',
    createPredicate: matchesOwner,
  },
  filterByUpdaterName: {
    displayName: 'Updater',
    description: 'One of the users or bots made the change.',
    argument: 'updateByUserList',
    condition: 'matchUpdatedBy($)',
    normalise: (value) => value.toLowerCase(),
    createPredicate: matchesMember('userName'),
  },
  filterByUpdaterIsBot: {
    displayName: 'Updater is a bot',
    description: 'A bot made the change.',
    condition: 'isBot()',
    createPredicate:
      () =>
      (_event, { isBot }) =>
        isBot,
  },
  filterByDomain: {
    displayName: 'Domain',
    description: 'The asset belongs to one of the domains, directly or by inheritance.',
    argument: 'domainList',
    condition: 'matchAnyDomain($)',
    normalise: normaliseFqn,
    createPredicate: matchesDomain,
  },
  filterByFieldChange: {
    displayName: 'Changed field',
    description: 'One of the fields, or a member nested in it, changed.',
    argument: 'fieldChangeList',
    condition: 'matchAnyFieldChange($)',
    createPredicate: matchesChangedField,
  },
  filterByGeneralMetadataEvents: {
    displayName: 'General metadata',
    description: 'The description or the tags changed.',
    condition: "matchAnyFieldChange({'description','tags'})",
    createPredicate: () => matchesChangedField(GENERAL_FIELDS),
  },
  filterBySource: {
    displayName: 'Source',
    description: 'The asset is of one of the entity types.',
    argument: 'sourceList',
    condition: 'matchAnySource($)',
    normalise: normaliseType,
    createPredicate: matchesMember('entityType'),
  },
  filterByMentionedName: {
    displayName: 'Mentioned name',
    description:
      'One of the users is mentioned in a conversation. Never true, because the catalog has no conversations.',
    argument: 'userList',
    condition: 'matchConversationUser($)',
    createPredicate: () => () => false,
  },
  onNewFlow: {
    displayName: 'New flow of a label',
    description:
      'The change lets a column with one of the tags flow, along lineage, to an asset of one of the types by a way that was not there. Types are dashboard and mlmodel by default.',
    argument: 'tag',
    condition: 'onNewFlow($)',
    normalise: normaliseFqn,
    option: { name: 'types', normalise: normaliseType },
    createPredicate: (tags, types) => {
      const keys = listFlowWishes(tags, types).map(flowKeyOf);
      return (_event, { newFlows }) => keys.some((key) => newFlows.has(key));
    },
  },
} as const satisfies Readonly<Record<string, EventFilterDefinition>>;

export type EventFilterName = keyof typeof EVENT_FILTERS;

export const EVENT_FILTER_NAMES = Object.keys(EVENT_FILTERS) as EventFilterName[];

const findFilterDefinition = (name: string): EventFilterDefinition | undefined =>
  Object.hasOwn(EVENT_FILTERS, name) ? EVENT_FILTERS[name as EventFilterName] : undefined;

/** A filter as it is stored. */
export type EventFilterInput = {
  readonly name: string;
  readonly effect?: 'include' | 'exclude';
  readonly prefixCondition?: 'AND' | 'OR';
  readonly arguments?: readonly { readonly name: string; readonly input: readonly string[] }[];
};

const valuesOf = (input: EventFilterInput, argument: string | undefined): readonly string[] =>
  input.arguments?.find(({ name }) => name === argument)?.input ?? [];

const argumentValues = (definition: EventFilterDefinition, input: EventFilterInput): readonly string[] =>
  valuesOf(input, definition.argument);

const optionValues = (definition: EventFilterDefinition, input: EventFilterInput): readonly string[] =>
  valuesOf(input, definition.option?.name);

/** Throws bad_request when the expressions of all filters together cost too much to evaluate for every event. */
export const checkFilterCost = (filters: readonly EventFilterInput[]): void => {
  const named = filters.filter(({ name }) => name === 'filterByFqn');
  try {
    checkExpressions(named.flatMap((filter) => argumentValues(EVENT_FILTERS.filterByFqn, filter)));
  } catch (failure) {
    throw failure instanceof CatalogError ? badRequest(`[input.filters: ${failure.message}]`, failure) : failure;
  }
};

type GivenArgument = {
  readonly name: string;
  readonly values: readonly string[];
  readonly normalise: (value: string) => string;
  readonly check?: EventFilterDefinition['check'];
};

const normaliseArgument = (filter: string, { name, values, normalise, check }: GivenArgument) => {
  try {
    check?.(values);
    return { name, input: [...new Set(values.map(normalise))] };
  } catch (failure) {
    throw badRequest(`Filter ${filter}: ${name} ${failure instanceof Error ? failure.message : ''}`, failure);
  }
};

/** Normalises a filter. Throws bad_request that names what is wrong with it. */
export const normaliseFilter = (input: EventFilterInput): EventFilterInput => {
  const definition = findFilterDefinition(input.name);
  if (!definition) throw badRequest(`Unknown filter ${input.name}, expected one of ${EVENT_FILTER_NAMES.join(', ')}`);
  const { argument, option, check, normalise = (value: string) => value } = definition;
  const stray = input.arguments?.find(({ name }) => name !== argument && name !== option?.name);
  if (stray) throw badRequest(`Filter ${input.name} has no argument ${stray.name}`);
  if (argument === undefined) return input;
  const values = argumentValues(definition, input);
  if (values.length === 0) throw badRequest(`Filter ${input.name} needs values for its argument ${argument}`);
  const given: GivenArgument[] = [{ name: argument, normalise, check, values }];
  const chosen = optionValues(definition, input);
  if (option && chosen.length > 0) given.push({ ...option, values: chosen });
  return { ...input, arguments: given.map((one) => normaliseArgument(input.name, one)) };
};

const quoteValue = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Describes a filter as a complete rule for display. */
export const describeFilterRule = (input: EventFilterInput): JsonObject => {
  const definition = findFilterDefinition(input.name);
  const lists = definition ? [argumentValues(definition, input), optionValues(definition, input)] : [];
  const shown = lists.flatMap((values, at) =>
    at === 0 || values.length > 0 ? `{${values.map(quoteValue).join(',')}}` : [],
  );
  const common = {
    name: input.name,
    displayName: definition?.displayName ?? input.name,
    fullyQualifiedName: `eventSubscription.${input.name}`,
    ...(definition ? { description: definition.description } : {}),
    effect: input.effect ?? 'include',
    condition: (definition?.condition ?? 'true').replace('$', () => shown.join(', ')),
  };
  return {
    ...common,
    arguments: [definition?.argument, definition?.option?.name].filter((name) => name !== undefined),
    inputType: definition?.argument === undefined ? 'none' : 'runtime',
    prefixCondition: input.prefixCondition ?? 'AND',
  };
};

/** Decides which events a subscription receives. */
export type EventMatcher = {
  /** Whether events about this type of record can match at all. */
  readonly mayMatchType: (entityType: string) => boolean;
  readonly needs: ContextNeeds;
  /**
   * Whether an event matches. The context must hold the facts in `needs`. Throws ExpressionTooExpensive when the budget
   * does not suffice.
   */
  readonly matches: EventPredicate;
};

export const ALL_RESOURCES = 'all';

type FilterLink = { readonly isOr: boolean; readonly holds: EventPredicate };

const createFilterLink = (input: EventFilterInput): FilterLink => {
  const definition = findFilterDefinition(input.name);
  // An unknown filter lets nothing pass, because a missing event is noticed and a surplus one may reveal data.
  const condition: EventPredicate =
    definition?.createPredicate(argumentValues(definition, input), optionValues(definition, input)) ?? (() => false);
  const isExcluding = input.effect === 'exclude';
  return {
    isOr: input.prefixCondition === 'OR',
    holds: (...given) => condition(...given) !== isExcluding,
  };
};

const contextNeeds = (filters: readonly EventFilterInput[]): ContextNeeds => {
  const named = (name: EventFilterName) => filters.filter((filter) => filter.name === name);
  return {
    needsIsBot: named('filterByUpdaterIsBot').length > 0,
    teamOwnerNames: [
      ...new Set(
        named('filterByOwnerName').flatMap((filter) => argumentValues(EVENT_FILTERS.filterByOwnerName, filter)),
      ),
    ],
    flows: named('onNewFlow').flatMap((filter) =>
      listFlowWishes(argumentValues(EVENT_FILTERS.onNewFlow, filter), optionValues(EVENT_FILTERS.onNewFlow, filter)),
    ),
  };
};

/** Creates the matcher of a subscription: the record's type is one of its resources, and all filters are true. */
export const createEventMatcher = (
  resources: readonly string[],
  filters: readonly EventFilterInput[],
): EventMatcher => {
  const types = new Set(resources);
  const mayMatchType = (entityType: string) => types.has(ALL_RESOURCES) || types.has(entityType);
  const [first, ...others] = filters.map(createFilterLink);
  return {
    mayMatchType,
    needs: contextNeeds(filters),
    matches: (event, circumstances, budget) => {
      if (!mayMatchType(eventText(event, 'entityType'))) return false;
      if (!first) return true;
      const ask = ({ holds }: FilterLink) => holds(event, circumstances, budget);
      return others.reduce((holds, link) => (link.isOr ? holds || ask(link) : holds && ask(link)), ask(first));
    },
  };
};
