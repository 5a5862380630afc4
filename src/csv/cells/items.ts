import { CellFault } from './fault.ts';

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
  if (isQuoted) throw new CellFault('a quote is opened and never closed');
  parts.push(text.slice(from).trim());
  return parts;
};

const WRAPPED = /^"((?:[^"]|"")*)"$/;

/** What stands in the quotes around a whole part; undefined when there are none. */
const insideOf = (part: string): string | undefined => WRAPPED.exec(part)?.[1]?.replaceAll('""', QUOTE);

/** How items of one sort are told apart and written. */
export type ItemStyle = {
  readonly separator: string;
  /** The characters that an item is wrapped for. */
  readonly wrapFor: RegExp;
  /** An item may be nothing but a name in quotes of its own, such as that of a domain with a dot. */
  readonly mayBeQuoted: boolean;
};

/** Items with something in front of what could be quoted: labels, owners, custom properties. */
export const ITEMS: ItemStyle = { separator: ';', wrapFor: /[;,]/, mayBeQuoted: false };

/** Fully qualified names that may be of one part. */
export const NAMES: ItemStyle = { ...ITEMS, mayBeQuoted: true };

/** Items within an item. */
export const INNER_ITEMS: ItemStyle = { separator: '|', wrapFor: /\|/, mayBeQuoted: false };

const mustBeWrapped = (text: string, { wrapFor }: ItemStyle): boolean =>
  wrapFor.test(text) || text.includes(QUOTE) || text !== text.trim();

const unwrapped = (part: string, style: ItemStyle): string => {
  const inside = insideOf(part);
  if (inside === undefined) return part;
  return style.mayBeQuoted && !mustBeWrapped(inside, style) ? part : inside;
};

/** The items of a cell; what is left empty is none. */
export const readItems = (cell: string, style: ItemStyle = ITEMS): string[] =>
  splitParts(cell, style.separator)
    .filter((part) => part !== '')
    .map((part) => unwrapped(part, style));

const readsAsItself = (item: string, style: ItemStyle): boolean => {
  try {
    const items = readItems(item, style);
    return items.length === 1 && items[0] === item;
  } catch {
    return false;
  }
};

/** An item as it stands in its cell. */
export const writeItem = (item: string, style: ItemStyle = ITEMS): string =>
  style.wrapFor.test(item) || !readsAsItself(item, style) ? `${QUOTE}${item.replaceAll(QUOTE, '""')}${QUOTE}` : item;

/** Items as a cell. */
export const writeItems = (items: readonly string[], style: ItemStyle = ITEMS): string =>
  items.map((item) => writeItem(item, style)).join(style.separator);
