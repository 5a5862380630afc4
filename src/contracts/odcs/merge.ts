import { isDraftState } from '../../model/contract-words.ts';
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
import type { Imported } from './import.ts';
import { compact, groupedBy, itemsOf, objectOf, spoken } from './parts.ts';
import { ruleCases } from './rule-cases.ts';
import type { Target } from './target.ts';
import { objectsOf } from './walk.ts';

/** What a document makes of a contract that there is already (odcs.md 7). */

export type MergeMode = 'merge' | 'replace';

type Rule = (existing: Json | undefined, imported: Json | undefined) => Json | undefined;

/** What the document says, else what was there. */
const otherwiseKept: Rule = (existing, imported) => imported ?? existing;

const isFilled = (value: Json | undefined): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : itemsOf(value).length > 0;

/** Lists and objects count when there is something in them. */
const whenFilled: Rule = (existing, imported) => (isFilled(imported) ? imported : existing);

const byMember: Rule = (existing, imported) => {
  const merged: MutableJsonObject = { ...objectOf(existing) };
  for (const [name, value] of Object.entries(objectOf(imported))) setMember(merged, name, value);
  return isFilled(merged) ? merged : undefined;
};

/** A draft in the document says nothing against a state that is also one. */
const status: Rule = (existing, imported) => {
  const [before, after] = [spoken(existing), spoken(imported)];
  return before !== undefined && after === 'Draft' && isDraftState(before) ? before : (after ?? before);
};

const byElement: Rule = (existing, imported) => {
  const [before, after] = [objectsOf(existing), objectsOf(imported)];
  const elementOf = (item: JsonObject) => spoken(item['element']) ?? '';
  const fresh = groupedBy(after, elementOf);
  for (const list of fresh.values()) list.reverse();
  const told = new Set(fresh.keys());
  // An object and its column may have one name, so there can be two of one element.
  const merged = before.flatMap((item) =>
    told.has(elementOf(item)) ? (fresh.get(elementOf(item))?.pop() ?? []) : item,
  );
  const all = [...merged, ...[...fresh.values()].flatMap((list) => list.toReversed())];
  return all.length === 0 ? undefined : all;
};

const MERGED: Readonly<Record<string, Rule>> = {
  displayName: otherwiseKept,
  description: otherwiseKept,
  entityStatus: status,
  schema: whenFilled,
  sla: byMember,
  security: whenFilled,
  owners: whenFilled,
  reviewers: whenFilled,
  extension: byMember,
  semantics: whenFilled,
  termsOfUse: otherwiseKept,
  effectiveFrom: otherwiseKept,
  effectiveUntil: otherwiseKept,
  sourceUrl: otherwiseKept,
  odcsQualityRules: whenFilled,
  odcsElementExtensions: byElement,
  qualityExpectations: otherwiseKept,
};

/** The members that a document decides; the others are the contract's own. */
export const DECIDED: ReadonlySet<string> = new Set(Object.keys(MERGED));

/** Rules of a contract that make test cases, by the full names these have. */
const casesOf = (rules: Json | undefined, target: Target, objectName: string | undefined): ReadonlySet<string> => {
  const cases = ruleCases(objectsOf(rules), target, objectName).flatMap(({ test }) => test ?? []);
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
export const keptExpectations = (
  existing: JsonObject,
  contract: JsonObject,
  target: Target,
  mode: MergeMode,
  objectName?: string,
): readonly JsonObject[] => {
  if (mode === 'replace') return [];
  const before = casesOf(existing['odcsQualityRules'], target, objectName);
  const after = casesOf(contract['odcsQualityRules'], target, objectName);
  return objectsOf(existing['qualityExpectations']).filter(({ fullyQualifiedName }) => {
    const fqn = spoken(fullyQualifiedName)?.toLowerCase() ?? '';
    return !before.has(fqn) || after.has(fqn);
  });
};

/** References of its own, which is what a contract can be given. */
const withoutInherited = (existing: JsonObject): JsonObject => {
  const own = (refs: Json | undefined) => objectsOf(refs).filter((ref) => ref['inherited'] !== true);
  return compact({ ...existing, owners: own(existing['owners']), reviewers: own(existing['reviewers']) });
};

/**
 * All members that a contract is to have after a document came for it; what is absent is cleared. The name stays. Of the
 * links to tests `keptExpectations` says more, which knows the table.
 */
export const mergeContract = (record: JsonObject, { contract }: Imported, mode: MergeMode): JsonObject => {
  const existing = withoutInherited(record);
  const merged = Object.keys(MERGED).map((name): readonly [string, Json | undefined] => {
    const imported = member(contract, name);
    return [name, mode === 'replace' ? imported : MERGED[name]?.(member(existing, name), imported)];
  });
  return compact({ name: existing['name'] ?? contract['name'], ...Object.fromEntries(merged) });
};

/** Lists of objects at the root, in the words of 3.x and of 2.x, with the member that names an object. */
const OBJECTS: ReadonlyMap<string, string> = new Map([
  ['schema', 'name'],
  ['dataset', 'table'],
]);

const mergedObjects = (kept: Json, imported: Json, by: string): Json => {
  const nameOf = (item: Json): string | undefined => spoken(objectOf(item)[by]);
  const named = itemsOf(imported).filter((item) => nameOf(item) !== undefined);
  const fresh = groupedBy(named, (item) => nameOf(item) ?? '');
  for (const list of fresh.values()) list.reverse();
  const before = itemsOf(kept).map((item) => fresh.get(nameOf(item) ?? '')?.pop() ?? item);
  const taken = new Set(before);
  return [...before, ...itemsOf(imported).filter((item) => !taken.has(item))];
};

/** Two documents of one contract as one: what the newer says at its root counts, and schema objects go by their names. */
export const mergeSource = (kept: JsonObject, imported: JsonObject): JsonObject => {
  const merged: MutableJsonObject = { ...kept };
  for (const [name, value] of Object.entries(imported)) {
    const by = OBJECTS.get(name);
    const before = member(kept, name);
    const isJoined = by !== undefined && isArray(value) && isArray(before);
    setMember(merged, name, isJoined ? mergedObjects(before, value, by) : value);
  }
  return merged;
};
