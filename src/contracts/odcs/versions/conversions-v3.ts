import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  withMember,
  withoutMember,
} from '../../../model/json.ts';
import { joinPath } from '../issues.ts';
import { mapMember, mapObjectMember, textMember } from '../json-parts.ts';
import { FOREIGN_TYPES, LOGICAL_TYPES } from '../schema/column-types.ts';
import type { ConversionName } from './member-shapes.ts';
import { toLegalRule, upgradeRule3 } from './rules-v3.ts';
import { SERVER_DETAILS, serverDetails, serverType } from './servers.ts';
import { DOCUMENT, SCHEMA_OBJECT } from './shape.ts';
import { restoreMembers } from './structure.ts';
import { isVersionAtLeast, NEWEST_VERSION, type OdcsVersion } from './version.ts';

/** What converting between versions of 3.x means for some objects besides the members that each version defines. */

export type DowngradeContext = {
  readonly version: OdcsVersion;
  /** The path of the object. */
  readonly path: string;
  /** Reports the path of a value that the version has no place for. */
  readonly drop: (path: string) => void;
};

export type Conversion = {
  /** Converts an object of a version to what it is in the newest. */
  readonly upgrade?: (object: JsonObject, version: OdcsVersion) => JsonObject;
  /** Converts an object to what it is in a version; undefined when that version cannot have it. */
  readonly downgrade?: (object: JsonObject, context: DowngradeContext) => JsonObject | undefined;
  /** Repairs known violations of the schema of a version since 3.1.0. */
  readonly repair?: (object: JsonObject, version: OdcsVersion) => JsonObject;
};

const isBefore31 = (version: OdcsVersion): boolean => !isVersionAtLeast(version, 'v3.1.0');

/** The bounds of an option: an exclusive one is a flag on the bound up to 3.0.2 and a separate option since 3.1.0. */
const BOUND_SIDES = [
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

/** Converts options of 3.1.0 to those of 3.0.x. When both bounds are given, the exclusive one is written. */
const toExclusiveFlags = (options: JsonObject): JsonObject => {
  const result: MutableJsonObject = { ...options };
  for (const { bound, exclusive } of BOUND_SIDES) {
    const value = member(options, exclusive);
    if (value === undefined || typeof value === 'boolean') continue;
    result[bound] = value;
    result[exclusive] = true;
  }
  return result;
};

/** Types that a version added, with the type that earlier versions use. */
const OLDER_TYPES = [
  { since: 'v3.2.0', types: { map: 'object', vector: 'array' } },
  { since: 'v3.1.0', types: { timestamp: 'date', time: 'string' } },
] as const satisfies readonly { since: OdcsVersion; types: Readonly<Record<string, string>> }[];

/** The version's name of a property's type; undefined for a missing or unknown type. */
const toLegalType = (property: JsonObject, version: OdcsVersion): string | undefined => {
  const word = textMember(property, 'logicalType')?.toLowerCase();
  if (word === undefined) return undefined;
  let type: string | undefined = LOGICAL_TYPES.find((known) => known === word);
  type ??= Object.hasOwn(FOREIGN_TYPES, word) ? FOREIGN_TYPES[word] : undefined;
  for (const { since, types } of OLDER_TYPES) {
    const older: Readonly<Record<string, string>> = isVersionAtLeast(version, since) ? {} : types;
    if (type !== undefined) type = older[type] ?? type;
  }
  return type;
};

/** Hour letters of a date format: a date with such a format is a timestamp. */
const HOUR = /[Hhk]|%H|%I|ss/;

const dateToTimestamp = (property: JsonObject): JsonObject => {
  const options = member(property, 'logicalTypeOptions') ?? null;
  const format = isObject(options) ? textMember(options, 'format') : undefined;
  const isDate = textMember(property, 'logicalType')?.toLowerCase() === 'date';
  return isDate && format !== undefined && HOUR.test(format)
    ? withMember(property, 'logicalType', 'timestamp')
    : property;
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

/** The type of a property; undefined for a type whose required members are missing. */
const completeType = (object: JsonObject, version: OdcsVersion): string | undefined => {
  const type = toLegalType(object, version);
  const part = (name: string): JsonObject => {
    const value = member(object, name) ?? null;
    return isObject(value) ? value : {};
  };
  if (type === 'map') return ['key', 'value'].every((name) => name in part('map')) ? type : undefined;
  if (type !== 'vector') return type;
  return Number(member(part('logicalTypeOptions'), 'dimensions')) > 0 ? type : undefined;
};

const upgradeProperty: Conversion['upgrade'] = (object, version) =>
  isBefore31(version) ? dateToTimestamp(mapObjectMember(object, 'logicalTypeOptions', toExclusiveBounds)) : object;

/** An item may contain columns whatever its type is. */
const downgradeItem = (
  object: JsonObject,
  { version, path, drop }: DowngradeContext,
  holdsColumns = true,
): JsonObject => {
  const type = completeType(object, version);
  const { logicalType, ...rest } = object;
  if (type === undefined && logicalType !== undefined) drop(joinPath(path, 'logicalType'));
  let result: JsonObject = type === undefined ? rest : { ...rest, logicalType: type };
  if (type === 'array' && member(result, 'items') === undefined) return moveProperties(result, type);
  const types = { items: 'array', ...(holdsColumns ? {} : { properties: 'object' }) };
  for (const [name, allowed] of Object.entries(types)) {
    if (type === undefined || type === allowed || member(result, name) === undefined) continue;
    drop(joinPath(path, name));
    result = withoutMember(result, name);
  }
  return result;
};

const property: Conversion = {
  upgrade: upgradeProperty,
  downgrade: (object, context) => downgradeItem(object, context, false),
  repair: (object, version) => {
    const type = toLegalType(object, version);
    const placed = moveProperties(object, type);
    return type === undefined || type === 'string'
      ? placed
      : mapObjectMember(placed, 'logicalTypeOptions', (options) => withoutMember(options, 'maxLength'));
  },
};

const schemaObject: Conversion = {
  upgrade: (object) => restoreMembers(object, SCHEMA_OBJECT),
  downgrade: (object, { version }) => {
    const type = textMember(object, 'logicalType')?.toLowerCase();
    const legal = type === 'blob' && !isVersionAtLeast(version, 'v3.2.0') ? 'object' : type;
    return legal === 'object' || legal === 'blob' ? { ...object, logicalType: legal } : object;
  },
};

/** The texts that may identify an item. */
const ID_BEFORE_32 = /^[A-Za-z0-9_-]+$/;
const ID_SINCE_32 = /^[^\s.#/\\@!%&^]+$/;

/** Whether a text may identify an item in a version. */
export const isLegalId = (id: string, version: OdcsVersion): boolean =>
  (isVersionAtLeast(version, 'v3.2.0') ? ID_SINCE_32 : ID_BEFORE_32).test(id);

const rule: Conversion = {
  upgrade: upgradeRule3,
  downgrade: (object, { version }) => toLegalRule(object, version),
  repair: (object, version) => {
    const legal = toLegalRule(object, version);
    const id = member(legal, 'id');
    return id === undefined || (typeof id === 'string' && isLegalId(id, version)) ? legal : withoutMember(legal, 'id');
  },
};

const renameMember = (object: JsonObject, from: string, to: string): JsonObject => {
  const value = member(object, from);
  return value === undefined || member(object, to) !== undefined
    ? object
    : withMember(withoutMember(object, from), to, value);
};

const server: Conversion = {
  upgrade: (object) => {
    const type = textMember(object, 'type');
    if (type === 'athena') return renameMember(object, 'staging_dir', 'stagingDir');
    return type === 'duckdb'
      ? mapMember(object, 'schema', (value) => (typeof value === 'number' ? String(value) : value))
      : object;
  },
  downgrade: (object, { version, path, drop }) => {
    const type = serverType(object, textMember(object, 'type') ?? 'custom', version);
    const details = serverDetails(object, type, version);
    const result: MutableJsonObject = { ...object, type };
    for (const name of Object.keys(object)) {
      if (!SERVER_DETAILS.has(name)) continue;
      delete result[name];
      if (member(details, name) === undefined) drop(joinPath(path, name));
    }
    Object.assign(result, details);
    return type === 'athena' && !isVersionAtLeast(version, 'v3.0.2')
      ? renameMember(result, 'stagingDir', 'staging_dir')
      : result;
  },
};

const SHORT_REFERENCE = /^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$/;
const FULL_REFERENCE =
  /^(?:(?:https?:\/\/)?[A-Za-z0-9._\-/]+\.yaml#)?\/?[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+(?:\/[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+)*$/;

const SHORT_REFERENCE_32 = /^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)+$/;
const FULL_REFERENCE_32 =
  /^(?:(?:https?:\/\/)?[A-Za-z0-9._\-/]+\.ya?ml#)?\/?[A-Za-z_][A-Za-z0-9_]*\/[^\s.#/\\@!%&^]+(?:\/[A-Za-z_][A-Za-z0-9_]*\/[^\s.#/\\@!%&^]+)*$/;

/**
 * Whether a relationship is valid. One of a property starts at that property, so only one of an object has a `from`.
 */
const isRelationship = (object: JsonObject, { path, version }: DowngradeContext): boolean => {
  const patterns = isVersionAtLeast(version, 'v3.2.0')
    ? [SHORT_REFERENCE_32, FULL_REFERENCE_32]
    : [SHORT_REFERENCE, FULL_REFERENCE];
  const isReference = (value: Json): boolean =>
    typeof value === 'string' && value.length < 1_000 && patterns.some((pattern) => pattern.test(value));
  const isReferences = (value: Json): boolean => isArray(value) && value.length > 0 && value.every(isReference);
  const to = member(object, 'to') ?? null;
  const from = member(object, 'from');
  if (/\.(properties\[\d+\]|items|map\.(key|value))\.relationships\[\d+\]$/.test(path)) {
    return from === undefined && (isReference(to) || isReferences(to));
  }
  return from !== undefined && ((isReference(from) && isReference(to)) || (isReferences(from) && isReferences(to)));
};

/** Fills in the name by which 3.1.0 requires a member of a team to be known. */
const nameBy = (object: JsonObject, ...names: readonly string[]): JsonObject => {
  const name = names.map((other) => textMember(object, other)).find((value) => value !== undefined);
  return name === undefined || textMember(object, 'username') !== undefined ? object : { ...object, username: name };
};

const person: Conversion = {
  downgrade: (object, { version }) => (isBefore31(version) ? object : nameBy(object, 'name', 'role')),
  repair: (object) => nameBy(object, 'name'),
};

const customProperty: Conversion = {
  downgrade: (object, { version }) =>
    isBefore31(version) || member(object, 'value') !== undefined ? object : { ...object, value: null },
};

/** Replaces the team by its members, because a team is a list before 3.1.0. */
const flattenTeam = (object: JsonObject, drop: DowngradeContext['drop']): JsonObject => {
  const team = member(object, 'team') ?? null;
  if (!isObject(team)) return object;
  for (const name of Object.keys(team)) if (name !== 'members') drop(joinPath('team', name));
  const members = member(team, 'members') ?? [];
  return isArray(members) && members.length > 0 ? withMember(object, 'team', members) : withoutMember(object, 'team');
};

/** Converts a time in the notation of 2.x to the one that 3.x requires. */
const toIsoTime = (value: Json): Json =>
  typeof value === 'string' ? value.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)$/, '$1T$2Z') : value;

const document: Conversion = {
  upgrade: (object, version) =>
    withMember(version === NEWEST_VERSION ? object : restoreMembers(object, DOCUMENT), 'apiVersion', NEWEST_VERSION),
  downgrade: (object, { version, drop }) => {
    const flat = isBefore31(version) ? flattenTeam(object, drop) : object;
    const needsStatus = !isVersionAtLeast(version, 'v3.2.0') && member(flat, 'status') === undefined;
    const timed = mapMember(needsStatus ? withMember(flat, 'status', 'draft') : flat, 'contractCreatedTs', toIsoTime);
    return withMember(timed, 'apiVersion', version);
  },
};

export const CONVERSIONS: Readonly<Record<ConversionName, Conversion>> = {
  document,
  schemaObject,
  property,
  item: { upgrade: upgradeProperty, downgrade: (object, context) => downgradeItem(object, context) },
  rule,
  server,
  relationship: { downgrade: (object, context) => (isRelationship(object, context) ? object : undefined) },
  person,
  customProperty,
};

/** Converts exclusive bounds of a version to the form that its options have. */
export const toOptionsOf = (options: JsonObject, version: OdcsVersion): JsonObject =>
  isBefore31(version) ? toExclusiveFlags(options) : options;
