import { canonicalJson, type Json, type JsonObject, withoutMember } from '../../model/json.ts';
import { dropNulls } from '../../model/validate.ts';
import { overlay } from './overlay.ts';
import { paired, textOf } from './parts.ts';
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

const keyOf = ({ column }: Kept): string => (column ?? '').toLowerCase();

/** A rule without an id is nobody's by its id, so it gets a key of its own. */
const byId = (): ((kept: Kept) => string) => {
  let nameless = 0;
  return (kept) => {
    const id = textOf(kept.rule['id']);
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

const changed = (wanted: Kept, before: RuleRead | undefined): JsonObject =>
  before === undefined
    ? written(wanted, undefined)
    : overlay(before.source, written({ ...wanted, rule: plain(before.rule) }, before), written(wanted, before));

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
  const partners = paired(after, before, equal, byId(), keyOf);
  const lists = new Map<string, Json[]>();
  const note = (home: Home, rule: JsonObject): void => {
    const list = lists.get(homeKey(home));
    if (list) list.push(rule);
    else lists.set(homeKey(home), [rule]);
  };
  after.forEach((one, index) => {
    const partner = before[partners[index] ?? -1];
    note(partner?.home ?? one.home, changed(one, partner?.read));
  });
  for (const { rule, column } of added) note(homeOf(column), rule);
  const sources = new Map<string, JsonObject[]>();
  for (const { home, source } of read) sources.set(homeKey(home), [...(sources.get(homeKey(home)) ?? []), source]);
  const listFor = (home: Home): readonly Json[] | undefined => {
    const [now, then] = [lists.get(homeKey(home)) ?? [], sources.get(homeKey(home)) ?? []];
    return now.length === then.length && now.every((rule, index) => rule === then[index]) ? undefined : now;
  };
  const [root, object] = [listFor('root'), listFor('object')];
  return {
    ...(root !== undefined && { root }),
    ...(object !== undefined && { object }),
    column: (column) => listFor({ column }),
  };
};
