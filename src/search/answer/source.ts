import { badRequest } from '../../errors.ts';
import { isArray, isObject, type Json, type JsonObject, type MutableJsonObject, setMember } from '../../model/json.ts';

/** Which members of documents are answered (search.md 1). */

/** Names of members, laid out so that they are walked together with a document. */
type Names = {
  /** Whether everything here and below is meant. */
  readonly isWhole: boolean;
  readonly members: Map<string, Names>;
  /** Beginnings of names, in order and none the beginning of another; whatever begins so is meant with all below it. */
  readonly beginnings: string[];
};

/** What is answered of a document: what is included, except what is excluded. */
type Chosen = { readonly included: Names; readonly excluded: Names | undefined };

/** Without anything chosen, no document is answered at all. */
export type Selection = { readonly chosen: Chosen | undefined };

/** As the request has them: repeated, separated by commas, or both. */
export type SourceRequest = {
  readonly includes: readonly string[];
  readonly excludes: readonly string[];
  readonly fetchSource: boolean;
};

const MOST_NAMES = 1024;

const emptyNames = (): Names => ({ isWhole: false, members: new Map(), beginnings: [] });

const WHOLE: Names = { ...emptyNames(), isWhole: true };

/** Beginnings must come in order: whatever one of them begins lies right behind it. */
const addBeginning = ({ beginnings }: Names, beginning: string): void => {
  const before = beginnings.at(-1);
  if (before === undefined || !beginning.startsWith(before)) beginnings.push(beginning);
};

const addName = (names: Names, name: string, isBeginning: boolean): void => {
  const path = name.split('.');
  const last = path.pop() ?? '';
  let at = names;
  for (const step of path) {
    const next = at.members.get(step) ?? emptyNames();
    // All below is meant already, and what stands for it is shared.
    if (next.isWhole) return;
    at.members.set(step, next);
    at = next;
  }
  if (isBeginning) addBeginning(at, last);
  else at.members.set(last, WHOLE);
};

const listed = (lists: readonly string[]): string[] =>
  lists
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '');

const namesOf = (list: readonly string[]): Names => {
  const names = emptyNames();
  const read = list.map((name) => ({ name: name.replace(/\*$/, ''), isBeginning: name.endsWith('*') }));
  read.sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
  for (const { name, isBeginning } of read) addName(names, name, isBeginning);
  return names;
};

/** Reads what of documents is wanted. Throws bad_request when it is told in too many names. */
export const readSelection = ({ includes, excludes, fetchSource }: SourceRequest): Selection => {
  const [included, excluded] = [listed(includes), listed(excludes)];
  const count = included.length + excluded.length;
  if (count > MOST_NAMES) throw badRequest(`[at most ${MOST_NAMES} source fields can be named]`);
  // Whoever names members wants to see them.
  if (count === 0 && !fetchSource) return { chosen: undefined };
  return {
    chosen: {
      included: included.length === 0 ? WHOLE : namesOf(included),
      excluded: excluded.length === 0 ? undefined : namesOf(excluded),
    },
  };
};

/** Whether the name begins in one of the ways: the only one that can be it is the last that is not behind the name. */
const beginsAs = ({ beginnings }: Names, name: string): boolean => {
  let [low, high] = [0, beginnings.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((beginnings[middle] ?? '') <= name) low = middle + 1;
    else high = middle;
  }
  const nearest = beginnings[low - 1];
  return nearest !== undefined && name.startsWith(nearest);
};

const namesBelow = (names: Names, name: string): Names | undefined => {
  if (names.isWhole || beginsAs(names, name)) return WHOLE;
  return names.members.get(name);
};

const isEmpty = (value: Json): boolean => isObject(value) && Object.keys(value).length === 0;

/** An element of which nothing is left is none. */
const chosenElements = (list: readonly Json[], chosen: Chosen): Json | undefined => {
  const kept: Json[] = [];
  for (const item of list) {
    const left = chosenValue(item, chosen);
    if (left !== undefined && !isEmpty(left)) kept.push(left);
  }
  return kept.length > 0 || chosen.included.isWhole ? kept : undefined;
};

const chosenMembers = (object: JsonObject, { included, excluded }: Chosen): JsonObject => {
  const kept: MutableJsonObject = {};
  for (const [name, value] of Object.entries(object)) {
    const within = namesBelow(included, name);
    const without = excluded && namesBelow(excluded, name);
    if (!within || without?.isWhole) continue;
    const left = chosenValue(value, { included: within, excluded: without });
    if (left !== undefined) setMember(kept, name, left);
  }
  return kept;
};

/** What is left of a value; undefined where it is only something on the way to what was named, and that is not there. */
const chosenValue = (value: Json, chosen: Chosen): Json | undefined => {
  const { included, excluded } = chosen;
  if (included.isWhole && !excluded) return value;
  if (isArray(value)) return chosenElements(value, chosen);
  if (!isObject(value)) return included.isWhole ? value : undefined;
  const kept = chosenMembers(value, chosen);
  return included.isWhole || !isEmpty(kept) ? kept : undefined;
};

/** What is answered of a document; undefined when its hit has no source. */
export const selectFrom = ({ chosen }: Selection, document: JsonObject): JsonObject | undefined =>
  chosen && (chosen.included.isWhole && !chosen.excluded ? document : chosenMembers(document, chosen));

/** Whether anything of a member of documents is answered. */
export const isWanted = ({ chosen }: Selection, name: string): boolean =>
  chosen !== undefined &&
  namesBelow(chosen.included, name) !== undefined &&
  !(chosen.excluded && namesBelow(chosen.excluded, name)?.isWhole);
