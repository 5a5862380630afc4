import { badRequest, CatalogError } from '../../errors.ts';
import { normaliseFqn, singlePartFqn } from '../name.ts';

/**
 * Parses the conditions of policy rules (identity.md 5), a small closed language, into a tree. The text is never run as
 * code.
 *
 *     expression := conjunction (('||' | 'or') conjunction)*
 *     conjunction := negation (('&&' | 'and') negation)*
 *     negation := ('!' | 'not') negation | '(' expression ')' | call
 *     call := function '(' [text (',' text)*] ')'
 *
 * A text is in single quotes; a quote inside it is doubled. When a named record is renamed, only its name in the text
 * changes: everything else stays as the caller wrote it.
 */
export type PolicyCondition =
  | { readonly op: 'all' | 'any'; readonly of: readonly PolicyCondition[] }
  | { readonly op: 'not'; readonly of: PolicyCondition }
  | { readonly op: 'call'; readonly name: ConditionFunction; readonly names: readonly string[] };

/**
 * The functions, each with the kinds of record that its arguments name; one without kinds takes no argument. With two
 * kinds, a name is looked up in the first and then in the second.
 */
const CONDITION_FUNCTIONS = {
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

export type ConditionFunction = keyof typeof CONDITION_FUNCTIONS;

const nameableKindsOf = (name: ConditionFunction): readonly string[] => CONDITION_FUNCTIONS[name];

/** The kinds of records that conditions can name. */
export const NAMEABLE_KINDS: readonly string[] = [...new Set(Object.values(CONDITION_FUNCTIONS).flat())];

/** A record that a text names instead of referencing it. It must exist in one of these kinds. */
export type NamedRecord = { readonly kinds: readonly string[]; readonly fqn: string };

/** Kinds whose FQNs have one part, so that a dot in an argument belongs to the name. */
const SINGLE_PART_KINDS: ReadonlySet<string> = new Set(['team', 'role']);

/** The longest condition that a caller may write. A rename, which a job continues, may make one longer. */
export const MAX_CONDITION_LENGTH = 10_000;
/** How deep parentheses and negations may be nested. */
export const MAX_CONDITION_DEPTH = 50;
/** How many records a condition may name. */
export const MAX_CONDITION_NAMES = 100;

type ConditionToken = {
  readonly type: 'word' | 'text' | 'sign' | 'end';
  readonly value: string;
  /** The offset of the token, and the offset after it. */
  readonly at: number;
  readonly next: number;
};

/** Errors count positions from 1: the first character is character 1. */
const syntaxError = (problem: string, at: number): CatalogError => badRequest(`${problem} at character ${at + 1}`);

const WHITESPACE = /[ \t\r\n]*/y;
const TOKEN = /([A-Za-z_][A-Za-z0-9_]*)|'((?:[^']|'')*)'|(&&|\|\||[!(),])/y;

const nextToken = (text: string, from: number): ConditionToken => {
  WHITESPACE.lastIndex = from;
  WHITESPACE.exec(text);
  const at = WHITESPACE.lastIndex;
  if (at === text.length) return { type: 'end', value: 'the end', at, next: at };
  TOKEN.lastIndex = at;
  const match = TOKEN.exec(text);
  if (match === null) throw syntaxError(text[at] === "'" ? 'text without a closing quote' : 'unexpected character', at);
  const [, word, quoted, sign] = match;
  const next = TOKEN.lastIndex;
  if (word !== undefined) return { type: 'word', value: word, at, next };
  if (quoted !== undefined) return { type: 'text', value: quoted.replaceAll("''", "'"), at, next };
  return { type: 'sign', value: sign ?? '', at, next };
};

const tokenise = (text: string): ConditionToken[] => {
  const tokens: ConditionToken[] = [];
  for (let at = 0; ; ) {
    const token = nextToken(text, at);
    tokens.push(token);
    if (token.type === 'end') return tokens;
    at = token.next;
  }
};

/** The spellings of the operators. */
const OPERATOR_SPELLINGS = { any: ['||', 'or'], all: ['&&', 'and'], not: ['!', 'not'] } as const;
const OPERATOR_WORDS: ReadonlySet<string> = new Set(['or', 'and', 'not']);

/** The place of a record's name in the text. */
type NameOccurrence = NamedRecord & { readonly token: ConditionToken };

type ConditionReader = {
  readonly peek: () => ConditionToken;
  readonly take: () => ConditionToken;
  /** The names of records read so far. */
  readonly names: NameOccurrence[];
};

const END_TOKEN: ConditionToken = { type: 'end', value: 'the end', at: 0, next: 0 };

const createConditionReader = (tokens: readonly ConditionToken[]): ConditionReader => {
  let at = 0;
  const peek = (): ConditionToken => tokens[Math.min(at, tokens.length - 1)] ?? END_TOKEN;
  return {
    peek,
    take: () => {
      const token = peek();
      at += 1;
      return token;
    },
    names: [],
  };
};

const isOperator = (token: ConditionToken, operator: keyof typeof OPERATOR_SPELLINGS): boolean =>
  token.type !== 'text' && (OPERATOR_SPELLINGS[operator] as readonly string[]).includes(token.value);

const isSign = (token: ConditionToken, sign: string): boolean => token.type === 'sign' && token.value === sign;

const describeToken = ({ type, value }: ConditionToken): string =>
  type === 'end' ? value : type === 'text' ? 'text' : value;

const expectSign = (reader: ConditionReader, sign: string): void => {
  const token = reader.take();
  if (!isSign(token, sign)) throw syntaxError(`${sign} expected instead of ${describeToken(token)}`, token.at);
};

const parseNameToken = (token: ConditionToken, kinds: readonly string[]): string => {
  try {
    return SINGLE_PART_KINDS.has(kinds[0] ?? '') ? singlePartFqn(token.value) : normaliseFqn(token.value);
  } catch (cause) {
    if (!(cause instanceof CatalogError)) throw cause;
    throw syntaxError('text that cannot be a name', token.at);
  }
};

const readName = (reader: ConditionReader, kinds: readonly string[]): string => {
  const token = reader.take();
  if (token.type !== 'text')
    throw syntaxError(`text in single quotes expected instead of ${describeToken(token)}`, token.at);
  if (reader.names.length === MAX_CONDITION_NAMES)
    throw syntaxError(`more than ${MAX_CONDITION_NAMES} names`, token.at);
  const fqn = parseNameToken(token, kinds);
  reader.names.push({ kinds, fqn, token });
  return fqn;
};

const isFunction = (name: string): name is ConditionFunction => Object.hasOwn(CONDITION_FUNCTIONS, name);

const readNames = (reader: ConditionReader, name: ConditionFunction): string[] => {
  const kinds = nameableKindsOf(name);
  const first = reader.peek();
  if (kinds.length === 0) {
    if (!isSign(first, ')'))
      throw syntaxError(`${name} takes no argument, but there is ${describeToken(first)}`, first.at);
    return [];
  }
  const names = [readName(reader, kinds)];
  while (isSign(reader.peek(), ',')) {
    reader.take();
    names.push(readName(reader, kinds));
  }
  return [...new Set(names)];
};

const readCall = (reader: ConditionReader): PolicyCondition => {
  const token = reader.take();
  if (token.type !== 'word' || OPERATOR_WORDS.has(token.value)) {
    throw syntaxError(`a function expected instead of ${describeToken(token)}`, token.at);
  }
  const { value: name } = token;
  if (!isFunction(name)) throw syntaxError('unknown function', token.at);
  expectSign(reader, '(');
  const names = readNames(reader, name);
  expectSign(reader, ')');
  return { op: 'call', name, names };
};

const readNegation = (reader: ConditionReader, depth: number): PolicyCondition => {
  const token = reader.peek();
  if (depth > MAX_CONDITION_DEPTH) throw syntaxError(`nesting deeper than ${MAX_CONDITION_DEPTH}`, token.at);
  if (isOperator(token, 'not')) {
    reader.take();
    return { op: 'not', of: readNegation(reader, depth + 1) };
  }
  if (!isSign(token, '(')) return readCall(reader);
  reader.take();
  const inner = readExpression(reader, depth + 1);
  expectSign(reader, ')');
  return inner;
};

const readChain = (
  reader: ConditionReader,
  operator: 'all' | 'any',
  readPart: () => PolicyCondition,
): PolicyCondition => {
  const first = readPart();
  const parts = [first];
  while (isOperator(reader.peek(), operator)) {
    reader.take();
    parts.push(readPart());
  }
  return parts.length === 1 ? first : { op: operator, of: parts };
};

const readExpression = (reader: ConditionReader, depth: number): PolicyCondition =>
  readChain(reader, 'any', () => readChain(reader, 'all', () => readNegation(reader, depth)));

type ParsedCondition = { readonly condition: PolicyCondition; readonly names: readonly NameOccurrence[] };

const readConditionText = (text: string): ParsedCondition => {
  const reader = createConditionReader(tokenise(text));
  const condition = readExpression(reader, 0);
  const rest = reader.take();
  if (rest.type !== 'end')
    throw syntaxError(`an operator or the end expected instead of ${describeToken(rest)}`, rest.at);
  return { condition, names: reader.names };
};

/** Parses a condition of any length. Throws bad_request that says what is wrong and where. */
export const parseCondition = (text: string): PolicyCondition => readConditionText(text).condition;

/** Parses a condition from a caller, which may not be longer than `MAX_CONDITION_LENGTH`. */
export const checkCondition = (text: string): PolicyCondition => {
  if (text.length > MAX_CONDITION_LENGTH) {
    throw badRequest(`longer than ${MAX_CONDITION_LENGTH} characters, which is the most`);
  }
  return parseCondition(text);
};

const quoteText = (name: string): string => `'${name.replaceAll("'", "''")}'`;

/** Answers the present name of a record, in normal form. */
export type NameLookup = (named: NamedRecord) => string;

/** Rewrites the names of records in a condition. Every other character stays as it was. */
export const renameInCondition = (text: string, nameOf: NameLookup): string => {
  let renamed = '';
  let done = 0;
  for (const { token, kinds, fqn } of readConditionText(text).names) {
    const name = nameOf({ kinds, fqn });
    if (name === fqn) continue;
    renamed += text.slice(done, token.at) + quoteText(name);
    done = token.next;
  }
  return renamed + text.slice(done);
};

/** Lists the records that a condition names. */
export const listNamedRecords = (condition: PolicyCondition): NamedRecord[] => {
  if (condition.op === 'call') {
    return condition.names.map((fqn) => ({ kinds: nameableKindsOf(condition.name), fqn }));
  }
  return condition.op === 'not' ? listNamedRecords(condition.of) : condition.of.flatMap(listNamedRecords);
};
