import neo4j from 'neo4j-driver';

/**
 * Encodes a value for the database. The driver sends every JavaScript number as a float; here, whole numbers become
 * integers, so that direct queries of the graph see the expected type.
 */
export const encodeProperty = (value: unknown): unknown => {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? neo4j.int(value) : value;
  if (Array.isArray(value)) return value.map(encodeProperty);
  return value ?? null;
};
