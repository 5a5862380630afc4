import type { Json, JsonObject } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { type ImportedProperty, walkProperties } from './columns-in.ts';
import { jsonObject, jsonTexts, nonBlankText, omitEmpty } from './parts.ts';
import type { SelectedObject } from './select.ts';
import { jsonObjects } from './walk.ts';

/** Definitions and sources of what a document describes, as a contract lists them (odcs.md 3). */

/** The two members of one element, or none. */
export type ElementLookup = (key: string) => JsonObject;

/** Lists that hold anything else stay with the document alone. */
const elementMembersOf = (item: JsonObject, isRoot = false): JsonObject => {
  const [definitions, sources] = [item['authoritativeDefinitions'], item['transformSourceObjects']];
  return omitEmpty({
    authoritativeDefinitions: isCompleteList(definitions, jsonObjects(definitions)) ? definitions : undefined,
    transformSourceObjects: !isRoot && isCompleteList(sources, jsonTexts(sources)) ? sources : undefined,
  });
};

const isCompleteList = (list: Json | undefined, items: readonly Json[]): boolean =>
  Array.isArray(list) && list.length > 0 && list.length === items.length;

const toElementItem = (element: string | undefined, item: JsonObject): readonly JsonObject[] => {
  const members = elementMembersOf(item, element === undefined);
  return Object.keys(members).length === 0 ? [] : [omitEmpty({ element, ...members })];
};

/** What a document says of where it and its elements are defined: its own words, then the object's, then the columns'. */
export const readElements = (
  document: JsonObject,
  selected: SelectedObject,
  read: readonly ImportedProperty[],
): readonly JsonObject[] => [
  ...toElementItem(undefined, document),
  ...(selected.object && selected.name !== undefined ? toElementItem(selected.name, selected.object) : []),
  ...[...walkProperties(read)].flatMap(({ key, property }) => toElementItem(key, property)),
];

export type ElementExtensions = {
  readonly root: JsonObject;
  readonly object: JsonObject;
  readonly column: ElementLookup;
};

const readElementMembers = (item: JsonObject | undefined): JsonObject =>
  item === undefined
    ? {}
    : // Records drop what is null, so a null that a document has is no difference.
      jsonObject(
        dropNulls(
          omitEmpty({
            authoritativeDefinitions: item['authoritativeDefinitions'],
            transformSourceObjects: item['transformSourceObjects'],
          }),
        ),
      );

/**
 * The elements of a contract by what they are about. An object and one of its columns may have one name: the object
 * comes first then; `isObjectSilent` says that the only one is the column's.
 */
export const groupElements = (
  contract: JsonObject,
  objectName: string | undefined,
  isObjectSilent = false,
): ElementExtensions => {
  const items = jsonObjects(contract['odcsElementExtensions']);
  const root = items.find((item) => nonBlankText(item['element']) === undefined);
  const namesakes = items.filter((item) => nonBlankText(item['element']) === objectName && objectName !== undefined);
  const object = isObjectSilent && namesakes.length === 1 ? undefined : namesakes[0];
  const columns = new Map<string, JsonObject>();
  for (const item of items) {
    const element = nonBlankText(item['element']);
    if (element !== undefined && item !== object) columns.set(element, item);
  }
  return {
    root: readElementMembers(root),
    object: readElementMembers(object),
    column: (key) => readElementMembers(columns.get(key)),
  };
};
