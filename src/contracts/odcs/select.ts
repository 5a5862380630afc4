import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { isSameText, jsonItems, nonBlankText } from './parts.ts';
import { invalidAt } from './problem.ts';
import { jsonObjects } from './walk.ts';

/** Selects the part of a document that is about one entity (odcs.md 1). */

/** Physical types of objects, which some documents give instead of a logical type. */
const CONTAINERS: ReadonlySet<string> = new Set([
  'table',
  'view',
  'topic',
  'file',
  'endpoint',
  'dataset',
  'collection',
]);

const isObjectItem = (item: JsonObject): boolean => {
  if (isSameText(nonBlankText(item['logicalType']), 'object') || jsonObjects(item['properties']).length > 0)
    return true;
  // The last word of types such as `materialized view` and `external table` identifies them.
  const word = nonBlankText(item['physicalType'])?.trim().toLowerCase().split(/\s/).at(-1) ?? '';
  return item['logicalType'] === undefined && CONTAINERS.has(word);
};

type SchemaItem = { readonly index: number; readonly item: JsonObject };

const schemaItemsOf = (document: JsonObject): readonly SchemaItem[] =>
  jsonItems(document['schema']).flatMap((item, index) => (isObject(item) ? [{ index, item }] : []));

const objectItemsOf = (document: JsonObject): readonly SchemaItem[] =>
  schemaItemsOf(document).filter(({ item }) => isObjectItem(item));

const nameOf = ({ item }: SchemaItem): string | undefined => nonBlankText(item['name']);

/** The names of a document's schema objects, in order. */
export const schemaObjectNames = (document: JsonObject): readonly string[] =>
  objectItemsOf(document).flatMap((place) => nameOf(place) ?? []);

/**
 * The part of a document that is about one entity: a schema object, or in the oldest form the schema items, which are
 * bare columns.
 */
export type SelectedObject = {
  readonly object?: JsonObject;
  /** The name of the object, for finding it again. */
  readonly name?: string;
  /** The path of the columns in the document, and the columns. */
  readonly path: string;
  readonly index?: number;
  readonly properties: Json;
};

const toSelected = ({ index, item }: SchemaItem): SelectedObject => {
  const name = nonBlankText(item['name']);
  return {
    object: item,
    ...(name !== undefined && { name }),
    index,
    path: `schema[${index}]`,
    properties: item['properties'] ?? [],
  };
};

const findByName = (items: readonly SchemaItem[], name: string): SchemaItem | undefined =>
  items.find((place) => nameOf(place) === name) ?? items.find((place) => isSameText(nameOf(place), name));

const findForEntity = (items: readonly SchemaItem[], entityName: string): SchemaItem | undefined =>
  findByName(items, entityName) ?? items.find(({ item }) => isSameText(nonBlankText(item['physicalName']), entityName));

type SelectionOptions = { readonly entityName: string; readonly objectName?: string; readonly issues?: IssueCollector };

/**
 * Selects the object with the requested name, or else the one named like the entity, or else the only one, or else
 * the first with a warning. Throws bad_request when the requested object does not exist.
 */
export const selectSchemaObject = (
  document: JsonObject,
  { entityName, objectName, issues }: SelectionOptions,
): SelectedObject => {
  const places = objectItemsOf(document);
  if (objectName !== undefined) {
    const named = findByName(places, objectName);
    if (named) return toSelected(named);
    const available = schemaObjectNames(document).join(', ') || 'none';
    throw invalidAt('schema', `schema object '${objectName}' not found, available: ${available}`);
  }
  const [first] = places;
  if (first === undefined) return { path: 'schema', properties: document['schema'] ?? [] };
  const found = findForEntity(places, entityName);
  if (found === undefined && places.length > 1) {
    issues?.add({
      severity: 'warning',
      category: 'schema',
      field: 'schema',
      path: `schema[${first.index}]`,
      message: `No schema object is named ${entityName}: the first of ${places.length} is taken`,
    });
  }
  return toSelected(found ?? first);
};

/** Reports the objects about other entities, which are kept only in the document. */
export const reportOtherObjects = (document: JsonObject, selected: SelectedObject, issues: IssueCollector): void => {
  for (const { index } of objectItemsOf(document)) {
    if (index === selected.index) continue;
    issues.add({
      severity: 'info',
      category: 'schema',
      field: 'schema',
      path: `schema[${index}]`,
      message: 'This schema object describes another entity: it is kept with the document',
    });
  }
};
