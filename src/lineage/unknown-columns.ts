/** The maximum number of columns that the header names. */
const MAX_NAMED = 20;

const HEADER = 'X-Lineage-Unknown-Columns';

/**
 * Names the columns of a request that their records do not have. Clients send such columns and expect success, so the
 * body of the answer cannot tell.
 */
export const unknownColumnsHeader = (names: readonly string[]): Readonly<Record<string, string>> => {
  const distinct = [...new Set(names)];
  if (distinct.length === 0) return {};
  const more = distinct.length > MAX_NAMED ? [`and ${distinct.length - MAX_NAMED} more`] : [];
  return { [HEADER]: [...distinct.slice(0, MAX_NAMED).map(encodeURIComponent), ...more].join(', ') };
};
