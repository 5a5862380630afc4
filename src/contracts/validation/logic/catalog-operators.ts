import { isArray, isObject, type Json, type JsonObject, member } from '../../../model/json.ts';
import { isFqnWithin } from '../../../model/name.ts';
import { assertNesting, countItems, countSteps } from './budget.ts';
import { coerceToNumber, coerceToText } from './compare.ts';
import {
  argumentAt,
  type EvaluationScope,
  eagerOperator,
  type LogicOperator,
  listItems,
  ownValue,
} from './operator.ts';
import { containsOperator } from './standard-operators.ts';

const readFact = ({ facts }: EvaluationScope, name: string): Json => ownValue(facts, name) ?? null;

const objectsIn = (here: EvaluationScope, value: Json): readonly JsonObject[] => {
  const items = listItems(value);
  countSteps(here.work, items.length);
  return items.filter(isObject);
};

/** A single argument that is a list stands for its items. */
const unwrapSingleList = (values: readonly Json[]): readonly Json[] => {
  const [first] = values;
  return values.length === 1 && isArray(first) ? first : values;
};

const length = eagerOperator((values) => {
  const counted = unwrapSingleList(values);
  return counted.length === 1 && counted === values && counted[0] === null ? 0 : counted.length;
});

const isMember = ({ context }: EvaluationScope, team: Json | undefined, name: string): boolean => {
  const members = typeof team === 'string' ? context.members.get(team) : undefined;
  return members !== undefined && (members.has(name) || members.has(name.toLowerCase()));
};

/** Whether a user is listed in a member of the facts, directly or through a team. */
const isListedIn = (field: string): LogicOperator =>
  eagerOperator((values, here) => {
    const name = argumentAt(values, 0);
    if (typeof name !== 'string' || name === '') return false;
    return objectsIn(here, readFact(here, field)).some((reference) => {
      if (member(reference, 'type') === 'team') return isMember(here, member(reference, 'id'), name);
      const listed = member(reference, 'name');
      return typeof listed === 'string' && listed.toLowerCase() === name.toLowerCase();
    });
  });

const CHANGES = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

/** Whether a field, or a field nested in it, has changed. */
const isChanged = eagerOperator((values, here) => {
  const change = readFact(here, 'changeDescription');
  if (!isObject(change)) return false;
  const changed = CHANGES.flatMap((list) => objectsIn(here, member(change, list) ?? null)).map((entry) =>
    member(entry, 'name'),
  );
  return unwrapSingleList(values).some((field) => {
    countSteps(here.work, changed.length);
    return typeof field === 'string' && changed.some((name) => typeof name === 'string' && isFqnWithin(name, field));
  });
});

const compareUpdatedAt = (isSo: (updatedAt: number, time: number) => boolean): LogicOperator =>
  eagerOperator((values, here) => {
    const [time, updatedAt] = [argumentAt(values, 0), readFact(here, 'updatedAt')];
    if (time === null || time === '' || typeof updatedAt !== 'number') return false;
    return isSo(updatedAt, coerceToNumber(here.work, time));
  });

/** Whether owners are valid: none, several users, or one team alone. */
const isPeopleOrOneTeam = eagerOperator((values, here) => {
  const owners = objectsIn(here, argumentAt(values, 0));
  const teams = owners.filter((owner) => member(owner, 'type') === 'team').length;
  const users = owners.filter((owner) => member(owner, 'type') === 'user').length;
  return users === owners.length || (teams === 1 && owners.length === 1);
});

/** Filters the objects of a list by the value of a member. */
const filterByMember = (name: string, standard: Json): LogicOperator =>
  eagerOperator((values, here) => {
    const wanted = argumentAt(values, 1);
    if (wanted === null) return [];
    const found = objectsIn(here, argumentAt(values, 0)).filter((item) => (member(item, name) ?? standard) === wanted);
    countItems(here.work, found.length);
    return found;
  });

/** Collects the values at a path, descending into every list on the way. A missing member yields no value. */
const collectValues = (here: EvaluationScope, value: Json, path: readonly string[], found: Json[], depth = 0): void => {
  countSteps(here.work, 1);
  assertNesting(depth);
  if (isArray(value)) {
    for (const item of value) collectValues(here, item, path, found, depth + 1);
    return;
  }
  const [name, ...below] = path;
  if (name === undefined) {
    if (value === null) return;
    countItems(here.work, 1);
    found.push(value);
    return;
  }
  const inner = ownValue(value, name);
  if (inner !== undefined) collectValues(here, inner, below, found, depth + 1);
};

const collectAllValues = eagerOperator((values, here) => {
  const text = coerceToText(here.work, argumentAt(values, 0));
  countSteps(here.work, text.length);
  const found: Json[] = [];
  collectValues(here, here.data, text === '' ? [] : text.split('.'), found);
  return found;
});

/** The operators that the catalog adds to those of JsonLogic. */
export const CATALOG_OPERATORS: readonly (readonly [string, LogicOperator])[] = [
  ['length', length],
  ['isOwner', isListedIn('owners')],
  ['isReviewer', isListedIn('reviewers')],
  ['isChanged', isChanged],
  ['isUpdatedBefore', compareUpdatedAt((updatedAt, time) => updatedAt < time)],
  ['isUpdatedAfter', compareUpdatedAt((updatedAt, time) => updatedAt > time)],
  ['multipleUsersOrSingleTeamOwnership', isPeopleOrOneTeam],
  ['filterReferenceByType', filterByMember('type', null)],
  ['filterTagsBySource', filterByMember('source', 'Classification')],
  ['tableColumnValues', collectAllValues],
  ['contains', containsOperator],
];
