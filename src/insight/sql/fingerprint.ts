import { createHash } from 'node:crypto';
import type { Dialect } from '../../lineage/sql/dialect.ts';
import { type SqlToken, tokenizeSql } from '../../lineage/sql/tokens.ts';

/** Tells statements apart by what they do, whatever values they name and however they are written. */

const PARAMETER = /^[$@:]\d+$/;

/** A text after AS is the name of a column, not a value. */
const isValue = (token: SqlToken, before: SqlToken | undefined): boolean =>
  token.kind === 'number' || (token.kind === 'text' && before?.word !== 'AS') || PARAMETER.test(token.text);

const ANY_LIST = /\?(?: , \?)+/g;
const ANY_ROWS = /\( \? \)(?: , \( \? \))+/g;

/** Writes a statement in one way: without comments, in one case, and with `?` for each value or list of values. */
export const normaliseSql = (sql: string, dialect: Dialect): string => {
  const { list } = tokenizeSql(sql, dialect);
  const words = list.map((token, at) => {
    if (isValue(token, list[at - 1])) return '?';
    return token.kind === 'word' ? token.text.toLowerCase() : token.text;
  });
  return words.join(' ').replace(ANY_LIST, '?').replace(ANY_ROWS, '( ? )');
};

/** Replaces the values of a statement by `?`, because a log may name people. */
export const hideValues = (sql: string, dialect: Dialect): string => {
  const { list } = tokenizeSql(sql, dialect);
  let [text, offset] = ['', 0];
  for (const [at, token] of list.entries()) {
    if (!isValue(token, list[at - 1])) continue;
    text += `${sql.slice(offset, token.start)}?`;
    offset = token.end;
  }
  return text + sql.slice(offset);
};

const FINGERPRINT_DIGITS = 32;

/** The same for all statements with the same normal form. */
export const fingerprintOf = (normalised: string): string =>
  createHash('sha256').update(normalised).digest('hex').slice(0, FINGERPRINT_DIGITS);
