import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind.ts';
import { type Field, type Fields, fieldsOf, mostTypos, weightsOf } from '../fields.ts';
import { layOut, type Text, type Word } from '../tokens.ts';
import { type Leaf, type Test, testOf, type Whole, wordsIn } from './leaves.ts';
import { hasToken, isNear } from './near.ts';
import type { Filter, Scalar } from './tree.ts';

/** Judging one document by a filter, in the words of search.md 4 and 6.2. What engines answer is measured by it. */

/** What is known of the documents to be judged, and what time it is. */
type Scope = { readonly fields: Fields; readonly weighted: readonly string[]; readonly now: number };

const scopeOf = (kind: Kind, now: number): Scope => ({
  fields: fieldsOf(kind),
  weighted: [...weightsOf(kind).keys()],
  now,
});

/** A document, or one element of a list of it, that is being judged. */
type Judged = {
  readonly document: JsonObject;
  readonly scope: Scope;
  /** The path of the list whose element is looked at. */
  readonly within: readonly string[];
  readonly texts: Map<string, readonly Text[]>;
};

const collect = (value: Json, path: readonly string[], into: Json[]): void => {
  if (isArray(value)) {
    for (const item of value) collect(item, path, into);
    return;
  }
  const [name, ...rest] = path;
  if (name === undefined) {
    if (value !== null) into.push(value);
    return;
  }
  const inner = isObject(value) ? member(value, name) : undefined;
  if (inner !== undefined) collect(inner, rest, into);
};

/** All values at a place, those of lists one by one. Seen from an element, nothing lies outside it. */
const valuesAt = ({ document, within }: Judged, path: readonly string[]): readonly Json[] => {
  const isWithin = within.every((name, at) => path[at] === name);
  const values: Json[] = [];
  if (isWithin) collect(document, path.slice(within.length), values);
  return values;
};

const isScalar = (value: Json): value is Scalar => typeof value !== 'object';

const textsOf = (judged: Judged, { path }: Field): readonly Text[] => {
  const key = path.join('.');
  const known = judged.texts.get(key);
  if (known) return known;
  const texts = valuesAt(judged, path).flatMap((value) => (typeof value === 'string' ? [layOut(value)] : []));
  judged.texts.set(key, texts);
  return texts;
};

/** How a value is compared of whose field nothing is known. */
const classOfValue = (value: Scalar): Whole | undefined => {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : undefined;
};

const someWhole = (judged: Judged, field: Field, classOf: (value: Scalar) => Whole | undefined, test: Test): boolean =>
  valuesAt(judged, field.path).some((value) => {
    const how = isScalar(value) ? classOf(value) : undefined;
    return how !== undefined && test.whole(how, value as Scalar);
  });

const holdsIn = (judged: Judged, name: string, leaf: Leaf, test: Test): boolean => {
  const field = judged.scope.fields(name);
  if (!field || field.class === 'object') return false;
  const { class: how } = field;
  if (how !== 'text' && how !== 'any') return someWhole(judged, field, () => how, test);
  // Texts have no order but as a whole.
  if (leaf.is === 'range') return someWhole(judged, field, (value) => classOfValue(value) ?? 'folded', test);
  return test.texts(textsOf(judged, field)) || (how === 'any' && someWhole(judged, field, classOfValue, test));
};

/** Without a field every weighted one is taken word by word, whatever else it is. */
const holdsAnywhere = (judged: Judged, test: Test): boolean =>
  judged.scope.weighted.some((name) => {
    const field = judged.scope.fields(name);
    return field !== undefined && test.texts(textsOf(judged, field));
  });

/** How many letters a word may be off that people typed. */
export const typosOf = (token: string): 0 | 1 | 2 => (token.length < 4 ? 0 : token.length < 7 ? 1 : 2);

type Sought = { readonly text: Text; readonly most: number };

/** How the last word may stand for another one: by its end alone, by its beginning, or by one that is misspelled. */
type Ending = 'finished' | 'begun' | 'rough';

const begins = (known: string, token: string, ending: Ending, most: number): boolean => {
  if (known.startsWith(token)) return true;
  if (ending !== 'rough') return false;
  for (let length = token.length - most; length <= token.length + most; length += 1) {
    if (isNear(token, known.slice(0, length), most)) return true;
  }
  return false;
};

const isSomewhere = (sought: readonly Sought[], token: string, ending: Ending): boolean =>
  sought.some(({ text: { tokens }, most: forgiven }) => {
    const most = Math.min(forgiven, typosOf(token));
    if (hasToken(tokens, token, most)) return true;
    if (ending !== 'finished') for (const known of tokens) if (begins(known, token, ending, most)) return true;
    return false;
  });

const holdsWord = (sought: readonly Sought[], { joined, parts }: Word, ending: Ending): boolean =>
  isSomewhere(sought, joined, ending) ||
  parts.every((part, at) => isSomewhere(sought, part, at === parts.length - 1 ? ending : 'finished'));

type Simple = Extract<Filter, { is: 'simple' }>;

const holdsSimple = (judged: Judged, leaf: Simple): boolean => {
  const words = wordsIn(leaf);
  const last: Ending = leaf.isFinished ? 'finished' : leaf.isRough ? 'rough' : 'begun';
  const sought = judged.scope.weighted.flatMap((name) => {
    const field = judged.scope.fields(name);
    const most = field && !leaf.isSpelledRight ? mostTypos(field, name) : 0;
    return field ? textsOf(judged, field).map((text) => ({ text, most })) : [];
  });
  return (
    words.length > 0 && words.every((word, at) => holdsWord(sought, word, at === words.length - 1 ? last : 'finished'))
  );
};

const holdsNested = (judged: Judged, { path, of }: Extract<Filter, { is: 'nested' }>): boolean => {
  const within = path.split('.');
  return valuesAt(judged, within).some(
    (element) => isObject(element) && holds({ ...judged, document: element, within, texts: new Map() }, of),
  );
};

const exists = (judged: Judged, name: string): boolean => {
  const field = judged.scope.fields(name);
  return field !== undefined && valuesAt(judged, field.path).length > 0;
};

const holdsSome = (judged: Judged, of: readonly Filter[], least: number): boolean => {
  let found = 0;
  for (const one of of) {
    if (found >= least) break;
    if (holds(judged, one)) found += 1;
  }
  return found >= least;
};

const holds = (judged: Judged, filter: Filter): boolean => {
  switch (filter.is) {
    case 'all':
      return true;
    case 'none':
      return false;
    case 'every':
      return filter.of.every((one) => holds(judged, one));
    case 'some':
      return holdsSome(judged, filter.of, filter.least);
    case 'not':
      return !holds(judged, filter.of);
    case 'boosted':
      return holds(judged, filter.of);
    case 'nested':
      return holdsNested(judged, filter);
    case 'ids':
      return filter.ids.includes(String(member(judged.document, 'id')));
    case 'exists':
      return exists(judged, filter.field);
    case 'simple':
      return holdsSimple(judged, filter);
    default: {
      const test = testOf(filter, judged.scope.now);
      return filter.field === undefined ? holdsAnywhere(judged, test) : holdsIn(judged, filter.field, filter, test);
    }
  }
};

/** Whether a document is one that the filter describes. */
const matches = (filter: Filter, document: JsonObject, scope: Scope): boolean =>
  holds({ document, scope, within: [], texts: new Map() }, filter);

/** Judges documents of whatever kinds by one filter; to be made anew for every request. */
export const judgeBy = (
  filter: Filter,
  kinds: ReadonlyMap<string, Kind>,
  now: number,
): ((document: JsonObject) => boolean) => {
  const scopes = new Map<string, Scope | undefined>();
  const scopeFor = (entityType: string): Scope | undefined => {
    if (!scopes.has(entityType)) {
      const kind = kinds.get(entityType);
      scopes.set(entityType, kind && scopeOf(kind, now));
    }
    return scopes.get(entityType);
  };
  return (document) => {
    const scope = scopeFor(String(member(document, 'entityType')));
    return scope !== undefined && matches(filter, document, scope);
  };
};
