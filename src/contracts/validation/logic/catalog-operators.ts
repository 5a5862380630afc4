import { isArray, isObject, type Json, type JsonObject, member } from '../../../model/json.ts';
import { isWithin } from '../../../model/name.ts';
import { numberOf, textOf } from './compare.ts';
import { argument, eager, type Here, itemsOf, type Operator, ownValue } from './operator.ts';
import { isIn } from './operators.ts';
import { assertNesting, makeItems, spend } from './work.ts';

const factNamed = ({ facts }: Here, name: string): Json => ownValue(facts, name) ?? null;

const objectsIn = (here: Here, value: Json): readonly JsonObject[] => {
  const items = itemsOf(value);
  spend(here.work, items.length);
  return items.filter(isObject);
};

/** Only one argument that is a list stands for its items. */
const unwrapped = (values: readonly Json[]): readonly Json[] => {
  const [first] = values;
  return values.length === 1 && isArray(first) ? first : values;
};

const length = eager((values) => {
  const counted = unwrapped(values);
  return counted.length === 1 && counted === values && counted[0] === null ? 0 : counted.length;
});

const isMember = ({ context }: Here, team: Json | undefined, name: string): boolean => {
  const members = typeof team === 'string' ? context.members.get(team) : undefined;
  return members !== undefined && (members.has(name) || members.has(name.toLowerCase()));
};

/** Whether a user is listed in a member of the facts, in person or through a team. */
const isListedIn = (field: string): Operator =>
  eager((values, here) => {
    const name = argument(values, 0);
    if (typeof name !== 'string' || name === '') return false;
    return objectsIn(here, factNamed(here, field)).some((reference) => {
      if (member(reference, 'type') === 'team') return isMember(here, member(reference, 'id'), name);
      const listed = member(reference, 'name');
      return typeof listed === 'string' && listed.toLowerCase() === name.toLowerCase();
    });
  });

const CHANGES = ['fieldsAdded', 'fieldsUpdated', 'fieldsDeleted'] as const;

/** A field has changed when it is named itself, or something below it is. */
const isChanged = eager((values, here) => {
  const change = factNamed(here, 'changeDescription');
  if (!isObject(change)) return false;
  const changed = CHANGES.flatMap((list) => objectsIn(here, member(change, list) ?? null)).map((entry) =>
    member(entry, 'name'),
  );
  return unwrapped(values).some((field) => {
    spend(here.work, changed.length);
    return typeof field === 'string' && changed.some((name) => typeof name === 'string' && isWithin(name, field));
  });
});

const comparesUpdate = (isSo: (updatedAt: number, time: number) => boolean): Operator =>
  eager((values, here) => {
    const [time, updatedAt] = [argument(values, 0), factNamed(here, 'updatedAt')];
    if (time === null || time === '' || typeof updatedAt !== 'number') return false;
    return isSo(updatedAt, numberOf(here.work, time));
  });

/** Several people may own together, and one team alone may; nobody may as well. */
const isPeopleOrOneTeam = eager((values, here) => {
  const owners = objectsIn(here, argument(values, 0));
  const teams = owners.filter((owner) => member(owner, 'type') === 'team').length;
  const users = owners.filter((owner) => member(owner, 'type') === 'user').length;
  return users === owners.length || (teams === 1 && owners.length === 1);
});

/** The objects of a list in which a member says what is asked for. */
const having = (name: string, standard: Json): Operator =>
  eager((values, here) => {
    const wanted = argument(values, 1);
    if (wanted === null) return [];
    const found = objectsIn(here, argument(values, 0)).filter((item) => (member(item, name) ?? standard) === wanted);
    makeItems(here.work, found.length);
    return found;
  });

/** Every list on the way is walked through, and the last one too: what is missing is no value. */
const pluck = (here: Here, value: Json, path: readonly string[], found: Json[], depth = 0): void => {
  spend(here.work, 1);
  assertNesting(depth);
  if (isArray(value)) {
    for (const item of value) pluck(here, item, path, found, depth + 1);
    return;
  }
  const [name, ...below] = path;
  if (name === undefined) {
    if (value === null) return;
    makeItems(here.work, 1);
    found.push(value);
    return;
  }
  const inner = ownValue(value, name);
  if (inner !== undefined) pluck(here, inner, below, found, depth + 1);
};

const pluckAll = eager((values, here) => {
  const text = textOf(here.work, argument(values, 0));
  spend(here.work, text.length);
  const found: Json[] = [];
  pluck(here, here.data, text === '' ? [] : text.split('.'), found);
  return found;
});

/** The operators that the catalog has beside those of JSON-logic. */
export const CATALOG: readonly (readonly [string, Operator])[] = [
  ['length', length],
  ['isOwner', isListedIn('owners')],
  ['isReviewer', isListedIn('reviewers')],
  ['isChanged', isChanged],
  ['isUpdatedBefore', comparesUpdate((updatedAt, time) => updatedAt < time)],
  ['isUpdatedAfter', comparesUpdate((updatedAt, time) => updatedAt > time)],
  ['multipleUsersOrSingleTeamOwnership', isPeopleOrOneTeam],
  ['filterReferenceByType', having('type', null)],
  ['filterTagsBySource', having('source', 'Classification')],
  ['tableColumnValues', pluckAll],
  ['contains', isIn],
];
