import { isArray, isObject, type Json, type JsonObject, member } from '../../model/json.ts';
import type { Kind } from '../../model/kind/kind.ts';
import { createMatchBudget, type MatchBudget } from '../../model/language/match-budget.ts';
import { createFieldLookup, type DocumentField, type FieldLookup, fieldWeightsOf, maxTyposFor } from '../fields.ts';
import { type TextWord, type TokenizedText, tokenizeText } from '../tokens.ts';
import type { Scalar, SearchFilter } from './search-filter.ts';
import { hasToken, isWithinTypos } from './typos.ts';
import {
  createValueTest,
  type FieldValueTest,
  filterWords,
  type ValueFilter,
  type WholeFieldClass,
} from './value-test.ts';

/**
 * Matches one document against a filter, as search.md 4 and 6.2 define it. Results of the search engines are checked
 * against this.
 */

/** The context of a match: the fields of the documents, the current time, and what comparisons may cost. */
type MatchScope = {
  readonly fields: FieldLookup;
  readonly weighted: readonly string[];
  readonly now: number;
  readonly budget: MatchBudget;
};

const createMatchScope = (kind: Kind, now: number, budget: MatchBudget): MatchScope => ({
  fields: createFieldLookup(kind),
  weighted: [...fieldWeightsOf(kind).keys()],
  now,
  budget,
});

/** The document, or the element of one of its lists, that is matched. */
type MatchTarget = {
  readonly document: JsonObject;
  readonly scope: MatchScope;
  /** The path of the list that contains the element. */
  readonly elementPath: readonly string[];
  readonly texts: Map<string, readonly TokenizedText[]>;
};

const collectValues = (value: Json, path: readonly string[], into: Json[]): void => {
  if (isArray(value)) {
    for (const item of value) collectValues(item, path, into);
    return;
  }
  const [name, ...rest] = path;
  if (name === undefined) {
    if (value !== null) into.push(value);
    return;
  }
  const inner = isObject(value) ? member(value, name) : undefined;
  if (inner !== undefined) collectValues(inner, rest, into);
};

/** Returns all values at a path, including each value of a list. From an element, only values inside it are visible. */
const valuesAt = ({ document, elementPath }: MatchTarget, path: readonly string[]): readonly Json[] => {
  const isWithin = elementPath.every((name, at) => path[at] === name);
  const values: Json[] = [];
  if (isWithin) collectValues(document, path.slice(elementPath.length), values);
  return values;
};

const isScalar = (value: Json): value is Scalar => typeof value !== 'object';

const textsOf = (judged: MatchTarget, { path }: DocumentField): readonly TokenizedText[] => {
  const key = path.join('.');
  const known = judged.texts.get(key);
  if (known) return known;
  const texts = valuesAt(judged, path).flatMap((value) => (typeof value === 'string' ? [tokenizeText(value)] : []));
  judged.texts.set(key, texts);
  return texts;
};

/** Returns how to compare a value of a field of unknown type. */
const classOfValue = (value: Scalar): WholeFieldClass | undefined => {
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'flag' : undefined;
};

const someValuePasses = (
  judged: MatchTarget,
  field: DocumentField,
  classOf: (value: Scalar) => WholeFieldClass | undefined,
  test: FieldValueTest,
): boolean =>
  valuesAt(judged, field.path).some((value) => {
    const how = isScalar(value) ? classOf(value) : undefined;
    return how !== undefined && test.whole(how, value as Scalar);
  });

const holdsInField = (judged: MatchTarget, name: string, leaf: ValueFilter, test: FieldValueTest): boolean => {
  const field = judged.scope.fields(name);
  if (!field || field.class === 'object') return false;
  const { class: how } = field;
  if (how !== 'text' && how !== 'any') return someValuePasses(judged, field, () => how, test);
  // Texts are ordered only as a whole.
  if (leaf.is === 'range') return someValuePasses(judged, field, (value) => classOfValue(value) ?? 'folded', test);
  return test.texts(textsOf(judged, field)) || (how === 'any' && someValuePasses(judged, field, classOfValue, test));
};

/** A condition without a field is tested against every weighted field, word by word, whatever the field's type. */
const holdsAnywhere = (judged: MatchTarget, test: FieldValueTest): boolean =>
  judged.scope.weighted.some((name) => {
    const field = judged.scope.fields(name);
    return field !== undefined && test.texts(textsOf(judged, field));
  });

/** The typos allowed in a word that a person typed. */
export const typosForTypedWord = (token: string): 0 | 1 | 2 => (token.length < 4 ? 0 : token.length < 7 ? 1 : 2);

type TypedText = { readonly text: TokenizedText; readonly most: number };

/**
 * How the last word may match: as a finished word, as a prefix (`begun`), or as a misspelled word or prefix (`rough`).
 */
type LastWordMode = 'finished' | 'begun' | 'rough';

const matchesBeginning = (
  known: string,
  token: string,
  ending: LastWordMode,
  most: number,
  { spend }: MatchBudget,
): boolean => {
  if (known.startsWith(token)) return true;
  if (ending !== 'rough') return false;
  for (let length = token.length - most; length <= token.length + most; length += 1) {
    if (isWithinTypos(token, known.slice(0, length), most, spend)) return true;
  }
  return false;
};

const holdsToken = (sought: readonly TypedText[], token: string, ending: LastWordMode, budget: MatchBudget): boolean =>
  sought.some(({ text: { tokens }, most: forgiven }) => {
    const most = Math.min(forgiven, typosForTypedWord(token));
    if (hasToken(tokens, token, most, budget.spend)) return true;
    if (ending !== 'finished')
      for (const known of tokens) if (matchesBeginning(known, token, ending, most, budget)) return true;
    return false;
  });

const holdsWord = (
  sought: readonly TypedText[],
  { joined, parts }: TextWord,
  ending: LastWordMode,
  budget: MatchBudget,
): boolean =>
  holdsToken(sought, joined, ending, budget) ||
  parts.every((part, at) => holdsToken(sought, part, at === parts.length - 1 ? ending : 'finished', budget));

type SimpleFilter = Extract<SearchFilter, { is: 'simple' }>;

const holdsSimple = (judged: MatchTarget, leaf: SimpleFilter): boolean => {
  const words = filterWords(leaf);
  const last: LastWordMode = leaf.isFinished ? 'finished' : leaf.isRough ? 'rough' : 'begun';
  const sought = judged.scope.weighted.flatMap((name) => {
    const field = judged.scope.fields(name);
    const most = field && !leaf.isSpelledRight ? maxTyposFor(field, name) : 0;
    return field ? textsOf(judged, field).map((text) => ({ text, most })) : [];
  });
  return (
    words.length > 0 &&
    words.every((word, at) => holdsWord(sought, word, at === words.length - 1 ? last : 'finished', judged.scope.budget))
  );
};

const holdsNested = (judged: MatchTarget, { path, of }: Extract<SearchFilter, { is: 'nested' }>): boolean => {
  const elementPath = path.split('.');
  return valuesAt(judged, elementPath).some(
    (element) => isObject(element) && holds({ ...judged, document: element, elementPath, texts: new Map() }, of),
  );
};

const holdsField = (judged: MatchTarget, name: string): boolean => {
  const field = judged.scope.fields(name);
  return field !== undefined && valuesAt(judged, field.path).length > 0;
};

const holdsSome = (judged: MatchTarget, of: readonly SearchFilter[], least: number): boolean => {
  let found = 0;
  for (const one of of) {
    if (found >= least) break;
    if (holds(judged, one)) found += 1;
  }
  return found >= least;
};

const holds = (judged: MatchTarget, filter: SearchFilter): boolean => {
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
      return holdsField(judged, filter.field);
    case 'simple':
      return holdsSimple(judged, filter);
    default: {
      const test = createValueTest(filter, judged.scope.now, judged.scope.budget.spend);
      return filter.field === undefined
        ? holdsAnywhere(judged, test)
        : holdsInField(judged, filter.field, filter, test);
    }
  }
};

/** Whether a document matches the filter. */
const matchesDocument = (filter: SearchFilter, document: JsonObject, scope: MatchScope): boolean =>
  holds({ document, scope, elementPath: [], texts: new Map() }, filter);

/**
 * Creates a matcher of documents of any kind for one filter; create a new one for each request. It throws
 * ExpressionTooExpensive when comparisons cost more than the budget, or than one document may cost.
 */
export const createDocumentMatcher = (
  filter: SearchFilter,
  kinds: ReadonlyMap<string, Kind>,
  now: number,
  budget = createMatchBudget(),
): ((document: JsonObject) => boolean) => {
  const scopes = new Map<string, MatchScope | undefined>();
  const scopeFor = (entityType: string): MatchScope | undefined => {
    if (!scopes.has(entityType)) {
      const kind = kinds.get(entityType);
      scopes.set(entityType, kind && createMatchScope(kind, now, budget));
    }
    return scopes.get(entityType);
  };
  return (document) => {
    const scope = scopeFor(String(member(document, 'entityType')));
    budget.beginText();
    return scope !== undefined && matchesDocument(filter, document, scope);
  };
};
