import { isArray, type Json, type JsonObject, type MutableJsonObject } from '../json.ts';
import { fqnPart } from '../name.ts';

/**
 * A column of a table, or a field of a schema: an object with a `name`, a `dataType`, and possibly `children` and `tags`.
 * Every rule here expects columns whose shape was checked. How names match among siblings is said by a `Fold`.
 */
export type ColumnJson = JsonObject;

/** A column that goes by another name than before; what lies below it moves with it. */
export type ColumnRename = { readonly from: readonly string[]; readonly to: readonly string[] };

const columnName = (column: ColumnJson): string => column['name'] as string;

/** What of a name tells siblings apart. */
export type NameFold = (name: string) => string;

/** Columns of databases: `Amount` and `amount` are one column. */
export const foldCase: NameFold = (name) => name.toLowerCase();

/** Fields of schemas, tasks and features: `userId` and `userID` are two. */
export const keepCase: NameFold = (name) => name;

const childrenOf = (column: ColumnJson): readonly ColumnJson[] =>
  isArray(column['children']) ? (column['children'] as readonly ColumnJson[]) : [];

const columnsByKey = (columns: readonly ColumnJson[], fold: NameFold): ReadonlyMap<string, ColumnJson> =>
  new Map(columns.map((column) => [fold(columnName(column)), column]));

/** The path of the first column that has the name of a sibling, at any depth (`a."b.c"`); undefined when there is none. */
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

/** No name holds a control character, so joined paths are unambiguous. */
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
 * Whether readers of the old columns may break: one was removed or re-declared with another type or less room, at any
 * depth. Hand renamed columns in under their new names (`withRenames`), since a rename alone breaks nothing.
 */
export const hasBreakingColumnChange = (
  before: readonly ColumnJson[],
  after: readonly ColumnJson[],
  fold: NameFold = foldCase,
): boolean => {
  if (before.length === 0) return false;
  const remaining = columnsByKey(after, fold);
  return before.some((column) => {
    const match = remaining.get(fold(columnName(column)));
    if (match === undefined || isRedeclared(column, match)) return true;
    return hasBreakingColumnChange(childrenOf(column), childrenOf(match), fold);
  });
};

/** Labels are the same when tag and source are; the default source is that of the wire. */
const tagLabelKey = (label: Json): string => {
  const { tagFQN, source } = label as { readonly tagFQN: string; readonly source?: string };
  return `${source ?? 'Classification'}\u0001${tagFQN}`;
};

const tagFqnOf = (label: Json): string => (label as { readonly tagFQN: string }).tagFQN;

/**
 * The labels after a PUT: it adds and never removes. Of a label on both sides the request's members win and the others
 * stay. Sorted by `tagFQN`.
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

const carryOverColumn = (
  stored: ColumnJson | undefined,
  incoming: ColumnJson,
  options: CarryOverOptions,
): ColumnJson => {
  if (stored === undefined) return incoming;
  const out: MutableJsonObject = { ...incoming };
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
 * The columns a PUT leaves behind: those of the request, each with the description and the tags of the stored column of
 * that name when the request omits them; tags are merged. `keepStored` protects stored texts from bots.
 */
export const carryOverColumns = (
  stored: readonly ColumnJson[],
  incoming: readonly ColumnJson[],
  options: CarryOverOptions = {},
): ColumnJson[] => {
  const { fold = foldCase } = options;
  const known = columnsByKey(stored, fold);
  return incoming.map((column) => carryOverColumn(known.get(fold(columnName(column))), column, options));
};

/** The one old and the one new column that a JSON Patch renamed among siblings, if that is what it did. */
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
  if (before.columns.length === 0 || after.columns.length === 0) return;
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
 * The columns a JSON Patch renamed, outermost first: in one list of siblings of unchanged length exactly one old name is
 * gone and exactly one new name stands at the same index with the same `dataType`. Anything else is removal plus
 * addition. A name that changed in case only always counts.
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

/** The columns whose names changed in case only: they stay the same columns, also under PUT and merge patch. */
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

/** The old columns under their new names, so that every rule that matches by name pairs them rightly. */
export const applyColumnRenames = (
  columns: readonly ColumnJson[],
  renames: readonly ColumnRename[],
): readonly ColumnJson[] => {
  if (renames.length === 0) return columns;
  const names = new Map(renames.map(({ from, to }) => [pathKey(from), to.at(-1) ?? '']));
  return renameColumns(columns, [], names);
};
