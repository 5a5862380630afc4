import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { LogicError } from './logic/budget.ts';
import { parseRule } from './logic/evaluate.ts';

/** What a rule reads: the paths it follows, and every other text in it, which may be a name. */
type RuleTexts = { readonly paths: readonly string[]; readonly names: readonly string[] };

const NO_TEXTS: RuleTexts = { paths: [], names: [] };

/** The operators whose texts lead into the facts. */
const PATH_OPERATORS: ReadonlySet<string> = new Set([
  'var',
  'missing',
  'missing_some',
  'tableColumnValues',
  'isChanged',
]);

/** A rule with more nodes than that could never be evaluated. */
const MAX_NODES = 10_000;

const parseExpression = (rule: JsonObject): Json => {
  try {
    return parseRule(String(member(rule, 'rule') ?? ''));
  } catch (error) {
    if (error instanceof LogicError) return null;
    throw error;
  }
};

/** The texts of a rule; none when it cannot be read itself. */
const collectTexts = (rule: JsonObject): RuleTexts => {
  const [paths, names]: [string[], string[]] = [[], []];
  const left: [Json, boolean][] = [[parseExpression(rule), false]];
  for (let count = 0; left.length > 0; count += 1) {
    const [node, isPath] = left.pop() ?? [null, false];
    if (count > MAX_NODES) return NO_TEXTS;
    if (typeof node === 'string') (isPath ? paths : names).push(node);
    else if (isArray(node)) for (const part of node) left.push([part, isPath]);
    else if (isObject(node)) {
      for (const [operator, inner] of Object.entries(node)) left.push([inner, PATH_OPERATORS.has(operator)]);
    }
  }
  return { paths, names };
};

/** The members of records in which columns and fields lie. */
const COLUMN_MEMBERS: readonly string[] = ['columns', 'children', 'schemaFields'];

const isColumnMember = (name: string): boolean => COLUMN_MEMBERS.includes(name);

/** No name of a record has more parts before that of a column. */
const MAX_NAME_PARTS = 8;

/** What may be the name of a column below its table in a full name: all that is left when some parts are taken away. */
const nameSuffixes = (name: string): readonly string[] => {
  const out: string[] = [];
  for (let dot = name.indexOf('.'); dot !== -1 && out.length < MAX_NAME_PARTS; dot = name.indexOf('.', dot + 1)) {
    out.push(name.slice(dot + 1));
  }
  return out;
};

/** What a path names behind the members that hold columns: `columns.amount.tags` names `amount` and `amount.tags`. */
const columnPathsIn = (path: string): readonly string[] => {
  const names = path.split('.');
  const start = names.findIndex(isColumnMember) + 1;
  const below = names.slice(start, start + MAX_NAME_PARTS).join('.');
  return below === '' ? [] : [...fqnPrefixes(below), below];
};

/** What a rule reads of a record, in lower case where columns are named. */
export type RuleReferences = {
  /** Names of columns as they may stand anywhere in a rule: alone, or below others. */
  readonly names: ReadonlySet<string>;
  /** Names of columns below their table only. */
  readonly paths: ReadonlySet<string>;
  /** The members that are read. */
  readonly members: ReadonlySet<string>;
};

/** What a rule of a contract reads. Texts are names of columns only in a rule that looks at columns at all. */
export const findRuleReferences = (rule: JsonObject): RuleReferences => {
  const { paths, names } = collectTexts(rule);
  const members = new Set(paths.flatMap((path) => path.split('.')));
  const ofColumns = paths.filter((path) => path.split('.').some(isColumnMember));
  const given = ofColumns.length > 0 ? names.map((name) => name.toLowerCase()) : [];
  const led = ofColumns.flatMap((path) => columnPathsIn(path)).map((path) => path.toLowerCase());
  return { names: new Set(given), paths: new Set([...led, ...given.flatMap(nameSuffixes)]), members };
};
