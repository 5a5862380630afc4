import { isObject, type Json, type JsonObject } from '../../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../../model/json-parts.ts';
import { fqnPart } from '../../../model/name.ts';
import { type IssueCollector, invalidAt, joinPath } from '../issues.ts';
import { isSameText, omitEmpty } from '../json-parts.ts';
import type { DocumentLookup } from '../people.ts';
import { readColumnType } from './column-types.ts';

/**
 * Reads the schema of a document: selects the part about one entity, and reads its columns and quality rules
 * (odcs.md 1, 4, 5).
 */

/** The entity that a document is imported for, limited to what documents contain. */
export type ImportTarget = {
  readonly entityType: string;
  readonly name: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly fullyQualifiedName: string;
  /** The columns of the entity; empty when it has no schema. */
  readonly columns: readonly JsonObject[];
  readonly hasSchema: boolean;
  readonly domains: readonly string[];
  readonly dataProducts: readonly string[];
  readonly parentName?: string;
};

/** Finds a column by path, exactly or else in any letter case, and returns its path and the column. */
export type ColumnPathFinder = (path: string) => { readonly key: string; readonly column: JsonObject } | undefined;

/** Creates a finder over columns at every depth. */
export const createColumnPathFinder = (columns: readonly JsonObject[]): ColumnPathFinder => {
  const exact = new Map<string, JsonObject>();
  const folded = new Map<string, string>();
  const indexColumns = (list: readonly JsonObject[], parent: string): void => {
    for (const column of list) {
      const name = nonBlankText(column['name']);
      if (name === undefined) continue;
      const key = joinColumnPath(parent, name);
      exact.set(key, column);
      if (!folded.has(key.toLowerCase())) folded.set(key.toLowerCase(), key);
      indexColumns(jsonObjects(column['children']), key);
    }
  };
  indexColumns(columns, '');
  return (path) => {
    const key = exact.has(path) ? path : folded.get(path.toLowerCase());
    const column = key === undefined ? undefined : exact.get(key);
    return key === undefined || column === undefined ? undefined : { key, column };
  };
};

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
  const type = nonBlankText(item['logicalType']);
  if (isSameText(type, 'object') || isSameText(type, 'blob') || jsonObjects(item['properties']).length > 0) return true;
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

/** A property of a document and the column that the contract has for it. */
export type ImportedProperty = {
  readonly property: JsonObject;
  readonly column: JsonObject;
  /** The path of the column in the contract. */
  readonly key: string;
  /** The path of the property in the document. */
  readonly path: string;
  /** The path of the entity's column, in the entity's spelling, if it has one. */
  readonly entityKey?: string;
  readonly children: readonly ImportedProperty[];
};

export type ColumnReadContext = {
  readonly lookup: DocumentLookup;
  readonly issues: IssueCollector;
};

type ColumnLevel = {
  readonly path: string;
  readonly key: string;
  readonly entityKey?: string;
  /** The entity's columns at this level. */
  readonly columns: readonly JsonObject[];
};

/** Joins a column path; names with dots are quoted. */
export const joinColumnPath = (parent: string, name: string): string =>
  parent === '' ? fqnPart(name) : `${parent}.${fqnPart(name)}`;

/** Whether a property is computed from columns instead of stored in one. */
export const isMeasure = (property: JsonObject): boolean =>
  nonBlankText(property['name']) !== undefined && isSameText(nonBlankText(property['semanticType']), 'measure');

/** Whether a property is a column. Without a name it cannot be one. */
const isColumn = (property: JsonObject): boolean =>
  nonBlankText(property['name']) !== undefined && !isMeasure(property);

/** The properties of a list that are columns, with their indexes. */
export const namedProperties = (
  properties: Json,
): readonly { readonly property: JsonObject; readonly index: number }[] =>
  jsonItems(properties).flatMap((property, index) =>
    isColumn(jsonObject(property)) ? [{ property: jsonObject(property), index }] : [],
  );

/** Finds the nested fields of a property: its own, or those of its items. */
export const nestedFieldsOf = (
  property: JsonObject,
): { readonly within: 'properties' | 'items'; readonly list: Json } => {
  const own = property['properties'] ?? [];
  const inner = jsonObject(property['items'])['properties'] ?? [];
  return jsonObjects(own).length > 0 || jsonObjects(inner).length === 0
    ? { within: 'properties', list: own }
    : { within: 'items', list: inner };
};

/** The constraint of a property; the strongest when it has several. */
export const propertyConstraint = (property: JsonObject): string | undefined => {
  if (property['primaryKey'] === true) return 'PRIMARY_KEY';
  if (property['unique'] === true) return 'UNIQUE';
  return property['required'] === true ? 'NOT_NULL' : undefined;
};

const tagsOf = (property: JsonObject, { lookup }: ColumnReadContext): readonly JsonObject[] =>
  [...new Set(jsonTexts(property['tags']))].flatMap((tagFQN) => {
    const source = lookup.tag(tagFQN);
    return source === undefined ? [] : [{ tagFQN, source, labelType: 'Manual', state: 'Confirmed' }];
  });

/** Creates a finder of columns by exact name, or else in any letter case. */
const createNameFinder = (columns: readonly JsonObject[]): ((name: string | undefined) => JsonObject | undefined) => {
  const exact = new Map(columns.map((column) => [nonBlankText(column['name']), column]));
  const folded = new Map(columns.toReversed().map((column) => [nonBlankText(column['name'])?.toLowerCase(), column]));
  return (name) => (name === undefined ? undefined : (exact.get(name) ?? folded.get(name.toLowerCase())));
};

type ColumnMatch = { readonly name: string; readonly column?: JsonObject };

/** Matches properties to columns by name, or else by physical name, unless another property has that name. */
const matchColumns = (properties: readonly JsonObject[], columns: readonly JsonObject[]): readonly ColumnMatch[] => {
  const named = createNameFinder(columns);
  const byName = properties.map((property) => named(nonBlankText(property['name'])));
  const taken = new Set(byName);
  return properties.map((property, place): ColumnMatch => {
    const name = nonBlankText(property['name']) ?? '';
    const direct = byName[place];
    if (direct) return { name, column: direct };
    const physical = named(nonBlankText(property['physicalName']));
    if (physical === undefined || taken.has(physical)) return { name };
    taken.add(physical);
    return { name: nonBlankText(physical['name']) ?? name, column: physical };
  });
};

const reportMissingColumn = (name: string, path: string, level: ColumnLevel, issues: IssueCollector): void =>
  issues.add({
    severity: 'blocking',
    category: 'schema',
    field: name,
    path,
    message: `The entity has no column ${joinColumnPath(level.key, name)}`,
  });

const readProperty = (
  property: JsonObject,
  match: ColumnMatch,
  path: string,
  level: ColumnLevel,
  reading: ColumnReadContext,
): ImportedProperty => {
  const key = joinColumnPath(level.key, match.name);
  const entityName = nonBlankText(match.column?.['name']);
  const entityKey = entityName === undefined ? undefined : joinColumnPath(level.entityKey ?? '', entityName);
  const fields = nestedFieldsOf(property);
  const children = readProperties(
    fields.list,
    {
      path: joinPath(fields.within === 'items' ? joinPath(path, 'items') : path, 'properties'),
      key,
      ...(entityKey !== undefined && { entityKey }),
      columns: jsonObjects(match.column?.['children']),
    },
    reading,
  );
  const column = omitEmpty({
    name: match.name,
    displayName: nonBlankText(property['businessName']),
    ...readColumnType(property),
    description: nonBlankText(property['description']),
    constraint: propertyConstraint(property),
    tags: tagsOf(property, reading),
    children: children.map((child) => child.column),
  });
  return { property, column, key, path, ...(entityKey !== undefined && { entityKey }), children };
};

/** Reads the columns that a list of properties describes. */
export const readProperties = (
  properties: Json,
  level: ColumnLevel,
  reading: ColumnReadContext,
): readonly ImportedProperty[] => {
  const listed = namedProperties(properties);
  const found = matchColumns(
    listed.map(({ property }) => property),
    level.columns,
  );
  return listed.map(({ property, index }, place) => {
    const match = found[place] ?? { name: '' };
    const path = joinPath(level.path, index);
    if (match.column === undefined) reportMissingColumn(match.name, path, level, reading.issues);
    return readProperty(property, match, path, level, reading);
  });
};

/** Yields all imported properties, parents before their fields. */
export function* walkProperties(read: readonly ImportedProperty[]): Generator<ImportedProperty> {
  for (const one of read) {
    yield one;
    yield* walkProperties(one.children);
  }
}

// The quality rules of the root, the object and the columns.

/** The list that contains a rule: at the root, of the object, or of a column. */
export type RuleLocation = 'root' | 'object' | { readonly column: string };

export type ImportedRule = {
  /** The rule as the contract stores it. */
  readonly rule: JsonObject;
  /** The rule as the document contains it. */
  readonly source: JsonObject;
  readonly home: RuleLocation;
  readonly path: string;
};

/** Builds the stored form of a rule, in which the implementation is text. */
const toStoredRule = (rule: JsonObject, column: string | undefined): JsonObject => {
  const { implementation } = rule;
  return {
    ...rule,
    ...(isObject(implementation) && { implementation: JSON.stringify(implementation) }),
    ...(column !== undefined && { column }),
  };
};

const readRuleList = (list: Json | undefined, home: RuleLocation, path: string): readonly ImportedRule[] => {
  const column = typeof home === 'string' ? undefined : home.column;
  return jsonObjects(list).map((source, index) => ({
    rule: toStoredRule(source, column),
    source,
    home,
    path: joinPath(joinPath(path, 'quality'), index),
  }));
};

/** Reads all rules of the selected part of a document: root, object, then columns. */
export const readQualityRules = (
  document: JsonObject,
  selected: SelectedObject,
  read: readonly ImportedProperty[],
): readonly ImportedRule[] => [
  ...readRuleList(document['quality'], 'root', ''),
  ...readRuleList(selected.object?.['quality'], 'object', selected.path),
  ...[...walkProperties(read)].flatMap(({ property, key, path }) =>
    readRuleList(property['quality'], { column: key }, path),
  ),
];

/**
 * The column of a stored rule. Some rules name the object there, which means no column unless a column has that name.
 */
export const ruleColumnOf = (
  rule: JsonObject,
  objectNames: readonly (string | undefined)[],
  isColumn: (name: string) => boolean,
): string | undefined => {
  const column = nonBlankText(rule['column']);
  if (column === undefined || isColumn(column)) return column;
  return objectNames.some((name) => isSameText(column, name)) ? undefined : column;
};
