/**
 * Formats user texts as Markdown that cannot break the structure of the document (headings, lists, tables). Names and
 * short texts become one line with all special characters escaped. Longer texts are Markdown themselves and become
 * quotations, which contain whatever they open.
 */

const LINE_END = /\r\n?|\n/;

/** Control characters, and characters that some programs treat as line ends. */
const UNPRINTED = /[\p{Cc}\u2028\u2029]/gu;

/**
 * Characters that are always escaped. An underscore inside a word has no meaning in Markdown and stays, because names
 * often contain it.
 */
const MARKUP = /[\\`*[\]<>|~#&$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** Text that a browser could read as a tag. An unclosed comment would hide everything after the quotation. */
const TAG = /<(?=[A-Za-z/!?])/g;

const truncateText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const characters = [...text.slice(0, most * 2)];
  return characters.length <= most && text.length <= most * 2 ? text : `${characters.slice(0, most).join('')}…`;
};

/** Formats a short text on one line, for headings, cells and list items that begin with a fixed word. */
export const formatInline = (text: string, most: number): string => {
  const line = text.replace(UNPRINTED, ' ').replace(/\s+/g, ' ').trim();
  return truncateText(line, most).replace(MARKUP, '\\$&');
};

/** Formats a longer Markdown text as a quotation. */
export const formatQuotation = (text: string, most: number): string =>
  truncateText(text.trim(), most)
    .split(LINE_END)
    .map((line) => `> ${line.replace(/\t/g, '    ').replace(UNPRINTED, ' ').replace(TAG, '\\<')}`.trimEnd())
    .join('\n');

/** Formats a table. The cells must already be Markdown. */
export const formatMarkdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
};
