import {
  isArray,
  isObject,
  type Json,
  type JsonObject,
  type MutableJsonObject,
  member,
  setMember,
} from '../../model/json.ts';
import { fqnPart } from '../../model/name.ts';
import { isDraftStatus } from '../../model/schemas/contracts/contract-status.ts';
import type { ImportedContract } from './import.ts';
import { groupByKey, jsonItems, jsonObject, nonBlankText, omitEmpty } from './parts.ts';
import { buildRuleCases } from './rule-cases.ts';
import type { ImportTarget } from './target.ts';
import { jsonObjects } from './walk.ts';

/** Merges an imported document into an existing contract (odcs.md 7). */

export type MergeMode = 'merge' | 'replace';

type MergeRule = (existing: Json | undefined, imported: Json | undefined) => Json | undefined;

/** Uses the document's value, or else the existing one. */
const importedOrExisting: MergeRule = (existing, imported) => imported ?? existing;

const isFilled = (value: Json | undefined): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : jsonItems(value).length > 0;

/** Uses the document's list or object only when it is not empty. */
const importedIfFilled: MergeRule = (existing, imported) => (isFilled(imported) ? imported : existing);

const mergeMembers: MergeRule = (existing, imported) => {
  const merged: MutableJsonObject = { ...jsonObject(existing) };
  for (const [name, value] of Object.entries(jsonObject(imported))) setMember(merged, name, value);
  return isFilled(merged) ? merged : undefined;
};

/** A draft status in the document does not replace an existing status that also counts as a draft. */
const mergeStatus: MergeRule = (existing, imported) => {
  const [before, after] = [nonBlankText(existing), nonBlankText(imported)];
  return before !== undefined && after === 'Draft' && isDraftStatus(before) ? before : (after ?? before);
};

const mergeElements: MergeRule = (existing, imported) => {
  const [before, after] = [jsonObjects(existing), jsonObjects(imported)];
  const elementOf = (item: JsonObject) => nonBlankText(item['element']) ?? '';
  const fresh = groupByKey(after, elementOf);
  for (const list of fresh.values()) list.reverse();
  const importedElements = new Set(fresh.keys());
  // An object and its column may share a name, so one element may occur twice.
  const merged = before.flatMap((item) =>
    importedElements.has(elementOf(item)) ? (fresh.get(elementOf(item))?.pop() ?? []) : item,
  );
  const all = [...merged, ...[...fresh.values()].flatMap((list) => list.toReversed())];
  return all.length === 0 ? undefined : all;
};

const MERGE_RULES: Readonly<Record<string, MergeRule>> = {
  displayName: importedOrExisting,
  description: importedOrExisting,
  entityStatus: mergeStatus,
  schema: importedIfFilled,
  sla: mergeMembers,
  security: importedIfFilled,
  owners: importedIfFilled,
  reviewers: importedIfFilled,
  extension: mergeMembers,
  semantics: importedIfFilled,
  termsOfUse: importedOrExisting,
  effectiveFrom: importedOrExisting,
  effectiveUntil: importedOrExisting,
  sourceUrl: importedOrExisting,
  odcsQualityRules: importedIfFilled,
  odcsElementExtensions: mergeElements,
  qualityExpectations: importedOrExisting,
};

/** The members that a document determines; all others belong to the contract alone. */
export const IMPORTED_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MERGE_RULES));

/** The full names of the test cases that a contract's rules create. */
const testCaseNames = (
  rules: Json | undefined,
  target: ImportTarget,
  objectName: string | undefined,
): ReadonlySet<string> => {
  const cases = buildRuleCases(jsonObjects(rules), target, objectName).flatMap(({ test }) => test ?? []);
  return new Set(
    cases.map(({ name, column }) => {
      const parent = column === undefined ? target.fullyQualifiedName : `${target.fullyQualifiedName}.${column}`;
      return `${parent}.${fqnPart(name)}`.toLowerCase();
    }),
  );
};

/**
 * Selects the links to tests that a contract keeps in addition to those of the imported rules. Tests of rules that
 * the document no longer contains are dropped.
 */
export const selectKeptExpectations = (
  existing: JsonObject,
  contract: JsonObject,
  target: ImportTarget,
  mode: MergeMode,
  objectName?: string,
): readonly JsonObject[] => {
  if (mode === 'replace') return [];
  const before = testCaseNames(existing['odcsQualityRules'], target, objectName);
  const after = testCaseNames(contract['odcsQualityRules'], target, objectName);
  return jsonObjects(existing['qualityExpectations']).filter(({ fullyQualifiedName }) => {
    const fqn = nonBlankText(fullyQualifiedName)?.toLowerCase() ?? '';
    return !before.has(fqn) || after.has(fqn);
  });
};

/** Removes inherited references, which cannot be set on a contract. */
const withoutInherited = (existing: JsonObject): JsonObject => {
  const own = (refs: Json | undefined) => jsonObjects(refs).filter((ref) => ref['inherited'] !== true);
  return omitEmpty({ ...existing, owners: own(existing['owners']), reviewers: own(existing['reviewers']) });
};

/**
 * Builds all members that a contract has after an import; absent ones are cleared, and the name is kept.
 * `selectKeptExpectations` handles the links to tests, because it knows the table.
 */
export const mergeImportedContract = (
  record: JsonObject,
  { contract }: ImportedContract,
  mode: MergeMode,
): JsonObject => {
  const existing = withoutInherited(record);
  const merged = Object.keys(MERGE_RULES).map((name): readonly [string, Json | undefined] => {
    const imported = member(contract, name);
    return [name, mode === 'replace' ? imported : MERGE_RULES[name]?.(member(existing, name), imported)];
  });
  return omitEmpty({ name: existing['name'] ?? contract['name'], ...Object.fromEntries(merged) });
};

/** Lists of objects at the root, in 3.x and 2.x, with the member that identifies an object. */
const OBJECT_LISTS: ReadonlyMap<string, string> = new Map([
  ['schema', 'name'],
  ['dataset', 'table'],
]);

const mergeObjects = (kept: Json, imported: Json, by: string): Json => {
  const nameOf = (item: Json): string | undefined => nonBlankText(jsonObject(item)[by]);
  const named = jsonItems(imported).filter((item) => nameOf(item) !== undefined);
  const fresh = groupByKey(named, (item) => nameOf(item) ?? '');
  for (const list of fresh.values()) list.reverse();
  const before = jsonItems(kept).map((item) => fresh.get(nameOf(item) ?? '')?.pop() ?? item);
  const taken = new Set(before);
  return [...before, ...jsonItems(imported).filter((item) => !taken.has(item))];
};

/** Joins two documents of one contract: root members of the newer one win, and schema objects are matched by name. */
export const mergeSourceDocuments = (kept: JsonObject, imported: JsonObject): JsonObject => {
  const merged: MutableJsonObject = { ...kept };
  for (const [name, value] of Object.entries(imported)) {
    const by = OBJECT_LISTS.get(name);
    const before = member(kept, name);
    const isJoined = by !== undefined && isArray(value) && isArray(before);
    setMember(merged, name, isJoined ? mergeObjects(before, value, by) : value);
  }
  return merged;
};
