import {
  isArray,
  isObject,
  type JsonObject,
  type MutableJsonObject,
  member,
  withMember,
  withoutMember,
} from '../../../model/json.ts';
import { mapListMember, mapMember, mapObjectMember, textMember } from '../json-parts.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from '../schema/column-types.ts';
import { toLegalRule, upgradeRule3 } from './rules-v3.ts';
import { isBareColumn } from './shape.ts';
import { restoreObjectMembers, restoreRootMembers } from './structure.ts';
import { isVersionAtLeast, NEWEST_VERSION, type OdcsVersion } from './version.ts';

/**
 * Converts documents of 3.x to the shape of 3.2.0, keeping newer members that they already contain, and repairs
 * documents of 3.1.0 and later.
 */

/** The bounds of an option: an exclusive one is a flag on the bound up to 3.0.2 and a separate option since 3.1.0. */
export const BOUND_SIDES = [
  { bound: 'minimum', exclusive: 'exclusiveMinimum' },
  { bound: 'maximum', exclusive: 'exclusiveMaximum' },
] as const;

/** Converts options of 3.0.x to those of 3.1.0. */
const toExclusiveBounds = (options: JsonObject): JsonObject => {
  const result: MutableJsonObject = { ...options };
  for (const { bound, exclusive } of BOUND_SIDES) {
    const marked = member(options, exclusive);
    if (typeof marked !== 'boolean') continue;
    delete result[exclusive];
    const value = member(options, bound);
    if (!marked || value === undefined) continue;
    delete result[bound];
    result[exclusive] = value;
  }
  return result;
};

/** Types added in 3.1.0, with the type that earlier versions use. */
const BEFORE_31: Readonly<Record<string, string>> = { timestamp: 'date', time: 'string' };

/** Types added in 3.2.0, with the type that earlier versions use. */
const BEFORE_32: Readonly<Record<string, string>> = { map: 'object', vector: 'array' };

/** The version's name of a property's type; undefined for a missing or unknown type. */
export const toLegalType = (property: JsonObject, version: OdcsVersion): string | undefined => {
  const word = textMember(property, 'logicalType')?.toLowerCase();
  if (word === undefined) return undefined;
  const known = LOGICAL_TYPES.find((type) => type === word);
  const type = known ?? (Object.hasOwn(FOREIGN_TYPES, word) ? FOREIGN_TYPES[word] : undefined);
  if (type === undefined || isVersionAtLeast(version, 'v3.2.0')) return type;
  const older = BEFORE_32[type] ?? type;
  return isVersionAtLeast(version, 'v3.1.0') ? older : (BEFORE_31[older] ?? older);
};

/** Hour letters of a date format: a date with such a format is a timestamp. */
const HOUR = /[Hhk]|%H|%I|ss/;

const dateToTimestamp = (property: JsonObject): JsonObject => {
  const options = member(property, 'logicalTypeOptions');
  const format =
    typeof options === 'object' && options !== null ? textMember(options as JsonObject, 'format') : undefined;
  const isDate = textMember(property, 'logicalType')?.toLowerCase() === 'date';
  return isDate && format !== undefined && HOUR.test(format)
    ? withMember(property, 'logicalType', 'timestamp')
    : property;
};

const upgradeProperty = (written: JsonObject, isOld: boolean): JsonObject => {
  const inner = (child: JsonObject) => upgradeProperty(child, isOld);
  const bounded = isOld ? dateToTimestamp(mapObjectMember(written, 'logicalTypeOptions', toExclusiveBounds)) : written;
  return mapObjectMember(
    mapListMember(mapListMember(bounded, 'quality', upgradeRule3), 'properties', inner),
    'items',
    inner,
  );
};

const upgradeSchemaObject = (written: JsonObject, isOld: boolean): JsonObject =>
  isBareColumn(written)
    ? upgradeProperty(written, isOld)
    : restoreObjectMembers(
        mapListMember(mapListMember(written, 'quality', upgradeRule3), 'properties', (child) =>
          upgradeProperty(child, isOld),
        ),
      );

const upgradeServer = (written: JsonObject): JsonObject => {
  const type = textMember(written, 'type');
  if (type === 'athena') {
    const directory = member(written, 'staging_dir');
    return directory === undefined || member(written, 'stagingDir') !== undefined
      ? written
      : withMember(withoutMember(written, 'staging_dir'), 'stagingDir', directory);
  }
  return type === 'duckdb'
    ? mapMember(written, 'schema', (value) => (typeof value === 'number' ? String(value) : value))
    : written;
};

/** Converts a normalized document of 3.x to the shape of 3.2.0. */
export const upgradeFrom3 = (document: JsonObject, version: OdcsVersion): JsonObject => {
  const isOld = !isVersionAtLeast(version, 'v3.1.0');
  const read = mapListMember(
    mapListMember(mapListMember(document, 'servers', upgradeServer), 'schema', (child) =>
      upgradeSchemaObject(child, isOld),
    ),
    'quality',
    upgradeRule3,
  );
  return withMember(version === NEWEST_VERSION ? read : restoreRootMembers(read), 'apiVersion', NEWEST_VERSION);
};

/** The texts that may identify an item. */
const ID_BEFORE_32 = /^[A-Za-z0-9_-]+$/;
const ID_SINCE_32 = /^[^\s.#/\\@!%&^]+$/;

/** Whether a text may identify an item in a version. */
export const isLegalId = (id: string, version: OdcsVersion): boolean =>
  (isVersionAtLeast(version, 'v3.2.0') ? ID_SINCE_32 : ID_BEFORE_32).test(id);

const repairRule = (written: JsonObject, version: OdcsVersion): JsonObject => {
  const legal = toLegalRule(written, version);
  const id = member(legal, 'id');
  return id === undefined || (typeof id === 'string' && isLegalId(id, version)) ? legal : withoutMember(legal, 'id');
};

/** Moves nested columns to where the standard allows them: into objects, or into the items of an array. */
const moveProperties = (property: JsonObject, type: string | undefined): JsonObject => {
  const children = member(property, 'properties');
  if (children === undefined || type === undefined || type === 'object') return property;
  const rest = withoutMember(property, 'properties');
  return type === 'array' && member(property, 'items') === undefined
    ? withMember(rest, 'items', { logicalType: 'object', properties: children })
    : rest;
};

const removeMaxLength = (options: JsonObject): JsonObject => withoutMember(options, 'maxLength');

const repairProperty = (written: JsonObject, version: OdcsVersion): JsonObject => {
  const type = toLegalType(written, version);
  const placed = moveProperties(written, type);
  const measured =
    type === undefined || type === 'string' ? placed : mapObjectMember(placed, 'logicalTypeOptions', removeMaxLength);
  return repairItem(measured, version);
};

/** Repairs an item, which may contain columns whatever its type is. */
const repairItem = (written: JsonObject, version: OdcsVersion): JsonObject =>
  mapObjectMember(repairSchemaObject(written, version), 'items', (item) => repairItem(item, version));

const repairSchemaObject = (written: JsonObject, version: OdcsVersion): JsonObject =>
  mapListMember(
    mapListMember(written, 'quality', (rule) => repairRule(rule, version)),
    'properties',
    (property) => repairProperty(property, version),
  );

const repairPerson = (written: JsonObject): JsonObject => {
  const name = textMember(written, 'name');
  return name === undefined || textMember(written, 'username') !== undefined
    ? written
    : withMember(written, 'username', name);
};

/**
 * Repairs known violations of the schema in a document of 3.1.0 or later, even where nothing was edited (odcs.md 5.1).
 * Everything else stays unchanged.
 */
export const repairDocument = (document: JsonObject, version: OdcsVersion): JsonObject => {
  const ruled = mapListMember(document, 'schema', (object) =>
    isBareColumn(object) ? repairProperty(object, version) : repairSchemaObject(object, version),
  );
  const team = member(ruled, 'team') ?? null;
  if (isArray(team)) return mapListMember(ruled, 'team', repairPerson);
  if (!isObject(team)) return ruled;
  const result: MutableJsonObject = { ...ruled, team: mapListMember(team, 'members', repairPerson) };
  return result;
};
