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
import { jsonItems, jsonObject, jsonObjects, jsonTexts, nonBlankText } from '../../model/json-parts.ts';
import type { ContractEntityStatus } from '../../model/schemas/contracts/contract-status.ts';
import { dropNulls } from '../../model/validate.ts';
import { type IssueCollector, joinPath } from './issues.ts';
import { omitEmpty, pairByKeys } from './json-parts.ts';
import { policyRoleName } from './people.ts';
import { type ImportedProperty, type SelectedObject, walkProperties } from './schema/read-schema.ts';

/**
 * Converts the members of a document that are about all of it: status, description, definitions and custom properties
 * (odcs.md 3).
 */

/** The standard leaves the status open; these values come from its texts and examples. */
const STATUS_BY_WORD: Readonly<Record<string, ContractEntityStatus>> = {
  active: 'Approved',
  production: 'Approved',
  current: 'Approved',
  deprecated: 'Deprecated',
  retired: 'Deprecated',
  proposed: 'Draft',
  draft: 'Draft',
  test: 'Draft',
  development: 'Draft',
  'in development': 'Draft',
  pending: 'Draft',
};

/** Maps the status of a document to a contract status; unknown values become a draft. */
export const readContractStatus = (document: JsonObject, issues: IssueCollector): ContractEntityStatus => {
  const written = nonBlankText(document['status']) ?? '';
  const word = written.trim().toLowerCase();
  const known = Object.hasOwn(STATUS_BY_WORD, word) ? STATUS_BY_WORD[word] : undefined;
  if (known === undefined && document['status'] !== undefined) {
    const message = `The status ${written.slice(0, 100)} is not known: the contract is a draft`;
    issues.add({ severity: 'warning', category: 'document', field: 'status', path: 'status', message });
  }
  return known ?? 'Draft';
};

// The one description of a contract, and the three texts of a document's description.

const LIMITATIONS = '**Limitations:**\n';
const USAGE = '**Usage:**\n';
const SEPARATOR = '\n\n';

/** Builds the description of a contract: the purpose, followed by limitations and usage. */
export const readDescription = (description: Json | undefined): string | undefined => {
  if (!isObject(description)) return nonBlankText(description);
  const [purpose, limitations, usage] = ['purpose', 'limitations', 'usage'].map((name) =>
    nonBlankText(description[name]),
  );
  const parts = [purpose, limitations && `${LIMITATIONS}${limitations}`, usage && `${USAGE}${usage}`];
  return nonBlankText(parts.filter((part) => part !== undefined).join(SEPARATOR));
};

/** Splits a text at a mark that begins a paragraph. */
const splitAtMark = (text: string, mark: string): readonly [before: string | undefined, behind: string | undefined] => {
  const place = text.lastIndexOf(`${SEPARATOR}${mark}`);
  if (place !== -1) return [text.slice(0, place), text.slice(place + SEPARATOR.length + mark.length)];
  return text.startsWith(mark) ? [undefined, text.slice(mark.length)] : [text, undefined];
};

/** Splits the description of a contract into the texts of a document's description. */
export const writeDescription = (text: string | undefined): JsonObject => {
  if (text === undefined) return {};
  const [rest = '', usage] = splitAtMark(text, USAGE);
  const [purpose, limitations] = splitAtMark(rest, LIMITATIONS);
  return omitEmpty({
    purpose: nonBlankText(purpose),
    limitations: nonBlankText(limitations),
    usage: nonBlankText(usage),
  });
};

// Definitions and sources of a document and its elements.

/** Looks up the definitions and sources of one element. */
export type ElementLookup = (key: string) => JsonObject;

/** Reads the two members of an element. Lists with any other content stay only in the document. */
const elementMembersOf = (item: JsonObject, isRoot = false): JsonObject => {
  const [definitions, sources] = [item['authoritativeDefinitions'], item['transformSourceObjects']];
  return omitEmpty({
    authoritativeDefinitions: isCompleteList(definitions, jsonObjects(definitions)) ? definitions : undefined,
    transformSourceObjects: !isRoot && isCompleteList(sources, jsonTexts(sources)) ? sources : undefined,
  });
};

const isCompleteList = (list: Json | undefined, items: readonly Json[]): boolean =>
  Array.isArray(list) && list.length > 0 && list.length === items.length;

const toElementItem = (element: string | undefined, item: JsonObject): readonly JsonObject[] => {
  const members = elementMembersOf(item, element === undefined);
  return Object.keys(members).length === 0 ? [] : [omitEmpty({ element, ...members })];
};

/** Reads the definitions of a document and its elements: those of the root, then of the object, then of the columns. */
export const readElements = (
  document: JsonObject,
  selected: SelectedObject,
  read: readonly ImportedProperty[],
): readonly JsonObject[] => [
  ...toElementItem(undefined, document),
  ...(selected.object && selected.name !== undefined ? toElementItem(selected.name, selected.object) : []),
  ...[...walkProperties(read)].flatMap(({ key, property }) => toElementItem(key, property)),
];

export type ElementExtensions = {
  readonly root: JsonObject;
  readonly object: JsonObject;
  readonly column: ElementLookup;
};

const readElementMembers = (item: JsonObject | undefined): JsonObject =>
  item === undefined
    ? {}
    : // Records drop nulls, so a null in a document is not a difference.
      jsonObject(
        dropNulls(
          omitEmpty({
            authoritativeDefinitions: item['authoritativeDefinitions'],
            transformSourceObjects: item['transformSourceObjects'],
          }),
        ),
      );

/**
 * Groups the elements of a contract by name. An object and one of its columns may share a name, and then the object
 * comes first; `isObjectSilent` means that a single one belongs to the column.
 */
export const groupElements = (
  contract: JsonObject,
  objectName: string | undefined,
  isObjectSilent = false,
): ElementExtensions => {
  const items = jsonObjects(contract['odcsElementExtensions']);
  const root = items.find((item) => nonBlankText(item['element']) === undefined);
  const namesakes = items.filter((item) => nonBlankText(item['element']) === objectName && objectName !== undefined);
  const object = isObjectSilent && namesakes.length === 1 ? undefined : namesakes[0];
  const columns = new Map<string, JsonObject>();
  for (const item of items) {
    const element = nonBlankText(item['element']);
    if (element !== undefined && item !== object) columns.set(element, item);
  }
  return {
    root: readElementMembers(root),
    object: readElementMembers(object),
    column: (key) => readElementMembers(columns.get(key)),
  };
};

// Custom properties, which are the extension of a contract and hold the members that the standard lacks.

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
