import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { parseRule } from './logic/evaluate.ts';
import { LogicError } from './logic/work.ts';

/** What a rule reads: the paths it follows, and every other text in it, which may be a name. */
export type Reading = { readonly paths: readonly string[]; readonly names: readonly string[] };

const NOTHING: Reading = { paths: [], names: [] };

/** The operators whose texts lead into the facts. */
const FOLLOWING: ReadonlySet<string> = new Set(['var', 'missing', 'missing_some', 'tableColumnValues', 'isChanged']);

/** A rule with more nodes than that could never be evaluated. */
const MAX_NODES = 10_000;

const expressionOf = (rule: JsonObject): Json => {
  try {
    return parseRule(String(member(rule, 'rule') ?? ''));
  } catch (error) {
    if (error instanceof LogicError) return null;
    throw error;
  }
};

/** What a rule of a contract reads; nothing when its text cannot be read itself. */
export const readingOf = (rule: JsonObject): Reading => {
  const [paths, names]: [string[], string[]] = [[], []];
  const left: [Json, boolean][] = [[expressionOf(rule), false]];
  for (let count = 0; left.length > 0; count += 1) {
    const [node, isPath] = left.pop() ?? [null, false];
    if (count > MAX_NODES) return NOTHING;
    if (typeof node === 'string') (isPath ? paths : names).push(node);
    else if (isArray(node)) for (const part of node) left.push([part, isPath]);
    else if (isObject(node)) {
      for (const [operator, inner] of Object.entries(node)) left.push([inner, FOLLOWING.has(operator)]);
    }
  }
  return { paths, names };
};

/** The members of records in which columns and fields lie. */
const HOLDERS: readonly string[] = ['columns', 'children', 'schemaFields'];

/** Whether a path leads into columns at all. */
export const isOfColumns = (path: string): boolean => path.split('.').some((name) => HOLDERS.includes(name));

/** What a path names behind the members that hold columns: `columns.amount.tags` names `amount.tags`. */
export const behindColumns = (path: string): string => {
  const names = path.split('.');
  const at = names.findIndex((name) => HOLDERS.includes(name));
  return at === -1 ? '' : names.slice(at + 1).join('.');
};
