/** Longest text that is read. */
export const LONGEST_SQL = 200_000;

/** How a statement begins, to tell which one is meant. */
export const opening = (text: string): string => {
  const line = text.slice(0, 1_000).replace(/\s+/g, ' ').trim();
  return line.length > 100 ? `${line.slice(0, 100)}…` : line;
};
