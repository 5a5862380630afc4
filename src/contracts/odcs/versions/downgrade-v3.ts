import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
} from '../../../model/json.ts';
import { joinPath } from '../issues.ts';
import { mapListMember, mapMember, textMember } from '../json-parts.ts';
import type { MemberShapes, ValueShape } from './member-shapes.ts';
import { toLegalRule } from './rules-v3.ts';
import { SERVER_DETAILS, serverDetails, serverType } from './servers.ts';
import * as shapes from './shape.ts';
import { deferMembers, NEW_OBJECT_MEMBERS } from './structure.ts';
import { BOUND_SIDES, isLegalId, toLegalType } from './upgrade-v3.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** Converts documents in the shape of 3.2.0 to versions of 3.x, and reports what a version has no place for. */

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

type OptionTest = (value: Json) => boolean;
const isText: OptionTest = (value) => typeof value === 'string';
const isFlag: OptionTest = (value) => typeof value === 'boolean';
const isNumber: OptionTest = (value) => typeof value === 'number';
const isCount: OptionTest = (value) => Number.isInteger(value) && Number(value) >= 0;
const isPositive: OptionTest = (value) => typeof value === 'number' && value > 0;
const isAmong =
  (...words: readonly string[]): OptionTest =>
  (value) =>
    words.includes(String(value)) && isText(value);
const isNameList: OptionTest = (value) =>
  isArray(value) && value.length > 0 && value.every(isText) && new Set(value).size === value.length;

const bounds = (value: OptionTest, exclusive: OptionTest) => ({
  minimum: value,
  maximum: value,
  exclusiveMinimum: exclusive,
  exclusiveMaximum: exclusive,
});

const optionsOf = (type: string | undefined, isOld: boolean): Readonly<Record<string, OptionTest>> => {
  const numeric = { ...bounds(isNumber, isOld ? isFlag : isNumber), multipleOf: isPositive };
  const moment = { ...bounds(isText, isOld ? isFlag : isText), format: isText };
  switch (type) {
    case 'string':
      return { minLength: isCount, maxLength: isCount, pattern: isText, format: isText };
    case 'date':
      return moment;
    case 'timestamp':
    case 'time':
      return { ...moment, timezone: isFlag, defaultTimezone: isText };
    case 'integer':
      return { ...numeric, format: isAmong('i8', 'i16', 'i32', 'i64', 'i128', 'u8', 'u16', 'u32', 'u64', 'u128') };
    case 'number':
      return { ...numeric, format: isAmong('f32', 'f64') };
    case 'object':
      return { maxProperties: isCount, minProperties: isCount, required: isNameList };
    case 'array':
      return { maxItems: isCount, minItems: isCount, uniqueItems: isFlag };
    case 'vector':
      return {
        dimensions: (value) => isCount(value) && isPositive(value),
        elementType: isAmong('bfloat16', 'binary', 'float16', 'float32', 'float64', 'int8', 'uint8'),
        distanceMetric: isAmong('cosine', 'dotProduct', 'euclidean', 'hamming', 'manhattan'),
        embeddingModel: isText,
        embeddingModelVersion: isText,
        normalized: isFlag,
      };
    default:
      // The schemas allow almost nothing here: without a type, the restrictions of all types apply at once.
      return {};
  }
};

/** Keeps the options that the version allows for a type and passes the names of the others to `drop`. */
const conformOptions = (
  options: JsonObject,
  type: string | undefined,
  version: OdcsVersion,
  drop: (name: string) => void,
): MutableJsonObject => {
  const isOld = !isVersionAtLeast(version, 'v3.1.0');
  const allowed = optionsOf(type, isOld);
  const result: MutableJsonObject = {};
  const said = isOld ? toExclusiveFlags(options) : options;
  for (const name of Object.keys(said)) {
    const value = member(said, name);
    const test = Object.hasOwn(allowed, name) ? allowed[name] : undefined;
    if (value !== undefined && test?.(value)) result[name] = value;
    else drop(name);
  }
  return result;
};

type ConformWalk = { readonly version: OdcsVersion; readonly dropped: string[] };

const dropPath = (walk: ConformWalk, path: string): undefined => {
  walk.dropped.push(path);
  return undefined;
};

const fitsLeaf = (value: Json, shape: Extract<ValueShape, { leaf: unknown }>, version: OdcsVersion): boolean => {
  const { leaf, words } = shape;
  if (words && !(typeof value === 'string' && words.includes(value))) return false;
  switch (leaf) {
    case 'json':
      return true;
    case 'id':
      return typeof value === 'string' && isLegalId(value, version);
    case 'number':
    case 'spokenNumber':
      return typeof value === 'number';
    case 'integer':
      return Number.isInteger(value);
    case 'flag':
    case 'spokenFlag':
      return typeof value === 'boolean';
    case 'scalar':
      return value === null || typeof value !== 'object';
    case 'map':
      return isObject(value);
    case 'texts':
      return isArray(value) && value.every((item) => typeof item === 'string');
    default:
      return typeof value === 'string';
  }
};

const conformValue = (value: Json, shape: ValueShape, path: string, walk: ConformWalk): Json | undefined => {
  if ('leaf' in shape) return fitsLeaf(value, shape, walk.version) ? value : dropPath(walk, path);
  if ('listOrObject' in shape) return conformValue(value, shape.listOrObject[isObject(value) ? 1 : 0], path, walk);
  if ('list' in shape) {
    if (!isArray(value)) return dropPath(walk, path);
    const inner = shape.list();
    return value.flatMap((item, index) => {
      const kept = conformValue(item, inner, joinPath(path, index), walk);
      return kept === undefined ? [] : [kept];
    });
  }
  return isObject(value) ? conformObject(value, shape.members(value), path, walk) : dropPath(walk, path);
};

const conformMembers = (
  object: JsonObject,
  members: MemberShapes,
  path: string,
  walk: ConformWalk,
): MutableJsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    const inner = joinPath(path, name);
    if (!known || (known.since && !isVersionAtLeast(walk.version, known.since))) dropPath(walk, inner);
    else {
      const kept = conformValue(value, known.shape, inner, walk);
      if (kept !== undefined) setMember(result, name, kept);
    }
  }
  return result;
};

const conformObject = (
  object: JsonObject,
  members: MemberShapes,
  path: string,
  walk: ConformWalk,
): JsonObject | undefined => {
  if (members === shapes.PROPERTY || members === shapes.ITEM) return conformProperty(object, members, path, walk);
  if (members === shapes.SCHEMA_OBJECT) return conformSchemaObject(object, path, walk);
  if (members === shapes.RULE) return conformRule(object, path, walk);
  if (members === shapes.SERVER) return conformServer(object, path, walk);
  if (members === shapes.RELATIONSHIP && !isRelationship(object, path, walk.version)) return dropPath(walk, path);
  const filled =
    members === shapes.PERSON || members === shapes.CUSTOM_PROPERTY
      ? fillRequiredMembers(object, members, walk)
      : object;
  const result = conformMembers(filled, members, path, walk);
  return hasRequiredMembers(result, members, walk.version) ? result : dropPath(walk, path);
};

/** Fills members that 3.1.0 requires and earlier versions did not. */
const fillRequiredMembers = (object: JsonObject, members: MemberShapes, { version }: ConformWalk): JsonObject => {
  if (!isVersionAtLeast(version, 'v3.1.0')) return object;
  if (members === shapes.CUSTOM_PROPERTY) {
    return member(object, 'value') === undefined ? { ...object, value: null } : object;
  }
  const name = textMember(object, 'name') ?? textMember(object, 'role');
  return textMember(object, 'username') !== undefined || name === undefined ? object : { ...object, username: name };
};

const hasRequiredMembers = (object: JsonObject, members: MemberShapes, version: OdcsVersion): boolean =>
  Object.entries(members).every(
    ([name, { must }]) =>
      must === undefined ||
      (must.since !== undefined && !isVersionAtLeast(version, must.since)) ||
      (must.until !== undefined && isVersionAtLeast(version, must.until)) ||
      member(object, name) !== undefined,
  );

/** The type of a property; undefined for a type whose required members are missing. */
const completeType = (object: JsonObject, version: OdcsVersion): string | undefined => {
  const type = toLegalType(object, version);
  const part = (name: string): JsonObject => {
    const value = member(object, name) ?? null;
    return isObject(value) ? value : {};
  };
  if (type === 'map') return Object.keys(shapes.MAP).every((name) => name in part('map')) ? type : undefined;
  if (type !== 'vector') return type;
  return Number(member(part('logicalTypeOptions'), 'dimensions')) > 0 ? type : undefined;
};

const conformProperty = (object: JsonObject, members: MemberShapes, path: string, walk: ConformWalk): JsonObject => {
  const type = completeType(object, walk.version);
  const { logicalType: written, logicalTypeOptions: options, properties, items, ...rest } = object;
  const result = conformMembers(rest, members, path, walk);
  if (type !== undefined) result['logicalType'] = type;
  else if (written !== undefined) dropPath(walk, joinPath(path, 'logicalType'));
  if (options !== undefined && isObject(options)) {
    const inner = joinPath(path, 'logicalTypeOptions');
    const kept = conformOptions(options, type, walk.version, (name) => dropPath(walk, joinPath(inner, name)));
    if (Object.keys(kept).length > 0 || Object.keys(options).length === 0) result['logicalTypeOptions'] = kept;
  }
  const children = type === 'array' && properties !== undefined && items === undefined;
  const moved: Json | undefined = children ? { logicalType: 'object', properties } : items;
  setConformed(result, 'items', moved, members, path, walk, type === undefined || type === 'array');
  const holds = type === undefined || type === 'object' || members === shapes.ITEM;
  if (!children) setConformed(result, 'properties', properties, members, path, walk, holds);
  return result;
};

const setConformed = (
  result: MutableJsonObject,
  name: string,
  value: Json | undefined,
  members: MemberShapes,
  path: string,
  walk: ConformWalk,
  isAllowed: boolean,
): void => {
  const shape = members[name]?.shape;
  if (value === undefined || shape === undefined) return;
  const kept = isAllowed
    ? conformValue(value, shape, joinPath(path, name), walk)
    : dropPath(walk, joinPath(path, name));
  if (kept !== undefined) result[name] = kept;
};

const conformSchemaObject = (object: JsonObject, path: string, walk: ConformWalk): JsonObject => {
  const type = textMember(object, 'logicalType')?.toLowerCase();
  const legal = type === 'blob' && !isVersionAtLeast(walk.version, 'v3.2.0') ? 'object' : type;
  return conformMembers(
    legal === 'object' || legal === 'blob' ? { ...object, logicalType: legal } : object,
    shapes.SCHEMA_OBJECT,
    path,
    walk,
  );
};

const conformRule = (written: JsonObject, path: string, walk: ConformWalk): JsonObject => {
  const legal = toLegalRule(written, walk.version);
  const said: MutableJsonObject = { ...legal };
  const details: MutableJsonObject = {};
  for (const name of Object.keys(shapes.RULE_DETAILS)) {
    const value = member(legal, name);
    if (value !== undefined) setMember(details, name, value);
    delete said[name];
  }
  return { ...conformMembers(said, shapes.RULE, path, walk), ...details };
};

const conformServer = (object: JsonObject, path: string, walk: ConformWalk): JsonObject | undefined => {
  const wanted = textMember(object, 'type') ?? 'custom';
  const type = serverType(object, wanted, walk.version);
  const details = serverDetails(object, type, walk.version);
  const common: MutableJsonObject = { ...object, type };
  for (const name of Object.keys(object)) {
    if (!SERVER_DETAILS.has(name)) continue;
    delete common[name];
    if (member(details, name) === undefined) dropPath(walk, joinPath(path, name));
  }
  const result = { ...conformMembers(common, shapes.SERVER, path, walk), ...details };
  if (member(result, 'server') === undefined) return dropPath(walk, path);
  const directory = member(result, 'stagingDir');
  if (type !== 'athena' || directory === undefined || isVersionAtLeast(walk.version, 'v3.0.2')) return result;
  const { stagingDir: _, ...rest } = result;
  return { ...rest, staging_dir: directory };
};

const SHORT_REFERENCE = /^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$/;
const FULL_REFERENCE =
  /^(?:(?:https?:\/\/)?[A-Za-z0-9._\-/]+\.yaml#)?\/?[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+(?:\/[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+)*$/;

const SHORT_REFERENCE_32 = /^[A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)+$/;
const FULL_REFERENCE_32 =
  /^(?:(?:https?:\/\/)?[A-Za-z0-9._\-/]+\.ya?ml#)?\/?[A-Za-z_][A-Za-z0-9_]*\/[^\s.#/\\@!%&^]+(?:\/[A-Za-z_][A-Za-z0-9_]*\/[^\s.#/\\@!%&^]+)*$/;

const isReferenceOf =
  (version: OdcsVersion) =>
  (value: Json): boolean => {
    const patterns = isVersionAtLeast(version, 'v3.2.0')
      ? [SHORT_REFERENCE_32, FULL_REFERENCE_32]
      : [SHORT_REFERENCE, FULL_REFERENCE];
    return typeof value === 'string' && value.length < 1_000 && patterns.some((pattern) => pattern.test(value));
  };

/**
 * Whether a relationship is valid. One of a property starts at that property, so only one of an object has a `from`.
 */
const isRelationship = (object: JsonObject, path: string, version: OdcsVersion): boolean => {
  const isReference = isReferenceOf(version);
  const isReferences = (value: Json): boolean => isArray(value) && value.length > 0 && value.every(isReference);
  const to = member(object, 'to') ?? null;
  const from = member(object, 'from');
  if (/\.(properties\[\d+\]|items|map\.(key|value))\.relationships\[\d+\]$/.test(path)) {
    return from === undefined && (isReference(to) || isReferences(to));
  }
  return from !== undefined && ((isReference(from) && isReference(to)) || (isReferences(from) && isReferences(to)));
};

/** Reduces a document in the shape of 3.2.0 to what a version of 3.x allows; `dropped` receives the dropped paths. */
const conformDocument = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformMembers(document, shapes.DOCUMENT_SHAPE, '', { version, dropped });

/** Does the same and keeps quality rules at the root, which no version defines. */
const conformDocumentWithRules = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformMembers(document, { ...shapes.DOCUMENT_SHAPE, quality: shapes.ROOT_QUALITY }, '', { version, dropped });

/** Replaces the team by its members, because a team is a list before 3.1.0. */
const flattenTeam = (document: JsonObject, dropped: string[]): JsonObject => {
  const team = member(document, 'team') ?? null;
  if (!isObject(team)) return document;
  for (const name of Object.keys(team)) if (name !== 'members') dropped.push(joinPath('team', name));
  const members = member(team, 'members') ?? [];
  const result: MutableJsonObject = { ...document };
  if (isArray(members) && members.length > 0) setMember(result, 'team', members);
  else delete result['team'];
  return result;
};

/** Converts a time in the notation of 2.x to the one that 3.x requires. */
const toIsoTime = (text: string): string => text.replace(/^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)$/, '$1T$2Z');

const deferObjectMembers = (document: JsonObject, names: readonly string[]): JsonObject =>
  mapListMember(document, 'schema', (object) => (shapes.isBareColumn(object) ? object : deferMembers(object, names)));

/** Stores members of 3.2.0 as custom properties, and fills in the status, which was required before. */
const prepareBefore32 = (document: JsonObject): JsonObject => {
  const deferred = deferObjectMembers(deferMembers(document, ['context']), NEW_OBJECT_MEMBERS);
  return member(deferred, 'status') === undefined ? withMember(deferred, 'status', 'draft') : deferred;
};

const prepareDocument = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject => {
  const isOld = !isVersionAtLeast(version, 'v3.1.0');
  const ready = isVersionAtLeast(version, 'v3.2.0') ? document : prepareBefore32(document);
  const kept = isOld ? deferObjectMembers(flattenTeam(ready, dropped), ['relationships']) : ready;
  const rooted = isVersionAtLeast(version, 'v3.0.1') ? kept : deferMembers(kept, ['authoritativeDefinitions']);
  return mapMember(rooted, 'contractCreatedTs', (value) => (typeof value === 'string' ? toIsoTime(value) : value));
};

/** Converts a document to a version of 3.x; `dropped` receives the paths that the version cannot represent. */
export const downgradeTo3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(conformDocument(prepareDocument(document, version, dropped), version, dropped), 'apiVersion', version);

/** Does the same and keeps understood members in places that no version defines. It is used for comparison only. */
export const viewAsVersion3 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  withMember(
    conformDocumentWithRules(prepareDocument(document, version, dropped), version, dropped),
    'apiVersion',
    version,
  );
