import type { LineageEdge } from '../api/types.ts';

/** The key of an edge: the IDs of both ends with a blank in between. */
export const edgeKeyOf = (from: string, to: string): string => `${from} ${to}`;

export const edgeKey = ({ fromEntity, toEntity }: Pick<LineageEdge, 'fromEntity' | 'toEntity'>): string =>
  edgeKeyOf(fromEntity, toEntity);
