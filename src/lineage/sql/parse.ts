import { dialectFromString, init, Parser } from '@guanmingchiu/sqlparser-ts';
import type { Dialect } from './dialect.ts';
import { removeOnly, simplifyStatement } from './rewrite-query.ts';
import { type SqlTokens, tokenizeSql } from './tokens.ts';

/** A parsed text with its tokens; some notations are rewritten before parsing. */
export type ParsedSql = { readonly statements: readonly unknown[]; readonly tokens: SqlTokens };

/** Thrown when the parser itself broke; its later answers cannot be trusted. */
export class ParserBroken extends Error {}

/** Loads the parser. */
export const loadParser: () => Promise<void> = init;

/**
 * The maximum nesting of brackets and CASE. The parser counts several steps per level against a limit of its own, and
 * that limit must never be reached: the parser would try to read the inner part as something else, and may succeed.
 */
const MAX_DEPTH = 50;
const MAX_PARSE_DEPTH = 300;

const NESTED_TYPES = /^(ARRAY|STRUCT|MAP|ROW|LIST)$/;

const isTooDeep = ({ list }: SqlTokens): boolean => {
  let [cases, types] = [0, 0];
  return list.some((token, index) => {
    if (token.word === 'CASE') cases += 1;
    if (token.word === 'END') cases = Math.max(0, cases - 1);
    if (token.text === '<' && NESTED_TYPES.test(list[index - 1]?.word ?? '')) types += 1;
    if (token.text === '>') types = Math.max(0, types - 1);
    return Math.max(token.depth, cases, types) > MAX_DEPTH;
  });
};

/** Matches the parser's error for SQL that it cannot read, as opposed to an error of a broken parser. */
const REFUSAL_MESSAGE = /^sql parser error: |at Line: \d+, Column: \d+/;

const tryParse = (text: string, grammar: string): readonly unknown[] | string => {
  try {
    const found: unknown = new Parser(dialectFromString(grammar)).withRecursionLimit(MAX_PARSE_DEPTH).parse(text);
    return Array.isArray(found) ? found : [];
  } catch (cause) {
    if (cause instanceof Error && REFUSAL_MESSAGE.test(cause.message)) return cause.message;
    throw new ParserBroken('the SQL parser failed', { cause });
  }
};

/**
 * Parses one statement: in its dialect, then without notations that do not affect lineage, then in the generic dialect.
 */
export const parseStatement = (source: SqlTokens, dialect: Dialect): ParsedSql | 'syntax' | 'too deep' => {
  if (isTooDeep(source)) return 'too deep';
  const text = dialect.onlyTables ? removeOnly(source) : source.text;
  const tokens = text === source.text ? source : tokenizeSql(text, dialect);
  const first = tryParse(tokens.text, dialect.grammar);
  if (typeof first !== 'string') return { statements: first, tokens };
  if (/recursion limit/.test(first)) return 'too deep';
  const easier = simplifyStatement(tokens);
  const tries = [
    ...(easier === undefined
      ? []
      : ([
          [easier, dialect.grammar],
          [easier, 'generic'],
        ] as const)),
    [tokens.text, 'generic'] as const,
  ];
  for (const [other, grammar] of tries) {
    const statements = tryParse(other, grammar);
    if (typeof statements !== 'string')
      return { statements, tokens: other === tokens.text ? tokens : tokenizeSql(other, dialect) };
  }
  return 'syntax';
};
