import { badRequest } from '../../errors.ts';
import { isArray, isObject, type JsonObject, member } from '../json.ts';
import { parseRecordType } from '../kind/record-type.ts';
import { isFqnWithin, normaliseFqn } from '../name.ts';
import { EVENT_TYPES } from '../schemas/events/change-event.ts';
import { ExpressionTooExpensive, type MatchBudget } from './match-budget.ts';
import { parseSafePattern, type SafePattern } from './pattern.ts';

/** What single filters of subscriptions compare with an event, and the values that they take. */

/** Facts about an event that it does not contain itself, as far as a filter needs them. */
export type EventContext = {
  /** Whether the user who caused the event is a bot. */
  readonly isBot: boolean;
  /** The names, out of those in the filter, of users and teams that own the record through a team. */
  readonly ownerNamesByTeam: ReadonlySet<string>;
  /** The keys of the flows of labels, out of those in the filter, that the event brought about. */
  readonly newFlows: ReadonlySet<string>;
};

/** Whether a filter is true. Throws ExpressionTooExpensive when its expressions cost more than the budget. */
export type EventPredicate = (event: JsonObject, circumstances: EventContext, budget: MatchBudget) => boolean;

export const eventText = (event: JsonObject, name: string): string => {
  const value = member(event, name);
  return typeof value === 'string' ? value : '';
};

export const matchesMember =
  (name: string) =>
  (values: readonly string[]): EventPredicate => {
    const wanted = new Set(values);
    return (event) => wanted.has(eventText(event, name));
  };

/** Answers the owners or domains in an event, which contain names. */
const entityReferences = (event: JsonObject, name: string): readonly JsonObject[] => {
  const entity = member(event, 'entity');
  const found = isObject(entity) ? member(entity, name) : undefined;
  return isArray(found) ? found.filter(isObject) : [];
};

/** Every name contains dots, so only other special characters make a text an expression. */
const EXPRESSION_SIGNS = /[\\^$*+?()[\]{}|]/;

const parseExpression = (value: string): SafePattern | undefined =>
  EXPRESSION_SIGNS.test(value) ? parseSafePattern(value) : undefined;

export const matchesFqn = (values: readonly string[]): EventPredicate => {
  const patterns = values.flatMap((value) => parseExpression(value) ?? []);
  return (event, _circumstances, budget) => {
    const fqn = eventText(event, 'entityFullyQualifiedName');
    // Names cost little, so an event that one of them selects needs no expression.
    return values.some((value) => isFqnWithin(fqn, value)) || patterns.some((one) => one.matches(fqn, budget));
  };
};

/** User names are always in lower case. Team names are case-sensitive. */
export const matchesOwner = (values: readonly string[]): EventPredicate => {
  const teams = new Set(values);
  const people = new Set(values.map((value) => value.toLowerCase()));
  const isWanted = (owner: JsonObject) =>
    (eventText(owner, 'type') === 'team' ? teams : people).has(eventText(owner, 'name'));
  return (event, { ownerNamesByTeam }) =>
    entityReferences(event, 'owners').some(isWanted) || values.some((value) => ownerNamesByTeam.has(value));
};

export const matchesDomain = (values: readonly string[]): EventPredicate => {
  const wanted = new Set(values);
  return (event) =>
    entityReferences(event, 'domains').some((domain) => wanted.has(eventText(domain, 'fullyQualifiedName')));
};

const CHANGE_LISTS = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

/** Answers the names of the fields that changed. */
const changedFields = (event: JsonObject): readonly string[] => {
  const change = member(event, 'changeDescription');
  if (!isObject(change)) return [];
  return CHANGE_LISTS.flatMap((name) => {
    const fields = member(change, name);
    return isArray(fields) ? fields.filter(isObject).map((field) => eventText(field, 'name')) : [];
  });
};

export const matchesChangedField = (values: readonly string[]): EventPredicate => {
  const prefixes = values.map((value) => `${value}.`);
  return (event) =>
    changedFields(event).some((field) => values.includes(field) || prefixes.some((prefix) => field.startsWith(prefix)));
};

export const GENERAL_FIELDS = ['description', 'tags'];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const normaliseId = (value: string): string => {
  const id = value.toLowerCase();
  if (!UUID.test(id)) throw badRequest('must be a UUID');
  return id;
};

export const normaliseType = (value: string): string => {
  const type = parseRecordType(value);
  if (type === undefined) throw badRequest('must be a known entity type');
  return type;
};

export const normaliseEventType = (value: string): string => {
  const type = EVENT_TYPES.find((known) => known === value);
  if (!type) throw badRequest('must be a known event type');
  return type;
};

/** Stores an expression unchanged and a name in its normal form. */
export const normalisePattern = (value: string): string => (EXPRESSION_SIGNS.test(value) ? value : normaliseFqn(value));

/** The most that the expressions of a subscription may cost together. */
const MAX_EXPRESSIONS_COST = 5000;

/**
 * Compiles names and expressions for fully qualified names, and throws bad_request for what is no expression, and as
 * soon as they are too expensive together.
 */
export const checkExpressions = (values: readonly string[]): void => {
  let cost = 0;
  for (const value of values) {
    cost += parseExpression(value)?.cost ?? 0;
    if (cost > MAX_EXPRESSIONS_COST) throw new ExpressionTooExpensive();
  }
};
