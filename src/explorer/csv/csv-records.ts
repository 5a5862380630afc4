/** The records of a CSV text by RFC 4180, with any end of line; empty lines are none. A quote that is never closed ends with the text. */

type Cursor = { at: number };

const QUOTE = '"';

/** Reads a cell that begins with a quote; `cursor` ends behind the closing one. */
const readQuoted = (text: string, cursor: Cursor): string => {
  let cell = '';
  let from = cursor.at + 1;
  for (;;) {
    const to = text.indexOf(QUOTE, from);
    if (to === -1) {
      cursor.at = text.length;
      return cell + text.slice(from);
    }
    cell += text.slice(from, to);
    if (text[to + 1] !== QUOTE) {
      cursor.at = to + 1;
      return cell;
    }
    cell += QUOTE;
    from = to + 2;
  }
};

const isCellEnd = (character: string | undefined): boolean =>
  character === undefined || character === ',' || character === '\n' || character === '\r';

const readPlain = (text: string, cursor: Cursor): string => {
  const from = cursor.at;
  while (!isCellEnd(text[cursor.at])) cursor.at += 1;
  return text.slice(from, cursor.at);
};

const skipLineEnd = (text: string, cursor: Cursor): void => {
  if (text[cursor.at] === '\r' && text[cursor.at + 1] === '\n') cursor.at += 1;
  cursor.at += 1;
};

export const parseCsvRecords = (text: string): readonly (readonly string[])[] => {
  const records: string[][] = [];
  const cursor: Cursor = { at: 0 };
  while (cursor.at < text.length) {
    const start = cursor.at;
    const record: string[] = [];
    for (;;) {
      // What stands between a closing quote and the end of the cell belongs to the cell.
      const quoted = text[cursor.at] === QUOTE ? readQuoted(text, cursor) : '';
      record.push(quoted + readPlain(text, cursor));
      if (text[cursor.at] !== ',') break;
      cursor.at += 1;
    }
    if (cursor.at > start) records.push(record);
    skipLineEnd(text, cursor);
  }
  return records;
};
