import { canonicalJson, equalJson, type Json, type JsonObject, member, withoutMember } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { groupByKey, nonBlankText, pairByKeys } from './parts.ts';
import type { ImportedRule, RuleLocation } from './quality-in.ts';

/** Writes the rules of a contract to the lists of a document (odcs.md 5). */

/** A rule of a contract and the column it is about. */
export type PlacedRule = { readonly rule: JsonObject; readonly column?: string };

/** The lists of rules that changed, by location. */
export type ChangedRuleLists = {
  readonly root?: readonly Json[];
  readonly object?: readonly Json[];
  readonly column: (key: string) => readonly Json[] | undefined;
};

const locationKey = (home: RuleLocation): string =>
  typeof home === 'string' ? home : `column:${home.column.toLowerCase()}`;

const locationOf = (column: string | undefined): RuleLocation => (column === undefined ? 'object' : { column });

type RuleEntry = PlacedRule & { readonly home: RuleLocation; readonly read?: ImportedRule };

const SUBJECT_MEMBERS = ['type', 'metric', 'rule', 'query', 'engine', 'implementation'] as const;

const columnKey = ({ column }: RuleEntry): string => (column ?? '').toLowerCase();

/** The key of what a rule checks, regardless of its bounds. */
const subjectKey = (entry: RuleEntry): string =>
  canonicalJson([columnKey(entry), ...SUBJECT_MEMBERS.map((name) => entry.rule[name] ?? null)]);

/** Creates keys by rule ID. A rule without an ID gets a unique key, so that it matches no other. */
const createIdKey = (): ((kept: RuleEntry) => string) => {
  let nameless = 0;
  return (kept) => {
    const id = nonBlankText(kept.rule['id']);
    nameless += 1;
    return id === undefined ? `\u0000${nameless}` : `${columnKey(kept)}\u0001${id}`;
  };
};

/** Records drop nulls, so a null in a document is not a difference. */
const dropNullMembers = (rule: JsonObject): JsonObject => dropNulls(rule) as JsonObject;

/** Builds a rule as a list of the document contains it; the list determines the column. */
const toListedRule = ({ rule, read }: RuleEntry, before: ImportedRule | undefined): JsonObject => {
  const source = (before ?? read)?.source;
  const isNamed = source !== undefined && Object.hasOwn(source, 'column');
  return isNamed ? rule : withoutMember(rule, 'column');
};

/** Updates a rule to the contract's current one; unchanged members stay as written in the document. */
const updateRule = (wanted: RuleEntry, before: ImportedRule | undefined): JsonObject => {
  const after = toListedRule(wanted, before);
  if (before === undefined) return after;
  const [source, made] = [before.source, toListedRule({ ...wanted, rule: dropNullMembers(before.rule) }, before)];
  const kept = Object.entries(source).flatMap(([name, value]): readonly (readonly [string, Json])[] => {
    const now = member(after, name);
    if (equalJson(member(made, name), now)) return [[name, value]];
    return now === undefined ? [] : [[name, now]];
  });
  const added = Object.entries(after).filter(([name]) => !Object.hasOwn(source, name));
  const isSame = added.length === 0 && kept.length === Object.keys(source).length;
  return isSame && kept.every(([name, value]) => source[name] === value)
    ? source
    : Object.fromEntries([...kept, ...added]);
};

/** Writes every list of rules that differs from the contract; `added` are rules that the contract does not store. */
export const writeQualityRules = (
  read: readonly ImportedRule[],
  wanted: readonly PlacedRule[],
  added: readonly PlacedRule[],
  columnOf: (rule: JsonObject) => string | undefined,
): ChangedRuleLists => {
  const before = read.map((one): RuleEntry => {
    const column = typeof one.home === 'string' ? columnOf(one.rule) : one.home.column;
    return { rule: dropNullMembers(one.rule), home: one.home, read: one, ...(column !== undefined && { column }) };
  });
  const after = wanted.map(
    (one): RuleEntry => ({ ...one, rule: dropNullMembers(one.rule), home: locationOf(one.column) }),
  );
  const equal = (kept: RuleEntry) => `${columnKey(kept)}\u0001${canonicalJson(withoutMember(kept.rule, 'column'))}`;
  const partners = pairByKeys(after, before, equal, createIdKey(), subjectKey, columnKey);
  const items = after.map((one, index) => {
    const partner = before[partners[index] ?? -1];
    return { home: partner?.home ?? one.home, rule: updateRule(one, partner?.read) };
  });
  const all = [...items, ...added.map(({ rule, column }) => ({ home: locationOf(column), rule }))];
  const lists = groupByKey(all, ({ home }) => locationKey(home));
  const sources = groupByKey(read, ({ home }) => locationKey(home));
  const listFor = (home: RuleLocation): readonly Json[] | undefined => {
    const [now, then] = [lists.get(locationKey(home)) ?? [], sources.get(locationKey(home)) ?? []];
    const isSame = now.length === then.length && now.every(({ rule }, index) => rule === then[index]?.source);
    return isSame ? undefined : now.map(({ rule }) => rule);
  };
  const [root, object] = [listFor('root'), listFor('object')];
  return {
    ...(root !== undefined && { root }),
    ...(object !== undefined && { object }),
    column: (column) => listFor({ column }),
  };
};
