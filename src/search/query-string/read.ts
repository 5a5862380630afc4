import { badRequest, type CatalogError } from '../../errors.ts';
import type { Pattern } from '../filter/pattern.ts';
import { ALL, every, type Filter, NONE, not, some, type Typos } from '../filter/tree.ts';
import { countParts, standsInWords, wordsOf } from '../tokens.ts';
import { lex, type Token, type Word } from './lex.ts';

/** Reads queries as people write them (search.md 5) into the tree of filters. */

export type QueryOptions = {
  readonly isField: (name: string) => boolean;
  /** What stands between two conditions with nothing between them. */
  readonly operator: 'and' | 'or';
  readonly typos: Typos;
  /** Where words without a field are looked for, and how much they count there. */
  readonly fields: readonly { readonly field: string | undefined; readonly by: number }[];
  readonly fault: (problem: string) => CatalogError;
  /** Told of every condition. */
  readonly count: (more: number) => void;
};

type Reader = QueryOptions & { readonly tokens: readonly Token[]; at: number };

const MAX_DEPTH = 20;
/** Out of order, every word of a phrase is looked for everywhere. */
const MAX_SCATTERED = 32;

const faultAt = (reader: Reader, problem: string, { at }: { readonly at: number }): CatalogError =>
  reader.fault(`${problem} at character ${at + 1}`);

const peek = (reader: Reader): Token | undefined => reader.tokens[reader.at];

/** What a part of a query says; undefined where it is only punctuation. */
type Part = Filter | undefined;

const boosted = (of: Filter, by = 1): Filter => (by === 1 ? of : { is: 'boosted', of, by });

type Leaf = Extract<Token, { is: 'word' | 'phrase' | 'range' }>;

const rangeOf = (field: string, { bounds }: Extract<Token, { is: 'range' }>): Filter =>
  bounds.length === 0 ? { is: 'exists', field } : { is: 'range', field, bounds, unit: 'ms' };

const isAnything = ({ pattern }: Word): boolean => pattern?.length === 1 && pattern[0] === 'run';

/** What no word can hold is no form of a word: an address with a question in it is text. */
const isForm = (pattern: Pattern): boolean =>
  pattern.every((piece) => typeof piece === 'string' || standsInWords(piece.literal));

/** Addresses lose their `+` to a space on the way through URLs. */
const isAddress = (field: string | undefined): boolean => field?.startsWith('email') === true;

const phraseOf = (field: string | undefined, text: string, slop: number): Filter => {
  const phrase: Filter = { is: 'phrase', field, text, slop };
  if (!isAddress(field) || !text.includes(' ')) return phrase;
  return some([phrase, { ...phrase, text: text.replaceAll(' ', '+') }]);
};

const wordOf = (field: string | undefined, word: Word): Part => {
  const { text, pattern, typos } = word;
  if (isAnything(word)) return field === undefined ? ALL : { is: 'exists', field };
  if (pattern && (field !== undefined || isForm(pattern))) return { is: 'wildcard', field, pattern, anyCase: false };
  if (field === undefined && wordsOf(text).length === 0) return undefined;
  if (typos !== undefined) return { is: 'fuzzy', field, text, typos };
  return phraseOf(field, text, 0);
};

const conditionOf = (reader: Reader, field: string | undefined, leaf: Leaf): Part => {
  reader.count(1);
  if (leaf.is === 'word') return wordOf(field, leaf);
  if (leaf.is === 'range') return field === undefined ? undefined : rangeOf(field, leaf);
  const isLong = leaf.slop > 0 && countParts(wordsOf(leaf.text)) > MAX_SCATTERED;
  if (isLong) throw faultAt(reader, `a distance behind more than ${MAX_SCATTERED} words`, leaf);
  if (field === undefined && wordsOf(leaf.text).length === 0) return undefined;
  return phraseOf(field, leaf.text, leaf.slop);
};

const leafOf = (reader: Reader, field: string | undefined, leaf: Leaf): Part => {
  const fields = field === undefined ? reader.fields : [{ field, by: 1 }];
  const parts = fields.map(({ field: one, by }) => ({ part: conditionOf(reader, one, leaf), by }));
  const known = parts.flatMap(({ part, by }) => (part ? [boosted(part, by)] : []));
  const isAll = leaf.is === 'word' && field === undefined && isAnything(leaf);
  if (isAll) return ALL;
  return known.length === 0 ? undefined : boosted(some(known), leaf.boost);
};

/** The two words of an address whose `+` was lost. */
const splitAddress = (reader: Reader, field: string, first: Token): string | undefined => {
  const second = reader.tokens[reader.at];
  if (!isAddress(field) || first.is !== 'word' || second?.is !== 'word') return undefined;
  const isSplit = second.at === first.end + 1 && !first.text.includes('@') && second.text.includes('@');
  return isSplit && first.isPlain && second.isPlain ? `${first.text} ${second.text}` : undefined;
};

const readValue = (reader: Reader, name: string, depth: number): Part => {
  const token = peek(reader);
  const field = name === '*' ? undefined : name;
  if (!token) return undefined;
  if (token.is === 'open') return readGroup(reader, field, depth);
  reader.at += 1;
  const address = splitAddress(reader, name, token);
  if (address !== undefined) {
    reader.at += 1;
    reader.count(2);
    return phraseOf(name, address, 0);
  }
  if (token.is !== 'word' && token.is !== 'phrase' && token.is !== 'range') return undefined;
  if (name === '_exists_') return token.is === 'range' ? undefined : { is: 'exists', field: token.text };
  return leafOf(reader, field, token);
};

const readGroup = (reader: Reader, field: string | undefined, depth: number): Part => {
  const open = peek(reader) ?? { at: 0 };
  if (depth >= MAX_DEPTH) throw faultAt(reader, `more than ${MAX_DEPTH} groups inside each other`, open);
  reader.at += 1;
  if (peek(reader)?.is === 'close') throw faultAt(reader, 'an empty group', open);
  const part = readSequence(reader, field, depth + 1);
  const close = peek(reader);
  reader.at += 1;
  return part && boosted(part, close?.is === 'close' ? close.boost : undefined);
};

const readOne = (reader: Reader, field: string | undefined, depth: number): Part => {
  const token = peek(reader);
  const before = reader.tokens[reader.at - 1];
  if (!token) throw faultAt(reader, 'an operator without what follows it', before ?? { at: 0 });
  if (token.is === 'open') return readGroup(reader, field, depth);
  if (token.is === 'close' && before) throw faultAt(reader, 'an operator without what follows it', before);
  if (token.is === 'and' || token.is === 'or') throw faultAt(reader, 'an operator out of place', token);
  reader.at += 1;
  if (token.is === 'field') return readValue(reader, token.name, depth);
  return token.is === 'word' || token.is === 'phrase' || token.is === 'range'
    ? leafOf(reader, field, token)
    : undefined;
};

/** A condition, and the sign before it. */
type Signed = { readonly part: Part; readonly sign: 'must' | 'not' | undefined };

const readSigned = (reader: Reader, field: string | undefined, depth: number): Signed => {
  let sign: Signed['sign'];
  for (let token = peek(reader); token?.is === 'not' || token?.is === 'must'; token = peek(reader)) {
    if (token.is === 'not') sign = sign === 'not' ? undefined : 'not';
    else sign ??= 'must';
    reader.at += 1;
  }
  return { part: readOne(reader, field, depth), sign };
};

const settled = ({ part, sign }: Signed): Filter[] => {
  if (!part) return [];
  return [sign === 'not' ? not(part) : part];
};

const isEnd = (token: Token | undefined): boolean => token === undefined || token.is === 'close';

/** What is joined by AND, said or unsaid. */
const readConjunction = (reader: Reader, field: string | undefined, depth: number): Signed => {
  const first = readSigned(reader, field, depth);
  const all = [first];
  for (let token = peek(reader); !isEnd(token) && token?.is !== 'or'; token = peek(reader)) {
    if (token?.is === 'and') reader.at += 1;
    else if (reader.operator === 'or') break;
    all.push(readSigned(reader, field, depth));
  }
  if (all.length === 1) return first;
  const parts = all.flatMap(settled);
  return { part: parts.length === 0 ? undefined : every(parts), sign: undefined };
};

/** What is joined by nothing, where that means OR: what has a sign must or must not be, one of the others should. */
const combine = (signed: readonly Signed[]): Part => {
  const required = signed.filter(({ sign }) => sign !== undefined).flatMap(settled);
  const optional = signed.filter(({ sign }) => sign === undefined).flatMap(settled);
  const isRequired = signed.some(({ sign, part }) => sign === 'must' && part);
  if (required.length === 0 && optional.length === 0) return undefined;
  return every([...required, ...(optional.length > 0 && !isRequired ? [some(optional)] : [])]);
};

const readSequence = (reader: Reader, field: string | undefined, depth: number): Part => {
  const signed: Signed[] = [];
  /** A sign between two ORs belongs to its alternative alone. */
  const close = (at: number) => {
    const one = signed[at];
    if (!one) return;
    const [part] = settled(one);
    signed[at] = { part, sign: undefined };
  };
  signed.push(readConjunction(reader, field, depth));
  for (let token = peek(reader); !isEnd(token); token = peek(reader)) {
    const isOr = token?.is === 'or';
    if (isOr) reader.at += 1;
    signed.push(readConjunction(reader, field, depth));
    if (isOr) {
      close(signed.length - 2);
      close(signed.length - 1);
    }
  }
  if (signed.length === 1 && signed[0]) return settled(signed[0])[0];
  return combine(signed);
};

/** Reads a query whose marks are always marks. */
export const readQueryString = (text: string, options: QueryOptions): Filter => {
  const tokens = lex(text, options);
  if (tokens.length === 0) return NONE;
  return readSequence({ ...options, tokens, at: 0 }, undefined, 0) ?? NONE;
};

const MAX_QUERY = 4096;
const MAX_CLAUSES = 1024;

/**
 * Reads a query as people type it. Without any mark it is simple text: words that are looked for with patience. `name` is
 * what the query is called in messages.
 */
export const readQuery = (
  text: string,
  { name, isField }: { readonly name: string; readonly isField: (name: string) => boolean },
): Filter => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*' || trimmed === '**') return ALL;
  if (text.length > MAX_QUERY) throw badRequest(`[${name} must be at most ${MAX_QUERY} characters long]`);
  const fault = (problem: string) => badRequest(`[${name}: ${problem}]`);
  let clauses = 0;
  const count = (more: number) => {
    clauses += more;
    if (clauses > MAX_CLAUSES) throw fault(`more than ${MAX_CLAUSES} clauses`);
  };
  const options = { isField, fault, count, operator: 'and', typos: 2, fields: [{ field: undefined, by: 1 }] } as const;
  const tokens = lex(text, options);
  if (tokens.every((token) => token.is === 'word' && token.isPlain)) {
    count(wordsOf(text).length);
    return { is: 'simple', text };
  }
  return readSequence({ ...options, tokens, at: 0 }, undefined, 0) ?? NONE;
};
