import type { Dialect } from './dialect.ts';

/** A token of SQL: a word, name, text, number or sign, with its position and bracket depth. */
export type SqlToken = {
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign';
  readonly text: string;
  /** The word in upper case; empty for other tokens. */
  readonly word: string;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
};

/** A SQL text with its tokens, also indexed by the line and column at which a parser reports them. */
export type SqlTokens = {
  readonly text: string;
  readonly list: readonly SqlToken[];
  at(line: number, column: number): number | undefined;
};

const commentPattern = (dialect: Dialect): string =>
  `--[^\\n]*|/\\*${dialect.hashComments ? '|#[^\\n]*' : ''}${dialect.name === 'snowflake' ? '|//[^\\n]*' : ''}`;

const textPattern = (dialect: Dialect): string => {
  const quoted = (quote: string, escapes: boolean): string =>
    escapes
      ? `${quote}[^${quote}\\\\]*(?:(?:\\\\[\\s\\S]|${quote}${quote})[^${quote}\\\\]*)*${quote}`
      : `${quote}[^${quote}]*(?:${quote}${quote}[^${quote}]*)*${quote}`;
  return [
    ...(dialect.tripleQuotes ? [`'''[\\s\\S]*?'''`, `"""[\\s\\S]*?"""`] : []),
    ...(dialect.backslashes ? [] : [`[eE]${quoted("'", true)}`]),
    quoted("'", dialect.backslashes),
    ...(dialect.doubleQuotedText ? [quoted('"', dialect.backslashes)] : []),
    ...(dialect.dollarQuotes ? [`\\$(?<tag>[A-Za-z_]\\w*)?\\$[\\s\\S]*?\\$\\k<tag>\\$`] : []),
  ].join('|');
};

const namePattern = (dialect: Dialect): string =>
  [
    ...(dialect.doubleQuotedText ? [] : [`"[^"]*(?:""[^"]*)*"`]),
    '`[^`]*(?:``[^`]*)*`',
    ...(dialect.brackets ? [`\\[[^\\]]*(?:\\]\\][^\\]]*)*\\]`] : []),
  ].join('|');

const tokenPattern = (dialect: Dialect): RegExp =>
  new RegExp(
    [
      '(?<space>\\s+)',
      `(?<comment>${commentPattern(dialect)})`,
      `(?<text>${textPattern(dialect)})`,
      `(?<name>${namePattern(dialect)})`,
      '(?<number>\\d[\\w.]*)',
      '(?<sign>\\$\\{|\\{\\{|\\{%|\\{#|::|->>|->|=>|\\|\\||\\|>|<=|>=|<>|!=|:=)',
      '(?<word>[\\p{L}_@#$][\\p{L}\\p{N}_@#$]*)',
      '(?<other>[\\s\\S])',
    ].join('|'),
    'uy',
  );

const patterns = new Map<string, RegExp>();

const patternOf = (dialect: Dialect): RegExp => {
  const known = patterns.get(dialect.name) ?? tokenPattern(dialect);
  patterns.set(dialect.name, known);
  return known;
};

/** Finds the end of a comment that begins at `start`; where comments nest, the end of the outermost one. */
const findCommentEnd = (text: string, start: number, nested: boolean): number => {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start + 2;
  for (let open = 1; ; ) {
    const mark = marks.exec(text);
    if (mark === null) return text.length;
    if (mark[0] === '*/') open -= 1;
    else if (nested) open += 1;
    if (open === 0) return marks.lastIndex;
  }
};

const KINDS = ['text', 'name', 'number', 'word'] as const;

const tokenKindOf = (groups: Record<string, string | undefined>): SqlToken['kind'] =>
  KINDS.find((kind) => groups[kind] !== undefined) ?? 'sign';

const isOpening = (text: string): boolean => /^[([{]$|^\{\{$|^\{%$|^\{#$|^\$\{$/.test(text);
const isClosing = (text: string): boolean => text === ')' || text === ']' || text === '}';

const indexPositions = (text: string, list: readonly SqlToken[]): ReadonlyMap<string, number> => {
  const places = new Map<string, number>();
  let [offset, line, column] = [0, 1, 1];
  for (const [index, token] of list.entries()) {
    // Parsers count characters, but JavaScript strings store a character outside the basic plane as two units.
    for (const character of text.slice(offset, token.start)) {
      if (character === '\n') [line, column] = [line + 1, 1];
      else column += 1;
    }
    offset = token.start;
    places.set(`${line}:${column}`, index);
  }
  return places;
};

/**
 * Splits SQL into tokens without comments and spaces. It never fails: a character that begins no token becomes a sign.
 */
export const tokenizeSql = (text: string, dialect: Dialect): SqlTokens => {
  const list: SqlToken[] = [];
  const expression = patternOf(dialect);
  let depth = 0;
  for (let offset = 0; offset < text.length; ) {
    expression.lastIndex = offset;
    const found = expression.exec(text);
    const groups = found?.groups ?? {};
    const start = offset;
    offset = found === null ? offset + 1 : expression.lastIndex;
    if (groups['space'] !== undefined) continue;
    if (groups['comment'] !== undefined) {
      if (groups['comment'] === '/*') offset = findCommentEnd(text, start, dialect.nestedComments);
      continue;
    }
    const own = text.slice(start, offset);
    const kind = tokenKindOf(groups);
    if (kind === 'sign' && isClosing(own)) depth = Math.max(0, depth - 1);
    list.push({ kind, text: own, word: kind === 'word' ? own.toUpperCase() : '', start, end: offset, depth });
    if (kind === 'sign' && isOpening(own)) depth += 1;
  }
  let places: ReadonlyMap<string, number> | undefined;
  return {
    text,
    list,
    at: (line, column) => {
      places ??= indexPositions(text, list);
      return places.get(`${line}:${column}`);
    },
  };
};

export const isAloneOnLine = (text: string, token: SqlToken): boolean =>
  /(^|\n)[^\S\n]*$/.test(text.slice(Math.max(0, token.start - 100), token.start)) &&
  /^[^\S\n]*(\r?\n|$)/.test(text.slice(token.end, token.end + 100));

/** Splits a text into statements, without semicolons. */
export const splitStatements = ({ text, list }: SqlTokens, dialect: Dialect): readonly string[] => {
  const parted = (token: SqlToken): boolean =>
    (token.kind === 'sign' && token.text === ';') ||
    (dialect.brackets && token.word === 'GO' && isAloneOnLine(text, token));
  const found: string[] = [];
  let first: SqlToken | undefined;
  let last: SqlToken | undefined;
  for (const token of list) {
    if (!parted(token)) {
      first ??= token;
      last = token;
      continue;
    }
    if (first && last) found.push(text.slice(first.start, last.end));
    first = last = undefined;
  }
  if (first && last) found.push(text.slice(first.start, last.end));
  return found;
};

const TEMPLATE = /\{\{|\{%|\{#|\$\{/;

/** Whether the text contains template placeholders, which leave table names unknown. */
export const hasTemplate = ({ list }: SqlTokens): boolean =>
  list.some((token) => (token.kind === 'sign' || token.kind === 'name') && TEMPLATE.test(token.text));

/** Returns the text between two tokens on one line, without comments. */
export const textBetween = ({ text, list }: SqlTokens, from: number, to: number): string => {
  const parts: string[] = [];
  for (let index = from; index < to; index += 1) {
    const token = list[index];
    if (token === undefined) break;
    const before = list[index - 1];
    if (index > from && before && before.end < token.start) parts.push(' ');
    parts.push(text.slice(token.start, token.end));
  }
  return parts.join('');
};

const LIST_END_WORDS = new Set(
  `INTO FROM WHERE GROUP HAVING QUALIFY WINDOW ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT MINUS LATERAL CONNECT START
  FOR CLUSTER DISTRIBUTE SORT PREWHERE SETTINGS ON RETURNING OPTION WHEN OUTPUT EXCLUDE`.split(/\s+/),
);

/** Whether a word ends the preceding list; it does not after an operator or in `IS DISTINCT FROM`. */
const endsList = (list: readonly SqlToken[], index: number): boolean => {
  const [token, before] = [list[index], list[index - 1]];
  if (token === undefined || !LIST_END_WORDS.has(token.word)) return false;
  if (token.word === 'FROM' && before?.word === 'DISTINCT' && /^(IS|NOT)$/.test(list[index - 2]?.word ?? '')) {
    return false;
  }
  if (token.word === 'GROUP' && before?.word === 'WITHIN') return false;
  // After `*`, these words introduce the excluded columns.
  if (before?.text === '*' && /^EXC(EPT|LUDE)$/.test(token.word)) return false;
  return before?.kind !== 'sign' || isClosing(before.text) || before.text === '*';
};

/** Returns the token ranges of the items of a list, without commas. */
export const splitItems = ({ list }: SqlTokens, begin: number): readonly { from: number; to: number }[] => {
  const depth = list[begin]?.depth ?? 0;
  const items: { from: number; to: number }[] = [];
  let [from, cases] = [begin, 0];
  for (let index = begin; ; index += 1) {
    const token = list[index];
    if (token?.depth === depth && token.word === 'CASE') cases += 1;
    if (token?.depth === depth && token.word === 'END' && cases > 0) cases -= 1;
    const over =
      token === undefined || token.depth < depth || (token.depth === depth && cases === 0 && endsList(list, index));
    if (over || (token.depth === depth && token.text === ',')) {
      items.push({ from, to: index });
      from = index + 1;
    }
    if (over) return items;
  }
};
