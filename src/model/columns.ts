import { isArray, type Json, type JsonObject, type MutableJsonObject } from './json.ts';
import { fqnPart } from './name.ts';

/**
 * A column of a table, or a field of a schema: an object with a `name`, a `dataType`, and possibly `children` and `tags`.
 * Every rule here expects columns whose shape was checked. How names match among siblings is said by a `Fold`.
 */
export type Column = JsonObject;

/** A column that goes by another name than before; what lies below it moves with it. */
export type Rename = { readonly from: readonly string[]; readonly to: readonly string[] };

const nameOf = (column: Column): string => column['name'] as string;

/** What of a name tells siblings apart. */
export type Fold = (name: string) => string;

/** Columns of databases: `Amount` and `amount` are one column. */
export const anyCase: Fold = (name) => name.toLowerCase();

/** Fields of schemas, tasks and features: `userId` and `userID` are two. */
export const exactCase: Fold = (name) => name;

const childrenOf = (column: Column): readonly Column[] =>
  isArray(column['children']) ? (column['children'] as readonly Column[]) : [];

const byKey = (columns: readonly Column[], fold: Fold): ReadonlyMap<string, Column> =>
  new Map(columns.map((column) => [fold(nameOf(column)), column]));

/** The path of the first column that has the name of a sibling, at any depth (`a."b.c"`); undefined when there is none. */
export const findDuplicate = (columns: readonly Column[], fold: Fold = anyCase, path = ''): string | undefined => {
  const seen = new Set<string>();
  for (const column of columns) {
    const here = path === '' ? fqnPart(nameOf(column)) : `${path}.${fqnPart(nameOf(column))}`;
    const key = fold(nameOf(column));
    if (seen.has(key)) return here;
    seen.add(key);
    const below = findDuplicate(childrenOf(column), fold, here);
    if (below !== undefined) return below;
  }
  return undefined;
};

/** No name holds a control character, so joined paths are unambiguous. */
const pathKey = (path: readonly string[]): string => path.join('\u0001');

const isReduced = (before: Json | undefined, after: Json | undefined): boolean =>
  typeof before === 'number' && (typeof after !== 'number' || after < before);

const isRedeclared = (before: Column, after: Column): boolean =>
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
export const isIncompatible = (before: readonly Column[], after: readonly Column[], fold: Fold = anyCase): boolean => {
  if (before.length === 0) return false;
  const remaining = byKey(after, fold);
  return before.some((column) => {
    const match = remaining.get(fold(nameOf(column)));
    if (match === undefined || isRedeclared(column, match)) return true;
    return isIncompatible(childrenOf(column), childrenOf(match), fold);
  });
};

/** Labels are the same when tag and source are; the default source is that of the wire. */
const labelKey = (label: Json): string => {
  const { tagFQN, source } = label as { readonly tagFQN: string; readonly source?: string };
  return `${source ?? 'Classification'}\u0001${tagFQN}`;
};

const tagFqnOf = (label: Json): string => (label as { readonly tagFQN: string }).tagFQN;

/**
 * The labels after a PUT: it adds and never removes. Of a label on both sides the request's members win and the others
 * stay. Sorted by `tagFQN`.
 */
export const mergeTags = (stored: readonly Json[], incoming: readonly Json[]): Json[] => {
  const merged = new Map(stored.map((label) => [labelKey(label), label]));
  for (const label of incoming) {
    const known = merged.get(labelKey(label)) as JsonObject | undefined;
    merged.set(labelKey(label), { ...known, ...(label as JsonObject) });
  }
  return [...merged.values()].sort((a, b) => (tagFqnOf(a) < tagFqnOf(b) ? -1 : tagFqnOf(a) > tagFqnOf(b) ? 1 : 0));
};

type CarryOptions = { readonly keepStored?: boolean; readonly fold?: Fold };

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null;

const carryText = (out: MutableJsonObject, stored: Column, name: string, isKept: boolean): void => {
  const text = stored[name];
  if (isKept && text !== undefined && text !== null && text !== '') out[name] = text;
};

const carryColumn = (stored: Column | undefined, incoming: Column, options: CarryOptions): Column => {
  if (stored === undefined) return incoming;
  const out: MutableJsonObject = { ...incoming };
  const keepStored = options.keepStored === true;
  carryText(out, stored, 'description', keepStored || isAbsent(incoming['description']));
  carryText(out, stored, 'displayName', keepStored);
  const labels = [stored['tags'], incoming['tags']].map((tags) => (isArray(tags) ? tags : []));
  if (labels.some(({ length }) => length > 0)) out['tags'] = mergeTags(labels[0] ?? [], labels[1] ?? []);
  const children = childrenOf(incoming);
  if (children.length > 0) out['children'] = carryOver(childrenOf(stored), children, options);
  return out;
};

/**
 * The columns a PUT leaves behind: those of the request, each with the description and the tags of the stored column of
 * that name when the request omits them; tags are merged. `keepStored` protects stored texts from bots.
 */
export const carryOver = (
  stored: readonly Column[],
  incoming: readonly Column[],
  options: CarryOptions = {},
): Column[] => {
  const { fold = anyCase } = options;
  const known = byKey(stored, fold);
  return incoming.map((column) => carryColumn(known.get(fold(nameOf(column))), column, options));
};

/** The one old and the one new column that a JSON Patch renamed among siblings, if that is what it did. */
const renamedPair = (
  before: readonly Column[],
  after: readonly Column[],
  fold: Fold,
): readonly [Column, Column] | undefined => {
  if (before.length !== after.length) return undefined;
  const [oldKeys, newKeys] = [byKey(before, fold), byKey(after, fold)];
  const gone = before.filter((column) => !newKeys.has(fold(nameOf(column))));
  const fresh = after.filter((column) => !oldKeys.has(fold(nameOf(column))));
  const [old, renamed] = [gone[0], fresh[0]];
  if (gone.length !== 1 || fresh.length !== 1 || old === undefined || renamed === undefined) return undefined;
  const isInPlace = before.indexOf(old) === after.indexOf(renamed) && old['dataType'] === renamed['dataType'];
  return isInPlace ? [old, renamed] : undefined;
};

type Siblings = { readonly columns: readonly Column[]; readonly path: readonly string[] };
type Manner = { readonly isPatch: boolean; readonly fold: Fold };

const collectRenames = (out: Rename[], before: Siblings, after: Siblings, manner: Manner): void => {
  if (before.columns.length === 0 || after.columns.length === 0) return;
  const { isPatch, fold } = manner;
  const remaining = byKey(after.columns, fold);
  const pair = isPatch ? renamedPair(before.columns, after.columns, fold) : undefined;
  for (const column of before.columns) {
    const match = column === pair?.[0] ? pair[1] : remaining.get(fold(nameOf(column)));
    if (match === undefined) continue;
    const from = { columns: childrenOf(column), path: [...before.path, nameOf(column)] };
    const to = { columns: childrenOf(match), path: [...after.path, nameOf(match)] };
    if (nameOf(column) !== nameOf(match)) out.push({ from: from.path, to: to.path });
    collectRenames(out, from, to, manner);
  }
};

/**
 * The columns a JSON Patch renamed, outermost first: in one list of siblings of unchanged length exactly one old name is
 * gone and exactly one new name stands at the same index with the same `dataType`. Anything else is removal plus
 * addition. A name that changed in case only always counts.
 */
export const detectRename = (before: readonly Column[], after: readonly Column[], fold: Fold = anyCase): Rename[] => {
  const out: Rename[] = [];
  collectRenames(out, { columns: before, path: [] }, { columns: after, path: [] }, { isPatch: true, fold });
  return out;
};

/** The columns whose names changed in case only: they stay the same columns, also under PUT and merge patch. */
export const detectRespelling = (
  before: readonly Column[],
  after: readonly Column[],
  fold: Fold = anyCase,
): Rename[] => {
  const out: Rename[] = [];
  collectRenames(out, { columns: before, path: [] }, { columns: after, path: [] }, { isPatch: false, fold });
  return out;
};

const renameBelow = (
  columns: readonly Column[],
  path: readonly string[],
  names: ReadonlyMap<string, string>,
): Column[] =>
  columns.map((column) => {
    const here = [...path, nameOf(column)];
    const name = names.get(pathKey(here)) ?? nameOf(column);
    const children = childrenOf(column);
    return { ...column, name, ...(children.length > 0 && { children: renameBelow(children, here, names) }) };
  });

/** The old columns under their new names, so that every rule that matches by name pairs them rightly. */
export const withRenames = (columns: readonly Column[], renames: readonly Rename[]): readonly Column[] => {
  if (renames.length === 0) return columns;
  const names = new Map(renames.map(({ from, to }) => [pathKey(from), to.at(-1) ?? '']));
  return renameBelow(columns, [], names);
};
