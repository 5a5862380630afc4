import type { Json, JsonObject } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { everyProperty, type PropertyRead } from './columns-in.ts';
import { compact, objectOf, spoken, textsIn } from './parts.ts';
import type { Selected } from './select.ts';
import { objectsOf } from './walk.ts';

/** Definitions and sources of what a document describes, as a contract lists them (odcs.md 3). */

/** The two members of one element, or none. */
export type ElementsOf = (key: string) => JsonObject;

/** Lists that hold anything else stay with the document alone. */
const extensionsOf = (item: JsonObject, isRoot = false): JsonObject => {
  const [definitions, sources] = [item['authoritativeDefinitions'], item['transformSourceObjects']];
  return compact({
    authoritativeDefinitions: isWhole(definitions, objectsOf(definitions)) ? definitions : undefined,
    transformSourceObjects: !isRoot && isWhole(sources, textsIn(sources)) ? sources : undefined,
  });
};

const isWhole = (list: Json | undefined, items: readonly Json[]): boolean =>
  Array.isArray(list) && list.length > 0 && list.length === items.length;

const itemFor = (element: string | undefined, item: JsonObject): readonly JsonObject[] => {
  const members = extensionsOf(item, element === undefined);
  return Object.keys(members).length === 0 ? [] : [compact({ element, ...members })];
};

/** What a document says of where it and its elements are defined: its own words, then the object's, then the columns'. */
export const readElements = (
  document: JsonObject,
  selected: Selected,
  read: readonly PropertyRead[],
): readonly JsonObject[] => [
  ...itemFor(undefined, document),
  ...(selected.object && selected.name !== undefined ? itemFor(selected.name, selected.object) : []),
  ...[...everyProperty(read)].flatMap(({ key, property }) => itemFor(key, property)),
];

export type Elements = {
  readonly root: JsonObject;
  readonly object: JsonObject;
  readonly column: ElementsOf;
};

const membersOf = (item: JsonObject | undefined): JsonObject =>
  item === undefined
    ? {}
    : // Records drop what is null, so a null that a document has is no difference.
      objectOf(
        dropNulls(
          compact({
            authoritativeDefinitions: item['authoritativeDefinitions'],
            transformSourceObjects: item['transformSourceObjects'],
          }),
        ),
      );

/**
 * The elements of a contract by what they are about. An object and one of its columns may have one name: the object
 * comes first then; `isObjectSilent` says that the only one is the column's.
 */
export const elementsBy = (contract: JsonObject, objectName: string | undefined, isObjectSilent = false): Elements => {
  const items = objectsOf(contract['odcsElementExtensions']);
  const root = items.find((item) => spoken(item['element']) === undefined);
  const namesakes = items.filter((item) => spoken(item['element']) === objectName && objectName !== undefined);
  const object = isObjectSilent && namesakes.length === 1 ? undefined : namesakes[0];
  const columns = new Map<string, JsonObject>();
  for (const item of items) {
    const element = spoken(item['element']);
    if (element !== undefined && item !== object) columns.set(element, item);
  }
  return { root: membersOf(root), object: membersOf(object), column: (key) => membersOf(columns.get(key)) };
};
