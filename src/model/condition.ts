import { badRequest, CatalogError } from '../errors.ts';
import { normaliseFqn, singlePartFqn } from './name.ts';

/**
 * The conditions of policy rules (identity.md 5): a closed little language, read once into a tree. Its text is never
 * run as code.
 *
 *     expression := conjunction (('||' | 'or') conjunction)*
 *     conjunction := negation (('&&' | 'and') negation)*
 *     negation := ('!' | 'not') negation | '(' expression ')' | call
 *     call := function '(' [text (',' text)*] ')'
 *
 * A text stands in single quotes; a quote inside it is written twice. When a record that is named gets another name, only
 * its texts are written anew: everything else stays as the caller wrote it.
 */
export type Condition =
  | { readonly op: 'all' | 'any'; readonly of: readonly Condition[] }
  | { readonly op: 'not'; readonly of: Condition }
  | { readonly op: 'call'; readonly name: ConditionFunction; readonly names: readonly string[] };

/**
 * The functions, each with the kinds of record its arguments name; one that names nothing takes no argument. Where two
 * kinds stand, a name is looked up among the first and then among the second.
 */
const FUNCTIONS = {
  isOwner: [],
  noOwner: [],
  hasDomain: [],
  noDomain: [],
  matchTeam: [],
  matchAllTags: ['tag', 'glossaryTerm'],
  matchAnyTag: ['tag', 'glossaryTerm'],
  matchAnyCertification: ['tag'],
  inAnyTeam: ['team'],
  hasAnyRole: ['role'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ConditionFunction = keyof typeof FUNCTIONS;

const kindsNamedBy = (name: ConditionFunction): readonly string[] => FUNCTIONS[name];

/** The kinds of records that conditions can name. */
export const NAMEABLE_KINDS: readonly string[] = [...new Set(Object.values(FUNCTIONS).flat())];

/** A record that is named in a text instead of being pointed at: it must exist among one of these kinds. */
export type NamedRecord = { readonly kinds: readonly string[]; readonly fqn: string };

/** Kinds whose names consist of one part, so that a dot in an argument belongs to the name. */
const SINGLE_PART: ReadonlySet<string> = new Set(['team', 'role']);

/** The longest condition a caller may write. A renaming that is carried on by a job may make one longer. */
export const MAX_CONDITION_LENGTH = 10_000;
/** How deep parentheses and negations may lie inside each other. */
export const MAX_CONDITION_DEPTH = 50;
/** How many records a condition may name in all. */
export const MAX_CONDITION_NAMES = 100;

type Token = {
  readonly type: 'word' | 'text' | 'sign' | 'end';
  readonly value: string;
  /** Where it begins, and where what follows it may begin. */
  readonly at: number;
  readonly next: number;
};

/** Positions are told as people count them: the first character is character 1. */
const fault = (problem: string, at: number): CatalogError => badRequest(`${problem} at character ${at + 1}`);

const SPACE = /[ \t\r\n]*/y;
const TOKEN = /([A-Za-z_][A-Za-z0-9_]*)|'((?:[^']|'')*)'|(&&|\|\||[!(),])/y;

const nextToken = (text: string, from: number): Token => {
  SPACE.lastIndex = from;
  SPACE.exec(text);
  const at = SPACE.lastIndex;
  if (at === text.length) return { type: 'end', value: 'the end', at, next: at };
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(text);
  if (match === null) throw fault(text[at] === "'" ? 'text without a closing quote' : 'unexpected character', at);
  const [, word, quoted, sign] = match;
  const next = TOKEN.lastIndex;
  if (word !== undefined) return { type: 'word', value: word, at, next };
  if (quoted !== undefined) return { type: 'text', value: quoted.replaceAll("''", "'"), at, next };
  return { type: 'sign', value: sign ?? '', at, next };
};

const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = [];
  for (let at = 0; ; ) {
    const token = nextToken(text, at);
    tokens.push(token);
    if (token.type === 'end') return tokens;
    at = token.next;
  }
};

/** What operators may be spelled as. */
const SPELLINGS = { any: ['||', 'or'], all: ['&&', 'and'], not: ['!', 'not'] } as const;
const OPERATOR_WORDS: ReadonlySet<string> = new Set(['or', 'and', 'not']);

/** A text in the place of which a record is named. */
type Site = NamedRecord & { readonly token: Token };

type Reader = {
  readonly peek: () => Token;
  readonly take: () => Token;
  /** The names of records read so far. */
  readonly sites: Site[];
};

const NOTHING: Token = { type: 'end', value: 'the end', at: 0, next: 0 };

const createReader = (tokens: readonly Token[]): Reader => {
  let at = 0;
  const peek = (): Token => tokens[Math.min(at, tokens.length - 1)] ?? NOTHING;
  return {
    peek,
    take: () => {
      const token = peek();
      at += 1;
      return token;
    },
    sites: [],
  };
};

const isOperator = (token: Token, operator: keyof typeof SPELLINGS): boolean =>
  token.type !== 'text' && (SPELLINGS[operator] as readonly string[]).includes(token.value);

const isSign = (token: Token, sign: string): boolean => token.type === 'sign' && token.value === sign;

const shown = ({ type, value }: Token): string => (type === 'end' ? value : type === 'text' ? 'text' : value);

const expect = (reader: Reader, sign: string): void => {
  const token = reader.take();
  if (!isSign(token, sign)) throw fault(`${sign} expected instead of ${shown(token)}`, token.at);
};

const nameIn = (token: Token, kinds: readonly string[]): string => {
  try {
    return SINGLE_PART.has(kinds[0] ?? '') ? singlePartFqn(token.value) : normaliseFqn(token.value);
  } catch (cause) {
    if (!(cause instanceof CatalogError)) throw cause;
    throw fault('text that cannot be a name', token.at);
  }
};

const readName = (reader: Reader, kinds: readonly string[]): string => {
  const token = reader.take();
  if (token.type !== 'text') throw fault(`text in single quotes expected instead of ${shown(token)}`, token.at);
  if (reader.sites.length === MAX_CONDITION_NAMES) throw fault(`more than ${MAX_CONDITION_NAMES} names`, token.at);
  const fqn = nameIn(token, kinds);
  reader.sites.push({ kinds, fqn, token });
  return fqn;
};

const isFunction = (name: string): name is ConditionFunction => Object.hasOwn(FUNCTIONS, name);

const readNames = (reader: Reader, name: ConditionFunction): string[] => {
  const kinds = kindsNamedBy(name);
  const first = reader.peek();
  if (kinds.length === 0) {
    if (!isSign(first, ')')) throw fault(`${name} takes no argument, but there is ${shown(first)}`, first.at);
    return [];
  }
  const names = [readName(reader, kinds)];
  while (isSign(reader.peek(), ',')) {
    reader.take();
    names.push(readName(reader, kinds));
  }
  return [...new Set(names)];
};

const readCall = (reader: Reader): Condition => {
  const token = reader.take();
  if (token.type !== 'word' || OPERATOR_WORDS.has(token.value)) {
    throw fault(`a function expected instead of ${shown(token)}`, token.at);
  }
  const { value: name } = token;
  if (!isFunction(name)) throw fault('unknown function', token.at);
  expect(reader, '(');
  const names = readNames(reader, name);
  expect(reader, ')');
  return { op: 'call', name, names };
};

const readNegation = (reader: Reader, depth: number): Condition => {
  const token = reader.peek();
  if (depth > MAX_CONDITION_DEPTH) throw fault(`nesting deeper than ${MAX_CONDITION_DEPTH}`, token.at);
  if (isOperator(token, 'not')) {
    reader.take();
    return { op: 'not', of: readNegation(reader, depth + 1) };
  }
  if (!isSign(token, '(')) return readCall(reader);
  reader.take();
  const inner = readExpression(reader, depth + 1);
  expect(reader, ')');
  return inner;
};

const readChain = (reader: Reader, operator: 'all' | 'any', readPart: () => Condition): Condition => {
  const first = readPart();
  const parts = [first];
  while (isOperator(reader.peek(), operator)) {
    reader.take();
    parts.push(readPart());
  }
  return parts.length === 1 ? first : { op: operator, of: parts };
};

const readExpression = (reader: Reader, depth: number): Condition =>
  readChain(reader, 'any', () => readChain(reader, 'all', () => readNegation(reader, depth)));

type Read = { readonly condition: Condition; readonly sites: readonly Site[] };

const readCondition = (text: string): Read => {
  const reader = createReader(tokensOf(text));
  const condition = readExpression(reader, 0);
  const rest = reader.take();
  if (rest.type !== 'end') throw fault(`an operator or the end expected instead of ${shown(rest)}`, rest.at);
  return { condition, sites: reader.sites };
};

/** Reads the text of a condition, however long. Throws bad_request that says what is wrong and where. */
export const parseCondition = (text: string): Condition => readCondition(text).condition;

/** The same for a text that a caller wrote, which may not be longer than `MAX_CONDITION_LENGTH`. */
export const checkCondition = (text: string): Condition => {
  if (text.length > MAX_CONDITION_LENGTH) {
    throw badRequest(`longer than ${MAX_CONDITION_LENGTH} characters, which is the most`);
  }
  return parseCondition(text);
};

const quoted = (name: string): string => `'${name.replaceAll("'", "''")}'`;

/** Tells the name, in normal form, that a record has now. */
export type NameOf = (named: NamedRecord) => string;

/** The text of a condition in which records have other names. Every other character is as it was. */
export const renameInCondition = (text: string, nameOf: NameOf): string => {
  let renamed = '';
  let done = 0;
  for (const { token, kinds, fqn } of readCondition(text).sites) {
    const name = nameOf({ kinds, fqn });
    if (name === fqn) continue;
    renamed += text.slice(done, token.at) + quoted(name);
    done = token.next;
  }
  return renamed + text.slice(done);
};

/** The records a condition names. */
export const namedRecords = (condition: Condition): NamedRecord[] => {
  if (condition.op === 'call') {
    return condition.names.map((fqn) => ({ kinds: kindsNamedBy(condition.name), fqn }));
  }
  return condition.op === 'not' ? namedRecords(condition.of) : condition.of.flatMap(namedRecords);
};
