import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { itemsOf, sameText, spoken } from './parts.ts';
import { invalid } from './problem.ts';
import { objectsOf } from './walk.ts';

/** Which part of a document is told to the contract of one entity (odcs.md 1). */

/** Words for what holds data, which some documents say instead of that they mean an object. */
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
  if (sameText(spoken(item['logicalType']), 'object') || objectsOf(item['properties']).length > 0) return true;
  // A materialized view and an external table are told by their last word.
  const word = spoken(item['physicalType'])?.trim().toLowerCase().split(/\s/).at(-1) ?? '';
  return item['logicalType'] === undefined && CONTAINERS.has(word);
};

type Place = { readonly index: number; readonly item: JsonObject };

const placesOf = (document: JsonObject): readonly Place[] =>
  itemsOf(document['schema']).flatMap((item, index) => (isObject(item) ? [{ index, item }] : []));

const objectPlaces = (document: JsonObject): readonly Place[] =>
  placesOf(document).filter(({ item }) => isObjectItem(item));

const nameOf = ({ item }: Place): string | undefined => spoken(item['name']);

/** The names of the objects a document describes, in its order. */
export const objectNames = (document: JsonObject): readonly string[] =>
  objectPlaces(document).flatMap((place) => nameOf(place) ?? []);

/** The part of a document that is about one entity: an object, or in the oldest form its items, which are the columns. */
export type Selected = {
  readonly object?: JsonObject;
  /** The name of the object, by which it is found again. */
  readonly name?: string;
  /** Where in the document the columns stand, and what stands there. */
  readonly path: string;
  readonly index?: number;
  readonly properties: Json;
};

const chosen = ({ index, item }: Place): Selected => {
  const name = spoken(item['name']);
  return {
    object: item,
    ...(name !== undefined && { name }),
    index,
    path: `schema[${index}]`,
    properties: item['properties'] ?? [],
  };
};

const byName = (places: readonly Place[], name: string): Place | undefined =>
  places.find((place) => nameOf(place) === name) ?? places.find((place) => sameText(nameOf(place), name));

const ofEntity = (places: readonly Place[], entityName: string): Place | undefined =>
  byName(places, entityName) ?? places.find(({ item }) => sameText(spoken(item['physicalName']), entityName));

type Wish = { readonly entityName: string; readonly objectName?: string; readonly issues?: IssueCollector };

/**
 * The object of that name; else the one named like the entity; else the only one; else the first, which is worth a
 * warning. Throws bad_request when an object is asked for that is not there.
 */
export const selectObject = (document: JsonObject, { entityName, objectName, issues }: Wish): Selected => {
  const places = objectPlaces(document);
  if (objectName !== undefined) {
    const named = byName(places, objectName);
    if (named) return chosen(named);
    const available = objectNames(document).join(', ') || 'none';
    throw invalid('schema', `schema object '${objectName}' not found, available: ${available}`);
  }
  const [first] = places;
  if (first === undefined) return { path: 'schema', properties: document['schema'] ?? [] };
  const found = ofEntity(places, entityName);
  if (found === undefined && places.length > 1) {
    issues?.add({
      severity: 'warning',
      category: 'schema',
      field: 'schema',
      path: `schema[${first.index}]`,
      message: `No schema object is named ${entityName}: the first of ${places.length} is taken`,
    });
  }
  return chosen(found ?? first);
};

/** Tells of the objects that are about other entities, which are kept with the document. */
export const noteOthers = (document: JsonObject, selected: Selected, issues: IssueCollector): void => {
  for (const { index } of objectPlaces(document)) {
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
