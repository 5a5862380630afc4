/** Cuts SQL into the parts that are coloured. It knows no dialect: what it does not know is plain text, and nothing is lost. */

export type SqlPart = { readonly kind: SqlKind; readonly text: string };
export type SqlKind = 'keyword' | 'text' | 'number' | 'comment' | 'name' | 'call' | 'plain';

const KEYWORDS = new Set(
  `add all alter and any as asc begin between by case cast coalesce commit create cross current cube date declare default
  delete desc describe distinct drop else end escape except exists extract false fetch filter first flatten following for
  from full function grant group grouping having if ilike in inner insert intersect interval into is join last lateral left
  like limit materialized matched merge minus natural not null nulls offset on or order outer over partition pivot
  preceding primary qualify range recursive references replace returning right rollup row rows sample select set sets table
  temp temporary then time timestamp to top true truncate unbounded union unique unnest unpivot update use using values
  view when where window with within`.split(/\s+/),
);

/** Each alternative is one kind; a text or comment that never ends goes to the end. */
const PARTS = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`(?<text>'(?:[^'\\]|\\[\s\S]|'')*(?:'|$)|\$\$[\s\S]*?(?:\$\$|$))`,
    String.raw`(?<name>"(?:[^"]|"")*(?:"|$)|\x60[^\x60]*(?:\x60|$)|\[[A-Za-z_][^\]\n]*\])`,
    String.raw`(?<number>\b\d+(?:\.\d+)?(?:e[+-]?\d+)?\b)`,
    String.raw`(?<word>[\p{L}_][\p{L}\p{N}_$]*)`,
  ].join('|'),
  'giu',
);

const CALL = /^\s*\(/;

const kindOfWord = (word: string, rest: string): SqlKind => {
  if (KEYWORDS.has(word.toLowerCase())) return 'keyword';
  return CALL.test(rest) ? 'call' : 'plain';
};

const kindOfMatch = ({ groups = {} }: RegExpMatchArray, rest: string): SqlKind => {
  const { comment, text, name, number, word } = groups;
  if (comment !== undefined) return 'comment';
  if (text !== undefined) return 'text';
  if (name !== undefined) return 'name';
  return number !== undefined ? 'number' : kindOfWord(word ?? '', rest);
};

/** Longer statements are shown without colours: nobody reads them whole, and a thousand marks a screen would only be slow. */
const MOST_COLOURED = 50_000;

/** The parts of a statement in their order; joined they are the statement. */
export const splitSql = (sql: string): readonly SqlPart[] => {
  if (sql.length > MOST_COLOURED) return [{ kind: 'plain', text: sql }];
  const parts: SqlPart[] = [];
  let plain = '';
  let at = 0;
  const flush = () => {
    if (plain !== '') parts.push({ kind: 'plain', text: plain });
    plain = '';
  };
  for (const match of sql.matchAll(PARTS)) {
    plain += sql.slice(at, match.index);
    at = match.index + match[0].length;
    const kind = kindOfMatch(match, sql.slice(at, at + 40));
    if (kind === 'plain') {
      plain += match[0];
      continue;
    }
    flush();
    parts.push({ kind, text: match[0] });
  }
  plain += sql.slice(at);
  flush();
  return parts;
};

const CLAUSE =
  /^(?:select|from|where|group\s+by|order\s+by|having|limit|qualify|union|(?:(?:left|right|full|inner|cross|natural)\s+)?(?:outer\s+)?join|values|when\s+(?:not\s+)?matched)\b/i;

/** A clause begins within so many parts: its words and the blanks between them. */
const CLAUSE_PARTS = 7;

const beginsClause = (parts: readonly SqlPart[], at: number): boolean => {
  const text = parts
    .slice(at, at + CLAUSE_PARTS)
    .map((part) => part.text)
    .join('');
  return parts[at]?.kind === 'keyword' && CLAUSE.test(text);
};

/** Breaks a statement that was written in one line before its clauses. Other statements keep their own lines. */
export const breakLines = (sql: string): string => {
  if (sql.includes('\n')) return sql;
  const parts = splitSql(sql);
  let isJoinBegun = false;
  return parts
    .map(({ kind, text }, at) => {
      // In «left join» the break stands before the first word, and none before the second.
      const isBreak = kind === 'plain' && beginsClause(parts, at + 1) && !isJoinBegun;
      if (kind === 'keyword') isJoinBegun = /^(?:left|right|full|inner|cross|natural|outer)$/i.test(text);
      return isBreak ? text.replace(/\s+$/, '\n') : text;
    })
    .join('');
};
