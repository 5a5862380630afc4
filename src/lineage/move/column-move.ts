import type { Graph } from '../../graph/client.ts';
import { splitFqn } from '../../model/name.ts';
import { type ColumnNameMapper, columnKeysAt } from '../column-mappings.ts';
import type { Endpoint } from '../endpoints.ts';
import { listColumnsByPrefix } from './queries.ts';

/** Says which column of one record is which of another. */

/** The maximum number of columns of a record. */
const MAX_COLUMNS = 100_000;

export type ColumnMove = {
  /** Translates column names of the first record to those of the other, and adds names without one to `unknown`. */
  readonly renameUsed: ColumnNameMapper;
  /** The key of the column of the other record for the key of one of the first. */
  readonly keyOf: (key: string) => string | undefined;
  /** Translated names that the other record does not have. */
  readonly unknown: string[];
};

/** Reads the columns of two records and matches them by name, whatever the letter case. */
export const readColumnMove = async (graph: Graph, source: Endpoint, target: Endpoint): Promise<ColumnMove> => {
  const [own, other] = [`${source.id}:`, `${target.id}:`];
  const rows = await graph.read(listColumnsByPrefix, { prefixes: [own, other], limit: MAX_COLUMNS });
  const there = new Map(rows.flatMap(({ prefix, key, fqn }) => (prefix === other ? [[key, fqn] as const] : [])));
  const names = new Map<string, string>();
  const keys = new Map<string, string>();
  for (const { prefix, key, fqn } of rows) {
    if (prefix !== own) continue;
    const name = fqn.slice(source.fullyQualifiedName.length + 1);
    const found = columnKeysAt(target, splitFqn(name)).find((candidate) => there.has(candidate));
    if (found === undefined) continue;
    names.set(name, (there.get(found) ?? '').slice(target.fullyQualifiedName.length + 1));
    keys.set(key, found);
  }
  const unknown: string[] = [];
  const renameUsed = (name: string): string | undefined => {
    const found = names.get(name);
    if (found === undefined && !unknown.includes(name)) unknown.push(name);
    return found;
  };
  return { renameUsed, keyOf: (key) => keys.get(key), unknown };
};
