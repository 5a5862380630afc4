import { flattenItems, type Item, itemPathsOf, KINDS_WITH_ITEMS, readItemSets } from './items.ts';

/** The columns and fields that carry a tag or term. The API lists whole assets by their tags, and its search finds the others. */

/** An item of an asset, such as a column of a table. */
export type LabelledItem = { readonly type: string; readonly assetFqn: string; readonly assetName: string } & Pick<
  Item,
  'name' | 'fqn' | 'pointer' | 'path'
>;

export type LabelledSource = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName?: string;
  readonly fullyQualifiedName: string;
};

/** Items that stand deeper in others are not looked through. */
const DEEPEST = 6;

const BELOW = Array.from({ length: DEEPEST }, (_, depth) => '.children'.repeat(depth));

const PATHS = [...new Set(KINDS_WITH_ITEMS.flatMap(itemPathsOf))];

/** The filter of a search for assets of which an item carries the label. */
export const filterByItemLabel = (label: string): string =>
  JSON.stringify({
    query: {
      bool: {
        should: PATHS.flatMap((path) => BELOW.map((below) => ({ term: { [`${path}${below}.tags.tagFQN`]: label } }))),
      },
    },
  });

/** What is read of the found assets: of a table with thousands of columns not all that is known of each. */
export const ITEM_SOURCE_FIELDS = [
  'entityType,name,displayName,fullyQualifiedName',
  ...PATHS.flatMap((path) =>
    ['name', 'displayName', 'fullyQualifiedName', 'tags.tagFQN', 'children'].map((member) => `${path}.${member}`),
  ),
].join(',');

/** The items of one found asset that carry the label themselves. */
export const labelledItemsOf = (source: LabelledSource, label: string): readonly LabelledItem[] => {
  const { entityType: type, fullyQualifiedName: assetFqn } = source;
  return readItemSets(type, source)
    .flatMap(({ items }) => flattenItems(items))
    .filter(({ tags }) => tags.some(({ tagFQN }) => tagFQN === label))
    .map(({ name, fqn, pointer, path }) => ({
      type,
      assetFqn,
      assetName: source.displayName || source.name,
      name,
      fqn,
      pointer,
      path,
    }));
};
