import type { Graph } from '../../graph/client.ts';

/** A source of records: single reads in their own transactions, or a running transaction. */
export type RecordSource = Pick<Graph, 'read' | 'observer'>;

/** Restores the order of a statement's rows, which may arrive in any order, by their `at`. */
export const restoreOrder = <R extends { at: number }>(rows: readonly R[], length: number): (R | undefined)[] => {
  const placed: (R | undefined)[] = new Array(length).fill(undefined);
  for (const row of rows) placed[row.at] = row;
  return placed;
};

/** Creates one coalesced lookup per statement, when it is first needed. */
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
