import { badRequest } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';

/** Selects the members of documents that answers include (search.md 1). */

/** A tree of member names, which is walked together with a document. */
type NameTree = {
  /** Whether everything from here down is selected. */
  readonly isWhole: boolean;
  readonly members: Map<string, NameTree>;
  /**
   * Sorted name prefixes, none a prefix of another. Members with such a name are selected with everything below them.
   */
  readonly prefixes: string[];
};

/** The included members, except the excluded ones. */
type SourceFilter = { readonly included: NameTree; readonly excluded: NameTree | undefined };

/** Without a filter the answer contains no documents. */
export type SourceSelection = { readonly filter: SourceFilter | undefined };

/** The parameters of the request: repeated, comma-separated, or both. */
export type SourceParameters = {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  readonly fetchSource: boolean;
};

const MAX_NAMES = 1024;

const createNameTree = (): NameTree => ({ isWhole: false, members: new Map(), prefixes: [] });

const ALL_NAMES: NameTree = { ...createNameTree(), isWhole: true };

/** Prefixes must be added in order, so that the names a prefix covers directly follow it. */
const addPrefix = ({ prefixes }: NameTree, beginning: string): void => {
  const before = prefixes.at(-1);
  if (before === undefined || !beginning.startsWith(before)) prefixes.push(beginning);
};

const addName = (names: NameTree, name: string, isBeginning: boolean): void => {
  const path = name.split('.');
  const last = path.pop() ?? '';
  let at = names;
  for (const step of path) {
    const next = at.members.get(step) ?? createNameTree();
    // The whole subtree is selected already, and `ALL_NAMES` is shared.
    if (next.isWhole) return;
    at.members.set(step, next);
    at = next;
  }
  if (isBeginning) addPrefix(at, last);
  else at.members.set(last, ALL_NAMES);
};

const splitNames = (lists: readonly string[]): string[] =>
  lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');

const buildNameTree = (list: readonly string[]): NameTree => {
  const names = createNameTree();
  const read = list.map((name) => ({ name: name.replace(/\*$/, ''), isBeginning: name.endsWith('*') }));
  read.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  for (const { name, isBeginning } of read) addName(names, name, isBeginning);
  return names;
};

/** Reads the selection. Throws bad_request when there are too many names. */
export const readSelection = ({ includes, excludes, fetchSource }: SourceParameters): SourceSelection => {
  const [included, excluded] = [splitNames(includes), splitNames(excludes)];
  const count = included.length + excluded.length;
  if (count > MAX_NAMES) throw badRequest(`[at most ${MAX_NAMES} source fields can be named]`);
  // Naming members implies that the caller wants the source.
  if (count === 0 && !fetchSource) return { filter: undefined };
  return {
    filter: {
      included: included.length === 0 ? ALL_NAMES : buildNameTree(included),
      excluded: excluded.length === 0 ? undefined : buildNameTree(excluded),
    },
  };
};

/**
 * Whether the name starts with one of the prefixes; only the last prefix that does not sort after the name can match.
 */
const hasPrefixOf = ({ prefixes }: NameTree, name: string): boolean => {
  let [low, high] = [0, prefixes.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((prefixes[middle] ?? '') <= name) low = middle + 1;
    else high = middle;
  }
  const nearest = prefixes[low - 1];
  return nearest !== undefined && name.startsWith(nearest);
};

const namesUnder = (names: NameTree, name: string): NameTree | undefined => {
  if (names.isWhole || hasPrefixOf(names, name)) return ALL_NAMES;
  return names.members.get(name);
};

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** Elements without selected members are left out. */
const filterElements = (list: readonly Json[], chosen: SourceFilter): Json | undefined => {
  const kept: Json[] = [];
  for (const item of list) {
    const left = filterValue(item, chosen);
    if (left !== undefined && !isEmpty(left)) kept.push(left);
  }
  return kept.length > 0 || chosen.included.isWhole ? kept : undefined;
};

const filterMembers = (object: JsonObject, { included, excluded }: SourceFilter): JsonObject => {
  const kept: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const within = namesUnder(included, name);
    const without = excluded && namesUnder(excluded, name);
    if (!within || without?.isWhole) continue;
    const left = filterValue(value, { included: within, excluded: without });
    if (left !== undefined) setMember(kept, name, left);
  }
  return kept;
};

/** Filters a value; undefined when it only leads to named members that it does not have. */
const filterValue = (value: Json, chosen: SourceFilter): Json | undefined => {
  const { included, excluded } = chosen;
  if (included.isWhole && !excluded) return value;
  if (isArray(value)) return filterElements(value, chosen);
  if (!isObject(value)) return included.isWhole ? value : undefined;
  const kept = filterMembers(value, chosen);
  return included.isWhole || !isEmpty(kept) ? kept : undefined;
};

/** Returns the selected part of a document; undefined when the hit has no source. */
export const selectSource = ({ filter }: SourceSelection, document: JsonObject): JsonObject | undefined =>
  filter && (filter.included.isWhole && !filter.excluded ? document : filterMembers(document, filter));

/** Whether the answer includes any part of this member. */
export const isSelected = ({ filter }: SourceSelection, name: string): boolean =>
  filter !== undefined &&
  namesUnder(filter.included, name) !== undefined &&
  !(filter.excluded && namesUnder(filter.excluded, name)?.isWhole);
