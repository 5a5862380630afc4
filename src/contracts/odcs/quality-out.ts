import { canonicalJson, equalJson, type Json, type JsonObject, member, withoutMember } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { groupedBy, paired, spoken } from './parts.ts';
import type { Home, RuleRead } from './quality-in.ts';

/** Where in a document the rules of a contract go, and how they are written there (odcs.md 5). */

/** A rule that a contract has, and the column it is about. */
export type PlacedRule = { readonly rule: JsonObject; readonly column?: string };

/** The lists that are not as they were, by where they stand. */
export type RuleLists = {
  readonly root?: readonly Json[];
  readonly object?: readonly Json[];
  readonly column: (key: string) => readonly Json[] | undefined;
};

const homeKey = (home: Home): string => (typeof home === 'string' ? home : `column:${home.column.toLowerCase()}`);

const homeOf = (column: string | undefined): Home => (column === undefined ? 'object' : { column });

type Kept = PlacedRule & { readonly home: Home; readonly read?: RuleRead };

const SUBJECT = ['type', 'metric', 'rule', 'query', 'engine', 'implementation'] as const;

const keyOf = ({ column }: Kept): string => (column ?? '').toLowerCase();

/** What a rule looks at, whatever it asks of it. */
const bySubject = (kept: Kept): string =>
  canonicalJson([keyOf(kept), ...SUBJECT.map((name) => kept.rule[name] ?? null)]);

/** A rule without an id is nobody's by its id, so it gets a key of its own. */
const byId = (): ((kept: Kept) => string) => {
  let nameless = 0;
  return (kept) => {
    const id = spoken(kept.rule['id']);
    nameless += 1;
    return id === undefined ? `\u0000${nameless}` : `${keyOf(kept)}\u0001${id}`;
  };
};

/** Records drop what is null, so a null that a document has is no difference. */
const plain = (rule: JsonObject): JsonObject => dropNulls(rule) as JsonObject;

/** A rule as a list of the document has it: the place says which column is meant. */
const written = ({ rule, read }: Kept, before: RuleRead | undefined): JsonObject => {
  const source = (before ?? read)?.source;
  const isNamed = source !== undefined && Object.hasOwn(source, 'column');
  return isNamed ? rule : withoutMember(rule, 'column');
};

/** A rule as the contract has it now; members that did not change are as the document wrote them. */
const changed = (wanted: Kept, before: RuleRead | undefined): JsonObject => {
  const after = written(wanted, before);
  if (before === undefined) return after;
  const [source, made] = [before.source, written({ ...wanted, rule: plain(before.rule) }, before)];
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

/** Every list of rules of a document whose rules the contract has otherwise; `added` are rules that it does not keep. */
export const writeRules = (
  read: readonly RuleRead[],
  wanted: readonly PlacedRule[],
  added: readonly PlacedRule[],
  columnOf: (rule: JsonObject) => string | undefined,
): RuleLists => {
  const before = read.map((one): Kept => {
    const column = typeof one.home === 'string' ? columnOf(one.rule) : one.home.column;
    return { rule: plain(one.rule), home: one.home, read: one, ...(column !== undefined && { column }) };
  });
  const after = wanted.map((one): Kept => ({ ...one, rule: plain(one.rule), home: homeOf(one.column) }));
  const equal = (kept: Kept) => `${keyOf(kept)}\u0001${canonicalJson(withoutMember(kept.rule, 'column'))}`;
  const partners = paired(after, before, equal, byId(), bySubject, keyOf);
  const items = after.map((one, index) => {
    const partner = before[partners[index] ?? -1];
    return { home: partner?.home ?? one.home, rule: changed(one, partner?.read) };
  });
  const all = [...items, ...added.map(({ rule, column }) => ({ home: homeOf(column), rule }))];
  const lists = groupedBy(all, ({ home }) => homeKey(home));
  const sources = groupedBy(read, ({ home }) => homeKey(home));
  const listFor = (home: Home): readonly Json[] | undefined => {
    const [now, then] = [lists.get(homeKey(home)) ?? [], sources.get(homeKey(home)) ?? []];
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
