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
import { setDefined } from '../json-parts.ts';
import { FORMER_CONVERSIONS, OBJECT_CONVERSIONS, SPREAD_CONVERSIONS } from './conversions-v2.ts';
import { isInRange, type MemberShape, membersOf, type ObjectShape, type ValueShape } from './member-shapes.ts';
import { DOCUMENT } from './shape.ts';
import { coerceToShape, deferMember, deferMembers } from './structure.ts';
import { NEWEST_VERSION, type OdcsVersion } from './version.ts';

/** Converts documents between 2.2.x and the shape of the newest version by the table of members. */

/** Keeps members that neither version defines, except under names that have another meaning in 3.x. */
const keepUnknown = (source: JsonObject, target: MutableJsonObject, shape: ObjectShape, version: OdcsVersion): void => {
  const [former, present] = [membersOf(shape, version), membersOf(shape, NEWEST_VERSION)];
  for (const [name, value] of Object.entries(source)) {
    const hasOtherMeaning = Object.hasOwn(present, name) && (shape.isRenamed ?? present[name]?.was !== undefined);
    if (!Object.hasOwn(former, name) && !hasOtherMeaning) setMember(target, name, value);
  }
};

const upgradeValue = (value: Json, shape: ValueShape, version: OdcsVersion): Json => {
  if ('leaf' in shape) return value;
  if ('listOrObject' in shape) return upgradeValue(value, shape.listOrObject[isObject(value) ? 1 : 0], version);
  if ('object' in shape) return isObject(value) ? upgradeObject(value, shape.object(value), version) : value;
  const inner = shape.list();
  return isArray(value) ? value.map((item) => upgradeValue(item, inner, version)) : value;
};

const readFormerValue = (source: JsonObject, name: string, { shape, was }: MemberShape, version: OdcsVersion) => {
  const { names = [], conversion, spread } = was ?? { names: [] };
  const former = conversion && FORMER_CONVERSIONS[conversion];
  if (spread && conversion) return SPREAD_CONVERSIONS[conversion]?.upgrade(source);
  const found = (names.length === 0 ? [name] : names).find((other) => member(source, other) !== undefined);
  const value = found === undefined ? undefined : member(source, found);
  const converted = value === undefined || !former?.upgrade ? value : former.upgrade(value);
  const isRule = conversion === 'rules' || conversion === 'tableRules';
  return converted === undefined || isRule ? converted : upgradeValue(converted, was?.shape ?? shape, version);
};

const upgradeObject = (source: JsonObject, shape: ObjectShape, version: OdcsVersion): JsonObject => {
  const result: MutableJsonObject = {};
  const moved: Json[] = [];
  for (const [name, known] of Object.entries(shape.members)) {
    const value = known.was && readFormerValue(source, name, known, version);
    if (value === undefined) continue;
    if (known.until) moved.push({ property: name, value });
    else setMember(result, name, value);
  }
  const own = member(result, 'customProperties') ?? [];
  if (moved.length > 0) result['customProperties'] = [...moved, ...(isArray(own) ? own : [])];
  keepUnknown(source, result, shape, version);
  return OBJECT_CONVERSIONS[shape.conversion ?? 'item']?.upgrade?.(result) ?? result;
};

/** Converts a normalized document of 2.2.x to the shape of the newest version. */
export const upgradeFrom2 = (document: JsonObject, version: OdcsVersion): JsonObject =>
  upgradeObject(document, DOCUMENT, version);

type DowngradeWalk = { readonly version: OdcsVersion; readonly drop: (path: string) => void };

const downgradeValue = (
  value: Json,
  { shape: present, was }: MemberShape,
  path: string,
  walk: DowngradeWalk,
): Json | undefined => {
  const former = was?.conversion && FORMER_CONVERSIONS[was.conversion];
  const convert = (object: JsonObject, shape: ObjectShape, inner: string) =>
    downgradeObject(object, shape, inner, walk);
  if (former) return former.downgrade(value, { ...walk, path, convert });
  const shape = was?.shape ?? present;
  if ('object' in shape) return isObject(value) ? convert(value, shape.object(value), path) : undefined;
  if (!('list' in shape) || !isArray(value)) return value;
  const inner = shape.list();
  if (!('object' in inner) || shape.keyed) return value;
  return value.flatMap((item, index) =>
    isObject(item) ? (convert(item, inner.object(item), joinPath(path, index)) ?? []) : [],
  );
};

/** Takes the first custom property with a name and a legal value out of a list. */
const takeCustomProperty = (list: Json[], name: string, { shape }: MemberShape): Json | undefined => {
  const index = list.findIndex(
    (entry) =>
      isObject(entry) &&
      member(entry, 'property') === name &&
      coerceToShape(member(entry, 'value') ?? null, shape) !== undefined,
  );
  const entry = index < 0 ? undefined : list.splice(index, 1)[0];
  return entry !== undefined && isObject(entry) ? member(entry, 'value') : undefined;
};

/** Writes a member of 2.2.x; returns whether it is told completely. */
const writeFormerValue = (
  result: MutableJsonObject,
  name: string,
  known: MemberShape,
  value: Json,
  path: string,
  walk: DowngradeWalk,
): boolean => {
  const { names = [], conversion, spread } = known.was ?? { names: [] };
  if (!spread || !conversion) {
    setDefined(result, names[0] ?? name, downgradeValue(value, known, joinPath(path, name), walk));
    return true;
  }
  const written = SPREAD_CONVERSIONS[conversion]?.downgrade(value);
  Object.assign(result, written?.members);
  return written?.isWhole ?? false;
};

const isMissing = (object: JsonObject, [name, { must, was }]: readonly [string, MemberShape], version: OdcsVersion) =>
  must !== undefined &&
  was !== undefined &&
  isInRange(version, must) &&
  member(object, was.names[0] ?? name) === undefined;

const downgradeObject = (
  source: JsonObject,
  shape: ObjectShape,
  path: string,
  walk: DowngradeWalk,
): JsonObject | undefined => {
  const { prepare, complete } = OBJECT_CONVERSIONS[shape.conversion ?? 'item'] ?? {};
  const context = { ...walk, path };
  const rows = Object.entries(shape.members);
  const isDeferred = ([, { deferred, was }]: (typeof rows)[number]) => deferred === true && was === undefined;
  let own = deferMembers(
    prepare ? prepare(source, context) : source,
    rows.filter(isDeferred).map(([name]) => name),
  );
  const result: MutableJsonObject = {};
  for (const [name, known] of rows) {
    const { was, until } = known;
    const value = member(own, name) ?? was?.fallback;
    if (was === undefined || until !== undefined || value === undefined || name === 'customProperties') continue;
    if (!isInRange(walk.version, was)) walk.drop(joinPath(path, name));
    else if (!writeFormerValue(result, name, known, value, path, walk)) own = deferMember(own, name, value);
  }
  const { customProperties } = own;
  const list =
    isArray(customProperties ?? null) && shape.members['customProperties']?.was
      ? [...jsonList(customProperties)]
      : undefined;
  for (const [name, known] of rows) {
    const taken = known.until && list ? takeCustomProperty(list, name, known) : undefined;
    if (taken === undefined || known.was === undefined) continue;
    if (isInRange(walk.version, known.was)) setMember(result, name, taken);
    else walk.drop(joinPath(path, name));
  }
  if (list && list.length > 0) result['customProperties'] = list;
  for (const name of Object.keys(own)) {
    const known = Object.hasOwn(shape.members, name) ? shape.members[name] : undefined;
    if (known?.was === undefined || known.until) walk.drop(joinPath(path, name));
  }
  if (rows.some((row) => isMissing(result, row, walk.version))) {
    walk.drop(path);
    return undefined;
  }
  return complete ? complete(result, context) : result;
};

const jsonList = (value: Json | undefined): readonly Json[] => (value !== undefined && isArray(value) ? value : []);

/** Converts a document to a version of 2.2.x; `dropped` receives the paths that the version cannot represent. */
export const downgradeTo2 = (document: JsonObject, version: OdcsVersion, dropped: string[]): JsonObject =>
  downgradeObject(document, DOCUMENT, '', { version, drop: (path) => dropped.push(path) }) ?? {};
