import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../../model/json.ts';
import { joinPath } from '../issues.ts';
import { CONVERSIONS, type DowngradeContext, isLegalId, toOptionsOf } from './conversions-v3.ts';
import { LEAVES } from './leaves.ts';
import { isInRange, type MemberShapes, type ObjectShape, type ValueShape } from './member-shapes.ts';
import { DOCUMENT, DOCUMENT_WITH_RULES } from './shape.ts';
import { deferMembers } from './structure.ts';
import { optionsOf } from './type-options.ts';
import type { OdcsVersion } from './version.ts';

/** Converts documents between versions of 3.x by the table of members, and repairs documents of 3.1.0 and later. */

type ObjectChange = (object: JsonObject, shape: ObjectShape) => JsonObject;

const mapValue = (value: Json, shape: ValueShape, change: ObjectChange): Json => {
  if ('leaf' in shape) return value;
  if ('listOrObject' in shape) return mapValue(value, shape.listOrObject[isObject(value) ? 1 : 0], change);
  if ('object' in shape) return isObject(value) ? mapObjects(value, shape.object(value), change) : value;
  if (!isArray(value)) return value;
  const inner = shape.list();
  return 'leaf' in inner ? value : value.map((item) => mapValue(item, inner, change));
};

/** Changes the objects of a document, outer ones first. Members that the table does not have stay. */
export const mapObjects = (object: JsonObject, shape: ObjectShape, change: ObjectChange): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(change(object, shape))) {
    const known = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    setMember(result, name, known ? mapValue(value, known.shape, change) : value);
  }
  return result;
};

/** Converts a normalized document of 3.x to the shape of the newest version, and keeps newer members that it has. */
export const upgradeFrom3 = (document: JsonObject, version: OdcsVersion): JsonObject =>
  mapObjects(document, DOCUMENT_WITH_RULES, (object, { conversion }) => {
    const { upgrade } = conversion ? CONVERSIONS[conversion] : {};
    return upgrade ? upgrade(object, version) : object;
  });

/**
 * Repairs known violations of the schema in a document of 3.1.0 or later, even where nothing was edited (odcs.md 5.1).
 * Everything else stays unchanged.
 */
export const repairDocument = (document: JsonObject, version: OdcsVersion): JsonObject =>
  mapObjects(document, DOCUMENT, (object, { conversion }) => {
    const { repair } = conversion ? CONVERSIONS[conversion] : {};
    return repair ? repair(object, version) : object;
  });

type ConformWalk = { readonly version: OdcsVersion; readonly dropped: string[] };

const dropPath = (walk: ConformWalk, path: string): undefined => {
  walk.dropped.push(path);
  return undefined;
};

const fitsLeaf = (value: Json, shape: Extract<ValueShape, { leaf: unknown }>, version: OdcsVersion): boolean => {
  const { leaf, words, open } = shape;
  if (words && !open && !(typeof value === 'string' && words.includes(value))) return false;
  return LEAVES[leaf].fits(value) && (leaf !== 'id' || isLegalId(String(value), version));
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
  return isObject(value) ? conformObject(value, shape.object(value), path, walk) : dropPath(walk, path);
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
    const kept =
      known && isInRange(walk.version, known) ? conformValue(value, known.shape, inner, walk) : dropPath(walk, inner);
    if (kept !== undefined) setMember(result, name, kept);
  }
  return result;
};

/** Keeps the options that the version allows for the type of a property. */
const conformOptions = (object: JsonObject, path: string, walk: ConformWalk): JsonObject => {
  const options = member(object, 'logicalTypeOptions') ?? null;
  if (!isObject(options)) return object;
  const allowed = optionsOf(String(member(object, 'logicalType')), walk.version);
  const written = toOptionsOf(options, walk.version);
  const kept = conformMembers(written, allowed, joinPath(path, 'logicalTypeOptions'), walk);
  const { logicalTypeOptions: _, ...rest } = object;
  return Object.keys(kept).length > 0 || Object.keys(options).length === 0
    ? { ...rest, logicalTypeOptions: kept }
    : rest;
};

/** The members that a version has among the custom properties. */
export const deferredMembersOf = ({ members }: ObjectShape, version: OdcsVersion): readonly string[] =>
  Object.keys(members).filter((name) => {
    const known = members[name];
    return known?.deferred === true && !isInRange(version, known);
  });

const hasRequiredMembers = (object: JsonObject, members: MemberShapes, version: OdcsVersion): boolean =>
  Object.entries(members).every(
    ([name, { must }]) => must === undefined || !isInRange(version, must) || member(object, name) !== undefined,
  );

const conformObject = (
  object: JsonObject,
  shape: ObjectShape,
  path: string,
  walk: ConformWalk,
): JsonObject | undefined => {
  const { members, conversion } = shape;
  const { downgrade } = conversion ? CONVERSIONS[conversion] : {};
  const context: DowngradeContext = { version: walk.version, path, drop: (dropped) => dropPath(walk, dropped) };
  const said = downgrade ? downgrade(object, context) : object;
  if (said === undefined) return dropPath(walk, path);
  const placed = deferMembers(said, deferredMembersOf(shape, walk.version));
  const ready = conversion === 'property' || conversion === 'item' ? conformOptions(placed, path, walk) : placed;
  const result = conformMembers(ready, members, path, walk);
  return hasRequiredMembers(result, members, walk.version) ? result : dropPath(walk, path);
};

const conformDocument =
  (shape: ObjectShape) =>
  (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
    conformObject(document, shape, '', { version, dropped }) ?? {};

/** Converts a document to a version of 3.x; `dropped` receives the paths that the version cannot represent. */
export const downgradeTo3 = conformDocument(DOCUMENT);

/** Does the same and keeps understood members in places that no version defines. It is used for comparison only. */
export const viewAsVersion3 = conformDocument(DOCUMENT_WITH_RULES);
