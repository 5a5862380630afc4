import { badRequest } from '../../errors.ts';
import { isArray, isObject, type JsonObject, member } from '../json.ts';
import { parseRecordType } from '../kind/record-type.ts';
import { isFqnWithin, normaliseFqn } from '../name.ts';
import { EVENT_TYPES } from '../schemas/events/change-event.ts';
import { parseSafePattern, type SafePattern } from './pattern.ts';

/**
 * The filters of subscriptions (events.md 4.2), which select change events. A filter is compiled once from its stored
 * form, and then only compares.
 */

/** Facts about an event that it does not contain itself, as far as a filter needs them. */
export type EventContext = {
  /** Whether the user who caused the event is a bot. */
  readonly isBot: boolean;
  /** The names, out of those in the filter, of users and teams that own the record through a team. */
  readonly ownerNamesByTeam: ReadonlySet<string>;
};

/** The facts that a filter needs. */
export type ContextNeeds = {
  readonly needsIsBot: boolean;
  /** The names of users and teams whose ownership through a team counts. */
  readonly teamOwnerNames: readonly string[];
};

type EventPredicate = (event: JsonObject, circumstances: EventContext) => boolean;

/** A filter that subscriptions can use. */
type EventFilterDefinition = {
  readonly displayName: string;
  readonly description: string;
  /** The name of its argument, if it has one. */
  readonly argument?: string;
  /** The condition for display. `$` stands for the values of the argument. */
  readonly condition: string;
  /** Normalises a value of the argument for storage. Throws bad_request for an invalid one. */
  readonly normalise?: (value: string) => string;
  readonly createPredicate: (values: readonly string[]) => EventPredicate;
};

const textMember = (event: JsonObject, name: string): string => {
  const value = member(event, name);
  return typeof value === 'string' ? value : '';
};

const matchesMember =
  (name: string) =>
  (values: readonly string[]): EventPredicate => {
    const wanted = new Set(values);
    return (event) => wanted.has(textMember(event, name));
  };

/** Answers the owners or domains in an event, which contain names. */
const entityReferences = (event: JsonObject, name: string): readonly JsonObject[] => {
  const entity = member(event, 'entity');
  const found = isObject(entity) ? member(entity, name) : undefined;
  return isArray(found) ? found.filter(isObject) : [];
};

/** Every name contains dots, so only other special characters make a text an expression. */
const EXPRESSION_SIGNS = /[\\^$*+?()[\]{}|]/;

const createFqnTest = (value: string): ((fqn: string) => boolean) => {
  const pattern: SafePattern | undefined = EXPRESSION_SIGNS.test(value) ? parseSafePattern(value) : undefined;
  return (fqn) => isFqnWithin(fqn, value) || (pattern?.matches(fqn) ?? false);
};

const matchesFqn = (values: readonly string[]): EventPredicate => {
  const tests = values.map(createFqnTest);
  return (event) => {
    const fqn = textMember(event, 'entityFullyQualifiedName');
    return tests.some((test) => test(fqn));
  };
};

/** User names are always in lower case. Team names are case-sensitive. */
const matchesOwner = (values: readonly string[]): EventPredicate => {
  const teams = new Set(values);
  const people = new Set(values.map((value) => value.toLowerCase()));
  const isWanted = (owner: JsonObject) =>
    (textMember(owner, 'type') === 'team' ? teams : people).has(textMember(owner, 'name'));
  return (event, { ownerNamesByTeam }) =>
    entityReferences(event, 'owners').some(isWanted) || values.some((value) => ownerNamesByTeam.has(value));
};

const matchesDomain = (values: readonly string[]): EventPredicate => {
  const wanted = new Set(values);
  return (event) =>
    entityReferences(event, 'domains').some((domain) => wanted.has(textMember(domain, 'fullyQualifiedName')));
};

const CHANGE_LISTS = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

/** Answers the names of the fields that changed. */
const changedFields = (event: JsonObject): readonly string[] => {
  const change = member(event, 'changeDescription');
  if (!isObject(change)) return [];
  return CHANGE_LISTS.flatMap((name) => {
    const fields = member(change, name);
    return isArray(fields) ? fields.filter(isObject).map((field) => textMember(field, 'name')) : [];
  });
};

const matchesChangedField = (values: readonly string[]): EventPredicate => {
  const prefixes = values.map((value) => `${value}.`);
  return (event) =>
    changedFields(event).some((field) => values.includes(field) || prefixes.some((prefix) => field.startsWith(prefix)));
};

const GENERAL_FIELDS = ['description', 'tags'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const normaliseId = (value: string): string => {
  const id = value.toLowerCase();
  if (!UUID.test(id)) throw badRequest('must be a UUID');
  return id;
};

const normaliseType = (value: string): string => {
  const type = parseRecordType(value);
  if (type === undefined) throw badRequest('must be a known entity type');
  return type;
};

const normaliseEventType = (value: string): string => {
  const type = EVENT_TYPES.find((known) => known === value);
  if (!type) throw badRequest('must be a known event type');
  return type;
};

/** Stores an expression unchanged and a name in its normal form. */
const normalisePattern = (value: string): string => {
  createFqnTest(value);
  return EXPRESSION_SIGNS.test(value) ? value : normaliseFqn(value);
};

const EVENT_FILTERS = {
  filterByFqn: {
    displayName: 'Fully qualified name',
    description:
      'The asset has one of the names, is a descendant of such an asset, or has a name that matches the regular expression.',
    argument: 'fqnList',
    condition: 'matchAnyEntityFqn($)',
    normalise: normalisePattern,
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

const argumentValues = (definition: EventFilterDefinition, input: EventFilterInput): readonly string[] =>
  input.arguments?.find(({ name }) => name === definition.argument)?.input ?? [];

/** The maximum cost of all expressions of a subscription, per character of a name. */
const MAX_TOTAL_STATES = 5000;

/** Throws bad_request when the expressions of all filters together cost too much to evaluate for every event. */
export const checkFilterCost = (filters: readonly EventFilterInput[]): void => {
  const expressions = filters
    .filter(({ name }) => name === 'filterByFqn')
    .flatMap((filter) => argumentValues(EVENT_FILTERS.filterByFqn, filter))
    .filter((value) => EXPRESSION_SIGNS.test(value));
  let states = 0;
  for (const expression of expressions) {
    states += parseSafePattern(expression).states;
    if (states > MAX_TOTAL_STATES) throw badRequest('[input.filters are too large together]');
  }
};

/** Normalises a filter. Throws bad_request that names what is wrong with it. */
export const normaliseFilter = (input: EventFilterInput): EventFilterInput => {
  const definition = findFilterDefinition(input.name);
  if (!definition) throw badRequest(`Unknown filter ${input.name}, expected one of ${EVENT_FILTER_NAMES.join(', ')}`);
  const { argument, normalise = (value: string) => value } = definition;
  const stray = input.arguments?.find(({ name }) => name !== argument);
  if (stray) throw badRequest(`Filter ${input.name} has no argument ${stray.name}`);
  if (argument === undefined) return input;
  const values = argumentValues(definition, input);
  if (values.length === 0) throw badRequest(`Filter ${input.name} needs values for its argument ${argument}`);
  try {
    return { ...input, arguments: [{ name: argument, input: [...new Set(values.map(normalise))] }] };
  } catch (failure) {
    throw badRequest(`Filter ${input.name}: ${argument} ${failure instanceof Error ? failure.message : ''}`, failure);
  }
};

const quoteValue = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Describes a filter as a complete rule for display. */
export const describeFilterRule = (input: EventFilterInput): JsonObject => {
  const definition = findFilterDefinition(input.name);
  const values = definition ? argumentValues(definition, input) : [];
  const common = {
    name: input.name,
    displayName: definition?.displayName ?? input.name,
    fullyQualifiedName: `eventSubscription.${input.name}`,
    ...(definition ? { description: definition.description } : {}),
    effect: input.effect ?? 'include',
    condition: (definition?.condition ?? 'true').replace('$', () => `{${values.map(quoteValue).join(',')}}`),
  };
  return {
    ...common,
    arguments: definition?.argument === undefined ? [] : [definition.argument],
    inputType: definition?.argument === undefined ? 'none' : 'runtime',
    prefixCondition: input.prefixCondition ?? 'AND',
  };
};

/** Decides which events a subscription receives. */
export type EventMatcher = {
  /** Whether events about this type of record can match at all. */
  readonly mayMatchType: (entityType: string) => boolean;
  readonly needs: ContextNeeds;
  /** Whether an event matches. The context must hold the facts in `needs`. */
  readonly matches: (event: JsonObject, circumstances: EventContext) => boolean;
};

export const ALL_RESOURCES = 'all';

type FilterLink = { readonly isOr: boolean; readonly holds: EventPredicate };

const createFilterLink = (input: EventFilterInput): FilterLink => {
  const definition = findFilterDefinition(input.name);
  // An unknown filter lets nothing pass, because a missing event is noticed and a surplus one may reveal data.
  const condition: EventPredicate = definition?.createPredicate(argumentValues(definition, input)) ?? (() => false);
  const isExcluding = input.effect === 'exclude';
  return {
    isOr: input.prefixCondition === 'OR',
    holds: (event, circumstances) => condition(event, circumstances) !== isExcluding,
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
    matches: (event, circumstances) => {
      if (!mayMatchType(textMember(event, 'entityType'))) return false;
      if (!first) return true;
      return others.reduce(
        (holds, link) =>
          link.isOr ? holds || link.holds(event, circumstances) : holds && link.holds(event, circumstances),
        first.holds(event, circumstances),
      );
    },
  };
};
