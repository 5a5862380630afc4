/**
 * The range covers every character from the space on except the quote and the backslash, since control characters are
 * not allowed.
 */
const JSON_STRING = /"[ !#-[\]-\uffff]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\uffff]*)*"/y;
const JSON_NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const JSON_LITERAL = /true|false|null/y;
const JSON_SPACE = /[ \t\n\r]*/y;

type JsonReader = { readonly text: string; at: number };

/** Stops the reader at the first invalid character. */
class JsonSyntaxError extends Error {
  readonly at: number;

  constructor(at: number) {
    super('fault');
    this.at = at;
  }
}

const skipSpace = (reader: JsonReader): void => {
  JSON_SPACE.lastIndex = reader.at;
  JSON_SPACE.test(reader.text);
  reader.at = JSON_SPACE.lastIndex;
};

const takePattern = (reader: JsonReader, pattern: RegExp): void => {
  pattern.lastIndex = reader.at;
  if (!pattern.test(reader.text)) throw new JsonSyntaxError(reader.at);
  reader.at = pattern.lastIndex;
};

const takeMark = (reader: JsonReader, mark: string): boolean => {
  skipSpace(reader);
  if (reader.text[reader.at] !== mark) return false;
  reader.at += 1;
  return true;
};

const expectMark = (reader: JsonReader, mark: string): void => {
  if (!takeMark(reader, mark)) throw new JsonSyntaxError(reader.at);
};

const takeItems = (reader: JsonReader, end: string, takeItem: (reader: JsonReader) => void): void => {
  if (takeMark(reader, end)) return;
  do takeItem(reader);
  while (takeMark(reader, ','));
  expectMark(reader, end);
};

const takeMember = (reader: JsonReader): void => {
  skipSpace(reader);
  takePattern(reader, JSON_STRING);
  expectMark(reader, ':');
  takeValue(reader);
};

const takeScalar = (reader: JsonReader): void => {
  const first = reader.text[reader.at] ?? '';
  const isNumber = first === '-' || (first >= '0' && first <= '9');
  takePattern(reader, first === '"' ? JSON_STRING : isNumber ? JSON_NUMBER : JSON_LITERAL);
};

const takeValue = (reader: JsonReader): void => {
  if (takeMark(reader, '{')) takeItems(reader, '}', takeMember);
  else if (takeMark(reader, '[')) takeItems(reader, ']', takeValue);
  else takeScalar(reader);
};

/**
 * Finds where JSON text is malformed: the offset of the first invalid character, or of the invalid string; `undefined`
 * for well-formed text. The parser's own message would quote the caller's content and often lacks the position.
 * Recurses once per level, so limit the nesting first.
 */
export const findJsonSyntaxError = (text: string): number | undefined => {
  const reader: JsonReader = { text, at: 0 };
  try {
    takeValue(reader);
    skipSpace(reader);
    return reader.at === text.length ? undefined : reader.at;
  } catch (failure) {
    if (failure instanceof JsonSyntaxError) return failure.at;
    throw failure;
  }
};
