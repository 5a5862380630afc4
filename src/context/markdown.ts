/**
 * Markdown made of what users wrote, so that nothing they wrote can be taken for the document's own headings, lists or
 * tables. Names and short texts become one line with every character of meaning escaped; longer texts, which are
 * Markdown themselves, stand inside a quotation, where whatever they contain ends with it.
 */

const LINE_END = /\r\n?|\n/;

/** What is not printed, and what some programs take for the end of a line. */
const UNPRINTED = /[\p{Cc}\u2028\u2029]/gu;

/** Escaped wherever they stand; an underscore inside a word means nothing and stays, because names are full of them. */
const MARKUP = /[\\`*[\]<>|~#&$]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu;

/** What a browser could take for a tag: a comment left open would swallow everything after the quotation. */
const TAG = /<(?=[A-Za-z/!?])/g;

const truncateText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const characters = [...text.slice(0, most * 2)];
  return characters.length <= most && text.length <= most * 2 ? text : `${characters.slice(0, most).join('')}…`;
};

/** A short text on one line: for headings, cells, and items that begin with a word of ours. */
export const formatInline = (text: string, most: number): string => {
  const line = text.replace(UNPRINTED, ' ').replace(/\s+/g, ' ').trim();
  return truncateText(line, most).replace(MARKUP, '\\$&');
};

/** A longer text in Markdown, as a quotation. */
export const formatQuotation = (text: string, most: number): string =>
  truncateText(text.trim(), most)
    .split(LINE_END)
    .map((line) => `> ${line.replace(/\t/g, '    ').replace(UNPRINTED, ' ').replace(TAG, '\\<')}`.trimEnd())
    .join('\n');

/** A table; the cells are Markdown already. */
export const formatMarkdownTable = (heads: readonly string[], rows: readonly (readonly string[])[]): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n');
};
