/** The maximum length of a SQL text. */
export const MAX_SQL_LENGTH = 200_000;

/** Returns the beginning of a statement, to identify it in messages. */
export const statementOpening = (text: string): string => {
  const line = text.slice(0, 1_000).replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};
