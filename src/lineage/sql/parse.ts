import { dialectFromString, init, Parser } from '@guanmingchiu/sqlparser-ts';
import type { Dialect } from './dialect.ts';
import { plainer, withoutOnly } from './plainer.ts';
import { type Tokens, tokensOf } from './tokens.ts';

/** A text as the parser read it, and that text: some notations are written otherwise first. */
export type Parsed = { readonly statements: readonly unknown[]; readonly tokens: Tokens };

/** Says that the parser itself broke: nothing it answers from then on can be trusted. */
export class ParserBroke extends Error {}

/** Loads the parser. */
export const loadParser: () => Promise<void> = init;

/**
 * How deep brackets and CASE may lie in each other. The parser's own limit counts several steps for each of them, and it
 * must never be met: the parser then tries to read the inner part as something else, and may succeed.
 */
const DEEPEST = 50;
const DEEPEST_PARSE = 300;

const TYPES = /^(ARRAY|STRUCT|MAP|ROW|LIST)$/;

const isTooDeep = ({ list }: Tokens): boolean => {
  let [cases, types] = [0, 0];
  return list.some((token, index) => {
    if (token.word === 'CASE') cases += 1;
    if (token.word === 'END') cases = Math.max(0, cases - 1);
    if (token.text === '<' && TYPES.test(list[index - 1]?.word ?? '')) types += 1;
    if (token.text === '>') types = Math.max(0, types - 1);
    return Math.max(token.depth, cases, types) > DEEPEST;
  });
};

/** What the parser says of SQL it cannot read, as opposed to what a broken parser says. */
const REFUSAL = /^sql parser error: |at Line: \d+, Column: \d+/;

const attempt = (text: string, grammar: string): readonly unknown[] | string => {
  try {
    const found: unknown = new Parser(dialectFromString(grammar)).withRecursionLimit(DEEPEST_PARSE).parse(text);
    return Array.isArray(found) ? found : [];
  } catch (cause) {
    if (cause instanceof Error && REFUSAL.test(cause.message)) return cause.message;
    throw new ParserBroke('the SQL parser failed', { cause });
  }
};

/** Parses one statement: as its dialect has it, without notations that move no columns, or as any dialect would. */
export const parseStatement = (asked: Tokens, dialect: Dialect): Parsed | 'syntax' | 'too deep' => {
  if (isTooDeep(asked)) return 'too deep';
  const text = dialect.onlyTables ? withoutOnly(asked) : asked.text;
  const tokens = text === asked.text ? asked : tokensOf(text, dialect);
  const first = attempt(tokens.text, dialect.grammar);
  if (typeof first !== 'string') return { statements: first, tokens };
  if (/recursion limit/.test(first)) return 'too deep';
  const easier = plainer(tokens);
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
    const statements = attempt(other, grammar);
    if (typeof statements !== 'string')
      return { statements, tokens: other === tokens.text ? tokens : tokensOf(other, dialect) };
  }
  return 'syntax';
};
