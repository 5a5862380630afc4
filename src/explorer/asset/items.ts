import { isMembers, listAt, type Members, membersAt, textAt } from '../api/members.ts';
import type { Schemas } from '../api/types.ts';

/** The named parts of a record: columns of a table, fields of a topic, features of a model, tasks of a pipeline. */

export type Item = {
  readonly name: string;
  readonly displayName: string | undefined;
  readonly fqn: string | undefined;
  readonly dataType: string;
  readonly constraint: string | undefined;
  readonly description: string | undefined;
  readonly tags: readonly Schemas['TagLabel'][];
  readonly children: readonly Item[];
  /** Where the item stands in its record, as a JSON pointer. */
  readonly pointer: string;
  /** The names of the items above it, and its own. */
  readonly path: readonly string[];
  readonly members: Members;
};

export type ItemSet = { readonly title: string; readonly one: string; readonly items: readonly Item[] };

type Source = { readonly title: string; readonly one: string; readonly at: readonly string[] };

const COLUMNS: Source = { title: 'Columns', one: 'column', at: ['columns'] };

/** Where the kinds have their items. */
const SOURCES: ReadonlyMap<string, readonly Source[]> = new Map(
  Object.entries({
    table: [COLUMNS],
    dashboardDataModel: [COLUMNS],
    file: [COLUMNS],
    container: [{ ...COLUMNS, at: ['dataModel', 'columns'] }],
    topic: [{ title: 'Fields', one: 'field', at: ['messageSchema', 'schemaFields'] }],
    searchIndex: [{ title: 'Fields', one: 'field', at: ['fields'] }],
    apiEndpoint: [
      { title: 'Fields of the request', one: 'field', at: ['requestSchema', 'schemaFields'] },
      { title: 'Fields of the response', one: 'field', at: ['responseSchema', 'schemaFields'] },
    ],
    mlmodel: [{ title: 'Features', one: 'feature', at: ['mlFeatures'] }],
    pipeline: [{ title: 'Tasks', one: 'task', at: ['tasks'] }],
  }),
);

const readType = (members: Members): string =>
  textAt(members, 'dataTypeDisplay') ?? textAt(members, 'dataType') ?? textAt(members, 'taskType') ?? '';

const readItems = (list: readonly unknown[], pointer: string, path: readonly string[]): readonly Item[] =>
  list.flatMap((members, index) => {
    if (!isMembers(members)) return [];
    const name = textAt(members, 'name') ?? '';
    const own = { pointer: `${pointer}/${index}`, path: [...path, name] };
    return [
      {
        ...own,
        name,
        displayName: textAt(members, 'displayName'),
        fqn: textAt(members, 'fullyQualifiedName'),
        dataType: readType(members),
        constraint: textAt(members, 'constraint'),
        description: textAt(members, 'description'),
        tags: listAt(members, 'tags') as readonly Schemas['TagLabel'][],
        children: readItems(listAt(members, 'children'), `${own.pointer}/children`, own.path),
        members,
      },
    ];
  });

const readSet = (asset: unknown, { title, one, at }: Source): ItemSet => {
  const holder = at.slice(0, -1).reduce<unknown>((value, name) => membersAt(value, name), asset);
  return { title, one, items: readItems(listAt(holder, at.at(-1) ?? ''), `/${at.join('/')}`, []) };
};

/** The items of a record, in as many sets as its kind has; empty sets are left out. */
export const readItemSets = (type: string, asset: unknown): readonly ItemSet[] =>
  (SOURCES.get(type) ?? []).map((source) => readSet(asset, source)).filter(({ items }) => items.length > 0);

export const KINDS_WITH_ITEMS: readonly string[] = [...SOURCES.keys()];

/** The paths of members at which records of a kind have items. */
export const itemPathsOf = (type: string): readonly string[] => (SOURCES.get(type) ?? []).map(({ at }) => at.join('.'));

/** The members of a kind in which its items stand, so that nothing else shows them again. */
export const itemMembersOf = (type: string): readonly string[] =>
  (SOURCES.get(type) ?? []).flatMap(({ at }) => at.slice(0, 1));

export const flattenItems = (items: readonly Item[]): readonly Item[] =>
  items.flatMap((item) => [item, ...flattenItems(item.children)]);

export const countItems = (items: readonly Item[]): number =>
  items.reduce((count, { children }) => count + 1 + countItems(children), 0);

/** Finds an item by where it stood and its names; its index may have changed since. */
export const findItem = (type: string, asset: unknown, wanted: Pick<Item, 'pointer' | 'path'>): Item | undefined => {
  const setOf = ({ pointer, path }: Pick<Item, 'pointer' | 'path'>): string =>
    pointer
      .split('/')
      .slice(0, -(2 * path.length - 1))
      .join('/');
  return readItemSets(type, asset)
    .flatMap(({ items }) => flattenItems(items))
    .find((item) => item.path.join('\n') === wanted.path.join('\n') && setOf(item) === setOf(wanted));
};

export type ItemRow = { readonly item: Item; readonly depth: number; readonly isOpen: boolean };

const matches = ({ name, displayName, description }: Item, words: string): boolean =>
  [name, displayName, description].some((text) => text?.toLowerCase().includes(words));

/** The rows that a list of items shows: the children of those that are open or, of a search, the ways to all matches. */
export const rowsOf = (
  items: readonly Item[],
  open: ReadonlySet<string>,
  wanted: string,
  depth = 0,
): readonly ItemRow[] => {
  const words = wanted.trim().toLowerCase();
  return items.flatMap((item) => {
    const isOpen = words !== '' || open.has(item.pointer);
    const below = isOpen ? rowsOf(item.children, open, wanted, depth + 1) : [];
    const isShown = words === '' || matches(item, words) || below.length > 0;
    return isShown ? [{ item, depth, isOpen }, ...below] : [];
  });
};
