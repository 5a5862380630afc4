import type { Json, JsonObject } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import type { IssueCollector } from './issue.ts';
import { jsonItems, jsonObject, jsonTexts, nonBlankText, omitEmpty } from './parts.ts';
import type { DocumentLookup } from './people.ts';
import { joinPath } from './problem.ts';
import { readColumnType } from './types.ts';
import { jsonObjects } from './walk.ts';

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

/** The properties of a list that have a name, with their indexes. Others cannot be columns. */
export const namedProperties = (
  properties: Json,
): readonly { readonly property: JsonObject; readonly index: number }[] =>
  jsonItems(properties).flatMap((property, index) =>
    nonBlankText(jsonObject(property)['name']) === undefined ? [] : [{ property: jsonObject(property), index }],
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
