import {
  equalJson,
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../../model/json.ts';
import { jsonObjects } from '../../../model/json-parts.ts';
import { setDefined, textMember } from '../json-parts.ts';
import { RULE } from './rule-shape.ts';
import { coerceToObject } from './structure.ts';

/** Converts quality rules of 2.2.x, which name a tool and a template but not what is checked. */

/** Members without an equivalent in 3.x, which move to the rule's custom properties. */
const MOVED_MEMBERS = ['code', 'templateName', 'column', 'columns'] as const;
const SAME_MEMBERS = ['description', 'dimension', 'severity', 'businessImpact'] as const;
const KNOWN_MEMBERS: ReadonlySet<string> = new Set([
  ...MOVED_MEMBERS,
  ...SAME_MEMBERS,
  'toolName',
  'toolRuleName',
  'type',
  'scheduleCronExpression',
  'customProperties',
]);

/** The custom property that stores a rule which 2.x cannot express. */
const DEFERRED_PROPERTY = 'odcsRule';

const RECONCILIATION = 'reconciliation';

/** The first value of each custom property. */
type PropertyValues = ReadonlyMap<string, Json>;

const valuesOf = (list: readonly Json[]): PropertyValues => {
  const values = new Map<string, Json>();
  for (const entry of jsonObjects(list)) {
    const property = textMember(entry, 'property');
    const value = member(entry, 'value');
    if (property !== undefined && value !== undefined && !values.has(property)) values.set(property, value);
  }
  return values;
};

const textAmong = (values: PropertyValues, name: string): string | undefined => {
  const value = values.get(name);
  return typeof value === 'string' ? value : undefined;
};

const numberOf = (values: PropertyValues, name: string): number | undefined => {
  const value = values.get(name);
  return typeof value === 'number' ? value : undefined;
};

/** The bounds of a count, if the custom properties contain them. */
const countBounds = (values: PropertyValues): JsonObject | undefined => {
  const min = numberOf(values, 'min');
  const max = numberOf(values, 'max');
  if (min !== undefined && max !== undefined) return min < max ? { mustBeBetween: [min, max] } : undefined;
  if (min !== undefined) return { mustBeGreaterOrEqualTo: min };
  return max === undefined ? undefined : { mustBeLessOrEqualTo: max };
};

const isTemplate = (rule: JsonObject, name: string): boolean =>
  textMember(rule, 'templateName')?.toLowerCase() === name.toLowerCase();

/** The check of a rule in the notation of 3.2.0. */
const ruleCheckOf = (rule: JsonObject, values: PropertyValues): JsonObject => {
  if (isTemplate(rule, 'NullCheck')) return { type: 'library', metric: 'nullValues' };
  const counted = isTemplate(rule, 'CountCheck') ? countBounds(values) : undefined;
  if (counted) return { type: 'library', metric: 'rowCount', ...counted };
  const implementation = textMember(rule, 'toolRuleName') ?? textMember(rule, 'templateName') ?? '';
  return { type: 'custom', engine: textMember(rule, 'toolName') ?? '', implementation };
};

/** Converts a rule of 2.2.x to 3.2.0. */
export const upgradeRule2 = (rule: JsonObject): JsonObject => {
  const written = member(rule, 'customProperties') ?? null;
  const list = isArray(written) ? written : [];
  const values = valuesOf(list);
  const deferred = coerceToObject(values.get(DEFERRED_PROPERTY) ?? null, RULE);
  if (deferred !== undefined) return restoreRule(rule, list, deferred);
  const check = ruleCheckOf(rule, values);
  const result: MutableJsonObject = { ...check };
  for (const name of SAME_MEMBERS) setDefined(result, name, member(rule, name));
  const cron = member(rule, 'scheduleCronExpression');
  if (cron !== undefined) Object.assign(result, { schedule: cron, scheduler: 'cron' });
  const type = member(rule, 'type');
  if (type === RECONCILIATION) result['method'] = RECONCILIATION;
  const tool = check['type'] === 'library' ? ['toolName', 'toolRuleName'] : [];
  const moved = [...MOVED_MEMBERS, ...tool, ...(type === RECONCILIATION ? [] : ['type'])].flatMap((property) => {
    const value = member(rule, property);
    return value === undefined ? [] : [{ property, value }];
  });
  if (moved.length + list.length > 0) result['customProperties'] = [...moved, ...list];
  for (const [name, value] of Object.entries(rule)) {
    if (!KNOWN_MEMBERS.has(name) && !Object.hasOwn(RULE.members, name)) setMember(result, name, value);
  }
  return result;
};

/**
 * Restores a rule that 2.x could not express. Members that 2.x also contains are taken from there, because they may
 * have been edited.
 */
const restoreRule = (rule: JsonObject, list: readonly Json[], deferred: JsonObject): JsonObject => {
  const result: MutableJsonObject = { ...deferred };
  for (const name of SAME_MEMBERS) setDefined(result, name, member(rule, name));
  const inner = member(deferred, 'customProperties') ?? null;
  const properties = [
    ...(isArray(inner) ? inner : []),
    ...list.filter((entry) => !isObject(entry) || member(entry, 'property') !== DEFERRED_PROPERTY),
  ];
  if (properties.length > 0) result['customProperties'] = properties;
  return result;
};

const TEMPLATES: Readonly<Record<string, string>> = { nullValues: 'NullCheck', rowCount: 'CountCheck' };

const templateOf = (rule: JsonObject, values: PropertyValues): string => {
  const word = textMember(rule, 'metric') ?? textMember(rule, 'rule') ?? '';
  const template = values.get('templateName');
  if (typeof template === 'string') return template;
  if (Object.hasOwn(TEMPLATES, word)) return TEMPLATES[word] ?? word;
  return (
    word ||
    (textMember(rule, 'type') === 'custom' ? (textMember(rule, 'implementation') ?? '') : '') ||
    textMember(rule, 'name') ||
    'Custom'
  );
};

/** Whether 2.x expresses the rule completely, so that reading it back returns the same rule. */
const isExpressible = (rule: JsonObject, written: JsonObject): boolean => {
  const again = upgradeRule2(written);
  return Object.keys(rule).every((name) => equalJson(again[name], rule[name]));
};

/** Whether a custom property is allowed. In rules of a table the schemas of 2.2.x allow only objects as values. */
const isAllowed = (entry: Json, isStrict: boolean): boolean =>
  !isStrict || (isObject(entry) && isObject(entry['value'] ?? null));

/** Removes the members that no version defines. */
const removeUnknownMembers = (rule: JsonObject, drop: (name: string) => void): JsonObject => {
  const result: MutableJsonObject = {};
  for (const [name, value] of Object.entries(rule)) {
    if (Object.hasOwn(RULE.members, name)) setMember(result, name, value);
    else drop(name);
  }
  return result;
};

/** Converts a rule to 2.2.x; `isStrict` where the schemas of 2.2.x validate it. */
export const downgradeRule2 = (written3: JsonObject, isStrict: boolean, drop: (name: string) => void): JsonObject => {
  const rule = removeUnknownMembers(written3, drop);
  const written = member(rule, 'customProperties') ?? null;
  const list = isArray(written) ? written : [];
  const values = valuesOf(list);
  const isCustom = textMember(rule, 'type') === 'custom';
  const result: MutableJsonObject = {};
  const take = (name: string, value: Json | undefined): void => {
    if (typeof value === 'string') result[name] = value;
  };
  take('code', values.get('code'));
  result['templateName'] = templateOf(rule, values);
  for (const name of SAME_MEMBERS) take(name, member(rule, name));
  result['toolName'] = textMember(rule, 'engine') ?? textAmong(values, 'toolName') ?? 'odcs';
  const implementation = isCustom ? textMember(rule, 'implementation') : undefined;
  if (implementation !== undefined && implementation !== result['templateName']) take('toolRuleName', implementation);
  if (!isCustom) take('toolRuleName', values.get('toolRuleName'));
  take('column', values.get('column'));
  take('columns', values.get('columns'));
  take('type', member(rule, 'method') === RECONCILIATION ? RECONCILIATION : values.get('type'));
  if (member(rule, 'scheduler') === 'cron') take('scheduleCronExpression', member(rule, 'schedule'));
  const said = new Set(Object.keys(result));
  const rest = list.filter((entry) => {
    const property = isObject(entry) ? member(entry, 'property') : undefined;
    return !(typeof property === 'string' && said.has(property) && values.get(property) === result[property]);
  });
  const allowed = new Set(rest.filter((entry) => isAllowed(entry, isStrict)));
  const plain = allowed.size > 0 ? { ...result, customProperties: [...allowed] } : result;
  return isExpressible(rule, plain)
    ? plain
    : { ...result, customProperties: [...allowed, deferRule(rule, rest, allowed)] };
};

const deferRule = (rule: JsonObject, rest: readonly Json[], allowed: ReadonlySet<Json>): JsonObject => {
  const { description: _d, dimension: _m, severity: _s, businessImpact: _b, customProperties: _c, ...value } = rule;
  const inner = jsonObjects(rest).filter((entry) => !allowed.has(entry));
  const left = new Set(rest);
  const moved = jsonObjects(member(rule, 'customProperties')).filter((entry) => !left.has(entry));
  const properties = [...moved, ...inner];
  return {
    property: DEFERRED_PROPERTY,
    value: properties.length > 0 ? { ...value, customProperties: properties } : value,
  };
};
