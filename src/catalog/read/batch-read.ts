import type { Graph } from '../../graph/client.ts';

/** Where records are read: in transactions of their own, or inside of one. */
export type RecordSource = Pick<Graph, 'read' | 'observer'>;

/** Rows of one statement may come in any order; they are put back by `at`. */
export const restoreOrder = <R extends { at: number }>(rows: readonly R[], length: number): (R | undefined)[] => {
  const placed: (R | undefined)[] = new Array(length).fill(undefined);
  for (const row of rows) placed[row.at] = row;
  return placed;
};

export const withPositions = <T extends object>(keys: readonly T[]): (T & { at: number })[] =>
  keys.map((key, at) => ({ ...key, at }));

/** One coalesced look-up per statement, made when it is first needed. */
export const memoizePerName = <K, V>(
  make: (name: string) => (key: K) => Promise<V>,
): ((name: string) => (key: K) => Promise<V>) => {
  const made = new Map<string, (key: K) => Promise<V>>();
  return (name) => {
    const known = made.get(name);
    if (known) return known;
    const fresh = make(name);
    made.set(name, fresh);
    return fresh;
  };
};
