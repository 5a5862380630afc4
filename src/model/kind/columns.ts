import { isArray, type Json, type JsonObject, type MutableJsonObject } from '../json.ts';
import { fqnPart } from '../name.ts';

/**
 * A column of a table, or a field of a schema: an object with a `name`, a `dataType`, and possibly `children` and
 * `tags`. All functions here expect columns with a validated shape. A `NameFold` decides which sibling names are equal.
 */
export type ColumnJson = JsonObject;

/** A renamed column. Its children move with it. */
export type ColumnRename = { readonly from: readonly string[]; readonly to: readonly string[] };

const columnName = (column: ColumnJson): string => column['name'] as string;

/** Folds a name to the form by which siblings are compared. */
export type NameFold = (name: string) => string;

/** For columns of databases: `Amount` and `amount` are one column. */
export const foldCase: NameFold = (name) => name.toLowerCase();

/** For fields of schemas, tasks and features: `userId` and `userID` are two. */
export const keepCase: NameFold = (name) => name;

const childrenOf = (column: ColumnJson): readonly ColumnJson[] =>
  isArray(column['children']) ? (column['children'] as readonly ColumnJson[]) : [];

const columnsByKey = (columns: readonly ColumnJson[], fold: NameFold): ReadonlyMap<string, ColumnJson> =>
  new Map(columns.map((column) => [fold(columnName(column)), column]));

/** Finds the first column that has the same name as a sibling, at any depth, and answers its path (`a."b.c"`). */
export const findDuplicateColumn = (
  columns: readonly ColumnJson[],
  fold: NameFold = foldCase,
  path = '',
): string | undefined => {
  const seen = new Set<string>();
  for (const column of columns) {
    const here = path === '' ? fqnPart(columnName(column)) : `${path}.${fqnPart(columnName(column))}`;
    const key = fold(columnName(column));
    if (seen.has(key)) return here;
    seen.add(key);
    const below = findDuplicateColumn(childrenOf(column), fold, here);
    if (below !== undefined) return below;
  }
  return undefined;
};

/** Joins a path. No name holds a control character, so the result is unambiguous. */
const pathKey = (path: readonly string[]): string => path.join('\u0001');

const isReduced = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof before === 'number' && (typeof after !== 'number' || after < before);

const isRedeclared = (before: ColumnJson, after: ColumnJson): boolean =>
  before['dataType'] !== after['dataType'] ||
  before['arrayDataType'] !== after['arrayDataType'] ||
  isReduced(before['dataLength'], after['dataLength']) ||
  (before['dataLength'] === undefined && after['dataLength'] !== undefined) ||
  isReduced(before['precision'], after['precision']) ||
  isReduced(before['scale'], after['scale']);

/**
 * Whether readers of the old columns may break: a column was removed, or redeclared with another type or a smaller
 * size, at any depth. Apply renames to the old columns first (`applyColumnRenames`), because a rename alone breaks
 * nothing.
 */
export const hasBreakingColumnChange = (
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  fold: NameFold = foldCase,
): boolean => {
  if (before.length === 0 || before === after) return false;
  const remaining = columnsByKey(after, fold);
  return before.some((column) => {
    const match = remaining.get(fold(columnName(column)));
    if (match === undefined || isRedeclared(column, match)) return true;
    return hasBreakingColumnChange(childrenOf(column), childrenOf(match), fold);
  });
};

/** Two labels are equal when tag and source are. A missing source means the API's default. */
const tagLabelKey = (label: Json): string => {
  const { tagFQN, source } = label as { readonly tagFQN: string; readonly source?: string };
  return `${source ?? 'Classification'}\u0001${tagFQN}`;
};

const tagFqnOf = (label: Json): string => (label as { readonly tagFQN: string }).tagFQN;

/**
 * Merges the labels of a PUT, which adds labels and never removes any. For a label on both sides, the request's members
 * win and the other members stay. The result is sorted by `tagFQN`.
 */
export const mergeTags = (stored: readonly Json[], incoming: readonly Json[]): Json[] => {
  const merged = new Map(stored.map((label) => [tagLabelKey(label), label]));
  for (const label of incoming) {
    const known = merged.get(tagLabelKey(label)) as JsonObject | undefined;
    merged.set(tagLabelKey(label), { ...known, ...(label as JsonObject) });
  }
  return [...merged.values()].sort((a, b) => (tagFqnOf(a) < tagFqnOf(b) ? -1 : tagFqnOf(a) > tagFqnOf(b) ? 1 : 0));
};

type CarryOverOptions = { readonly keepStored?: boolean; readonly fold?: NameFold };

const isNullish = (value: Json | undefined): boolean => value === undefined || value === null;

const carryOverText = (out: MutableJsonObject, stored: ColumnJson, name: string, isKept: boolean): void => {
  const text = stored[name];
  if (isKept && text !== undefined && text !== null && text !== '') out[name] = text;
};

/** A column in the place where it was before keeps its number. In any other place, the old number would be wrong. */
const carryOverNumber = (out: MutableJsonObject, stored: ColumnJson, isInPlace: boolean): void => {
  const number = stored['ordinalPosition'];
  if (isInPlace && !isNullish(number) && isNullish(out['ordinalPosition'])) out['ordinalPosition'] = number ?? null;
};

const carryOverColumn = (
  stored: ColumnJson | undefined,
  incoming: ColumnJson,
  isInPlace: boolean,
  options: CarryOverOptions,
): ColumnJson => {
  if (stored === undefined) return incoming;
  const out: MutableJsonObject = { ...incoming };
  carryOverNumber(out, stored, isInPlace);
  const keepStored = options.keepStored === true;
  carryOverText(out, stored, 'description', keepStored || isNullish(incoming['description']));
  carryOverText(out, stored, 'displayName', keepStored);
  const labels = [stored['tags'], incoming['tags']].map((tags) => (isArray(tags) ? tags : []));
  if (labels.some(({ length }) => length > 0)) out['tags'] = mergeTags(labels[0] ?? [], labels[1] ?? []);
  const children = childrenOf(incoming);
  if (children.length > 0) out['children'] = carryOverColumns(childrenOf(stored), children, options);
  return out;
};

/**
 * Answers the columns after a PUT: those of the request, each with the description, tags and number of the stored
 * column of that name where the request omits them. Tags are merged. `keepStored` protects stored texts from bots.
 */
export const carryOverColumns = (
  stored: readonly ColumnJson[],
  incoming: readonly ColumnJson[],
  options: CarryOverOptions = {},
): ColumnJson[] => {
  const { fold = foldCase } = options;
  const known = columnsByKey(stored, fold);
  return incoming.map((column, at) => {
    const found = known.get(fold(columnName(column)));
    return carryOverColumn(found, column, found === stored[at], options);
  });
};

/** Finds the pair of old and new column that a JSON Patch renamed among siblings, if there is exactly one. */
const findRenamedPair = (
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  fold: NameFold,
): readonly [ColumnJson, ColumnJson] | undefined => {
  if (before.length !== after.length) return undefined;
  const [oldKeys, newKeys] = [columnsByKey(before, fold), columnsByKey(after, fold)];
  const gone = before.filter((column) => !newKeys.has(fold(columnName(column))));
  const fresh = after.filter((column) => !oldKeys.has(fold(columnName(column))));
  const [old, renamed] = [gone[0], fresh[0]];
  if (gone.length !== 1 || fresh.length !== 1 || old === undefined || renamed === undefined) return undefined;
  const isInPlace = before.indexOf(old) === after.indexOf(renamed) && old['dataType'] === renamed['dataType'];
  return isInPlace ? [old, renamed] : undefined;
};

type SiblingColumns = { readonly columns: readonly ColumnJson[]; readonly path: readonly string[] };
type MatchOptions = { readonly isPatch: boolean; readonly fold: NameFold };

const collectRenames = (
  out: ColumnRename[],
  before: SiblingColumns,
  after: SiblingColumns,
  manner: MatchOptions,
): void => {
  if (before.columns.length === 0 || after.columns.length === 0 || before.columns === after.columns) return;
  const { isPatch, fold } = manner;
  const remaining = columnsByKey(after.columns, fold);
  const pair = isPatch ? findRenamedPair(before.columns, after.columns, fold) : undefined;
  for (const column of before.columns) {
    const match = column === pair?.[0] ? pair[1] : remaining.get(fold(columnName(column)));
    if (match === undefined) continue;
    const from = { columns: childrenOf(column), path: [...before.path, columnName(column)] };
    const to = { columns: childrenOf(match), path: [...after.path, columnName(match)] };
    if (columnName(column) !== columnName(match)) out.push({ from: from.path, to: to.path });
    collectRenames(out, from, to, manner);
  }
};

/**
 * Finds the columns that a JSON Patch renamed, outermost first. A rename is exactly one removed and one added name at
 * the same index with the same `dataType` in a list of unchanged length; anything else is a removal and an addition. A
 * change of letter case alone always counts as a rename.
 */
export const detectColumnRenames = (
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  fold: NameFold = foldCase,
): ColumnRename[] => {
  const out: ColumnRename[] = [];
  collectRenames(out, { columns: before, path: [] }, { columns: after, path: [] }, { isPatch: true, fold });
  return out;
};

/**
 * Finds the columns whose names changed in letter case only. They stay the same columns, also under PUT and merge
 * patch.
 */
export const detectCaseRenames = (
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  fold: NameFold = foldCase,
): ColumnRename[] => {
  const out: ColumnRename[] = [];
  collectRenames(out, { columns: before, path: [] }, { columns: after, path: [] }, { isPatch: false, fold });
  return out;
};

const renameColumns = (
  columns: readonly ColumnJson[],
  path: readonly string[],
  names: ReadonlyMap<string, string>,
): ColumnJson[] =>
  columns.map((column) => {
    const here = [...path, columnName(column)];
    const name = names.get(pathKey(here)) ?? columnName(column);
    const children = childrenOf(column);
    return { ...column, name, ...(children.length > 0 && { children: renameColumns(children, here, names) }) };
  });

/** Answers the old columns under their new names, so that comparisons by name pair them correctly. */
export const applyColumnRenames = (
  columns: readonly ColumnJson[],
  renames: readonly ColumnRename[],
): readonly ColumnJson[] => {
  if (renames.length === 0) return columns;
  const names = new Map(renames.map(({ from, to }) => [pathKey(from), to.at(-1) ?? '']));
  return renameColumns(columns, [], names);
};
