import { isMembers, isReference, type Members, textAt } from '../../api/members.ts';

/** What differs between two states of a record, down to the members of its columns and labels. */

export type Difference = {
  readonly change: 'added' | 'removed' | 'changed' | 'renamed';
  /** Names of members and items on the way to what differs. */
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
};

/** Members that say when and by whom a state was made, and addresses that follow from other members. */
const ABOUT_THE_STATE: ReadonlySet<string> = new Set([
  'appliedAt',
  'appliedBy',
  'changeDescription',
  'followers',
  'fullyQualifiedName',
  'href',
  'impersonatedBy',
  'incrementalChangeDescription',
  'ordinalPosition',
  'sourceHash',
  'updatedAt',
  'updatedBy',
  'usageSummary',
  'version',
  'votes',
]);

const keyOf = (item: unknown): string | undefined =>
  isReference(item)
    ? item.id
    : (textAt(item, 'tagFQN') ?? textAt(item, 'name') ?? textAt(item, 'ruleName') ?? textAt(item, 'id'));

const nameOf = (item: unknown, key: string): string =>
  isReference(item) ? (textAt(item, 'fullyQualifiedName') ?? textAt(item, 'name') ?? key) : key;

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

const isSame = (before: unknown, after: unknown): boolean =>
  (isEmpty(before) && isEmpty(after)) || JSON.stringify(before) === JSON.stringify(after);

const one = (path: readonly string[], before: unknown, after: unknown): Difference => ({
  change: isEmpty(before) ? 'added' : isEmpty(after) ? 'removed' : 'changed',
  path,
  before,
  after,
});

const indexItems = (list: readonly unknown[]): ReadonlyMap<string, unknown> | undefined => {
  const pairs = list.map((item) => [keyOf(item), item] as const);
  const items = new Map(pairs.flatMap(([key, item]) => (key === undefined ? [] : [[key, item] as const])));
  return items.size === list.length ? items : undefined;
};

/** Members of an item that follow from its name and its place. */
const OF_THE_NAME: ReadonlySet<string> = new Set(['name', 'displayName', 'fullyQualifiedName', 'ordinalPosition']);

/** What an item is apart from its name; the names of what is in it belong to it. */
const bodyOf = (item: Members): string =>
  JSON.stringify(
    Object.entries(item)
      .filter(([name, value]) => !OF_THE_NAME.has(name) && !isEmpty(value))
      .sort(([one], [other]) => one.localeCompare(other)),
    (name, value: unknown) => (name === 'fullyQualifiedName' ? undefined : value),
  );

type Renamed = { readonly was: string; readonly is: string };

/** An item that stands where another stood, when neither is anywhere in the other list and only the name differs. */
const readRenamed = (was: unknown, is: unknown, keepsOrder: boolean): readonly Renamed[] => {
  const [formerly, now] = [textAt(was, 'name'), textAt(is, 'name')];
  if (!isMembers(was) || !isMembers(is) || formerly === undefined || now === undefined) return [];
  const isTelling = keepsOrder || textAt(was, 'description') !== undefined;
  return isTelling && textAt(was, 'dataType') !== undefined && bodyOf(was) === bodyOf(is)
    ? [{ was: formerly, is: now }]
    : [];
};

/**
 * The columns and fields that were renamed. Records tell of one that went and one that came; when it has the place, the type
 * and the texts of the former, people see a new name. Without a text, all others must have kept their places as well.
 */
const findRenamed = (before: readonly unknown[], after: readonly unknown[]): readonly Renamed[] => {
  const namesOf = (list: readonly unknown[]) => list.map((item) => textAt(item, 'name'));
  const [old, fresh] = [namesOf(before), namesOf(after)];
  const [oldSet, freshSet] = [new Set(old), new Set(fresh)];
  const keepsOrder = old.every((name, at) => !freshSet.has(name) || fresh[at] === name);
  return before.flatMap((was, at) =>
    freshSet.has(old[at]) || oldSet.has(fresh[at]) ? [] : readRenamed(was, after[at], keepsOrder),
  );
};

const diffLists = (
  path: readonly string[],
  before: readonly unknown[],
  after: readonly unknown[],
): readonly Difference[] => {
  const [old, fresh] = [indexItems(before), indexItems(after)];
  if (old === undefined || fresh === undefined) return isSame(before, after) ? [] : [one(path, before, after)];
  const renamed = findRenamed(before, after);
  const settled = new Set(renamed.flatMap(({ was, is }) => [was, is]));
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].filter((key) => !settled.has(key));
  return [
    ...renamed.map(({ was, is }): Difference => ({ change: 'renamed', path: [...path, is], before: was, after: is })),
    ...keys.flatMap((key) =>
      diffValues([...path, nameOf(old.get(key) ?? fresh.get(key), key)], old.get(key), fresh.get(key)),
    ),
  ];
};

const diffMembers = (path: readonly string[], before: Members, after: Members): readonly Difference[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((name) => !ABOUT_THE_STATE.has(name))
    .flatMap((name) => diffValues([...path, name], before[name], after[name]));

const diffValues = (path: readonly string[], before: unknown, after: unknown): readonly Difference[] => {
  if (isSame(before, after)) return [];
  // A record that is referred to may have changed its own members, which is no change of this one.
  if (isReference(before) && isReference(after)) return before.id === after.id ? [] : [one(path, before, after)];
  if (isMembers(before) && isMembers(after)) return diffMembers(path, before, after);
  const lists = [before ?? [], after ?? []];
  if (lists.every(Array.isArray) && (Array.isArray(before) || Array.isArray(after)))
    return diffLists(path, lists[0] as readonly unknown[], lists[1] as readonly unknown[]);
  return [one(path, before, after)];
};

export const diffRecords = (before: unknown, after: unknown): readonly Difference[] =>
  isMembers(before) && isMembers(after) ? diffMembers([], before, after) : [];
