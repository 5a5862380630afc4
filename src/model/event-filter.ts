import { badRequest } from '../errors.ts';
import { EVENT_TYPES } from './event-values.ts';
import { isArray, isObject, type JsonObject, member } from './json.ts';
import { isWithin, normaliseFqn } from './name.ts';
import { type Pattern, parsePattern } from './pattern.ts';
import { recordType } from './record-type.ts';

/**
 * The filters of subscriptions (events.md 4.2): which events one is told of. They are made once from what was stored,
 * and then only compare.
 */

/** What is known of an event beyond what it says itself, as far as a filter asks. */
export type Circumstances = {
  /** Whether whoever did it is a bot. */
  readonly isBot: boolean;
  /** Of the names that a filter gives, those that a user or team has who owns the record through a team. */
  readonly ownersByTeam: ReadonlySet<string>;
};

/** What filters want to know of circumstances. */
export type Wishes = {
  readonly wantsBot: boolean;
  /** The names of users and teams whose ownership through a team counts. */
  readonly ownerNames: readonly string[];
};

type Condition = (event: JsonObject, circumstances: Circumstances) => boolean;

/** A filter as it can be asked for. */
type FilterDefinition = {
  readonly displayName: string;
  readonly description: string;
  /** The name of its argument, if it has one. */
  readonly argument?: string;
  /** The condition as it is shown; `$` stands for the values of the argument. */
  readonly condition: string;
  /** What the values of its argument are kept as. Throws bad_request for one that makes no sense. */
  readonly normalise?: (value: string) => string;
  readonly make: (values: readonly string[]) => Condition;
};

const text = (event: JsonObject, name: string): string => {
  const value = member(event, name);
  return typeof value === 'string' ? value : '';
};

const isOneOf =
  (name: string) =>
  (values: readonly string[]): Condition => {
    const wanted = new Set(values);
    return (event) => wanted.has(text(event, name));
  };

/** What a reference of the record is called: owners and domains are told with their names. */
const references = (event: JsonObject, name: string): readonly JsonObject[] => {
  const entity = member(event, 'entity');
  const found = isObject(entity) ? member(entity, name) : undefined;
  return isArray(found) ? found.filter(isObject) : [];
};

/** A dot is in every name; only with another sign of theirs is a text an expression. */
const EXPRESSION = /[\\^$*+?()[\]{}|]/;

const fqnTest = (value: string): ((fqn: string) => boolean) => {
  const pattern: Pattern | undefined = EXPRESSION.test(value) ? parsePattern(value) : undefined;
  return (fqn) => isWithin(fqn, value) || (pattern?.matches(fqn) ?? false);
};

const matchFqn = (values: readonly string[]): Condition => {
  const tests = values.map(fqnTest);
  return (event) => {
    const fqn = text(event, 'entityFullyQualifiedName');
    return tests.some((test) => test(fqn));
  };
};

/** Names of people have no upper case; those of teams are told apart by it. */
const matchOwner = (values: readonly string[]): Condition => {
  const teams = new Set(values);
  const people = new Set(values.map((value) => value.toLowerCase()));
  const isWanted = (owner: JsonObject) => (text(owner, 'type') === 'team' ? teams : people).has(text(owner, 'name'));
  return (event, { ownersByTeam }) =>
    references(event, 'owners').some(isWanted) || values.some((value) => ownersByTeam.has(value));
};

const matchDomain = (values: readonly string[]): Condition => {
  const wanted = new Set(values);
  return (event) => references(event, 'domains').some((domain) => wanted.has(text(domain, 'fullyQualifiedName')));
};

const CHANGES = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

/** The names of the fields that changed. */
const changedFields = (event: JsonObject): readonly string[] => {
  const change = member(event, 'changeDescription');
  if (!isObject(change)) return [];
  return CHANGES.flatMap((name) => {
    const fields = member(change, name);
    return isArray(fields) ? fields.filter(isObject).map((field) => text(field, 'name')) : [];
  });
};

const matchFields = (values: readonly string[]): Condition => {
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
  const type = recordType(value);
  if (type === undefined) throw badRequest('must be a known type of record');
  return type;
};

const normaliseEventType = (value: string): string => {
  const type = EVENT_TYPES.find((known) => known === value);
  if (!type) throw badRequest('must be a known type of event');
  return type;
};

/** An expression stays as it is; a name is kept in its normal form. */
const normalisePattern = (value: string): string => {
  fqnTest(value);
  return EXPRESSION.test(value) ? value : normaliseFqn(value);
};

const FILTERS = {
  filterByFqn: {
    displayName: 'Fully qualified name',
    description: 'The record has one of the names, lies below it, or its name is one that the expression describes.',
    argument: 'fqnList',
    condition: 'matchAnyEntityFqn($)',
    normalise: normalisePattern,
    make: matchFqn,
  },
  filterByEntityId: {
    displayName: 'Id',
    description: 'The record has one of the ids.',
    argument: 'entityIdList',
    condition: 'matchAnyEntityId($)',
    normalise: normaliseId,
    make: isOneOf('entityId'),
  },
  filterByEventType: {
    displayName: 'Type of event',
    description: 'What happened is of one of the types.',
    argument: 'eventTypeList',
    condition: 'matchAnyEventType($)',
    normalise: normaliseEventType,
    make: isOneOf('eventType'),
  },
  filterByOwnerName: {
    displayName: 'Owner',
    description: 'The record belongs to one of the users or teams, directly or through membership in a team.',
    argument: 'ownerNameList',
    condition: 'matchAnyOwnerName($)',
    make: matchOwner,
  },
  filterByUpdaterName: {
    displayName: 'Updater',
    description: 'One of the users or bots did it.',
    argument: 'updateByUserList',
    condition: 'matchUpdatedBy($)',
    normalise: (value) => value.toLowerCase(),
    make: isOneOf('userName'),
  },
  filterByUpdaterIsBot: {
    displayName: 'Updater is a bot',
    description: 'A bot did it.',
    condition: 'isBot()',
    make:
      () =>
      (_event, { isBot }) =>
        isBot,
  },
  filterByDomain: {
    displayName: 'Domain',
    description: 'The record belongs to one of the domains, by itself or through what it lies in.',
    argument: 'domainList',
    condition: 'matchAnyDomain($)',
    normalise: normaliseFqn,
    make: matchDomain,
  },
  filterByFieldChange: {
    displayName: 'Changed field',
    description: 'One of the fields, or something inside it, changed.',
    argument: 'fieldChangeList',
    condition: 'matchAnyFieldChange($)',
    make: matchFields,
  },
  filterByGeneralMetadataEvents: {
    displayName: 'General metadata',
    description: 'Description or tags changed.',
    condition: "matchAnyFieldChange({'description','tags'})",
    make: () => matchFields(GENERAL_FIELDS),
  },
  filterBySource: {
    displayName: 'Source',
    description: 'The record is of one of the types.',
    argument: 'sourceList',
    condition: 'matchAnySource($)',
    normalise: normaliseType,
    make: isOneOf('entityType'),
  },
  filterByMentionedName: {
    displayName: 'Mentioned name',
    description: 'One of the users is mentioned in a conversation; there are none, so this is never true.',
    argument: 'userList',
    condition: 'matchConversationUser($)',
    make: () => () => false,
  },
} as const satisfies Readonly<Record<string, FilterDefinition>>;

export type FilterName = keyof typeof FILTERS;

export const FILTER_NAMES = Object.keys(FILTERS) as FilterName[];

const definitionOf = (name: string): FilterDefinition | undefined =>
  Object.hasOwn(FILTERS, name) ? FILTERS[name as FilterName] : undefined;

/** A filter as it is stored. */
export type FilterInput = {
  readonly name: string;
  readonly effect?: 'include' | 'exclude';
  readonly prefixCondition?: 'AND' | 'OR';
  readonly arguments?: readonly { readonly name: string; readonly input: readonly string[] }[];
};

const valuesOf = (definition: FilterDefinition, input: FilterInput): readonly string[] =>
  input.arguments?.find(({ name }) => name === definition.argument)?.input ?? [];

/** What the expressions of one subscription may cost together, for each character of a name. */
const MAX_STATES = 5000;

/** Throws bad_request when the expressions of all filters together are too much to follow with every event. */
export const checkCost = (filters: readonly FilterInput[]): void => {
  const expressions = filters
    .filter(({ name }) => name === 'filterByFqn')
    .flatMap((filter) => valuesOf(FILTERS.filterByFqn, filter))
    .filter((value) => EXPRESSION.test(value));
  let states = 0;
  for (const expression of expressions) {
    states += parsePattern(expression).states;
    if (states > MAX_STATES) throw badRequest('[input.filters are too large together]');
  }
};

/** A filter in its normal form. Throws bad_request naming what is wrong with it. */
export const checkFilter = (input: FilterInput): FilterInput => {
  const definition = definitionOf(input.name);
  if (!definition) throw badRequest(`Unknown filter ${input.name}; known are ${FILTER_NAMES.join(', ')}`);
  const { argument, normalise = (value: string) => value } = definition;
  const stray = input.arguments?.find(({ name }) => name !== argument);
  if (stray) throw badRequest(`Filter ${input.name} has no argument ${stray.name}`);
  if (argument === undefined) return input;
  const values = valuesOf(definition, input);
  if (values.length === 0) throw badRequest(`Filter ${input.name} needs values for its argument ${argument}`);
  try {
    return { ...input, arguments: [{ name: argument, input: [...new Set(values.map(normalise))] }] };
  } catch (failure) {
    throw badRequest(`Filter ${input.name}: ${argument} ${failure instanceof Error ? failure.message : ''}`, failure);
  }
};

const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** A filter as a rule that says everything about itself. */
export const ruleOf = (input: FilterInput): JsonObject => {
  const definition = definitionOf(input.name);
  const values = definition ? valuesOf(definition, input) : [];
  const common = {
    name: input.name,
    displayName: definition?.displayName ?? input.name,
    fullyQualifiedName: `eventSubscription.${input.name}`,
    ...(definition ? { description: definition.description } : {}),
    effect: input.effect ?? 'include',
    condition: (definition?.condition ?? 'true').replace('$', () => `{${values.map(quoted).join(',')}}`),
  };
  return {
    ...common,
    arguments: definition?.argument === undefined ? [] : [definition.argument],
    inputType: definition?.argument === undefined ? 'none' : 'runtime',
    prefixCondition: input.prefixCondition ?? 'AND',
  };
};

/** Tells which events a subscription is about. */
export type Matcher = {
  /** Whether it may be about records of this type at all. */
  readonly isAbout: (entityType: string) => boolean;
  readonly wishes: Wishes;
  /** Whether it is about an event; the circumstances are those that were wished for. */
  readonly matches: (event: JsonObject, circumstances: Circumstances) => boolean;
};

export const EVERY_RESOURCE = 'all';

type Link = { readonly isOr: boolean; readonly holds: Condition };

const linkOf = (input: FilterInput): Link => {
  const definition = definitionOf(input.name);
  // A filter that is not known any more lets nothing pass: too few events are noticed, too many may not be.
  const condition: Condition = definition?.make(valuesOf(definition, input)) ?? (() => false);
  const isExcluding = input.effect === 'exclude';
  return {
    isOr: input.prefixCondition === 'OR',
    holds: (event, circumstances) => condition(event, circumstances) !== isExcluding,
  };
};

const wishesOf = (filters: readonly FilterInput[]): Wishes => {
  const named = (name: FilterName) => filters.filter((filter) => filter.name === name);
  return {
    wantsBot: named('filterByUpdaterIsBot').length > 0,
    ownerNames: [
      ...new Set(named('filterByOwnerName').flatMap((filter) => valuesOf(FILTERS.filterByOwnerName, filter))),
    ],
  };
};

/** Makes the matcher of a subscription: the type is one of its resources, and the chain of filters is true. */
export const createMatcher = (resources: readonly string[], filters: readonly FilterInput[]): Matcher => {
  const types = new Set(resources);
  const isAbout = (entityType: string) => types.has(EVERY_RESOURCE) || types.has(entityType);
  const [first, ...others] = filters.map(linkOf);
  return {
    isAbout,
    wishes: wishesOf(filters),
    matches: (event, circumstances) => {
      if (!isAbout(text(event, 'entityType'))) return false;
      if (!first) return true;
      return others.reduce(
        (holds, link) =>
          link.isOr ? holds || link.holds(event, circumstances) : holds && link.holds(event, circumstances),
        first.holds(event, circumstances),
      );
    },
  };
};
