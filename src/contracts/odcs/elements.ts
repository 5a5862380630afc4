import type { Json, JsonObject } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { type ImportedProperty, walkProperties } from './columns-in.ts';
import { jsonObject, jsonTexts, nonBlankText, omitEmpty } from './parts.ts';
import type { SelectedObject } from './select.ts';
import { jsonObjects } from './walk.ts';

/** Reads definitions and sources of a document and its elements as the contract stores them (odcs.md 3). */

/** Looks up the definitions and sources of one element. */
export type ElementLookup = (key: string) => JsonObject;

/** Reads the two members of an element. Lists with any other content stay only in the document. */
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

/** Reads the definitions of a document and its elements: those of the root, then of the object, then of the columns. */
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
    : // Records drop nulls, so a null in a document is not a difference.
      jsonObject(
        dropNulls(
          omitEmpty({
            authoritativeDefinitions: item['authoritativeDefinitions'],
            transformSourceObjects: item['transformSourceObjects'],
          }),
        ),
      );

/**
 * Groups the elements of a contract by name. An object and one of its columns may share a name, and then the object
 * comes first; `isObjectSilent` means that a single one belongs to the column.
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
