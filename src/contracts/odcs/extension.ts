import {
  assertDepth,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import type { IssueCollector } from './issue.ts';
import { compact, itemsOf, objectOf, paired, spoken } from './parts.ts';
import { at } from './problem.ts';
import { roleName } from './roles.ts';
import { objectsOf } from './walk.ts';

/** Custom properties of a document, the extension of a contract, and what the standard has no place for (odcs.md 3). */

const OWN_ENTRY = 'openMetadataContract';

/** Members of a contract that a document has no place for. */
const OWN_MEMBERS = ['displayName', 'semantics', 'termsOfUse', 'effectiveFrom', 'effectiveUntil', 'sourceUrl'] as const;

const MOST_DEPTH = 64;

const parsed = (text: string | undefined): JsonObject | undefined => {
  if (text === undefined) return undefined;
  try {
    assertDepth(text, MOST_DEPTH);
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const propertyOf = (item: Json): string | undefined => {
  const { property, value } = objectOf(item);
  return typeof property === 'string' && property !== '' && value !== undefined ? property : undefined;
};

/** What the entry of that name says, when it is one of ours. */
const ownOf = (item: Json): JsonObject | undefined =>
  propertyOf(item) === OWN_ENTRY ? parsed(spoken(objectOf(item)['value'])) : undefined;

const readExtension = (items: readonly Json[], issues: IssueCollector): JsonObject => {
  const extension: MutableJsonObject = {};
  items.forEach((item, index) => {
    const property = propertyOf(item);
    if (property === undefined || ownOf(item) !== undefined) return;
    const tell = (field: string, message: string) =>
      issues.add({ severity: 'warning', category: 'other', field, path: at('customProperties', index), message });
    if (property === OWN_ENTRY) tell(property, 'This entry is no JSON object: it is a custom property like others');
    if (Object.hasOwn(extension, property))
      tell(property, 'A custom property is named more than once: the last one counts');
    setMember(extension, property, objectOf(item)['value'] ?? null);
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

/** Rules need their texts to be rules; the values of their other members are checked where those of every contract are. */
const rulesIn = (rules: Json | undefined): readonly JsonObject[] =>
  objectsOf(rules)
    .filter((rule) => RULE_TEXTS.every((name) => typeof rule[name] === 'string'))
    .map((rule) => {
      const known = Object.entries(rule).filter(([name]) => RULE_MEMBERS.includes(name));
      return { enabled: true, ...Object.fromEntries(known) };
    });

const readOwn = (own: JsonObject): JsonObject =>
  compact({
    ...Object.fromEntries(
      ['displayName', 'effectiveFrom', 'effectiveUntil', 'sourceUrl'].map((name) => [name, spoken(own[name])]),
    ),
    semantics: rulesIn(own['semantics']),
    termsOfUse: termsOf(own['termsOfUse']),
  });

/** Terms come as a text or as an object that holds it. */
const termsOf = (terms: Json | undefined): string | undefined => spoken(isObject(terms) ? terms['content'] : terms);

/** The security of a contract with the filters of rows that its document keeps beside the roles. */
const withFilters = (security: JsonObject, own: JsonObject): JsonObject => {
  const policies = objectsOf(security['policies']);
  const filtered = objectsOf(own['policies']);
  const partners = paired(policies, filtered, roleName);
  if (partners.every((place) => place === undefined)) return security;
  return {
    ...security,
    policies: policies.map((policy, index) => {
      const { rowFilters } = filtered[partners[index] ?? -1] ?? {};
      return objectsOf(rowFilters).length === 0 ? policy : { ...policy, rowFilters: rowFilters ?? [] };
    }),
  };
};

/** The extension of a contract, the members only we know, and the security whose filters are among them. */
export const readCustom = (document: JsonObject, security: Json | undefined, issues: IssueCollector): JsonObject => {
  const items = itemsOf(document['customProperties']);
  const own = items.map(ownOf).findLast((one) => one !== undefined) ?? {};
  return compact({
    ...readOwn(own),
    extension: readExtension(items, issues),
    security: isObject(security) ? withFilters(security, own) : undefined,
  });
};

/** Rules without what is filled in for them. */
const ownRules = (rules: Json | undefined): readonly JsonObject[] =>
  objectsOf(rules)
    .filter((rule) => rule['inherited'] !== true)
    .map(({ inherited: _inherited, provider, ...rule }) =>
      provider === undefined || provider === 'user' ? rule : { ...rule, provider },
    );

const filtersOf = (security: Json | undefined): readonly JsonObject[] =>
  objectsOf(objectOf(security)['policies']).flatMap((policy) =>
    objectsOf(policy['rowFilters']).length === 0
      ? []
      : [{ accessPolicy: roleName(policy), rowFilters: policy['rowFilters'] ?? [] }],
  );

/** What a document has no place for, of a contract. Filters belong to the security, which may not be asked for. */
const ownMembers = (contract: JsonObject, hasSecurity: boolean): JsonObject =>
  compact({
    ...Object.fromEntries(OWN_MEMBERS.map((name) => [name, spoken(contract[name])])),
    semantics: ownRules(contract['semantics']),
    termsOfUse: termsOf(contract['termsOfUse']),
    policies: hasSecurity ? filtersOf(contract['security']) : [],
  });

const isKept = (item: Json, property: string, extension: JsonObject): boolean =>
  member(extension, property) !== undefined || objectOf(item)['value'] === null;

type Entries = readonly Json[];

/** The entries after the extension: what was taken away is gone, what is new comes last in the order of its names. */
const changedExtension = (items: Entries, made: JsonObject, wanted: JsonObject): Entries => {
  const last = new Map<string, number>();
  items.forEach((item, index) => {
    const property = propertyOf(item);
    if (property !== undefined && ownOf(item) === undefined) last.set(property, index);
  });
  const kept = items.flatMap((item, index): Entries => {
    const property = propertyOf(item);
    if (property === undefined || !last.has(property) || ownOf(item) !== undefined) return [item];
    if (!isKept(item, property, wanted)) return [];
    const [before, after] = [member(made, property), member(wanted, property)];
    const isChanged = last.get(property) === index && after !== undefined && !equalJson(before, after);
    return [isChanged ? { ...objectOf(item), value: after } : item];
  });
  const added = Object.keys(wanted)
    .filter((property) => !last.has(property))
    .sort()
    .map((property) => ({ property, value: member(wanted, property) ?? null }));
  return [...kept, ...added];
};

const changedOwn = (items: Entries, before: JsonObject, after: JsonObject): Entries => {
  if (equalJson(before, after)) return items;
  const place = items.findLastIndex((item) => ownOf(item) !== undefined);
  const item = items[place];
  if (item === undefined) return [...items, { property: OWN_ENTRY, value: JSON.stringify(after) }];
  const known = [...OWN_MEMBERS, 'policies'] as readonly string[];
  const strange = Object.entries(ownOf(item) ?? {}).filter(([name]) => !known.includes(name));
  const own = { ...Object.fromEntries(strange), ...after } as JsonObject;
  if (Object.keys(own).length === 0) return items.filter((_, index) => index !== place);
  return items.with(place, { ...objectOf(item), value: JSON.stringify(own) });
};

type Change = { readonly made: JsonObject; readonly contract: JsonObject; readonly hasSecurity: boolean };

/** The custom properties of a document as the contract has them. */
export const writeCustom = (entries: Json | undefined, { made, contract, hasSecurity }: Change): Json | undefined => {
  const extended = changedExtension(itemsOf(entries), objectOf(made['extension']), objectOf(contract['extension']));
  const items = changedOwn(extended, ownMembers(made, hasSecurity), ownMembers(contract, hasSecurity));
  if (equalJson(items, itemsOf(entries))) return entries;
  return items.length === 0 ? undefined : items;
};
