import type { Json, JsonObject } from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import type { IssueCollector } from './issue.ts';
import { compact, itemsOf, objectOf, spoken, textsIn } from './parts.ts';
import type { Lookup } from './people.ts';
import { at } from './problem.ts';
import { typeOf } from './types.ts';
import { objectsOf } from './walk.ts';

/** One property of a document and the column a contract has for it. */
export type PropertyRead = {
  readonly property: JsonObject;
  readonly column: JsonObject;
  /** The names that lead to the column in the contract, as one path. */
  readonly key: string;
  /** Where the property stands in the document. */
  readonly path: string;
  /** The column of the entity, in its own spelling, if it has one. */
  readonly entityKey?: string;
  readonly children: readonly PropertyRead[];
};

export type Reading = {
  readonly lookup: Lookup;
  readonly issues: IssueCollector;
};

type Level = {
  readonly path: string;
  readonly key: string;
  readonly entityKey?: string;
  /** What the entity has at this level. */
  readonly columns: readonly JsonObject[];
};

/** A path of columns; names with dots are quoted as everywhere. */
export const joinKey = (parent: string, name: string): string =>
  parent === '' ? fqnPart(name) : `${parent}.${fqnPart(name)}`;

/** The properties of a list that have a name, with their places; others are no columns. */
export const namedProperties = (
  properties: Json,
): readonly { readonly property: JsonObject; readonly index: number }[] =>
  itemsOf(properties).flatMap((property, index) =>
    spoken(objectOf(property)['name']) === undefined ? [] : [{ property: objectOf(property), index }],
  );

/** Where the fields of a property are told: its own, or those of its items. */
export const fieldsOf = (property: JsonObject): { readonly within: 'properties' | 'items'; readonly list: Json } => {
  const own = property['properties'] ?? [];
  const inner = objectOf(property['items'])['properties'] ?? [];
  return objectsOf(own).length > 0 || objectsOf(inner).length === 0
    ? { within: 'properties', list: own }
    : { within: 'items', list: inner };
};

/** The constraint of a property: of several that it has, the strongest. */
export const constraintOf = (property: JsonObject): string | undefined => {
  if (property['primaryKey'] === true) return 'PRIMARY_KEY';
  if (property['unique'] === true) return 'UNIQUE';
  return property['required'] === true ? 'NOT_NULL' : undefined;
};

const tagsOf = (property: JsonObject, { lookup }: Reading): readonly JsonObject[] =>
  [...new Set(textsIn(property['tags']))].flatMap((tagFQN) => {
    const source = lookup.tag(tagFQN);
    return source === undefined ? [] : [{ tagFQN, source, labelType: 'Manual', state: 'Confirmed' }];
  });

/** Finds a column by its name: as it is spelled, else in any case. */
const nameFinder = (columns: readonly JsonObject[]): ((name: string | undefined) => JsonObject | undefined) => {
  const exact = new Map(columns.map((column) => [spoken(column['name']), column]));
  const folded = new Map(columns.toReversed().map((column) => [spoken(column['name'])?.toLowerCase(), column]));
  return (name) => (name === undefined ? undefined : (exact.get(name) ?? folded.get(name.toLowerCase())));
};

type Match = { readonly name: string; readonly column?: JsonObject };

/** The columns that properties mean: by name, else by physical name, unless another property has that for its name. */
const matches = (properties: readonly JsonObject[], columns: readonly JsonObject[]): readonly Match[] => {
  const named = nameFinder(columns);
  const byName = properties.map((property) => named(spoken(property['name'])));
  const taken = new Set(byName);
  return properties.map((property, place): Match => {
    const name = spoken(property['name']) ?? '';
    const direct = byName[place];
    if (direct) return { name, column: direct };
    const physical = named(spoken(property['physicalName']));
    if (physical === undefined || taken.has(physical)) return { name };
    taken.add(physical);
    return { name: spoken(physical['name']) ?? name, column: physical };
  });
};

const noteMissing = (name: string, path: string, level: Level, issues: IssueCollector): void =>
  issues.add({
    severity: 'blocking',
    category: 'schema',
    field: name,
    path,
    message: `The entity has no column ${joinKey(level.key, name)}`,
  });

const readProperty = (
  property: JsonObject,
  match: Match,
  path: string,
  level: Level,
  reading: Reading,
): PropertyRead => {
  const key = joinKey(level.key, match.name);
  const entityName = spoken(match.column?.['name']);
  const entityKey = entityName === undefined ? undefined : joinKey(level.entityKey ?? '', entityName);
  const fields = fieldsOf(property);
  const children = readProperties(
    fields.list,
    {
      path: at(fields.within === 'items' ? at(path, 'items') : path, 'properties'),
      key,
      ...(entityKey !== undefined && { entityKey }),
      columns: objectsOf(match.column?.['children']),
    },
    reading,
  );
  const column = compact({
    name: match.name,
    displayName: spoken(property['businessName']),
    ...typeOf(property),
    description: spoken(property['description']),
    constraint: constraintOf(property),
    tags: tagsOf(property, reading),
    children: children.map((child) => child.column),
  });
  return { property, column, key, path, ...(entityKey !== undefined && { entityKey }), children };
};

/** The columns that a list of properties describes. */
export const readProperties = (properties: Json, level: Level, reading: Reading): readonly PropertyRead[] => {
  const listed = namedProperties(properties);
  const found = matches(
    listed.map(({ property }) => property),
    level.columns,
  );
  return listed.map(({ property, index }, place) => {
    const match = found[place] ?? { name: '' };
    const path = at(level.path, index);
    if (match.column === undefined) noteMissing(match.name, path, level, reading.issues);
    return readProperty(property, match, path, level, reading);
  });
};

/** All properties of a reading, fields after what they are fields of. */
export function* everyProperty(read: readonly PropertyRead[]): Generator<PropertyRead> {
  for (const one of read) {
    yield one;
    yield* everyProperty(one.children);
  }
}
