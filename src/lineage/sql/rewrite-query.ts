import { EVERY_COLUMN } from './change-statement.ts';
import { type SqlToken, type SqlTokens, splitItems } from './tokens.ts';

/** A range to cut out of a text, and its replacement. */
type TextCut = { readonly from: number; readonly to: number; readonly instead: string };

const matchesWords = (list: readonly SqlToken[], at: number, expected: string): boolean =>
  expected.split(' ').every((word, index) => {
    const token = list[at + index];
    return token !== undefined && (token.word === word || token.text === word);
  });

const findWords = (list: readonly SqlToken[], at: number, all: readonly string[]): string | undefined =>
  all.find((expected) => matchesWords(list, at, expected));

/** Delta: `UPDATE SET *` and `INSERT *` mean a list of all columns. */
const replaceEveryColumn = (list: readonly SqlToken[], at: number): TextCut | undefined => {
  const star = `\`${EVERY_COLUMN}\``;
  if (matchesWords(list, at, 'UPDATE SET *')) return { from: at, to: at + 3, instead: `UPDATE SET ${star} = ${star}` };
  if (matchesWords(list, at, 'THEN INSERT *'))
    return { from: at, to: at + 3, instead: `THEN INSERT (${star}) VALUES (${star})` };
  return undefined;
};

const PERIODS = [
  'FOR TIMESTAMP AS OF',
  'FOR VERSION AS OF',
  'FOR SYSTEM_TIME AS OF',
  'TIMESTAMP AS OF',
  'VERSION AS OF',
];

/** Time travel selects a state of a table and does not change where columns come from. */
const cutTimeTravel = (list: readonly SqlToken[], at: number): TextCut | undefined => {
  const period = findWords(list, at, PERIODS);
  if (period === undefined) return undefined;
  let to = at + period.split(' ').length;
  if (/^(TIMESTAMP|DATE)$/.test(list[to]?.word ?? '')) to += 1;
  const literal = list[to]?.kind === 'text' || list[to]?.kind === 'number';
  return literal ? { from: at, to: to + 1, instead: '' } : undefined;
};

const TAILS = [
  'WITH NO DATA',
  'WITH DATA',
  'WITH NO SCHEMA BINDING',
  'WITH CHECK OPTION',
  'WITH READ ONLY',
  'WITH ROLLUP',
];

const cutTail = (list: readonly SqlToken[], at: number): TextCut | undefined => {
  const found = findWords(list, at, TAILS);
  // Teradata tells after WITH DATA how the new table is indexed and how long its rows last.
  const isData = (found === 'WITH DATA' || found === 'WITH NO DATA') && list[0]?.word === 'CREATE';
  if (isData && list[at]?.depth === 0) return { from: at, to: list.length, instead: '' };
  const to = at + (found?.split(' ').length ?? 0);
  if (found && (to === list.length || found === 'WITH ROLLUP')) return { from: at, to, instead: '' };
  const options = matchesWords(list, at, 'OPTION (') && list[at]?.depth === 0;
  return options ? { from: at, to: list.length, instead: '' } : undefined;
};

/** `INSERT INTO t (WITH … SELECT …)`: removes the brackets around the whole query. */
const cutBrackets = (list: readonly SqlToken[], at: number): TextCut | undefined => {
  const first = matchesWords(list, at, '( WITH') && list[at]?.depth === 0 && list[0]?.word === 'INSERT';
  const last = list.length - 1;
  if (first && list.findIndex((token, index) => index > at && token.depth === 0) === last) {
    return { from: at, to: at + 1, instead: '' };
  }
  const open = list.findIndex((token) => token.depth === 0 && token.text === '(');
  const closes = at === last && list[at]?.text === ')' && open !== -1 && matchesWords(list, open, '( WITH');
  return closes && list[0]?.word === 'INSERT' ? { from: at, to: at + 1, instead: '' } : undefined;
};

const QUERY = /^(SELECT|WITH|FROM|VALUES)$/;

/** Finds the query of a CREATE: after AS, or at SELECT without AS. */
const findQueryStart = (list: readonly SqlToken[], from: number): number | undefined => {
  const at = list.findIndex((token, index) => {
    if (index < from || token.depth > 0) return false;
    const next = list[index + 1];
    return token.word === 'SELECT' || (token.word === 'AS' && (QUERY.test(next?.word ?? '') || next?.text === '('));
  });
  if (at === -1) return undefined;
  return list[at]?.word === 'AS' ? at + 1 : at;
};

const namesIn = (tokens: SqlTokens, open: number): string => {
  const names = splitItems(tokens, open + 1).map(({ from }) => tokens.list[from]?.text ?? '');
  return `(${names.join(', ')})`;
};

/** CREATE … AS: removes the storage options between the table name and the query, which do not affect columns. */
const simplifyCreate = (tokens: SqlTokens): TextCut | undefined => {
  const { list } = tokens;
  if (list[0]?.word !== 'CREATE') return undefined;
  const kind = list.findIndex((token, index) => index < 12 && /^(TABLE|VIEW)$/.test(token.word));
  if (kind === -1) return undefined;
  let at = matchesWords(list, kind + 1, 'IF NOT EXISTS') ? kind + 4 : kind + 1;
  const name: string[] = [];
  for (; at < list.length; at += 1) {
    name.push(list[at]?.text ?? '');
    if (list[at + 1]?.text !== '.') break;
    name.push('.');
    at += 1;
  }
  const begins = findQueryStart(list, at + 1);
  if (begins === undefined) return undefined;
  const columns = list[at + 1]?.text === '(' ? ` ${namesIn(tokens, at + 1)}` : '';
  const temporary = list.slice(0, kind).some(({ word }) => /^(TEMP|TEMPORARY|VOLATILE)$/.test(word))
    ? 'TEMPORARY '
    : '';
  const typed = list[kind]?.word === 'TABLE' && columns !== '' ? 'VIEW' : list[kind]?.word;
  return { from: 0, to: begins, instead: `CREATE ${temporary}${typed} ${name.join('')}${columns} AS` };
};

/**
 * Rewrites a statement without notations that parsers reject and that do not affect lineage; undefined when it has
 * none.
 */
export const simplifyStatement = (tokens: SqlTokens): string | undefined => {
  const { list, text } = tokens;
  const head = simplifyCreate(tokens);
  const cuts: TextCut[] = head ? [head] : [];
  for (let at = head?.to ?? 0; at < list.length; at += 1) {
    const cut = replaceEveryColumn(list, at) ?? cutTimeTravel(list, at) ?? cutTail(list, at) ?? cutBrackets(list, at);
    if (cut === undefined) continue;
    cuts.push(cut);
    at = cut.to - 1;
  }
  if (cuts.length === 0) return undefined;
  let [result, offset] = ['', 0];
  for (const { from, to, instead } of cuts) {
    result += `${text.slice(offset, list[from]?.start ?? offset)} ${instead} `;
    offset = list[to - 1]?.end ?? offset;
  }
  return result + text.slice(offset);
};

/** Keywords that precede a table. Elsewhere ONLY is not part of a table. */
const BEFORE_TABLE = /^(FROM|JOIN|UPDATE|INTO|USING|TABLE)$/;

/** Finds the ONLY tokens that exclude inheriting tables: `FROM ONLY t`, `FROM ONLY (t)`. */
const findOnlyTokens = ({ list }: SqlTokens): readonly SqlToken[] =>
  list.flatMap((token, at) => {
    const [before, behind] = [list[at - 1], list[at + 1]];
    const isAtTable = before !== undefined && (BEFORE_TABLE.test(before.word) || /^[,(]$/.test(before.text));
    if (token.word !== 'ONLY' || !isAtTable || behind === undefined) return [];
    if (/^(word|name)$/.test(behind.kind)) return [token];
    if (behind.text !== '(') return [];
    const close = list.find((one, index) => index > at + 1 && one.text === ')');
    return close ? [token, behind, close] : [];
  });

/** Removes ONLY, which does not affect lineage and which parsers take for a table name. */
export const removeOnly = (tokens: SqlTokens): string => {
  let { text } = tokens;
  // Blanking the tokens keeps all other positions unchanged.
  for (const { start, end } of findOnlyTokens(tokens))
    text = text.slice(0, start) + ' '.repeat(end - start) + text.slice(end);
  return text;
};
