import { CellError } from './cell-error.ts';

/**
 * Lists within one cell (csv.md 4): items with a separator between them. An item that has one in it, or that would not be
 * read as it is, stands in double quotes, which are doubled inside.
 */

const QUOTE = '"';

/** The parts between separators that do not stand in quotes, without the space around them. */
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
  if (isQuoted) throw new CellError('a quote is opened and never closed');
  parts.push(text.slice(from).trim());
  return parts;
};

const QUOTED_PART = /^"((?:[^"]|"")*)"$/;

/** What stands in the quotes around a whole part; undefined when there are none. */
const unquotePart = (part: string): string | undefined => QUOTED_PART.exec(part)?.[1]?.replaceAll('""', QUOTE);

/** How items of one sort are told apart and written. */
export type ItemStyle = {
  readonly separator: string;
  /** The characters that an item is wrapped for. */
  readonly quoteFor: RegExp;
  /** An item may be nothing but a name in quotes of its own, such as that of a domain with a dot. */
  readonly allowsQuotedNames: boolean;
};

/** Items with something in front of what could be quoted: labels, owners, custom properties. */
export const ITEM_STYLE: ItemStyle = { separator: ';', quoteFor: /[;,]/, allowsQuotedNames: false };

/** Fully qualified names that may be of one part. */
export const NAME_STYLE: ItemStyle = { ...ITEM_STYLE, allowsQuotedNames: true };

/** Items within an item. */
export const INNER_ITEM_STYLE: ItemStyle = { separator: '|', quoteFor: /\|/, allowsQuotedNames: false };

const mustBeQuoted = (text: string, { quoteFor }: ItemStyle): boolean =>
  quoteFor.test(text) || text.includes(QUOTE) || text !== text.trim();

const unquoteItem = (part: string, style: ItemStyle): string => {
  const inside = unquotePart(part);
  if (inside === undefined) return part;
  return style.allowsQuotedNames && !mustBeQuoted(inside, style) ? part : inside;
};

/** The items of a cell; what is left empty is none. */
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

/** An item as it stands in its cell. */
export const writeItem = (item: string, style: ItemStyle = ITEM_STYLE): string =>
  style.quoteFor.test(item) || !readsAsItself(item, style) ? `${QUOTE}${item.replaceAll(QUOTE, '""')}${QUOTE}` : item;

/** Items as a cell. */
export const writeItems = (items: readonly string[], style: ItemStyle = ITEM_STYLE): string =>
  items.map((item) => writeItem(item, style)).join(style.separator);
