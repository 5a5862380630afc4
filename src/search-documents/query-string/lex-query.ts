import type { CatalogError } from '../../errors.ts';
import type { RangeBound, TypoLimit } from '../filter/search-filter.ts';
import { parseWildcard, type WildcardPattern } from '../filter/wildcard.ts';

/**
 * Splits a query into tokens (search.md 5). A character is an operator only where the grammar gives it a meaning: in
 * `data-set`, `c++` and `C:\\x` it is an ordinary character.
 */

type TokenPosition = { readonly at: number };

export type WordToken = TokenPosition & {
  readonly is: 'word';
  /** The text without trailing operators and with escapes resolved. */
  readonly text: string;
  /** The offset after the last character. */
  readonly end: number;
  readonly pattern?: WildcardPattern;
  readonly typos?: TypoLimit;
  readonly boost?: number;
  /** Whether none of its characters was read as an operator. */
  readonly isPlain: boolean;
};

export type QueryToken =
  | (TokenPosition & { readonly is: 'open' | 'and' | 'or' | 'not' | 'must' })
  | (TokenPosition & { readonly is: 'close'; readonly boost?: number })
  | (TokenPosition & { readonly is: 'field'; readonly name: string })
  | (TokenPosition & { readonly is: 'range'; readonly bounds: readonly RangeBound[]; readonly boost?: number })
  | (TokenPosition & { readonly is: 'phrase'; readonly text: string; readonly slop: number; readonly boost?: number })
  | WordToken;

export type LexOptions = {
  readonly isField: (name: string) => boolean;
  readonly fault: (problem: string) => CatalogError;
  /** The typos allowed for a `~` without a number. */
  readonly typos: TypoLimit;
};

type Lexer = LexOptions & { readonly text: string; at: number; readonly tokens: QueryToken[] };

const faultAt = (lexer: Pick<Lexer, 'fault'>, problem: string, at: number): CatalogError =>
  lexer.fault(`${problem} at character ${at + 1}`);

const OPENING_BRACKETS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '[' };

/**
 * Checks that quotes and brackets are paired, whether or not they have a meaning; a range may end with either kind of
 * bracket.
 */
const checkBalance = (lexer: Lexer): void => {
  const { text } = lexer;
  const open: { readonly sort: string; readonly at: number }[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '\\') at += 1;
    else if (character === '"') {
      const end = endOfQuote(text, at);
      if (end === undefined) throw faultAt(lexer, 'unclosed quote', at);
      at = end;
    } else if (character === '(' || character === '[' || character === '{') {
      open.push({ sort: character === '{' ? '[' : character, at });
    } else if (OPENING_BRACKETS[character]) {
      if (open.pop()?.sort !== OPENING_BRACKETS[character]) throw faultAt(lexer, `unmatched ${character}`, at);
    }
  }
  const last = open.pop();
  if (last) throw faultAt(lexer, `unclosed ${text[last.at]}`, last.at);
};

const endOfQuote = (text: string, start: number): number | undefined => {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return undefined;
};

/** An escape: a backslash before a letter or digit is no escape but part of a path. */
const ESCAPE = /\\([^\p{L}\p{N}])/gsu;

const unescapeText = (text: string): string => text.replace(ESCAPE, '$1');

const consume = (lexer: Lexer, pattern: RegExp): RegExpExecArray | undefined => {
  pattern.lastIndex = lexer.at;
  const found = pattern.exec(lexer.text);
  if (found) lexer.at = pattern.lastIndex;
  return found ?? undefined;
};

const SPACE = /\s+/y;
const BOOST = /\^(\d{1,9}(?:\.\d{1,9})?)(?=[\s()"]|$)/y;
const SLOP = /~(\d+)/y;

const skipSpace = (lexer: Lexer): void => {
  consume(lexer, SPACE);
};

const readBoost = (lexer: Lexer): { boost?: number } => {
  const boost = consume(lexer, BOOST)?.[1];
  return boost === undefined ? {} : { boost: Number(boost) };
};

const MAX_SLOP = 10;

const readQuoted = (lexer: Lexer): string => {
  const end = endOfQuote(lexer.text, lexer.at) ?? lexer.text.length;
  const inner = lexer.text.slice(lexer.at + 1, end);
  lexer.at = end + 1;
  return unescapeText(inner);
};

const lexPhrase = (lexer: Lexer): void => {
  const { at } = lexer;
  const text = readQuoted(lexer);
  const behind = lexer.at;
  const slop = Number(consume(lexer, SLOP)?.[1] ?? 0);
  if (slop > MAX_SLOP) throw faultAt(lexer, `a distance of more than ${MAX_SLOP} words`, behind);
  lexer.tokens.push({ is: 'phrase', at, text, slop, ...readBoost(lexer) });
};

const RAW_WORD = /(?:\\.|[^\s()"\\]|\\$)+/suy;
const MARKED = /^(.+?)(~(\d*))?(?:\^(\d{1,9}(?:\.\d{1,9})?))?$/su;
const WILD = /^(?:\\.|[^*?\\])*[*?]/su;

/** Whether the character at an offset is escaped. */
const isEscapedAt = (text: string, at: number): boolean => {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
};

type WordSuffix = { readonly body: string; readonly typos?: TypoLimit; readonly boost?: number };

/** Splits a word from its suffixes: `word~1^2`. */
const splitWordSuffix = (lexer: Lexer, raw: string, at: number): WordSuffix => {
  const [, body = raw, tilde, digits = '', boost] = MARKED.exec(raw) ?? [];
  if (isEscapedAt(raw, body.length)) return { body: raw };
  const weight = boost === undefined ? {} : { boost: Number(boost) };
  if (tilde === undefined) return { body, ...weight };
  if (Number(digits) > 2) throw faultAt(lexer, 'edit distance of more than 2', at + body.length);
  return { body, typos: digits === '' ? lexer.typos : (Number(digits) as TypoLimit), ...weight };
};

const lexWord = (lexer: Lexer): void => {
  const { at } = lexer;
  const raw = consume(lexer, RAW_WORD)?.[0] ?? '';
  const { body, ...marks } = splitWordSuffix(lexer, raw, at);
  const isWild = WILD.test(body);
  lexer.tokens.push({
    is: 'word',
    at,
    end: lexer.at,
    text: unescapeText(body),
    isPlain: body === raw && !isWild && unescapeText(body) === body,
    ...(isWild ? { pattern: parseWildcard(body) } : {}),
    ...marks,
  });
};

const FIELD = /([\p{L}_][\p{L}\p{N}_.@$-]*|\*):/uy;
const COMPARISON = /(>=|<=|>|<)\s*/y;
const RANGE_WORD = /(?:\\.|[^\s\]}"\\])+/suy;
const TO = /\s+TO\s+/y;
const RANGE_END = /\s*([\]}])/y;

const BOOSTED_VALUE = /^(.+)\^(\d{1,9}(?:\.\d{1,9})?)$/su;

/** Splits an unquoted value from its boost. */
const splitBoost = (raw: string): { value: string; boost?: number } => {
  const [, body, boost] = BOOSTED_VALUE.exec(raw) ?? [];
  if (body === undefined || isEscapedAt(raw, body.length)) return { value: unescapeText(raw) };
  return { value: unescapeText(body), boost: Number(boost) };
};

const COMPARISONS: Readonly<Record<string, RangeBound['is']>> = { '>=': 'gte', '<=': 'lte', '>': 'gt', '<': 'lt' };

const readRangeEdge = (lexer: Lexer): string | undefined => {
  if (lexer.text[lexer.at] === '"') return readQuoted(lexer);
  const raw = consume(lexer, RANGE_WORD)?.[0];
  return raw === undefined || raw === '*' ? raw : unescapeText(raw);
};

const lexRange = (lexer: Lexer): void => {
  const { at } = lexer;
  const bad = () => faultAt(lexer, 'malformed range', at);
  const isFromIncluded = lexer.text[at] === '[';
  lexer.at += 1;
  skipSpace(lexer);
  const from = readRangeEdge(lexer);
  const to = consume(lexer, TO) ? readRangeEdge(lexer) : undefined;
  const end = consume(lexer, RANGE_END)?.[1];
  if (from === undefined || to === undefined || end === undefined) throw bad();
  const bounds: RangeBound[] = [];
  if (from !== '*') bounds.push({ is: isFromIncluded ? 'gte' : 'gt', value: from });
  if (to !== '*') bounds.push({ is: end === ']' ? 'lte' : 'lt', value: to });
  lexer.tokens.push({ is: 'range', at, bounds, ...readBoost(lexer) });
};

const lexComparison = (lexer: Lexer, sign: string, at: number): void => {
  const { value, ...weight } =
    lexer.text[lexer.at] === '"'
      ? { value: readQuoted(lexer), ...readBoost(lexer) }
      : splitBoost(consume(lexer, RAW_WORD)?.[0] ?? '');
  if (value === '') throw faultAt(lexer, `${sign} without a value`, at);
  lexer.tokens.push({ is: 'range', at, bounds: [{ is: COMPARISONS[sign] ?? 'gte', value }], ...weight });
};

/** Reads the value after a field name: a group, a range, a comparison, a phrase, or else a word. */
const lexValue = (lexer: Lexer, field: number): void => {
  skipSpace(lexer);
  const { at } = lexer;
  const character = lexer.text[at];
  if (character === undefined || character === ')') throw faultAt(lexer, 'field without a value', field);
  const sign = consume(lexer, COMPARISON)?.[1];
  if (sign) lexComparison(lexer, sign, at);
  else if (character === '[' || character === '{') lexRange(lexer);
  else if (character === '"') lexPhrase(lexer);
  else if (character !== '(') lexWord(lexer);
};

const SPECIAL_FIELDS = new Set(['*', '_exists_']);

const lexField = (lexer: Lexer): boolean => {
  const { at } = lexer;
  const name = consume(lexer, FIELD)?.[1];
  if (name === undefined) return false;
  if (SPECIAL_FIELDS.has(name) || lexer.isField(name)) {
    lexer.tokens.push({ is: 'field', at, name });
    lexValue(lexer, at);
    return true;
  }
  lexer.at = at;
  return false;
};

const OPERATOR = /(AND|OR|NOT)(?=[\s()"]|$)|(&&|\|\|)/y;
/** Prefix operators, which occur only before a word, a phrase or a group. */
const PREFIX = /[+\-!](?=[^\s+\-!=)])/y;

const OPERATORS: Readonly<Record<string, 'and' | 'or' | 'not' | 'must'>> = {
  AND: 'and',
  OR: 'or',
  NOT: 'not',
  '&&': 'and',
  '||': 'or',
  '!': 'not',
  '-': 'not',
  '+': 'must',
};

const lexOperator = (lexer: Lexer): boolean => {
  const { at } = lexer;
  const mark = (consume(lexer, OPERATOR) ?? consume(lexer, PREFIX))?.[0];
  const is = OPERATORS[mark ?? ''];
  if (!is) return false;
  lexer.tokens.push({ is, at });
  return true;
};

const lexNext = (lexer: Lexer): void => {
  const { at } = lexer;
  const character = lexer.text[at];
  if (character === '(') {
    lexer.at += 1;
    lexer.tokens.push({ is: 'open', at });
  } else if (character === ')') {
    lexer.at += 1;
    lexer.tokens.push({ is: 'close', at, ...readBoost(lexer) });
  } else if (character === '"') lexPhrase(lexer);
  else if (!lexOperator(lexer) && !lexField(lexer)) lexWord(lexer);
};

/** Splits a query into tokens. Throws the given error, with the position, for wrong quotes, brackets or ranges. */
export const lexQuery = (text: string, options: LexOptions): readonly QueryToken[] => {
  const lexer: Lexer = { ...options, text, at: 0, tokens: [] };
  checkBalance(lexer);
  for (skipSpace(lexer); lexer.at < text.length; skipSpace(lexer)) lexNext(lexer);
  return lexer.tokens;
};
