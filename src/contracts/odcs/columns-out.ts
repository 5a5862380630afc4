import { isObject, type Json, type JsonObject, type MutableJsonObject } from '../../model/json.ts';
import { constraintOf, fieldsOf, joinKey, namedProperties } from './columns-in.ts';
import type { ElementsOf } from './elements.ts';
import { overlay } from './overlay.ts';
import { compact, itemsOf, objectOf, paired, spoken, textsIn } from './parts.ts';
import { isOptionOf, logicalFor, typeMembers } from './types.ts';
import { objectsOf } from './walk.ts';

/** Columns of a contract as properties of a document (odcs.md 4). */

export type Writing = {
  /** Definitions and sources by the path of a column: what the document made of them, and what the contract says. */
  readonly made: ElementsOf;
  readonly wanted: ElementsOf;
  /** The rules of a column as the document is to have them, where they are not as they were. */
  readonly rules: (key: string) => readonly Json[] | undefined;
  /** The last position among the keys of the object. */
  readonly keys: { last: number };
};

const nameOf = (column: JsonObject): string => spoken(column['name']) ?? '';

const tagFqns = (column: JsonObject): readonly string[] =>
  objectsOf(column['tags']).flatMap((label) => spoken(label['tagFQN']) ?? []);

/** Tags of a document that name nothing in the catalog stay where they are. */
const tagsFor = (column: JsonObject, made: JsonObject | undefined, property: JsonObject | undefined) => {
  const [wanted, known] = [new Set(tagFqns(column)), new Set(made === undefined ? [] : tagFqns(made))];
  const kept = textsIn(property?.['tags']).filter((tag) => wanted.has(tag) || !known.has(tag));
  const there = new Set(kept);
  return [...kept, ...[...wanted].filter((tag) => !there.has(tag))];
};

const CLASSES = [
  ['pii', 'PII'],
  ['sensitive', 'sensitive'],
  ['confidential', 'confidential'],
  ['restricted', 'restricted'],
] as const;

const classificationOf = (tags: readonly string[]): string | undefined => {
  for (const tag of tags) {
    const found = CLASSES.find(([mark]) => tag.toLowerCase().includes(mark));
    if (found) return found[1];
  }
  return undefined;
};

type Flags = Readonly<Record<string, Json | undefined>>;

const PRIMARY_FLAGS: Readonly<Record<string, Flags>> = {
  PRIMARY_KEY: { primaryKey: true, required: true },
  UNIQUE: { unique: true },
  NOT_NULL: { required: true },
};

/** A flag that says no may go on saying so. */
const unless = (flag: Json | undefined): Json | undefined => (flag === true ? undefined : flag);

const flagsAfter = (constraint: string | undefined, property: JsonObject): Flags => {
  const { primaryKey, unique, required } = property;
  switch (constraint) {
    case 'PRIMARY_KEY':
      return { primaryKey: true, unique, required };
    case 'UNIQUE':
      return { primaryKey: unless(primaryKey), unique: true, required };
    case 'NOT_NULL':
      return { primaryKey: unless(primaryKey), unique: unless(unique), required: true };
    default:
      return { primaryKey: unless(primaryKey), unique: unless(unique), required: unless(required) };
  }
};

/** Whatever a document says of keys stays as it is for as long as it means the same constraint. */
const flagsFor = (column: JsonObject, property: JsonObject | undefined, { keys }: Writing): Flags => {
  const given = spoken(column['constraint']);
  const constraint = given === 'NULL' ? undefined : given;
  const position = property?.['primaryKeyPosition'];
  if (property && constraintOf(property) === constraint) {
    return { ...flagsAfter(constraint, property), primaryKeyPosition: position };
  }
  const isKey = constraint === 'PRIMARY_KEY';
  if (isKey) keys.last += 1;
  const primaryKeyPosition = isKey ? keys.last : typeof position === 'number' && position > 0 ? undefined : position;
  const flags = property ? flagsAfter(constraint, property) : (PRIMARY_FLAGS[constraint ?? ''] ?? {});
  return { ...flags, primaryKeyPosition };
};

type Pair = { readonly column: JsonObject; readonly made?: JsonObject; readonly property?: JsonObject };

const membersOf = ({ column, made, property }: Pair, elements: JsonObject, writing: Writing): JsonObject => {
  const tags = tagsFor(column, made, property);
  const { logicalTypeOptions, ...type } = typeMembers(column);
  return {
    ...compact({
      name: nameOf(column),
      physicalName: property ? undefined : nameOf(column),
      businessName: spoken(column['displayName']),
      ...type,
      description: spoken(column['description']),
      ...flagsFor(column, property, writing),
      tags,
      classification: property ? undefined : classificationOf(tags),
      ...elements,
    }),
    // Options that nobody here knows live beside ours, so the object is always there until the end.
    logicalTypeOptions: logicalTypeOptions ?? {},
  };
};

const isEmpty = (value: Json | undefined): boolean => Object.keys(objectOf(value)).length === 0;

/** Options of the type a property had before mean nothing for another. */
const withFittingType = (out: MutableJsonObject, property: JsonObject, [before, after]: [string, string]): void => {
  if (before !== after) {
    const written = spoken(property['logicalType'])?.toLowerCase() ?? before;
    const options = Object.entries(objectOf(out['logicalTypeOptions']));
    const fitting = options.filter(([name]) => isOptionOf(name, written, after));
    out['logicalTypeOptions'] = Object.fromEntries(fitting) as JsonObject;
    if (after !== 'array') delete out['items'];
    if (after !== 'object') delete out['properties'];
  }
  const wasEmpty = property['logicalTypeOptions'] !== undefined && isEmpty(property['logicalTypeOptions']);
  if (isEmpty(out['logicalTypeOptions']) && !wasEmpty) delete out['logicalTypeOptions'];
};

type Fields = 'properties' | 'items';

/** Where the fields of a column belong; those of a map are no fields of it. */
const fieldsPlace = (column: JsonObject): Fields | undefined => {
  const logical = logicalFor(column);
  if (logical === 'array') return 'items';
  return logical === 'object' && column['dataType'] !== 'MAP' ? 'properties' : undefined;
};

const withFields = (out: MutableJsonObject, place: Fields | undefined, fields: readonly Json[]): void => {
  if (place === 'items') {
    const items: MutableJsonObject = { ...objectOf(out['items']), properties: fields };
    if (fields.length === 0) delete items['properties'];
    out['items'] = items;
  } else if (place === 'properties' && fields.length > 0) {
    out['properties'] = fields;
  } else if (place === 'properties') {
    delete out['properties'];
  }
};

const childrenOf = (column: JsonObject | undefined): readonly JsonObject[] => objectsOf(column?.['children']);

const withRules = (out: MutableJsonObject, rules: readonly Json[] | undefined): void => {
  if (rules === undefined) return;
  if (rules.length === 0) delete out['quality'];
  else out['quality'] = rules;
};

const newProperty = (column: JsonObject, parent: string, writing: Writing): JsonObject => {
  const key = joinKey(parent, nameOf(column));
  const out: MutableJsonObject = { ...membersOf({ column }, writing.wanted(key), writing) };
  if (isEmpty(out['logicalTypeOptions'])) delete out['logicalTypeOptions'];
  const fields = childrenOf(column).map((child) => newProperty(child, key, writing));
  if (fields.length > 0) withFields(out, fieldsPlace(column), fields);
  withRules(out, writing.rules(key));
  return out;
};

type Change = { readonly property: JsonObject; readonly made: JsonObject; readonly column: JsonObject };

const changedProperty = ({ property, made, column }: Change, parents: Parents, writing: Writing): JsonObject => {
  const keys = { made: joinKey(parents.made, nameOf(made)), wanted: joinKey(parents.wanted, nameOf(column)) };
  const before = membersOf({ column: made, made, property }, writing.made(keys.made), writing);
  const after = membersOf({ column, made, property }, writing.wanted(keys.wanted), writing);
  const out: MutableJsonObject = { ...overlay(property, before, after) };
  withFittingType(out, property, [logicalFor(made), logicalFor(column)]);
  const { within, list } = fieldsOf(property);
  const fields = writeProperties(list, childrenOf(made), childrenOf(column), keys, writing);
  const hasMoved = fieldsPlace(made) !== fieldsPlace(column);
  if (fields !== list || hasMoved) {
    const place = hasMoved || itemsOf(list).length === 0 ? fieldsPlace(column) : within;
    withFields(out, place, itemsOf(fields));
  }
  withRules(out, writing.rules(keys.wanted));
  return out;
};

type Parents = { readonly made: string; readonly wanted: string };

const lastKey = (properties: Json): number =>
  objectsOf(properties).reduce((last, property) => {
    if (property['primaryKey'] !== true) return last;
    const position = property['primaryKeyPosition'];
    return Math.max(last + 1, typeof position === 'number' ? position : 0);
  }, 0);

/**
 * A list of properties as the columns are now. `made` are the columns that were made of the list, in its order; columns
 * are the same when their names are, in any case. The list itself when nothing changed.
 */
export const writeProperties = (
  properties: Json,
  made: readonly JsonObject[],
  columns: readonly JsonObject[],
  parents: Parents,
  writing: Writing,
): Json => {
  const partners = paired(columns, made, nameOf, (column) => nameOf(column).toLowerCase());
  const wanted = new Map(
    partners.flatMap((place, index) => (place === undefined ? [] : [[place, columns[index]] as const])),
  );
  if (parents.made === '') writing.keys.last = lastKey(properties);
  const places = new Map(namedProperties(properties).map(({ index }, place) => [index, place]));
  let isSame = true;
  const kept = itemsOf(properties).flatMap((property, index): readonly Json[] => {
    const place = places.get(index) ?? -1;
    const [before, column] = [made[place], wanted.get(place)];
    if (before === undefined || !isObject(property)) return [property];
    const changed = column && changedProperty({ property, made: before, column }, parents, writing);
    if (changed === undefined || !isUnchanged(property, changed)) isSame = false;
    return changed === undefined ? [] : [changed];
  });
  const added = columns
    .filter((_, index) => partners[index] === undefined)
    .map((column) => newProperty(column, parents.wanted, writing));
  return isSame && added.length === 0 ? properties : [...kept, ...added];
};

/** Whether a copy has the very same members. */
const isUnchanged = (one: JsonObject, other: JsonObject): boolean => {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
};
