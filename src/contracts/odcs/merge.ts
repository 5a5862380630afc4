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

/** What a document makes of a contract that there is already (odcs.md 7). */

export type MergeMode = 'merge' | 'replace';

type MergeRule = (existing: Json | undefined, imported: Json | undefined) => Json | undefined;

/** What the document says, else what was there. */
const importedOrExisting: MergeRule = (existing, imported) => imported ?? existing;

const isFilled = (value: Json | undefined): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : jsonItems(value).length > 0;

/** Lists and objects count when there is something in them. */
const importedIfFilled: MergeRule = (existing, imported) => (isFilled(imported) ? imported : existing);

const mergeMembers: MergeRule = (existing, imported) => {
  const merged: MutableJsonObject = { ...jsonObject(existing) };
  for (const [name, value] of Object.entries(jsonObject(imported))) setMember(merged, name, value);
  return isFilled(merged) ? merged : undefined;
};

/** A draft in the document says nothing against a state that is also one. */
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
  // An object and its column may have one name, so there can be two of one element.
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

/** The members that a document decides; the others are the contract's own. */
export const IMPORTED_MEMBERS: ReadonlySet<string> = new Set(Object.keys(MERGE_RULES));

/** Rules of a contract that make test cases, by the full names these have. */
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
 * The links to tests that a contract keeps beside those of the rules that are imported: tests that rules asked for
 * which are gone now are nobody's expectation any more.
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

/** References of its own, which is what a contract can be given. */
const withoutInherited = (existing: JsonObject): JsonObject => {
  const own = (refs: Json | undefined) => jsonObjects(refs).filter((ref) => ref['inherited'] !== true);
  return omitEmpty({ ...existing, owners: own(existing['owners']), reviewers: own(existing['reviewers']) });
};

/**
 * All members that a contract is to have after a document came for it; what is absent is cleared. The name stays. Of the
 * links to tests `keptExpectations` says more, which knows the table.
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

/** Lists of objects at the root, in the words of 3.x and of 2.x, with the member that names an object. */
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

/** Two documents of one contract as one: what the newer says at its root counts, and schema objects go by their names. */
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
