import { queryFault, type TextPlace } from './query-fault.ts';

/** Splits the text of a query into tokens. */

export type Token = {
  /** `end` is behind the last token, so that a parser always finds one. */
  readonly kind: 'word' | 'number' | 'text' | 'parameter' | 'sign' | 'end';
  /** The word, the name, the sign or the value without its quotes and escapes. */
  readonly value: string;
  /** A word in backticks is a name, never a keyword. */
  readonly isQuoted?: true;
  readonly place: TextPlace;
  readonly end: TextPlace;
};

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)+/y;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN = /<=|>=|<>|->|<-|=~|\.\.|\+=|\|\||[()[\]{}:,.|&!%;=<>+\-*/^]/y;

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const matchAt = (pattern: RegExp, text: string, place: TextPlace): string | undefined => {
  pattern.lastIndex = place;
  return pattern.exec(text)?.[0];
};

type Quoted = { readonly value: string; readonly end: TextPlace };

/** Reads an escape behind its backslash. */
const readEscape = (text: string, place: TextPlace): Quoted => {
  const letter = text[place] ?? '';
  if (letter !== 'u') {
    const value = ESCAPES[letter];
    if (value === undefined) throw queryFault(text, place - 1, 'there is no such escape in a text');
    return { value, end: place + 1 };
  }
  const digits = text.slice(place + 1, place + 5);
  if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw queryFault(text, place - 1, '\\u needs four hexadecimal digits');
  return { value: String.fromCharCode(Number.parseInt(digits, 16)), end: place + 5 };
};

const readText = (text: string, start: TextPlace): Quoted => {
  const quote = text[start];
  const parts: string[] = [];
  for (let at = start + 1; at < text.length; ) {
    const letter = text[at] ?? '';
    if (letter === quote) return { value: parts.join(''), end: at + 1 };
    if (letter === '\\') {
      const { value, end } = readEscape(text, at + 1);
      parts.push(value);
      at = end;
    } else {
      parts.push(letter);
      at += 1;
    }
  }
  throw queryFault(text, start, 'the text that begins here has no end');
};

/** A name in backticks; two of them stand for one. */
const readQuotedName = (text: string, start: TextPlace): Quoted => {
  const found = matchAt(/`(?:[^`]|``)+`/y, text, start);
  if (found === undefined) throw queryFault(text, start, 'the name that begins here has no end');
  return { value: found.slice(1, -1).replaceAll('``', '`'), end: start + found.length };
};

const readParameter = (text: string, place: TextPlace): Token => {
  if (text[place + 1] === '`') return { kind: 'parameter', ...readQuotedName(text, place + 1), place };
  const name = matchAt(/[\p{L}\p{N}_]+/uy, text, place + 1);
  if (name === undefined) throw queryFault(text, place, '$ needs the name of a parameter');
  return { kind: 'parameter', value: name, place, end: place + 1 + name.length };
};

const readToken = (text: string, place: TextPlace): Token => {
  const letter = text[place] ?? '';
  if (letter === "'" || letter === '"') return { kind: 'text', ...readText(text, place), place };
  if (letter === '`') return { kind: 'word', isQuoted: true, ...readQuotedName(text, place), place };
  if (letter === '$') return readParameter(text, place);
  const word = matchAt(WORD, text, place);
  if (word !== undefined) return { kind: 'word', value: word, place, end: place + word.length };
  const number = matchAt(NUMBER, text, place);
  if (number !== undefined) return { kind: 'number', value: number, place, end: place + number.length };
  const sign = matchAt(SIGN, text, place);
  if (sign !== undefined) return { kind: 'sign', value: sign, place, end: place + sign.length };
  throw queryFault(text, place, `${JSON.stringify(letter)} means nothing here`);
};

const skipSpace = (text: string, place: TextPlace): TextPlace => place + (matchAt(SPACE, text, place)?.length ?? 0);

export const readTokens = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let place = skipSpace(text, 0);
  while (place < text.length) {
    const token = readToken(text, place);
    tokens.push(token);
    place = skipSpace(text, token.end);
  }
  return [...tokens, { kind: 'end', value: '', place: text.length, end: text.length }];
};
