import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { conformOptions, toLegalType } from './conform-type.ts';
import { joinPath } from './problem.ts';
import { toLegalRule } from './rules.ts';
import { SERVER_DETAILS, serverDetails, serverType } from './servers.ts';
import type { MemberShapes, ValueShape } from './shape.ts';
import * as shapes from './shape.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';
import { textMember } from './walk.ts';

/** Reduces a document in the shape of 3.1.0 to what a version of 3.x allows, and reports what it drops. */

type ConformWalk = { readonly version: OdcsVersion; readonly dropped: string[] };

const dropPath = (walk: ConformWalk, path: string): undefined => {
  walk.dropped.push(path);
  return undefined;
};

const ID = /^[A-Za-z0-9_-]+$/;

const fitsLeaf = (value: Json, shape: Extract<ValueShape, { leaf: unknown }>): boolean => {
  const { leaf, words } = shape;
  if (words && !(typeof value === 'string' && words.includes(value))) return false;
  switch (leaf) {
    case 'json':
      return true;
    case 'id':
      return typeof value === 'string' && ID.test(value);
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
  if ('leaf' in shape) return fitsLeaf(value, shape) ? value : dropPath(walk, path);
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
  if (members === shapes.RELATIONSHIP && !isRelationship(object, path)) return dropPath(walk, path);
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

const conformProperty = (object: JsonObject, members: MemberShapes, path: string, walk: ConformWalk): JsonObject => {
  const type = toLegalType(object, walk.version);
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
  return conformMembers(
    type === 'object' ? { ...object, logicalType: type } : object,
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

const isReference = (value: Json): boolean =>
  typeof value === 'string' && value.length < 1_000 && (SHORT_REFERENCE.test(value) || FULL_REFERENCE.test(value));
const isReferences = (value: Json): boolean => isArray(value) && value.length > 0 && value.every(isReference);

/**
 * Whether a relationship is valid. One of a property starts at that property, so only one of an object has a `from`.
 */
const isRelationship = (object: JsonObject, path: string): boolean => {
  const to = member(object, 'to') ?? null;
  const from = member(object, 'from');
  if (/\.(properties\[\d+\]|items)\.relationships\[\d+\]$/.test(path)) {
    return from === undefined && (isReference(to) || isReferences(to));
  }
  return from !== undefined && ((isReference(from) && isReference(to)) || (isReferences(from) && isReferences(to)));
};

/** Reduces a document in the shape of 3.1.0 to what a version of 3.x allows; `dropped` receives the dropped paths. */
export const conformDocument = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformMembers(document, shapes.DOCUMENT_SHAPE, '', { version, dropped });

/** Does the same and keeps quality rules at the root, which no version defines. */
export const conformDocumentWithRules = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformMembers(document, { ...shapes.DOCUMENT_SHAPE, quality: shapes.ROOT_QUALITY }, '', { version, dropped });
