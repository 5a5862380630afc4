import {
  assertJsonDepth,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
  withoutMember,
} from '../../../model/json.ts';
import { LIBRARY_METRICS, METRIC_BY_RULE, RULE, RULE_OPERATORS } from './rule-shape.ts';
import { coerceToObject } from './structure.ts';
import { isVersionAtLeast, type OdcsVersion } from './version.ts';

/** Converts quality rules to what each version of 3.x allows (odcs.md 5.1). */

/** Metrics that are equivalent to another metric with an argument. */
const ARGUMENT_BY_METRIC: Readonly<Record<string, string>> = {
  validValues: 'validValues',
  regex: 'pattern',
  pattern: 'pattern',
};

/** The engine of rules that the standard cannot express; their implementation is the encoded rule. */
export const ODCS_ENGINE = 'odcs';

/** The members that define what a rule checks. */
export const RULE_CHECK_MEMBERS: readonly string[] = [
  'type',
  'rule',
  'metric',
  'arguments',
  'validValues',
  'query',
  'engine',
  'implementation',
  'column',
  ...RULE_OPERATORS,
];
const ENCODED_MEMBERS = ['rule', 'metric', 'arguments', 'query', ...RULE_OPERATORS] as const;

const ownEntry = <T>(table: Readonly<Record<string, T>>, name: Json | undefined): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

const hasMember = (object: JsonObject, name: string): boolean => member(object, name) !== undefined;
const hasText = (object: JsonObject, name: string): boolean => typeof member(object, name) === 'string';

const pickMembers = (object: JsonObject, names: readonly string[]): MutableJsonObject => {
  const result: MutableJsonObject = {};
  for (const name of names) {
    const value = member(object, name);
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/** Copies a rule without the members that depend on its type. */
const withoutCheck = (rule: JsonObject): MutableJsonObject => {
  const result: MutableJsonObject = { ...rule };
  for (const name of RULE_CHECK_MEMBERS) if (name !== 'type') delete result[name];
  return result;
};

const argumentOf = (rule: JsonObject, name: string): Json | undefined => {
  const written = member(rule, 'arguments') ?? null;
  return isObject(written) ? member(written, name) : undefined;
};

const isLibraryRule = (rule: JsonObject): boolean => {
  const type = member(rule, 'type') ?? null;
  return type === null || type === 'library';
};

/** Moves `validValues` into the arguments. */
const withValidValues = (rule: JsonObject): JsonObject => {
  const values = member(rule, 'validValues');
  if (values === undefined || !isLibraryRule(rule)) return rule;
  const written = member(rule, 'arguments') ?? {};
  const moved =
    isObject(written) && !hasMember(written, 'validValues') ? withMember(written, 'validValues', values) : written;
  return withMember(withoutMember(rule, 'validValues'), 'arguments', moved);
};

/** Replaces `rule`, the 3.0 name, by `metric`. A name without an equivalent metric stays. */
const withMetric = (rule: JsonObject): JsonObject => {
  if (hasMember(rule, 'metric') || !isLibraryRule(rule)) return rule;
  const word = member(rule, 'rule');
  const argument = ownEntry(ARGUMENT_BY_METRIC, word);
  const metric =
    argument !== undefined && argumentOf(rule, argument) !== undefined
      ? 'invalidValues'
      : ownEntry(METRIC_BY_RULE, word);
  return metric === undefined ? rule : withMember(withoutMember(rule, 'rule'), 'metric', metric);
};

/** Decodes a rule of our own engine; any other rule is returned unchanged. */
const decodeRule = (rule: JsonObject): JsonObject => {
  const text = member(rule, 'implementation');
  if (member(rule, 'type') !== 'custom' || member(rule, 'engine') !== ODCS_ENGINE || typeof text !== 'string')
    return rule;
  const original = parseEncodedRule(text);
  if (original === undefined) return rule;
  const type = member(original, 'type');
  return {
    ...withoutCheck(rule),
    type: typeof type === 'string' ? type : 'library',
    ...pickMembers(original, ENCODED_MEMBERS),
  };
};

/** The limits of encoded rules, because the limits of the document do not apply inside a text. */
const MAX_RULE_DEPTH = 16;
const MAX_RULE_LENGTH = 256 * 1024;

/** Parses an encoded rule: an object with only the members that our own rules have. */
const parseEncodedRule = (text: string): JsonObject | undefined => {
  try {
    if (text.length > MAX_RULE_LENGTH) return undefined;
    assertJsonDepth(text, MAX_RULE_DEPTH);
    const value: unknown = JSON.parse(text);
    const names = isObject(value) ? Object.keys(value) : [];
    const isRule =
      names.length > 0 && names.every((name) => name === 'type' || ENCODED_MEMBERS.some((known) => known === name));
    return isRule && isObject(value) ? coerceToObject(value, RULE) : undefined;
  } catch {
    return undefined;
  }
};

const encodeRule = (rule: JsonObject): JsonObject => {
  const inner = pickMembers(rule, ENCODED_MEMBERS);
  const type = member(rule, 'type');
  if (typeof type === 'string' && type !== 'library') setMember(inner, 'type', type);
  return { ...withoutCheck(rule), type: 'custom', engine: ODCS_ENGINE, implementation: JSON.stringify(inner) };
};

/** Converts a rule of 3.x to the notation of 3.2.0 as far as possible; the result need not be legal there. */
export const upgradeRule3 = (rule: JsonObject): JsonObject => withMetric(withValidValues(decodeRule(rule)));

/** Combines a rule's operators into one equivalent operator; undefined when there is none. */
const singleOperator = (rule: JsonObject): JsonObject | undefined => {
  const names = RULE_OPERATORS.filter((name) => hasMember(rule, name));
  const [first, second] = names;
  const low = member(rule, 'mustBeGreaterOrEqualTo');
  const high = member(rule, 'mustBeLessOrEqualTo');
  if (names.length === 2 && typeof low === 'number' && typeof high === 'number' && low <= high) {
    return low === high ? { mustBe: low } : { mustBeBetween: [low, high] };
  }
  if (first === undefined || second !== undefined) return undefined;
  const value = member(rule, first) ?? null;
  if (first === 'mustBe' || first === 'mustNotBe') return { [first]: value };
  if (!first.endsWith('Between')) return typeof value === 'number' ? { [first]: value } : undefined;
  if (!isArray(value) || value.length !== 2 || !value.every((bound) => typeof bound === 'number')) return undefined;
  const [from = null, to = null] = value;
  if (from !== to) return { [first]: value };
  return { [first === 'mustBeBetween' ? 'mustBe' : 'mustNotBe']: from };
};

/** The type of a rule, inferred from its members when it has no known type. */
const ruleTypeOf = (rule: JsonObject): 'text' | 'library' | 'sql' | 'custom' => {
  const type = member(rule, 'type');
  if (type === 'text' || type === 'library' || type === 'sql' || type === 'custom') return type;
  if (hasText(rule, 'metric') || hasText(rule, 'rule')) return 'library';
  if (hasText(rule, 'query')) return 'sql';
  return hasMember(rule, 'engine') && hasMember(rule, 'implementation') ? 'custom' : 'text';
};

const isImplementation = (value: Json | undefined): boolean =>
  typeof value === 'string' || (value !== undefined && isObject(value));

const isCustomRule = (rule: JsonObject): boolean =>
  hasText(rule, 'engine') && isImplementation(member(rule, 'implementation'));

/** Whether a rule has members that would be lost if it became a text rule. */
const hasCheck = (rule: JsonObject): boolean => ENCODED_MEMBERS.some((name) => hasMember(rule, name));

const toTextRule = (rule: JsonObject): JsonObject => ({ ...withoutCheck(rule), type: 'text' });

const toLegalRule31 = (written: JsonObject): JsonObject => {
  const rule = withMetric(withValidValues(written));
  const type = ruleTypeOf(rule);
  const operator = singleOperator(rule);
  if (type === 'custom') {
    if (isCustomRule(rule)) return { ...withoutCheck(rule), type, ...pickMembers(rule, ['engine', 'implementation']) };
    return hasCheck(rule) ? encodeRule(rule) : toTextRule(rule);
  }
  if (type === 'text') return hasMember(rule, 'type') ? { ...withoutCheck(rule), type } : withoutCheck(rule);
  if (type === 'sql') {
    if (!hasText(rule, 'query') || operator === undefined) return encodeRule(rule);
    return { ...withoutCheck(rule), type, ...pickMembers(rule, ['query']), ...operator };
  }
  const metric = member(rule, 'metric');
  if (typeof metric !== 'string' || !LIBRARY_METRICS.includes(metric))
    return hasCheck(rule) ? encodeRule(rule) : toTextRule(rule);
  const zero =
    RULE_OPERATORS.some((name) => hasMember(rule, name)) || metric === 'rowCount' ? undefined : { mustBe: 0 };
  const bound = operator ?? zero;
  return bound === undefined ? encodeRule(rule) : { ...withoutCheck(rule), ...libraryDetails(rule), ...bound };
};

const libraryDetails = (rule: JsonObject): JsonObject => {
  const details = pickMembers(rule, ['metric', 'rule', 'arguments']);
  const type = member(rule, 'type');
  return type === undefined || type === 'library' ? details : { ...details, type: 'library' };
};

/** Moves arguments to the custom properties, because 3.0 has no arguments. */
const withArguments = (rule: JsonObject, target: JsonObject): JsonObject => {
  const written = member(rule, 'arguments') ?? null;
  if (!isObject(written) || Object.keys(written).length === 0) return target;
  const properties = member(target, 'customProperties') ?? [];
  const added = Object.entries(written).map(([property, value]) => ({ property, value }));
  return withMember(target, 'customProperties', [...(isArray(properties) ? properties : []), ...added]);
};

const toLegalRule30 = (written: JsonObject): JsonObject => {
  const rule = withValidValues(written);
  const type = ruleTypeOf(rule);
  const said = { ...withoutCheck(rule), ...pickMembers(rule, RULE_OPERATORS) };
  const typed = hasMember(rule, 'type') || type !== 'library' ? { type } : {};
  if (type === 'library') {
    const word = member(rule, 'rule') ?? member(rule, 'metric');
    return typeof word === 'string' ? withArguments(rule, { ...said, ...typed, rule: word }) : toTextRule(rule);
  }
  if (type === 'sql' && hasText(rule, 'query')) return { ...said, ...typed, ...pickMembers(rule, ['query']) };
  if (type === 'custom' && isCustomRule(rule)) {
    return { ...withoutCheck(rule), ...typed, ...pickMembers(rule, ['engine', 'implementation']) };
  }
  return hasCheck(rule) && type !== 'text' ? encodeRule(rule) : toTextRule(rule);
};

/** Converts a rule to what a version of 3.x allows, preserving as much as possible. A legal rule is unchanged. */
export const toLegalRule = (rule: JsonObject, version: OdcsVersion): JsonObject =>
  isVersionAtLeast(version, 'v3.1.0') ? toLegalRule31(rule) : toLegalRule30(rule);
