import { canonicalJson, equalJson, isArray, isObject, type Json, type JsonObject, member } from './json.ts';
import { applyColumnRenames, type ColumnRename, foldCase, type NameFold } from './kind/columns.ts';
import { fqnPart, fqnPrefixes } from './name.ts';

/** Compares two states of a record and describes what changed. */

/**
 * How the items of a list are identified: by `name`, by the `id` of a reference, by tag and source of a label, by the
 * value itself, or by a function.
 */
export type ItemIdentity = 'name' | 'id' | 'tag' | 'value' | ((item: Json) => string);

/** A versioned field and how it is compared. A dotted name leads into objects: `dataModel.columns`. */
export type FieldRule = {
  readonly name: string;
  /** The value is a list that is compared item by item, or, with `id`, a single reference. */
  readonly list?: ItemIdentity;
  /** The value is a list by name whose items are compared member by member, and their `children` too. */
  readonly nested?: boolean;
  /** How names in a nested list are compared. By default, letter case does not matter. */
  readonly fold?: NameFold | undefined;
};

/** One entry of a change description. Arrays and objects are JSON text. */
export type FieldChange = { readonly name: string; readonly oldValue?: Json; readonly newValue?: Json };

/** The changes of a write (conventions 9), in the order of the field rules. */
export type ChangeDescription = {
  readonly previousVersion: number;
  readonly fieldsAdded: readonly FieldChange[];
  readonly fieldsUpdated: readonly FieldChange[];
  readonly fieldsDeleted: readonly FieldChange[];
  /** The origin of the present value of each field. Recorded once a caller has given a change source. */
  readonly changeSummary?: ChangeSummary;
};

type ChangeLog = { readonly added: FieldChange[]; readonly updated: FieldChange[]; readonly deleted: FieldChange[] };

const encodeValue = (value: Json): Json =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** Treats null, `[]` and `{}` like an absent member. */
const nonEmpty = (value: Json | undefined): Json | undefined => {
  if (value === undefined || value === null) return undefined;
  if (isArray(value)) return value.length === 0 ? undefined : value;
  return isObject(value) && Object.keys(value).length === 0 ? undefined : value;
};

const logValueChange = (log: ChangeLog, name: string, before: Json | undefined, after: Json | undefined): void => {
  if (before === undefined && after !== undefined) log.added.push({ name, newValue: encodeValue(after) });
  else if (before !== undefined && after === undefined) log.deleted.push({ name, oldValue: encodeValue(before) });
  else if (before !== undefined && after !== undefined && !equalJson(before, after)) {
    log.updated.push({ name, oldValue: encodeValue(before), newValue: encodeValue(after) });
  }
};

const textMember = (item: Json, name: string): string | undefined => {
  const value = isObject(item) ? member(item, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};

const identityOf = ({ list, nested, fold = foldCase }: FieldRule): ((item: Json) => string) => {
  if (typeof list === 'function') return list;
  if (nested) {
    return (item) => {
      const name = textMember(item, 'name');
      return name === undefined ? canonicalJson(item) : fold(name);
    };
  }
  if (list === 'tag')
    return (item) => `${textMember(item, 'source') ?? 'Classification'}\u0001${textMember(item, 'tagFQN')}`;
  if (list === 'name' || list === 'id') return (item) => textMember(item, list) ?? canonicalJson(item);
  return canonicalJson;
};

/**
 * The members of a label that belong to it. The others describe the tag, and a change of the tag is no change of this
 * record.
 */
const labelContent = (label: Json): string =>
  canonicalJson([
    textMember(label, 'labelType') ?? 'Manual',
    textMember(label, 'state') ?? 'Confirmed',
    textMember(label, 'reason') ?? '',
    (isObject(label) ? member(label, 'metadata') : undefined) ?? null,
  ]);

/** Whether two items of one identity differ. References and plain values consist of their identity only. */
const isChangedItem = ({ list }: FieldRule, before: Json, after: Json): boolean => {
  if (list === 'id' || list === 'value') return false;
  return list === 'tag' ? labelContent(before) !== labelContent(after) : !equalJson(before, after);
};

/** Members that are derived, measured elsewhere or compared separately, so no version records them. */
const UNVERSIONED_MEMBERS = new Set(['fullyQualifiedName', 'href', 'profile', 'children']);

/** Lists inside nested items that are compared item by item. */
const ITEM_LISTS: Readonly<Record<string, ItemIdentity>> = { tags: 'tag', owners: 'id' };

const describeItem = (
  log: ChangeLog,
  rule: FieldRule,
  before: JsonObject,
  after: JsonObject,
  isResized: boolean,
): void => {
  const { name: listName, fold } = rule;
  const prefix = `${listName}.${fqnPart(textMember(after, 'name') ?? '')}`;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (UNVERSIONED_MEMBERS.has(name)) continue;
    // An added or removed item moves all later ones, and its own entry already shows that.
    if (isResized && name === 'ordinalPosition') continue;
    const place = name === 'name' ? `${listName}.${fqnPart(textMember(before, 'name') ?? '')}` : prefix;
    const list = Object.hasOwn(ITEM_LISTS, name) ? ITEM_LISTS[name] : undefined;
    const part = { name: `${place}.${name}`, ...(list !== undefined && { list }) };
    describeField(log, part, member(before, name), member(after, name));
  }
  describeField(log, { name: prefix, nested: true, fold }, before['children'], after['children']);
};

type ItemPair = readonly [Json, Json];

const describePairs = (log: ChangeLog, rule: FieldRule, pairs: readonly ItemPair[], isResized: boolean): boolean => {
  const changed = pairs.filter(([before, after]) => before !== after && isChangedItem(rule, before, after));
  if (!rule.nested) {
    if (changed.length === 0) return false;
    const [before, after] = [changed.map(([item]) => item), changed.map(([, item]) => item)];
    log.updated.push({ name: rule.name, oldValue: JSON.stringify(before), newValue: JSON.stringify(after) });
    return true;
  }
  for (const [before, after] of changed) {
    if (isObject(before) && isObject(after)) describeItem(log, rule, before, after, isResized);
  }
  return false;
};

/**
 * Describes a new order of items. References and labels are stored sorted; in every other list, the order is part of
 * the value.
 */
const describeOrder = (log: ChangeLog, rule: FieldRule, before: readonly Json[], after: readonly Json[]): void => {
  if (rule.list === 'id' || rule.list === 'tag') return;
  const identity = identityOf(rule);
  const isSame =
    before.length === after.length && before.every((item, at) => identity(item) === identity(after[at] ?? null));
  if (isSame) return;
  const label = (item: Json): Json => textMember(item, 'name') ?? item;
  const [oldValue, newValue] = [before, after].map((items) => JSON.stringify(items.map(label)));
  log.updated.push({ name: rule.name, oldValue: oldValue ?? '', newValue: newValue ?? '' });
};

const describeList = (log: ChangeLog, rule: FieldRule, before: readonly Json[], after: readonly Json[]): void => {
  if (equalJson(before, after)) return;
  const identity = identityOf(rule);
  const old = new Map(before.map((item) => [identity(item), item]));
  const kept = new Set<string>();
  const added: Json[] = [];
  const pairs: ItemPair[] = [];
  for (const item of after) {
    const key = identity(item);
    const match = old.get(key);
    kept.add(key);
    if (match === undefined) added.push(item);
    else pairs.push([match, item]);
  }
  const removed = before.filter((item) => !kept.has(identity(item)));
  if (added.length > 0) log.added.push({ name: rule.name, newValue: JSON.stringify(added) });
  if (removed.length > 0) log.deleted.push({ name: rule.name, oldValue: JSON.stringify(removed) });
  const isResized = added.length + removed.length > 0;
  const isUpdated = describePairs(log, rule, pairs, isResized);
  if (!isResized && !isUpdated) describeOrder(log, rule, before, after);
};

const isListOrAbsent = (value: Json | undefined): value is readonly Json[] | undefined =>
  value === undefined || isArray(value);

/** A single reference to the same record is unchanged, whatever other members it has. */
const isSameReference = (rule: FieldRule, before: Json | undefined, after: Json | undefined): boolean =>
  rule.list === 'id' && isObject(before) && isObject(after) && identityOf(rule)(before) === identityOf(rule)(after);

const describeField = (log: ChangeLog, rule: FieldRule, before: Json | undefined, after: Json | undefined): void => {
  if (before === after) return;
  const [old, now] = [nonEmpty(before), nonEmpty(after)];
  const isKeyed = rule.list !== undefined || rule.nested === true;
  if (isKeyed && isListOrAbsent(old) && isListOrAbsent(now)) describeList(log, rule, old ?? [], now ?? []);
  else if (!isSameReference(rule, old, now)) logValueChange(log, rule.name, old, now);
};

/** Answers the value at a dotted name. */
export const valueAtName = (document: JsonObject, name: string): Json | undefined =>
  name
    .split('.')
    .reduce<Json | undefined>((value, part) => (isObject(value) ? member(value, part) : undefined), document);

const describeRenames = (log: ChangeLog, name: string, renames: readonly ColumnRename[]): void => {
  for (const { from, to } of renames) {
    const path = [...to.slice(0, -1), from.at(-1) ?? ''].map(fqnPart).join('.');
    log.updated.push({ name: `${name}.${path}.name`, oldValue: from.at(-1) ?? '', newValue: to.at(-1) ?? '' });
  }
};

/** The columns that the write renamed, by the name of their field rule. */
export type ColumnRenames = Readonly<Record<string, readonly ColumnRename[]>>;

/**
 * Describes what changed between two states of a record in the listed fields; undefined when nothing did. Items of
 * nested lists appear under their new name, except in the entry for the rename itself: `columns.old.name`. Remove
 * inherited references from both states first, because they are no values of the record.
 */
export const describeChange = (
  before: JsonObject,
  after: JsonObject,
  fields: readonly FieldRule[],
  previousVersion: number,
  renames: ColumnRenames = {},
): ChangeDescription | undefined => {
  const log: ChangeLog = { added: [], updated: [], deleted: [] };
  for (const rule of fields) {
    const renamed = Object.hasOwn(renames, rule.name) ? (renames[rule.name] ?? []) : [];
    describeRenames(log, rule.name, renamed);
    const old = valueAtName(before, rule.name);
    const known = isArray(old) && renamed.length > 0 ? applyColumnRenames(old as readonly JsonObject[], renamed) : old;
    describeField(log, rule, known, valueAtName(after, rule.name));
  }
  const { added, updated, deleted } = log;
  if (added.length + updated.length + deleted.length === 0) return undefined;
  return { previousVersion, fieldsAdded: added, fieldsUpdated: updated, fieldsDeleted: deleted };
};

/** Where a change came from. */
export const CHANGE_SOURCES = ['Manual', 'Propagated', 'Automated', 'Derived', 'Ingested', 'Suggested'] as const;

export type ChangeSource = (typeof CHANGE_SOURCES)[number];

/** Who changed a field last, when, and from which source. */
export type ChangeOrigin = {
  readonly changeSource: ChangeSource;
  readonly changedBy: string;
  readonly changedAt: number;
};

/** The last origin of every field that has changed and still exists. */
export type ChangeSummary = Readonly<Record<string, ChangeOrigin>>;

/** The paths of the items that a deleted field held, whose origins are removed with them. */
const deletedItemPaths = ({ name, oldValue }: FieldChange): string[] => {
  if (typeof oldValue !== 'string' || !oldValue.startsWith('[{')) return [];
  try {
    const items: readonly Json[] = JSON.parse(oldValue);
    return items.flatMap((item) => textMember(item, 'name') ?? []).map((part) => `${name}.${fqnPart(part)}`);
  } catch {
    return [];
  }
};

/** Updates the summary after a change: changed fields get the new origin, and deleted fields and items lose theirs. */
export const buildChangeSummary = (
  change: ChangeDescription,
  origin: ChangeOrigin,
  previousSummary: ChangeSummary = {},
): ChangeSummary => {
  const gone = new Set(change.fieldsDeleted.flatMap(deletedItemPaths));
  const isGone = (field: string) =>
    gone.size > 0 && (gone.has(field) || fqnPrefixes(field).some((scope) => gone.has(scope)));
  const summary = new Map(Object.entries(previousSummary).filter(([field]) => !isGone(field)));
  for (const { name } of change.fieldsDeleted) summary.delete(name);
  for (const { name } of [...change.fieldsAdded, ...change.fieldsUpdated]) summary.set(name, origin);
  return Object.fromEntries(summary);
};
