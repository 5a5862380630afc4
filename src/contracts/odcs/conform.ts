import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { conformOptions, legalType } from './conform-type.ts';
import { at } from './problem.ts';
import { legalRule } from './rules.ts';
import { SERVER_DETAILS, serverDetails, serverType } from './servers.ts';
import type { Members, Shape } from './shape.ts';
import * as shapes from './shape.ts';
import { isAtLeast, type OdcsVersion } from './version.ts';
import { textOf } from './walk.ts';

/** Keeps of a document in the shape of 3.1.0 what a version of 3.x allows, and says what it left out. */

type Walk = { readonly version: OdcsVersion; readonly dropped: string[] };

const left = (walk: Walk, path: string): undefined => {
  walk.dropped.push(path);
  return undefined;
};

const ID = /^[A-Za-z0-9_-]+$/;

const leafFits = (value: Json, shape: Extract<Shape, { leaf: unknown }>): boolean => {
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

const conformed = (value: Json, shape: Shape, path: string, walk: Walk): Json | undefined => {
  if ('leaf' in shape) return leafFits(value, shape) ? value : left(walk, path);
  if ('listOrObject' in shape) return conformed(value, shape.listOrObject[isObject(value) ? 1 : 0], path, walk);
  if ('list' in shape) {
    if (!isArray(value)) return left(walk, path);
    const inner = shape.list();
    return value.flatMap((item, index) => {
      const kept = conformed(item, inner, at(path, index), walk);
      return kept === undefined ? [] : [kept];
    });
  }
  return isObject(value) ? conformedObject(value, shape.members(value), path, walk) : left(walk, path);
};

const conformedMembers = (object: JsonObject, members: Members, path: string, walk: Walk): MutableJsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const known = Object.hasOwn(members, name) ? members[name] : undefined;
    const inner = at(path, name);
    if (!known || (known.since && !isAtLeast(walk.version, known.since))) left(walk, inner);
    else {
      const kept = conformed(value, known.shape, inner, walk);
      if (kept !== undefined) setMember(result, name, kept);
    }
  }
  return result;
};

const conformedObject = (object: JsonObject, members: Members, path: string, walk: Walk): JsonObject | undefined => {
  if (members === shapes.PROPERTY || members === shapes.ITEM) return property(object, members, path, walk);
  if (members === shapes.SCHEMA_OBJECT) return schemaObject(object, path, walk);
  if (members === shapes.RULE) return rule(object, path, walk);
  if (members === shapes.SERVER) return server(object, path, walk);
  if (members === shapes.RELATIONSHIP && !isRelationship(object, path)) return left(walk, path);
  const filled =
    members === shapes.PERSON || members === shapes.CUSTOM_PROPERTY ? completed(object, members, walk) : object;
  const result = conformedMembers(filled, members, path, walk);
  return isComplete(result, members, walk.version) ? result : left(walk, path);
};

/** Members that 3.1.0 asks for and earlier versions did not. */
const completed = (object: JsonObject, members: Members, { version }: Walk): JsonObject => {
  if (!isAtLeast(version, 'v3.1.0')) return object;
  if (members === shapes.CUSTOM_PROPERTY) {
    return member(object, 'value') === undefined ? { ...object, value: null } : object;
  }
  const name = textOf(object, 'name') ?? textOf(object, 'role');
  return textOf(object, 'username') !== undefined || name === undefined ? object : { ...object, username: name };
};

const isComplete = (object: JsonObject, members: Members, version: OdcsVersion): boolean =>
  Object.entries(members).every(
    ([name, { must }]) =>
      must === undefined ||
      (must.since !== undefined && !isAtLeast(version, must.since)) ||
      (must.until !== undefined && isAtLeast(version, must.until)) ||
      member(object, name) !== undefined,
  );

const property = (object: JsonObject, members: Members, path: string, walk: Walk): JsonObject => {
  const type = legalType(object, walk.version);
  const { logicalType: written, logicalTypeOptions: options, properties, items, ...rest } = object;
  const result = conformedMembers(rest, members, path, walk);
  if (type !== undefined) result['logicalType'] = type;
  else if (written !== undefined) left(walk, at(path, 'logicalType'));
  if (options !== undefined && isObject(options)) {
    const inner = at(path, 'logicalTypeOptions');
    const kept = conformOptions(options, type, walk.version, (name) => left(walk, at(inner, name)));
    if (Object.keys(kept).length > 0 || Object.keys(options).length === 0) result['logicalTypeOptions'] = kept;
  }
  const children = type === 'array' && properties !== undefined && items === undefined;
  const moved: Json | undefined = children ? { logicalType: 'object', properties } : items;
  place(result, 'items', moved, members, path, walk, type === undefined || type === 'array');
  const holds = type === undefined || type === 'object' || members === shapes.ITEM;
  if (!children) place(result, 'properties', properties, members, path, walk, holds);
  return result;
};

const place = (
  result: MutableJsonObject,
  name: string,
  value: Json | undefined,
  members: Members,
  path: string,
  walk: Walk,
  isAllowed: boolean,
): void => {
  const shape = members[name]?.shape;
  if (value === undefined || shape === undefined) return;
  const kept = isAllowed ? conformed(value, shape, at(path, name), walk) : left(walk, at(path, name));
  if (kept !== undefined) result[name] = kept;
};

const schemaObject = (object: JsonObject, path: string, walk: Walk): JsonObject => {
  const type = textOf(object, 'logicalType')?.toLowerCase();
  return conformedMembers(
    type === 'object' ? { ...object, logicalType: type } : object,
    shapes.SCHEMA_OBJECT,
    path,
    walk,
  );
};

const rule = (written: JsonObject, path: string, walk: Walk): JsonObject => {
  const legal = legalRule(written, walk.version);
  const said: MutableJsonObject = { ...legal };
  const details: MutableJsonObject = {};
  for (const name of Object.keys(shapes.RULE_DETAILS)) {
    const value = member(legal, name);
    if (value !== undefined) setMember(details, name, value);
    delete said[name];
  }
  return { ...conformedMembers(said, shapes.RULE, path, walk), ...details };
};

const server = (object: JsonObject, path: string, walk: Walk): JsonObject | undefined => {
  const wanted = textOf(object, 'type') ?? 'custom';
  const type = serverType(object, wanted, walk.version);
  const details = serverDetails(object, type, walk.version);
  const common: MutableJsonObject = { ...object, type };
  for (const name of Object.keys(object)) {
    if (!SERVER_DETAILS.has(name)) continue;
    delete common[name];
    if (member(details, name) === undefined) left(walk, at(path, name));
  }
  const result = { ...conformedMembers(common, shapes.SERVER, path, walk), ...details };
  if (member(result, 'server') === undefined) return left(walk, path);
  const directory = member(result, 'stagingDir');
  if (type !== 'athena' || directory === undefined || isAtLeast(walk.version, 'v3.0.2')) return result;
  const { stagingDir: _, ...rest } = result;
  return { ...rest, staging_dir: directory };
};

const SHORT_REFERENCE = /^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$/;
const FULL_REFERENCE =
  /^(?:(?:https?:\/\/)?[A-Za-z0-9._\-/]+\.yaml#)?\/?[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+(?:\/[A-Za-z_][A-Za-z0-9_]*\/[A-Za-z0-9_-]+)*$/;

const isReference = (value: Json): boolean =>
  typeof value === 'string' && value.length < 1_000 && (SHORT_REFERENCE.test(value) || FULL_REFERENCE.test(value));
const isReferences = (value: Json): boolean => isArray(value) && value.length > 0 && value.every(isReference);

/** A property refers from itself, so only an object says where from. */
const isRelationship = (object: JsonObject, path: string): boolean => {
  const to = member(object, 'to') ?? null;
  const from = member(object, 'from');
  if (/\.(properties\[\d+\]|items)\.relationships\[\d+\]$/.test(path)) {
    return from === undefined && (isReference(to) || isReferences(to));
  }
  return from !== undefined && ((isReference(from) && isReference(to)) || (isReferences(from) && isReferences(to)));
};

/** A document in the shape of 3.1.0 as a version of 3.x allows it; `dropped` gets the paths of what is left out. */
export const conformedDocument = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformedMembers(document, shapes.DOCUMENT, '', { version, dropped });

/** The same with the rules that stand at the root, where no version has them. */
export const conformedWithRules = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  conformedMembers(document, { ...shapes.DOCUMENT, quality: shapes.ROOT_QUALITY }, '', { version, dropped });
