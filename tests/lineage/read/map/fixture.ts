import type { Made } from '../../fixture.ts';

/** Helpers for tests of lineage maps: addresses, depths and document ids. */

/** The path of a map or list of the lineage around a record. */
export const address = (
  operation: string,
  { fullyQualifiedName }: Pick<Made, 'fullyQualifiedName'>,
  query = '',
  type = 'table',
): string =>
  `/v1/lineage/${operation}?fqn=${encodeURIComponent(fullyQualifiedName)}&type=${type}${query && `&${query}`}`;

/** The distance of each record of a map, by its name. */
export const depthsOf = ({ nodes }: { nodes: Record<string, { nodeDepth: number }> }): Record<string, number> =>
  Object.fromEntries(Object.entries(nodes).map(([name, { nodeDepth }]) => [name, nodeDepth]));

export const depths = (...pairs: readonly (readonly [Made, number])[]): Record<string, number> =>
  Object.fromEntries(pairs.map(([{ fullyQualifiedName }, depth]) => [fullyQualifiedName, depth]));

/** The name of an edge in a map. */
export const docId = (from: Made, to: Made): string => `${from.fullyQualifiedName}--->${to.fullyQualifiedName}`;
