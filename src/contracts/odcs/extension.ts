import {
  assertJsonDepth,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { jsonItems, jsonObject, nonBlankText, omitEmpty, pairByKeys } from './parts.ts';
import { joinPath } from './problem.ts';
import { policyRoleName } from './roles.ts';
import { jsonObjects } from './walk.ts';

/**
 * Converts between custom properties of a document and the extension of a contract, including the members that the
 * standard lacks (odcs.md 3).
 */

const CONTRACT_ENTRY = 'openMetadataContract';

/** Members of a contract that a document has no place for. */
const CONTRACT_MEMBERS = [
  'displayName',
  'semantics',
  'termsOfUse',
  'effectiveFrom',
  'effectiveUntil',
  'sourceUrl',
] as const;

const MAX_DEPTH = 64;

const parseObject = (text: string | undefined): JsonObject | undefined => {
  if (text === undefined) return undefined;
  try {
    assertJsonDepth(text, MAX_DEPTH);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const propertyNameOf = (item: Json): string | undefined => {
  const { property, value } = jsonObject(item);
  return typeof property === 'string' && property !== '' && value !== undefined ? property : undefined;
};

/** Parses our own entry among the custom properties. */
const parseContractEntry = (item: Json): JsonObject | undefined =>
  propertyNameOf(item) === CONTRACT_ENTRY ? parseObject(nonBlankText(jsonObject(item)['value'])) : undefined;

const readExtension = (items: readonly Json[], issues: IssueCollector): JsonObject => {
  const extension: MutableJsonObject = {};
  items.forEach((item, index) => {
    const property = propertyNameOf(item);
    if (property === undefined || parseContractEntry(item) !== undefined) return;
    const tell = (field: string, message: string) =>
      issues.add({ severity: 'warning', category: 'other', field, path: joinPath('customProperties', index), message });
    if (property === CONTRACT_ENTRY)
      tell(property, 'This entry is no JSON object: it is a custom property like others');
    if (Object.hasOwn(extension, property))
      tell(property, 'A custom property is named more than once: the last one counts');
    setMember(extension, property, jsonObject(item)['value'] ?? null);
  });
  return extension;
};

const RULE_TEXTS = ['name', 'description', 'rule'] as const;

const RULE_MEMBERS: readonly string[] = [
  ...RULE_TEXTS,
  'enabled',
  'entityType',
  'ignoredEntities',
  'jsonTree',
  'provider',
];

/** Reads the semantic rules that have all required texts. Other members are validated with the contract. */
const readSemantics = (rules: Json | undefined): readonly JsonObject[] =>
  jsonObjects(rules)
    .filter((rule) => RULE_TEXTS.every((name) => typeof rule[name] === 'string'))
    .map((rule) => {
      const known = Object.entries(rule).filter(([name]) => RULE_MEMBERS.includes(name));
      return { enabled: true, ...Object.fromEntries(known) };
    });

const readContractEntry = (own: JsonObject): JsonObject =>
  omitEmpty({
    ...Object.fromEntries(
      ['displayName', 'effectiveFrom', 'effectiveUntil', 'sourceUrl'].map((name) => [name, nonBlankText(own[name])]),
    ),
    semantics: readSemantics(own['semantics']),
    termsOfUse: readTerms(own['termsOfUse']),
  });

/** Reads the terms of use, which are a text or an object that contains it. */
const readTerms = (terms: Json | undefined): string | undefined =>
  nonBlankText(isObject(terms) ? terms['content'] : terms);

/** Adds to the security of a contract the row filters that its document stores apart from the roles. */
const addRowFilters = (security: JsonObject, own: JsonObject): JsonObject => {
  const policies = jsonObjects(security['policies']);
  const filtered = jsonObjects(own['policies']);
  const partners = pairByKeys(policies, filtered, policyRoleName);
  if (partners.every((place) => place === undefined)) return security;
  return {
    ...security,
    policies: policies.map((policy, index) => {
      const { rowFilters } = filtered[partners[index] ?? -1] ?? {};
      return jsonObjects(rowFilters).length === 0 ? policy : { ...policy, rowFilters: rowFilters ?? [] };
    }),
  };
};

/** Reads the extension of a contract, the members that only this catalog has, and the security with its row filters. */
export const readCustomProperties = (
  document: JsonObject,
  security: Json | undefined,
  issues: IssueCollector,
): JsonObject => {
  const items = jsonItems(document['customProperties']);
  const own = items.map(parseContractEntry).findLast((one) => one !== undefined) ?? {};
  return omitEmpty({
    ...readContractEntry(own),
    extension: readExtension(items, issues),
    security: isObject(security) ? addRowFilters(security, own) : undefined,
  });
};

/** Writes semantic rules without default values. */
const writeSemantics = (rules: Json | undefined): readonly JsonObject[] =>
  jsonObjects(rules)
    .filter((rule) => rule['inherited'] !== true)
    .map(({ inherited: _inherited, provider, ...rule }) =>
      provider === undefined || provider === 'user' ? rule : { ...rule, provider },
    );

const rowFiltersOf = (security: Json | undefined): readonly JsonObject[] =>
  jsonObjects(jsonObject(security)['policies']).flatMap((policy) =>
    jsonObjects(policy['rowFilters']).length === 0
      ? []
      : [{ accessPolicy: policyRoleName(policy), rowFilters: policy['rowFilters'] ?? [] }],
  );

/**
 * Writes the members of a contract that a document has no place for. Row filters belong to the security section,
 * which may not be requested.
 */
const writeContractMembers = (contract: JsonObject, hasSecurity: boolean): JsonObject =>
  omitEmpty({
    ...Object.fromEntries(CONTRACT_MEMBERS.map((name) => [name, nonBlankText(contract[name])])),
    semantics: writeSemantics(contract['semantics']),
    termsOfUse: readTerms(contract['termsOfUse']),
    policies: hasSecurity ? rowFiltersOf(contract['security']) : [],
  });

const isStillWanted = (item: Json, property: string, extension: JsonObject): boolean =>
  member(extension, property) !== undefined || jsonObject(item)['value'] === null;

type CustomPropertyList = readonly Json[];

/**
 * Updates the entries for the extension: removed values are dropped, new ones are appended in the order of their
 * names.
 */
const updateExtension = (items: CustomPropertyList, made: JsonObject, wanted: JsonObject): CustomPropertyList => {
  const last = new Map<string, number>();
  items.forEach((item, index) => {
    const property = propertyNameOf(item);
    if (property !== undefined && parseContractEntry(item) === undefined) last.set(property, index);
  });
  const kept = items.flatMap((item, index): CustomPropertyList => {
    const property = propertyNameOf(item);
    if (property === undefined || !last.has(property) || parseContractEntry(item) !== undefined) return [item];
    if (!isStillWanted(item, property, wanted)) return [];
    const [before, after] = [member(made, property), member(wanted, property)];
    const isChanged = last.get(property) === index && after !== undefined && !equalJson(before, after);
    return [isChanged ? { ...jsonObject(item), value: after } : item];
  });
  const added = Object.keys(wanted)
    .filter((property) => !last.has(property))
    .sort()
    .map((property) => ({ property, value: member(wanted, property) ?? null }));
  return [...kept, ...added];
};

const updateContractEntry = (items: CustomPropertyList, before: JsonObject, after: JsonObject): CustomPropertyList => {
  if (equalJson(before, after)) return items;
  const place = items.findLastIndex((item) => parseContractEntry(item) !== undefined);
  const item = items[place];
  if (item === undefined) return [...items, { property: CONTRACT_ENTRY, value: JSON.stringify(after) }];
  const known = [...CONTRACT_MEMBERS, 'policies'] as readonly string[];
  const strange = Object.entries(parseContractEntry(item) ?? {}).filter(([name]) => !known.includes(name));
  const own = { ...Object.fromEntries(strange), ...after } as JsonObject;
  if (Object.keys(own).length === 0) return items.filter((_, index) => index !== place);
  return items.with(place, { ...jsonObject(item), value: JSON.stringify(own) });
};

type CustomPropertiesChange = {
  readonly made: JsonObject;
  readonly contract: JsonObject;
  readonly hasSecurity: boolean;
};

/** Writes the custom properties of a document for the contract. */
export const writeCustomProperties = (
  entries: Json | undefined,
  { made, contract, hasSecurity }: CustomPropertiesChange,
): Json | undefined => {
  const extended = updateExtension(
    jsonItems(entries),
    jsonObject(made['extension']),
    jsonObject(contract['extension']),
  );
  const items = updateContractEntry(
    extended,
    writeContractMembers(made, hasSecurity),
    writeContractMembers(contract, hasSecurity),
  );
  if (equalJson(items, jsonItems(entries))) return entries;
  return items.length === 0 ? undefined : items;
};
