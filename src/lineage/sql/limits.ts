/** Longest text that is read. */
export const MAX_SQL_LENGTH = 200_000;

/** How a statement begins, to tell which one is meant. */
export const statementOpening = (text: string): string => {
  const line = text.slice(0, 1_000).replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};
