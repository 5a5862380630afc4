import { itemsFrom, type Tokens, textBetween } from './tokens.ts';
import { choiceOf, type Node, nodeAt, placeOf } from './tree.ts';

/** Longest text of an expression that is kept. */
const LONGEST_TEXT = 4_000;

/** Stands for an expression whose text cannot be found. */
const SOME_TEXT = '…';

export type TextOf = (index: number) => string;

export const someText: TextOf = () => SOME_TEXT;

const textOf = (tokens: Tokens, from: number, to: number): string => {
  const text = textBetween(tokens, from, to);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}…` : text || SOME_TEXT;
};

/** The token at which a node that says where it stands begins. */
const tokenOf = (tokens: Tokens, node: unknown): number | undefined => {
  const place = placeOf(node);
  return place && tokens.at(place.line, place.column);
};

const BEFORE_ITEMS = new Set(['DISTINCT', 'ALL', 'PERCENT', 'STRAIGHT_JOIN', 'SQL_CALC_FOUND_ROWS', 'SQL_NO_CACHE']);

const behindBrackets = ({ list }: Tokens, open: number): number => {
  const depth = list[open]?.depth ?? 0;
  let index = open + 1;
  while (index < list.length && (list[index]?.depth ?? 0) > depth) index += 1;
  return index + 1;
};

/** The first token of the first item behind SELECT, behind `DISTINCT ON (…)`, `TOP (10)` and the like. */
const firstItem = (tokens: Tokens, select: number): number => {
  const { list } = tokens;
  let index = select + 1;
  for (;;) {
    const [token, next] = [list[index], list[index + 1]];
    if (token === undefined) return index;
    const bracketed =
      next?.text === '(' && (token.word === 'TOP' || (token.word === 'ON' && list[index - 1]?.word === 'DISTINCT'));
    const ties = token.word === 'WITH' && next?.word === 'TIES';
    const as = token.word === 'AS' && /^(STRUCT|VALUE)$/.test(next?.word ?? '');
    if (bracketed) index = behindBrackets(tokens, index + 1);
    else if (BEFORE_ITEMS.has(token.word)) index += 1;
    else if (ties || as || (token.word === 'TOP' && next?.kind === 'number')) index += 2;
    else return index;
  }
};

/** The texts of select items, without the names they are given. */
export const textsOfItems = (tokens: Tokens, select: Node, items: readonly unknown[]): TextOf => {
  const keyword = tokenOf(tokens, select['select_token']);
  const places = keyword === undefined ? [] : itemsFrom(tokens, firstItem(tokens, keyword));
  if (places.length !== items.length) return someText;
  return (index) => {
    const place = places[index];
    if (place === undefined) return SOME_TEXT;
    const { choice, held } = choiceOf(items[index]);
    const alias = choice === 'ExprWithAlias' ? tokenOf(tokens, nodeAt(held)?.['alias']) : undefined;
    if (alias === undefined) return textOf(tokens, place.from, place.to);
    // `total = a * b` names its item in front.
    if (alias === place.from) return textOf(tokens, alias + 2, place.to);
    return textOf(tokens, place.from, tokens.list[alias - 1]?.word === 'AS' ? alias - 1 : alias);
  };
};

/** The texts of the expressions in a pair of brackets that says where it opens. */
export const textsInBrackets = (tokens: Tokens, opening: unknown): TextOf => {
  const open = tokenOf(tokens, opening);
  const places = open === undefined ? [] : itemsFrom(tokens, open + 1);
  return (index) => {
    const place = places[index];
    return place ? textOf(tokens, place.from, place.to) : SOME_TEXT;
  };
};

/** The text behind the `=` of an assignment to a column. */
export const textAssigned = (tokens: Tokens, target: unknown): string => {
  const from = tokenOf(tokens, target);
  if (from === undefined) return SOME_TEXT;
  const depth = tokens.list[from]?.depth ?? 0;
  let equals = from + 1;
  while (equals < tokens.list.length && tokens.list[equals]?.text !== '=') equals += 1;
  const [item] = itemsFrom(tokens, equals + 1);
  return item && tokens.list[equals]?.depth === depth ? textOf(tokens, item.from, item.to) : SOME_TEXT;
};

/** The text before the name that an expression is given, back to the comma or bracket in front of it. */
export const textBeforeName = (tokens: Tokens, name: unknown): string => {
  const at = tokenOf(tokens, name);
  if (at === undefined) return SOME_TEXT;
  const depth = tokens.list[at]?.depth ?? 0;
  const end = tokens.list[at - 1]?.word === 'AS' ? at - 1 : at;
  let from = end;
  for (; from > 0; from -= 1) {
    const before = tokens.list[from - 1];
    if (before === undefined || before.depth < depth || (before.depth === depth && before.text === ',')) break;
  }
  return textOf(tokens, from, end);
};

/** The first token of anything below a node that says where it stands. */
const firstToken = (tokens: Tokens, node: unknown): number | undefined => {
  const own = tokenOf(tokens, node);
  if (own !== undefined || typeof node !== 'object' || node === null) return own;
  const found = Object.values(node).map((held) => firstToken(tokens, held));
  return found.reduce(
    (first, one) => (one === undefined || (first !== undefined && first < one) ? first : one),
    undefined,
  );
};

/** The text of the call of a function around a node, from its name to the bracket that closes it. */
export const textOfCall = (tokens: Tokens, node: unknown, name: string): string => {
  const word = name.toUpperCase();
  let at = firstToken(tokens, node) ?? -1;
  while (at >= 0 && tokens.list[at]?.word !== word) at -= 1;
  return at < 0 || tokens.list[at + 1]?.text !== '(' ? SOME_TEXT : textOf(tokens, at, behindBrackets(tokens, at + 1));
};
