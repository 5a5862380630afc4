import neo4j from 'neo4j-driver';

/**
 * A value as the database should keep it. The driver sends every JavaScript number as a float; whole numbers are kept as
 * integers, so that whoever queries the graph directly finds what they expect.
 */
export const encodeProperty = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value;
  if (Array.isArray(value)) return value.map(encodeProperty);
  return value ?? null;
};
