/** The range spans everything from the blank on but the quote and the backslash: control characters are not allowed. */
const STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

type Reader = { readonly text: string; at: number };

/** Unwinds the reader at the first character that cannot stand where it stands. */
class Fault extends Error {
  readonly at: number;

  constructor(at: number) {
    super('fault');
    this.at = at;
  }
}

const skipSpace = (reader: Reader): void => {
  SPACE.lastIndex = reader.at;
  SPACE.test(reader.text);
  reader.at = SPACE.lastIndex;
};

const take = (reader: Reader, pattern: RegExp): void => {
  pattern.lastIndex = reader.at;
  if (!pattern.test(reader.text)) throw new Fault(reader.at);
  reader.at = pattern.lastIndex;
};

const takeMark = (reader: Reader, mark: string): boolean => {
  skipSpace(reader);
  if (reader.text[reader.at] !== mark) return false;
  reader.at += 1;
  return true;
};

const expectMark = (reader: Reader, mark: string): void => {
  if (!takeMark(reader, mark)) throw new Fault(reader.at);
};

const takeItems = (reader: Reader, end: string, takeItem: (reader: Reader) => void): void => {
  if (takeMark(reader, end)) return;
  do takeItem(reader);
  while (takeMark(reader, ','));
  expectMark(reader, end);
};

const takeMember = (reader: Reader): void => {
  skipSpace(reader);
  take(reader, STRING);
  expectMark(reader, ':');
  takeValue(reader);
};

const takeScalar = (reader: Reader): void => {
  const first = reader.text[reader.at] ?? '';
  const isNumber = first === '-' || (first >= '0' && first <= '9');
  take(reader, first === '"' ? STRING : isNumber ? NUMBER : WORD);
};

const takeValue = (reader: Reader): void => {
  if (takeMark(reader, '{')) takeItems(reader, '}', takeMember);
  else if (takeMark(reader, '[')) takeItems(reader, ']', takeValue);
  else takeScalar(reader);
};

/**
 * Where malformed JSON text goes wrong: the offset of the first character that does not fit, or of the string that is
 * not a string. `undefined` for well-formed text. The parser's own message would quote the caller's content, and often
 * leaves the position out. Recurses once per level, so the nesting must have been limited before.
 */
export const findJsonFault = (text: string): number | undefined => {
  const reader: Reader = { text, at: 0 };
  try {
    takeValue(reader);
    skipSpace(reader);
    return reader.at === text.length ? undefined : reader.at;
  } catch (failure) {
    if (failure instanceof Fault) return failure.at;
    throw failure;
  }
};
