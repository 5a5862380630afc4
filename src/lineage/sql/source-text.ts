import { choiceOf, nodeAt, positionOf, type SyntaxNode } from './syntax-tree.ts';
import { type SqlTokens, splitItems, textBetween } from './tokens.ts';

/** The maximum length of a stored expression. */
const MAX_TEXT_LENGTH = 4_000;

/** Replaces an expression whose text cannot be found. */
const UNKNOWN_TEXT = '…';

export type TextLookup = (index: number) => string;

export const unknownText: TextLookup = () => UNKNOWN_TEXT;

const truncateText = (tokens: SqlTokens, from: number, to: number): string => {
  const text = textBetween(tokens, from, to);
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}…` : text || UNKNOWN_TEXT;
};

/** Finds the token at the position of a node. */
const findToken = (tokens: SqlTokens, node: unknown): number | undefined => {
  const place = positionOf(node);
  return place && tokens.at(place.line, place.column);
};

const BEFORE_ITEMS = new Set(['DISTINCT', 'ALL', 'PERCENT', 'STRAIGHT_JOIN', 'SQL_CALC_FOUND_ROWS', 'SQL_NO_CACHE']);

const skipBrackets = ({ list }: SqlTokens, open: number): number => {
  const depth = list[open]?.depth ?? 0;
  let index = open + 1;
  while (index < list.length && (list[index]?.depth ?? 0) > depth) index += 1;
  return index + 1;
};

/** Finds the first token of the first item after SELECT and modifiers such as `DISTINCT ON (…)` or `TOP (10)`. */
const findFirstItem = (tokens: SqlTokens, select: number): number => {
  const { list } = tokens;
  let index = select + 1;
  for (;;) {
    const [token, next] = [list[index], list[index + 1]];
    if (token === undefined) return index;
    const bracketed =
      next?.text === '(' && (token.word === 'TOP' || (token.word === 'ON' && list[index - 1]?.word === 'DISTINCT'));
    const ties = token.word === 'WITH' && next?.word === 'TIES';
    const as = token.word === 'AS' && /^(STRUCT|VALUE)$/.test(next?.word ?? '');
    if (bracketed) index = skipBrackets(tokens, index + 1);
    else if (BEFORE_ITEMS.has(token.word)) index += 1;
    else if (ties || as || (token.word === 'TOP' && next?.kind === 'number')) index += 2;
    else return index;
  }
};

/** Returns the texts of select items without their aliases. */
export const createItemTexts = (tokens: SqlTokens, select: SyntaxNode, items: readonly unknown[]): TextLookup => {
  const keyword = findToken(tokens, select['select_token']);
  const places = keyword === undefined ? [] : splitItems(tokens, findFirstItem(tokens, keyword));
  if (places.length !== items.length) return unknownText;
  return (index) => {
    const place = places[index];
    if (place === undefined) return UNKNOWN_TEXT;
    const { choice, held } = choiceOf(items[index]);
    const alias = choice === 'ExprWithAlias' ? findToken(tokens, nodeAt(held)?.['alias']) : undefined;
    if (alias === undefined) return truncateText(tokens, place.from, place.to);
    // `total = a * b` names the item before its expression.
    if (alias === place.from) return truncateText(tokens, alias + 2, place.to);
    return truncateText(tokens, place.from, tokens.list[alias - 1]?.word === 'AS' ? alias - 1 : alias);
  };
};

/** Returns the texts of the expressions in a pair of brackets, found by the position of the opening one. */
export const createBracketTexts = (tokens: SqlTokens, opening: unknown): TextLookup => {
  const open = findToken(tokens, opening);
  const places = open === undefined ? [] : splitItems(tokens, open + 1);
  return (index) => {
    const place = places[index];
    return place ? truncateText(tokens, place.from, place.to) : UNKNOWN_TEXT;
  };
};

/** Returns the text after the `=` of an assignment to a column. */
export const readAssignedText = (tokens: SqlTokens, target: unknown): string => {
  const from = findToken(tokens, target);
  if (from === undefined) return UNKNOWN_TEXT;
  const depth = tokens.list[from]?.depth ?? 0;
  let equals = from + 1;
  while (equals < tokens.list.length && tokens.list[equals]?.text !== '=') equals += 1;
  const [item] = splitItems(tokens, equals + 1);
  return item && tokens.list[equals]?.depth === depth ? truncateText(tokens, item.from, item.to) : UNKNOWN_TEXT;
};

/** Returns the text before the alias of an expression, back to the preceding comma or bracket. */
export const readTextBeforeName = (tokens: SqlTokens, name: unknown): string => {
  const at = findToken(tokens, name);
  if (at === undefined) return UNKNOWN_TEXT;
  const depth = tokens.list[at]?.depth ?? 0;
  const end = tokens.list[at - 1]?.word === 'AS' ? at - 1 : at;
  let from = end;
  for (; from > 0; from -= 1) {
    const before = tokens.list[from - 1];
    if (before === undefined || before.depth < depth || (before.depth === depth && before.text === ',')) break;
  }
  return truncateText(tokens, from, end);
};

/** Finds the first token of any descendant node with a position. */
const findFirstToken = (tokens: SqlTokens, node: unknown): number | undefined => {
  const own = findToken(tokens, node);
  if (own !== undefined || typeof node !== 'object' || node === null) return own;
  const found = Object.values(node).map((held) => findFirstToken(tokens, held));
  return found.reduce(
    (first, one) => (one === undefined || (first !== undefined && first < one) ? first : one),
    undefined,
  );
};

/** Returns the text of the function call around a node, from the function name to the closing bracket. */
export const readCallText = (tokens: SqlTokens, node: unknown, name: string): string => {
  const word = name.toUpperCase();
  let at = findFirstToken(tokens, node) ?? -1;
  while (at >= 0 && tokens.list[at]?.word !== word) at -= 1;
  return at < 0 || tokens.list[at + 1]?.text !== '('
    ? UNKNOWN_TEXT
    : truncateText(tokens, at, skipBrackets(tokens, at + 1));
};
