import {
  assertDepth,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
  withMember,
  withoutMember,
} from '../../model/json.ts';
import { METRIC_OF, METRICS } from './metrics.ts';
import { OPERATORS, RULE } from './shape.ts';
import { shaped } from './structure.ts';
import { isAtLeast, type OdcsVersion } from './version.ts';

/** Rules of data quality as each version of the standard allows them (odcs.md 5.1). */

/** Words that only say what a metric says with an argument. */
const METRIC_WITH: Readonly<Record<string, string>> = {
  validValues: 'validValues',
  regex: 'pattern',
  pattern: 'pattern',
};

/** The engine of a rule that the standard has no word for: its implementation is the rule itself. */
export const OWN_ENGINE = 'odcs';

/** The members that say what a rule checks. */
export const RULE_CHECK: readonly string[] = [
  'type',
  'rule',
  'metric',
  'arguments',
  'validValues',
  'query',
  'engine',
  'implementation',
  'column',
  ...OPERATORS,
];
const ENCODED = ['rule', 'metric', 'arguments', 'query', ...OPERATORS] as const;

const own = <T>(table: Readonly<Record<string, T>>, name: Json | undefined): T | undefined =>
  typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined;

const has = (object: JsonObject, name: string): boolean => member(object, name) !== undefined;
const isText = (object: JsonObject, name: string): boolean => typeof member(object, name) === 'string';

const picked = (object: JsonObject, names: readonly string[]): MutableJsonObject => {
  const result: MutableJsonObject = {};
  for (const name of names) {
    const value = member(object, name);
    if (value !== undefined) setMember(result, name, value);
  }
  return result;
};

/** A copy of a rule without what depends on its type. */
const common = (rule: JsonObject): MutableJsonObject => {
  const result: MutableJsonObject = { ...rule };
  for (const name of RULE_CHECK) if (name !== 'type') delete result[name];
  return result;
};

const argumentOf = (rule: JsonObject, name: string): Json | undefined => {
  const written = member(rule, 'arguments') ?? null;
  return isObject(written) ? member(written, name) : undefined;
};

const isLibrary = (rule: JsonObject): boolean => {
  const type = member(rule, 'type') ?? null;
  return type === null || type === 'library';
};

/** `validValues` beside the arguments is an argument. */
const withValidValues = (rule: JsonObject): JsonObject => {
  const values = member(rule, 'validValues');
  if (values === undefined || !isLibrary(rule)) return rule;
  const written = member(rule, 'arguments') ?? {};
  const moved =
    isObject(written) && !has(written, 'validValues') ? withMember(written, 'validValues', values) : written;
  return withMember(withoutMember(rule, 'validValues'), 'arguments', moved);
};

/** `rule` is the word of 3.0 for `metric`; a word that no metric stands for stays. */
const withMetric = (rule: JsonObject): JsonObject => {
  if (has(rule, 'metric') || !isLibrary(rule)) return rule;
  const word = member(rule, 'rule');
  const argument = own(METRIC_WITH, word);
  const metric =
    argument !== undefined && argumentOf(rule, argument) !== undefined ? 'invalidValues' : own(METRIC_OF, word);
  return metric === undefined ? rule : withMember(withoutMember(rule, 'rule'), 'metric', metric);
};

/** What a rule of our own engine encodes, or the rule itself. */
const decoded = (rule: JsonObject): JsonObject => {
  const text = member(rule, 'implementation');
  if (member(rule, 'type') !== 'custom' || member(rule, 'engine') !== OWN_ENGINE || typeof text !== 'string')
    return rule;
  const original = parsed(text);
  if (original === undefined) return rule;
  const type = member(original, 'type');
  return { ...common(rule), type: typeof type === 'string' ? type : 'library', ...picked(original, ENCODED) };
};

/** Text inside a text is not seen by the limits of the document. */
const DEEPEST_RULE = 16;
const LONGEST_RULE = 256 * 1024;

/** The rule inside an implementation, when it is one of ours: an object of members that rules of ours have. */
const parsed = (text: string): JsonObject | undefined => {
  try {
    if (text.length > LONGEST_RULE) return undefined;
    assertDepth(text, DEEPEST_RULE);
    const value: unknown = JSON.parse(text);
    const names = isObject(value) ? Object.keys(value) : [];
    const isRule =
      names.length > 0 && names.every((name) => name === 'type' || ENCODED.some((known) => known === name));
    const rule = isRule && isObject(value) ? shaped(value, { members: () => RULE }) : undefined;
    return rule !== undefined && isObject(rule) ? rule : undefined;
  } catch {
    return undefined;
  }
};

const encoded = (rule: JsonObject): JsonObject => {
  const inner = picked(rule, ENCODED);
  const type = member(rule, 'type');
  if (typeof type === 'string' && type !== 'library') setMember(inner, 'type', type);
  return { ...common(rule), type: 'custom', engine: OWN_ENGINE, implementation: JSON.stringify(inner) };
};

/** A rule of 3.x as 3.1.0 writes it, as far as that can be said; it need not be legal there. */
export const readRule = (rule: JsonObject): JsonObject => withMetric(withValidValues(decoded(rule)));

/** The one operator that says what a rule's operators say, or undefined when none does. */
const oneOperator = (rule: JsonObject): JsonObject | undefined => {
  const names = OPERATORS.filter((name) => has(rule, name));
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

/** The type a rule has by what it says, when it says none that the standard knows. */
const typeOf = (rule: JsonObject): 'text' | 'library' | 'sql' | 'custom' => {
  const type = member(rule, 'type');
  if (type === 'text' || type === 'library' || type === 'sql' || type === 'custom') return type;
  if (isText(rule, 'metric') || isText(rule, 'rule')) return 'library';
  if (isText(rule, 'query')) return 'sql';
  return has(rule, 'engine') && has(rule, 'implementation') ? 'custom' : 'text';
};

const isImplementation = (value: Json | undefined): boolean =>
  typeof value === 'string' || (value !== undefined && isObject(value));

const isCustom = (rule: JsonObject): boolean =>
  isText(rule, 'engine') && isImplementation(member(rule, 'implementation'));

/** Whether a rule says anything that would be lost if it became a text. */
const saysMore = (rule: JsonObject): boolean => ENCODED.some((name) => has(rule, name));

const asText = (rule: JsonObject): JsonObject => ({ ...common(rule), type: 'text' });

const legalIn31 = (written: JsonObject): JsonObject => {
  const rule = withMetric(withValidValues(written));
  const type = typeOf(rule);
  const operator = oneOperator(rule);
  if (type === 'custom') {
    if (isCustom(rule)) return { ...common(rule), type, ...picked(rule, ['engine', 'implementation']) };
    return saysMore(rule) ? encoded(rule) : asText(rule);
  }
  if (type === 'text') return has(rule, 'type') ? { ...common(rule), type } : common(rule);
  if (type === 'sql') {
    if (!isText(rule, 'query') || operator === undefined) return encoded(rule);
    return { ...common(rule), type, ...picked(rule, ['query']), ...operator };
  }
  const metric = member(rule, 'metric');
  if (typeof metric !== 'string' || !METRICS.includes(metric)) return saysMore(rule) ? encoded(rule) : asText(rule);
  const zero = OPERATORS.some((name) => has(rule, name)) || metric === 'rowCount' ? undefined : { mustBe: 0 };
  const bound = operator ?? zero;
  return bound === undefined ? encoded(rule) : { ...common(rule), ...libraryDetails(rule), ...bound };
};

const libraryDetails = (rule: JsonObject): JsonObject => {
  const details = picked(rule, ['metric', 'rule', 'arguments']);
  const type = member(rule, 'type');
  return type === undefined || type === 'library' ? details : { ...details, type: 'library' };
};

/** In 3.0 there are no arguments: they stand among the custom properties. */
const withArguments = (rule: JsonObject, target: JsonObject): JsonObject => {
  const written = member(rule, 'arguments') ?? null;
  if (!isObject(written) || Object.keys(written).length === 0) return target;
  const properties = member(target, 'customProperties') ?? [];
  const added = Object.entries(written).map(([property, value]) => ({ property, value }));
  return withMember(target, 'customProperties', [...(isArray(properties) ? properties : []), ...added]);
};

const legalIn30 = (written: JsonObject): JsonObject => {
  const rule = withValidValues(written);
  const type = typeOf(rule);
  const said = { ...common(rule), ...picked(rule, OPERATORS) };
  const typed = has(rule, 'type') || type !== 'library' ? { type } : {};
  if (type === 'library') {
    const word = member(rule, 'rule') ?? member(rule, 'metric');
    return typeof word === 'string' ? withArguments(rule, { ...said, ...typed, rule: word }) : asText(rule);
  }
  if (type === 'sql' && isText(rule, 'query')) return { ...said, ...typed, ...picked(rule, ['query']) };
  if (type === 'custom' && isCustom(rule)) {
    return { ...common(rule), ...typed, ...picked(rule, ['engine', 'implementation']) };
  }
  return saysMore(rule) && type !== 'text' ? encoded(rule) : asText(rule);
};

/** The rule as a version of 3.x allows it, saying as much of it as can be said there. A legal rule stays as it is. */
export const legalRule = (rule: JsonObject, version: OdcsVersion): JsonObject =>
  isAtLeast(version, 'v3.1.0') ? legalIn31(rule) : legalIn30(rule);
