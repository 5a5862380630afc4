import { badRequest, type CatalogError } from '../../errors.ts';
import {
  andFilter,
  MATCH_ALL,
  MATCH_NONE,
  notFilter,
  orFilter,
  type SearchFilter,
  type TypoLimit,
} from '../filter/search-filter.ts';
import type { WildcardPattern } from '../filter/wildcard.ts';
import { canBePartOfWord, countWordParts, parseWords } from '../tokens.ts';
import { lexQuery, type QueryToken, type WordToken } from './lex-query.ts';

/** Parses query strings (search.md 5) into filter trees. */

export type QueryOptions = {
  readonly isField: (name: string) => boolean;
  /** The operator between two conditions that no operator joins. */
  readonly operator: 'and' | 'or';
  readonly typos: TypoLimit;
  /** The fields that are searched for words without a field, with their weights. */
  readonly fields: readonly { readonly field: string | undefined; readonly by: number }[];
  readonly fault: (problem: string) => CatalogError;
  /** Called with the number of conditions that were added. */
  readonly count: (more: number) => void;
};

type QueryReader = QueryOptions & { readonly tokens: readonly QueryToken[]; at: number };

const MAX_DEPTH = 20;
/** A phrase with slop may have at most this many words, because every word is compared at every position. */
const MAX_SLOPPY_WORDS = 32;

const faultAt = (reader: QueryReader, problem: string, { at }: { readonly at: number }): CatalogError =>
  reader.fault(`${problem} at character ${at + 1}`);

const peek = (reader: QueryReader): QueryToken | undefined => reader.tokens[reader.at];

/** The filter of a part of a query; undefined for a part that is only punctuation. */
type QueryPart = SearchFilter | undefined;

const boostFilter = (of: SearchFilter, by = 1): SearchFilter => (by === 1 ? of : { is: 'boosted', of, by });

type LeafToken = Extract<QueryToken, { is: 'word' | 'phrase' | 'range' }>;

const rangeFilterOf = (field: string, { bounds }: Extract<QueryToken, { is: 'range' }>): SearchFilter =>
  bounds.length === 0 ? { is: 'exists', field } : { is: 'range', field, bounds, unit: 'ms' };

const isMatchAllWord = ({ pattern }: WordToken): boolean => pattern?.length === 1 && pattern[0] === 'run';

/**
 * Whether a pattern can match a word: characters that no word contains make it a text, such as a URL with a question
 * mark.
 */
const isWordPattern = (pattern: WildcardPattern): boolean =>
  pattern.every((piece) => typeof piece === 'string' || canBePartOfWord(piece.literal));

/** Whether the field holds email addresses; URL decoding turns the `+` of an address into a space. */
const isEmailField = (field: string | undefined): boolean => field?.startsWith('email') === true;

const phraseFilterOf = (field: string | undefined, text: string, slop: number): SearchFilter => {
  const phrase: SearchFilter = { is: 'phrase', field, text, slop };
  if (!isEmailField(field) || !text.includes(' ')) return phrase;
  return orFilter([phrase, { ...phrase, text: text.replaceAll(' ', '+') }]);
};

const wordFilterOf = (field: string | undefined, word: WordToken): QueryPart => {
  const { text, pattern, typos } = word;
  if (isMatchAllWord(word)) return field === undefined ? MATCH_ALL : { is: 'exists', field };
  if (pattern && (field !== undefined || isWordPattern(pattern)))
    return { is: 'wildcard', field, pattern, anyCase: false };
  if (field === undefined && parseWords(text).length === 0) return undefined;
  if (typos !== undefined) return { is: 'fuzzy', field, text, typos };
  return phraseFilterOf(field, text, 0);
};

const leafFilterOf = (reader: QueryReader, field: string | undefined, leaf: LeafToken): QueryPart => {
  reader.count(1);
  if (leaf.is === 'word') return wordFilterOf(field, leaf);
  if (leaf.is === 'range') return field === undefined ? undefined : rangeFilterOf(field, leaf);
  const isLong = leaf.slop > 0 && countWordParts(parseWords(leaf.text)) > MAX_SLOPPY_WORDS;
  if (isLong) throw faultAt(reader, `a distance after a phrase of more than ${MAX_SLOPPY_WORDS} words`, leaf);
  if (field === undefined && parseWords(leaf.text).length === 0) return undefined;
  return phraseFilterOf(field, leaf.text, leaf.slop);
};

const leafInFields = (reader: QueryReader, field: string | undefined, leaf: LeafToken): QueryPart => {
  const fields = field === undefined ? reader.fields : [{ field, by: 1 }];
  const parts = fields.map(({ field: one, by }) => ({ part: leafFilterOf(reader, one, leaf), by }));
  const known = parts.flatMap(({ part, by }) => (part ? [boostFilter(part, by)] : []));
  const isAll = leaf.is === 'word' && field === undefined && isMatchAllWord(leaf);
  if (isAll) return MATCH_ALL;
  return known.length === 0 ? undefined : boostFilter(orFilter(known), leaf.boost);
};

/** Joins the two words of an address that lost its `+`. */
const joinSplitAddress = (reader: QueryReader, field: string, first: QueryToken): string | undefined => {
  const second = reader.tokens[reader.at];
  if (!isEmailField(field) || first.is !== 'word' || second?.is !== 'word') return undefined;
  const isSplit = second.at === first.end + 1 && !first.text.includes('@') && second.text.includes('@');
  return isSplit && first.isPlain && second.isPlain ? `${first.text} ${second.text}` : undefined;
};

const readValue = (reader: QueryReader, name: string, depth: number): QueryPart => {
  const token = peek(reader);
  const field = name === '*' ? undefined : name;
  if (!token) return undefined;
  if (token.is === 'open') return readGroup(reader, field, depth);
  reader.at += 1;
  const address = joinSplitAddress(reader, name, token);
  if (address !== undefined) {
    reader.at += 1;
    reader.count(2);
    return phraseFilterOf(name, address, 0);
  }
  if (token.is !== 'word' && token.is !== 'phrase' && token.is !== 'range') return undefined;
  if (name === '_exists_') return token.is === 'range' ? undefined : { is: 'exists', field: token.text };
  return leafInFields(reader, field, token);
};

const readGroup = (reader: QueryReader, field: string | undefined, depth: number): QueryPart => {
  const open = peek(reader) ?? { at: 0 };
  if (depth >= MAX_DEPTH) throw faultAt(reader, `groups nested more than ${MAX_DEPTH} levels deep`, open);
  reader.at += 1;
  if (peek(reader)?.is === 'close') throw faultAt(reader, 'empty group', open);
  const part = readSequence(reader, field, depth + 1);
  const close = peek(reader);
  reader.at += 1;
  return part && boostFilter(part, close?.is === 'close' ? close.boost : undefined);
};

const readTerm = (reader: QueryReader, field: string | undefined, depth: number): QueryPart => {
  const token = peek(reader);
  const before = reader.tokens[reader.at - 1];
  if (!token) throw faultAt(reader, 'operator without an operand', before ?? { at: 0 });
  if (token.is === 'open') return readGroup(reader, field, depth);
  if (token.is === 'close' && before) throw faultAt(reader, 'operator without an operand', before);
  if (token.is === 'and' || token.is === 'or') throw faultAt(reader, 'misplaced operator', token);
  reader.at += 1;
  if (token.is === 'field') return readValue(reader, token.name, depth);
  return token.is === 'word' || token.is === 'phrase' || token.is === 'range'
    ? leafInFields(reader, field, token)
    : undefined;
};

/** A condition with the sign before it. */
type SignedPart = { readonly part: QueryPart; readonly sign: 'must' | 'not' | undefined };

const readSigned = (reader: QueryReader, field: string | undefined, depth: number): SignedPart => {
  let sign: SignedPart['sign'];
  for (let token = peek(reader); token?.is === 'not' || token?.is === 'must'; token = peek(reader)) {
    if (token.is === 'not') sign = sign === 'not' ? undefined : 'not';
    else sign ??= 'must';
    reader.at += 1;
  }
  return { part: readTerm(reader, field, depth), sign };
};

const applySign = ({ part, sign }: SignedPart): SearchFilter[] => {
  if (!part) return [];
  return [sign === 'not' ? notFilter(part) : part];
};

const isEnd = (token: QueryToken | undefined): boolean => token === undefined || token.is === 'close';

/** Reads conditions that are joined by AND, explicitly or by default. */
const readConjunction = (reader: QueryReader, field: string | undefined, depth: number): SignedPart => {
  const first = readSigned(reader, field, depth);
  const all = [first];
  for (let token = peek(reader); !isEnd(token) && token?.is !== 'or'; token = peek(reader)) {
    if (token?.is === 'and') reader.at += 1;
    else if (reader.operator === 'or') break;
    all.push(readSigned(reader, field, depth));
  }
  if (all.length === 1) return first;
  const parts = all.flatMap(applySign);
  return { part: parts.length === 0 ? undefined : andFilter(parts), sign: undefined };
};

/**
 * Combines conditions without an operator between them, where the default is OR: signed conditions must or must not
 * match, and at least one of the others should.
 */
const combineSigned = (signed: readonly SignedPart[]): QueryPart => {
  const required = signed.filter(({ sign }) => sign !== undefined).flatMap(applySign);
  const optional = signed.filter(({ sign }) => sign === undefined).flatMap(applySign);
  const isRequired = signed.some(({ sign, part }) => sign === 'must' && part);
  if (required.length === 0 && optional.length === 0) return undefined;
  return andFilter([...required, ...(optional.length > 0 && !isRequired ? [orFilter(optional)] : [])]);
};

const readSequence = (reader: QueryReader, field: string | undefined, depth: number): QueryPart => {
  const signed: SignedPart[] = [];
  /** A sign between two ORs applies only to its own alternative. */
  const close = (at: number) => {
    const one = signed[at];
    if (!one) return;
    const [part] = applySign(one);
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
  if (signed.length === 1 && signed[0]) return applySign(signed[0])[0];
  return combineSigned(signed);
};

/** Parses a query in which operator characters always have their meaning. */
export const parseQueryString = (text: string, options: QueryOptions): SearchFilter => {
  const tokens = lexQuery(text, options);
  if (tokens.length === 0) return MATCH_NONE;
  return readSequence({ ...options, tokens, at: 0 }, undefined, 0) ?? MATCH_NONE;
};

const MAX_QUERY_LENGTH = 4096;
const MAX_CLAUSES = 1024;

/**
 * Parses a query as people type it. Without any operator it becomes a simple query, which falls back to any of the
 * words. `name` names the query in error messages.
 */
export const parseSearchQuery = (
  text: string,
  { name, isField }: { readonly name: string; readonly isField: (name: string) => boolean },
): SearchFilter => {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed === '*' || trimmed === '**') return MATCH_ALL;
  if (text.length > MAX_QUERY_LENGTH) throw badRequest(`[${name} must be at most ${MAX_QUERY_LENGTH} characters long]`);
  const fault = (problem: string) => badRequest(`[${name}: ${problem}]`);
  let clauses = 0;
  const count = (more: number) => {
    clauses += more;
    if (clauses > MAX_CLAUSES) throw fault(`more than ${MAX_CLAUSES} clauses`);
  };
  const options = { isField, fault, count, operator: 'and', typos: 2, fields: [{ field: undefined, by: 1 }] } as const;
  const tokens = lexQuery(text, options);
  if (tokens.every((token) => token.is === 'word' && token.isPlain)) {
    count(parseWords(text).length);
    return { is: 'simple', text };
  }
  return readSequence({ ...options, tokens, at: 0 }, undefined, 0) ?? MATCH_NONE;
};
