import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import { fqnPrefixes } from '../../model/name.ts';
import { LogicError } from './logic/budget.ts';
import { parseRule } from './logic/evaluate.ts';

/** The texts of a rule: paths that it reads, and all other texts, which may be names. */
type RuleTexts = { readonly paths: readonly string[]; readonly names: readonly string[] };

const NO_TEXTS: RuleTexts = { paths: [], names: [] };

/** The operators whose text arguments are paths into the facts. */
const PATH_OPERATORS: ReadonlySet<string> = new Set([
  'var',
  'missing',
  'missing_some',
  'tableColumnValues',
  'isChanged',
]);

/** A rule with more nodes could never be evaluated. */
const MAX_NODES = 10_000;

const parseExpression = (rule: JsonObject): Json => {
  try {
    return parseRule(String(member(rule, 'rule') ?? ''));
  } catch (error) {
    if (error instanceof LogicError) return null;
    throw error;
  }
};

/** Collects the texts of a rule; none when the rule cannot be parsed. */
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

/** The members of records that contain columns and fields. */
const COLUMN_MEMBERS: readonly string[] = ['columns', 'children', 'schemaFields'];

const isColumnMember = (name: string): boolean => COLUMN_MEMBERS.includes(name);

/** The maximum number of parts before the column in a fully qualified name. */
const MAX_NAME_PARTS = 8;

/** Lists the suffixes of a fully qualified name that may be the path of a column below its table. */
const nameSuffixes = (name: string): readonly string[] => {
  const out: string[] = [];
  for (let dot = name.indexOf('.'); dot !== -1 && out.length < MAX_NAME_PARTS; dot = name.indexOf('.', dot + 1)) {
    out.push(name.slice(dot + 1));
  }
  return out;
};

/** The column paths that follow a column member in a path: `columns.amount.tags` yields `amount` and `amount.tags`. */
const columnPathsIn = (path: string): readonly string[] => {
  const names = path.split('.');
  const start = names.findIndex(isColumnMember) + 1;
  const below = names.slice(start, start + MAX_NAME_PARTS).join('.');
  return below === '' ? [] : [...fqnPrefixes(below), below];
};

/** What a rule reads of a record; names of columns are in lower case. */
export type RuleReferences = {
  /** Names of columns that may occur at any level in a rule. */
  readonly names: ReadonlySet<string>;
  /** Paths of columns below their table. */
  readonly paths: ReadonlySet<string>;
  /** The members of the record that the rule reads. */
  readonly members: ReadonlySet<string>;
};

/** Finds what a rule of a contract reads. Texts count as column names only in a rule that reads columns. */
export const findRuleReferences = (rule: JsonObject): RuleReferences => {
  const { paths, names } = collectTexts(rule);
  const members = new Set(paths.flatMap((path) => path.split('.')));
  const ofColumns = paths.filter((path) => path.split('.').some(isColumnMember));
  const given = ofColumns.length > 0 ? names.map((name) => name.toLowerCase()) : [];
  const led = ofColumns.flatMap((path) => columnPathsIn(path)).map((path) => path.toLowerCase());
  return { names: new Set(given), paths: new Set([...led, ...given.flatMap(nameSuffixes)]), members };
};
