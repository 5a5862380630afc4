import { isObject, type Json, type JsonObject, type MutableJsonObject } from '../../../model/json.ts';
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../../model/json-parts.ts';
import type { ElementLookup } from '../fundamentals.ts';
import { omitEmpty, pairByKeys } from '../json-parts.ts';
import { threeWayMerge } from '../three-way-merge.ts';
import { columnLogicalType, isOptionOfType, writeTypeMembers } from './column-types.ts';
import { joinColumnPath, namedProperties, nestedFieldsOf, propertyConstraint } from './read-schema.ts';

/** Writes columns of a contract as properties of a document (odcs.md 4). */

export type ColumnWriteContext = {
  /** Definitions and sources by column path: those imported from the document, and those of the contract. */
  readonly made: ElementLookup;
  readonly wanted: ElementLookup;
  /** The new rules of a column; undefined when they are unchanged. */
  readonly rules: (key: string) => readonly Json[] | undefined;
  /** The last key position in the object. */
  readonly keys: { last: number };
};

const nameOf = (column: JsonObject): string => nonBlankText(column['name']) ?? '';

const tagFqns = (column: JsonObject): readonly string[] =>
  jsonObjects(column['tags']).flatMap((label) => nonBlankText(label['tagFQN']) ?? []);

/** Merges tags. Tags of a document that do not exist in the catalog stay in place. */
const mergeTags = (column: JsonObject, made: JsonObject | undefined, property: JsonObject | undefined) => {
  const [wanted, known] = [new Set(tagFqns(column)), new Set(made === undefined ? [] : tagFqns(made))];
  const kept = jsonTexts(property?.['tags']).filter((tag) => wanted.has(tag) || !known.has(tag));
  const there = new Set(kept);
  return [...kept, ...[...wanted].filter((tag) => !there.has(tag))];
};

const CLASSIFICATIONS = [
  ['pii', 'PII'],
  ['sensitive', 'sensitive'],
  ['confidential', 'confidential'],
  ['restricted', 'restricted'],
] as const;

const classificationOf = (tags: readonly string[]): string | undefined => {
  for (const tag of tags) {
    const found = CLASSIFICATIONS.find(([mark]) => tag.toLowerCase().includes(mark));
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

/** Keeps a false flag as written and removes a true one. */
const unlessTrue = (flag: Json | undefined): Json | undefined => (flag === true ? undefined : flag);

const changeFlags = (constraint: string | undefined, property: JsonObject): Flags => {
  const { primaryKey, unique, required } = property;
  switch (constraint) {
    case 'PRIMARY_KEY':
      return { primaryKey: true, unique, required };
    case 'UNIQUE':
      return { primaryKey: unlessTrue(primaryKey), unique: true, required };
    case 'NOT_NULL':
      return { primaryKey: unlessTrue(primaryKey), unique: unlessTrue(unique), required: true };
    default:
      return { primaryKey: unlessTrue(primaryKey), unique: unlessTrue(unique), required: unlessTrue(required) };
  }
};

/** Writes the flags for keys. The document's flags stay as they are while they mean the same constraint. */
const writeFlags = (column: JsonObject, property: JsonObject | undefined, { keys }: ColumnWriteContext): Flags => {
  const given = nonBlankText(column['constraint']);
  const constraint = given === 'NULL' ? undefined : given;
  const position = property?.['primaryKeyPosition'];
  if (property && propertyConstraint(property) === constraint) {
    return { ...changeFlags(constraint, property), primaryKeyPosition: position };
  }
  const isKey = constraint === 'PRIMARY_KEY';
  if (isKey) keys.last += 1;
  const primaryKeyPosition = isKey ? keys.last : typeof position === 'number' && position > 0 ? undefined : position;
  const flags = property ? changeFlags(constraint, property) : (PRIMARY_FLAGS[constraint ?? ''] ?? {});
  return { ...flags, primaryKeyPosition };
};

type ColumnPair = { readonly column: JsonObject; readonly made?: JsonObject; readonly property?: JsonObject };

const propertyMembers = (
  { column, made, property }: ColumnPair,
  elements: JsonObject,
  writing: ColumnWriteContext,
): JsonObject => {
  const tags = mergeTags(column, made, property);
  const { logicalTypeOptions, ...type } = writeTypeMembers(column);
  return {
    ...omitEmpty({
      name: nameOf(column),
      physicalName: property ? undefined : nameOf(column),
      businessName: nonBlankText(column['displayName']),
      ...type,
      description: nonBlankText(column['description']),
      ...writeFlags(column, property, writing),
      tags,
      classification: property ? undefined : classificationOf(tags),
      ...elements,
    }),
    // Unknown options share the object with the known ones, so it is kept until the end.
    logicalTypeOptions: logicalTypeOptions ?? {},
  };
};

const isEmpty = (value: Json | undefined): boolean => Object.keys(jsonObject(value)).length === 0;

/** Drops options of the previous type that have no meaning for the new one. */
const dropMisfitOptions = (out: MutableJsonObject, property: JsonObject, [before, after]: [string, string]): void => {
  if (before !== after) {
    const written = nonBlankText(property['logicalType'])?.toLowerCase() ?? before;
    const options = Object.entries(jsonObject(out['logicalTypeOptions']));
    const fitting = options.filter(([name]) => isOptionOfType(name, written, after));
    out['logicalTypeOptions'] = Object.fromEntries(fitting) as JsonObject;
    if (after !== 'array') delete out['items'];
    if (after !== 'object') delete out['properties'];
  }
  const wasEmpty = property['logicalTypeOptions'] !== undefined && isEmpty(property['logicalTypeOptions']);
  if (isEmpty(out['logicalTypeOptions']) && !wasEmpty) delete out['logicalTypeOptions'];
};

type FieldsMember = 'properties' | 'items';

/** The member that holds the fields of a column. Fields of a map are not fields of the column. */
const fieldsMemberOf = (column: JsonObject): FieldsMember | undefined => {
  const logical = columnLogicalType(column);
  if (logical === 'array') return 'items';
  return logical === 'object' && column['dataType'] !== 'MAP' ? 'properties' : undefined;
};

const setFields = (out: MutableJsonObject, place: FieldsMember | undefined, fields: readonly Json[]): void => {
  if (place === 'items') {
    const items: MutableJsonObject = { ...jsonObject(out['items']), properties: fields };
    if (fields.length === 0) delete items['properties'];
    out['items'] = items;
  } else if (place === 'properties' && fields.length > 0) {
    out['properties'] = fields;
  } else if (place === 'properties') {
    delete out['properties'];
  }
};

const childrenOf = (column: JsonObject | undefined): readonly JsonObject[] => jsonObjects(column?.['children']);

const setRules = (out: MutableJsonObject, rules: readonly Json[] | undefined): void => {
  if (rules === undefined) return;
  if (rules.length === 0) delete out['quality'];
  else out['quality'] = rules;
};

const createProperty = (column: JsonObject, parent: string, writing: ColumnWriteContext): JsonObject => {
  const key = joinColumnPath(parent, nameOf(column));
  const out: MutableJsonObject = { ...propertyMembers({ column }, writing.wanted(key), writing) };
  if (isEmpty(out['logicalTypeOptions'])) delete out['logicalTypeOptions'];
  const fields = childrenOf(column).map((child) => createProperty(child, key, writing));
  if (fields.length > 0) setFields(out, fieldsMemberOf(column), fields);
  setRules(out, writing.rules(key));
  return out;
};

type PropertyChange = { readonly property: JsonObject; readonly made: JsonObject; readonly column: JsonObject };

const updateProperty = (
  { property, made, column }: PropertyChange,
  parents: ParentPaths,
  writing: ColumnWriteContext,
): JsonObject => {
  const keys = {
    made: joinColumnPath(parents.made, nameOf(made)),
    wanted: joinColumnPath(parents.wanted, nameOf(column)),
  };
  const before = propertyMembers({ column: made, made, property }, writing.made(keys.made), writing);
  const after = propertyMembers({ column, made, property }, writing.wanted(keys.wanted), writing);
  const out: MutableJsonObject = { ...threeWayMerge(property, before, after) };
  dropMisfitOptions(out, property, [columnLogicalType(made), columnLogicalType(column)]);
  const { within, list } = nestedFieldsOf(property);
  const fields = writeProperties(list, childrenOf(made), childrenOf(column), keys, writing);
  const hasMoved = fieldsMemberOf(made) !== fieldsMemberOf(column);
  if (fields !== list || hasMoved) {
    const place = hasMoved || jsonItems(list).length === 0 ? fieldsMemberOf(column) : within;
    setFields(out, place, jsonItems(fields));
  }
  setRules(out, writing.rules(keys.wanted));
  return out;
};

type ParentPaths = { readonly made: string; readonly wanted: string };

const lastKeyPosition = (properties: Json): number =>
  jsonObjects(properties).reduce((last, property) => {
    if (property['primaryKey'] !== true) return last;
    const position = property['primaryKeyPosition'];
    return Math.max(last + 1, typeof position === 'number' ? position : 0);
  }, 0);

/**
 * Writes a list of properties for the current columns. `made` are the columns imported from the list, in its order;
 * columns match by name, ignoring letter case. Returns the list itself when nothing changed.
 */
export const writeProperties = (
  properties: Json,
  made: readonly JsonObject[],
  columns: readonly JsonObject[],
  parents: ParentPaths,
  writing: ColumnWriteContext,
): Json => {
  const partners = pairByKeys(columns, made, nameOf, (column) => nameOf(column).toLowerCase());
  const wanted = new Map(
    partners.flatMap((place, index) => (place === undefined ? [] : [[place, columns[index]] as const])),
  );
  if (parents.made === '') writing.keys.last = lastKeyPosition(properties);
  const places = new Map(namedProperties(properties).map(({ index }, place) => [index, place]));
  let isSame = true;
  const kept = jsonItems(properties).flatMap((property, index): readonly Json[] => {
    const place = places.get(index) ?? -1;
    const [before, column] = [made[place], wanted.get(place)];
    if (before === undefined || !isObject(property)) return [property];
    const changed = column && updateProperty({ property, made: before, column }, parents, writing);
    if (changed === undefined || !hasSameMembers(property, changed)) isSame = false;
    return changed === undefined ? [] : [changed];
  });
  const added = columns
    .filter((_, index) => partners[index] === undefined)
    .map((column) => createProperty(column, parents.wanted, writing));
  return isSame && added.length === 0 ? properties : [...kept, ...added];
};

/** Whether a copy has the identical members. */
const hasSameMembers = (one: JsonObject, other: JsonObject): boolean => {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
};
