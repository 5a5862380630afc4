import { groupBy } from '../../model/group-by.ts';
import {
  canonicalJson,
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { ODCS_ENGINE, RULE_CHECK_MEMBERS } from './versions/rules-v3.ts';

/**
 * Three-way merge of documents: applies the difference between two views to the source they were made from. A view
 * contains less than its source and may spell it differently; whatever is equal in both views stays in the source as
 * written.
 */

/** The members that identify the items of a list, in order of precedence. */
const IDENTITIES: Readonly<Record<string, readonly string[]>> = {
  schema: ['name'],
  properties: ['name'],
  dataset: ['table', 'name'],
  tables: ['table', 'name'],
  columns: ['column', 'name'],
  quality: ['id'],
  team: ['username', 'name'],
  members: ['username', 'name'],
  stakeholders: ['username', 'name'],
  roles: ['role'],
  slaProperties: ['property'],
  customProperties: ['property'],
  support: ['channel', 'url'],
  servers: ['server'],
  authoritativeDefinitions: ['url'],
};
const DEFAULT_IDENTITIES = ['id', 'url', 'name', 'channel', 'server'] as const;

/** Members with alternative names; a change is written under the name that the source uses. */
const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  apiVersion: ['standardVersion', 'templateName'],
  standardVersion: ['apiVersion', 'templateName'],
  isPrimaryKey: ['isPrimary', 'primary'],
  isNullable: ['nullable'],
  project: ['datasetProject'],
  metric: ['rule'],
  rule: ['metric'],
  stagingDir: ['staging_dir'],
};

/** Lists that may also be written inside an object. */
const WRAPPINGS: Readonly<Record<string, string>> = { dataset: 'tables', team: 'members' };

const ownEntry = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

const identityOf = (item: Json, list: string): string => {
  if (!isObject(item)) return `=${canonicalJson(item)}`;
  for (const name of ownEntry(IDENTITIES, list) ?? DEFAULT_IDENTITIES) {
    const value = member(item, name) ?? null;
    if (value !== null) return `${typeof value}:${typeof value === 'object' ? canonicalJson(value) : value}`;
  }
  return '';
};

/** The indexes of items by identity. */
const groupByIdentity = (items: readonly Json[], list: string): Map<string, number[]> =>
  groupBy(items.keys(), (index) => identityOf(items[index] ?? null, list));

/** Pairs indexes of items with the same identity: equal items first, the others in order. */
const pairGroup = (
  from: readonly Json[],
  to: readonly Json[],
  fromIndexes: readonly number[],
  toIndexes: readonly number[],
  note: (from: number, to: number) => void,
): void => {
  const waiting = new Map<string, number[]>();
  for (const index of [...fromIndexes].reverse()) {
    const text = canonicalJson(from[index] ?? null);
    const same = waiting.get(text);
    if (same) same.push(index);
    else waiting.set(text, [index]);
  }
  const taken = new Set<number>();
  const changed: number[] = [];
  for (const index of toIndexes) {
    const equal = waiting.get(canonicalJson(to[index] ?? null))?.pop();
    if (equal === undefined) changed.push(index);
    else {
      taken.add(equal);
      note(equal, index);
    }
  }
  const left = fromIndexes.filter((index) => !taken.has(index));
  for (const [nth, index] of changed.entries()) {
    const partner = left[nth];
    if (partner !== undefined) note(partner, index);
  }
};

/** Finds the index in `from` of each item of `to` that has a partner there. */
const findPartners = (from: readonly Json[], to: readonly Json[], list: string): Map<number, number> => {
  const found = new Map<number, number>();
  const groups = groupByIdentity(from, list);
  for (const [key, toIndexes] of groupByIdentity(to, list)) {
    const fromIndexes = groups.get(key);
    if (!fromIndexes) continue;
    const [only] = fromIndexes;
    const [one] = toIndexes;
    if (fromIndexes.length === 1 && toIndexes.length === 1 && only !== undefined && one !== undefined) {
      found.set(one, only);
    } else {
      pairGroup(from, to, fromIndexes, toIndexes, (index, partner) => found.set(partner, index));
    }
  }
  return found;
};

/** Finds the index of a view's item in the source. A view that omits nothing has the same indexes. */
const locateInSource = (
  source: readonly Json[],
  base: readonly Json[],
  list: string,
): ((index: number) => number | undefined) => {
  if (source.length === base.length) return (index) => index;
  const found = findPartners(source, base, list);
  return (index) => found.get(index);
};

const mergeList = (source: readonly Json[], base: readonly Json[], target: readonly Json[], list: string): Json => {
  const placeOf = locateInSource(source, base, list);
  const before = findPartners(base, target, list);
  const known = new Set<number>();
  for (const index of base.keys()) {
    const place = placeOf(index);
    if (place !== undefined) known.add(place);
  }
  const out: { value: Json; place: number | undefined }[] = [];
  for (const [index, item] of target.entries()) {
    const was = before.get(index);
    const place = was === undefined ? undefined : placeOf(was);
    const old = was === undefined ? undefined : base[was];
    if (old === undefined) out.push({ value: item, place: undefined });
    else if (place !== undefined) out.push({ value: mergeValue(source[place], old, item, '') ?? item, place });
    else if (!equalJson(old, item)) out.push({ value: item, place: undefined });
  }
  return restoreHidden(source, known, out);
};

/** Restores items that the view never contained, each after the item that it followed. */
const restoreHidden = (
  source: readonly Json[],
  known: ReadonlySet<number>,
  out: readonly { value: Json; place: number | undefined }[],
): Json => {
  if (known.size === source.length) return out.map(({ value }) => value);
  const kept = new Set(out.map(({ place }) => place));
  const behind = new Map<number, Json[]>();
  let anchor = -1;
  for (const [index, item] of source.entries()) {
    if (kept.has(index)) anchor = index;
    else if (!known.has(index)) {
      const followers = behind.get(anchor);
      if (followers) followers.push(item);
      else behind.set(anchor, [item]);
    }
  }
  const result = [...(behind.get(-1) ?? [])];
  for (const { value, place } of out) {
    result.push(value);
    for (const follower of place === undefined ? [] : (behind.get(place) ?? [])) result.push(follower);
  }
  return result;
};

const sourceSpelling = (source: JsonObject, name: string): string =>
  Object.hasOwn(source, name)
    ? name
    : (ownEntry(SPELLINGS, name)?.find((other) => Object.hasOwn(source, other)) ?? name);

/**
 * A rule that one side can only express as a whole is replaced as a whole, because its check cannot be combined from
 * two notations.
 */
const replaceWholeCheck = (source: JsonObject, base: JsonObject, target: JsonObject): JsonObject => {
  if (member(base, 'engine') !== ODCS_ENGINE && member(target, 'engine') !== ODCS_ENGINE) return source;
  if (RULE_CHECK_MEMBERS.every((name) => equalJson(member(base, name), member(target, name)))) return source;
  const result: MutableJsonObject = { ...source };
  for (const name of RULE_CHECK_MEMBERS) {
    const value = member(target, name);
    if (value === undefined) delete result[name];
    else setMember(result, name, value);
  }
  return result;
};

const mergeObject = (written: JsonObject, base: JsonObject, target: JsonObject): JsonObject => {
  const source = replaceWholeCheck(written, base, target);
  const changes = new Map<string, Json | undefined>();
  for (const name of new Set([...Object.keys(target), ...Object.keys(base)])) {
    const before = member(base, name);
    const after = member(target, name);
    if (equalJson(before, after)) continue;
    const spelled = sourceSpelling(source, name);
    changes.set(spelled, mergeValue(member(source, spelled), before, after, name));
  }
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(source)) {
    const changed = changes.has(name) ? changes.get(name) : value;
    if (changed !== undefined) setMember(result, name, changed);
    changes.delete(name);
  }
  for (const [name, value] of changes) {
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/** Merges one value of the source; undefined removes it. `list` is the name of the member that contains it. */
const mergeValue = (
  source: Json | undefined,
  base: Json | undefined,
  target: Json | undefined,
  list: string,
): Json | undefined => {
  if (equalJson(base, target)) return source;
  if (source === undefined || base === undefined || target === undefined) return target;
  if (isObject(source) && isObject(base) && isObject(target)) return mergeObject(source, base, target);
  if (!isArray(base) || !isArray(target)) return target;
  if (isArray(source)) return mergeList(source, base, target, list);
  const wrapped = ownEntry(WRAPPINGS, list);
  const inner = wrapped !== undefined && isObject(source) ? member(source, wrapped) : undefined;
  if (wrapped === undefined || !isObject(source) || !isArray(inner)) return target;
  return mergeObject(source, { [wrapped]: base }, { [wrapped]: target });
};

/**
 * Applies the difference between `base` and `target` to `source`: values that are equal in both stay as written in
 * `source`; others are added, changed or removed.
 */
export const threeWayMerge = (source: JsonObject, base: JsonObject, target: JsonObject): JsonObject =>
  equalJson(base, target) ? source : mergeObject(source, base, target);
