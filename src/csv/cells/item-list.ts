import { CellError } from './cell-error.ts';

/**
 * Lists within one cell (csv.md 4): items joined by a separator. An item that contains the separator, or that would
 * not be read back unchanged, is quoted; quotes inside are doubled.
 */

const QUOTE = '"';

/** Splits a text at separators outside of quotes and trims the parts. */
export const splitParts = (text: string, separator: string): string[] => {
  const parts: string[] = [];
  let isQuoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === QUOTE) isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  if (isQuoted) throw new CellError('a quote is not closed');
  parts.push(text.slice(from).trim());
  return parts;
};

const QUOTED_PART = /^"((?:[^"]|"")*)"$/;

/** Removes the quotes around a whole part; undefined when there are none. */
const unquotePart = (part: string): string | undefined => QUOTED_PART.exec(part)?.[1]?.replaceAll('""', QUOTE);

/** How the items of a list are separated and quoted. */
export type ItemStyle = {
  readonly separator: string;
  /** The characters that require quotes. */
  readonly quoteFor: RegExp;
  /** Whether an item may be a quoted name itself, such as that of a domain with a dot. */
  readonly allowsQuotedNames: boolean;
};

/** The style of items that start with a prefix: labels, owners and custom properties. */
export const ITEM_STYLE: ItemStyle = { separator: ';', quoteFor: /[;,]/, allowsQuotedNames: false };

/** The style of fully qualified names, which may have only one part. */
export const NAME_STYLE: ItemStyle = { ...ITEM_STYLE, allowsQuotedNames: true };

/** The style of lists inside an item. */
export const INNER_ITEM_STYLE: ItemStyle = { separator: '|', quoteFor: /\|/, allowsQuotedNames: false };

const mustBeQuoted = (text: string, { quoteFor }: ItemStyle): boolean =>
  quoteFor.test(text) || text.includes(QUOTE) || text !== text.trim();

const unquoteItem = (part: string, style: ItemStyle): string => {
  const inside = unquotePart(part);
  if (inside === undefined) return part;
  return style.allowsQuotedNames && !mustBeQuoted(inside, style) ? part : inside;
};

/** Reads the items of a cell; empty parts are skipped. */
export const readItems = (cell: string, style: ItemStyle = ITEM_STYLE): string[] =>
  splitParts(cell, style.separator)
    .filter((part) => part !== '')
    .map((part) => unquoteItem(part, style));

const readsAsItself = (item: string, style: ItemStyle): boolean => {
  try {
    const items = readItems(item, style);
    return items.length === 1 && items[0] === item;
  } catch {
    return false;
  }
};

/** Writes an item, quoted where needed. */
export const writeItem = (item: string, style: ItemStyle = ITEM_STYLE): string =>
  style.quoteFor.test(item) || !readsAsItself(item, style) ? `${QUOTE}${item.replaceAll(QUOTE, '""')}${QUOTE}` : item;

/** Writes items as a cell. */
export const writeItems = (items: readonly string[], style: ItemStyle = ITEM_STYLE): string =>
  items.map((item) => writeItem(item, style)).join(style.separator);
